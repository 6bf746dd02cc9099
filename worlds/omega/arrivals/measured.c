/* measured.c -- jobs drawn from files of measured gaps, sizes and run times, as far as they are given.
 *
 * The original has three generators of this family, which differ in what is measured and what is exponential:
 *
 *   InterarrivalTimeTraceExpExp   gaps                      tasks, durations, cpus, memory exponential
 *   Trace                         gaps, tasks, durations    cpus, memory exponential
 *   TraceAll                      all; cpus and memory of the jobs that run at the beginning, times 0.7
 *
 * Here a file that is not given means an exponential with that mean. Exponential amounts are drawn until they
 * are below the most that there may be; so are measured ones. */
#include "base/util.h"
#include "omega/empirical.h"

typedef struct options {
  const char *gaps, *sizes, *runs, *shapes;
  double tasks, cpus, memory, most_cpus, most_memory, shape_scale;
  hc_time duration;
  int64_t class;
} options;

typedef struct generator {
  const hc_arrivals_context *context;
  const options *options;
  hc_omega_measured gaps, sizes, runs, cpus, memory;
  hc_omega_stream gap_stream, size_stream, run_stream, cpu_stream, memory_stream;
} generator;

/* ---- files ---- */

/* Amounts of the jobs of a class that run at the beginning. The original keeps them by the file's name alone,
 * so that all workloads get those of the first, batch (defect D7). */
static hc_rc read_shapes(generator *g, hc_error *e)
{
  const hc_arrivals_context *c = g->context;
  const int64_t class = c->defects >> HC_OMEGA_D7_SHAPES & 1 ? 0 : g->options->class;
  hc_initial *jobs;
  size_t count, cap;
  hc_rc rc = hc_initial_file(c->allocator, g->options->shapes, 1, "world omega", &jobs, &count, &cap, e);
  g->cpus.allocator = g->memory.allocator = c->allocator;
  for (size_t i = 0; i < count && rc >= 0; i++) {
    if (jobs[i].tasks == 0 || jobs[i].is_service != (class == 1)) continue;
    rc = hc_omega_measured_add(&g->cpus, jobs[i].cpus);
    if (rc >= 0) rc = hc_omega_measured_add(&g->memory, jobs[i].memory);
  }
  hc_free(c->allocator, jobs, cap * sizeof *jobs);
  TRY(rc);
  if (g->cpus.count == 0)
    return hc_fail(e, HC_EINPUT, g->options->shapes, 0, 0, "no job is of class %d (0 batch, 1 service)",
                   (int)class);
  TRY(hc_omega_measured_close(&g->cpus, c->defects));
  return hc_omega_measured_close(&g->memory, c->defects);
}

static hc_rc read_all(generator *g, hc_error *e)
{
  const options *o = g->options;
  const hc_arrivals_context *c = g->context;
  TRY(hc_omega_measured_file(&g->gaps, c->allocator, o->gaps, o->class, c->defects, e));
  if (o->sizes) TRY(hc_omega_measured_file(&g->sizes, c->allocator, o->sizes, o->class, c->defects, e));
  if (o->runs) TRY(hc_omega_measured_file(&g->runs, c->allocator, o->runs, o->class, c->defects, e));
  return o->shapes ? read_shapes(g, e) : 0;
}

/* In the original everything measured is drawn from one generator, and each exponential has its own. */
static hc_omega_stream *stream(generator *g, const hc_omega_measured *m, hc_omega_stream *own)
{
  return m->count > 0 && g->gap_stream.is_java ? &g->gap_stream : own;
}

static void open_streams(generator *g)
{
  const hc_arrivals_context *c = g->context;
  g->gap_stream = hc_omega_stream_measured(c, HC_PURPOSE_ARRIVAL);
  g->size_stream = g->sizes.count > 0 ? hc_omega_stream_measured(c, HC_PURPOSE_SIZE)
                                      : hc_omega_stream_exponential(c, HC_PURPOSE_SIZE);
  g->run_stream = g->runs.count > 0 ? hc_omega_stream_measured(c, HC_PURPOSE_RUN)
                                    : hc_omega_stream_exponential(c, HC_PURPOSE_RUN);
  g->cpu_stream = g->cpus.count > 0 ? hc_omega_stream_measured(c, HC_PURPOSE_DEMAND)
                                    : hc_omega_stream_exponential(c, HC_PURPOSE_DEMAND);
  g->memory_stream = g->memory.count > 0 ? hc_omega_stream_measured(c, HC_PURPOSE_SHAPE)
                                         : hc_omega_stream_exponential(c, HC_PURPOSE_SHAPE);
}

/* ---- draws ---- */

static double draw(generator *g, const hc_omega_measured *m, hc_omega_stream *own, double mean)
{
  if (m->count == 0) return hc_omega_exponential(own, mean);
  return hc_omega_measured_draw(m, stream(g, m, own), g->context->defects);
}

#define MOST_TRIES 1000000 /* of a draw that has to be within bounds */

static hc_rc draw_within(generator *g, const hc_omega_measured *m, hc_omega_stream *own, double mean,
                         double most, double *out, hc_error *e)
{
  for (int i = 0; i < MOST_TRIES; i++) {
    *out = draw(g, m, own, mean) * (m->count > 0 && mean == 0 ? g->options->shape_scale : 1);
    if (*out > 0 && *out < most) return 0;
  }
  return hc_fail(e, HC_EINPUT, "arrivals measured", 0, 0,
                 "a million draws gave nothing above 0 and below %g; change the distribution or the bound",
                 most);
}

