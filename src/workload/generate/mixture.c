/* mixture.c -- jobs from laws: of gaps, tasks per job, run times, sizes, demands, limits, priorities and
 * users.
 *
 * Where `synthetic` has a family, a mean and a cv, this has a law as workload/law.h reads it: mixtures
 * with weights, empirical values, quantiles, bounds. A job is one task, or several that share its user,
 * its demands and its priority; each has a run time of its own unless they are a bundle, and they may wait
 * for each other (workload/dag.h).
 *
 * Everything about task k of job j is a pure function of (seed, replication, stream, j, k, purpose), and
 * each law has draws of its own: changing one leaves the others' draws as they were, and a longer workload
 * begins with the shorter. Only the clock is carried on. Daily and weekly weights stretch time:
 * workload/cycle.h.
 *
 * Load: laws are independent, so the mean work of a job is a product of means, all known in closed form;
 * nothing is measured. Cost: about 150 ns per law and task, constant memory. */
#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "workload/cycle.h"
#include "workload/dag.h"
#include "workload/generated.h"
#include "workload/law.h"

#define WHERE "source mixture"
#define BLOCK 256u   /* tasks handed over at once */
#define TASK_BITS 20 /* of an entity: which task of the job */
#define MOST_TASKS ((int64_t)1 << TASK_BITS)
#define MOST_BUNDLED ((int64_t)1000000000)
#define DRAWS_APART 64 /* draws of one stream that a law may use before it meets the next one's */
#define LONGEST 1e9    /* seconds */

enum { INTERVAL, RUN, TASKS, SIZE, HOSTS, CPU, MEMORY, GPU, DISK, LIMIT, PRIORITY, LAWS };

static const struct {
  const char *name;
  hc_law_unit unit;
} laws[LAWS] = {[INTERVAL] = {"interval", HC_LAW_TIME},
                [RUN] = {"run", HC_LAW_TIME},
                [TASKS] = {"tasks_per_job", HC_LAW_NUMBER},
                [SIZE] = {"size", HC_LAW_NUMBER},
                [HOSTS] = {"hosts", HC_LAW_NUMBER},
                [CPU] = {"cpu", HC_LAW_NUMBER},
                [MEMORY] = {"memory", HC_LAW_SIZE},
                [GPU] = {"gpu", HC_LAW_NUMBER},
                [DISK] = {"disk", HC_LAW_SIZE},
                [LIMIT] = {"limit_factor", HC_LAW_NUMBER},
                [PRIORITY] = {"priority", HC_LAW_NUMBER}};

typedef struct options {
  int64_t jobs, procs, stream, users, groups;
  hc_time until, limit_round;
  const char *laws[LAWS];
  double load, user_exponent;
  hc_list daily, weekly;
  int dag, day;
  bool bundle, spread, whole_seconds;
} options;

struct hc_source {
  const hc_source_context *context;
  const options *o;
  hc_law law[LAWS];
  bool has[LAWS];
  hc_cycle cycle;
  hc_zipf user;
  hc_time until;
  int64_t most_tasks;
  hc_trace_info info;
  hc_task_spec tasks[BLOCK]; /* those at hand */
  hc_after after[HC_DAG_TASKS];
  uint32_t before[HC_DAG_TASKS];
  struct {
    hc_time clock;         /* of the last job that was handed over whole */
    uint64_t rank, within; /* of the next job; how many of its tasks are gone already */
  } s;
};

static hc_rc refuse(hc_error *e, const char *text)
{
  return hc_fail(e, HC_EUSAGE, WHERE, 0, 0, "%s", text);
}

/* ---- from options ---- */

static hc_rc read_laws(hc_source *s, hc_error *e)
{
  for (int i = 0; i < LAWS; i++) {
    const char *text = s->o->laws[i];
    if (i == INTERVAL && !text && s->o->load > 0) text = "exponential(1)";
    s->has[i] = text != NULL;
    if (text) TRY(hc_law_read(&s->law[i], s->context->allocator, text, laws[i].unit, WHERE, laws[i].name, e));
  }
  return 0;
}

