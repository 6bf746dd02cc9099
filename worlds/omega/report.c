/* report.c -- what a finished world has to say: figures, tables by workload, by scheduler and by day, a row a
 * job.
 *
 * The figures are those of the original's result message, under names that say what they are. Means and
 * percentiles of jobs are over those with an attempt. A percentile p of n values is the one of rank floor((n
 * - 1) p), from 0; the original calls the 90th the 99th (defect D6). Waits are of queues alone: neither
 * thinking nor the second before another attempt is in them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "omega/report.h"

static double no_value(void)
{
  return (double)__builtin_nanf("");
}

static double ratio(double a, double b)
{
  return b > 0 ? a / b : no_value();
}

/* ---- figures, and the same of one workload or scheduler ---- */

typedef hc_omega_teller teller;

/* A figure of a workload or scheduler is a cell of its table, and a figure that has its name at its end. */
hc_rc hc_omega_tell(const teller *t, const char *name, const char *unit, double value, bool is_count)
{
  char text[160];
  size_t n = 0;
  if (!t->table) return t->to->figure(t->to->ctx, name, unit, value, is_count, (int64_t)value);
  TRY(hc_find_cell(t->to, t->table, t->key, name, unit, value));
  n = (size_t)snprintf(text, sizeof text, "%s_%s", name, t->suffix);
  for (size_t i = 0; i < n && i < sizeof text; i++)
    if (text[i] == '.') text[i] = '_'; /* a figure with a dot would be a cell */
  return t->to->figure(t->to->ctx, text, unit, value, is_count, is_count ? (int64_t)value : 0);
}

static hc_rc real(const teller *t, const char *name, const char *unit, double value)
{
  return hc_omega_tell(t, name, unit, value, false);
}

static hc_rc count(const teller *t, const char *name, const char *unit, uint64_t n)
{
  return hc_omega_tell(t, name, unit, (double)n, true);
}

/* What is declared of them: figures of a workload or scheduler have its name at the end, and stand as cells
 * of by_workload or by_scheduler too. */
