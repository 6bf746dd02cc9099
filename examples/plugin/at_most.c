/* at_most.c -- start tasks in order, whatever fits, but never let more than so many run at once. */
#include "hindcast/plugin.h"
#include "hindcast/policy.h"

typedef struct options {
  int64_t tasks;
} options;

struct hc_policy {
  const hc_services *s;
  const hc_allocator *allocator;
  int64_t tasks;
};

static hc_rc init(const hc_policy_context *c, const void *opts, hc_policy **out, hc_error *e)
{
  hc_policy *self = c->allocator->resize(c->allocator->ctx, NULL, 0, sizeof *self);
  (void)e;
  if (!self) return HC_ENOMEM;
  *self = (hc_policy){c->services, c->allocator, ((const options *)opts)->tasks};
  *out = self;
  return 0;
}

static hc_rc decide(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  const hc_services *s = self->s;
  const hc_task *running;
  int64_t room = self->tasks - (int64_t)s->running(v, &running);
  hc_cursor at = {0};
  (void)why;
  for (; room > 0; room--) {
    hc_filter fits = {.max_units = s->free_units(v), .max_estimate = HC_NEVER};
    hc_task t = s->next(v, HC_LIST_QUEUE, &at, &fits);
    if (t == HC_NO_TASK || s->start(p, t, NULL, 0) < 0) break;
  }
  return 0;
}

static void fini(hc_policy *self)
{
  self->allocator->resize(self->allocator->ctx, self, sizeof *self, 0);
}

static const hc_param params[] = {
    HC_PARAM(INT, options, tasks, "tasks", "4", 1, 1e9, "How many tasks may run at once."), {0}};

const hc_select_type hc_select_at_most = {
    .component = {HC_COMPONENT_HEAD(hc_select_type, HC_KIND_SELECT), .name = "at_most",
                  .summary = "whatever fits, in order, but never more than so many tasks at once",
                  .params = params, .options_size = sizeof(options)},
    .init = init, .decide = decide, .fini = fini};

/* Only a shared object needs what follows. */
static const hc_component *const components[] = {&hc_select_at_most.component, NULL};
HC_API extern const hc_plugin hc_plugin_entry;
const hc_plugin hc_plugin_entry = {
    .size = sizeof(hc_plugin), .abi = HC_ABI, .name = "at_most", .components = components};
