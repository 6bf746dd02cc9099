/* synthetic.c -- a workload from distributions: arrivals, run times, sizes, estimates and users, each by
 * itself.
 *
 * Everything about task i is a pure function of (seed, replication, i, purpose), so that changing one
 * distribution leaves the draws of all others as they were, and a longer workload begins with the shorter
 * one. Only the clock is carried from task to task.
 *
 * Cycles: the gaps are drawn for a clock of activity, of which an hour of weight w holds w hours, and are
 * then laid out in real time: see workload/cycle.h.
 *
 * Load: sizes and run times are independent, so the mean work of a task is the product of two means, both
 * known in closed form; nothing is measured. What it does not do: correlate size and run time, or a user's
 * tasks; for that see lublin.c, or a log. Cost: about 450 ns per task, constant memory. */
#include <inttypes.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "base/variates.h"
#include "workload/cycle.h"
#include "workload/generated.h"

#define LONGEST 1e9 /* seconds: no mean, and no run time, is longer */

typedef enum sizes { SIZES_POWERS, SIZES_LOGUNIFORM, SIZES_UNIFORM, SIZES_CONSTANT } sizes;
typedef enum estimates { ESTIMATE_EXACT, ESTIMATE_FACTOR, ESTIMATE_POPULAR } estimates;

#define ARRIVAL_CHOICES "exponential|lognormal|weibull|hyperexponential|gamma|constant"
#define RUN_CHOICES ARRIVAL_CHOICES "|loguniform"
static const hc_shape shapes[] = {HC_SHAPE_EXPONENTIAL,      HC_SHAPE_LOGNORMAL, HC_SHAPE_WEIBULL,
                                  HC_SHAPE_HYPEREXPONENTIAL, HC_SHAPE_GAMMA,     HC_SHAPE_CONSTANT,
                                  HC_SHAPE_LOGUNIFORM};
static const char *const shape_names[] = {"exponential", "lognormal", "weibull",   "hyperexponential",
                                          "gamma",       "constant",  "loguniform"};

typedef struct options {
  int64_t tasks, procs, stream;
  hc_time until;
  int arrival, run, size, estimate, day;
  hc_time arrival_mean, run_mean, run_min, run_max;
  double arrival_cv, run_cv, load;
  hc_list daily, weekly;
  double serial, estimate_factor, user_exponent;
  int64_t size_min, size_max, users;
  bool whole_seconds;
  const char *user_names, *task_names;
} options;

struct hc_source {
  const hc_source_context *context;
  const options *o;
  hc_variate gap;
  hc_truncated run;
  hc_zipf user;
  int64_t size_max, low, high; /* sizes; for powers of two the exponents */
  hc_time until;
  hc_cycle cycle;
  hc_trace_info info;
  hc_task_spec task; /* the one at hand */
  struct {
    hc_time clock; /* of the last arrival, ns */
    uint64_t rank; /* of the next task */
  } s;
};

static hc_rc refuse(hc_error *e, const char *text)
{
  return hc_fail(e, HC_EUSAGE, "source synthetic", 0, 0, "%s", text);
}

/* ---- distributions from options ---- */

static hc_rc bad_cv(const char *what, int choice, double cv, hc_error *e)
{
  double least, greatest;
  hc_variate_range(shapes[choice], &least, &greatest);
  return hc_fail(e, HC_EUSAGE, "source synthetic", 0, 0,
                 "%s_cv: %g; a %s distribution can have from %g to %g: choose another, or another cv", what,
                 cv, shape_names[choice], least, greatest);
}

static double seconds(hc_time t)
{
  return (double)t / 1e9;
}

static hc_rc set_run(hc_source *s, hc_error *e)
{
  const options *o = s->o;
  const double low = seconds(o->run_min), high = o->run_max == HC_UNKNOWN ? LONGEST : seconds(o->run_max);
  hc_variate v;
  if (low > high) return refuse(e, "run_min is longer than run_max: exchange them");
  if (shapes[o->run] == HC_SHAPE_LOGUNIFORM) {
    if (o->run_max == HC_UNKNOWN || !(low > 0) || !(low < high))
      return refuse(
          e,
          "run: loguniform lies between run_min and run_max: give both, run_min above 0 and below run_max");
    hc_variate_loguniform(&v, low, high);
  } else if (!hc_variate_fit(&v, shapes[o->run], seconds(o->run_mean), o->run_cv)) {
    return bad_cv("run", o->run, o->run_cv, e);
  }
  if (hc_truncated_fit(&s->run, &v, low, high)) return 0;
  return hc_fail(
      e, HC_EUSAGE, "source synthetic", 0, 0,
      "%.2g %% of the run times would lie between run_min and run_max; it must be 1 %% at least: widen "
      "them, or move run_mean",
      100 * s->run.inside);
}