const char *const hc_omega_figures[] = {
    "makespan|s|lower, usual, compared, primary|from time 0 to the last event",
    "cpu_utilisation|1|higher, usual|mean over samples of the cores that jobs hold / cores of the cell",
    "memory_utilisation|1|higher, usual|mean over samples of the memory that jobs hold / memory of the cell",
    ("cpu_utilisation_deviation|1|none, usual|standard deviation over samples of the cores held / cores "
     "of the cell"),
    "memory_utilisation_deviation|1|none|standard deviation over samples of memory held / memory of the cell",
    ("cpu_locked|1|lower, usual|mean over samples of the cores offered and not held by a job / cores of "
     "the cell"),
    "memory_locked|1|lower, usual|mean over samples of memory offered and not held / memory of the cell",
    "cpu_locked_of_free|1|lower|cores offered and not held / cores not held, over the samples",
    "prefill_jobs|1|none|jobs that ran at time 0",
    "prefill_tasks|1|none|tasks of the jobs that ran at time 0",
    "tasks_started|1|higher|tasks that started",
    "failed_probes|1|none|machines drawn on which a task did not fit; of one scheduler failed_probes_*",
    "failed_probes_*|1|none|machines drawn on which a task of the scheduler did not fit",
    "ties|1|none|events at exactly the time of another whose order could have mattered",
    "jobs_*|1|none|jobs that arrived",
    "jobs_attempted_*|1|higher|jobs with at least one attempt",
    "jobs_scheduled_*|1|higher, usual|jobs of which every task has started",
    "jobs_given_up_*|1|lower, usual|jobs that were given up after too many attempts",
    "tasks_unscheduled_*|1|lower, usual|tasks that have not started",
    "tasks_unscheduled_share_*|1|lower, usual|tasks that have not started / tasks",
    "busyness_*|1|lower, usual|time in which the workload's schedulers think / time; of several the mean",
    ("busyness_offered_*|1|none, usual|busyness with one attempt for each job: sum over jobs of (think_job + "
     "think_task x tasks) / time"),
    "busyness_per_offered_*|1|lower, usual|busyness / busyness_offered",
    "conflict_fraction_*|1|lower, usual|attempts that failed by a conflict / attempts that succeeded",
    "jobs_within_*|1|higher|share of the jobs whose first attempt began within `objective` of their arrival",
    "interarrival_mean_*|s|none|mean time between arrivals of jobs",
    "think_job_*|s|none|think time of a job",
    "think_task_*|s|none|think time of a task",
    "think_p90_*|s|none|quantile 0.9 over jobs of the think time of attempts after which tasks started",
    "wait_first_mean_*|s|lower, usual|mean over jobs of the time in queues before the first attempt",
    "wait_first_p90_*|s|lower|quantile 0.9 over jobs of the time in queues before the first attempt",
    "wait_full_mean_*|s|lower, usual|mean over jobs of the time in queues before the last task started",
    "wait_full_p90_*|s|lower|quantile 0.9 over jobs of the time in queues before the last task started",
    "attempts_p90_*|1|lower|quantile 0.9 over jobs of their attempts",
    "attempts_p99_*|1|lower|quantile 0.99 over jobs of their attempts",
    "task_attempts_p90_*|1|lower|quantile 0.9 over jobs of the starts of tasks that they tried",
    "task_attempts_p99_*|1|lower|quantile 0.99 over jobs of the starts of tasks that they tried",
    "jobs_moldable_share_*|1|none|share of the jobs that may have more workers than they ask for",
    "jobs_sped_up_share_*|1|higher, usual|share of the jobs that started with more workers",
    "speed_up_mean_*|1|higher, usual|mean speed-up of the jobs that started",
    "speed_up_p*|1|higher|quantiles of the speed-up of the jobs that started: speed_up_p5 to speed_up_p99",
    "extra_workers_*|1|none|workers beyond those asked for",
    "turnaround_mean_*|s|lower|mean over jobs of the end of their last task - submission",
    "useful_busy_*|s|none|think time of the scheduler after which nothing was refused",
    "wasted_busy_*|s|lower|think time of the scheduler after which something was refused",
    "busy_fraction_*|1|lower, usual|(useful_busy + wasted_busy) / time",
    "succeeded_*|1|none|attempts that met no conflict",
    "failed_*|1|lower|attempts that met a conflict",
    "retried_*|1|lower|attempts at jobs that were put back into the queue",
    "conflicts_per_success_*|1|lower, usual|failed / succeeded",
    "conflict_share_*|1|lower|failed / (failed + succeeded)",
    "tasks_succeeded_*|1|none|starts of tasks that met no conflict",
    "tasks_failed_*|1|lower|starts of tasks that met a conflict",
    "task_conflicts_per_success_*|1|lower|tasks_failed / tasks_succeeded",
    "task_conflict_share_*|1|lower|tasks_failed / (tasks_failed + tasks_succeeded)",
    "no_resources_*|1|lower|attempts that found no machine for any task",
    "timed_out_*|1|lower|jobs that the scheduler gave up",
    "queue_left_*|1|lower|jobs in the scheduler's queue when the run ended",
    "is_multi_path_*|1|none|1 if the scheduler has a think time for each workload",
    NULL};

/* ---- workloads ---- */

/* The value that would stand at `rank` if all were sorted, which they are only as far as that takes: C. A. R.
 * Hoare's Algorithm 65, Find, 1961, doi:10.1145/366622.366647. */
static double find(double *values, int64_t n, int64_t rank)
{
  int64_t low = 0, high = n - 1;
  while (low < high) {
    const double x = values[rank];
    int64_t i = low, j = high;
    while (i <= j) {
      while (values[i] < x) i++;
      while (values[j] > x) j--;
      if (i > j) break;
      const double y = values[i];
      values[i++] = values[j];
      values[j--] = y;
    }
    if (j < rank) low = i;
    if (i > rank) high = j;
  }
  return values[rank];
}

double hc_omega_percentile(double *values, size_t n, double p)
{
  return n > 0 ? find(values, (int64_t)n, (int64_t)((double)(n - 1) * p)) : no_value();
}

