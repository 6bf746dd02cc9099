/* resample.c -- a workload like a log: its rows drawn again, at the rates of the hours of its week.
 *
 * The source `from` is read once and becomes a model in bounded memory. Rows: they fall into classes of size,
 * the powers of two of their processors; each class counts its rows exactly and keeps a uniform sample of at
 * most `rows` of them (reservoir, algorithm R). A task is a class drawn by its count, and a whole row of it:
 * size, run time, limit and user stay together as they were. Arrivals: tasks per second of each hour of the
 * week, which is the number of arrivals in such hours over the seconds of them that the log covers, in the
 * log's own time zone. An arrival comes when a gap of activity has passed, the integral of that rate. Gaps
 * are exponential (a Poisson process), or drawn from the log's own gaps in the same activity, which keeps its
 * bursts.
 *
 * The model depends on the log alone, not on the seed, so that replications differ by what is drawn from it.
 * Task i follows from seed, replication, stream and i; only the clock is carried on.
 *
 * What it does not keep: that rows follow each other (sessions, flurries), that the mix of rows changes with
 * the hour, dependencies, constraints. Cost: one pass over the log; then about 250 ns per task. Sources:
 * Efron 1979, doi:10.1214/aos/1176344552 (the bootstrap); Vitter 1985, doi:10.1145/3147.3165 (reservoirs);
 * Silverman 1986, section 6.4.1 (the smoothed bootstrap); workload/cycle.h (inversion). Zakay & Feitelson
 * 2013, doi:10.1145/2479871.2479893, draw whole users again instead, which keeps sessions and needs long
 * logs. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/state.h"
#include "base/text.h"
#include "base/util.h"
#include "workload/generated.h"
#include "workload/spec.h"

#define WHERE "source resample"
#define HOURS ((size_t)168)
#define CLASSES ((size_t)63) /* sizes up to 2^62 */
#define ENOUGH \
  1800.0 /* seconds of an hour of the week that have to be seen for it to have a rate of its own */
#define FIRST_MONDAY 345600 /* 1970-01-05, where a log that does not say when it began is put */
#define ZONE_NAME ((size_t)64)

typedef enum arrivals { ARRIVALS_GAPS, ARRIVALS_POISSON } arrivals;
typedef enum cycles { CYCLE_WEEK, CYCLE_DAY, CYCLE_NONE, CYCLES } cycles;

typedef struct options {
  hc_chosen from;
  int64_t tasks, rows, learn, procs, stream;
  hc_time start, until, grain;
  double rate, smooth;
  int arrivals, cycle;
} options;

typedef struct size_class {
  hc_task_spec *rows;
  size_t count, cap;
  uint64_t seen;
} size_class;

typedef struct gap {
  hc_time from, to;
  double activity; /* expected arrivals between them, over the mean of all gaps */
} gap;

struct hc_source {
  const hc_source_context *context;
  const options *o;
  size_class classes[CLASSES];
  uint64_t learned; /* rows in all classes */
  gap *gaps;
  size_t gap_count, gap_cap;
  uint64_t gaps_seen;
  hc_time first, last, before;         /* submissions: least, greatest, latest so far */
  double arrived[HOURS], rates[HOURS]; /* tasks; tasks per second */
  hc_zone *zone;
  int64_t unix_start; /* of time 0 */
  uint64_t tasks;     /* to be made; 0: no end */
  hc_time until;
  bool once; /* what it learns from cannot be read again */
  char zone_name[ZONE_NAME], derived[200];
  hc_trace_info info;
  hc_task_spec task; /* the one at hand */
  struct {
    hc_time clock; /* of the last arrival */
    uint64_t rank; /* of the next task */
  } s;
};

/* ---- the log's calendar ---- */

static int64_t local_second(const hc_source *s, hc_time t)
{
  const int64_t at = s->unix_start + hc_floor_div(t, HC_SECOND);
  return at + (s->zone ? hc_zone_offset(s->zone, at) : 0);
}

/* The hour of the week, from Monday's midnight. */
static size_t hour_of(const hc_source *s, hc_time t)
{
  const int64_t hours = hc_floor_div(local_second(s, t), 3600) + 72; /* 1970-01-01 was a Thursday */
  return (size_t)(hours - hc_floor_div(hours, (int64_t)HOURS) * (int64_t)HOURS);
}

