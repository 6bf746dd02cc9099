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
    HC_PARAM(TIME, options, interarrival, "s", "10", 1e-6, 1e9, "The gap between jobs."),
    HC_PARAM(INT, options, tasks, "tasks", "100", 1, 10000000, "Tasks of a job."),
    HC_PARAM(INT, options, activities, "tasks", "0", 0, 1000000000,
             "Most tasks that a `mold` may start it with. 0: its own."),
    HC_PARAM(TIME, options, duration, "s", "100", 0, 1e9, "How long a task runs."),
    HC_PARAM(REAL, options, cpus, "cpus", "1", 0, 1e6, "What a task takes."),
    HC_PARAM(REAL, options, memory, "GB", "2", 0, 1e9, "What a task takes, in GB of 2^30 bytes."),
    {0}};

const hc_arrivals_type hc_arrivals_uniform = {
    .component = {HC_COMPONENT_HEAD(hc_arrivals_type, HC_KIND_ARRIVALS), .name = "uniform",
                  .summary = "equal jobs at equal gaps", .source = "UniformWorkloadGenerator of the original",
                  .params = params, .options_size = sizeof(options)},
    .make = make};
