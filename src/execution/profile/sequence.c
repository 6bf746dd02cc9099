/* sequence.c -- other profiles one after the other, the whole list some times over. One that fails ends
 * it. */
#include "hindcast/profile.h"

typedef struct options {
  hc_list profiles;
  int64_t repeat;
} options;

typedef struct state {
  int64_t round;
  uint64_t at;
} state;

static hc_rc resume(hc_profile *p)
{
  const options *o = p->options;
  const hc_chosen *parts = o->profiles.items;
  state *s = p->state;
  HC_PROFILE_BEGIN(p);
  for (; s->round < o->repeat; s->round++)
    for (s->at = 0; s->at < o->profiles.count; s->at++) {
      if (o->repeat > 1) p->iteration = (uint64_t)s->round;
      (void)hc_profile_start(p, &parts[s->at], 0);
      HC_WAIT_ALL(p);
      if (p->failures > 0) return HC_PROFILE_FAILED;
    }
  HC_PROFILE_END(p);
}

static const hc_param params[] = {
    HC_PARAM(COMPONENTS, options, profiles, HC_KIND_PROFILE, NULL, "The profiles, in this order."),
    HC_PARAM(INT, options, repeat, NULL, "1", 1, 1099511627776.0, "How many times the whole list is done."),
    {0}};

const hc_profile_type hc_profile_sequence = {
    .component = {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = "sequence",
                  .summary = "other profiles one after the other, once or several times",
                  .detail = "A profile of the list that fails ends the sequence, which then fails.",
                  .source = "DSLab-CS (github.com/nogokama/dslab-cluster-simulator, 2024), combinator "
                            "sequence; Batsim 4.2.1, profile composed",
                  .params = params, .options_size = sizeof(options)},
    .state_size = sizeof(state),
    .is_uniform = true,
    .resume = resume};
