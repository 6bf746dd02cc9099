/* downey97.c -- the workload model of Downey (1997): moldable jobs, here each with the size that a rule
 * chooses.
 *
 *   length       log-uniform. work, as in the model: processor-seconds on one processor, divided by the
 *                speed-up at the size. lifetime: the run time T whatever the size, P(T < t) = b0 + b1 ln t
 *   parallelism  the average parallelism A is log-uniform on [1, procs]; the variance sigma uniform on [0, 2]
 *   arrivals     Poisson; hours of the day may be weighted, as the model does with its two halves
 *
 * b0 = -0.18 and b1 = 0.10 are what log-uniform between 5.8 s and 24.2 h gives, to two digits: 1 / ln(24.2 h
 * / 5.8 s) = 0.104. These bounds are published for the logs of SDSC 1995; those of `work` are not at hand and
 * ours.
 *
 * Tasks are rigid here, so that a rule fixes the size: what Downey calls the allocation. Job j follows from
 * seed, replication, stream and j; only the clock is carried on. Cost: about 250 ns per task, constant
 * memory. Source: Downey, "A parallel workload model and its implications for processor allocation", HPDC
 * 1997, doi:10.1109/HPDC.1997.622368; "Predicting queue times on space-sharing parallel computers", IPPS
 * 1997. */
#include "base/mem.h"
#include "base/speedup.h"
#include "base/state.h"
#include "base/util.h"
#include "workload/cycle.h"
#include "workload/generated.h"

#define WHERE "source downey97"

typedef enum lengths { LENGTH_LIFETIME, LENGTH_WORK } lengths;
typedef enum allocations {
  ALLOCATION_AVERAGE_PARALLELISM,
  ALLOCATION_SERIAL,
  ALLOCATION_FULL,
  ALLOCATION_SATURATED,
  ALLOCATION_EFFICIENCY
} allocations;

typedef struct options {
  hc_generated_options head;
  int64_t procs;
  hc_time interval, run_min, run_max;
  double work_min, work_max, sigma_min, sigma_max, efficiency;
  hc_list daily, weekly;
  int length, allocation, day;
  bool whole_seconds;
} options;

struct hc_source {
  hc_generated head;
  const options *o;
  hc_cycle cycle;
};

/* ---- the model ---- */

static double log_uniform(double low, double high, hc_draws *d)
{
  const double x = low * hc_exp(hc_log(high / low) * hc_random_unit(d));
  return HC_MIN(x, high);
}

/* The most processors of which each is used as much as asked for: what each adds falls, so it can be
 * halved for. */
static int64_t efficient(const options *o, double a, double sigma)
{
  const double least = o->efficiency * (1 - 1e-12); /* the quotient is rounded */
  int64_t low = 1, high = o->procs;
  while (low < high) {
    const int64_t middle = high - (high - low) / 2;
    if (hc_speedup_by_downey((double)middle, a, sigma) >= least * (double)middle) low = middle;
    else high = middle - 1;
  }
  return low;
}

static int64_t allocate(const options *o, double a, double sigma)
{
  double n = a;
  switch ((allocations)o->allocation) {
    case ALLOCATION_AVERAGE_PARALLELISM: break;
    case ALLOCATION_SERIAL: return 1;
    case ALLOCATION_FULL: return o->procs;
    case ALLOCATION_SATURATED: n = hc_speedup_downey_knee(a, sigma); break;
    case ALLOCATION_EFFICIENCY: return efficient(o, a, sigma);
  }
  return HC_MAX(HC_MIN((int64_t)(HC_MIN(n, 1e15) + 0.5), o->procs), 1);
}

static hc_task_spec make_task(const hc_source *s, hc_time at)
{
  const options *o = s->o;
  hc_draws d = hc_generated_draw(&s->head, s->head.s.rank, HC_PURPOSE_SIZE);
  const double a = log_uniform(1, (double)o->procs, &d);
  const double sigma = o->sigma_min + (o->sigma_max - o->sigma_min) * hc_random_unit(&d);
  const int64_t n = allocate(o, a, sigma);
  double run;
  d = hc_generated_draw(&s->head, s->head.s.rank, HC_PURPOSE_RUN);
  if (o->length == LENGTH_LIFETIME) run = log_uniform((double)o->run_min / 1e9, (double)o->run_max / 1e9, &d);
  else run = log_uniform(o->work_min, o->work_max, &d) / hc_speedup_by_downey((double)n, a, sigma);
  return hc_generated_task(s->head.s.rank, hc_generated_submit(at, o->whole_seconds),
                           hc_generated_run(hc_generated_time(run), o->whole_seconds), n);
}

/* ---- the source ---- */

static hc_rc refuse(hc_error *e, const char *text)
{
  return hc_fail(e, HC_EUSAGE, WHERE, 0, 0, "%s", text);
}

static hc_rc check(const options *o, hc_error *e)
{
  if (o->interval <= 0) return refuse(e, "interval must be above 0");
  if (o->run_min <= 0 || o->run_min > o->run_max)
    return refuse(e, "run_min is not between 0 and run_max: a logarithm is uniform between them");
  if (o->work_min > o->work_max) return refuse(e, "work_min is above work_max: exchange them");
  if (o->sigma_min > o->sigma_max) return refuse(e, "sigma_min is above sigma_max: exchange them");
  return 0;
}

