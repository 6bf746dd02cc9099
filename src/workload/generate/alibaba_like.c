/* alibaba_like.c -- a stream of tasks shaped like those of Alibaba's cluster of 2018, as long as one
 * likes.
 *
 * What is published: 1.5e9 instances in 8 days on about 4,034 machines of 96 cores; the first 380e6 of
 * them arrive in 220,000 s, hence 1,727 per second; times are whole seconds; cores are counted in
 * hundredths. What is assumed: run times are lognormal with mean 58 s and cv 1.5, so that by Little's law
 * about 1e5 instances run at once; cores are 0.5 (66 %), 1 (22 %), 0.4 and 0.75 (6 % each), as the plans
 * of the sister trace of 2017 are (52,901 and 17,584 of 80,553 rows have 50 and 100); memory is lognormal
 * around 600 MiB, on machines of some 96 GiB. Each is a parameter.
 *
 * `shape: tasks` is built for speed: arrivals of a second are one Poisson number, all that is random about
 * a task are the four words of one Philox block, laws are tables (workload/lawtable.h), and 256 tasks are
 * handed over at once. Task i is a pure function of (seed, replication, stream, i), the number of arrivals
 * of a second of that second: the state is four integers. `shape: jobs` makes jobs of tasks of instances
 * in that trace's own sense, which wait for each other: on average 3.4 tasks a job and 95 instances a
 * task, both with heavy tails, an assumption after the numbers of rows of its tables (4.2e6 jobs, 14e6
 * tasks, 1.35e9 instances, from memory).
 *
 * Cost: about 40 ns per task; 400 ns per task of jobs as bundles. Memory: the tables, some 100 KB. */
#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "workload/cycle.h"
#include "workload/dag.h"
#include "workload/generated.h"
#include "workload/lawtable.h"

#define WHERE "source alibaba_like"
#define BLOCK 256u
#define NODE_BITS 16 /* of an entity: which task of the job */
#define MOST_NODES 64
#define MOST_INSTANCES 1000000
#define MOST_USERS 65536

typedef enum shapes { SHAPE_TASKS, SHAPE_JOBS } shapes;
typedef enum limits { LIMIT_EXACT, LIMIT_NONE } limits;

enum { RUN, CPU, MEMORY, TABLES, NODES = TABLES, INSTANCES, LAWS };

static const struct {
  const char *name;
  hc_law_unit unit;
} laws[LAWS] = {[RUN] = {"run", HC_LAW_TIME},
                [CPU] = {"cpu", HC_LAW_NUMBER},
                [MEMORY] = {"memory", HC_LAW_SIZE},
                [NODES] = {"tasks_per_job", HC_LAW_NUMBER},
                [INSTANCES] = {"instances", HC_LAW_NUMBER}};

typedef struct options {
  int64_t tasks, stream, users;
  hc_time until;
  const char *laws[LAWS];
  double rate, user_exponent;
  hc_list daily, weekly;
  int shape, dag, limit;
  bool bundle;
} options;

struct hc_source {
  const hc_source_context *context;
  const options *o;
  hc_law law[LAWS];
  hc_law_table table[TABLES]; /* seconds, thousandths of a core, bytes */
  hc_alias user;
  hc_cycle cycle;
  double rate;     /* of tasks, or of jobs, per second */
  int64_t seconds; /* no arrival at this second or later */
  uint64_t tasks;
  hc_trace_info info;
  hc_task_spec block[BLOCK]; /* those at hand; what no task changes stays */
  hc_after after[HC_DAG_TASKS];
  uint32_t before[HC_DAG_TASKS];
  struct {
    int64_t second;        /* at which the next task, or job, arrives */
    uint64_t left;         /* how many more of this second */
    uint64_t rank, handed; /* of the next task, or job; tasks handed over so far */
    uint64_t within;       /* rows of the job at hand that are gone */
  } s;
};

static hc_rc refuse(hc_error *e, const char *text)
{
  return hc_fail(e, HC_EUSAGE, WHERE, 0, 0, "%s", text);
}

/* ---- from options ---- */

