/* by_group.c -- a table of tasks by group of users. The work is in bytable.c. Cost: one look-up per task. */
#include "base/util.h"
#include "metric/bytable.h"

static void keys(const hc_metric *self, const hc_task_record *records, size_t n, int64_t *out)
{
  HC_UNUSED(self);
  for (size_t i = 0; i < n; i++) out[i] = records[i].group;
}

static hc_rc init(const hc_metric_context *c, const void *options, hc_metric **out, hc_error *e)
{
  return hc_bytable_new(c, options, "by_group", keys, out, e);
}

static const char *const figures[] = {HC_GROUP_FIGURES("by_group"), NULL};

const hc_metric_type hc_metric_by_group = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "by_group",
         .summary = "tasks, waits, slowdowns and area of each group of users",
         .detail =
             "A table with a row for each group of users that has tasks which started and ended; the key is "
             "its number in the trace, -1 where the trace gives none.",
         .params = hc_bytable_params, .options_size = sizeof(hc_bytable_options)},
    .init = init,
    .tasks = hc_bytable_tasks,
    .finish = hc_bytable_finish,
    .visit = hc_bytable_visit,
    .fini = hc_bytable_fini,
};
