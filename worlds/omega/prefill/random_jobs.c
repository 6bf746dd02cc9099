/* random_jobs.c -- a prefill of jobs with exponential sizes, up to a share of the cell. */
#include "base/util.h"
#include "omega/empirical.h"

typedef struct options {
  double share, tasks, cpus, memory;
  hc_time remaining;
} options;

/* Each job's numbers come from its own draws, so that a larger share adds jobs and changes none. */
static hc_omega_fill draw(const hc_prefill_context *c, const options *o, uint64_t number)
{
  hc_draws d = {c->seed, c->replication, (uint64_t)c->number << 32 | number, HC_PURPOSE_JOB, 0};
  hc_omega_fill job = {.end = (double)__builtin_inff()};
  job.tasks = 1 + (uint32_t)HC_MIN(hc_random_exponential(&d, o->tasks), 1e6);
  do job.cpus = hc_random_exponential(&d, o->cpus);
  while (job.cpus > c->machine_cpus);
  do job.memory = hc_random_exponential(&d, o->memory);
  while (job.memory > c->machine_memory);
  if (o->remaining != HC_NEVER) job.end = hc_random_exponential(&d, (double)o->remaining / 1e9);
  return job;
}

static hc_rc make(const hc_prefill_context *c, const void *opts, hc_error *e)
{
  const options *o = opts;
  double sum = 0;
  HC_UNUSED(e);
  for (uint64_t i = 0; i < UINT32_MAX; i++) {
    const hc_omega_fill job = draw(c, o, i);
    sum += job.cpus * (double)job.tasks;
    if (sum >= o->share * c->cpus) break;
    TRY(c->job(c->ctx, &job));
  }
  return 0;
}

static const hc_param params[] = {
    HC_PARAM(
        REAL, options, share, "1", "0.6", 0, 1,
        "Share of all cpus below which the jobs stay in sum: drawing stops at the job that would reach it."),
    HC_PARAM(REAL, options, tasks, "tasks", "30", 1e-3, 1e6,
             "Number of tasks of a job: 1 + the whole part of an exponential with this mean."),
    HC_PARAM(REAL, options, cpus, "cpus", "0.5", 1e-3, 1e6,
             "Mean of the exponential of a task's cpus; more than a machine has is drawn again."),
    HC_PARAM(REAL, options, memory, "GB", "1", 1e-6, 1e9,
             "Mean of the exponential of a task's memory, in GB of 2^30 bytes; more than a machine has is "
             "drawn again."),
    HC_PARAM(
        TIME, options, remaining, "s", "never", 1e-3, 1e18,
        "Mean of the exponential of the time that a job still runs. never: it runs to the end of the run."),
    {0}};

const hc_prefill_type hc_prefill_random_jobs = {
    .component = {HC_COMPONENT_HEAD(hc_prefill_type, HC_KIND_PREFILL), .name = "random_jobs",
                  .summary = "jobs with exponential sizes, up to a share of the cell's cpus",
                  .params = params, .options_size = sizeof(options)},
    .make = make};
