/* power.c -- a host is switched off or on, which takes time. What that means is in engine/power.c.
 *
 * About no task: its grant names the host. Off: on the plan's view the host is away at once. On: it is
 * starting, and is there only when that is over. */
#include "engine/power.h"

#include "base/util.h"
#include "engine/plan.h"

/* `how` is the state that it comes into, and behind it the one before; and whether it is joined. */
enum { BEFORE = 8, STATE = (1 << BEFORE) - 1 };

static uint32_t state_of(const hc_action *a)
{
  return a->how & STATE;
}

static uint32_t host_of(const hc_plan *p, const hc_action *a)
{
  return hc_plan_grants(p, a)->host;
}

/* Its state of power stays what it is. */
static void set(hc_engine *e, uint32_t host, hc_time until, uint32_t state)
{
  hc_power *p = hc_power_of(e, host);
  p->until = until;
  p->state = state;
}

static hc_rc apply(hc_engine *e, const hc_plan *p, const hc_action *a)
{
  const uint32_t host = host_of(p, a);
  if (state_of(a) == HC_POWER_STOPPING) TRY(hc_power_apply(e, host, HC_HOST_DOWN));
  set(e, host, a->at, state_of(a));
  return 0;
}

static hc_rc undo(hc_engine *e, const hc_plan *p, const hc_action *a)
{
  const uint32_t host = host_of(p, a);
  if (state_of(a) == HC_POWER_STOPPING) TRY(hc_power_apply(e, host, HC_HOST_UP));
  set(e, host, a->every, a->how >> BEFORE & STATE);
  return 0;
}

/* Set what was before and when it is done. @return HC_ECONFLICT: it is on already, or cannot be switched
 * off */
static hc_rc settle(hc_engine *e, uint32_t host, hc_action *a)
{
  const hc_power *now = hc_power_of(e, host);
  const bool starts = state_of(a) == HC_POWER_STARTING;
  if (starts && now->state != HC_POWER_OFF && now->state != HC_POWER_STOPPING) return HC_ECONFLICT;
  if (!starts && !hc_power_may_stop(e, host)) return HC_ECONFLICT;
  a->every = now->until;
  a->how = state_of(a) | (uint32_t)now->state << BEFORE | (a->how & HC_ACTION_JOINED);
  a->at = hc_time_add(now->state == HC_POWER_STOPPING ? now->until : e->now, a->overhead);
  return 0;
}

static hc_rc recheck(hc_engine *e, const hc_plan *p, hc_action *a)
{
  return settle(e, host_of(p, a), a);
}

static hc_rc happened(hc_engine *e, const hc_plan *p, const hc_action *a, hc_error *error)
{
  return hc_power_happened(e, host_of(p, a), state_of(a) == HC_POWER_STARTING, error);
}

const hc_action_type hc_action_power = {.name = "power",
                                        .of_hosts = true,
                                        .may_join = true,
                                        .apply = apply,
                                        .undo = undo,
                                        .recheck = recheck,
                                        .happened = happened};

hc_rc hc_plan_power(hc_plan *p, uint32_t host, bool on, hc_time takes)
{
  hc_engine *e = p->engine;
  hc_action wish = {.task = HC_NO_TASK,
                    .overhead = takes,
                    .how = on ? (uint32_t)HC_POWER_STARTING : (uint32_t)HC_POWER_STOPPING};
  const hc_grant on_host = {.host = host};
  if (!e->powers || host >= e->cell_spec.units || takes < 0 || takes == HC_NEVER) return HC_EPOLICY;
  if (settle(e, host, &wish) < 0) return HC_EPOLICY;
  return hc_plan_add(p, &hc_action_power, &wish, &on_host, 1);
}
