/* evicting.h -- room on one host at the cost of tasks of lower priority, as kube-scheduler makes it.
 *
 * For a task that fits nowhere each host is looked at on which it would fit if all tasks of lower priority
 * were gone. Of these as many are reprieved as can be, the most important first (priority, then the earlier
 * start): what is left are its victims. Of all such hosts the one is taken whose most important victim has
 * the lowest priority; of equal ones that where the priorities of all victims have the least sum, where
 * there are fewest, where the most important ones have not run for as long (the latest of their earliest
 * starts), and the lowest host.
 *
 * A task of more than one host is no victim: a pod has one. Cost: a start or an end O(tasks on its
 * host); a choice a look at each task that runs, and for each host in question as many tries as it has
 * tasks of lower priority. Source: kube-scheduler, framework/plugins/defaultpreemption
 * (SelectVictimsOnNode) and framework/preemption (pickOneNodeForPreemption). Kubernetes also looks at
 * disruption budgets first, begins at a random node, and looks at a tenth of the nodes in question, at
 * least 100. */
#ifndef HC_ARCHITECTURE_EVICTING_H
#define HC_ARCHITECTURE_EVICTING_H

#include "architecture/one_host.h"
#include "base/mem.h"
#include "hindcast/architecture.h"

/* A task that runs, in its slot. */
typedef struct hc_evicted {
  uint64_t serial;
  int64_t priority;
  hc_time started;
  uint32_t host, next; /* HC_NO_HOST: it runs nowhere; the next on its host, HC_NO_TASK: none */
} hc_evicted;

typedef struct hc_evicting {
  const hc_allocator *allocator;
  const hc_services *ask;
  uint32_t hosts;
  /* state */
  hc_evicted *tasks; /* [task_count] by slot */
  size_t task_count, task_cap;
  uint32_t *first; /* [hosts] of the tasks on it */
  /* scratch: of the host at hand, and of the best */
  hc_task *here, *best;
  size_t here_count, here_cap, best_count, best_cap;
} hc_evicting;

hc_rc hc_evicting_init(hc_evicting *x, const hc_allocator *a, const hc_services *ask, uint32_t hosts);
void hc_evicting_fini(hc_evicting *x);
hc_rc hc_evicting_visit(hc_evicting *x, hc_visitor *v);
/* As hc_policy_type.on_task_event. */
hc_rc hc_evicting_hear(hc_evicting *x, const hc_view *v, hc_task_event what, hc_task t);
/* Where the task would go, and in place of which: x->best, [best_count]. @return 1; 0: nowhere; HC_ENOMEM */
hc_rc hc_evicting_choose(hc_evicting *x, const hc_architecture_context *c, const hc_view *v, hc_task t,
                         uint32_t *host);

#endif
