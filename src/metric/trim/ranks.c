/* ranks.c -- leave out a share of the first and of the last submissions.
 *
 * A task's rank is its serial, which counts every task that was submitted; the shares are of those that
 * started. Where tasks were rejected, a little more is cut off at the end than asked for. */
#include "base/util.h"
#include "hindcast/metric.h"

typedef struct options {
  double first, last;
} options;

static bool keeps(const void *chosen, const hc_trim_input *in, uint64_t rank, const hc_task_record *task)
{
  const options *o = chosen;
  double n = (double)in->tasks, at = (double)task->serial;
  HC_UNUSED(rank);
  return at >= n * o->first && at < n - n * o->last;
}

static const hc_param params[] = {
    HC_PARAM(REAL, options, first, "1", "0.1", 0, 1, "Share of the first submissions that do not count."),
    HC_PARAM(REAL, options, last, "1", "0.1", 0, 1, "Share of the last submissions that do not count."),
    {.name = NULL},
};

const hc_trim_type hc_trim_ranks = {
    .component =
        {HC_COMPONENT_HEAD(hc_trim_type, HC_KIND_TRIM), .name = "ranks",
         .summary = "leave out a share of the first and of the last submissions",
         .detail =
             "Keeps tasks with n first <= serial < n - n last, n being the number of tasks that started. "
             "Integrals run over all the time.",
         .params = params, .options_size = sizeof(options)},
    .keeps = keeps,
};