/* Where the hour of the clock on the wall ends. */
static hc_time hour_end(const hc_source *s, hc_time t)
{
  const int64_t local = local_second(s, t);
  return (hc_floor_div(t, HC_SECOND) + 3600 - (local - hc_floor_div(local, 3600) * 3600)) * HC_SECOND;
}

/* Seconds of each hour of the week between two times. */
static void cover(const hc_source *s, hc_time from, hc_time to, double *seconds)
{
  while (from < to) {
    const hc_time end = HC_MIN(hour_end(s, from), to);
    seconds[hour_of(s, from)] += (double)(end - from) / 1e9;
    from = end;
  }
}

static double activity(const hc_source *s, hc_time from, hc_time to)
{
  double sum = 0;
  while (from < to) {
    const hc_time end = HC_MIN(hour_end(s, from), to);
    sum += s->rates[hour_of(s, from)] * ((double)(end - from) / 1e9);
    from = end;
  }
  return sum;
}

/* When so much activity has passed since `t`: at most about `until`, where it gives up. */
static hc_time after(const hc_source *s, hc_time t, double left)
{
  while (t < s->until) {
    const double rate = s->rates[hour_of(s, t)] * s->o->rate;
    const hc_time end = hour_end(s, t);
    const double held = rate * ((double)(end - t) / 1e9);
    if (left < held) return HC_MIN(t + hc_generated_time(left / rate), end);
    left -= held;
    t = end;
  }
  return t;
}

/* ---- learning ---- */

static int64_t size_of(const hc_task_spec *t)
{
  if (t->procs_asked > 0) return t->procs_asked;
  if (t->procs_used > 0) return t->procs_used;
  return t->hosts > 0 ? t->hosts : t->need[HC_DIM_CPU] > 0 ? 1 : 0;
}

/* It arrived at some time, has a size, and ran. */
static bool says_enough(const hc_task_spec *t)
{
  const bool failed = t->status == HC_STATUS_FAILED || t->status == HC_STATUS_CANCELLED;
  return t->submit != HC_UNKNOWN && t->submit >= 0 && t->submit < HC_GENERATED_END && size_of(t) > 0 &&
         t->run >= (failed ? 1 : 0);
}

/* Which place of a sample number `seen` (from 1) takes; `cap` or above: none. The same for every seed. */
static uint64_t place_of(uint64_t what, uint64_t seen, uint64_t cap)
{
  hc_draws d = {.entity = what << 56 | seen, .purpose = HC_PURPOSE_SAMPLE};
  return seen <= cap ? seen - 1 : hc_random_below(&d, seen);
}

static hc_rc keep_gap(hc_source *s, hc_time submit)
{
  const uint64_t cap = (uint64_t)s->o->rows;
  const gap g = {.from = HC_MIN(s->before, submit), .to = submit};
  const uint64_t at = place_of(CLASSES, ++s->gaps_seen, cap);
  if (at >= cap) return 0;
  if (at >= s->gap_count) {
    TRY(hc_reserve(s->context->allocator, (void **)&s->gaps, &s->gap_cap, s->gap_count + 1, sizeof g));
    s->gap_count++;
  }
  s->gaps[at] = g;
  return 0;
}

static hc_rc keep_row(hc_source *s, const hc_task_spec *t)
{
  const uint64_t cap = (uint64_t)s->o->rows;
  const int64_t size = size_of(t);
  uint64_t k = 0;
  while (k + 1 < CLASSES && (size >> (k + 1)) > 0) k++;
  size_class *c = &s->classes[k];
  const uint64_t at = place_of(k, ++c->seen, cap);
  s->learned++;
  if (at >= cap) return 0;
  if (at >= c->count) {
    TRY(hc_reserve(s->context->allocator, (void **)&c->rows, &c->cap, c->count + 1, sizeof *t));
    c->count++;
  }
  c->rows[at] = *t;
  c->rows[at].more = c->rows[at].label = c->rows[at].job_label = 0;
  return 0;
}

