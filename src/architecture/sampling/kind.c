/* sampling_kind.c -- what every kind of sampling does alike as an architecture: it is its sampling. */
#include "architecture/sampling/sampling.h"
#include "base/util.h"

hc_rc hc_sampling_new(const hc_architecture_context *c, const char *name, const hc_sampling_options *o,
                      hc_architecture **out, hc_error *e)
{
  hc_architecture *self = hc_alloc(c->allocator, sizeof *self);
  if (!self) return HC_ENOMEM;
  *out = self;
  return hc_sampling_init(&self->sampling, c, name, o, e);
}

hc_rc hc_sampling_kind_signal(hc_architecture *self, const hc_signal *sig, hc_error *e)
{
  return hc_sampling_hear(&self->sampling, sig, e);
}

hc_rc hc_sampling_kind_decide(hc_architecture *self, hc_error *e)
{
  return hc_sampling_decide(&self->sampling, e);
}

hc_rc hc_sampling_kind_visit(hc_architecture *self, hc_visitor *v)
{
  return hc_sampling_visit(&self->sampling, v);
}

hc_rc hc_sampling_kind_finish(hc_architecture *self, hc_findings *f)
{
  return hc_sampling_finish(&self->sampling, f);
}

void hc_sampling_kind_fini(hc_architecture *self)
{
  const hc_allocator *a = self->sampling.c.allocator;
  hc_sampling_fini(&self->sampling);
  hc_free(a, self, sizeof *self);
}
