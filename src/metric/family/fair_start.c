/* fair_start.c -- starts against fair starts: the start that a task would have had if no other had been
 * submitted after it.
 *
 * The engine finds a task's fair start by a fork of the run, as it was before the task's arrival, from which
 * the tasks that come later are left out; it keeps true run times and the policy, and stops when the task
 * starts (engine/fair.c). A task that starts later than that was delayed by tasks that came after it: it
 * misses its fair start, by that much.
 *
 * All tasks are asked about, up to `all`; a run of more keeps `sample` of them: those with the smallest of
 * random numbers that each has by its serial. The number of tasks is known only at the end, so until `all`
 * is passed every task is asked about, and from then on those that the sample would take: about
 * sample x ln(tasks / all) more.
 *
 * Sources: Sabin, Kochhar, Sadayappan, ICPP 2004; Sabin, Sadayappan, JSSPP 2005. */
#include "base/math.h"
#include "base/state.h"
#include "base/util.h"
#include "metric/family.h"
#include "metric/sum128.h"

typedef struct options {
  int64_t all, sample, seed;
} options;

typedef struct asked {
  uint64_t serial, draw;
  hc_time fair, start; /* HC_NEVER: it would not have started; HC_UNKNOWN: it has not started */
} asked;

struct hc_metric {
  hc_family family;
  options o;
  uint64_t seen;
  asked *tasks; /* [count] by serial */
  size_t count, cap;
  uint64_t limit; /* of draws that the sample takes, once it is one: of the largest in it; 0: all are taken */
};

static void fini(hc_metric *self)
{
  hc_free(self->family.context.allocator, self->tasks, self->cap * sizeof *self->tasks);
  hc_family_free(self);
}

static hc_rc set_up(hc_metric *self, const options *o, hc_error *e)
{
  self->o = *o;
  if (o->sample <= o->all) return 0;
  return hc_fail(
      e, HC_EUSAGE, "metric fair_start", 0, 0,
      "`sample` is larger than `all`: a run of more tasks than `all` would be asked about more of them");
}

HC_FAMILY_INIT

static uint64_t draw_of(const hc_metric *self, uint64_t serial)
{
  hc_draws d = {(uint64_t)self->o.seed, 0, serial, HC_PURPOSE_SAMPLE, 0};
  return hc_random_bits(&d);
}

/* ---- which tasks ---- */

/* Leave those with the largest draws out, until the sample is as large as it should be. A selection by halves
 * of the range of draws: equal draws do not occur twice among serials that are not equal. */
static void thin(hc_metric *self, size_t wanted)
{
  uint64_t low = 0, high = UINT64_MAX;
  size_t kept = 0;
  while (low < high) { /* the least limit that lets so many in */
    const uint64_t middle = low + (high - low) / 2;
    size_t n = 0;
    for (size_t i = 0; i < self->count; i++) n += self->tasks[i].draw <= middle;
    if (n >= wanted) high = middle;
    else low = middle + 1;
  }
  for (size_t i = 0; i < self->count; i++)
    if (self->tasks[i].draw <= high) self->tasks[kept++] = self->tasks[i];
  self->count = kept;
  self->limit = high;
}

static bool asks(hc_metric *self, uint64_t serial)
{
  return self->limit == 0 || draw_of(self, serial) < self->limit;
}

static hc_rc fair(hc_metric *self, uint64_t serial, bool is_asked, hc_time start)
{
  self->seen++;
  if (is_asked) {
    TRY(hc_reserve(self->family.context.allocator, (void **)&self->tasks, &self->cap, self->count + 1,
                   sizeof *self->tasks));
    self->tasks[self->count++] = (asked){serial, draw_of(self, serial), start, HC_UNKNOWN};
  }
  if (self->seen <= (uint64_t)self->o.all) return 0;
  if (self->limit == 0 || self->count > (size_t)self->o.sample) thin(self, (size_t)self->o.sample);
  return 0;
}

/* ---- what became of them ---- */

static asked *find(hc_metric *self, uint64_t serial)
{
  size_t low = 0, high = self->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (self->tasks[middle].serial < serial) low = middle + 1;
    else high = middle;
  }
  return low < self->count && self->tasks[low].serial == serial ? &self->tasks[low] : NULL;
}

static hc_rc tasks(hc_metric *self, const hc_task_record *records, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    asked *t = find(self, (uint64_t)records[i].serial);
    if (t) t->start = records[i].start;
  }
  return 0;
}

