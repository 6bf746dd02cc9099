/* evict.c -- tasks go from a host that drains, some time after it began to (`evict_after` of a change).
 *
 * All that run on it go, in the order in which they started, but those of at least the priority that
 * tolerates it; a task on several hosts goes as a whole. Each is stopped as a plan stops tasks, so
 * records, policies and metrics hear of it in the same way. It is what a taint of the effect NoExecute
 * does in Kubernetes, whose pods have a toleration each; here a priority says which have. Cost: a walk
 * over the live tasks for each such event. */
#include "engine/evict.h"

#include "base/mem.h"
#include "base/sort.h"
#include "base/util.h"
#include "engine/combine.h"
#include "engine/explain.h"
#include "engine/stopping.h"
#include "engine/tasks.h"

/* A task on the host. */
typedef struct on_it {
  hc_time start;
  uint64_t serial;
  hc_task task;
} on_it;

HC_SORT(sort_tasks, on_it, a->start != b->start ? a->start < b->start : a->serial < b->serial)

hc_rc hc_evict_check(const hc_engine *e, hc_error *error)
{
  if (e->policy_flags & (HC_SETS_RATES | HC_MAY_RESIZE | HC_PACES))
    return hc_combine_refuse(
        error,
        "a policy that suspends or resizes tasks, or sets their rates, has places for them that no other "
        "takes away: leave `evict_after` out of the changes of hosts, or use another policy");
  return 0;
}

static hc_rc find_tasks(hc_engine *e, const hc_host_event *event, on_it **out, size_t *count, size_t *cap)
{
  for (hc_task t = 0; t < e->tasks.count; t++) {
    const hc_live *x = hc_live_of(e, t);
    const hc_grant *held;
    hc_grant one;
    size_t n, i = 0;
    if (x->state != HC_TASK_RUNNING || hc_cold_of(e, t)->priority >= event->tolerate) continue;
    TRY(hc_tasks_held(e, x, &one, &held, &n));
    while (i < n && held[i].host != event->host) i++;
    if (i == n) continue;
    TRY(hc_reserve(e->allocator, (void **)out, cap, *count + 1, sizeof **out));
    (*out)[(*count)++] = (on_it){x->start, x->serial, t};
  }
  sort_tasks(*out, *count);
  return 0;
}

hc_rc hc_evict_host(hc_engine *e, const hc_host_event *event, hc_error *error)
{
  static const hc_stop how_of[] = {[HC_EVICT_REQUEUE] = HC_STOP_REQUEUE,
                                   [HC_EVICT_CHECKPOINT] = HC_STOP_CHECKPOINT,
                                   [HC_EVICT_STOP] = HC_STOP_KILL};
  const hc_stopping how = {.how = how_of[event->how]};
  on_it *on = NULL;
  size_t count = 0, cap = 0;
  hc_rc rc = find_tasks(e, event, &on, &count, &cap);
  for (size_t i = 0; i < count && rc >= 0; i++) {
    const hc_live *t = hc_live_of(e, on[i].task);
    if (t->serial != on[i].serial || t->state != HC_TASK_RUNNING) continue;
    if (e->explain)
      hc_explain_text(e, on[i].task, "is evicted from host %s, which drains",
                      e->cell_spec.host_names[event->host]);
    rc = hc_stopping_now(e, on[i].task, &how, error);
  }
  hc_free(e->allocator, on, cap * sizeof *on);
  return rc;
}
