/* around.c -- a policy goes on to the one that it is put around. See around.h. */
#include "policy/around.h"

#include "base/util.h"

static const hc_policy_type *inner_of(const void *options, const void **its)
{
  const hc_around_options *o = options;
  *its = o->policy.options;
  return (const hc_policy_type *)o->policy.type;
}

uint32_t hc_around_flags(const void *options)
{
  const void *its;
  const hc_policy_type *t = inner_of(options, &its);
  return t->flags ? t->flags(its) : 0; /* none whose files decide may be within one: hc_around_init */
}

void hc_around_parts(const void *options, hc_policy_parts *out)
{
  const void *its;
  const hc_policy_type *t = inner_of(options, &its);
  *out = (hc_policy_parts){0};
  if (t->parts) t->parts(its, out);
}

hc_rc hc_around_init(const hc_policy_context *c, const void *options, const char *name, size_t size,
                     hc_policy **out, hc_error *e)
{
  const void *its;
  const hc_policy_type *t = inner_of(options, &its);
  if (hc_policy_follows(t, its) || t->next_preemption || t->cell_changed || t->goes_by_speeds)
    return hc_fail(
        e, HC_EUNSUPPORTED, "configuration", 0, 0,
        "the policy %s cannot be put around the policy %s, which keeps books of its tasks: use batch", name,
        t->component.name);
  hc_policy *self = hc_alloc(c->allocator, size);
  if (!self) return HC_ENOMEM;
  *self = (hc_policy){.s = c->services, .allocator = c->allocator, .size = size, .type = t};
  *out = self;
  return t->init ? t->init(c, its, &self->inner, e) : 0;
}

hc_rc hc_around_decide(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  return self->type->decide(self->inner, v, p, why);
}

void hc_around_outcome(hc_policy *self, hc_view *v, hc_task t, hc_rc rc)
{
  if (self->type->outcome) self->type->outcome(self->inner, v, t, rc);
}

hc_rc hc_around_visit(hc_policy *self, hc_visitor *v)
{
  return self->type->visit ? self->type->visit(self->inner, v) : 0;
}

hc_rc hc_around_finish(hc_policy *self, hc_findings *f)
{
  return self->type->finish ? self->type->finish(self->inner, f) : 0;
}

void hc_around_fini(hc_policy *self)
{
  if (self->inner && self->type->fini) self->type->fini(self->inner);
  hc_free(self->allocator, self, self->size);
}
