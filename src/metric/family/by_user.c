/* by_user.c -- a table of tasks by user. The work is in bytable.c. Cost: one look-up per task. */
#include "base/util.h"
#include "metric/bytable.h"

static void keys(const hc_metric *self, const hc_task_record *records, size_t n, int64_t *out)
{
  HC_UNUSED(self);
  for (size_t i = 0; i < n; i++) out[i] = records[i].user;
}

static hc_rc init(const hc_metric_context *c, const void *options, hc_metric **out, hc_error *e)
{
  return hc_bytable_new(c, options, "by_user", keys, out, e);
}

static const char *const figures[] = {HC_GROUP_FIGURES("by_user"), NULL};

const hc_metric_type hc_metric_by_user = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "by_user",
         .summary = "tasks, waits, slowdowns and area of each user",
         .detail = "A table with a row for each user that has tasks which started and ended; the key is its "
                   "number in the trace, -1 where the trace gives none.",
         .params = hc_bytable_params, .options_size = sizeof(hc_bytable_options)},
    .init = init,
    .tasks = hc_bytable_tasks,
    .finish = hc_bytable_finish,
    .visit = hc_bytable_visit,
    .fini = hc_bytable_fini,
};
