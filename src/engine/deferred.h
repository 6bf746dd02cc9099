/* deferred.h -- tasks that a policy may plan before they may start. See deferred.c. */
#ifndef HC_ENGINE_DEFERRED_H
#define HC_ENGINE_DEFERRED_H

#include "engine/state.h"

void hc_deferred_open(hc_engine *e, uint32_t flags);
hc_rc hc_deferred_join(hc_engine *e, hc_task t, hc_error *error); /* it joins the queue before its time */
hc_rc hc_deferred_due(hc_engine *e, hc_task t, hc_error *error);  /* which has come */
/** It leaves its queue for good. @return whether it did so before its time: observers do not know it. */
bool hc_deferred_leaves(hc_engine *e, hc_task t);
/** The least units of any waiting task that may start; 0 if there is none. */
int64_t hc_queues_smallest_due(const hc_engine *e);
hc_time hc_view_not_before(const hc_view *v, hc_task t);
/** The earliest time at or after `from` at which a task may start. */
static inline hc_time hc_deferred_from(const hc_engine *e, hc_task t, hc_time from)
{
  if (!e->tasks.live[t].deferred) return from;
  return e->tasks.cold[t].eligible > from ? e->tasks.cold[t].eligible : from;
}
hc_rc hc_deferred_visit(hc_engine *e, hc_visitor *v);

#endif