static hc_rc learn_row(hc_source *s, const hc_task_spec *t)
{
  hc_lexicon *l = s->context->lexicon;
  hc_task_spec gone = *t;
  hc_spec_drop(l, &gone);
  if (!says_enough(t)) return 0;
  s->arrived[hour_of(s, t->submit)]++;
  if (s->learned > 0) TRY(keep_gap(s, t->submit));
  else s->first = s->last = s->before = t->submit;
  s->first = HC_MIN(s->first, t->submit);
  s->before = s->last = HC_MAX(s->last, t->submit);
  return keep_row(s, t);
}

/* What the log says of its machine and its calendar. */
static hc_rc take_info(hc_source *s, const hc_trace_info *i, hc_error *e)
{
  s->info = (hc_trace_info){.processors = s->o->procs > 0 ? s->o->procs : i->processors,
                            .nodes = s->o->procs > 0 ? 0 : i->nodes,
                            .unix_start = i->unix_start,
                            .jobs = HC_UNKNOWN,
                            .records = HC_UNKNOWN,
                            .derived = s->derived};
  s->unix_start = i->unix_start == HC_UNKNOWN ? FIRST_MONDAY : i->unix_start;
  if (i->unix_start == HC_UNKNOWN || !i->zone || strlen(i->zone) >= ZONE_NAME) return 0;
  memcpy(s->zone_name, i->zone, strlen(i->zone) + 1);
  s->info.zone = s->zone_name;
  const hc_rc rc = hc_zone_open(s->context->allocator, s->zone_name, &s->zone);
  if (rc == 0 || rc == HC_ENOMEM) return rc;
  return hc_fail(e, HC_EINPUT, WHERE, 0, 0, "the log's time zone %s is not in the tz database %s",
                 s->zone_name, hc_zone_version());
}

static hc_rc read_all(hc_source *s, const hc_reader_type *type, hc_source *from, hc_error *e)
{
  uint64_t left = (uint64_t)s->o->learn;
  bool known = false;
  while (left > 0) {
    hc_job job;
    const hc_rc rc = type->next(from, &job, e);
    if (rc < 0) return rc;
    if (!known) TRY(take_info(s, type->info(from), e));
    known = true;
    if (rc != 1) break;
    for (uint32_t i = 0; i<job.task_count; i++, left -= left> 0) TRY(learn_row(s, &job.tasks[i]));
  }
  return 0;
}

/* Whether it can be read a second time: tried now, since later there is no way back. */
static hc_rc try_again(hc_source *s, const hc_reader_type *type, hc_source *from, hc_error *e)
{
  hc_buffer saved;
  hc_error ignored = {0};
  hc_rc rc;
  hc_buffer_init(&saved, s->context->allocator);
  hc_visitor save = {
      .calls = &hc_state_calls, .mode = HC_VISIT_SAVE, .allocator = s->context->allocator, .out = &saved};
  rc = type->visit(from, &save, e);
  if (rc == 0) {
    hc_visitor load = {.calls = &hc_state_calls,
                       .mode = HC_VISIT_LOAD,
                       .allocator = s->context->allocator,
                       .in = (const uint8_t *)saved.data,
                       .left = saved.size};
    rc = type->visit(from, &load, &ignored);
    s->once = rc == HC_EUNSUPPORTED;
    if (rc < 0 && !s->once)
      rc = hc_fail(e, rc, ignored.where, ignored.line, ignored.column, "%s", ignored.text);
  }
  hc_buffer_fini(&saved);
  return s->once ? 0 : rc;
}

static hc_rc learn(hc_source *s, hc_error *e)
{
  const hc_reader_type *type = (const hc_reader_type *)s->o->from.type;
  hc_source_context quiet = *s->context; /* its rows are not this run's */
  hc_source *from = NULL;
  hc_rc rc;
  if (!type)
    return hc_fail(e, HC_EUSAGE, WHERE, 0, 0,
                   "there is nothing to learn from: give a log, `from: {use: swf, file: ...}`");
  quiet.ledger = NULL;
  quiet.rejected = NULL;
  if (type->feedback && (!type->listens || type->listens(s->o->from.options)))
    return hc_fail(e, HC_EUNSUPPORTED, WHERE, 0, 0,
                   "a closed loop has no arrivals of its own to learn from: follow none");
  TRY(type->open(&quiet, s->o->from.options, &from, e));
  rc = try_again(s, type, from, e);
  if (rc >= 0) rc = read_all(s, type, from, e);
  type->close(from);
  return rc < 0 ? rc : 0;
}

