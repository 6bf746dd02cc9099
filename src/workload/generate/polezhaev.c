/* polezhaev.c -- the workload model of Polezhaev's study of cluster schedulers: nodes, memory and disk.
 *
 *   nodes     1 with probability q1; else 2^x to the nearest, x uniform on [1, c] with probability p and on
 *             [c, b] else, c = log2 m - 1.5, b = log2 m; with probability q2 x is rounded first. x never
 *             passes the whole part of b by rounding: of 14 nodes, log2 14 = 3.81 gives 8, not 16
 *   run       exp of a hyper-gamma variate y: gamma(6.57, 0.823) with probability 0.6986 - 0.003 n, else
 *             gamma(639.1, 0.0156): the batch jobs of Lublin and Feitelson. y above `cut` is drawn again
 *   estimate  uniform between 1 and f times the run
 *   memory, disk  from the sizes that the cluster's nodes have: see `fill_pairs`
 *   priority  uniform on 1 .. 100; arrivals Poisson
 *
 * The text leaves four things open, each an option here: p is printed as 0.3, where the model that it follows
 * recommends 0.7 to 0.95 for the first stage (first_stage); whether q2 counts among parallel jobs or all
 * (power_of); the cut of y, which it does not mention, and without which single jobs dominate; and `if n <
 * ceil(m / 2) then n := ceil(m / 2)`, which cannot mean the job itself (demand).
 *
 * Node speeds are the cluster's, not the job's: the run time that is drawn is that on a node of speed 1. Job
 * j follows from seed, replication, stream and j; only the clock is carried on. Cost: about 500 ns per job.
 * Source: Polezhaev's dissertation on scheduling in cluster systems, the workload model; Lublin & Feitelson,
 * JPDC 63(11), 2003, doi:10.1016/S0743-7315(03)00108-4. */
#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "base/variates.h"
#include "workload/generated.h"

#define WHERE "source polezhaev"
#define CLASSES 64
#define KIB ((int64_t)1024)

typedef enum power_ofs { POWER_OF_PARALLEL, POWER_OF_ALL } power_ofs;
typedef enum demands { DEMAND_NODES, DEMAND_JOB, DEMAND_NONE } demands;

typedef struct options {
  hc_generated_options head;
  double rate, serial, first_stage, power, cut, estimate_factor, fill;
  hc_list class_count, class_memory, class_disk;
  int power_of, demand;
  int64_t least; /* bytes */
} options;

typedef struct pair {
  int64_t memory, disk; /* sizes that a node may have */
} pair;

struct hc_source {
  hc_generated head;
  const options *o;
  int64_t nodes;
  int64_t memory[CLASSES], disk[CLASSES]; /* distinct, ascending */
  size_t memories, disks;
};

/* ---- the model ---- */

static int64_t draw_nodes(const hc_source *s, hc_draws *d)
{
  const options *o = s->o;
  const double b = hc_log2((double)s->nodes), c = HC_MAX(b - 1.5, 1.0), whole = (double)(int64_t)(b + 1e-9);
  const double u = hc_random_unit(d),
               power = o->power_of == POWER_OF_ALL ? o->power / (1 - o->serial) : o->power;
  if (u < o->serial || s->nodes < 2) return 1;
  const bool first = hc_random_unit(d) < o->first_stage;
  const double low = first ? 1.0 : c, high = first ? c : HC_MAX(b, c);
  double x = low + (high - low) * hc_random_unit(d);
  if (hc_random_unit(d) < power) x = HC_MIN((double)(int64_t)(x + 0.5), whole);
  return HC_MIN((int64_t)(hc_pow(2.0, x) + 0.5), s->nodes);
}

static double draw_run(const hc_source *s, int64_t nodes, hc_draws *d)
{
  const double p = -0.003 * (double)nodes + 0.6986;
  double y;
  do y = hc_random_unit(d) < p ? hc_random_gamma(d, 6.57, 0.823) : hc_random_gamma(d, 639.1, 0.0156);
  while (y > s->o->cut);
  return hc_exp(y);
}

