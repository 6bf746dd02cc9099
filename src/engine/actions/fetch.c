/* fetch.c -- what a task reads is brought to a host before it starts there. The model moves it when the
 * plan is committed; nothing of it shows on the view. The task may be held. */
#include "base/util.h"
#include "engine/data.h"
#include "engine/plan.h"

static hc_rc happened(hc_engine *e, const hc_plan *p, const hc_action *a, hc_error *error)
{
  return hc_data_bring(e, a->task, hc_plan_grants(p, a)->host, error);
}

const hc_action_type hc_action_fetch = {.name = "fetch", .of_hosts = true, .happened = happened};

hc_rc hc_plan_fetch(hc_plan *p, hc_task t, uint32_t host)
{
  hc_engine *e = p->engine;
  const hc_grant on_host = {.host = host};
  const uint8_t state = t < e->tasks.count ? hc_live_of(e, t)->state : HC_TASK_RUNNING;
  if (!e->cell.hosts || host >= e->cell_spec.units) return HC_EPOLICY;
  if (state != HC_TASK_HELD && state != HC_TASK_WAITING && state != HC_TASK_PLANNED) return HC_EPOLICY;
  return hc_plan_add(p, &hc_action_fetch, &(hc_action){.task = t, .at = e->now}, &on_host, 1);
}
