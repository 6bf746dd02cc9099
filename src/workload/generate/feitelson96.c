/* feitelson96.c -- the workload model of Feitelson (1996): powers of two, and jobs that are run again and
 * again.
 *
 *   size     P(n) in proportion to n^-1.5, powers of two and small even sizes emphasised
 *   run      hyper-exponential: a short kind with probability p_short - p_slope n / procs, else a long kind,
 *            so that large jobs tend to run longer
 *   repeats  P(r) in proportion to r^-2.5: the same job r times, each submitted when the one before has ended
 *   arrivals of first runs: Poisson
 *
 * What is published is the structure, the exponents, and the simplification of 1997: means 1 and 7,
 * probability of the short kind 0.95 - 0.2 n / procs. How much sizes are emphasised is said in no number;
 * that they are multiplied by 10 and by 2 here is our choice. So are the unit of time, the interval, and the
 * 1997 run times as defaults for 1996.
 *
 * repeats: closed submits a copy when the engine says that the one before has ended, after `think`; open as
 * if it had started at once, so that the workload does not depend on the schedule. Copies are the same
 * program (`executable`), of the same size. Job j follows from seed, replication, stream and j; only the
 * clock is carried on. Cost: about 300 ns per task; memory for the jobs that are still to be repeated, and 8
 * bytes per size.
 *
 * Source: Feitelson, "Packing schemes for gang scheduling", JSSPP 1996, doi:10.1007/BFb0022289; Feitelson &
 * Jette, "Improved utilization and responsiveness with gang scheduling", JSSPP 1997,
 * doi:10.1007/3-540-63574-2_24. */
#include "base/mem.h"
#include "base/sort.h"
#include "base/state.h"
#include "base/util.h"
#include "base/variates.h"
#include "workload/closedloop.h"
#include "workload/generated.h"

#define WHERE "source feitelson96"
#define ENOUGH_READY 64 /* first runs that a closed loop knows ahead */

typedef enum variants { VARIANT_1996, VARIANT_1997 } variants;
typedef enum repeats { REPEATS_OPEN, REPEATS_CLOSED, REPEATS_NONE } repeats;
typedef enum copies { COPIES_SAME, COPIES_DRAWN } copies;

typedef struct options {
  hc_generated_options head;
  int64_t procs, even_up_to, repeats_most;
  hc_time interval, unit, think;
  double size_exponent, power_factor, even_factor, full_factor;
  double mean_short, mean_long, p_short, p_slope, repeat_exponent;
  int variant, repeats, repeat_run;
  bool whole_seconds;
} options;

/* The next copy of a job that has run before. */
typedef struct copy {
  hc_time submit;
  uint64_t job, of, left; /* of: which copy; left: how many with it */
  int64_t size;
} copy;

struct hc_source {
  hc_generated head; /* clock: of the next first run; rank: of tasks made so far, if open handed over */
  const options *o;
  double mean_short, mean_long, p_short, p_slope;
  double *sizes; /* [procs] P(size <= i + 1) */
  hc_zipf repeats;
  hc_loop *loop; /* closed only */
  copy *copies;  /* heap by (submit, job), open only */
  size_t copy_count, copy_cap;
  uint64_t job; /* state: number of the next first run */
};

/* ---- the model ---- */

static double weight_of(const options *o, int64_t n)
{
  double w = hc_pow((double)n, -o->size_exponent);
  if ((n & (n - 1)) == 0) w *= o->power_factor;
  if (n % 2 == 0 && n <= o->even_up_to) w *= o->even_factor;
  return n == o->procs ? w * o->full_factor : w;
}

static hc_rc set_sizes(hc_source *s)
{
  const size_t n = (size_t)s->o->procs;
  double sum = 0;
  s->sizes = hc_alloc(s->head.context->allocator, n * sizeof *s->sizes);
  if (!s->sizes) return HC_ENOMEM;
  for (size_t i = 0; i < n; i++) s->sizes[i] = sum += weight_of(s->o, (int64_t)i + 1);
  for (size_t i = 0; i < n; i++) s->sizes[i] /= sum;
  return 0;
}

static int64_t draw_size(const hc_source *s, uint64_t job)
{
  hc_draws d = hc_generated_draw(&s->head, job, HC_PURPOSE_SIZE);
  const double u = hc_random_unit(&d);
  size_t low = 0, high = (size_t)s->o->procs - 1; /* the first whose cdf is above u */
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (s->sizes[middle] > u) high = middle;
    else low = middle + 1;
  }
  return (int64_t)low + 1;
}