/* How many nodes have at least so much of both. */
static int64_t nodes_with(const hc_source *s, int64_t memory, int64_t disk)
{
  const int64_t *counts = s->o->class_count.items, *memories = s->o->class_memory.items,
                *disks = s->o->class_disk.items;
  int64_t n = 0;
  for (size_t i = 0; i < s->o->class_count.count; i++)
    if (memories[i] >= memory && disks[i] >= disk) n += counts[i];
  return n;
}

/* For each size of memory the largest disk such that enough nodes have both. At least one pair: all have
 * the least. */
static size_t fill_pairs(const hc_source *s, int64_t enough, pair *out)
{
  size_t n = 0;
  for (size_t i = 0; i < s->memories; i++) {
    for (size_t j = s->disks; j > 0; j--) {
      if (nodes_with(s, s->memory[i], s->disk[j - 1]) < enough) continue;
      out[n++] = (pair){s->memory[i], s->disk[j - 1]};
      break;
    }
  }
  return n;
}

/* Uniform on whole KiB from `least` to a share of what the node has. */
static int64_t draw_amount(const hc_source *s, int64_t of, hc_draws *d)
{
  const int64_t low = s->o->least / KIB, high = HC_MAX((int64_t)((double)of * s->o->fill) / KIB, low);
  return (low + (int64_t)hc_random_below(d, (uint64_t)(high - low) + 1)) * KIB;
}

/* Half of the nodes have to be able to take each of its parts; under `job` the job itself grows to that. */
static void put_demand(hc_source *s)
{
  hc_draws d = hc_generated_draw(&s->head, s->head.s.rank, HC_PURPOSE_DEMAND);
  const int64_t nodes = HC_MAX(s->head.task.procs_asked, (s->nodes + 1) / 2);
  pair pairs[CLASSES];
  if (s->o->demand == DEMAND_NONE) return;
  const pair p = pairs[hc_random_below(&d, fill_pairs(s, nodes, pairs))];
  const int64_t memory = draw_amount(s, p.memory, &d), disk = draw_amount(s, p.disk, &d);
  hc_generated_demand(&s->head.task, 1.0, (double)memory,
                      s->o->demand == DEMAND_JOB ? nodes : s->head.task.procs_asked);
  s->head.task.need[HC_DIM_DISK] = disk;
  if (s->head.task.hosts > 1) s->head.task.flags |= HC_SPEC_SPREAD;
}

static void make_task(hc_source *s, hc_time at)
{
  hc_draws d = hc_generated_draw(&s->head, s->head.s.rank, HC_PURPOSE_SIZE);
  const int64_t nodes = draw_nodes(s, &d);
  d = hc_generated_draw(&s->head, s->head.s.rank, HC_PURPOSE_RUN);
  const double run = draw_run(s, nodes, &d);
  s->head.task = hc_generated_task(s->head.s.rank, at, HC_MAX(hc_generated_time(run), 1), nodes);
  d = hc_generated_draw(&s->head, s->head.s.rank, HC_PURPOSE_ESTIMATE);
  if (s->o->estimate_factor > 1) {
    d.draw = 1; /* number 0 was once drawn in vain: workloads stay as they have been published */
    s->head.task.limit = HC_MAX(
        hc_generated_time(run * (1 + (s->o->estimate_factor - 1) * hc_random_unit(&d))), s->head.task.run);
  }
  d = hc_generated_draw(&s->head, s->head.s.rank, HC_PURPOSE_JOB);
  s->head.task.priority = 1 + (int64_t)hc_random_below(&d, 100);
  put_demand(s);
}

/* ---- from options ---- */

static hc_rc refuse(hc_error *e, const char *text)
{
  return hc_fail(e, HC_EUSAGE, WHERE, 0, 0, "%s", text);
}

