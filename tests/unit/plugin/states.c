/* states.c -- a shared object whose parts remember: save/plugins saves runs with them.
 *
 * The selector `ends` starts whatever fits, in turn the first and the last of the queue, and visits whose
 * turn it is. The metric `forgetful` counts, and does not visit what it has counted. As any plug-in, it
 * links against nothing of ours. */
#include "hindcast/metric.h"
#include "hindcast/plugin.h"
#include "hindcast/policy.h"

/* ---- a selector that visits ---- */

struct hc_policy {
  const hc_services *s;
  const hc_allocator *allocator;
  uint64_t starts;
};

static hc_rc init(const hc_policy_context *c, const void *options, hc_policy **out, hc_error *e)
{
  (void)options;
  (void)e;
  *out = c->allocator->resize(c->allocator->ctx, NULL, 0, sizeof **out);
  if (!*out) return HC_ENOMEM;
  **out = (hc_policy){.s = c->services, .allocator = c->allocator};
  return 0;
}

static hc_task choose(const hc_policy *self, const hc_view *v)
{
  const hc_filter fits = {.max_units = self->s->free_units(v), .max_estimate = HC_NEVER};
  hc_cursor at = {0};
  hc_task chosen = self->s->next(v, HC_LIST_QUEUE, &at, &fits);
  for (hc_task t = chosen; self->starts % 2 == 1 && t != HC_NO_TASK;) {
    chosen = t;
    t = self->s->next(v, HC_LIST_QUEUE, &at, &fits);
  }
  return chosen;
}

static hc_rc decide(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  (void)why;
  for (hc_task t; (t = choose(self, v)) != HC_NO_TASK; self->starts++) {
    const hc_rc rc = self->s->start(p, t, NULL, 0);
    if (rc < 0) return rc;
  }
  return 0;
}

static hc_rc visit(hc_policy *self, hc_visitor *v)
{
  return hc_visitor_calls_of(v)->bytes(v, &self->starts, sizeof self->starts);
}

static void fini(hc_policy *self)
{
  (void)self->allocator->resize(self->allocator->ctx, self, sizeof *self, 0);
}

static const hc_select_type ends = {.component = {HC_COMPONENT_HEAD(hc_select_type, HC_KIND_SELECT),
                                                  .name = "ends",
                                                  .summary = "whatever fits, in turn the first and the last"},
                                    .init = init,
                                    .decide = decide,
                                    .visit = visit,
                                    .fini = fini};

/* ---- a metric that does not ---- */

struct hc_metric {
  const hc_allocator *allocator;
  int64_t count;
};

static hc_rc begin(const hc_metric_context *c, const void *options, hc_metric **out, hc_error *e)
{
  (void)options;
  (void)e;
  *out = c->allocator->resize(c->allocator->ctx, NULL, 0, sizeof **out);
  if (!*out) return HC_ENOMEM;
  **out = (hc_metric){.allocator = c->allocator};
  return 0;
}

static hc_rc tasks(hc_metric *self, const hc_task_record *records, size_t count)
{
  (void)records;
  self->count += (int64_t)count;
  return 0;
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  return hc_find_count(f, "forgotten", "tasks", self->count);
}

static void end(hc_metric *self)
{
  (void)self->allocator->resize(self->allocator->ctx, self, sizeof *self, 0);
}

static const char *const figures[] = {"forgotten|tasks|lower|tasks that were counted", NULL};

static const hc_metric_type forgetful = {.component = {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC),
                                                       .figures = figures, .name = "forgetful",
                                                       .summary = "counts, and does not visit the count"},
                                         .init = begin,
                                         .tasks = tasks,
                                         .finish = finish,
                                         .fini = end};

static const hc_component *const components[] = {&ends.component, &forgetful.component, NULL};
HC_API extern const hc_plugin hc_plugin_entry;
const hc_plugin hc_plugin_entry = {
    .size = sizeof(hc_plugin), .abi = HC_ABI, .name = "states", .components = components};
