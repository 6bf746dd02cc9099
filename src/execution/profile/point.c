/* point.c -- a scheduling point: a task waits until the scheduler lets it go on, which may have changed its
 * hosts meanwhile, and does what such a change costs.
 *
 * A task may ask for another number of hosts here (an evolving request): only if that is another one than it
 * has, and then the point is about that and nothing else. The scheduler holds it between the bounds of its
 * size. When the task goes on with other hosts it does `on_change` on all of them, and then `on_growth` on
 * those that are new. */
#include "hindcast/profile.h"

typedef struct options {
  bool scheduling, asks;
  double request;
  hc_chosen on_change, on_growth;
} options;

typedef struct state {
  uint64_t had;
} state;

/* @return 0: it asks for nothing */
static int64_t wants(const hc_profile *p)
{
  const options *o = p->options;
  const double n = o->request < 1 ? 1 : o->request < 4e9 ? o->request : 4e9;
  return o->asks && (uint32_t)n != p->processes ? (int64_t)n : 0;
}

/* Processes that are new do something alone. */
static bool is_uneven(const void *given)
{
  return ((const options *)given)->on_growth.type != NULL;
}

static hc_rc resume(hc_profile *p)
{
  const options *o = p->options;
  state *s = p->state;
  HC_PROFILE_BEGIN(p);
  s->had = p->processes;
  if (wants(p) == 0 && !o->scheduling) return HC_PROFILE_OK;
  (void)p->calls->point(p, wants(p), 0);
  HC_WAIT_ALL(p);
  if (p->processes == s->had && p->calls->kept(p) == s->had) return HC_PROFILE_OK;
  if (o->on_change.type) {
    (void)hc_profile_start(p, &o->on_change, 0);
    HC_WAIT_ALL(p);
  }
  if (o->on_growth.type && p->calls->kept(p) < p->processes) {
    p->calls->only_from(p, p->calls->kept(p));
    (void)hc_profile_start(p, &o->on_growth, 0);
    HC_WAIT_ALL(p);
    p->calls->only_from(p, 0);
  }
  HC_PROFILE_END(p);
}

static const hc_param params[] = {
    HC_PARAM(BOOL, options, scheduling, "true",
             "The scheduler may change the hosts of the task here. false: only what the task asks for can "
             "change them."),
    HC_PARAM(BOOL, options, asks, "false", "The task asks for `request` hosts."),
    HC_PARAM(REAL, options, request, "hosts", "1", -4e9, 4e9,
             "Number of hosts that the task asks for, rounded down and held between the bounds of its size. "
             "If the task has so many it does not ask. An expression may name the number that it has: "
             "num_nodes + 4."),
    HC_PARAM(COMPONENT, options, on_change, HC_KIND_PROFILE, NULL,
             "The profile that is done on all hosts of the task after they have changed. Default: nothing."),
    HC_PARAM(COMPONENT, options, on_growth, HC_KIND_PROFILE, NULL,
             "The profile that is done after `on_change` on the new hosts, whose processes are numbered from "
             "0. Default: nothing."),
    {0}};

const hc_profile_type hc_profile_point = {
    .component =
        {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = "point",
         .summary = "a scheduling point: the task may have other hosts from here on",
         .detail = "A point takes no time, unless the task waits for hosts that it asked for (the run's "
                   "`cannot_grow: defer`) or a change of hosts has costs. No other activity of the task may "
                   "go on when its hosts change. `malleable` of the task says which sizes it may have.",
         .source =
             "ElastiSim 2024, scheduling points, evolving requests, on_reconfiguration and on_expansion",
         .params = params, .options_size = sizeof(options)},
    .state_size = sizeof(state),
    .is_uniform = true,
    .is_uneven = is_uneven,
    .resume = resume};