static hc_rc check(hc_source *s, hc_error *e)
{
  const options *o = s->o;
  const double most_tasks = s->has[TASKS] ? s->law[TASKS].high : 1;
  s->most_tasks = o->bundle ? MOST_BUNDLED : MOST_TASKS;
  if (o->dag == HC_DAG_NONE) return 0;
  if (!s->context->lexicon) return refuse(e, "dependencies between tasks cannot be kept here: leave out dag");
  if (o->bundle) return refuse(e, "tasks of a bundle cannot wait for each other: leave out dag, or bundle");
  if (most_tasks > HC_DAG_TASKS)
    return refuse(
        e, "a job whose tasks wait for each other has at most 1024 of them: bound tasks_per_job, as in "
           "`lognormal(20 2) to 1024`");
  return 0;
}

/* Processors, or cores, that a task has in the mean. */
static double mean_size(const hc_source *s)
{
  const double hosts = s->has[HOSTS] ? hc_law_mean_whole(&s->law[HOSTS], 1) : 1.0;
  if (s->has[SIZE]) return hc_law_mean_whole(&s->law[SIZE], 1);
  return s->has[CPU] ? s->law[CPU].mean * hosts : hosts;
}

static hc_rc set_load(hc_source *s, hc_error *e)
{
  const options *o = s->o;
  const double tasks = s->has[TASKS] ? hc_law_mean_whole(&s->law[TASKS], 1) : 1.0;
  double mean;
  if (!s->has[INTERVAL]) return refuse(e, "nothing says how often jobs arrive: give load, or interval");
  if (!(s->law[INTERVAL].mean > 0)) return refuse(e, "interval is always 0: nothing would ever end");
  if (!(o->load > 0)) return 0;
  mean = s->law[RUN].mean * mean_size(s) * tasks / (o->load * (double)o->procs);
  if (!(mean >= 1e-6 && mean <= LONGEST))
    return hc_fail(e, HC_EUSAGE, WHERE, 0, 0,
                   "for this load a job would have to arrive every %.3g s: change the load, run or procs",
                   mean);
  hc_law_stretch(&s->law[INTERVAL], mean);
  return 0;
}

static void mixture_close(hc_source *s)
{
  if (!s) return;
  for (int i = 0; i < LAWS; i++) hc_law_fini(&s->law[i]);
  hc_free(s->context->allocator, s, sizeof *s);
}

static hc_rc mixture_open(const hc_source_context *c, const void *given, hc_source **out, hc_error *e)
{
  const options *o = given;
  hc_source *s = hc_alloc(c->allocator, sizeof *s);
  hc_rc rc;
  if (!s) return HC_ENOMEM;
  s->context = c;
  s->o = o;
  s->until = o->until == HC_UNKNOWN ? HC_GENERATED_END : HC_MIN(o->until, HC_GENERATED_END);
  s->info = (hc_trace_info){.processors = o->procs,
                            .unix_start = HC_UNKNOWN,
                            .jobs = o->jobs > 0 ? o->jobs : HC_UNKNOWN,
                            .records = HC_UNKNOWN};
  if (o->users > 0) hc_zipf_fit(&s->user, (uint64_t)o->users, o->user_exponent);
  TRY_OR(read_laws(s, e), fail);
  TRY_OR(check(s, e), fail);
  TRY_OR(set_load(s, e), fail);
  TRY_OR(hc_cycle_init(&s->cycle, &o->daily, &o->weekly, WHERE, e), fail);
  TRY_OR(hc_cycle_publish(&s->cycle, (hc_cycle_day)o->day, &o->daily, WHERE, e), fail);
  *out = s;
  return 0;
fail:
  mixture_close(s);
  return rc;
}

/* ---- one job ---- */

/* The draws of one law for the job at hand, or for one of its tasks. */
static hc_draws draws(const hc_source *s, int law, uint64_t entity, hc_purpose purpose)
{
  hc_draws d = hc_generated_draws(s->context, s->o->stream, entity, purpose);
  d.draw = (uint64_t)law * DRAWS_APART;
  return d;
}

static double draw_demand(const hc_source *s, int law)
{
  hc_draws d = draws(s, law, s->s.rank, HC_PURPOSE_DEMAND);
  return s->has[law] ? hc_law_draw(&s->law[law], &d) : -1.0;
}

