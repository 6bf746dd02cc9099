/* even.c -- a prefill of equal jobs, which run to the end: so many cores, or a share of the machine, and no
 * more. */
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

static const hc_param params[] = {
    HC_PARAM(REAL, options, cores, "cpus", NULL, 0, 1e9, "Cpus that are filled. Required, or `share`."),
    HC_PARAM(REAL, options, share, "1", NULL, 0, 1,
             "Share of all cpus that is filled, if `cores` is not given."),
    HC_PARAM(INT, options, tasks, "tasks", "100", 1, 10000000,
             "Number of tasks of each job; the last job may have fewer."),
    HC_PARAM(REAL, options, cpus, "cpus", "1", 1e-6, 1e9, "Cpus of each task."),
    HC_PARAM(REAL, options, memory, "GB", "2", 0, 1e9, "Memory of each task, in GB of 2^30 bytes."),
    {0}};

const hc_prefill_type hc_prefill_even = {.component = {HC_COMPONENT_HEAD(hc_prefill_type, HC_KIND_PREFILL),
                                                       .name = "even",
                                                       .summary = "equal jobs that run to the end of the run",
                                                       .params = params, .options_size = sizeof(options)},
                                         .make = make};