static hc_rc read_laws(hc_source *s, hc_error *e)
{
  const hc_allocator *a = s->context->allocator;
  for (int i = 0; i < LAWS; i++)
    TRY(hc_law_read(&s->law[i], a, s->o->laws[i], laws[i].unit, WHERE, laws[i].name, e));
  if (s->law[CPU].mean > 0) hc_law_stretch(&s->law[CPU], s->law[CPU].mean * 1000.0);
  for (int i = 0; i < TABLES; i++) TRY(hc_law_table_make(&s->table[i], a, &s->law[i]));
  return 0;
}

static hc_rc set_rate(hc_source *s, hc_error *e)
{
  const options *o = s->o;
  s->rate = o->rate;
  if (o->shape == SHAPE_TASKS) return 0;
  if (s->law[NODES].high > MOST_NODES)
    return refuse(e, "tasks_per_job can be above 64: bound it with `to 64`");
  if (s->law[INSTANCES].high > MOST_INSTANCES)
    return refuse(e, "instances can be above 1,000,000: bound it with `to 1000000`");
  if (o->dag != HC_DAG_NONE && !s->context->lexicon)
    return refuse(e, "dependencies between tasks cannot be kept here: set dag to none");
  s->rate /= hc_law_mean_whole(&s->law[NODES], 1) * hc_law_mean_whole(&s->law[INSTANCES], 1);
  return 0;
}

static hc_rc set_users(hc_source *s)
{
  const uint32_t n = (uint32_t)s->o->users;
  double *weights;
  hc_rc rc;
  if (n == 0) return 0;
  weights = hc_alloc(s->context->allocator, n * sizeof *weights);
  if (!weights) return HC_ENOMEM;
  for (uint32_t k = 0; k < n; k++) weights[k] = hc_pow((double)k + 1.0, -s->o->user_exponent);
  rc = hc_alias_make(&s->user, s->context->allocator, weights, n);
  hc_free(s->context->allocator, weights, n * sizeof *weights);
  return rc;
}

static void alibaba_close(hc_source *s)
{
  if (!s) return;
  for (int i = 0; i < LAWS; i++) hc_law_fini(&s->law[i]);
  for (int i = 0; i < TABLES; i++) hc_law_table_fini(&s->table[i]);
  hc_alias_fini(&s->user, s->context->allocator);
  hc_free(s->context->allocator, s, sizeof *s);
}

static hc_rc alibaba_open(const hc_source_context *c, const void *given, hc_source **out, hc_error *e)
{
  const options *o = given;
  hc_source *s = hc_alloc(c->allocator, sizeof *s);
  hc_rc rc;
  if (!s) return HC_ENOMEM;
  s->context = c;
  s->o = o;
  s->tasks = o->tasks > 0 ? (uint64_t)o->tasks : UINT64_MAX;
  s->seconds = HC_GENERATED_END / HC_SECOND;
  if (o->until != HC_UNKNOWN) s->seconds = HC_MIN(-hc_floor_div(-o->until, HC_SECOND), s->seconds);
  s->s.second = -1; /* none has begun */
  s->info = (hc_trace_info){.unix_start = HC_UNKNOWN, .jobs = HC_UNKNOWN, .records = HC_UNKNOWN};
  for (uint32_t i = 0; i < BLOCK; i++) {
    s->block[i] = hc_generated_task(0, 0, 0, 1);
    s->block[i].hosts = 1;
  }
  TRY_OR(read_laws(s, e), fail);
  TRY_OR(set_rate(s, e), fail);
  TRY_OR(set_users(s), fail);
  TRY_OR(hc_cycle_init(&s->cycle, &o->daily, &o->weekly, WHERE, e), fail);
  *out = s;
  return 0;
fail:
  alibaba_close(s);
  return rc;
}

/* ---- arrivals ---- */

/* Go to a second in which something arrives, unless more is to come in this one. False at the end. */
static bool find_second(hc_source *s)
{
  while (s->s.left == 0) {
    const int64_t next = s->s.second + 1;
    if (next >= s->seconds) return false;
    const double weight = hc_cycle_weight(&s->cycle, next * HC_SECOND);
    hc_draws d = hc_generated_draws(s->context, s->o->stream, (uint64_t)next, HC_PURPOSE_ARRIVAL);
    s->s.second = next;
    if (weight > 0) s->s.left = hc_random_poisson(&d, s->rate * weight);
    else s->s.second = (next / 3600 + 1) * 3600 - 1; /* an hour in which nothing does */
  }
  return true;
}