static hc_rc set_size(hc_source *s, hc_error *e)
{
  const options *o = s->o;
  s->size_max = o->size_max > 0 ? o->size_max : o->procs;
  if (s->size_max > o->procs)
    return refuse(e, "size_max is above procs: no task can be larger than the machine");
  if (o->size_min > s->size_max) return refuse(e, "size_min is above size_max, or above procs: lower it");
  s->low = o->size_min;
  s->high = s->size_max;
  if (o->size != SIZES_POWERS) return 0;
  for (s->low = 0; (int64_t)1 << s->low < o->size_min;) s->low++;
  for (s->high = 0; (int64_t)2 << s->high <= s->size_max;) s->high++;
  if (s->low > s->high) return refuse(e, "there is no power of two from size_min to size_max: widen them");
  return 0;
}

/* The mean of k where a log-uniform x in [low - 1/2, high + 1/2) is rounded to k: the sum of k ln((k + 1/2) /
 * (k - 1/2)) telescopes into logarithms and one ratio of Gamma functions. */
static double mean_loguniform(double low, double high)
{
  const double area = high * hc_log(high + 0.5) - low * hc_log(low - 0.5) -
                      (hc_gamma_log(high + 0.5) - hc_gamma_log(low + 0.5));
  return area / hc_log((high + 0.5) / (low - 0.5));
}

static double mean_size(const hc_source *s)
{
  const double low = (double)s->low, high = (double)s->high;
  double mean = low;
  switch ((sizes)s->o->size) {
    case SIZES_POWERS:
      mean = (double)(((int64_t)2 << s->high) - ((int64_t)1 << s->low)) / (high - low + 1.0);
      break;
    case SIZES_LOGUNIFORM: mean = mean_loguniform(low, high); break;
    case SIZES_UNIFORM: mean = 0.5 * (low + high); break;
    case SIZES_CONSTANT: break;
  }
  return s->o->serial + (1.0 - s->o->serial) * mean;
}

static hc_rc set_arrival(hc_source *s, hc_error *e)
{
  const options *o = s->o;
  double mean = seconds(o->arrival_mean);
  if (o->arrival_mean == HC_UNKNOWN) {
    if (!(o->load > 0)) return refuse(e, "nothing says how often tasks arrive: give load, or arrival_mean");
    mean = s->run.mean * mean_size(s) / (o->load * (double)o->procs);
  } else if (o->load > 0) {
    return refuse(e, "both load and arrival_mean say how often tasks arrive: leave one of them out");
  }
  if (!(mean >= 1e-6 && mean <= LONGEST))
    return hc_fail(
        e, HC_EUSAGE, "source synthetic", 0, 0,
        "for this load a task would have to arrive every %.3g s: change the load, run times or procs", mean);
  if (!hc_variate_fit(&s->gap, shapes[o->arrival], mean, o->arrival_cv))
    return bad_cv("arrival", o->arrival, o->arrival_cv, e);
  return 0;
}

/* ---- tasks ---- */

static int64_t draw_size(const hc_source *s, hc_draws *d)
{
  const double low = (double)s->low - 0.5, high = (double)s->high + 0.5;
  if (hc_random_unit(d) < s->o->serial) return 1;
  switch ((sizes)s->o->size) {
    case SIZES_POWERS:
      return (int64_t)1 << (s->low + (int64_t)hc_random_below(d, (uint64_t)(s->high - s->low) + 1));
    case SIZES_LOGUNIFORM: {
      const double x = low * hc_exp(hc_log(high / low) * hc_random_unit(d));
      return HC_MAX(s->low, HC_MIN(s->high, (int64_t)(x + 0.5)));
    }
    case SIZES_UNIFORM: return s->low + (int64_t)hc_random_below(d, (uint64_t)(s->high - s->low) + 1);
    case SIZES_CONSTANT: break;
  }
  return s->low;
}

