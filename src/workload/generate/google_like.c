/* google_like.c -- batch and service jobs as the Omega paper and Google's trace of 2011 describe them.
 *
 * Two kinds of jobs, each with a Poisson stream of its own (its gaps are a law, exponential as it stands);
 * all tasks of a job are alike, and arrive together. The laws are fits to what is published, of which
 * there is little:
 *
 *   gaps     80th percentile 4 to 7 s (batch), 2 to 15 min (service): exponential with means 3.4 s and
 *            9.3 min, hence 5.5 s and 15 min; 99.4 % of jobs are batch, where more than 80 % is said
 *   run      batch: 80th percentile 12 to 20 min: lognormal, median 50 s, sigma 3.2, from 1 s to 29 d:
 *            16 min, mean 1.5 h. Service: 80th percentile 29 d, 20 to 40 % above a month: 79 % log-uniform
 *            up to 29 d, the rest uniform from there to 60 d: 30.5 d, 20.3 % above 30 d, mean 11.5 d
 *   tasks    of the jobs that run when the public trace begins (2,549 batch, 1,430 service): median 1 and
 *            2, 90th percentile 25 and 40, 95th 100 and 144, 99th 500 and 536, mean 39.7 and 35.2. A fixed
 *            part of one task and a bounded Pareto above: 39.9 and 32.6 on average
 *   demand   of each task of these jobs, measured use on machines taken for 32 cores and 128 GiB: medians
 *            0.013 and 0.083 cores, 0.086 and 0.58 GiB; 90th percentiles 0.35 and 1.4 cores, 1.3 and
 *            4.5 GiB: lognormal
 *
 * In a steady state some 63,000 batch and 59,000 service tasks run at once (there 101,000 and 50,000), and
 * services hold three quarters of the cores in use, where 55 to 80 % is said. `start: steady` begins
 * there: the clocks of both kinds start one longest run before time 0, and what still runs at 0 arrives
 * then, with what is left of it. This is exact, and draws some 800,000 jobs to begin with.
 *
 * Not modelled: constraints, failures, resubmission, days and weeks unless weights are given. Everything
 * about job j of a kind follows from seed, replication, stream, kind and j. Cost: about 600 ns per job; a
 * bundle is one row. Source: Schwarzkopf et al., EuroSys 2013, doi:10.1145/2465351.2465386, section 2.1
 * and figures 2 to 4; ClusterData 2011-2 by way of the initial states that Eurecom made of it. */
#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "workload/cycle.h"
#include "workload/generated.h"
#include "workload/law.h"

#define WHERE "source google_like"
#define BLOCK 256u
#define MOST_TASKS 1000000
#define MOST_WARMING 2e8 /* jobs before time 0 */

enum { BATCH, SERVICE, KINDS };
enum { INTERVAL, TASKS, RUN, CPU, MEMORY, LAWS };
typedef enum starts { START_EMPTY, START_STEADY } starts;
typedef enum kinds { KIND_BOTH, KIND_BATCH, KIND_SERVICE } kinds;

static const struct {
  const char *names[KINDS];
  hc_law_unit unit;
} laws[LAWS] = {{{"batch_interval", "service_interval"}, HC_LAW_TIME},
                {{"batch_tasks", "service_tasks"}, HC_LAW_NUMBER},
                {{"batch_run", "service_run"}, HC_LAW_TIME},
                {{"batch_cpu", "service_cpu"}, HC_LAW_NUMBER},
                {{"batch_memory", "service_memory"}, HC_LAW_SIZE}};

typedef struct options {
  int64_t jobs, stream;
  hc_time until;
  const char *laws[KINDS][LAWS];
  double rate[KINDS];
  int64_t priority[KINDS];
  hc_list daily, weekly;
  int kind, start;
  bool bundle;
} options;

struct hc_source {
  const hc_source_context *context;
  const options *o;
  hc_law law[KINDS][LAWS];
  hc_cycle cycle;
  hc_time until;
  bool used[KINDS];
  hc_trace_info info;
  hc_task_spec tasks[BLOCK]; /* those at hand */
  struct {
    hc_time clock[KINDS];  /* of the next job of the kind */
    uint64_t drawn[KINDS]; /* its rank among them */
    uint64_t rank, within; /* of the next job to hand over; rows of it that are gone */
  } s;
};