typedef struct sums {
  uint64_t tasks, missed, never;
  hc_wide miss;
  hc_time most;
} sums;

/* A task that has not started by the end is not counted; one that would never have started fairly is, and has
 * missed nothing. */
static sums sum_up(const hc_metric *self)
{
  sums s = {0};
  for (size_t i = 0; i < self->count; i++) {
    const asked *t = &self->tasks[i];
    if (t->start == HC_UNKNOWN) continue;
    const hc_time miss = t->fair == HC_NEVER ? 0 : HC_MAX(hc_time_between(t->fair, t->start), 0);
    s.tasks++;
    s.never += t->fair == HC_NEVER;
    s.missed += miss > 0;
    hc_wide_add(&s.miss, miss);
    s.most = HC_MAX(s.most, miss);
  }
  return s;
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  const sums s = sum_up(self);
  TRY(hc_find_count(f, "fair_start_submitted", "tasks", (int64_t)self->seen));
  TRY(hc_find_count(f, "fair_start_tasks", "tasks", (int64_t)s.tasks));
  TRY(hc_find_count(f, "fair_start_missed", "tasks", (int64_t)s.missed));
  TRY(hc_find_real(f, "fair_start_missed_share", "1",
                   s.tasks > 0 ? (double)s.missed / (double)s.tasks : __builtin_nan("")));
  TRY(hc_find_real(f, "fair_start_miss", "s", hc_mean_seconds(s.miss, s.tasks)));
  TRY(hc_find_real(f, "fair_start_miss_of_missed", "s", hc_mean_seconds(s.miss, s.missed)));
  TRY(hc_find_real(f, "fair_start_miss_total", "s", hc_mean_seconds(s.miss, 1)));
  TRY(hc_find_real(f, "fair_start_miss_most", "s", (double)s.most * 1e-9));
  return hc_find_count(f, "fair_start_never", "tasks", (int64_t)s.never);
}

static hc_rc visit(hc_metric *self, hc_visitor *v)
{
  HC_VISIT(v, self->seen);
  HC_VISIT(v, self->limit);
  HC_VISIT_ARRAY(v, self->tasks, self->count, self->cap);
  return 0;
}

static const hc_param params[] = {
    HC_PARAM(INT, options, all, "tasks", "10000", 1, 1e9,
             "Most tasks of a run of which every task is examined. A run of more tasks is judged by a "
             "sample."),
    HC_PARAM(INT, options, sample, "tasks", "2000", 1, 1e9, "Number of tasks in the sample, at most `all`."),
    HC_PARAM(INT, options, seed, NULL, "1", 0, 9223372036854775807.0, "Seed of the sample."),
    {0}};

static const char *const figures[] = {
    "fair_start_submitted|tasks|none|tasks that were submitted",
    "fair_start_tasks|tasks|none, usual|tasks that started, of those that were examined: all, or a sample",
    "fair_start_missed|tasks|lower, usual|of these, tasks that started later than their fair start",
    "fair_start_missed_share|1|lower, usual, compared|fair_start_missed / fair_start_tasks",
    "fair_start_miss|s|lower, usual, compared|mean over fair_start_tasks of max(0, start - fair start)",
    "fair_start_miss_of_missed|s|lower, usual|mean over tasks that started later of start - fair start",
    "fair_start_miss_total|s|lower|sum over fair_start_tasks of max(0, start - fair start)",
    "fair_start_miss_most|s|lower|greatest start - fair start, at least 0",
    "fair_start_never|tasks|none|tasks that would not have started, had none been submitted after them",
    NULL,
};

const hc_metric_type hc_metric_fair_start = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "fair_start",
         .summary = "starts of tasks, compared with those that they would have had without the tasks that "
                    "came later",
         .detail =
             "A task's fair start is its start in a run from which all tasks are left out that were "
             "submitted after it, at the same instant or later, with true run times, under the same policy. "
             "The run is forked before each task that is examined, and the fork ends when the task starts: "
             "each fork makes a run and copies its state, which takes a millisecond or more. Fair starts are "
             "not to be had from records alone, for a trimmed summary, for closed loops, for runs whose "
             "policy changes, or with plans from outside.",
         .source = "Sabin and Sadayappan, JSSPP 2005", .params = params, .options_size = sizeof(options)},
    HC_FAMILY_CALLS,
    .tasks = tasks,
    .needs_use = true, /* no record says it */
    .asks_fair = asks,
    .fair = fair,
};
