/* late_tasks.c -- a metric in a shared object: how many tasks waited longer than an objective, and how
 * much longer. */
#include "hindcast/metric.h"
#include "hindcast/plugin.h"

typedef struct options {
  hc_time objective;
} options;

struct hc_metric {
  const hc_allocator *allocator;
  hc_time objective;
  int64_t started, late, excess; /* state; excess in whole seconds */
};

static hc_rc init(const hc_metric_context *c, const void *opts, hc_metric **out, hc_error *e)
{
  hc_metric *self = c->allocator->resize(c->allocator->ctx, NULL, 0, sizeof *self);
  (void)e;
  if (!self) return HC_ENOMEM;
  *self = (hc_metric){.allocator = c->allocator, .objective = ((const options *)opts)->objective};
  *out = self;
  return 0;
}

static hc_rc tasks(hc_metric *self, const hc_task_record *records, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    hc_time wait = records[i].start - records[i].submit;
    if (records[i].start == HC_UNKNOWN) continue;
    self->started++;
    if (wait <= self->objective) continue;
    self->late++;
    self->excess += (wait - self->objective) / HC_SECOND;
  }
  return 0;
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  double share = self->started ? (double)self->late / (double)self->started : 0;
  hc_rc rc = hc_find_count(f, "late_tasks", "tasks", self->late);
  if (rc == 0) rc = hc_find_real(f, "late_share", "1", share);
  return rc < 0 ? rc : hc_find_count(f, "late_excess", "s", self->excess);
}

/* Saved, loaded and hashed by the same three lines. */
static hc_rc visit(hc_metric *self, hc_visitor *v)
{
  const hc_visitor_calls *calls = hc_visitor_calls_of(v);
  hc_rc rc = calls->bytes(v, &self->started, sizeof self->started);
  if (rc == 0) rc = calls->bytes(v, &self->late, sizeof self->late);
  return rc < 0 ? rc : calls->bytes(v, &self->excess, sizeof self->excess);
}

static void fini(hc_metric *self)
{
  self->allocator->resize(self->allocator->ctx, self, sizeof *self, 0);
}

static const hc_param params[] = {
    HC_PARAM(TIME, options, objective, "s", "30s", 0, 1e9, "A longer wait than this is late."), {0}};

static const char *const figures[] = {
    "late_tasks|tasks|lower|tasks that waited longer than the objective",
    "late_share|1|lower|late_tasks / tasks that started",
    "late_excess|s|lower|sum over late tasks of (wait - objective), whole seconds each", NULL};

const hc_metric_type hc_metric_late_tasks = {.component = {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC),
                                                           .figures = figures, .name = "late_tasks",
                                                           .summary = "tasks that missed a wait objective",
                                                           .params = params, .options_size = sizeof(options)},
                                             .init = init,
                                             .tasks = tasks,
                                             .finish = finish,
                                             .visit = visit,
                                             .fini = fini};

/* Only a shared object needs what follows. */
static const hc_component *const components[] = {&hc_metric_late_tasks.component, NULL};
HC_API extern const hc_plugin hc_plugin_entry;
const hc_plugin hc_plugin_entry = {
    .size = sizeof(hc_plugin), .abi = HC_ABI, .name = "late_tasks", .components = components};
