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
    HC_PARAM(COMPONENTS, options, profiles, HC_KIND_PROFILE, NULL, "What is done at once."),
    HC_PARAM(INT, options, repeat, NULL, "1", 1, 1099511627776.0, "So many times the whole group."),
    {0}};

const hc_profile_type hc_profile_parallel = {
    .component = {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = "parallel",
                  .summary = "other profiles at once, some times over",
                  .detail = "What they compute on one process at once shares its cores evenly. A round ends "
                            "when all of its parts have; if one has failed, so has the profile.",
                  .source = "DSLab-CS, combinator parallel", .params = params,
                  .options_size = sizeof(options)},
    .state_size = sizeof(state),
    .is_uniform = true,
    .resume = resume};
