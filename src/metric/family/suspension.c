/* suspension.c -- running tasks that were suspended: how often, and how much longer they took for it.
 *
 * Of a task that ended, what it took beyond its run: end - start - run. Where rates are 0 and 1 only, that
 * is the time in which it was suspended, exactly. A task that was also stopped and started again is left out
 * of times: its start is that of its last attempt. Cost: one comparison a task. */
#include "base/state.h"
#include "base/util.h"
#include "metric/family.h"
#include "metric/sum128.h"

typedef struct sums {
  uint64_t suspensions, changes, ended, tasks, timed;
  hc_wide time; /* ns */
  hc_time most;
} sums;

HC_PLAIN_FAMILY(sums, 0)

static hc_rc rates(hc_metric *self, const hc_rate_record *r)
{
  self->sums.suspensions += r->holds == 0;
  self->sums.changes++;
  return 0;
}

static hc_rc tasks(hc_metric *self, const hc_task_record *records, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const hc_task_record *r = &records[i];
    if (!hc_task_counts(r)) continue;
    self->sums.ended++;
    if (!(r->flags & HC_TASK_RATED)) continue;
    self->sums.tasks++;
    if (r->flags & HC_TASK_PREEMPTED) continue;
    const hc_time more = HC_MAX(hc_time_between(r->start, r->end) - hc_task_ran(r), 0);
    self->sums.timed++;
    hc_wide_add(&self->sums.time, more);
    self->sums.most = HC_MAX(self->sums.most, more);
  }
  return 0;
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  TRY(hc_find_count(f, "suspension_suspensions", "times", (int64_t)self->sums.suspensions));
  TRY(hc_find_count(f, "suspension_changes", "times", (int64_t)self->sums.changes));
  TRY(hc_find_count(f, "suspension_tasks", "tasks", (int64_t)self->sums.tasks));
  TRY(hc_find_real(f, "suspension_share", "1",
                   self->sums.ended > 0 ? (double)self->sums.tasks / (double)self->sums.ended
                                        : __builtin_nan("")));
  TRY(hc_find_real(f, "suspension_time", "s", hc_wide_seconds(self->sums.time)));
  TRY(hc_find_real(f, "suspension_time_mean", "s", hc_mean_seconds(self->sums.time, self->sums.timed)));
  return hc_find_real(f, "suspension_time_max", "s", hc_seconds(self->sums.most));
}

static const char *const figures[] = {
    "suspension_suspensions|times|lower|times that a plan suspended a running task",
    ("suspension_changes|times|lower|times that a plan changed a task's rate: suspended it, let it go on, or "
     "set another"),
    "suspension_tasks|tasks|none|tasks that ended and whose rate was ever changed",
    "suspension_share|1|lower|these / tasks that started and ended",
    "suspension_time|s|lower|sum over them of end - start - run: the time in which they were suspended",
    "suspension_time_mean|s|lower|the same on average",
    "suspension_time_max|s|lower|the greatest",
    NULL,
};

const hc_metric_type hc_metric_suspension = {
    .component = {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "suspension",
                  .summary = "running tasks that were suspended, and for how long",
                  .detail =
                      "Counts tasks that started and ended. Those that were also stopped and started again "
                      "count in numbers of tasks, not in times. Only a run knows how often a task was "
                      "suspended, so these figures cannot be computed from a log or stored rows alone."},
    HC_PLAIN_CALLS,
    .tasks = tasks,
    .needs_use = true,
    .rates = rates,
};
