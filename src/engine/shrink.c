/* shrink.c -- tasks go from a host that shrank below what they hold (`host_shrinks`).
 *
 * As many go as must: one after the other, in the order of `shrink_first`, each that holds something of what
 * the host has not enough of, until it has enough. A task on several hosts goes as a whole. One that took the
 * host whole has what it took and stays: it is alone there. Each is stopped as a plan stops tasks, so
 * records, policies and metrics hear of it in the same way.
 *
 * Cost: a walk over the live tasks for each host that changes its amounts, and for each task that goes one
 * over the host's dimensions. */
#include "engine/shrink.h"

#include "base/mem.h"
#include "base/sort.h"
#include "base/util.h"
#include "cluster/record.h"
#include "engine/combine.h"
#include "engine/demand.h"
#include "engine/stopping.h"
#include "engine/tasks.h"

/* A task on the host. */
typedef struct on_it {
  uint64_t serial;
  hc_time start;
  int64_t priority; /* 0 for all, where it does not matter */
  hc_task task;
} on_it;

HC_SORT(sort_tasks, on_it,
        a->priority != b->priority ? a->priority < b->priority
        : a->start != b->start     ? a->start > b->start
                                   : a->serial > b->serial)

hc_rc hc_shrink_check(const hc_engine *e, uint32_t flags, hc_error *error)
{
  if (e->options->host_shrinks == HC_AT_START_KEEP) return 0;
  if (!e->cell.hosts)
    return hc_combine_refuse(error,
                             "`host_shrinks` is about hosts, and this cell counts processors: leave it "
                             "out, or use a cell of hosts");
  if (flags & (HC_SETS_RATES | HC_MAY_RESIZE | HC_PACES))
    return hc_combine_refuse(
        error, "a policy that suspends or resizes tasks, or sets their rates, has places for "
               "them that no other takes away: leave `host_shrinks` at keep, or use another policy");
  return 0;
}

/* Does a task hold something on a host of what that has not enough of? */
static bool is_in_the_way(const hc_engine *e, const on_it *x, uint32_t host, const hc_grant *held,
                          size_t count)
{
  int64_t amounts[HC_DIMENSIONS];
  for (size_t i = 0; i < count; i++) {
    if (held[i].host != host) continue;
    hc_demand_of_grant(e, x->task, &held[i], amounts);
    for (uint32_t d = 0; d < e->tasks.dimensions; d++)
      if (amounts[hc_hosts_which(e->cell.hosts)[d]] > 0 && hc_hosts_lacks(e->cell.hosts, host, d))
        return true;
    if (hc_hosts_lacks_devices(e->cell.hosts, host, &held[i].devices)) return true;
  }
  return false;
}

static hc_rc find_tasks(hc_engine *e, uint32_t host, on_it **out, size_t *count, size_t *cap)
{
  const bool by_priority = e->options->shrink_first == HC_SHRINK_PRIORITY;
  for (hc_task t = 0; t < e->tasks.count; t++) {
    const hc_live *x = hc_live_of(e, t);
    const hc_grant *held;
    hc_grant one;
    size_t n, i = 0;
    if (x->state != HC_TASK_RUNNING) continue;
    TRY(hc_tasks_held(e, x, &one, &held, &n));
    while (i < n && held[i].host != host) i++;
    if (i == n) continue;
    TRY(hc_reserve(e->allocator, (void **)out, cap, *count + 1, sizeof **out));
    (*out)[(*count)++] = (on_it){x->serial, x->start, by_priority ? hc_cold_of(e, t)->priority : 0, t};
  }
  sort_tasks(*out, *count);
  return 0;
}

static hc_rc evict(hc_engine *e, uint32_t host, const on_it *x, const hc_stopping *how, hc_error *error)
{
  const hc_live *t = hc_live_of(e, x->task);
  const hc_grant *held;
  hc_grant one;
  size_t count;
  if (t->serial != x->serial || t->state != HC_TASK_RUNNING) return 0;
  TRY(hc_tasks_held(e, t, &one, &held, &count));
  return is_in_the_way(e, x, host, held, count) ? hc_stopping_now(e, x->task, how, error) : 0;
}

hc_rc hc_shrink_evict(hc_engine *e, uint32_t host, hc_error *error)
{
  hc_stopping how = {.how = HC_STOP_REQUEUE};
  on_it *on = NULL;
  size_t count = 0, cap = 0;
  hc_rc rc;
  switch ((hc_at_start)e->options->host_shrinks) {
    case HC_AT_START_KEEP: return 0;
    case HC_AT_START_REQUEUE: break;
    case HC_AT_START_CHECKPOINT: how.how = HC_STOP_CHECKPOINT; break;
    case HC_AT_START_STOP: how.how = HC_STOP_KILL; break;
  }
  if (!hc_hosts_lacks_any(e->cell.hosts, host)) return 0;
  rc = find_tasks(e, host, &on, &count, &cap);
  for (size_t i = 0; i < count && rc >= 0 && hc_hosts_lacks_any(e->cell.hosts, host); i++)
    rc = evict(e, host, &on[i], &how, error);
  hc_free(e->allocator, on, cap * sizeof *on);
  return rc;
}