static hc_rc downey97_open(const hc_source_context *c, const void *given, hc_source **out, hc_error *e)
{
  const options *o = given;
  hc_rc rc;
  TRY(check(o, e));
  hc_source *s = hc_generated_new(c, sizeof *s, o, o->procs, WHERE);
  if (!s) return HC_ENOMEM;
  s->o = o;
  TRY_OR(hc_cycle_init(&s->cycle, &o->daily, &o->weekly, WHERE, e), fail);
  TRY_OR(hc_cycle_publish(&s->cycle, (hc_cycle_day)o->day, &o->daily, WHERE, e), fail);
  *out = s;
  return 0;
fail:
  hc_generated_close(s);
  return rc;
}

static hc_rc downey97_next(hc_source *s, hc_job *job, hc_error *e)
{
  const options *o = s->o;
  hc_draws d = hc_generated_draw(&s->head, s->head.s.rank, HC_PURPOSE_ARRIVAL);
  HC_UNUSED(e);
  const hc_time at = hc_cycle_after(&s->cycle, s->head.s.clock,
                                    hc_random_exponential(&d, (double)o->interval / 1e9), s->head.until);
  if (hc_generated_is_over(&s->head, at)) return 0;
  s->head.task = make_task(s, at);
  s->head.s.clock = at;
  s->head.s.rank++;
  return hc_generated_yield(&s->head, job);
}

#define NUMBER(...) HC_GENERATED_NUMBER(options, __VA_ARGS__)

static const hc_param params[] = {
    HC_GENERATED_PARAMS(options, "1000", HC_GENERATED_HOW_MANY),
    NUMBER("procs", HC_INT, procs, "processors", "400", 1, 1e9,
           "Processors of the machine, which bound A and the sizes; 400: the Paragon of SDSC."),
    NUMBER("interval", HC_TIME, interval, "s", "20m", 0, 1e9,
           "Mean time between two jobs, above 0; our choice."),
    HC_CYCLE_PARAMS(options),
    HC_CYCLE_DAY(options),
    HC_PARAM(CHOICE, options, length, "lifetime|work", "work",
             "What is log-uniform. lifetime: the run time, between run_min and run_max, for any size. work: "
             "the processor-seconds on one processor, between work_min and work_max; the run time is work / "
             "speed-up."),
    NUMBER("run_min", HC_TIME, run_min, "s", "5.8s", 0, 1e9, "Shortest run time, with `length: lifetime`."),
    NUMBER("run_max", HC_TIME, run_max, "s", "24.2h", 0, 1e9, "Longest run time, with `length: lifetime`."),
    NUMBER("work_min", HC_REAL, work_min, "processor-seconds", "1", 1e-9, 1e18,
           "Least work, with `length: work`; our choice."),
    NUMBER("work_max", HC_REAL, work_max, "processor-seconds", "162754", 1e-9, 1e18,
           "Greatest work, with `length: work`; our choice: exp(12)."),
    NUMBER("sigma_min", HC_REAL, sigma_min, "1", "0", 0, 1e6,
           "Least variance of parallelism, which is uniform between sigma_min and sigma_max."),
    NUMBER("sigma_max", HC_REAL, sigma_max, "1", "2", 0, 1e6, "Greatest variance of parallelism."),
    HC_PARAM(
        CHOICE, options, allocation, "average_parallelism|serial|full|saturated|efficiency",
        "average_parallelism",
        "How many processors a job asks for, never above procs. average_parallelism: A, rounded. serial: 1. "
        "full: procs. saturated: the fewest with the greatest speed-up, 2 A - 1 or A + A sigma - sigma, "
        "rounded. efficiency: the most with speed-up / processors of at least `efficiency`."),
    NUMBER("efficiency", HC_REAL, efficiency, "1", "0.5", 1e-6, 1,
           "Speed-up / processors, with `allocation: efficiency`."),
    HC_GENERATED_WHOLE_SECONDS(options),
    {.name = NULL},
};

const hc_reader_type hc_reader_downey97 = {
    .component =
        {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "downey97",
         .summary =
             "generates parallel jobs by the model of Downey (1997), each with a size chosen by a rule",
         .detail = "ln(length) is uniform; ln(A), of the average parallelism, is uniform on [0, ln procs]; "
                   "sigma is uniform on [0, 2]. Speed-up on n processors, sigma <= 1: A n / (A + sigma (n - "
                   "1) / 2) up to A, A n / (sigma (A - 1/2) + n (1 - sigma / 2)) up to 2 A - 1, then A; "
                   "sigma >= 1: n A (sigma + 1) / (sigma (n + A - 1) + A) up to A + A sigma - sigma, then A. "
                   "Jobs arrive by a Poisson process; the model's two halves of a day are 24 weights in "
                   "`daily`. Published: the forms, sigma's range, and 5.8 s to 24.2 h, that is P(T < t) = "
                   "-0.18 + 0.10 ln t, for SDSC 1995. Our own choices: interval, work_min, work_max, and "
                   "that tasks, which are moldable in the model, get one size before they are submitted. "
                   "Limits are run times: see the transforms `estimates` and `tsafrir`.",
         .source =
             "Downey, HPDC 1997, doi:10.1109/HPDC.1997.622368; A model for speedup of parallel programs, "
             "UCB/CSD-97-933, 1997",
         .params = params, .options_size = sizeof(options)},
    .open = downey97_open,
    .next = downey97_next,
    .info = hc_generated_info,
    .visit = hc_generated_visit,
    .progress = hc_generated_progress,
    .close = hc_generated_close,
};
