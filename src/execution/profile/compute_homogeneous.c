/* compute_homogeneous.c -- the same work on each process at once. Alone it takes work / (speed x cores) of
 * the slowest of them. */
#include "hindcast/profile.h"

typedef struct options {
  double compute_work;
} options;

static hc_rc resume(hc_profile *p)
{
  const options *o = p->options;
  HC_PROFILE_BEGIN(p);
  (void)hc_profile_compute_all(p, o->compute_work, 0);
  HC_WAIT_ALL(p);
  HC_PROFILE_END(p);
}

static const hc_param params[] = {
    HC_PARAM(REAL, options, compute_work, "work", NULL, 0, 1e300, "Work of each process."), {0}};

const hc_profile_type hc_profile_compute_homogeneous = {
    .component = {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = "compute_homogeneous",
                  .summary = "the same work on each process",
                  .detail = "On each process it takes work / (speed of its host x cores), where it is alone; "
                            "what a process computes at once shares its cores evenly.",
                  .source = "DSLab-CS, profile compute-homogenous", .params = params,
                  .options_size = sizeof(options)},
    .is_uniform = true,
    .resume = resume};
