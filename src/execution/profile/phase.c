/* phase.c -- rounds of a profile with a scheduling point before each of them. The point before the first is
 * another, for what was before may have been another phase; and there is none before the first of a task. */
#include "hindcast/profile.h"

typedef struct options {
  hc_chosen profile, enter, between;
  int64_t iterations;
} options;

typedef struct state {
  int64_t round;
} state;

static hc_rc resume(hc_profile *p)
{
  const options *o = p->options;
  state *s = p->state;
  HC_PROFILE_BEGIN(p);
  for (; s->round < o->iterations; s->round++) {
    p->iteration = (uint64_t)s->round;
    if (s->round == 0 ? o->enter.type != NULL : o->between.type != NULL) {
      (void)hc_profile_start(p, s->round == 0 ? &o->enter : &o->between, 0);
      HC_WAIT_ALL(p);
      if (p->failures > 0) return HC_PROFILE_FAILED;
      p->iteration = (uint64_t)s->round;
    }
    (void)hc_profile_start(p, &o->profile, 0);
    HC_WAIT_ALL(p);
    if (p->failures > 0) return HC_PROFILE_FAILED;
  }
  HC_PROFILE_END(p);
}

static const hc_param params[] = {
    HC_PARAM(COMPONENT, options, profile, HC_KIND_PROFILE, NULL, "The profile of each round. Required."),
    HC_PARAM(INT, options, iterations, NULL, "1", 0, 1099511627776.0, "Number of rounds."),
    HC_PARAM(COMPONENT, options, between, HC_KIND_PROFILE, NULL,
             "The profile between two rounds, such as a `point`. Its expressions may name `iteration`, the "
             "number of the round that follows, from 0. Default: nothing."),
    HC_PARAM(COMPONENT, options, enter, HC_KIND_PROFILE, NULL,
             "The profile before the first round, such as a `point`. Default: nothing."),
    {0}};

const hc_profile_type hc_profile_phase = {
    .component = {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = "phase",
                  .summary = "rounds of a profile, with scheduling points between them",
                  .detail = "A round or a point that fails ends the phase, which then fails.",
                  .source = "ElastiSim 2024, phases", .params = params, .options_size = sizeof(options)},
    .state_size = sizeof(state),
    .is_uniform = true,
    .resume = resume};
