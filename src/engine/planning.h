/* planning.h -- what a decision works on: a view of the cell and of a queue, and the plan that is made on it.
 * What may be asked is view.c, what may be done plan.h and actions/. */
#ifndef HC_ENGINE_PLANNING_H
#define HC_ENGINE_PLANNING_H

#include "engine/action.h"

struct hc_plan {
  hc_engine *engine;
  hc_action *actions;
  size_t count, cap, heads; /* heads: so many starts at the beginning left no task behind before them */
  hc_grant *grants;
  size_t grant_count, grant_cap;
  uint64_t seen;  /* commits, when its view was opened */
  uint64_t queue; /* of that view: whose policy hears what becomes of it */
};

struct hc_view {
  hc_engine *engine;
  uint32_t queue;
  bool open;
  const hc_range *scope;
  size_t scope_count;
  bool is_limited; /* tasks behind `last` are not shown */
  hc_cursor last;
};

#endif