/* ---- tasks ---- */

/* Block `number` of the words of an entity. */
static void words_of(const hc_source *s, uint64_t entity, uint64_t number, uint64_t out[4])
{
  const hc_source_context *c = s->context;
  const uint64_t counter[4] = {number, entity, c->replication, 0},
                 key[2] = {c->seed, (uint64_t)s->o->stream << 32 | (uint64_t)HC_PURPOSE_RUN};
  hc_philox(counter, key, out);
}

/* Whole seconds, at least one. */
static hc_time to_seconds(double x)
{
  return HC_MAX((hc_time)(x + 0.5), 1) * HC_SECOND;
}

static void put_run(const hc_source *s, hc_task_spec *t, uint64_t word)
{
  t->run = to_seconds(hc_law_table_draw(&s->table[RUN], word));
  t->limit = s->o->limit == LIMIT_EXACT ? t->run : HC_UNKNOWN;
}

static void put_demand(const hc_source *s, hc_task_spec *t, uint64_t cpu, uint64_t memory)
{
  const int64_t milli = (int64_t)(hc_law_table_draw(&s->table[CPU], cpu) + 0.5);
  t->need[HC_DIM_CPU] = milli;
  t->need[HC_DIM_MEMORY] = (int64_t)(hc_law_table_draw(&s->table[MEMORY], memory) + 0.5);
  t->procs_used = t->procs_asked = HC_MAX((milli + 999) / 1000, 1);
}

static void put_user(const hc_source *s, hc_task_spec *t, uint64_t word)
{
  if (s->user.count > 0) t->user = (int64_t)hc_alias_draw(&s->user, word) + 1;
}

static uint32_t next_tasks(hc_source *s)
{
  uint64_t n = HC_MIN(HC_MIN(s->s.left, BLOCK), s->tasks - s->s.handed);
  const hc_time at = s->s.second * HC_SECOND;
  for (uint64_t i = 0; i < n; i++) {
    hc_task_spec *t = &s->block[i];
    uint64_t words[4];
    words_of(s, s->s.rank, 0, words);
    t->id = (int64_t)++s->s.rank;
    t->submit = at;
    put_run(s, t, words[0]);
    put_demand(s, t, words[1], words[2]);
    put_user(s, t, words[3]);
  }
  s->s.left -= n;
  s->s.handed += n;
  return (uint32_t)n;
}

/* ---- jobs ---- */

static hc_draws job_draws(const hc_source *s, uint64_t node, hc_purpose purpose)
{
  return hc_generated_draws(s->context, s->o->stream, s->s.rank << NODE_BITS | node, purpose);
}

/* The tasks for which a task waits, as `rows` rows share it. */
static hc_rc put_after(hc_source *s, uint32_t node, uint32_t nodes, uint32_t first, uint32_t rows)
{
  const hc_lexicon_calls *calls = s->context->lexicon ? hc_lexicon_calls_of(s->context->lexicon) : NULL;
  hc_draws d = job_draws(s, 0, HC_PURPOSE_SHAPE);
  const hc_dag shape = hc_dag_of_job((hc_dag)s->o->dag, &d);
  hc_task_extras more = hc_task_extras_none();
  uint32_t handle = 0;
  d = job_draws(s, node, HC_PURPOSE_SHAPE);
  more.after_count = hc_dag_before(shape, node, nodes, &d, s->before);
  for (size_t i = 0; i < more.after_count; i++)
    s->after[i] = (hc_after){.job = (int64_t)s->s.rank + 1, .task = s->before[i], .how = HC_AFTER_ENDED};
  more.after = s->after;
  if (more.after_count > 0 && !(handle = hc_lexicon_keep(s->context->lexicon, &more))) return HC_ENOMEM;
  for (uint32_t i = 0; i < rows; i++) {
    s->block[first + i].more = handle;
    if (i > 0 && handle) calls->hold(s->context->lexicon, handle);
  }
  return 0;
}

