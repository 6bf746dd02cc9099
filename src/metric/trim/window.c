/* window.c -- tasks submitted within a given time. */
#include "base/util.h"
#include "hindcast/metric.h"

typedef struct options {
  hc_time from, to; /* HC_UNKNOWN: no bound */
} options;

static bool keeps(const void *chosen, const hc_trim_input *in, uint64_t rank, const hc_task_record *task)
{
  const options *o = chosen;
  HC_UNUSED(in);
  HC_UNUSED(rank);
  return (o->from == HC_UNKNOWN || task->submit >= o->from) && (o->to == HC_UNKNOWN || task->submit < o->to);
}

static void window(const void *chosen, const hc_trim_input *in, hc_time *from, hc_time *to)
{
  const options *o = chosen;
  *from = o->from == HC_UNKNOWN ? in->first_submit : o->from;
  *to = o->to == HC_UNKNOWN ? in->last_end : o->to;
}

static const hc_param params[] = {
    HC_PARAM(TIME, options, from, "s", NULL, 0, 0,
             "Earliest submission that counts, from the run's origin. Default: that of the first task."),
    HC_PARAM(TIME, options, to, "s", NULL, 0, 0,
             "Submissions from this time on do not count. Default: all count."),
    {.name = NULL},
};

const hc_trim_type hc_trim_window = {
    .component = {HC_COMPONENT_HEAD(hc_trim_type, HC_KIND_TRIM), .name = "window",
                  .summary = "tasks submitted within a given time",
                  .detail = "Keeps tasks with from <= submit < to. Integrals run over the same time.",
                  .params = params, .options_size = sizeof(options)},
    .keeps = keeps,
    .window = window,
};
