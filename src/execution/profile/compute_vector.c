/* compute_vector.c -- each process has a work of its own; it ends when the last has done it. */
#include "hindcast/profile.h"

typedef struct options {
  hc_list compute_work;
  hc_chosen speedup;
} options;

static hc_rc check(const void *given, uint32_t processes, hc_error *e)
{
  const options *o = given;
  if (o->compute_work.count == processes) return 0;
  return hc_fail(e, HC_EINPUT, "", 0, 0,
                 "compute_vector has the work of %zu processes, and the task has %u: give one work for each",
                 o->compute_work.count, processes);
}

static hc_rc resume(hc_profile *p)
{
  const options *o = p->options;
  const double *work = o->compute_work.items;
  HC_PROFILE_BEGIN(p);
  for (uint32_t i = 0; i < p->processes; i++) (void)hc_profile_compute_by(p, i, work[i], &o->speedup, i);
  HC_WAIT_ALL(p);
  HC_PROFILE_END(p);
}

static const hc_param params[] = {
    HC_PARAM(REALS, options, compute_work, "work", NULL, 0, 1e300,
             "Work of each process, in the order of their numbers. Required."),
    HC_PARAM(COMPONENT, options, speedup, HC_KIND_SPEEDUP, NULL,
             "How much faster a process computes on more cores. Default: linear."),
    {0}};

const hc_profile_type hc_profile_compute_vector = {
    .component = {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = "compute_vector",
                  .summary = "a different amount of work on each process",
                  .source =
                      "DSLab-CS (github.com/nogokama/dslab-cluster-simulator, 2024), profile compute-vector",
                  .params = params, .options_size = sizeof(options)},
    .check = check,
    .resume = resume};
