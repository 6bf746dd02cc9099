/* random.c -- the random generator of DSLab-CS: one user's tasks of one kind, one after another.
 *
 * Gaps, cpus, memory and hosts are uniform between two bounds; run times are normal and never below a
 * second. As there, the first task comes a second after `start_time`, and the gap before it is none. Two
 * things are ours: the number of hosts is used (theirs is read and always one), and `measure: work` makes
 * the normal number an amount of work, which the task's processors share. A whole workload is a list of
 * such sources, one for each user, each with another `stream`.
 *
 * Task i follows from seed, replication, stream and i; only the clock is carried on. Cost: about 200 ns
 * per task. Source: the program's documentation, its section on the random generator; the draws are those
 * of base/random.c. */
#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "base/variates.h"
#include "workload/generated.h"
#include "workload/spec.h"

#define LONGEST 1e9 /* seconds */

typedef enum measures { MEASURE_DURATION, MEASURE_WORK } measures;

typedef struct options {
  int64_t execution_count, stream, collection_id;
  int64_t cpu_min, cpu_max, memory_min, memory_max, nodes_count_min, nodes_count_max;
  hc_time start_time, delay_min, delay_max, until;
  double duration_mean, duration_dev, speed;
  const char *user;
  int measure;
  bool alike;
} options;

struct hc_source {
  const hc_source_context *context;
  const options *o;
  hc_time until;
  int64_t user;
  hc_trace_info info;
  hc_task_spec task; /* the one at hand */
  struct {
    hc_time clock; /* of the next arrival */
    uint64_t rank; /* of the next task */
  } s;
};

static hc_rc refuse(hc_error *e, const char *text)
{
  return hc_fail(e, HC_EUSAGE, "source random", 0, 0, "%s", text);
}

static hc_rc check(const options *o, hc_error *e)
{
  if (o->cpu_min > o->cpu_max) return refuse(e, "cpu_min is above cpu_max: exchange them");
  if (o->memory_min > o->memory_max) return refuse(e, "memory_min is above memory_max: exchange them");
  if (o->delay_min > o->delay_max) return refuse(e, "delay_min is above delay_max: exchange them");
  if (o->nodes_count_min > o->nodes_count_max)
    return refuse(e, "nodes_count_min is above nodes_count_max: exchange them");
  if (o->delay_max == 0 && o->execution_count == 0)
    return refuse(e,
                  "with delay_max 0 and no execution_count tasks without end would arrive at once: set one");
  return 0;
}

static void random_close(hc_source *s)
{
  if (s) hc_free(s->context->allocator, s, sizeof *s);
}

static hc_rc random_open(const hc_source_context *c, const void *given, hc_source **out, hc_error *e)
{
  const options *o = given;
  hc_source *s;
  hc_rc rc;
  TRY(check(o, e));
  s = hc_alloc(c->allocator, sizeof *s);
  if (!s) return HC_ENOMEM;
  s->context = c;
  s->o = o;
  s->until = o->until == HC_UNKNOWN ? HC_GENERATED_END : HC_MIN(o->until, HC_GENERATED_END);
  s->info = (hc_trace_info){.unix_start = HC_UNKNOWN, .jobs = HC_UNKNOWN, .records = HC_UNKNOWN};
  s->s.clock = o->start_time + HC_SECOND;
  s->user = -1;
  if (o->user && o->user[0]) TRY_OR(hc_generated_user(c, o->user, &s->user), fail);
  *out = s;
  return 0;
fail:
  random_close(s);
  return rc;
}

/* A number from low to high, each as likely. */
static int64_t between(int64_t low, int64_t high, hc_draws *d)
{
  return low + (int64_t)hc_random_below(d, (uint64_t)(high - low) + 1);
}

/* The normal quantile of one uniform number: as many draws for every task. 1 - u is never 0. */
static double draw_length(const hc_source *s)
{
  const options *o = s->o;
  hc_draws d = hc_generated_draws(s->context, o->stream, s->s.rank, HC_PURPOSE_RUN);
  const double u = hc_random_unit(&d);
  if (o->duration_dev == 0) return o->duration_mean;
  return o->duration_mean + o->duration_dev * hc_normal_quantile(u > 0 ? u : 0x1p-54);
}

static hc_rc random_next(hc_source *s, hc_job *job, hc_error *e)
{
  const options *o = s->o;
  hc_draws d = hc_generated_draws(s->context, o->stream, o->alike ? 0 : s->s.rank, HC_PURPOSE_SIZE);
  HC_UNUSED(e);
  if (o->execution_count > 0 && s->s.rank >= (uint64_t)o->execution_count) return 0;
  if (s->s.clock >= s->until) return 0;
  const int64_t cpus = between(o->cpu_min, o->cpu_max, &d);
  const int64_t memory = between(o->memory_min, o->memory_max, &d);
  const int64_t hosts = between(o->nodes_count_min, o->nodes_count_max, &d);
  double run = draw_length(s);
  if (o->measure == MEASURE_WORK) run /= (double)(cpus * hosts) * o->speed;
  s->task =
      hc_generated_task(s->s.rank, s->s.clock, hc_generated_time(HC_MIN(HC_MAX(run, 1.0), LONGEST)), hosts);
  hc_generated_demand(&s->task, (double)cpus, (double)memory, hosts);
  if (hosts > 1) s->task.flags |= HC_SPEC_SPREAD;
  s->task.user = s->user;
  s->task.job = o->collection_id;
  d = hc_generated_draws(s->context, o->stream, s->s.rank, HC_PURPOSE_ARRIVAL);
  s->s.clock = hc_time_add(s->s.clock, between(o->delay_min, o->delay_max, &d));
  s->s.rank++;
  *job = (hc_job){.tasks = &s->task, .task_count = 1};
  return 1;
}