/* ---- fitting ---- */

static size_t group_of(cycles c, size_t hour)
{
  return c == CYCLE_WEEK ? hour : c == CYCLE_DAY ? hour % 24 : 0;
}

/* Of the hours that are alike; where too little of them was seen, of those that are alike more coarsely. */
static double rate_of(const hc_source *s, const double *seconds, size_t hour)
{
  double n = 0, span = 0;
  for (cycles c = (cycles)s->o->cycle; c < CYCLES; c++) {
    n = span = 0;
    for (size_t h = 0; h < HOURS; h++) {
      if (group_of(c, h) != group_of(c, hour)) continue;
      n += s->arrived[h];
      span += seconds[h];
    }
    if (span >= ENOUGH) break;
  }
  return n / span;
}

/* The first arrival opens the log and is not counted, so that the rates over the span make all the others. */
static void fit_rates(hc_source *s)
{
  double seconds[HOURS] = {0}, sum = 0;
  s->arrived[hour_of(s, s->first)]--;
  cover(s, s->first, s->last, seconds);
  for (size_t h = 0; h < HOURS; h++) {
    s->rates[h] = rate_of(s, seconds, h);
    sum += s->rates[h] * seconds[h];
  }
  for (size_t h = 0; h < HOURS; h++) s->rates[h] *= (double)(s->learned - 1) / sum;
}

static hc_rc fit(hc_source *s, hc_error *e)
{
  double sum = 0;
  unsigned classes = 0;
  if (s->learned >= 2 && s->last > s->first) {
    fit_rates(s);
    for (size_t i = 0; i < s->gap_count; i++) {
      gap *g = &s->gaps[i];
      g->activity = activity(s, g->from, g->to);
      sum += g->activity;
    }
  }
  if (!(sum > 0))
    return hc_fail(
        e, HC_EINPUT, WHERE, 0, 0,
        "%llu rows say when they arrived, how large they were and how long they ran; there must be two at "
        "least, with two times of submission",
        (unsigned long long)s->learned);
  for (size_t i = 0; i < s->gap_count; i++) s->gaps[i].activity *= (double)s->gap_count / sum;
  for (size_t k = 0; k < CLASSES; k++) classes += s->classes[k].seen > 0;
  (void)snprintf(
      s->derived, sizeof s->derived,
      "tasks are rows drawn again from %llu rows of a log, in %u classes of size; they arrive at the rates "
      "of the hours of its week",
      (unsigned long long)s->learned, classes);
  return 0;
}

/* ---- tasks ---- */

static const hc_task_spec *draw_row(const hc_source *s, hc_draws *d)
{
  uint64_t left = hc_random_below(d, s->learned);
  size_t k = 0;
  while (left >= s->classes[k].seen) left -= s->classes[k++].seen;
  return &s->classes[k].rows[hc_random_below(d, s->classes[k].count)];
}

/* To the nearest whole multiple of the grain, at least one of them. */
static hc_time to_grain(const hc_source *s, double ns)
{
  const hc_time grain = HC_MAX(s->o->grain, 1);
  const double whole = HC_MIN(ns, (double)HC_GENERATED_END) / (double)grain + 0.5;
  return HC_MAX((hc_time)whole, 1) * grain;
}

/* The kernel: ln(run) is normal around that of the row. What kept its limit still does. */
static void smooth(const hc_source *s, hc_task_spec *t)
{
  hc_draws d = hc_generated_draws(s->context, s->o->stream, s->s.rank, HC_PURPOSE_RUN);
  hc_time run;
  if (!(s->o->smooth > 0) || t->run <= 0) return;
  const double factor = hc_exp(hc_random_normal(&d, 0.0, s->o->smooth));
  run = to_grain(s, (double)t->run * factor);
  if (t->limit > 0 && t->run <= t->limit) run = HC_MIN(run, t->limit);
  if (t->cpu_time > 0) t->cpu_time = to_grain(s, (double)t->cpu_time * ((double)run / (double)t->run));
  t->run = run;
}

