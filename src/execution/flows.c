/* flows.c -- bytes on their way between hosts, and parallel tasks. */
#include "execution/running.h"

#include "base/state.h"
#include "base/util.h"

hc_rc hc_flows_init(hc_doings *d, const hc_model_context *c, const hc_chosen *network, hc_error *e)
{
  HC_UNUSED(d);
  HC_UNUSED(c);
  HC_UNUSED(network);
  HC_UNUSED(e);
  return 0;
}

void hc_flows_fini(hc_doings *d)
{
  HC_UNUSED(d);
}

static void refuse(hc_doings *d, uint32_t act)
{
  (void)hc_doings_fail(d, d->acts[act].running, HC_EUNSUPPORTED,
                       "its profile sends bytes, and the run has no network: say execution.network");
}

void hc_flow_start(hc_doings *d, uint32_t act, uint32_t from, uint32_t to, double bytes)
{
  HC_UNUSED(from);
  HC_UNUSED(to);
  HC_UNUSED(bytes);
  refuse(d, act);
}

void hc_flow_joint(hc_doings *d, uint32_t act, const hc_joint *j)
{
  HC_UNUSED(j);
  refuse(d, act);
}

void hc_flow_stop(hc_doings *d, uint32_t act)
{
  HC_UNUSED(d);
  HC_UNUSED(act);
}

void hc_flow_pause(hc_doings *d, uint32_t act, bool is_paused)
{
  HC_UNUSED(d);
  HC_UNUSED(act);
  HC_UNUSED(is_paused);
}

hc_time hc_flows_next(hc_doings *d)
{
  HC_UNUSED(d);
  return HC_NEVER;
}

int hc_flows_due(hc_doings *d)
{
  HC_UNUSED(d);
  return 0;
}

hc_rc hc_flows_visit(hc_doings *d, hc_visitor *v)
{
  HC_UNUSED(d);
  HC_UNUSED(v);
  return 0;
}