/* The next of 5, 15, 30 minutes and the whole hours. */
static hc_time popular(hc_time run)
{
  static const hc_time below_an_hour[] = {5 * HC_MINUTE, 15 * HC_MINUTE, 30 * HC_MINUTE};
  for (size_t i = 0; i < HC_ARRAY_LEN(below_an_hour); i++)
    if (run <= below_an_hour[i]) return below_an_hour[i];
  return -hc_floor_div(-run, HC_HOUR) * HC_HOUR;
}

static hc_time estimate(const hc_source *s, hc_time run)
{
  hc_draws d;
  switch ((estimates)s->o->estimate) {
    case ESTIMATE_EXACT: return run;
    case ESTIMATE_POPULAR: return popular(run);
    case ESTIMATE_FACTOR: break;
  }
  d = hc_generated_draws(s->context, s->o->stream, s->s.rank, HC_PURPOSE_ESTIMATE);
  return hc_generated_time(seconds(run) * (1.0 + s->o->estimate_factor * hc_random_unit(&d)));
}

/* "u17": said once, as long as it is kept. */
static hc_rc name_user(const hc_source *s)
{
  hc_lexicon *l = s->context->lexicon;
  char text[128];
  if (!s->o->user_names || !l || s->task.user < 0) return 0;
  if (hc_lexicon_called(l, HC_CALLED_USER, s->task.user)) return 0;
  const int n = snprintf(text, sizeof text, "%.100s%" PRId64, s->o->user_names, s->task.user);
  return hc_lexicon_call(l, HC_CALLED_USER, s->task.user, text, (size_t)n);
}

static hc_rc name_task(hc_source *s)
{
  hc_lexicon *l = s->context->lexicon;
  char text[128];
  if (!s->o->task_names || !l) return 0;
  const int n = snprintf(text, sizeof text, "%.100s%" PRId64, s->o->task_names, s->task.id);
  return hc_lexicon_label(l, text, (size_t)n, &s->task.label);
}

/* Of the tasks that were asked for the rest is left out only where `until` says so. */
static hc_rc at_end(const hc_source *s, hc_error *e)
{
  if (s->o->tasks == 0 || s->until < HC_GENERATED_END) return 0;
  return hc_fail(
      e, HC_ELIMIT, "source synthetic", 0, 0,
      "task %" PRIu64 " of %" PRId64
      " would be submitted later than 146 years from the start, where times end: let tasks come more "
      "often (arrival_mean, load, run_mean), or say `until`",
      s->s.rank + 1, s->o->tasks);
}

static hc_rc synthetic_next(hc_source *s, hc_job *job, hc_error *e)
{
  const options *o = s->o;
  hc_draws d = hc_generated_draws(s->context, o->stream, s->s.rank, HC_PURPOSE_ARRIVAL);
  hc_time at, run;
  if (o->tasks > 0 && s->s.rank >= (uint64_t)o->tasks) return 0;
  at = hc_cycle_after(&s->cycle, s->s.clock, hc_variate_draw(&s->gap, &d), s->until);
  if (at >= s->until) return at_end(s, e); /* nothing has changed: the next call says so again */
  d = hc_generated_draws(s->context, o->stream, s->s.rank, HC_PURPOSE_RUN);
  run = HC_MAX(hc_generated_time(hc_truncated_draw(&s->run, &d)), 1);
  if (o->whole_seconds) run = hc_generated_up(run);
  d = hc_generated_draws(s->context, o->stream, s->s.rank, HC_PURPOSE_SIZE);
  s->task =
      hc_generated_task(s->s.rank, o->whole_seconds ? at / HC_SECOND * HC_SECOND : at, run, draw_size(s, &d));
  s->task.limit = HC_MAX(estimate(s, run), run);
  if (o->whole_seconds) s->task.limit = hc_generated_up(s->task.limit);
  d = hc_generated_draws(s->context, o->stream, s->s.rank, HC_PURPOSE_USER);
  if (o->users > 0) s->task.user = (int64_t)hc_zipf_draw(&s->user, &d);
  TRY(name_user(s));
  TRY(name_task(s));
  s->s.clock = at;
  s->s.rank++;
  *job = (hc_job){.tasks = &s->task, .task_count = 1};
  return 1;
}

