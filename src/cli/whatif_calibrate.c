/* whatif_calibrate.c -- how well the base explains what the log recorded, and where it does not.
 *
 * The record's starts and the model's are two schedules of the same jobs. Each gives a curve of what was in
 * use, in all and by partition, and the most that a partition ever used is what it is taken to have. A job
 * that the model starts earlier could have started then by that count, or not; if it could, then either a
 * job of its partition that is as large and came later was started before it (so the machine took such jobs,
 * and something of this job's own held it: a limit, its priority, a hold), or none was (so the room was not
 * to be used: nodes were down or reserved, or are of another kind). A job that the model starts later is
 * looked at in the same way at its recorded start. These are readings of counts, not proofs: a log does not
 * tell what its scheduler thought.
 *
 * Shares and means have intervals over the shaken copies; causes are of the workload as it is. Cost: O(n log
 * n); for a job that was held, the starts of its partition while it was. */
#include <stdlib.h>
#include <string.h>

#include "cli/whatif.h"

#define LEVEL 0.95
#define LEAST_NEAR 0.75 /* below this share of starts that are near, or */
#define MOST_OFF 0.25   /* above this relative error of the mean wait, the calibration warns */

/* What is in use after a change. */
typedef struct step {
  hc_time at;
  int64_t delta; /* then the running sum, of its partition */
  int64_t part;  /* place of the partition; `parts`: all of them */
} step;

typedef struct schedule {
  step *steps; /* [count] by partition, then time */
  size_t count;
  size_t *first; /* [parts + 2] of each partition, and of all */
  int64_t *most; /* [parts + 1] that was in use at once */
} schedule;

typedef struct start {
  hc_time at;
  uint32_t task, part;
} start;

typedef struct calibrating {
  const cli_whatif *w;
  uint32_t *part; /* [tasks] place of the task's partition */
  uint32_t parts;
  schedule record, model;
  start *starts; /* [start_count] of the record, by partition and time */
  size_t start_count;
} calibrating;

static hc_rc no_memory(cli *c)
{
  return cli_fail(c, HC_ENOMEM, "out of memory for the calibration");
}

/* ---- partitions ---- */