typedef double (*job_value)(const hc_omega_job *j);
static double value_first(const hc_omega_job *j)
{
  return j->wait_first;
}
static double value_full(const hc_omega_job *j)
{
  return j->wait_full;
}
static double value_useful(const hc_omega_job *j)
{
  return j->useful;
}
static double value_attempts(const hc_omega_job *j)
{
  return (double)j->attempts;
}
static double value_task_attempts(const hc_omega_job *j)
{
  return (double)j->task_attempts;
}

static size_t gather(const hc_world *w, const hc_omega_workload *l, job_value value, double *out)
{
  size_t n = 0;
  for (uint32_t i = 0; i < l->job_count; i++) {
    const hc_omega_job *j = &w->jobs[l->first_job + i];
    if (j->attempts > 0) out[n++] = value(j);
  }
  return n;
}

static double mean(const double *values, size_t n)
{
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += values[i];
  return ratio(sum, (double)n);
}

static double mean_gap(const hc_world *w, const hc_omega_workload *l)
{
  double first, last;
  const uint32_t n = l->job_count;
  if (n < 2) return no_value();
  first = w->jobs[l->arrivals ? l->arrivals[0] : l->first_job].submit;
  last = w->jobs[l->arrivals ? l->arrivals[n - 1] : l->first_job + n - 1].submit;
  return (last - first) / (double)(hc_omega_has(w, HC_OMEGA_D11_MEAN_GAP) ? n : n - 1);
}

typedef struct job_counts {
  uint64_t attempted, whole, given_up, left_tasks, tasks;
} job_counts;

static job_counts count_jobs(const hc_world *w, const hc_omega_workload *l)
{
  job_counts c = {0};
  for (uint32_t i = 0; i < l->job_count; i++) {
    const hc_omega_job *j = &w->jobs[l->first_job + i];
    c.attempted += j->attempts > 0;
    c.whole += j->unscheduled == 0;
    c.given_up += j->gave_up;
    c.left_tasks += j->unscheduled;
    c.tasks += j->tasks;
  }
  return c;
}

static hc_rc tell_quantiles(const hc_world *w, const hc_omega_workload *l, const teller *t, double *scratch)
{
  const double high = hc_omega_has(w, HC_OMEGA_D6_PERCENTILE) ? 0.9 : 0.99;
  size_t n = gather(w, l, value_useful, scratch);
  TRY(real(t, "think_p90", "s", hc_omega_percentile(scratch, n, 0.9)));
  n = gather(w, l, value_first, scratch);
  TRY(real(t, "wait_first_mean", "s", mean(scratch, n)));
  TRY(real(t, "wait_first_p90", "s", hc_omega_percentile(scratch, n, 0.9)));
  n = gather(w, l, value_full, scratch);
  TRY(real(t, "wait_full_mean", "s", mean(scratch, n)));
  TRY(real(t, "wait_full_p90", "s", hc_omega_percentile(scratch, n, 0.9)));
  n = gather(w, l, value_attempts, scratch);
  TRY(real(t, "attempts_p90", "1", hc_omega_percentile(scratch, n, 0.9)));
  TRY(real(t, "attempts_p99", "1", hc_omega_percentile(scratch, n, high)));
  n = gather(w, l, value_task_attempts, scratch);
  TRY(real(t, "task_attempts_p90", "1", hc_omega_percentile(scratch, n, 0.9)));
  return real(t, "task_attempts_p99", "1", hc_omega_percentile(scratch, n, high));
}

/* Of the thoughts that schedulers are paid for when they take an offer, those that the run did not see. */
static double unthought(const hc_world *w, const hc_omega_workload *l)
{
  double sum = 0;
  if (hc_omega_has(w, HC_OMEGA_D13_OFFERS)) return 0; /* there they think about several offers at a time */
  for (size_t i = 0; i < w->offer_count; i++) {
    const hc_omega_offer *o = &w->offers[i];
    if (!o->is_out || o->scheduler < l->first_scheduler ||
        o->scheduler >= l->first_scheduler + l->scheduler_count)
      continue;
    if (o->answer > w->now) sum += o->answer - w->now;
  }
  return sum;
}

/* What those who decide about a workload had to do, and did. Under a monolithic world that is one scheduler
 * for all, and the same for each workload; of several schedulers the mean. */
