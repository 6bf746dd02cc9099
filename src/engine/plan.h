/* plan.h -- the services by which a policy acts: plan.c has them, view.c puts them into the table. */
#ifndef HC_ENGINE_PLAN_H
#define HC_ENGINE_PLAN_H

#include "hindcast/policy.h"

hc_rc hc_plan_start(hc_plan *p, hc_task t, const hc_range *hosts, size_t count);
hc_rc hc_plan_reserve(hc_plan *p, hc_task t, hc_time at);
hc_rc hc_plan_unreserve(hc_plan *p, hc_task t);
hc_rc hc_plan_unreserve_all(hc_plan *p);
hc_rc hc_plan_preempt(hc_plan *p, hc_task t, hc_stop how);
hc_rc hc_plan_resize(hc_plan *p, hc_task t, int64_t units);
hc_rc hc_plan_reject(hc_plan *p, hc_task t, const char *reason);
hc_rc hc_plan_wake(hc_plan *p, hc_time at);

#endif
