/* trace_rank.c -- what one rank of a trace computes: works one after another on its process. */
#include "hindcast/profile.h"

typedef struct options {
  int64_t rank;
  hc_list work, busy;
} options;

typedef struct state {
  uint64_t at;
} state;

static hc_rc resume(hc_profile *p)
{
  const options *o = p->options;
  const double *work = o->work.items;
  state *s = p->state;
  HC_PROFILE_BEGIN(p);
  for (; s->at < o->work.count; s->at++) {
    const hc_act act = hc_profile_compute(p, (uint32_t)((uint64_t)o->rank % p->processes), work[s->at], 0);
    if (s->at < o->busy.count) hc_profile_keeps_busy(p, act, ((const double *)o->busy.items)[s->at]);
    HC_WAIT_ALL(p);
  }
  HC_PROFILE_END(p);
}

static const hc_param params[] = {
    HC_PARAM(INT, options, rank, NULL, "0", 0, 4e9,
             "Number of the rank, from 0; it is on process `rank` modulo the number of processes."),
    HC_PARAM(REALS, options, work, "work", NULL, 0, 1e300, "Work of its computations, one after another."),
    HC_PARAM(REALS, options, busy, NULL, NULL, 0, 1,
             "For each entry of `work`, the share of its host's cores that are busy meanwhile, as whole "
             "cores and at least one. It changes no time, only the energy that is counted. Default: the "
             "cores of its process."),
    {0}};

const hc_profile_type hc_profile_trace_rank = {
    .component = {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = "trace_rank",
                  .summary = "the computations of one rank of a trace",
                  .source = "Batsim 4, profiles smpi and usage_trace", .params = params,
                  .options_size = sizeof(options)},
    .state_size = sizeof(state),
    .resume = resume};