static hc_rc tell_deciders(const hc_world *w, const hc_omega_workload *l, const teller *t)
{
  const double n = (double)l->scheduler_count;
  double busy = 0, failed = 0, succeeded = 0, offered = 0;
  for (uint32_t i = 0; i < l->scheduler_count; i++) {
    const hc_omega_busy *b = &w->schedulers[l->first_scheduler + i].all;
    busy += b->useful + b->wasted;
    failed += (double)b->failed;
    succeeded += (double)b->succeeded;
  }
  busy -= unthought(w, l);
  for (size_t i = 0; i < w->job_count; i++) {
    const hc_omega_workload *of = &w->workloads[w->jobs[i].workload];
    if (of->first_scheduler == l->first_scheduler)
      offered += of->think_job + of->think_task * (double)w->jobs[i].tasks;
  }
  TRY(real(t, "busyness", "1", ratio(busy / n, w->now)));
  TRY(real(t, "busyness_offered", "1", ratio(offered / n, w->run_time)));
  TRY(real(t, "busyness_per_offered", "1", ratio(busy / w->now, offered / w->run_time)));
  return real(t, "conflict_fraction", "1", ratio(failed, succeeded));
}

/* Of the jobs whose first attempt began, or could have begun within the objective, those where it did. */
static hc_rc tell_objective(const hc_world *w, const hc_omega_workload *l, const teller *t)
{
  const double objective = (double)w->options->objective / 1e9;
  uint64_t within = 0, of = 0;
  for (uint32_t i = 0; i < l->job_count; i++) {
    const hc_omega_job *j = &w->jobs[l->first_job + i];
    const bool began = j->attempts > 0;
    within += began && j->wait_first <= objective;
    of += began || w->now - j->submit > objective;
  }
  return real(t, "jobs_within", "1", ratio((double)within, (double)of));
}

static hc_rc tell_workload(const hc_world *w, size_t i, hc_findings *f, double *scratch)
{
  const hc_omega_workload *l = &w->workloads[i];
  const teller t = {f, "by_workload", l->name, (int64_t)i};
  const job_counts c = count_jobs(w, l);
  TRY(count(&t, "jobs", "1", l->job_count));
  TRY(count(&t, "jobs_attempted", "1", c.attempted));
  TRY(count(&t, "jobs_scheduled", "1", hc_omega_has(w, HC_OMEGA_D14_ATTEMPTED) ? c.attempted : c.whole));
  TRY(count(&t, "jobs_given_up", "1", c.given_up));
  TRY(count(&t, "tasks_unscheduled", "1", c.left_tasks));
  TRY(real(&t, "tasks_unscheduled_share", "1", ratio((double)c.left_tasks, (double)c.tasks)));
  TRY(tell_deciders(w, l, &t));
  TRY(tell_objective(w, l, &t));
  TRY(real(&t, "interarrival_mean", "s", mean_gap(w, l)));
  TRY(real(&t, "think_job", "s", l->think_job));
  TRY(real(&t, "think_task", "s", l->think_task));
  return tell_quantiles(w, l, &t, scratch);
}

/* ---- schedulers ---- */

static hc_rc tell_conflicts(const hc_world *w, const teller *t, double failed, double succeeded,
                            const char *of)
{
  char name[64];
  (void)snprintf(name, sizeof name, "%sconflicts_per_success", of);
  TRY(real(t, name, "1", ratio(failed, succeeded)));
  (void)snprintf(name, sizeof name, "%sconflict_share", of);
  TRY(real(t, name, "1", ratio(failed, failed + succeeded)));
  if (!hc_omega_has(w, HC_OMEGA_D9_CONFLICTS) || *of) return 0;
  return real(t, "conflict_fraction", "1", ratio(failed, succeeded));
}