/* Copy `of` has the run time of the first one, or draws of its own. */
static hc_time draw_run(const hc_source *s, uint64_t job, uint64_t of, int64_t size)
{
  const options *o = s->o;
  hc_draws d = hc_generated_draw(&s->head, job, HC_PURPOSE_RUN);
  const double p = s->p_short - s->p_slope * (double)size / (double)o->procs;
  if (o->repeat_run == COPIES_DRAWN) d.draw = 2 * of;
  const double mean = hc_random_unit(&d) < p ? s->mean_short : s->mean_long;
  return hc_generated_run(hc_generated_time(hc_random_exponential(&d, mean * ((double)o->unit / 1e9))),
                          o->whole_seconds);
}

static uint64_t draw_repeats(const hc_source *s, uint64_t job)
{
  hc_draws d = hc_generated_draw(&s->head, job, HC_PURPOSE_JOB);
  return s->o->repeats == REPEATS_NONE ? 1 : hc_zipf_draw(&s->repeats, &d);
}

static void advance(hc_source *s)
{
  hc_draws d = hc_generated_draw(&s->head, s->job, HC_PURPOSE_ARRIVAL);
  const hc_time gap = hc_generated_time(hc_random_exponential(&d, (double)s->o->interval / 1e9));
  s->head.s.clock = HC_MIN(hc_time_add(s->head.s.clock, gap), HC_GENERATED_END);
}

static hc_task_spec task_of(hc_source *s, uint64_t job, uint64_t of, int64_t size, hc_time submit)
{
  const hc_time at = hc_generated_submit(submit, s->o->whole_seconds);
  hc_task_spec t = hc_generated_task(s->head.s.rank++, at, draw_run(s, job, of, size), size);
  t.executable = (int64_t)job + 1;
  return t;
}

static bool is_over(const hc_source *s)
{
  return hc_generated_is_over(&s->head, s->head.s.clock);
}

/* ---- copies of an open workload: a heap ---- */

HC_HEAP(copies, copy, a->submit != b->submit ? a->submit < b->submit : a->job < b->job)

static hc_rc push(hc_source *s, copy c)
{
  TRY(hc_reserve(s->head.context->allocator, (void **)&s->copies, &s->copy_cap, s->copy_count + 1,
                 sizeof *s->copies));
  copies_rise(s->copies, s->copy_count++, c);
  return 0;
}

static hc_rc next_open(hc_source *s)
{
  copy c;
  if (hc_generated_is_over(&s->head, 0)) return 0; /* enough tasks */
  if (s->copy_count > 0 && s->copies[0].submit <= s->head.s.clock) {
    c = copies_pop(s->copies, &s->copy_count);
  } else {
    c = (copy){.submit = s->head.s.clock,
               .job = s->job,
               .left = draw_repeats(s, s->job),
               .size = draw_size(s, s->job)};
    if (c.submit >= s->head.until) return 0;
    s->job++;
    advance(s);
  }
  if (c.submit >= s->head.until) return 0; /* copies ascend, and so does the clock */
  s->head.task = task_of(s, c.job, c.of, c.size, c.submit);
  if (c.left < 2) return 1;
  c.submit = hc_time_add(hc_time_add(c.submit, s->head.task.run), s->o->think);
  c.of++;
  c.left--;
  TRY(push(s, c));
  return 1;
}

/* ---- and of a closed one ---- */

static hc_rc add_job(hc_source *s, hc_error *e)
{
  const int64_t size = draw_size(s, s->job);
  const uint64_t count = draw_repeats(s, s->job);
  for (uint64_t of = 0; of < count && (of == 0 || !is_over(s)); of++) {
    const bool first = of == 0;
    hc_task_spec t = task_of(s, s->job, of, size, s->head.s.clock);
    if (!first) {
      t.preceding = t.id - 1;
      t.think = s->o->think;
    }
    TRY(hc_loop_add(s->loop, &t, e));
  }
  s->job++;
  advance(s);
  return 0;
}

