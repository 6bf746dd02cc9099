/* queue.c -- how much waited, over time: tasks and the units they asked for.
 *
 * Means are integrals over time, exact in 128 bits, from the first instant at which a task is in the system
 * to the last; not means over tasks. Cost: three products per interval. */
#include "base/state.h"
#include "base/util.h"
#include "metric/family.h"
#include "metric/sum128.h"

typedef struct sums {
  hc_time first, last; /* of the time in which tasks were in the system; first HC_UNKNOWN: none yet */
  hc_wide waiting, units, running; /* x ns */
  hc_wide nonempty;                /* ns during which a task waited */
  int64_t max_waiting, max_units;
} sums;

HC_PLAIN_FAMILY(sums, .first = HC_UNKNOWN, .last = HC_UNKNOWN)

static hc_rc intervals(hc_metric *self, const hc_interval *intervals, size_t count)
{
  sums s = self->sums;
  for (size_t i = 0; i < count; i++) {
    const hc_interval *x = &intervals[i];
    hc_time time = hc_time_between(x->from, x->to);
    if ((x->waiting | x->running) == 0) continue;
    if (s.first == HC_UNKNOWN) s.first = x->from;
    s.last = x->to;
    hc_wide_add_product(&s.running, x->running, time);
    if (x->waiting == 0) continue;
    hc_wide_add_product(&s.waiting, x->waiting, time);
    hc_wide_add_product(&s.units, x->waiting_units, time);
    hc_wide_add(&s.nonempty, time);
    s.max_waiting = HC_MAX(s.max_waiting, x->waiting);
    s.max_units = HC_MAX(s.max_units, x->waiting_units);
  }
  self->sums = s;
  return 0;
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  const sums *s = &self->sums;
  hc_wide span = {0};
  if (s->first != HC_UNKNOWN) hc_wide_add(&span, hc_time_between(s->first, s->last));
  TRY(hc_find_real(f, "queue_mean", "tasks", hc_wide_ratio(s->waiting, span)));
  TRY(hc_find_count(f, "queue_max", "tasks", s->max_waiting));
  TRY(hc_find_real(f, "queue_units_mean", "units", hc_wide_ratio(s->units, span)));
  TRY(hc_find_count(f, "queue_units_max", "units", s->max_units));
  TRY(hc_find_real(f, "queue_nonempty_share", "1", hc_wide_ratio(s->nonempty, span)));
  return hc_find_real(f, "running_mean", "tasks", hc_wide_ratio(s->running, span));
}

static const char *const figures[] = {
    "queue_mean|tasks|lower, usual, compared|mean over time of the number of waiting tasks",
    "queue_max|tasks|lower, usual|greatest number of waiting tasks",
    "queue_units_mean|units|lower|mean over time of the units that waiting tasks ask for",
    "queue_units_max|units|lower|most units that waiting tasks asked for together",
    "queue_nonempty_share|1|lower|share of time during which a task waited",
    "running_mean|tasks|none|mean over time of the number of running tasks",
    NULL,
};

const hc_metric_type hc_metric_queue = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "queue",
         .summary = "waiting tasks and the units they ask for, over time",
         .detail = "Integrals over time, from the first instant at which a task waits or runs to the last. A "
                   "task that waits for no time is in none of them."},
    HC_PLAIN_CALLS,
    .intervals = intervals,
};