static hc_rc tell_scheduler(const hc_world *w, size_t i, hc_findings *f)
{
  const hc_omega_scheduler *s = &w->schedulers[i];
  const teller t = {f, "by_scheduler", s->name, (int64_t)i};
  TRY(real(&t, "useful_busy", "s", s->all.useful));
  TRY(real(&t, "wasted_busy", "s", s->all.wasted));
  TRY(real(&t, "busy_fraction", "1", ratio(s->all.useful + s->all.wasted, w->now)));
  TRY(count(&t, "succeeded", "1", s->all.succeeded));
  TRY(count(&t, "failed", "1", s->all.failed));
  TRY(count(&t, "retried", "1", s->retried));
  TRY(tell_conflicts(w, &t, (double)s->all.failed, (double)s->all.succeeded, ""));
  TRY(count(&t, "tasks_succeeded", "1", s->task_succeeded));
  TRY(count(&t, "tasks_failed", "1", s->task_failed));
  TRY(tell_conflicts(w, &t, (double)s->task_failed, (double)s->task_succeeded, "task_"));
  TRY(count(&t, "no_resources", "1", s->no_resources));
  TRY(count(&t, "timed_out", "1", s->timed_out));
  TRY(count(&t, "queue_left", "1", s->queued));
  TRY(count(&t, "failed_probes", "1", s->failed_probes));
  return count(&t, "is_multi_path", "1", s->is_multi_path);
}

static hc_rc busy_cells(hc_findings *f, const char *table, int64_t key, const hc_omega_busy *b, bool counts)
{
  TRY(hc_find_cell(f, table, key, "useful_busy", "s", b->useful));
  TRY(hc_find_cell(f, table, key, "wasted_busy", "s", b->wasted));
  if (!counts) return 0;
  TRY(hc_find_cell(f, table, key, "succeeded", "1", (double)b->succeeded));
  return hc_find_cell(f, table, key, "failed", "1", (double)b->failed);
}

static hc_rc tell_busy(const hc_world *w, hc_findings *f)
{
  for (size_t i = 0; i < w->scheduler_count; i++) {
    const hc_omega_scheduler *s = &w->schedulers[i];
    char table[64];
    (void)snprintf(table, sizeof table, "days_of_scheduler_%zu", i);
    for (size_t d = 0; d < w->day_count; d++) TRY(busy_cells(f, table, (int64_t)d, &s->by_day[d], true));
    (void)snprintf(table, sizeof table, "workloads_of_scheduler_%zu", i);
    for (size_t l = 0; l < w->workload_count; l++)
      TRY(busy_cells(f, table, (int64_t)l, &s->by_workload[l], false));
  }
  return 0;
}

/* ---- the whole ---- */

static hc_rc tell_whole(const hc_world *w, hc_findings *f)
{
  const teller t = {f, NULL, NULL, 0};
  const double n = (double)w->samples;
  uint64_t misses = 0;
  for (size_t i = 0; i < w->scheduler_count; i++) misses += w->schedulers[i].failed_probes;
  TRY(real(&t, "makespan", "s", w->now));
  TRY(real(&t, "cpu_utilisation", "1", ratio(w->occupied_cpus / n, w->cell.total.cpus)));
  TRY(real(&t, "memory_utilisation", "1", ratio(w->occupied_memory / n, w->cell.total.memory)));
  TRY(real(&t, "cpu_locked", "1", ratio(w->locked_cpus / n, w->cell.total.cpus)));
  TRY(real(&t, "memory_locked", "1", ratio(w->locked_memory / n, w->cell.total.memory)));
  TRY(real(&t, "cpu_locked_of_free", "1", ratio(w->locked_cpus, n * w->cell.total.cpus - w->occupied_cpus)));
  TRY(count(&t, "prefill_jobs", "1", w->prefill_jobs));
  TRY(count(&t, "prefill_tasks", "1", w->prefill_tasks));
  TRY(count(&t, "tasks_started", "1", w->tasks_started));
  TRY(count(&t, "failed_probes", "1", misses));
  return count(&t, "ties", "1", w->ties);
}

static hc_rc tell_all(const hc_world *w, hc_findings *f)
{
  size_t most = 1;
  double *scratch;
  hc_rc rc = tell_whole(w, f);
  for (size_t i = 0; i < w->workload_count; i++) most = HC_MAX(most, w->workloads[i].job_count);
  scratch = hc_alloc(w->allocator, most * sizeof *scratch);
  if (!scratch) return HC_ENOMEM;
  for (size_t i = 0; rc >= 0 && i < w->workload_count; i++) rc = tell_workload(w, i, f, scratch);
  for (size_t i = 0; rc >= 0 && i < w->scheduler_count; i++) rc = tell_scheduler(w, i, f);
  if (rc >= 0) rc = hc_omega_tell_molds(w, f, scratch);
  hc_free(w->allocator, scratch, most * sizeof *scratch);
  return rc < 0 ? rc : tell_busy(w, f);
}