static int by_number(const void *a, const void *b)
{
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static hc_rc number_partitions(calibrating *x)
{
  const cli_records *t = &x->w->tasks;
  int64_t *numbers = malloc((t->count + 1) * sizeof *numbers);
  size_t n = 0;
  x->part = calloc(t->count + 1, sizeof *x->part);
  if (!numbers || !x->part) {
    free(numbers);
    return no_memory(x->w->c);
  }
  for (size_t i = 0; i < t->count; i++) numbers[i] = t->items[i].partition;
  qsort(numbers, t->count, sizeof *numbers, by_number);
  for (size_t i = 0; i < t->count; i++)
    if (n == 0 || numbers[i] != numbers[n - 1]) numbers[n++] = numbers[i];
  for (size_t i = 0; i < t->count; i++)
    x->part[i] =
        (uint32_t)((int64_t *)bsearch(&t->items[i].partition, numbers, n, sizeof *numbers, by_number) -
                   numbers);
  x->parts = (uint32_t)n;
  free(numbers);
  return 0;
}

/* ---- what is in use ---- */

/* Ends before starts: what is freed at a time can be used at it. */
static int by_part_and_time(const void *a, const void *b)
{
  const step *x = a, *y = b;
  if (x->part != y->part) return x->part < y->part ? -1 : 1;
  if (x->at != y->at) return x->at < y->at ? -1 : 1;
  return (x->delta > y->delta) - (x->delta < y->delta);
}

static void sum_up(schedule *s, uint32_t parts)
{
  size_t at = 0;
  for (uint32_t p = 0; p <= parts; p++) {
    int64_t sum = 0;
    for (s->first[p] = at; at < s->count && s->steps[at].part == p; at++) {
      sum += s->steps[at].delta;
      s->steps[at].delta = sum;
      if (sum > s->most[p]) s->most[p] = sum;
    }
  }
  s->first[parts + 1] = at;
}

static void put(schedule *s, hc_time from, hc_time to, int64_t units, uint32_t part, uint32_t parts)
{
  if (to <= from) return;
  s->steps[s->count++] = (step){from, units, part};
  s->steps[s->count++] = (step){to, -units, part};
  s->steps[s->count++] = (step){from, units, parts};
  s->steps[s->count++] = (step){to, -units, parts};
}

static hc_rc open_schedule(calibrating *x, schedule *s)
{
  s->steps = malloc((4 * x->w->tasks.count + 1) * sizeof *s->steps);
  s->first = calloc((size_t)x->parts + 2, sizeof *s->first);
  s->most = calloc((size_t)x->parts + 1, sizeof *s->most);
  return s->steps && s->first && s->most ? 0 : no_memory(x->w->c);
}

static void close_schedule(schedule *s)
{
  free(s->steps);
  free(s->first);
  free(s->most);
}

static hc_rc read_schedules(calibrating *x)
{
  const cli_whatif *w = x->w;
  CLI_TRY(open_schedule(x, &x->record));
  CLI_TRY(open_schedule(x, &x->model));
  for (size_t i = 0; i < w->tasks.count; i++) {
    const hc_task_record *r = &w->tasks.items[i];
    if (w->recorded[i] != HC_UNKNOWN)
      put(&x->record, w->recorded[i], w->recorded[i] + w->ran[i], r->units, x->part[i], x->parts);
    if (cli_ended(r)) put(&x->model, r->start, r->end, r->units, x->part[i], x->parts);
  }
  qsort(x->record.steps, x->record.count, sizeof(step), by_part_and_time);
  qsort(x->model.steps, x->model.count, sizeof(step), by_part_and_time);
  sum_up(&x->record, x->parts);
  sum_up(&x->model, x->parts);
  return 0;
}

/* What is in use after everything of a time has happened. */
static int64_t used(const schedule *s, uint32_t part, hc_time at)
{
  size_t from = s->first[part], to = s->first[part + 1];
  const size_t begin = from;
  while (from < to) {
    const size_t middle = (from + to) / 2;
    if (s->steps[middle].at <= at) from = middle + 1;
    else to = middle;
  }
  return from > begin ? s->steps[from - 1].delta : 0;
}

/* Whether there is room for a task beside what a schedule has at a time, by what the machine has and by what
 * its partition was ever seen to use. */
static bool has_room(const calibrating *x, const schedule *s, size_t i, hc_time at)
{
  const int64_t units = x->w->tasks.items[i].units;
  const uint32_t p = x->part[i];
  const int64_t most = x->record.most[p] > x->model.most[p] ? x->record.most[p] : x->model.most[p];
  return used(s, x->parts, at) + units <= x->w->facts.capacity && used(s, p, at) + units <= most;
}

/* ---- passing ---- */

static int by_start(const void *a, const void *b)
{
  const start *x = a, *y = b;
  if (x->part != y->part) return x->part < y->part ? -1 : 1;
  if (x->at != y->at) return x->at < y->at ? -1 : 1;
  return (x->task > y->task) - (x->task < y->task);
}

static hc_rc sort_starts(calibrating *x)
{
  const cli_whatif *w = x->w;
  x->starts = malloc((w->tasks.count + 1) * sizeof *x->starts);
  if (!x->starts) return no_memory(w->c);
  for (size_t i = 0; i < w->tasks.count; i++)
    if (w->recorded[i] != HC_UNKNOWN)
      x->starts[x->start_count++] = (start){w->recorded[i], (uint32_t)i, x->part[i]};
  qsort(x->starts, x->start_count, sizeof *x->starts, by_start);
  return 0;
}

/* Whether the record started a job that came later, is as large and of the same partition, in [from, to). */
static bool was_passed(const calibrating *x, size_t i, hc_time from, hc_time to)
{
  const hc_task_record *r = x->w->tasks.items;
  size_t low = 0, high = x->start_count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    const start *s = &x->starts[middle];
    if (s->part < x->part[i] || (s->part == x->part[i] && s->at < from)) low = middle + 1;
    else high = middle;
  }
  for (; low < x->start_count && x->starts[low].part == x->part[i] && x->starts[low].at < to; low++) {
    const uint32_t other = x->starts[low].task;
    if (other != i && r[other].submit > r[i].submit && r[other].units >= r[i].units) return true;
  }
  return false;
}

/* ---- causes ---- */

static cli_cause cause_of(const calibrating *x, size_t i, hc_time within)
{
  const hc_task_record *r = &x->w->tasks.items[i];
  const hc_time recorded = x->w->recorded[i], error = r->start - recorded;
  if (!cli_ended(r)) return CLI_CAUSE_NEVER;
  if (error <= within && error >= -within) return CLI_CAUSE_SAME;
  if (error < 0) {
    if (!has_room(x, &x->record, i, r->start)) return CLI_CAUSE_FULL;
    return was_passed(x, i, r->start, recorded) ? CLI_CAUSE_HELD : CLI_CAUSE_CLOSED;
  }
  if (used(&x->record, x->parts, recorded) > x->w->facts.capacity) return CLI_CAUSE_SMALL;
  return has_room(x, &x->model, i, recorded) ? CLI_CAUSE_BARRED : CLI_CAUSE_BUSY;
}

static void quantiles(double *values, size_t count, double *out)
{
  static const double shares[] = {0.5, 0.9, 0.95};
  qsort(values, count, sizeof *values, cli_by_real);
  for (size_t i = 0; i < CLI_LEN(shares); i++)
    out[i] = count ? values[cli_rank(count, shares[i])] : (double)__builtin_nanf("");
}

static double seconds(hc_time t)
{
  return (double)t / 1e9;
}

static double recorded_wait(const cli_whatif *w, size_t i)
{
  return seconds(w->recorded[i] - w->tasks.items[i].submit);
}

static double distance(double a, double b)
{
  return a < b ? b - a : a - b;
}

