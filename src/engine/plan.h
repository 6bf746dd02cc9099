/* plan.h -- a plan, and what the files of actions add to it. See plan.c. */
#ifndef HC_ENGINE_PLAN_H
#define HC_ENGINE_PLAN_H

#include "engine/action.h"
#include "engine/state.h"

/** Write an action down and apply it. It is about the task `wish->task`, or about none (HC_NO_TASK).
 *  @param wish   what of it the type knows: task, at, how ...; the rest is set here
 *  @param grants [count] what it takes, gives up or promises
 *  @return 0; HC_EPOLICY: it cannot be applied, and was not added; HC_ENOMEM */
hc_rc hc_plan_add(hc_plan *p, const hc_action_type *type, const hc_action *wish, const hc_grant *grants,
                  size_t count);
/** The number of a type in the run's table. */
uint32_t hc_plan_kind(const hc_engine *e, const hc_action_type *type);
/** Write what an action is about behind it: its newest. @return 0 or HC_ENOMEM. */
hc_rc hc_plan_attach(hc_plan *p, hc_action *a, const hc_grant *grants, size_t count);
/** What an action is about; NULL if that is nothing, or processors have no names. */
const hc_grant *hc_plan_grants(const hc_plan *p, const hc_action *a);
/** Write the hosts that its task is promised down with an action, for undoing it. @return 0 or HC_ENOMEM. */
hc_rc hc_plan_note_promise(hc_plan *p, hc_action *a);
/** Give its task the reservation that it had before an action, and the hosts that it stood on. */
hc_rc hc_plan_reserve_as_before(hc_engine *e, const hc_plan *p, const hc_action *a);
/** Is there such a task, and does it wait? */
bool hc_plan_can_start(hc_engine *e, hc_task t);
hc_rc hc_plan_undo(hc_engine *e, hc_plan *p);
/** As hc_engine_services.plan_save, plan_load: which take no effect. */
hc_rc hc_plan_save(const hc_plan *p, void **bytes, size_t *size);
hc_rc hc_plan_load(hc_plan *p, const void *bytes, size_t size);
/** Apply all of a plan to a cell that is as it was when the plan was made. */
hc_rc hc_plan_apply(hc_engine *e, hc_plan *p);
void hc_plan_clear(hc_plan *p);
void hc_plan_fini(hc_plan *p);
/** Room for so many starts with one grant each. @return 0 or HC_ENOMEM. */
hc_rc hc_plan_grow(hc_plan *p, size_t count);
static inline hc_rc hc_plan_room(hc_plan *p, size_t count)
{
  return p->count + count <= p->cap && p->grant_count + count <= p->grant_cap ? 0 : hc_plan_grow(p, count);
}

/* ---- the services by which a policy acts: each in the file of its action; view.c puts them into the table
   ---- */

hc_rc hc_plan_start(hc_plan *p, hc_task t, const hc_range *hosts, size_t count);
hc_rc hc_plan_start_dealt(hc_plan *p, hc_task t, const hc_host_room *dealt, size_t count);
hc_rc hc_plan_start_limited(hc_plan *p, hc_task t, const hc_host_room *dealt, size_t count, hc_time limit);
hc_rc hc_plan_starts_in(hc_plan *p, hc_task t, uint32_t set);
hc_rc hc_plan_start_paced(hc_plan *p, hc_task t, const hc_range *hosts, size_t count, double pace);
hc_rc hc_plan_start_heads(hc_plan *p, hc_task *blocked); /* heads.c */
hc_rc hc_plan_reserve(hc_plan *p, hc_task t, hc_time at);
hc_rc hc_plan_reserve_hosts(hc_plan *p, hc_task t, hc_time at);
hc_rc hc_plan_unreserve(hc_plan *p, hc_task t);
hc_rc hc_plan_unreserve_all(hc_plan *p);
hc_rc hc_plan_preempt(hc_plan *p, hc_task t, hc_stop how);
hc_rc hc_plan_stop(hc_plan *p, hc_task t, const hc_stopping *how);
hc_rc hc_plan_warn(hc_plan *p, hc_task t, const hc_stopping *how); /* a stop after a grace */
hc_rc hc_plan_set_rate(hc_plan *p, hc_task t, int64_t rate);
hc_rc hc_plan_suspend(hc_plan *p, hc_task t);
hc_rc hc_plan_resume(hc_plan *p, hc_task t);
hc_rc hc_plan_resize(hc_plan *p, hc_task t, int64_t size, const hc_range *hosts, size_t count);
hc_rc hc_plan_resize_pausing(hc_plan *p, hc_task t, int64_t size, const hc_range *hosts, size_t count,
                             hc_time pause);
hc_rc hc_plan_leave_point(hc_plan *p, hc_task t, const hc_range *hosts, size_t count);
hc_rc hc_plan_mold(hc_plan *p, hc_task t, int64_t size);
hc_rc hc_plan_fetch(hc_plan *p, hc_task t, uint32_t host);
hc_rc hc_plan_power(hc_plan *p, uint32_t host, bool on, hc_time takes);
hc_rc hc_plan_set_pstate(hc_plan *p, uint32_t host, uint32_t state); /* the service is in pstates.c */
hc_rc hc_plan_reject(hc_plan *p, hc_task t, const char *reason);
hc_rc hc_plan_wake(hc_plan *p, hc_time at);
hc_rc hc_plan_report(hc_plan *p, int64_t id, bool energy);
hc_rc hc_plan_join(hc_plan *p);
hc_plan_mark hc_plan_mark_of(const hc_plan *p);
hc_rc hc_plan_take_back(hc_plan *p, const hc_plan_mark *mark);

/* ---- questions that other files than view.c answer ---- */

/** See hc_services: stopping.c has them. */
hc_time hc_view_leaves(const hc_view *v, hc_task t);
size_t hc_view_held(const hc_view *v, hc_task t, const hc_holding **out);
bool hc_view_fits_without(const hc_view *v, hc_task t, uint32_t host, const hc_task *running, size_t count);
hc_time hc_view_loses(const hc_view *v, hc_task t, const hc_stopping *how);
int64_t hc_view_rate(const hc_view *v, hc_task t); /* rates.c */
const hc_workflow *hc_view_workflow(hc_view *v);   /* workflow.c */
double hc_view_takes(const hc_view *v, uint32_t from, uint32_t to, double bytes);
bool hc_view_could(const hc_view *v, hc_task t, uint32_t host);
bool hc_view_could_slot(const hc_view *v, hc_task t, uint32_t host);
double hc_view_speed_on(const hc_view *v, hc_task t, uint32_t host_class); /* speeds.c */
void hc_view_sizes(const hc_view *v, hc_task t, int64_t *least, int64_t *most); /* actions/resize.c */
int64_t hc_view_wished(const hc_view *v, hc_task t);
int64_t hc_view_awaited(const hc_view *v, hc_task t);
size_t hc_view_at_points(hc_view *v, const hc_at_point **out); /* points_told.c */
hc_rc hc_view_look(hc_view *v, hc_use_look *out); /* measures.c */
double hc_view_speed_in(const hc_view *v, hc_task t, int64_t size);
/** What a task holds that runs, or that the open plan has started or resized. */
hc_rc hc_view_grants(hc_engine *e, hc_task t, hc_grant *one, const hc_grant **grants, size_t *count);

#endif