/* ---- the source ---- */

static void synthetic_close(hc_source *s)
{
  if (s) hc_free(s->context->allocator, s, sizeof *s);
}

static hc_rc synthetic_open(const hc_source_context *c, const void *given, hc_source **out, hc_error *e)
{
  const options *o = given;
  hc_source *s = hc_alloc(c->allocator, sizeof *s);
  hc_rc rc;
  if (!s) return HC_ENOMEM;
  s->context = c;
  s->o = o;
  s->until = o->until == HC_UNKNOWN ? HC_GENERATED_END : HC_MIN(o->until, HC_GENERATED_END);
  s->info = (hc_trace_info){
      .processors = o->procs, .unix_start = HC_UNKNOWN, .jobs = HC_UNKNOWN, .records = HC_UNKNOWN};
  if (o->users > 0) hc_zipf_fit(&s->user, (uint64_t)o->users, o->user_exponent);
  TRY_OR(set_run(s, e), fail);
  TRY_OR(set_size(s, e), fail);
  TRY_OR(set_arrival(s, e), fail);
  TRY_OR(hc_cycle_init(&s->cycle, &o->daily, &o->weekly, "source synthetic", e), fail);
  TRY_OR(hc_cycle_publish(&s->cycle, (hc_cycle_day)o->day, &o->daily, "source synthetic", e), fail);
  *out = s;
  return 0;
fail:
  synthetic_close(s);
  return rc;
}

static const hc_trace_info *synthetic_info(hc_source *s)
{
  return &s->info;
}

static hc_rc synthetic_visit(hc_source *s, hc_visitor *v, hc_error *e)
{
  HC_VISIT(v, s->s);
  if (s->s.clock >= 0 && s->s.clock <= HC_GENERATED_END) return 0;
  return hc_fail(e, HC_EINPUT, "source synthetic", 0, 0, "the saved state is damaged: make it again");
}

static void synthetic_progress(hc_source *s, uint64_t *done, uint64_t *total)
{
  *done = s->s.rank;
  *total = (uint64_t)s->o->tasks;
}