static int64_t draw_whole(const hc_source *s, int law, hc_purpose purpose, int64_t least, int64_t most)
{
  hc_draws d = draws(s, law, s->s.rank, purpose);
  return s->has[law] ? hc_law_draw_whole(&s->law[law], &d, least, most) : least;
}

static int64_t thousandths(double x)
{
  return x > 0 ? HC_MAX((int64_t)(x * 1000.0 + 0.5), 1) : 0;
}

static void put_demand(const hc_source *s, hc_task_spec *t)
{
  const double cpu = draw_demand(s, CPU), memory = draw_demand(s, MEMORY), gpu = draw_demand(s, GPU),
               disk = draw_demand(s, DISK);
  const bool on_hosts = s->has[HOSTS] || s->has[CPU] || s->has[MEMORY] || s->has[GPU] || s->has[DISK];
  if (on_hosts) hc_generated_demand(t, cpu, memory, draw_whole(s, HOSTS, HC_PURPOSE_DEMAND, 1, 1000000));
  if (gpu >= 0) t->need[HC_DIM_GPU] = thousandths(gpu);
  if (disk >= 0) t->need[HC_DIM_DISK] = (int64_t)(disk + 0.5);
  if (s->o->spread && t->hosts > 1) t->flags |= HC_SPEC_SPREAD;
  if (s->has[SIZE] || !on_hosts)
    t->procs_used = t->procs_asked = draw_whole(s, SIZE, HC_PURPOSE_SIZE, 1, s->o->procs);
}

/* What all tasks of the job have. */
static hc_task_spec job_of(const hc_source *s, hc_time at, int64_t count)
{
  const options *o = s->o;
  hc_task_spec t =
      hc_generated_task(s->s.rank, o->whole_seconds ? hc_floor_div(at, HC_SECOND) * HC_SECOND : at, 0, 1);
  hc_draws d = hc_generated_draws(s->context, o->stream, s->s.rank, HC_PURPOSE_USER);
  if (o->users > 0) t.user = (int64_t)hc_zipf_draw(&s->user, &d);
  if (o->users > 0 && o->groups > 0) t.group = (t.user - 1) % o->groups + 1;
  t.priority = draw_whole(s, PRIORITY, HC_PURPOSE_JOB, 0, 1000000000);
  put_demand(s, &t);
  if (s->has[TASKS]) t.job = (int64_t)s->s.rank + 1;
  if (o->bundle && count > 1) t.count = (uint32_t)count;
  return t;
}

static hc_time limit_of(const hc_source *s, hc_time run, uint64_t entity)
{
  const hc_time round = s->o->limit_round;
  hc_draws d = draws(s, 0, entity, HC_PURPOSE_ESTIMATE);
  hc_time limit = run;
  if (s->has[LIMIT]) {
    limit = hc_generated_time((double)run / 1e9 * hc_law_draw(&s->law[LIMIT], &d));
    limit = HC_MAX(limit, 1);
  }
  if (round > 0 && limit < HC_GENERATED_END) limit = -hc_floor_div(-limit, round) * round;
  return limit;
}

/* The tasks for which task `number` waits. */
static hc_rc put_after(hc_source *s, hc_task_spec *t, uint32_t number, uint32_t count)
{
  hc_draws d = hc_generated_draws(s->context, s->o->stream, s->s.rank << TASK_BITS, HC_PURPOSE_SHAPE);
  const hc_dag shape = hc_dag_of_job((hc_dag)s->o->dag, &d);
  hc_task_extras more = hc_task_extras_none();
  d = hc_generated_draws(s->context, s->o->stream, s->s.rank << TASK_BITS | number, HC_PURPOSE_SHAPE);
  more.after_count = hc_dag_before(shape, number, count, &d, s->before);
  if (more.after_count == 0) return 0;
  for (size_t i = 0; i < more.after_count; i++)
    s->after[i] = (hc_after){.job = t->job, .task = s->before[i], .how = HC_AFTER_ENDED};
  more.after = s->after;
  t->more = hc_lexicon_keep(s->context->lexicon, &more);
  return t->more ? 0 : HC_ENOMEM;
}