static uint32_t whole_tasks(double x)
{
  const double up = x > 0 && (double)(uint64_t)x < x ? (double)(uint64_t)x + 1 : x;
  return up < 1 ? 1 : up > 1e7 ? 10000000 : (uint32_t)up;
}

static hc_rc one_job(generator *g, double submit, hc_error *e)
{
  const options *o = g->options;
  hc_omega_arrival job = {.submit = submit};
  const double infinity = (double)__builtin_inff();
  job.tasks = whole_tasks(draw(g, &g->sizes, &g->size_stream, o->tasks));
  TRY(draw_within(g, &g->runs, &g->run_stream, (double)o->duration / 1e9, infinity, &job.duration, e));
  TRY(draw_within(g, &g->cpus, &g->cpu_stream, g->cpus.count > 0 ? 0 : o->cpus, o->most_cpus, &job.cpus, e));
  TRY(draw_within(g, &g->memory, &g->memory_stream, g->memory.count > 0 ? 0 : o->memory, o->most_memory,
                  &job.memory, e));
  return g->context->job(g->context->ctx, &job);
}

static hc_rc generate(generator *g, hc_error *e)
{
  const hc_arrivals_context *c = g->context;
  double t = 0;
  TRY(read_all(g, e));
  open_streams(g);
  if (g->gaps.values[g->gaps.count - 1] <= 0)
    return hc_fail(e, HC_EINPUT, g->options->gaps, 0, 0,
                   "no gap between jobs is longer than 0: time would stand still");
  for (;;) {
    t += hc_omega_measured_draw(&g->gaps, &g->gap_stream, c->defects) * c->scale;
    if (!(t < c->window)) return 0;
    TRY(one_job(g, t, e));
  }
}

static hc_rc make(const hc_arrivals_context *c, const void *opts, hc_error *e)
{
  generator g = {.context = c, .options = opts};
  const hc_rc rc = generate(&g, e);
  hc_omega_measured_fini(&g.gaps);
  hc_omega_measured_fini(&g.sizes);
  hc_omega_measured_fini(&g.runs);
  hc_omega_measured_fini(&g.cpus);
  hc_omega_measured_fini(&g.memory);
  return rc;
}

static const hc_param params[] = {
    HC_PARAM(
        FILE, options, gaps, NULL,
        "File of times between two jobs, in seconds: lines of \"cluster policy class value\". Required."),
    HC_PARAM(FILE, options, sizes, NULL,
             "File of numbers of tasks of a job, with the same kind of lines. Default: exponential with mean "
             "`tasks`."),
    HC_PARAM(FILE, options, runs, NULL,
             "File of run times of tasks, in seconds, with the same kind of lines. Default: exponential with "
             "mean `duration`."),
    HC_PARAM(
        FILE, options, shapes, NULL,
        "File of the jobs that run at the beginning (as `file` of the prefill cell_state), from which the "
        "cpus and the memory of a task are drawn. Default: exponential with means `cpus` and `memory`."),
    HC_PARAM(INT, options, class, NULL, "0", 0, 1, "Which lines are used: 0 batch, 1 service."),
    HC_PARAM(REAL, options, shape_scale, "1", "0.7", 1e-6, 1e6,
             "Factor of the cpus and the memory of `shapes`."),
    HC_PARAM(REAL, options, tasks, "tasks", "100", 1e-3, 1e6,
             "Mean number of tasks of a job, if exponential."),
    HC_PARAM(TIME, options, duration, "s", "100", 1e-6, 1e9, "Mean run time of tasks, if exponential."),
    HC_PARAM(REAL, options, cpus, "cpus", "1", 1e-6, 1e6, "Mean cpus of a task, if exponential."),
    HC_PARAM(REAL, options, memory, "GB", "2", 1e-6, 1e9,
             "Mean memory of a task, in GB of 2^30 bytes, if exponential."),
    HC_PARAM(REAL, options, most_cpus, "cpus", "3.9", 1e-6, 1e6,
             "Cpus of a task are drawn again until they are below this."),
    HC_PARAM(REAL, options, most_memory, "GB", "15.9", 1e-6, 1e9,
             "Memory of a task, in GB of 2^30 bytes, is drawn again until it is below this."),
    {0}};

const hc_arrivals_type hc_arrivals_measured = {
    .component =
        {HC_COMPONENT_HEAD(hc_arrivals_type, HC_KIND_ARRIVALS), .name = "measured",
         .summary =
             "jobs drawn from files of measured gaps, sizes, run times and amounts, or from exponentials",
         .detail = "With `gaps` alone it is InterarrivalTimeTraceExpExpWLGenerator of the original program, "
                   "with `sizes` and `runs` its TraceWLGenerator, and with `shapes` too its "
                   "TraceAllWLGenerator. The order in which the original draws the numbers of a job is not "
                   "known; here it is tasks, duration, cpus, memory.",
         .source = "github.com/google/cluster-scheduler-simulator, its trace generators", .params = params,
         .options_size = sizeof(options)},
    .make = make};
