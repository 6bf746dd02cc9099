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

static const hc_param params[] = {{.name = "interarrival",
                                   .type = HC_TIME,
                                   .unit = "s",
                                   .fallback = "10",
                                   .min = 1e-6,
                                   .max = 1e9,
                                   .offset = offsetof(options, interarrival),
                                   .help = "The gap between jobs."},
                                  {.name = "tasks",
                                   .type = HC_INT,
                                   .unit = "tasks",
                                   .fallback = "100",
                                   .min = 1,
                                   .max = 10000000,
                                   .offset = offsetof(options, tasks),
                                   .help = "Tasks of a job."},
                                  {.name = "activities",
                                   .type = HC_INT,
                                   .unit = "tasks",
                                   .fallback = "0",
                                   .min = 0,
                                   .max = 1000000000,
                                   .offset = offsetof(options, activities),
                                   .help = "Most tasks that a `mold` may start it with. 0: its own."},
                                  {.name = "duration",
                                   .type = HC_TIME,
                                   .unit = "s",
                                   .fallback = "100",
                                   .min = 0,
                                   .max = 1e9,
                                   .offset = offsetof(options, duration),
                                   .help = "How long a task runs."},
                                  {.name = "cpus",
                                   .type = HC_REAL,
                                   .unit = "cpus",
                                   .fallback = "1",
                                   .min = 0,
                                   .max = 1e6,
                                   .offset = offsetof(options, cpus),
                                   .help = "What a task takes."},
                                  {.name = "memory",
                                   .type = HC_REAL,
                                   .unit = "GB",
                                   .fallback = "2",
                                   .min = 0,
                                   .max = 1e9,
                                   .offset = offsetof(options, memory),
                                   .help = "What a task takes, in GB of 2^30 bytes."},
                                  {0}};

const hc_arrivals_type hc_arrivals_uniform = {
    .component = {HC_COMPONENT_HEAD(hc_arrivals_type, HC_KIND_ARRIVALS), .name = "uniform",
                  .summary = "equal jobs at equal gaps", .source = "UniformWorkloadGenerator of the original",
                  .params = params, .options_size = sizeof(options)},
    .make = make};
