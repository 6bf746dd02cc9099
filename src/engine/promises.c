/* promises.c -- promises that the cell does not keep any more are void.
 *
 * A task came to stand in their way, which goes on, is slower or larger, or runs longer than was believed; or
 * a window of an advance reservation was announced. Those with the latest starts are void, as many as must
 * be; all others stay. The policy makes them anew, at once or when it decides next.
 *
 * Cost: O(promises x log). */
#include "engine/promises.h"

#include <stdlib.h>

#include "base/util.h"
#include "engine/plan.h"
#include "engine/reservations.h"
#include "engine/tasks.h"
#include "reserve/reserve.h"

/* Does what is promised to it find its room? */
static bool is_kept(hc_engine *e, hc_task id)
{
  const hc_time at = hc_reserved_of(e, id), until = hc_promised_until(at, hc_estimate_of(e, id));
  const hc_grant *grants;
  size_t count;
  if (!e->cell.hosts) return hc_reserve_least_free(e->reserve, HC_NO_TASK, at, until) >= 0;
  const hc_rc rc = hc_reserve_hosts_of(e->reserve, id, &grants, &count);
  hc_engine_note(e, rc);
  return rc >= 0 && hc_reserve_holds(e->reserve, id, at, grants, count);
}

typedef struct promise {
  hc_time at;
  uint64_t serial;
  hc_task task;
} promise;

static int latest_first(const void *a, const void *b)
{
  const promise *x = a, *y = b;
  if (x->at != y->at) return x->at > y->at ? -1 : 1;
  return x->serial > y->serial ? -1 : x->serial < y->serial;
}

/* All promises, the latest first. @param out [reserved_count] in the scratch arena; NULL: HC_ENOMEM */
static hc_rc list_promises(hc_engine *e, promise **out)
{
  const hc_tasks *ts = &e->tasks;
  const size_t n = ts->reserved_count;
  promise *all = hc_arena_alloc(&e->scratch, n * sizeof *all + 1);
  *out = all;
  if (!all) return HC_ENOMEM;
  for (size_t i = 0; i < n; i++) {
    const hc_task t = ts->reserved[i];
    all[i] = (promise){hc_reserved_of(e, t), ts->live[t].serial, t};
  }
  if (n > 1) qsort(all, n, sizeof *all, latest_first);
  return 0;
}

hc_rc hc_promises_void(hc_plan *p)
{
  hc_engine *e = p->engine;
  const size_t n = e->tasks.reserved_count;
  promise *all;
  if (n == 0 || (e->cell.hosts && !e->reserve->type->holds_hosts)) return 0;
  TRY(list_promises(e, &all));
  for (size_t i = 0; i < n; i++)
    if (!is_kept(e, all[i].task)) TRY(hc_plan_unreserve(p, all[i].task));
  return 0;
}

/* Where hosts are not held for promises, which of them stands on what was announced is not known: all are
 * made anew. */
hc_rc hc_promises_void_broken(hc_engine *e)
{
  const bool all_go = e->cell.hosts && !e->reserve->type->holds_hosts;
  const size_t n = e->tasks.reserved_count;
  promise *all;
  if (n == 0) return 0;
  TRY(list_promises(e, &all));
  for (size_t i = 0; i < n; i++)
    if (all_go || !is_kept(e, all[i].task)) TRY(hc_apply_reservation(e, all[i].task, HC_NEVER, NULL, 0));
  return 0;
}