static hc_rc put_task(hc_source *s, hc_task_spec *t, uint64_t k, int64_t count)
{
  const uint64_t entity = s->s.rank << TASK_BITS | k;
  hc_draws d = draws(s, 0, entity, HC_PURPOSE_RUN);
  const hc_time run = hc_generated_time(hc_law_draw(&s->law[RUN], &d));
  t->run = HC_MAX(run, 1);
  if (s->o->whole_seconds) t->run = hc_generated_up(t->run);
  t->limit = limit_of(s, t->run, entity);
  if (s->o->whole_seconds) t->limit = hc_generated_up(t->limit);
  if (!s->has[TASKS]) return 0;
  t->id = (int64_t)k + 1;
  return s->o->dag == HC_DAG_NONE ? 0 : put_after(s, t, (uint32_t)k + 1, (uint32_t)count);
}

static hc_rc mixture_next(hc_source *s, hc_job *job, hc_error *e)
{
  hc_draws d = draws(s, 0, s->s.rank, HC_PURPOSE_ARRIVAL);
  uint32_t n = 0;
  HC_UNUSED(e);
  if (s->o->jobs > 0 && s->s.rank >= (uint64_t)s->o->jobs) return 0;
  const hc_time at = hc_cycle_after(&s->cycle, s->s.clock, hc_law_draw(&s->law[INTERVAL], &d), s->until);
  if (at >= s->until) return 0; /* nothing has changed: the next call says so again */
  const int64_t count = draw_whole(s, TASKS, HC_PURPOSE_JOB, 1, s->most_tasks);
  const uint64_t rows = s->o->bundle ? 1 : (uint64_t)count;
  const hc_task_spec like = job_of(s, at, count);
  for (; n < BLOCK && s->s.within + n < rows; n++) {
    s->tasks[n] = like;
    TRY(put_task(s, &s->tasks[n], s->s.within + n, count));
  }
  s->s.within += n;
  if (s->s.within >= rows) {
    s->s.clock = at;
    s->s.rank++;
    s->s.within = 0;
  }
  *job = (hc_job){.tasks = s->tasks, .task_count = n};
  return 1;
}

/* ---- the source ---- */

static const hc_trace_info *mixture_info(hc_source *s)
{
  return &s->info;
}

static hc_rc mixture_visit(hc_source *s, hc_visitor *v, hc_error *e)
{
  HC_VISIT(v, s->s);
  if (s->s.clock >= 0 && s->s.clock <= HC_GENERATED_END && s->s.within < (uint64_t)MOST_TASKS) return 0;
  return hc_fail(e, HC_EINPUT, WHERE, 0, 0, "the saved state is damaged: make it again");
}

static void mixture_progress(hc_source *s, uint64_t *done, uint64_t *total)
{
  *done = s->s.rank;
  *total = (uint64_t)s->o->jobs;
}

static hc_refers mixture_refers(const hc_source *s)
{
  return s->o->dag == HC_DAG_NONE ? HC_REFERS_NONE : HC_REFERS_JOB;
}

#define OFFSET(member) .offset = offsetof(options, member)
#define LAW_OF(word, number, unit_, value, text) \
  { \
    .name = word, .type = HC_TEXT, OFFSET(laws[number]), .unit = unit_, .fallback = value, .help = text \
  }