static hc_rc refuse(hc_error *e, const char *text)
{
  return hc_fail(e, HC_EUSAGE, WHERE, 0, 0, "%s", text);
}

/* ---- jobs ---- */

/* The draws of one law for the next job of a kind. */
static hc_draws draws(const hc_source *s, int kind, int law)
{
  static const hc_purpose purposes[LAWS] = {HC_PURPOSE_ARRIVAL, HC_PURPOSE_JOB, HC_PURPOSE_RUN,
                                            HC_PURPOSE_DEMAND, HC_PURPOSE_SIZE};
  return hc_generated_draws(s->context, s->o->stream, 2 * s->s.drawn[kind] + (kind == SERVICE),
                            purposes[law]);
}

/* Move the clock of a kind to the arrival of job `drawn`. */
static void advance(hc_source *s, int kind)
{
  hc_draws d = draws(s, kind, INTERVAL);
  s->s.clock[kind] =
      hc_cycle_after(&s->cycle, s->s.clock[kind], hc_law_draw(&s->law[kind][INTERVAL], &d), s->until);
}

static void pass(hc_source *s, int kind)
{
  s->s.drawn[kind]++;
  advance(s, kind);
}

/* The kind that arrives next; of two at once the batch job. */
static int earliest(const hc_source *s)
{
  if (!s->used[BATCH]) return SERVICE;
  return s->used[SERVICE] && s->s.clock[SERVICE] < s->s.clock[BATCH] ? SERVICE : BATCH;
}

static hc_time run_of(const hc_source *s, int kind)
{
  hc_draws d = draws(s, kind, RUN);
  const hc_time run = hc_generated_time(hc_law_draw(&s->law[kind][RUN], &d));
  return HC_MAX(run, 1);
}

/* What each task of the job is. */
static hc_task_spec job_of(const hc_source *s, int kind, hc_time at, hc_time run)
{
  hc_draws cpu = draws(s, kind, CPU), memory = draws(s, kind, MEMORY);
  hc_task_spec t = hc_generated_task(s->s.rank, at, run, 1);
  hc_generated_demand(&t, hc_law_draw(&s->law[kind][CPU], &cpu), hc_law_draw(&s->law[kind][MEMORY], &memory),
                      1);
  t.job = (int64_t)s->s.rank + 1;
  t.queue = kind;
  t.priority = s->o->priority[kind];
  return t;
}

/* ---- from options ---- */

static hc_rc read_laws(hc_source *s, hc_error *e)
{
  for (int k = 0; k < KINDS; k++) {
    s->used[k] = s->o->kind == KIND_BOTH || s->o->kind == (k == BATCH ? KIND_BATCH : KIND_SERVICE);
    for (int i = 0; i < LAWS; i++)
      TRY(hc_law_read(&s->law[k][i], s->context->allocator, s->o->laws[k][i], laws[i].unit, WHERE,
                      laws[i].names[k], e));
    if (!(s->law[k][INTERVAL].mean > 0))
      return hc_fail(e, HC_EUSAGE, WHERE, 0, 0, "%s is always 0: nothing would ever end",
                     laws[INTERVAL].names[k]);
    hc_law_stretch(&s->law[k][INTERVAL], s->law[k][INTERVAL].mean / s->o->rate[k]);
    if (s->law[k][TASKS].high > MOST_TASKS)
      return hc_fail(e, HC_EUSAGE, WHERE, 0, 0, "%s can be above 1,000,000: bound it with `to 1000000`",
                     laws[TASKS].names[k]);
  }
  return 0;
}

/* Where the clocks begin: at 0, or so long before that nothing older can still run. */
static hc_rc set_clocks(hc_source *s, hc_error *e)
{
  for (int k = 0; k < KINDS; k++) {
    const double longest = s->law[k][RUN].high;
    if (!s->used[k]) continue;
    if (s->o->start == START_STEADY) {
      if (!(longest <= 1e9))
        return hc_fail(e, HC_EUSAGE, WHERE, 0, 0,
                       "start: steady needs a longest run: bound %s, as in `... to 29d`", laws[RUN].names[k]);
      if (longest / s->law[k][INTERVAL].mean > MOST_WARMING)
        return refuse(e, "start: steady would draw more than 2e8 jobs before time 0: bound the run times");
      s->s.clock[k] = -hc_generated_time(longest) - 1;
    }
    advance(s, k);
  }
  return 0;
}