/* ---- the store ---- */

static int64_t nanoseconds(double s)
{
  return s < 0 ? HC_UNKNOWN : (int64_t)(s * 1e9 + 0.5);
}

static hc_rc store_jobs(const hc_world *w, hc_store *store, hc_error *e)
{
  for (size_t i = 0; i < w->job_count; i++) {
    const hc_omega_job *j = &w->jobs[i];
    const int64_t row[16] = {(int64_t)i + 1,
                             j->workload,
                             j->scheduler,
                             nanoseconds(j->submit),
                             j->tasks,
                             nanoseconds(j->duration),
                             j->attempts,
                             (int64_t)j->task_attempts,
                             nanoseconds(j->wait_first),
                             nanoseconds(j->wait_full),
                             nanoseconds(j->useful),
                             nanoseconds(j->wasted),
                             j->unscheduled,
                             nanoseconds(j->first_start),
                             nanoseconds(j->full),
                             j->gave_up};
    TRY(hc_store_numbers(store, "jobs", HC_ARRAY_LEN(row), row, e));
  }
  return 0;
}

static hc_rc store_number(hc_store *store, const char *table, const char *key, uint64_t n, hc_error *e)
{
  char text[32];
  (void)snprintf(text, sizeof text, "%" PRIu64, n);
  return hc_store_row(store, table, 2, (const char *[]){key, text}, e);
}

static hc_rc store_names(const hc_world *w, hc_store *store, hc_error *e)
{
  static const char *const architectures[] = {"monolithic", "shared_state", "two_level"};
  char key[64], text[128], n[40];
  n[hc_format_count(w->cell.machines, n)] = '\0';
  (void)snprintf(text, sizeof text, "%s, %s machines of %g cpus and %g GB",
                 architectures[w->options->architecture], n, w->cell.each.cpus, w->cell.each.memory);
  TRY(hc_store_row(store, "hindcast", 2, (const char *[]){"machine", text}, e));
  for (size_t i = 0; i < w->workload_count; i++) {
    (void)snprintf(key, sizeof key, "workload_%zu", i);
    TRY(hc_store_row(store, "hindcast", 2, (const char *[]){key, w->workloads[i].name}, e));
  }
  for (size_t i = 0; i < w->scheduler_count; i++) {
    (void)snprintf(key, sizeof key, "scheduler_%zu", i);
    TRY(hc_store_row(store, "hindcast", 2, (const char *[]){key, w->schedulers[i].name}, e));
  }
  return 0;
}

/* Each task of a job that arrived is in one state, and so is each worker that a job has beyond its tasks. */
static hc_rc store_ledgers(const hc_world *w, hc_store *store, hc_error *e)
{
  uint64_t finals[HC_FINAL_COUNT] = {0};
  TRY(store_number(store, "rows", "read", w->job_count, e));
  TRY(store_number(store, "rows", "used", w->job_count, e));
  TRY(store_number(store, "rows", "merged", 0, e));
  for (size_t i = 0; i < w->job_count; i++) {
    const hc_omega_job *j = &w->jobs[i];
    finals[j->gave_up ? HC_FINAL_REJECTED : HC_FINAL_WAITING] += j->unscheduled;
  }
  finals[HC_FINAL_COMPLETED] = w->tasks_ended;
  for (size_t i = 0; i < w->job_count; i++)
    finals[HC_FINAL_RUNNING] += w->jobs[i].tasks - w->jobs[i].unscheduled + w->jobs[i].extra;
  finals[HC_FINAL_RUNNING] -= finals[HC_FINAL_COMPLETED];
  for (int f = 0; f < HC_FINAL_COUNT; f++)
    TRY(store_number(store, "finals", hc_final_name((hc_final)f), finals[f], e));
  return 0;
}

hc_rc hc_omega_world_finish(hc_world *w, hc_findings *f, hc_store *store, hc_error *e)
{
  if (store) {
    TRY(store_names(w, store, e));
    TRY(store_ledgers(w, store, e));
    TRY(store_jobs(w, store, e));
  }
  return tell_all(w, f);
}
