/* planner.h -- what policies that plan workflows ahead share: when they plan, and how plans are carried
 * out. See planner.c. */
#ifndef HC_POLICY_WORKFLOW_PLANNER_H
#define HC_POLICY_WORKFLOW_PLANNER_H

#include "policy/workflow/graph.h"

/* The first member of the options of each. */
typedef struct hc_planner_options {
  int transfers;
} hc_planner_options;

#define HC_PLANNER_FLAGS (HC_NEEDS_ESTIMATE | HC_PLACES_HOSTS | HC_PLANS_WORKFLOWS)

/** Place all nodes that are wanted and could run somewhere. @return 0 or HC_ENOMEM */
typedef hc_rc hc_planner_method(hc_graph *g, const void *options);

hc_rc hc_planner_init(const hc_policy_context *c, const char *name, const void *options,
                      hc_planner_method *method, hc_policy **out, hc_error *e);
hc_rc hc_planner_decide(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why);
hc_rc hc_planner_changed(hc_policy *self, const hc_view *v);
hc_rc hc_planner_visit(hc_policy *self, hc_visitor *v);
void hc_planner_fini(hc_policy *self);
uint32_t hc_planner_flags(const void *options);
hc_rc hc_planner_hears(hc_policy *self, const hc_view *v, hc_task_event what, hc_task t,
                       const int64_t *amounts);

#define HC_PLANNER_PARAMS(options) \
  HC_PARAM_AS( \
      CHOICE, "transfers", options, planner.transfers, "early|late", "early", \
      "When the items that a task reads are brought to its host. early: as soon as the task is planned " \
      "there and the item is made, while other tasks compute on that host. late: when the task has " \
      "started; it holds its cores meanwhile.")
#define HC_PLANNER_DETAIL \
  " A plan is made whenever tasks arrive or hosts change. It holds all tasks that have not started by " \
  "then, of all workflows, those that wait for other tasks included once all these have arrived. Times are " \
  "estimates: a task takes its estimate / speed of the host, a transfer takes what it takes alone on the " \
  "run's network (no time where the run has no `execution` that moves items). On each host tasks start in " \
  "the order of their planned starts, when those that they wait for are over; a task that is not ready " \
  "keeps its position. A task runs on one host; a task that asks for several is rejected. Needs a cell of " \
  "hosts and the architecture monolithic."
/** The members of hc_policy_type behind `component` and `init`. */
#define HC_PLANNER_CALLS \
  .flags = hc_planner_flags, .decide = hc_planner_decide, .visit = hc_planner_visit, \
  .fini = hc_planner_fini, .cell_changed = hc_planner_changed, .on_task_event = hc_planner_hears

#endif