/* Rows of one task of the job, from instance `from` on. */
static hc_rc put_node(hc_source *s, uint32_t node, uint32_t nodes, uint64_t instances, uint64_t from,
                      uint32_t first, uint32_t rows, int64_t user)
{
  const uint64_t entity = s->s.rank << NODE_BITS | node;
  uint64_t words[4], own[4];
  words_of(s, entity, 0, words);
  for (uint32_t i = 0; i < rows; i++) {
    hc_task_spec *t = &s->block[first + i];
    t->id = node;
    t->job = (int64_t)s->s.rank + 1;
    t->submit = s->s.second * HC_SECOND;
    t->user = user;
    t->count = s->o->bundle && instances > 1 ? (uint32_t)instances : 0;
    put_demand(s, t, words[1], words[2]);
    words_of(s, entity, from + i + 1, own);
    put_run(s, t, own[0]);
  }
  return put_after(s, node, nodes, first, rows);
}

/* The next rows of the job at hand. */
static hc_rc next_of_job(hc_source *s, uint32_t *count)
{
  hc_draws d = job_draws(s, 0, HC_PURPOSE_JOB);
  const uint32_t nodes = (uint32_t)hc_law_draw_whole(&s->law[NODES], &d, 1, MOST_NODES);
  hc_task_spec whose = {.user = -1};
  uint64_t passed = 0, total = 0, words[4]; /* rows before this task; instances of the job */
  uint32_t n = 0;
  words_of(s, s->s.rank << NODE_BITS, 0, words);
  put_user(s, &whose, words[3]);
  for (uint32_t node = 1; node <= nodes; node++) {
    hc_draws own = job_draws(s, node, HC_PURPOSE_JOB);
    const uint64_t instances = (uint64_t)hc_law_draw_whole(&s->law[INSTANCES], &own, 1, MOST_INSTANCES);
    const uint64_t rows = s->o->bundle ? 1 : instances, gone = s->s.within + n;
    total += instances;
    if (gone < passed + rows && gone >= passed && n < BLOCK) {
      const uint32_t more = (uint32_t)HC_MIN(passed + rows - gone, BLOCK - n);
      TRY(put_node(s, node, nodes, instances, gone - passed, n, more, whose.user));
      n += more;
    }
    passed += rows;
  }
  s->s.within += n;
  *count = n;
  if (s->s.within < passed) return 0;
  s->s.within = 0;
  s->s.left--;
  s->s.rank++;
  s->s.handed += total;
  return 0;
}

static hc_rc alibaba_next(hc_source *s, hc_job *job, hc_error *e)
{
  uint32_t n = 0;
  HC_UNUSED(e);
  if (s->s.handed >= s->tasks || !find_second(s)) return 0;
  if (s->o->shape == SHAPE_JOBS) TRY(next_of_job(s, &n));
  else n = next_tasks(s);
  *job = (hc_job){.tasks = s->block, .task_count = n};
  return 1;
}

/* ---- the source ---- */

static const hc_trace_info *alibaba_info(hc_source *s)
{
  return &s->info;
}

static hc_rc alibaba_visit(hc_source *s, hc_visitor *v, hc_error *e)
{
  HC_VISIT(v, s->s);
  if (s->s.second >= -1 && s->s.second < HC_GENERATED_END / HC_SECOND && (s->s.left == 0 || s->s.second >= 0))
    return 0;
  return hc_fail(e, HC_EINPUT, WHERE, 0, 0, "the saved state is damaged: make it again");
}

static void alibaba_progress(hc_source *s, uint64_t *done, uint64_t *total)
{
  *done = s->s.handed;
  *total = (uint64_t)s->o->tasks;
}

static hc_refers alibaba_refers(const hc_source *s)
{
  return s->o->shape == SHAPE_JOBS && s->o->dag != HC_DAG_NONE ? HC_REFERS_JOB : HC_REFERS_NONE;
}

#define OFFSET(member) .offset = offsetof(options, member)
#define LAW(word, number, unit_, value, text) \
  { \
    .name = word, .type = HC_TEXT, OFFSET(laws[number]), .unit = unit_, .fallback = value, .help = text \
  }

