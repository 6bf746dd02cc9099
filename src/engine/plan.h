/* plan.h -- the services by which a policy acts: plan.c has them, view.c puts them into the table. */
#ifndef HC_ENGINE_PLAN_H
#define HC_ENGINE_PLAN_H

#include "cluster/hosts.h"
#include "hindcast/architecture.h"

hc_rc hc_plan_start(hc_plan *p, hc_task t, const hc_range *hosts, size_t count);
hc_rc hc_plan_start_paced(hc_plan *p, hc_task t, const hc_range *hosts, size_t count, double pace);
hc_rc hc_plan_reserve_hosts(hc_plan *p, hc_task t, hc_time at);
/** Where the placement would put it at `at`, as expected ends have it. @param out borrowed until the next question
 *  about the future. @return how many grants; 0: nowhere. */
size_t hc_view_hosts_at(const hc_view *v, hc_task t, hc_time at, const hc_grant **out);
hc_rc hc_plan_start_heads(hc_plan *p, hc_task *blocked); /* heads.c */
hc_rc hc_plan_reserve(hc_plan *p, hc_task t, hc_time at);
hc_rc hc_plan_unreserve(hc_plan *p, hc_task t);
hc_rc hc_plan_unreserve_all(hc_plan *p);
hc_rc hc_plan_preempt(hc_plan *p, hc_task t, hc_stop how);
hc_rc hc_plan_stop(hc_plan *p, hc_task t, const hc_stopping *how);
/** See hc_services: stopping.c has them. */
hc_time hc_view_leaves(const hc_view *v, hc_task t);
size_t hc_view_held(const hc_view *v, hc_task t, const hc_holding **out);
bool hc_view_fits_without(const hc_view *v, hc_task t, uint32_t host, const hc_task *running, size_t count);
hc_time hc_view_loses(const hc_view *v, hc_task t, const hc_stopping *how);
/** rates.c has these. */
hc_rc hc_plan_set_rate(hc_plan *p, hc_task t, int64_t rate);
hc_rc hc_plan_suspend(hc_plan *p, hc_task t);
hc_rc hc_plan_resume(hc_plan *p, hc_task t);
int64_t hc_view_rate(const hc_view *v, hc_task t);
/** What a task holds that runs, or that the open plan has started. */
hc_rc hc_view_grants(hc_engine *e, hc_task t, hc_grant *one, const hc_grant **grants, size_t *count);
hc_rc hc_plan_resize(hc_plan *p, hc_task t, int64_t units);
hc_rc hc_plan_reject(hc_plan *p, hc_task t, const char *reason);
hc_rc hc_plan_wake(hc_plan *p, hc_time at);

#endif
