/* birth.h -- how a selector gets its memory, and gives it back. */
#ifndef HC_POLICY_BIRTH_H
#define HC_POLICY_BIRTH_H

#include "base/mem.h"
#include "base/util.h"
#include "hindcast/policy.h"
#include "policy/molding.h"

/* First member of every selector's struct. */
typedef struct hc_select_base {
  const hc_services *s;
  const hc_allocator *allocator;
  size_t size; /* of the whole struct */
  hc_molding molding;
} hc_select_base;

/* A zeroed struct of `size` bytes with its first member filled. @return 0 or HC_ENOMEM. */
static inline hc_rc hc_select_new(const hc_policy_context *c, size_t size, hc_policy **out)
{
  hc_select_base *base = hc_alloc(c->allocator, size);
  if (!base) return HC_ENOMEM;
  *base = (hc_select_base){.s = c->services,
                           .allocator = c->allocator,
                           .size = size,
                           .molding = {.s = c->services, .allocator = c->allocator}};
  *out = (hc_policy *)base;
  return 0;
}

/* The `init` of a selector without options whose struct is the base alone. */
static inline hc_rc hc_select_init(const hc_policy_context *c, const void *options, hc_policy **out,
                                   hc_error *e)
{
  HC_UNUSED(options);
  HC_UNUSED(e);
  return hc_select_new(c, sizeof(hc_select_base), out);
}

/* Its services. */
static inline const hc_services *hc_select_services(const hc_policy *self)
{
  return ((const hc_select_base *)self)->s;
}

/* The `mold` of a selector that asks hc_select_size before it plans a task. */
static inline void hc_select_mold(hc_policy *self, const hc_chosen *how)
{
  ((hc_select_base *)self)->molding.how = how;
}

/* Does it settle the sizes of tasks? */
static inline bool hc_select_molds(const hc_policy *self)
{
  return ((const hc_select_base *)self)->molding.how != NULL;
}

/* It is about to be planned: in which size? @return 0 or HC_ENOMEM */
static inline hc_rc hc_select_size(hc_policy *self, hc_view *v, hc_plan *p, hc_task t)
{
  if (!hc_select_molds(self)) return 0;
  return hc_molding_choose(&((hc_select_base *)self)->molding, v, p, t, HC_MOLDING_AHEAD, 0);
}

/* The `fini` of a selector that owns nothing else. */
static inline void hc_select_free(hc_policy *self)
{
  hc_select_base *base = (hc_select_base *)self;
  hc_molding_fini(&base->molding);
  hc_free(base->allocator, base, base->size);
}

#endif