/* Its own number and time; nothing of what it waited for, or waited. */
static void make_task(hc_source *s, hc_time at)
{
  const hc_time grain = HC_MAX(s->o->grain, 1);
  hc_draws d = hc_generated_draws(s->context, s->o->stream, s->s.rank, HC_PURPOSE_SIZE);
  hc_task_spec *t = &s->task;
  *t = *draw_row(s, &d);
  t->id = (int64_t)s->s.rank + 1;
  t->line = 0;
  t->submit = at / grain * grain;
  t->wait = t->think = t->not_before = HC_UNKNOWN;
  t->cancel_at = HC_NEVER;
  t->preceding = t->job = -1;
  t->node = 0;
  smooth(s, t);
}

static hc_rc resample_next(hc_source *s, hc_job *job, hc_error *e)
{
  hc_draws d = hc_generated_draws(s->context, s->o->stream, s->s.rank, HC_PURPOSE_ARRIVAL);
  double step;
  HC_UNUSED(e);
  if (s->tasks > 0 && s->s.rank >= s->tasks) return 0;
  if (s->o->arrivals == ARRIVALS_POISSON) step = hc_random_exponential(&d, 1.0);
  else step = s->gaps[hc_random_below(&d, s->gap_count)].activity;
  const hc_time at = after(s, s->s.clock, step);
  if (at >= s->until) return 0; /* nothing has changed: the next call says so again */
  make_task(s, at);
  s->s.clock = at;
  s->s.rank++;
  *job = (hc_job){.tasks = &s->task, .task_count = 1};
  return 1;
}

/* ---- the source ---- */

static void resample_close(hc_source *s)
{
  if (!s) return;
  const hc_allocator *a = s->context->allocator;
  for (size_t k = 0; k < CLASSES; k++)
    hc_free(a, s->classes[k].rows, s->classes[k].cap * sizeof *s->classes[k].rows);
  hc_free(a, s->gaps, s->gap_cap * sizeof *s->gaps);
  if (s->zone) hc_zone_free(s->zone);
  hc_free(a, s, sizeof *s);
}

static hc_rc resample_open(const hc_source_context *c, const void *given, hc_source **out, hc_error *e)
{
  const options *o = given;
  hc_source *s = hc_alloc(c->allocator, sizeof *s);
  hc_rc rc;
  if (!s) return HC_ENOMEM;
  s->context = c;
  s->o = o;
  s->until = o->until == HC_UNKNOWN ? HC_GENERATED_END : HC_MIN(o->until, HC_GENERATED_END);
  s->s.clock = o->start;
  if (!(o->rate > 0)) {
    rc = hc_fail(e, HC_EUSAGE, WHERE, 0, 0, "rate must be above 0: 1 is as often as in the log");
    goto fail;
  }
  TRY_OR(learn(s, e), fail);
  TRY_OR(fit(s, e), fail);
  s->tasks = o->tasks > 0 ? (uint64_t)o->tasks : o->until == HC_UNKNOWN ? s->learned : 0;
  *out = s;
  return 0;
fail:
  resample_close(s);
  return rc;
}

static const hc_trace_info *resample_info(hc_source *s)
{
  return &s->info;
}

/* The model is learned anew whenever it is opened; only where it stands is state. */
static hc_rc resample_visit(hc_source *s, hc_visitor *v, hc_error *e)
{
  if (s->once && hc_visit_loading(v))
    return hc_fail(e, HC_EUNSUPPORTED, WHERE, 0, 0,
                   "what it learns from cannot be read twice: save it to a file first");
  HC_VISIT(v, s->s);
  if (s->s.clock >= 0 && s->s.clock <= HC_GENERATED_END) return 0;
  return hc_fail(e, HC_EINPUT, WHERE, 0, 0, "the saved state is damaged: make it again");
}

static void resample_progress(hc_source *s, uint64_t *done, uint64_t *total)
{
  *done = s->s.rank;
  *total = s->tasks;
}