static const hc_trace_info *random_info(hc_source *s)
{
  return &s->info;
}

static hc_rc random_visit(hc_source *s, hc_visitor *v, hc_error *e)
{
  HC_VISIT(v, s->s);
  if (s->s.clock >= 0) return 0;
  return hc_fail(e, HC_EINPUT, "source random", 0, 0, "the saved state is damaged: make it again");
}

static void random_progress(hc_source *s, uint64_t *done, uint64_t *total)
{
  *done = s->s.rank;
  *total = (uint64_t)s->o->execution_count;
}

#define OFFSET(member) .offset = offsetof(options, member)
#define AMOUNT(word, type_, member, unit_, value, low, high, text) \
  { \
    .name = word, .type = type_, OFFSET(member), .unit = unit_, .fallback = value, .min = low, .max = high, \
    .help = text \
  }

static const hc_param params[] = {
    AMOUNT("execution_count", HC_INT, execution_count, "tasks", "1000", 0, 1e15,
           "How many tasks there are; 0: no end but `until`, or the run's own."),
    HC_GENERATED_UNTIL(options),
    HC_GENERATED_STREAM(options),
    HC_PARAM(TEXT, options, user, NULL,
             "The user of the tasks: a number, or a name, which gets a number from the run's list of names. "
             "Default: none."),
    AMOUNT("collection_id", HC_INT, collection_id, "1", "-1", -1, 9e15,
           "Number of the job of which all tasks are part. -1: tasks are not part of a job."),
    AMOUNT("start_time", HC_TIME, start_time, "s", "0", 0, LONGEST,
           "The first task comes a second after this."),
    AMOUNT("delay_min", HC_TIME, delay_min, "s", "1s", 0, LONGEST,
           "Shortest time between two arrivals, which is uniform up to delay_max."),
    AMOUNT("delay_max", HC_TIME, delay_max, "s", "4s", 0, LONGEST, "Longest time between two arrivals."),
    AMOUNT("cpu_min", HC_INT, cpu_min, "cores", "1", 1, 1e6,
           "Fewest cores on each host; each number from this to cpu_max has the same probability."),
    AMOUNT("cpu_max", HC_INT, cpu_max, "cores", "1", 1, 1e6, "Most cores on each host."),
    AMOUNT("memory_min", HC_SIZE, memory_min, "B", "1GiB", 0, 1125899906842624.0,
           "Least memory on each host; each amount from this to memory_max has the same probability."),
    AMOUNT("memory_max", HC_SIZE, memory_max, "B", "1GiB", 0, 1125899906842624.0,
           "Most memory on each host."),
    AMOUNT("nodes_count_min", HC_INT, nodes_count_min, "hosts", "1", 1, 1e6,
           "Fewest hosts, all different, that a task asks for; each number from this to nodes_count_max has "
           "the same probability."),
    AMOUNT("nodes_count_max", HC_INT, nodes_count_max, "hosts", "1", 1, 1e6,
           "Most hosts that a task asks for."),
    HC_PARAM(BOOL, options, alike, "false",
             "Whether all tasks ask for what the first one asks for, like the tasks of one operation."),
    HC_PARAM(CHOICE, options, measure, "duration|work", "duration",
             "What duration_mean and duration_dev measure. duration: the run time, in seconds. work: an "
             "amount of work; the run time is work / (cpus x hosts x speed)."),
    AMOUNT("duration_mean", HC_REAL, duration_mean, "s", "250", 0, 1e15,
           "Mean of the normal distribution of run times; run times below 1 s become 1 s."),
    AMOUNT("duration_dev", HC_REAL, duration_dev, "s", "40", 0, 1e15,
           "Standard deviation of the normal distribution of run times."),
    AMOUNT("speed", HC_REAL, speed, "1/s", "1", 1e-9, 1e15,
           "Work that one core does in a second, with `measure: work`."),
    {.name = NULL},
};

const hc_reader_type hc_reader_random = {
    .component =
        {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "random",
         .summary = "generates one user's tasks as DSLab-CS does: uniform gaps and demands, normal run times",
         .detail = "Task i arrives at start_time + 1 s + the sum of i gaps, which are uniform in [delay_min, "
                   "delay_max]. It asks for a uniform number of cores and amount of memory on each of a "
                   "uniform number of hosts, and runs for max(1 s, normal(duration_mean, duration_dev)), "
                   "which is also its limit. On cells that count processors it asks for cores x hosts. The "
                   "mean run time is m + (1 - m) P + d f(z), with m = duration_mean, d = duration_dev, z = "
                   "(1 - m) / d, P the normal cdf at z, and f the normal density. For several users give "
                   "several sources, each with its own `stream`.",
         .source = "DSLab-CS (github.com/nogokama/dslab-cluster-simulator, 2024), its random workload "
                   "generator, and section 4.5.1 of the thesis that describes it",
         .params = params, .options_size = sizeof(options)},
    .open = random_open,
    .next = random_next,
    .info = random_info,
    .visit = random_visit,
    .progress = random_progress,
    .close = random_close,
};