static hc_rc next_closed(hc_source *s, hc_error *e)
{
  while (!is_over(s) && hc_loop_ready(s->loop) < ENOUGH_READY) TRY(add_job(s, e));
  if (hc_loop_next(s->loop, &s->head.task) > 0) return 1;
  return hc_loop_held(s->loop) > 0 ? 2 : 0;
}

/* ---- the source ---- */

static void set_run(hc_source *s)
{
  const options *o = s->o;
  const bool simple = o->variant == VARIANT_1997;
  s->mean_short = simple ? 1 : o->mean_short;
  s->mean_long = simple ? 7 : o->mean_long;
  s->p_short = simple ? 0.95 : o->p_short;
  s->p_slope = simple ? 0.2 : o->p_slope;
}

static void feitelson96_close(hc_source *s)
{
  if (!s) return;
  const hc_allocator *a = s->head.context->allocator;
  hc_loop_free(s->loop);
  hc_free(a, s->copies, s->copy_cap * sizeof *s->copies);
  hc_free(a, s->sizes, s->sizes ? (size_t)s->o->procs * sizeof *s->sizes : 0);
  hc_generated_close(s);
}

static hc_rc feitelson96_open(const hc_source_context *c, const void *given, hc_source **out, hc_error *e)
{
  const options *o = given;
  hc_rc rc;
  if (o->interval <= 0 || o->unit <= 0)
    return hc_fail(e, HC_EUSAGE, WHERE, 0, 0, "interval and unit must be above 0");
  hc_source *s = hc_generated_new(c, sizeof *s, o, o->procs, WHERE);
  if (!s) return HC_ENOMEM;
  s->o = o;
  hc_zipf_fit(&s->repeats, (uint64_t)o->repeats_most, o->repeat_exponent);
  set_run(s);
  TRY_OR(set_sizes(s), fail);
  if (o->repeats == REPEATS_CLOSED) TRY_OR(hc_loop_new(c, WHERE, HC_PREDECESSOR_SATISFIED, &s->loop), fail);
  advance(s);
  *out = s;
  return 0;
fail:
  feitelson96_close(s);
  return rc;
}

static hc_rc feitelson96_next(hc_source *s, hc_job *job, hc_error *e)
{
  const hc_rc rc = s->loop ? next_closed(s, e) : next_open(s);
  return rc == 1 ? hc_generated_yield(&s->head, job) : rc;
}

static hc_rc feitelson96_feedback(hc_source *s, const hc_feedback *f, hc_error *e)
{
  return s->loop ? hc_loop_feedback(s->loop, f, e) : 0;
}

static bool feitelson96_listens(const void *opts)
{
  return ((const options *)opts)->repeats == REPEATS_CLOSED;
}

static hc_rc feitelson96_visit(hc_source *s, hc_visitor *v, hc_error *e)
{
  bool sound = true;
  TRY(hc_generated_visit(s, v, e));
  HC_VISIT(v, s->job);
  HC_VISIT_ARRAY(v, s->copies, s->copy_count, s->copy_cap);
  for (size_t i = 0; i < s->copy_count; i++) {
    const copy *c = &s->copies[i];
    sound = sound && c->submit >= 0 && c->size >= 1 && c->size <= s->o->procs && c->left >= 1;
  }
  if (!sound) return hc_generated_damaged(&s->head, e);
  return s->loop ? hc_loop_visit(s->loop, v) : 0;
}

#define NUMBER(...) HC_GENERATED_NUMBER(options, __VA_ARGS__)

