/* compute_homogeneous.c -- the same work on each process at once. Alone it takes work / (speed x cores) of
 * the slowest of them. */
#include "hindcast/profile.h"

typedef struct options {
  double compute_work;
  hc_chosen speedup;
} options;

static hc_rc resume(hc_profile *p)
{
  const options *o = p->options;
  HC_PROFILE_BEGIN(p);
  (void)hc_profile_compute_by(p, HC_EACH_PROCESS, o->compute_work, &o->speedup, 0);
  HC_WAIT_ALL(p);
  HC_PROFILE_END(p);
}

static const hc_param params[] = {
    HC_PARAM(REAL, options, compute_work, "work", NULL, 0, 1e300, "Work of each process. Default: 0."),
    HC_PARAM(COMPONENT, options, speedup, HC_KIND_SPEEDUP, NULL,
             "How much faster a process computes on more cores. Default: linear."),
    {0}};

const hc_profile_type hc_profile_compute_homogeneous = {
    .component =
        {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = "compute_homogeneous",
         .summary = "the same work on each process",
         .detail = "Alone on a process it takes work / (execution.cpu_speed x speed of the host x cores) "
                   "seconds; computations of one process at the same time share its cores evenly. With a law "
                   "of speed-up S, S(cores) takes the place of cores.",
         .source = "DSLab-CS (github.com/nogokama/dslab-cluster-simulator, 2024), profile compute-homogenous",
         .params = params, .options_size = sizeof(options)},
    .is_uniform = true,
    .resume = resume};
