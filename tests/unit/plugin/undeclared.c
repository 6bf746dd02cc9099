/* undeclared.c -- a shared object whose selector asks when the head could start, and has no `flags`. */
#include "hindcast/plugin.h"
#include "hindcast/policy.h"

struct hc_policy {
  const hc_services *s;
  const hc_allocator *allocator;
};

static hc_rc init(const hc_policy_context *c, const void *options, hc_policy **out, hc_error *e)
{
  hc_policy *self = c->allocator->resize(c->allocator->ctx, NULL, 0, sizeof *self);
  (void)options;
  (void)e;
  if (!self) return HC_ENOMEM;
  *self = (hc_policy){c->services, c->allocator};
  *out = self;
  return 0;
}

static hc_rc decide(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  hc_task head;
  hc_rc rc = self->s->start_heads(p, &head);
  (void)why;
  if (rc < 0 || head == HC_NO_TASK) return rc;
  return self->s->earliest(v, head, self->s->now(v)).at > self->s->now(v) ? 0
                                                                          : self->s->start(p, head, NULL, 0);
}

static void fini(hc_policy *self)
{
  self->allocator->resize(self->allocator->ctx, self, sizeof *self, 0);
}

static const hc_select_type selector = {
    .component = {HC_COMPONENT_HEAD(hc_select_type, HC_KIND_SELECT), .name = "hasty", .summary = "of a test"},
    .init = init,
    .decide = decide,
    .fini = fini};
static const hc_component *const components[] = {&selector.component, NULL};
HC_API extern const hc_plugin hc_plugin_entry;
const hc_plugin hc_plugin_entry = {
    .size = sizeof(hc_plugin), .abi = HC_ABI, .name = "undeclared", .components = components};
