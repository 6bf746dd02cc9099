/* points_told.c -- scheduling points that the run's policy decides (hc_policy_type.decides_points).
 *
 * A task that comes to a point at which its size may change waits there, and the policy is called at the same
 * instant, behind what ends and arrives at it. It sees which tasks are at their points and what they ask for,
 * and lets each go on, as it is or on hosts that it names (actions/leave_point.c). A task that it lets wait
 * stays at its point, and holds what it holds. Cost: O(tasks at points) each time. */
#include <string.h>

#include "base/util.h"
#include "cluster/lexicon.h"
#include "engine/plan.h"
#include "engine/points.h"
#include "engine/points_table.h"
#include "engine/tasks.h"
#include "engine/timers.h"

bool hc_points_is_told(const hc_engine *e, hc_task id, int64_t wants)
{
  const uint32_t more = hc_cold_of(e, id)->more;
  const hc_task_extras *m = more ? hc_lexicon_more(e->lexicon, more) : NULL;
  if (!hc_points_decided(e) || !m || m->of == 0) return false;
  const uint32_t changes = m->changes ? m->changes : (uint32_t)HC_SIZED_RUNNING;
  return (changes & (wants > 0 ? HC_SIZED_BY_ITSELF : HC_SIZED_RUNNING)) != 0;
}

hc_rc hc_points_tell(hc_engine *e, hc_task id, int64_t wants)
{
  hc_points *z = e->points;
  TRY(hc_reserve(e->allocator, (void **)&z->at, &z->at_cap, z->at_count + 1, sizeof *z->at));
  z->at[z->at_count++] = (at_point){.told = {.task = id, .wants = wants}};
  return hc_timer_set(e, e->now, HC_TIMER_WAKE);
}

void hc_points_forget(hc_engine *e, hc_task id)
{
  hc_points *z = e->points;
  size_t left = 0;
  for (size_t i = 0; i < z->at_count; i++)
    if (z->at[i].told.task != id) z->at[left++] = z->at[i];
  z->at_count = left;
}

size_t hc_view_at_points(hc_view *v, const hc_at_point **out)
{
  hc_engine *e = v->engine;
  const hc_points *z = e->points;
  hc_at_point *all = hc_arena_room(&e->scratch, (z ? z->at_count : 0) * sizeof *all + 1);
  size_t n = 0;
  *out = all;
  for (size_t i = 0; all && z && i < z->at_count; i++)
    if (!z->at[i].goes_on) all[n++] = z->at[i].told;
  return n;
}