/* The distinct values of a list, ascending. */
static size_t distinct(const hc_list *list, int64_t *out)
{
  const int64_t *items = list->items;
  size_t n = 0;
  for (size_t i = 0; i < list->count; i++) {
    size_t at = n;
    bool known = false;
    for (size_t k = 0; k < n; k++) known = known || out[k] == items[i];
    if (known) continue;
    for (; at > 0 && out[at - 1] > items[i]; at--) out[at] = out[at - 1];
    out[at] = items[i];
    n++;
  }
  return n;
}

static hc_rc set_cluster(hc_source *s, hc_error *e)
{
  const options *o = s->o;
  const int64_t *counts = o->class_count.items;
  const size_t n = o->class_count.count;
  if (n == 0 || o->class_memory.count != n || o->class_disk.count != n)
    return refuse(
        e,
        "class_count, class_memory and class_disk differ in length: give one value of each for every class");
  if (n > CLASSES) return refuse(e, "more than 64 classes of nodes: put those that are alike together");
  for (size_t i = 0; i < n; i++) s->nodes += counts[i];
  s->memories = distinct(&o->class_memory, s->memory);
  s->disks = distinct(&o->class_disk, s->disk);
  return 0;
}

static hc_rc check(const options *o, hc_error *e)
{
  if (!(o->rate > 0)) return refuse(e, "rate must be above 0: nothing would ever arrive");
  if (o->power_of == POWER_OF_ALL && o->serial + o->power > 1)
    return refuse(e, "serial and power add up to more than 1: lower one, or use power_of: parallel");
  if (hc_gamma_below(6.57, o->cut / 0.823) < 0.01 || hc_gamma_below(639.1, o->cut / 0.0156) < 0.01)
    return refuse(e, "with this cut hardly any run time is left: 12 is usual");
  return 0;
}

/* ---- the source ---- */

static hc_rc polezhaev_open(const hc_source_context *c, const void *given, hc_source **out, hc_error *e)
{
  const options *o = given;
  hc_rc rc;
  TRY(check(o, e));
  hc_source *s = hc_generated_new(c, sizeof *s, o, 0, WHERE);
  if (!s) return HC_ENOMEM;
  s->o = o;
  TRY_OR(set_cluster(s, e), fail);
  s->head.info.processors = s->head.info.nodes = s->nodes;
  *out = s;
  return 0;
fail:
  hc_generated_close(s);
  return rc;
}

static hc_rc polezhaev_next(hc_source *s, hc_job *job, hc_error *e)
{
  const options *o = s->o;
  hc_draws d = hc_generated_draw(&s->head, s->head.s.rank, HC_PURPOSE_ARRIVAL);
  HC_UNUSED(e);
  const hc_time at = hc_time_add(s->head.s.clock, hc_generated_time(hc_random_exponential(&d, 1 / o->rate)));
  if (hc_generated_is_over(&s->head, at)) return 0;
  make_task(s, at);
  s->head.s.clock = at;
  s->head.s.rank++;
  return hc_generated_yield(&s->head, job);
}

#define OFFSET(member) .offset = offsetof(options, member)
#define REAL(word, member, ...) HC_GENERATED_NUMBER(options, word, HC_REAL, member, __VA_ARGS__)
#define CLASS(word, type_, member, unit_, value, low, high, text) \
  { \
    .name = word, .type = type_, .list = true, OFFSET(member), .unit = unit_, .fallback = value, .min = low, \
    .max = high, .help = text \
  }

