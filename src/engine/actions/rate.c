/* rate.c -- a running task works at another rate, is suspended, or goes on. What that means is in rates.c. */
#include "base/util.h"
#include "engine/plan.h"
#include "engine/rates.h"

static hc_rc apply(hc_engine *e, const hc_plan *p, const hc_action *a)
{
  HC_UNUSED(p);
  return hc_apply_rate(e, a);
}

static hc_rc undo(hc_engine *e, const hc_plan *p, const hc_action *a)
{
  HC_UNUSED(p);
  return hc_undo_rate(e, a);
}

static hc_rc recheck(hc_engine *e, const hc_plan *p, hc_action *a)
{
  HC_UNUSED(p);
  return hc_recheck_rate(e, a);
}

static hc_rc happened(hc_engine *e, const hc_plan *p, const hc_action *a, hc_error *error)
{
  HC_UNUSED(p);
  return hc_happened_rate(e, a, error);
}

const hc_action_type hc_action_rate = {
    .name = "rate", .apply = apply, .undo = undo, .recheck = recheck, .happened = happened};
