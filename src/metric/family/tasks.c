/* tasks.c -- how many tasks came to which end, and how many were backfilled.
 *
 * The only family that counts every task; the others count those that started and ended. Cost: a few
 * additions. */
#include "base/state.h"
#include "base/util.h"
#include "metric/family.h"

typedef struct counts {
  uint64_t final[HC_FINAL_COUNT];
  uint64_t backfilled, clamped, no_limit;
} counts;

HC_PLAIN_FAMILY(counts, 0)

static hc_rc tasks(hc_metric *self, const hc_task_record *records, size_t count)
{
  counts c = self->sums;
  for (size_t i = 0; i < count; i++) {
    uint64_t flags = (uint64_t)records[i].flags;
    if ((uint64_t)records[i].final < HC_FINAL_COUNT) c.final[records[i].final]++;
    c.backfilled += flags & 1;
    c.clamped += flags >> 1 & 1;
    c.no_limit += flags >> 2 & 1;
  }
  self->sums = c;
  return 0;
}

_Static_assert(HC_TASK_BACKFILLED == 1 && HC_TASK_CLAMPED == 2 && HC_TASK_NO_LIMIT == 4,
               "bits as shifted above");

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  static const char *const names[HC_FINAL_COUNT] = {"tasks_completed", "tasks_killed",  "tasks_rejected",
                                                    "tasks_withdrawn", "tasks_waiting", "tasks_running",
                                                    "tasks_lost",      "tasks_held"};
  const counts *c = &self->sums;
  uint64_t all = 0, started = c->final[HC_FINAL_COMPLETED] + c->final[HC_FINAL_KILLED] +
                              c->final[HC_FINAL_RUNNING] + c->final[HC_FINAL_LOST];
  for (size_t i = 0; i < HC_FINAL_COUNT; i++) all += c->final[i];
  TRY(hc_find_count(f, "tasks", "tasks", (int64_t)all));
  TRY(hc_find_count(f, "tasks_started", "tasks", (int64_t)started));
  for (size_t i = 0; i < HC_FINAL_COUNT; i++) TRY(hc_find_count(f, names[i], "tasks", (int64_t)c->final[i]));
  TRY(hc_find_count(f, "tasks_backfilled", "tasks", (int64_t)c->backfilled));
  TRY(hc_find_real(f, "backfilled_share", "1",
                   started ? (double)c->backfilled / (double)started : __builtin_nan("")));
  TRY(hc_find_count(f, "tasks_clamped", "tasks", (int64_t)c->clamped));
  return hc_find_count(f, "tasks_no_limit", "tasks", (int64_t)c->no_limit);
}

static const char *const figures[] = {
    "tasks|tasks|none, compared|tasks that came to a final state",
    "tasks_started|tasks|higher|completed + killed + running + lost",
    "tasks_completed|tasks|higher|tasks that ran to their end",
    "tasks_killed|tasks|lower|tasks that were ended at their limit, unfinished",
    "tasks_rejected|tasks|lower|tasks given up by their schedulers, or refused by their policy",
    "tasks_withdrawn|tasks|none|tasks that left the queue before they started",
    "tasks_waiting|tasks|lower|tasks that still waited when the run ended",
    "tasks_running|tasks|none|tasks that still ran when the run ended",
    "tasks_lost|tasks|lower|tasks that lost a host and were not queued again",
    ("tasks_held|tasks|lower|tasks that waited for something that could never happen, or still waited for "
     "another task when the run ended"),
    "tasks_backfilled|tasks|none|tasks that started while a task before them in the queue went on waiting",
    "backfilled_share|1|none, usual, compared|tasks_backfilled / tasks_started",
    "tasks_clamped|tasks|none|tasks that asked for more than the machine has, and got the whole machine",
    "tasks_no_limit|tasks|none|tasks whose log gives no limit, so that one was assumed (no_limit)",
    NULL,
};

const hc_metric_type hc_metric_tasks = {
    .component = {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "tasks",
                  .summary = "tasks by final state, and how many were backfilled",
                  .detail = "Counts every task, each once, by its final state."},
    HC_PLAIN_CALLS,
    .tasks = tasks,
};