static const hc_param params[] = {
    HC_GENERATED_PARAMS(options, "1000",
                        "How many tasks there are, copies included; 0: no end but `until`, or the run's "
                        "own."),
    NUMBER("procs", HC_INT, procs, "processors", "128", 1, 4194304,
           "Processors of the machine, which bound the sizes."),
    NUMBER("interval", HC_TIME, interval, "s", "30m", 0, 1e9,
           "Mean time between first runs, above 0, which arrive by a Poisson process; our choice."),
    NUMBER("size_exponent", HC_REAL, size_exponent, "1", "1.5", 0, 100,
           "Exponent of the sizes: P(n) is in proportion to n^-size_exponent."),
    NUMBER("power_factor", HC_REAL, power_factor, "1", "10", 0, 1e9,
           "Factor of the probability of powers of two, 1 among them; our choice."),
    NUMBER("even_factor", HC_REAL, even_factor, "1", "2", 0, 1e9,
           "Factor of the probability of even sizes up to even_up_to, powers of two among them; our choice."),
    NUMBER("even_up_to", HC_INT, even_up_to, "processors", "8", 0, 1e9,
           "Largest of the even sizes whose probability `even_factor` multiplies; our choice."),
    NUMBER("full_factor", HC_REAL, full_factor, "1", "1", 1e-9, 1e9,
           "Factor of the probability of the size of the whole machine; our choice."),
    HC_PARAM(CHOICE, options, variant, "1996|1997", "1996",
             "Which model gives the run times. 1996: mean_short, mean_long, p_short and p_slope are those "
             "below. 1997: they are 1, 7, 0.95 and 0.2, and those below have no effect."),
    NUMBER("unit", HC_TIME, unit, "s", "10m", 0, 1e9,
           "The unit of mean_short and mean_long, above 0; our choice."),
    NUMBER("mean_short", HC_REAL, mean_short, "1", "1", 1e-9, 1e9,
           "Mean run time of the short kind, in units."),
    NUMBER("mean_long", HC_REAL, mean_long, "1", "7", 1e-9, 1e9, "Mean run time of the long kind, in units."),
    NUMBER("p_short", HC_REAL, p_short, "1", "0.95", -100, 100,
           "A job of n processors is of the short kind with probability p_short - p_slope n / procs, bounded "
           "by 0 and 1."),
    NUMBER("p_slope", HC_REAL, p_slope, "1", "0.2", -100, 100,
           "By how much the probability of the short kind is smaller for the whole machine than p_short. 0: "
           "size and run time are independent."),
    HC_PARAM(CHOICE, options, repeats, "open|closed|none", "open",
             "When the next run of a job is submitted. open: when the run before would end if it started at "
             "once. closed: when the run before has ended in the simulation. none: never."),
    NUMBER("repeat_exponent", HC_REAL, repeat_exponent, "1", "2.5", 0, 100,
           "Exponent of the number of runs: a job is run r times in all with probability in proportion to "
           "r^-repeat_exponent."),
    NUMBER("repeats_most", HC_INT, repeats_most, "1", "1000", 1, 1e6,
           "Greatest number of runs of a job; our choice."),
    HC_PARAM(CHOICE, options, repeat_run, "same|drawn", "same",
             "Run time of the further runs of a job; our choice. same: that of the first run. drawn: drawn "
             "again by the same law."),
    NUMBER("think", HC_TIME, think, "s", "0", 0, 1e9,
           "Time between the end of a run of a job and the submission of the next."),
    HC_GENERATED_WHOLE_SECONDS(options),
    {.name = NULL},
};

const hc_reader_type hc_reader_feitelson96 = {
    .component =
        {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "feitelson96",
         .summary =
             "generates parallel jobs by the model of Feitelson (1996): powers of two, and repeated runs",
         .detail =
             "Size: P(n) in proportion to n^-1.5, times power_factor for powers of two, times even_factor "
             "for even n up to even_up_to. Run time: exponential of mean mean_short units with probability "
             "p_short - p_slope n / procs, else of mean_long units. Repeats: P(r) in proportion to r^-2.5. "
             "First runs arrive by a Poisson process. Published are the structure, the two exponents, and "
             "for 1997 the means 1 and 7 and the probability 0.95 - 0.2 n / procs. Our own choices, for "
             "which no published number was found: power_factor, even_factor, even_up_to, full_factor, unit, "
             "interval, repeats_most, repeat_run, and the run times of 1997 as defaults of variant 1996. The "
             "executable of a task is the number of its job. Limits are run times: see the transforms "
             "`estimates` and `tsafrir`. `repeats: closed` is a closed loop, whose submissions no transform "
             "may move; its further runs may be submitted after `until`.",
         .source =
             "Feitelson, Packing schemes for gang scheduling, JSSPP 1996, doi:10.1007/BFb0022289; Feitelson "
             "& Jette, JSSPP 1997, doi:10.1007/3-540-63574-2_24",
         .params = params, .options_size = sizeof(options)},
    .open = feitelson96_open,
    .next = feitelson96_next,
    .feedback = feitelson96_feedback,
    .listens = feitelson96_listens,
    .info = hc_generated_info,
    .visit = feitelson96_visit,
    .progress = hc_generated_progress,
    .close = feitelson96_close,
};