static void google_close(hc_source *s)
{
  if (!s) return;
  for (int k = 0; k < KINDS; k++)
    for (int i = 0; i < LAWS; i++) hc_law_fini(&s->law[k][i]);
  hc_free(s->context->allocator, s, sizeof *s);
}

static hc_rc google_open(const hc_source_context *c, const void *given, hc_source **out, hc_error *e)
{
  const options *o = given;
  hc_source *s = hc_alloc(c->allocator, sizeof *s);
  hc_rc rc;
  if (!s) return HC_ENOMEM;
  s->context = c;
  s->o = o;
  s->until = o->until == HC_UNKNOWN ? HC_GENERATED_END : HC_MIN(o->until, HC_GENERATED_END);
  s->info = (hc_trace_info){
      .unix_start = HC_UNKNOWN, .jobs = o->jobs > 0 ? o->jobs : HC_UNKNOWN, .records = HC_UNKNOWN};
  TRY_OR(hc_cycle_init(&s->cycle, &o->daily, &o->weekly, WHERE, e), fail);
  TRY_OR(read_laws(s, e), fail);
  TRY_OR(set_clocks(s, e), fail);
  *out = s;
  return 0;
fail:
  google_close(s);
  return rc;
}

/* ---- the source ---- */

/* The next job that is there at time 0 or later: its kind, when it arrives and how long it has still to run.
 * @return 1, 0 at the end. */
static hc_rc find_job(hc_source *s, int *kind, hc_time *at, hc_time *run)
{
  for (;;) {
    const int k = earliest(s);
    const hc_time clock = s->s.clock[k];
    if (clock >= s->until) return 0;
    *run = run_of(s, k);
    *kind = k;
    *at = HC_MAX(clock, 0);
    if (clock >= 0) return 1;
    *run += clock; /* it began that long ago */
    if (*run > 0) return 1;
    pass(s, k);
  }
}

static hc_rc google_next(hc_source *s, hc_job *job, hc_error *e)
{
  int kind;
  hc_time at, run;
  uint32_t n = 0;
  HC_UNUSED(e);
  if ((s->o->jobs > 0 && s->s.rank >= (uint64_t)s->o->jobs) || !find_job(s, &kind, &at, &run)) return 0;
  hc_draws d = draws(s, kind, TASKS);
  const uint64_t count = (uint64_t)hc_law_draw_whole(&s->law[kind][TASKS], &d, 1, MOST_TASKS);
  const uint64_t rows = s->o->bundle ? 1 : count;
  hc_task_spec like = job_of(s, kind, at, run);
  if (s->o->bundle && count > 1) like.count = (uint32_t)count;
  for (; n < BLOCK && s->s.within + n < rows; n++) {
    s->tasks[n] = like;
    s->tasks[n].id = (int64_t)(s->s.within + n) + 1;
  }
  s->s.within += n;
  if (s->s.within >= rows) {
    s->s.within = 0;
    s->s.rank++;
    pass(s, kind);
  }
  *job = (hc_job){.tasks = s->tasks, .task_count = n};
  return 1;
}

static const hc_trace_info *google_info(hc_source *s)
{
  return &s->info;
}

static hc_rc google_visit(hc_source *s, hc_visitor *v, hc_error *e)
{
  bool sound = true;
  HC_VISIT(v, s->s);
  for (int k = 0; k < KINDS; k++) sound &= s->s.clock[k] > -2 * HC_GENERATED_END / 3;
  if (sound && s->s.within < MOST_TASKS) return 0;
  return hc_fail(e, HC_EINPUT, WHERE, 0, 0, "the saved state is damaged: make it again");
}

static void google_progress(hc_source *s, uint64_t *done, uint64_t *total)
{
  *done = s->s.rank;
  *total = (uint64_t)s->o->jobs;
}

#define OFFSET(member) .offset = offsetof(options, member)
#define LAW(kind, law, word, unit_, value, text) \
  { \
    .name = word, .type = HC_TEXT, OFFSET(laws[kind][law]), .unit = unit_, .fallback = value, .help = text \
  }

