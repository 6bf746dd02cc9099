/* own_policy.h -- the head of a policy of a test's own, which knows its services and no more. */
#ifndef HC_OWN_POLICY_H
#define HC_OWN_POLICY_H

#include "hindcast/policy.h"

struct hc_policy {
  const hc_services *s;
  const hc_allocator *allocator;
};

static hc_rc init(const hc_policy_context *c, const void *options, hc_policy **out, hc_error *e)
{
  (void)options;
  (void)e;
  *out = c->allocator->resize(c->allocator->ctx, NULL, 0, sizeof **out);
  if (!*out) return HC_ENOMEM;
  **out = (hc_policy){c->services, c->allocator};
  return 0;
}

static void fini(hc_policy *self)
{
  (void)self->allocator->resize(self->allocator->ctx, self, sizeof *self, 0);
}

#endif