static const hc_param params[] = {
    HC_PARAM(COMPONENT, options, from, HC_KIND_READER, NULL,
             "The source from which it learns: any source, or the path of a log. Transforms of the run "
             "change the generated tasks, not what is learnt. Required."),
    HC_PARAM(INT, options, tasks, "tasks", "0", 0, 1e15,
             "Number of tasks. 0: as many as rows were learnt from, or with `until` as many as arrive before "
             "that."),
    HC_GENERATED_UNTIL(options),
    HC_PARAM(TIME, options, start, "s", "0", 0, 4e9,
             "When arrivals begin, from the log's origin; they keep the log's calendar."),
    HC_PARAM(REAL, options, rate, "1", "1", 1e-6, 1e6,
             "Factor of the log's rate of arrivals: 1.2 is 20 % more, in each hour of the week."),
    HC_PARAM(CHOICE, options, arrivals, "gaps|poisson", "gaps",
             "Law of the gaps, measured as integrals of the rate. gaps: drawn from the gaps of the log, with "
             "their bursts. poisson: exponential, so that arrivals are independent."),
    HC_PARAM(CHOICE, options, cycle, "week|day|none", "week",
             "Which hours have rates of their own. week: each of the 168 hours of a week. day: each of the "
             "24 hours of a day. none: all hours have the same rate. Hours of which the log has less than 30 "
             "minutes take the rate of the next coarser choice."),
    HC_PARAM(REAL, options, smooth, "1", "0", 0, 3,
             "Bandwidth of a normal kernel on ln(run time): run times are multiplied by exp(smooth x z), "
             "with z standard normal, and cut at the row's limit if the row kept its limit. 0: run times are "
             "those of the log."),
    HC_PARAM(TIME, options, grain, "s", "1s", 0, 1e6,
             "Submissions are rounded down to whole multiples of it, smoothed run times to the nearest one, "
             "but never to 0. 0: to nanoseconds."),
    HC_PARAM(INT, options, rows, "rows", "16384", 1, 1e7,
             "Greatest number of rows of each class of size, and of gaps, that are kept; of more a uniform "
             "sample is kept."),
    HC_PARAM(INT, options, learn, "rows", "1000000000", 2, 1e15,
             "Greatest number of rows that are read, from the first."),
    HC_PARAM(INT, options, procs, "processors", "0", 0, 1e15,
             "Processors of the machine, for the run. 0: those of the log."),
    HC_GENERATED_STREAM(options),
    {.name = NULL},
};

const hc_reader_type hc_reader_resample = {
    .component =
        {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "resample",
         .summary =
             "generates tasks like those of a log: its rows drawn again, at the rates of the hours of its "
             "week",
         .detail =
             "`from` is read once. Rows with a submission, a size and a run time are put into classes of "
             "size, from 2^k to 2^(k+1) - 1 processors. For each task a class is drawn, in proportion to its "
             "number of rows, and from it a whole row, so that size, run time, limit, demands, user and "
             "status stay together. The rate of an hour h of the week, in the log's time zone (without a "
             "date, time 0 is midnight of a Monday), is arrivals in h / seconds of h between the first and "
             "the last submission, x `rate`; rates are scaled so that the log's span yields its number of "
             "arrivals but the first. Arrival i is where the integral of the rate since arrival i - 1 "
             "reaches a drawn gap, with mean 1. What is learnt from the log does not depend on the seed. In "
             "memory are at most `rows` rows of each class and as many gaps, about 360 B and 24 B each. Not "
             "kept: the order of rows, a mix that changes with the hour, dependencies, constraints.",
         .source =
             "Efron 1979, doi:10.1214/aos/1176344552 (bootstrap); Vitter 1985, doi:10.1145/3147.3165 "
             "(reservoir); Silverman, Density Estimation, 1986, section 6.4.1 (smoothed bootstrap); Gerhardt "
             "& Nelson 2009, doi:10.1287/ijoc.1080.0316 (arrivals by inversion)",
         .params = params, .options_size = sizeof(options)},
    .open = resample_open,
    .next = resample_next,
    .info = resample_info,
    .visit = resample_visit,
    .progress = resample_progress,
    .close = resample_close,
};