/* The parameters of one kind. */
#define ABOUT(word) "Jobs of kind " word ": "
#define KIND(word, kind, interval, tasks_, run_, cpu_, memory_, priority_) \
  LAW(kind, INTERVAL, word "_interval", "s", interval, ABOUT(word) "law of the time between two jobs."), \
      LAW(kind, TASKS, word "_tasks", "tasks", tasks_, \
          ABOUT(word) "law of the tasks of a job, rounded, 1 to 1,000,000."), \
      LAW(kind, RUN, word "_run", "s", run_, \
          ABOUT(word) "law of the run time, the same for all tasks of a job."), \
      LAW(kind, CPU, word "_cpu", "cores", cpu_, \
          ABOUT(word) "law of the cores of each task, to thousandths."), \
      LAW(kind, MEMORY, word "_memory", "B", memory_, ABOUT(word) "law of the memory of each task."), \
      HC_PARAM_AS(REAL, word "_rate", options, rate[kind], "1", "1", 1e-6, 1e6, \
                  ABOUT(word) "a factor of the number of jobs, by which gaps are divided."), \
      HC_PARAM_AS(INT, word "_priority", options, priority[kind], "1", priority_, -1e9, 1e9, \
                  ABOUT(word) "priority of the tasks.")

static const hc_param params[] = {
    HC_PARAM(
        INT, options, jobs, "jobs", "1000", 0, 1e13,
        "Number of jobs, of both kinds together. 0: jobs arrive until `until`, or until the end of the run."),
    HC_GENERATED_UNTIL(options),
    HC_GENERATED_STREAM(options),
    HC_PARAM(CHOICE, options, kind, "both|batch|service", "both",
             "Which jobs there are. both: both kinds. batch, service: only these, which are the same jobs as "
             "within both."),
    HC_PARAM(CHOICE, options, start, "empty|steady", "empty",
             "What runs at time 0. empty: nothing. steady: jobs that began earlier and still run arrive at "
             "time 0, with the rest of their run times."),
    HC_PARAM(BOOL, options, bundle, "true",
             "Whether a job is one row with a count. false: a row for each task."),
    HC_CYCLE_PARAMS(options),
    KIND("batch", BATCH, "exponential(3.4s)", "0.55*1 + 0.45*pareto(2 10000 0.6)",
         "lognormal(median=50s sigma=3.2) from 1s to 29d",
         "lognormal(median=0.013 sigma=2.45) from 0.001 to 16",
         "lognormal(median=88MiB sigma=2) from 1MiB to 64GiB", "0"),
    KIND("service", SERVICE, "exponential(9.3m)", "0.4*1 + 0.6*pareto(2 5000 0.65)",
         "0.79*loguniform(1m 29d) + 0.21*uniform(29d 60d)",
         "lognormal(median=0.083 sigma=2.2) from 0.001 to 16",
         "lognormal(median=590MiB sigma=1.6) from 1MiB to 64GiB", "9"),
    {.name = NULL},
};

const hc_reader_type hc_reader_google_like = {
    .component =
        {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "google_like",
         .summary =
             "generates batch and service jobs like those of the Omega paper and Google's trace of 2011",
         .detail =
             "Fitted to published percentiles: 80th percentiles of 5.5 s (batch) and 15 min (service) for "
             "gaps, and of 16 min and 30 d for run times, with a fifth of the services above a month. Tasks "
             "per job, cores and memory are fitted to the jobs that run when the public trace begins: 39.9 "
             "and 32.6 tasks on average, with heavy tails. All laws are independent; tasks of a job are "
             "equal. The queue is 0 for batch, 1 for service. With `start: steady` about 63,000 batch and "
             "59,000 service tasks run at one time. " HC_LAW_HELP,
         .source =
             "Schwarzkopf et al., \"Omega\", EuroSys 2013, doi:10.1145/2465351.2465386; ClusterData 2011-2, "
             "https://github.com/google/cluster-data",
         .params = params, .options_size = sizeof(options)},
    .open = google_open,
    .next = google_next,
    .info = google_info,
    .visit = google_visit,
    .progress = google_progress,
    .close = google_close,
};
