/* uniform.c -- equal jobs at equal gaps, the first at time 0. */
#include "base/util.h"
#include "omega/omega.h"

typedef struct options {
  hc_time interarrival, duration;
  int64_t tasks, activities;
  double cpus, memory;
} options;

static hc_rc make(const hc_arrivals_context *c, const void *opts, hc_error *e)
{
  const options *o = opts;
  const double gap = (double)o->interarrival / 1e9 * c->scale;
  HC_UNUSED(e);
  for (double t = 0; t < c->window; t += gap) {
    const hc_omega_arrival job = {.submit = t,
                                  .duration = (double)o->duration / 1e9,
                                  .cpus = o->cpus,
                                  .memory = o->memory,
                                  .tasks = (uint32_t)o->tasks,
                                  .activities = (uint32_t)o->activities};
    TRY(c->job(c->ctx, &job));
  }
  return 0;
}

static const hc_param params[] = {
    HC_PARAM(TIME, options, interarrival, "s", "10", 1e-6, 1e9, "Time between two jobs."),
    HC_PARAM(INT, options, tasks, "tasks", "100", 1, 10000000, "Number of tasks of each job."),
    HC_PARAM(INT, options, activities, "tasks", "0", 0, 1000000000,
             "Greatest number of workers that a `mold` may start a job with. 0: its number of tasks."),
    HC_PARAM(TIME, options, duration, "s", "100", 0, 1e9, "Run time of each task."),
    HC_PARAM(REAL, options, cpus, "cpus", "1", 0, 1e6, "Cpus of each task."),
    HC_PARAM(REAL, options, memory, "GB", "2", 0, 1e9, "Memory of each task, in GB of 2^30 bytes."),
    {0}};

const hc_arrivals_type hc_arrivals_uniform = {
    .component = {HC_COMPONENT_HEAD(hc_arrivals_type, HC_KIND_ARRIVALS), .name = "uniform",
                  .summary = "equal jobs at equal gaps",
                  .source = "github.com/google/cluster-scheduler-simulator, UniformWorkloadGenerator",
                  .params = params, .options_size = sizeof(options)},
    .make = make};