static const hc_param params[] = {
    HC_PARAM(INT, options, jobs, "jobs", "1000", 0, 1e13,
             "Number of jobs. 0: jobs arrive until `until`, or until the end of the run."),
    HC_GENERATED_UNTIL(options),
    HC_GENERATED_STREAM(options),
    HC_PARAM(INT, options, procs, "processors", "128", 1, 1e9,
             "Processors (or cores) of the machine, for the run, for the load, and as the largest size."),
    LAW_OF("interval", INTERVAL, "s", NULL,
           "Law of the time between two jobs; with `load` only its shape counts. Default: exponential."),
    HC_PARAM(REAL, options, load, "1", NULL, 0, 1000,
             "Offered load: `interval` is stretched to the mean E[run] E[size] E[tasks_per_job] / (load x "
             "procs); without `size`, E[cpu] E[hosts] takes the place of E[size]. 0, the default: `interval` "
             "stays as it is."),
    HC_CYCLE_PARAMS(options),
    HC_CYCLE_DAY(options),
    LAW_OF("run", RUN, "s", "lognormal(1h 2) from 1s",
           "Law of the run time of a task; all tasks of a bundle have the same one."),
    LAW_OF("tasks_per_job", TASKS, "tasks", NULL,
           "Law of the number of tasks of a job, rounded, at least 1 and at most 2^20 (with `bundle` 10^9). "
           "Jobs are numbered from 1, and the id of a task is its number within the job. Default: tasks are "
           "not part of jobs."),
    HC_PARAM(BOOL, options, bundle, "false",
             "Whether the tasks of a job are equal, also in their run times, and are one row with a count."),
    HC_PARAM(CHOICE, options, dag, HC_DAG_CHOICES, "none",
             HC_DAG_HELP "Tasks wait until the others have ended in any way."),
    LAW_OF(
        "size", SIZE, "processors", NULL,
        "Law of the number of processors of a task on a cell that counts processors, rounded, at least 1 and "
        "at most procs. Default: the cores of its hosts, rounded up; without `cpu` one for each host."),
    LAW_OF("hosts", HOSTS, "hosts", NULL,
           "Law of the number of hosts (slots) of a task, rounded. Default: 1."),
    HC_PARAM(BOOL, options, spread, "false", "Whether each slot of a task is on another host."),
    LAW_OF("cpu", CPU, "cores", NULL,
           "Law of the cores that a task asks for on each host, to thousandths. Default: none."),
    LAW_OF("memory", MEMORY, "B", NULL,
           "Law of the memory that a task asks for on each host: lognormal(2GiB 1). Default: none."),
    LAW_OF("gpu", GPU, "GPUs", NULL,
           "Law of the GPUs that a task asks for on each host, to thousandths: 0.6*0 + 0.3*0.5 + 0.1*1. "
           "Default: none."),
    LAW_OF("disk", DISK, "B", NULL,
           "Law of the disk space that a task asks for on each host. Default: none."),
    LAW_OF("limit_factor", LIMIT, "1", NULL,
           "Law of limit / run time, for each task; below 1 the run time exceeds the limit. Default: the "
           "limit is the run time."),
    HC_PARAM(TIME, options, limit_round, "s", "0", 0, LONGEST,
             "Limits are rounded up to multiples of this. 0: they are not rounded."),
    LAW_OF("priority", PRIORITY, "1", NULL,
           "Law of the priority of a job, rounded, higher first. Default: 0."),
    HC_PARAM(INT, options, users, "users", "20", 0, 1e9, "Number of users. 0: jobs have no user."),
    HC_PARAM(REAL, options, user_exponent, "1", "1", 0, 10,
             "User k submits in proportion to k^-exponent (Zipf); 0: all alike."),
    HC_PARAM(INT, options, groups, "groups", "0", 0, 1e9,
             "Number of groups: user k is in group (k - 1) mod groups + 1. 0: jobs have no group."),
    HC_PARAM(BOOL, options, whole_seconds, "false",
             "Whether submissions are rounded down, and run times and limits up, to whole seconds. The load "
             "is that before rounding."),
    {.name = NULL},
};

const hc_reader_type hc_reader_mixture = {
    .component =
        {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "mixture",
         .summary =
             "generates jobs from laws of chance: mixtures, empirical values, demand vectors, DAGs, cycles",
         .detail =
             HC_LAW_HELP " All laws are independent and have draws of their own. Demands, size, priority and "
                         "user are those of the job, run times and limits those of each task. A load is met "
                         "in the mean, from the means of the laws in closed form. Daily and weekly weights "
                         "stretch time, so that the mean rate over a week stays.",
         .source = "Gerhardt & Nelson 2009, doi:10.1287/ijoc.1080.0316 (cycles); Whitt 1982, "
                   "doi:10.1287/opre.30.1.125 (hyperexponential)",
         .params = params, .options_size = sizeof(options)},
    .open = mixture_open,
    .next = mixture_next,
    .info = mixture_info,
    .visit = mixture_visit,
    .progress = mixture_progress,
    .close = mixture_close,
    .refers = mixture_refers,
};
