/* parallel.c -- other profiles at once, some times over: a round begins when the last one of the round before
 * has ended. */
#include "hindcast/profile.h"

typedef struct options {
  hc_list profiles;
  int64_t repeat;
} options;

typedef struct state {
  int64_t round;
} state;

static hc_rc resume(hc_profile *p)
{
  const options *o = p->options;
  const hc_chosen *parts = o->profiles.items;
  state *s = p->state;
  HC_PROFILE_BEGIN(p);
  for (; s->round < o->repeat; s->round++) {
    if (o->repeat > 1) p->iteration = (uint64_t)s->round;
    for (uint32_t i = 0; i < o->profiles.count; i++) (void)hc_profile_start(p, &parts[i], i);
    HC_WAIT_ALL(p);
    if (p->failures > 0) return HC_PROFILE_FAILED;
  }
  HC_PROFILE_END(p);
}

static const hc_param params[] = {
    HC_PARAM(COMPONENTS, options, profiles, HC_KIND_PROFILE, NULL,
             "The profiles that begin at the same time."),
    HC_PARAM(INT, options, repeat, NULL, "1", 1, 1099511627776.0,
             "How many times the whole list is done; each round begins when the one before has ended."),
    {0}};

const hc_profile_type hc_profile_parallel = {
    .component = {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = "parallel",
                  .summary = "other profiles at the same time, once or several times",
                  .detail =
                      "Computations of one process at the same time share its cores evenly. A round ends "
                      "when all profiles of the list have ended; if one of them fails, the whole fails.",
                  .source =
                      "DSLab-CS (github.com/nogokama/dslab-cluster-simulator, 2024), combinator parallel",
                  .params = params, .options_size = sizeof(options)},
    .state_size = sizeof(state),
    .is_uniform = true,
    .resume = resume};