static const hc_param params[] = {
    HC_PARAM(INT, options, tasks, "tasks", "1000000", 0, 1e15,
             "Number of tasks; with `shape: jobs` of instances, where the last job is whole. 0: tasks arrive "
             "until `until`, or until the end of the run."),
    HC_GENERATED_UNTIL(options),
    HC_GENERATED_STREAM(options),
    HC_PARAM(REAL, options, rate, "1/s", "1727", 1e-3, 1e6,
             "Tasks that arrive in a second, on average over a week: 380e6 in 220,000 s."),
    HC_CYCLE_PARAMS(options),
    LAW("run", RUN, "s", "lognormal(58s 1.5) from 1s to 1d",
        "Law of the run time, rounded to whole seconds, at least one."),
    LAW("cpu", CPU, "cores", "0.66*0.5 + 0.22*1 + 0.06*0.4 + 0.06*0.75",
        "Law of the cores of a task, to thousandths."),
    LAW("memory", MEMORY, "B", "lognormal(600MiB 0.7) from 32MiB to 16GiB", "Law of the memory of a task."),
    HC_PARAM(CHOICE, options, limit, "exact|none", "exact",
             "The limit of a task. exact: its run time. none: it has none, as in the trace."),
    HC_PARAM(INT, options, users, "users", "0", 0, MOST_USERS,
             "Number of users. 0: tasks have no user, as in the trace."),
    HC_PARAM(REAL, options, user_exponent, "1", "1", 0, 10,
             "User k submits in proportion to k^-exponent (Zipf); 0: all alike."),
    HC_PARAM(CHOICE, options, shape, "tasks|jobs", "tasks",
             "What arrives. tasks: independent tasks, at `rate`. jobs: jobs of several tasks of many "
             "instances, at rate / (E[tasks_per_job] E[instances]) jobs in a second; a task is one row, or "
             "without `bundle` a row for each instance."),
    LAW("tasks_per_job", NODES, "tasks", "0.4*1 + 0.6*lognormal(5 0.8) to 64",
        "With `shape: jobs`: law of the number of tasks of a job, rounded, 1 to 64."),
    LAW("instances", INSTANCES, "instances", "0.4*1 + 0.6*pareto(2 20000 0.55)",
        "With `shape: jobs`: law of the number of instances of a task, rounded, 1 to 1,000,000."),
    HC_PARAM(CHOICE, options, dag, HC_DAG_CHOICES, "mixed",
             "Used with `shape: jobs`. " HC_DAG_HELP
             "A task begins when all instances of those that it waits for have ended."),
    HC_PARAM(BOOL, options, bundle, "true",
             "With `shape: jobs`: whether the instances of a task are equal, and one row with a count. "
             "false: each has a row, and a run time of its own."),
    {.name = NULL},
};

const hc_reader_type hc_reader_alibaba_like = {
    .component =
        {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "alibaba_like",
         .summary =
             "generates a stream like Alibaba's batch instances of 2018, at 1,727 small tasks in a second",
         .detail = "Arrivals are a Poisson process, rounded to whole seconds, with daily and weekly weights "
                   "if given. By Little's law rate x E[run] tasks run at one time, with the defaults 1e5. "
                   "Published: the rate, whole seconds, hundredths of a core, machines of 96 cores. Assumed: "
                   "the laws of run, cpu and memory, and the shapes of jobs; demands and run times are "
                   "independent. Continuous laws are drawn from tables of 1,024 quantiles, finer in the "
                   "tail: the cdf is within 2^-12 of the law's, the mean within a thousandth. " HC_LAW_HELP,
         .source = "Alibaba cluster-trace-v2018, https://github.com/alibaba/clusterdata; DSLab-CS's thesis, "
                   "section 5.1 (380e6 tasks in 220,000 s); cluster-trace-v2017 (plan_cpu)",
         .params = params, .options_size = sizeof(options)},
    .open = alibaba_open,
    .next = alibaba_next,
    .info = alibaba_info,
    .visit = alibaba_visit,
    .progress = alibaba_progress,
    .close = alibaba_close,
    .refers = alibaba_refers,
};