static const hc_param params[] = {
    HC_PARAM(INT, options, tasks, "tasks", "1000", 0, 1e15,
             "Number of tasks. 0: tasks arrive until `until`, or until the end of the run."),
    HC_PARAM(TIME, options, until, "s", NULL, 0, 4e9,
             "No task is submitted at this time or later. Default: never."),
    HC_PARAM(INT, options, procs, "processors", "128", 1, 1e9,
             "Processors of the machine, for the run, for the load, and as the largest size."),
    HC_PARAM(INT, options, stream, "1", "0", 0, 1e9,
             "Number of the stream of random draws: another number gives other draws from the same seed. Two "
             "generators in one run need two numbers."),
    HC_PARAM(CHOICE, options, arrival, ARRIVAL_CHOICES, "exponential",
             "Distribution of the time between arrivals."),
    HC_PARAM(TIME, options, arrival_mean, "s", NULL, 1e-6, LONGEST,
             "Mean time between arrivals. Required, or `load`."),
    HC_PARAM(
        REAL, options, arrival_cv, "1", "1", 0, 1000,
        "Standard deviation / mean of the time between arrivals: lognormal 0.001 to 1000, weibull 0.02 to "
        "400, hyperexponential from 1, gamma up to 30. Not used for exponential (1) and constant (0)."),
    HC_PARAM(REAL, options, load, "1", NULL, 0, 1000,
             "Offered load, in place of arrival_mean: the mean time between arrivals is E[run] E[size] / "
             "(load x procs). 0, the default: arrival_mean holds."),
    HC_CYCLE_PARAMS(options),
    HC_CYCLE_DAY(options),
    HC_PARAM(CHOICE, options, run, RUN_CHOICES, "lognormal",
             "Distribution of run times; loguniform lies between run_min and run_max."),
    HC_PARAM(TIME, options, run_mean, "s", "1h", 1e-6, LONGEST,
             "Mean of the run times, before run_min and run_max are applied; not used for loguniform."),
    HC_PARAM(REAL, options, run_cv, "1", "2", 0, 1000,
             "Standard deviation / mean of the run times, before run_min and run_max are applied; bounds as "
             "for arrival_cv. Not used for loguniform."),
    HC_PARAM(TIME, options, run_min, "s", "1s", 0, LONGEST, "Shorter run times are drawn again."),
    HC_PARAM(TIME, options, run_max, "s", NULL, 0, LONGEST,
             "Longer run times are drawn again. Default: 1e9 s."),
    HC_PARAM(CHOICE, options, size, "powers_of_two|loguniform|uniform|constant", "powers_of_two",
             "Distribution of the processors of a task that is not serial. powers_of_two: each power of two "
             "from size_min to size_max with the same probability. loguniform: log-uniform from size_min - "
             "1/2 to size_max + 1/2, rounded. uniform: each number from size_min to size_max with the same "
             "probability. constant: size_min."),
    HC_PARAM(REAL, options, serial, "1", "0.25", 0, 1,
             "Probability that a task is serial: it asks for one processor, and `size` is not drawn."),
    HC_PARAM(INT, options, size_min, "processors", "1", 1, 1e9, "The smallest size that is drawn."),
    HC_PARAM(INT, options, size_max, "processors", "0", 0, 1e9, "The largest size that is drawn. 0: procs."),
    HC_PARAM(
        CHOICE, options, estimate, "exact|factor|popular", "exact",
        "The limit that a task asks for. exact: its run time. factor: run (1 + u f), u uniform in [0, "
        "1), f = estimate_factor. popular: its run time rounded up to 5, 15, 30 minutes or whole hours."),
    HC_PARAM(REAL, options, estimate_factor, "1", "4", 0, 1e6, "The factor f of `estimate: factor`."),
    HC_PARAM(INT, options, users, "users", "20", 0, 1e9, "Number of users. 0: tasks have no user."),
    HC_PARAM(
        REAL, options, user_exponent, "1", "1", 0, 10,
        "Exponent of Zipf's law: user k submits in proportion to k^-exponent. 0: all users submit as often."),
    HC_PARAM(BOOL, options, whole_seconds, "false",
             "Whether submissions are rounded down, and run times and limits up, to whole seconds, for "
             "programs that know no fractions. The load is that before rounding."),
    HC_PARAM(TEXT, options, user_names, NULL,
             "Names of users: this text and their number, so that `u` makes u1, u2 and so on. Default: users "
             "have only numbers."),
    HC_PARAM(TEXT, options, task_names, NULL,
             "Names of tasks: this text and their number. Default: tasks have only numbers."),
    {.name = NULL},
};

const hc_reader_type hc_reader_synthetic = {
    .component =
        {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "synthetic",
         .summary = "generates tasks from distributions of arrivals, run times, sizes, estimates and users",
         .detail = "The five distributions are independent. Each draw of task i follows from seed, "
                   "replication, i and the purpose of the draw: another distribution of one does not change "
                   "the draws of the others, and a longer workload begins with the shorter one. Fits by mean "
                   "m and cv c: lognormal sigma^2 = ln(1 + c^2), mu = ln m - sigma^2 / 2; weibull 1 + c^2 = "
                   "G(1 + 2/k) / G(1 + 1/k)^2; gamma shape 1 / c^2; hyperexponential p = (1 + sqrt((c^2 - 1) "
                   "/ (c^2 + 1))) / 2 with means m / 2p and m / 2(1 - p). A load is reached in the mean: "
                   "E[run] is that of the truncated distribution and E[size] includes serial tasks, both in "
                   "closed form. Daily and weekly weights stretch time: gaps are drawn on a clock on which "
                   "an hour of weight w lasts w hours (weights are divided by their mean), so that the mean "
                   "rate over a week stays. Tasks have no memory, queue or group.",
         .source =
             "Gerhardt & Nelson 2009, doi:10.1287/ijoc.1080.0316 (cycles); Whitt 1982, "
             "doi:10.1287/opre.30.1.125 (hyperexponential); Mu'alem & Feitelson 2001, doi:10.1109/71.932708 "
             "(estimates by a factor)",
         .params = params, .options_size = sizeof(options)},
    .open = synthetic_open,
    .next = synthetic_next,
    .info = synthetic_info,
    .visit = synthetic_visit,
    .progress = synthetic_progress,
    .close = synthetic_close,
};
