/* exp_exp_exp.c -- gaps, tasks a job and durations are exponential; what a task takes is constant.
 *
 * In the original the three run through the same uniform numbers (defect D3), so that a long gap goes with a
 * large and long job, and the offered load, the mean of tasks x duration, is twice what its means say. */
#include "base/util.h"
#include "omega/empirical.h"

typedef struct options {
  hc_time interarrival, duration;
  double tasks, cpus, memory;
} options;

static uint32_t whole_tasks(double x)
{
  const double up = (double)(uint64_t)x < x ? (double)(uint64_t)x + 1 : x;
  return up < 1 ? 1 : up > 1e7 ? 10000000 : (uint32_t)up;
}

static hc_rc make(const hc_arrivals_context *c, const void *opts, hc_error *e)
{
  const options *o = opts;
  hc_omega_stream gaps = hc_omega_stream_exponential(c, HC_PURPOSE_ARRIVAL);
  hc_omega_stream sizes = hc_omega_stream_exponential(c, HC_PURPOSE_SIZE);
  hc_omega_stream runs = hc_omega_stream_exponential(c, HC_PURPOSE_RUN);
  const double gap = (double)o->interarrival / 1e9 * c->scale, run = (double)o->duration / 1e9;
  HC_UNUSED(e);
  for (double t = hc_omega_exponential(&gaps, gap); t < c->window; t += hc_omega_exponential(&gaps, gap)) {
    hc_omega_arrival job = {.submit = t, .cpus = o->cpus, .memory = o->memory};
    job.tasks = whole_tasks(hc_omega_exponential(&sizes, o->tasks));
    do job.duration = hc_omega_exponential(&runs, run);
    while (job.duration <= 0);
    TRY(c->job(c->ctx, &job));
  }
  return 0;
}

static const hc_param params[] = {
    HC_PARAM(TIME, options, interarrival, "s", "10", 1e-6, 1e9, "Mean time between two jobs."),
    HC_PARAM(REAL, options, tasks, "tasks", "100", 1e-3, 1e6,
             "Mean number of tasks of a job, before rounding up."),
    HC_PARAM(TIME, options, duration, "s", "100", 1e-6, 1e9, "Mean run time of the tasks of a job."),
    HC_PARAM(REAL, options, cpus, "cpus", "1", 0, 1e6, "Cpus of each task."),
    HC_PARAM(REAL, options, memory, "GB", "2", 0, 1e9, "Memory of each task, in GB of 2^30 bytes."),
    {0}};

const hc_arrivals_type hc_arrivals_exp_exp_exp = {
    .component =
        {HC_COMPONENT_HEAD(hc_arrivals_type, HC_KIND_ARRIVALS), .name = "exp_exp_exp",
         .summary = "exponential gaps, numbers of tasks and durations",
         .detail =
             "Numbers of tasks are rounded up. With the world's defect `clock` all three are drawn from the "
             "same random numbers, as in the original program; the run's seed takes the place of its clock.",
         .source = "github.com/google/cluster-scheduler-simulator, ExpExpExpWorkloadGenerator",
         .params = params, .options_size = sizeof(options)},
    .make = make};
