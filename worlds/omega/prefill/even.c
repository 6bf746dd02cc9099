/* even.c -- a prefill of equal jobs, which run to the end: so many cores, or a share of the machine, and no more. */
#include "base/math.h"
#include "base/util.h"
#include "omega/omega.h"

typedef struct options {
  double cores, share, cpus, memory;
  int64_t tasks;
} options;

/* The last job may be smaller, so that the total is met as nearly as whole tasks can without passing it. */
static hc_rc make(const hc_prefill_context *c, const void *opts, hc_error *e)
{
  const options *o = opts;
  const double cores = o->cores > 0 ? o->cores : o->share * c->cpus;
  double left = cores / o->cpus;
  if (o->cores <= 0 && o->share <= 0)
    return hc_fail(e, HC_EUSAGE, "prefill even", 0, 0, "how much? write `cores: 600`, or `share: 0.6`");
  if (left > 1e9) return hc_fail(e, HC_ELIMIT, "prefill even", 0, 0, "more than a billion tasks");
  for (left += 1e-9; left >= 1; left -= (double)o->tasks) {
    const double tasks = HC_MIN(left, (double)o->tasks);
    const hc_omega_fill job = {(double)__builtin_inff(), o->cpus, o->memory, (uint32_t)tasks};
    TRY(c->job(c->ctx, &job));
  }
  return 0;
}

static const hc_param params[] = {{.name = "cores",
                                   .type = HC_REAL,
                                   .unit = "cpus",
                                   .offset = offsetof(options, cores),
                                   .min = 0,
                                   .max = 1e9,
                                   .help = "How much is filled, in cpus."},
                                  {.name = "share",
                                   .type = HC_REAL,
                                   .unit = "1",
                                   .offset = offsetof(options, share),
                                   .min = 0,
                                   .max = 1,
                                   .help = "The same as a share of all cpus, if `cores` is not given."},
                                  {.name = "tasks",
                                   .type = HC_INT,
                                   .unit = "tasks",
                                   .fallback = "100",
                                   .min = 1,
                                   .max = 10000000,
                                   .offset = offsetof(options, tasks),
                                   .help = "Tasks of a job."},
                                  {.name = "cpus",
                                   .type = HC_REAL,
                                   .unit = "cpus",
                                   .fallback = "1",
                                   .min = 1e-6,
                                   .max = 1e9,
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

const hc_prefill_type hc_prefill_even = {.component = {HC_COMPONENT_HEAD(hc_prefill_type, HC_KIND_PREFILL),
                                                       .name = "even",
                                                       .summary = "equal jobs that run to the end",
                                                       .params = params, .options_size = sizeof(options)},
                                         .make = make};