static bool is_near(double error, double recorded, double least)
{
  return error <= least || error <= recorded / 10;
}

static void count_causes(const calibrating *x, cli_calibration *out)
{
  const cli_whatif *w = x->w;
  for (size_t i = 0; i < w->tasks.count; i++) {
    if (w->recorded[i] == HC_UNKNOWN) continue;
    const cli_cause cause = cause_of(x, i, out->within);
    out->count[cause]++;
    if (cause != CLI_CAUSE_NEVER) out->error[cause] += seconds(w->tasks.items[i].start - w->recorded[i]);
  }
  for (int k = 0; k < CLI_CAUSE_COUNT; k++)
    if (out->count[k] > 0) out->error[k] /= (double)out->count[k];
}

/* ---- shares and means ---- */

/* Over one copy, of whose jobs the waits are compared: its submissions are moved. */
static cli_fit fit_copy(const cli_whatif *w, size_t copy, hc_time within)
{
  const double *waits = cli_waits_of(w, 0, copy), least = seconds(within);
  cli_fit s = {0};
  double count = 0;
  for (size_t i = 0; i < w->tasks.count; i++) {
    if (w->recorded[i] == HC_UNKNOWN || waits[i] != waits[i]) continue;
    const double recorded = recorded_wait(w, i), error = distance(waits[i], recorded);
    s.same += error <= least;
    s.near += is_near(error, recorded, least);
    s.error += error;
    s.wait += waits[i];
    count++;
  }
  return (cli_fit){s.same / count, s.near / count, s.error / count, s.wait / count};
}

static hc_rc over_copies(const cli_whatif *w, cli_calibration *out)
{
  const size_t n = w->copies - 1;
  double *values = malloc((4 * n + 1) * sizeof *values);
  if (!values) return no_memory(w->c);
  out->fit = fit_copy(w, 0, out->within);
  for (size_t k = 0; k < n; k++) {
    const cli_fit s = fit_copy(w, k + 1, out->within);
    const double of[] = {s.same, s.near, s.error, s.wait};
    for (size_t j = 0; j < 4; j++) values[j * n + k] = of[j];
  }
  for (size_t j = 0; j < 4; j++) (void)hc_stat_mean_of(values + j * n, n, LEVEL, &out->shaken[j]);
  free(values);
  return 0;
}

static hc_rc spread(const cli_whatif *w, cli_calibration *out)
{
  double *values = malloc((3 * w->tasks.count + 1) * sizeof *values);
  double *errors = values, *recorded = values + w->tasks.count, *model = recorded + w->tasks.count;
  const double *waits = cli_waits_of(w, 0, 0), least = seconds(out->within);
  size_t n = 0;
  if (!values) return no_memory(w->c);
  for (size_t i = 0; i < w->tasks.count; i++) {
    if (w->recorded[i] == HC_UNKNOWN || waits[i] != waits[i]) continue;
    recorded[n] = recorded_wait(w, i);
    model[n] = waits[i];
    errors[n] = distance(model[n], recorded[n]);
    if (recorded[n] > least || model[n] > least) {
      out->waited++;
      out->waited_near += is_near(errors[n], recorded[n], least);
    }
    out->recorded_mean += recorded[n++];
  }
  out->waited_near /= (double)out->waited;
  out->recorded_mean /= (double)n;
  quantiles(errors, n, out->error_at);
  quantiles(recorded, n, out->recorded_at);
  quantiles(model, n, out->model_at);
  free(values);
  return 0;
}

/* ---- the whole ---- */

static hc_rc calibrate(calibrating *x, cli_calibration *out)
{
  CLI_TRY(number_partitions(x));
  CLI_TRY(read_schedules(x));
  CLI_TRY(sort_starts(x));
  count_causes(x, out);
  CLI_TRY(over_copies(x->w, out));
  return spread(x->w, out);
}

hc_rc cli_calibrate(const cli_whatif *w, hc_time within, cli_calibration *out)
{
  calibrating x = {.w = w};
  hc_rc rc;
  *out = (cli_calibration){.within = within};
  for (size_t i = 0; i < w->tasks.count; i++) {
    out->jobs += w->recorded[i] != HC_UNKNOWN;
    out->without += w->recorded[i] == HC_UNKNOWN;
  }
  rc = calibrate(&x, out);
  close_schedule(&x.record);
  close_schedule(&x.model);
  free(x.part);
  free(x.starts);
  return rc;
}

const char *cli_cause_word(cli_cause cause)
{
  static const char *const words[] = {
#define X(name, word, text) word,
      CLI_CAUSES(X)
#undef X
  };
  return words[cause];
}

const char *cli_cause_text(cli_cause cause)
{
  static const char *const texts[] = {
#define X(name, word, text) text,
      CLI_CAUSES(X)
#undef X
  };
  return texts[cause];
}

bool cli_calibration_warns(const cli_calibration *k)
{
  return !(k->fit.near >= LEAST_NEAR) ||
         distance(k->fit.wait, k->recorded_mean) > MOST_OFF * k->recorded_mean;
}