static const hc_param params[] = {
    HC_GENERATED_PARAMS(options, "500", HC_GENERATED_HOW_MANY),
    REAL("rate", rate, "1/s", "0.06666666666666667", 0, 1e6,
         "Jobs in a second, above 0, in a Poisson process. 1/15 is printed, without a unit, which is far too "
         "many for 14 nodes. The transform `load` stretches arrivals to a load."),
    CLASS("class_count", HC_INT, class_count, "nodes", "[14]", 1, 1e6,
          "Nodes of each class of the cluster for which jobs are made."),
    CLASS("class_memory", HC_SIZE, class_memory, "B", "[1GiB]", 1024, 1125899906842624.0,
          "Memory of each node, by class."),
    CLASS("class_disk", HC_SIZE, class_disk, "B", "[40GiB]", 1024, 1125899906842624.0,
          "Disk space of each node, by class."),
    REAL("serial", serial, "1", "0.2", 0, 0.999, "q1: probability of one node."),
    REAL("first_stage", first_stage, "1", "0.3", 0, 1,
         "p: probability of the first stage of x, [1, log2 m - 1.5]. 0.3 is printed; 0.7 is the other "
         "reading, as the model that it follows recommends."),
    REAL("power", power, "1", "0.325", 0, 1, "q2: probability that x is rounded, to a power of two."),
    HC_PARAM(CHOICE, options, power_of, "parallel|all", "parallel",
             "Of which jobs q2 is the share. parallel: of those with more than one node. all: of all jobs."),
    REAL("cut", cut, "1", "12", 1, 1000,
         "Greatest y, the ln of the run time in seconds: longer run times are drawn again. 1000: none are. "
         "Our choice."),
    REAL("estimate_factor", estimate_factor, "1", "2", 1, 1e6,
         "f: the estimate is uniform between 1 and f times the run time. 1: estimates are exact."),
    HC_PARAM(CHOICE, options, demand, "nodes|job|none", "nodes",
             "How max(n, ceil(m / 2)) is understood when memory and disk are drawn. nodes: as the number of "
             "nodes that must be able to take a part of the job. job: literally, as the job's own number of "
             "nodes. none: no demand is drawn, and a task asks for whole nodes."),
    REAL("fill", fill, "1", "0.7", 0, 1, "The greatest part of a node's memory or disk that a job asks for."),
    HC_PARAM(SIZE, options, least, "B", "1MiB", 1024, 1099511627776.0,
             "The least memory or disk that a job asks for on each node."),
    {.name = NULL},
};

const hc_reader_type hc_reader_polezhaev = {
    .component =
        {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "polezhaev",
         .summary =
             "generates parallel jobs with memory and disk for a given cluster, as Polezhaev's study does",
         .detail = "Of m nodes, b = log2 m, c = b - 1.5. Nodes: 1 with probability q1; else 2^x to the "
                   "nearest, at most m, x uniform on [1, c] with probability p, else on [c, b]; with "
                   "probability q2 x is rounded first, never above b. Run time: exp(y) s, y from gamma(6.57, "
                   "0.823) with probability 0.6986 - 0.003 n, else from gamma(639.1, 0.0156); y above the "
                   "cut is drawn again. Estimate: uniform between the run time and f times that. Priority: "
                   "uniform on 1 to 100. Memory and disk on each node: Q and W are the sizes that nodes "
                   "have; for each Q the largest W is taken such that max(n, ceil(m / 2)) nodes have at "
                   "least both; one of these pairs is drawn; memory is uniform on [least, fill Q], disk on "
                   "[least, fill W], whole KiB. A job has its nodes for itself: it asks for one core of "
                   "each, and a node of the cell must have one core. As printed: q1, q2, p, the gammas, f, "
                   "0.7, 1024 KB. Our own choices where the text says nothing: the cut, rounding within m, "
                   "the readings of power_of and demand, KB as KiB. Speeds of nodes are those of the cell.",
         .source = "P. N. Polezhaev's dissertation on scheduling in cluster systems, its workload model; "
                   "Lublin & Feitelson, JPDC 63(11), 2003, doi:10.1016/S0743-7315(03)00108-4",
         .params = params, .options_size = sizeof(options)},
    .open = polezhaev_open,
    .next = polezhaev_next,
    .info = hc_generated_info,
    .visit = hc_generated_visit,
    .progress = hc_generated_progress,
    .close = hc_generated_close,
};
