/* birth.h -- how a selector gets its memory. */
#ifndef HC_POLICY_BIRTH_H
#define HC_POLICY_BIRTH_H

#include "hindcast/policy.h"

/* Allocate a selector's struct of `size` bytes, zeroed. @return 0 or HC_ENOMEM. */
static inline hc_rc hc_select_new(const hc_policy_context *c, size_t size, hc_policy **out)
{
  unsigned char *p = c->allocator->resize(c->allocator->ctx, NULL, 0, size);
  if (!p) return HC_ENOMEM;
  for (size_t i = 0; i < size; i++) p[i] = 0;
  *out = (hc_policy *)(void *)p;
  return 0;
}

#endif
