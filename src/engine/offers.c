/* offers.c -- in which sizes a waiting task may start, as policies ask it, and what would be if it had one.
 *
 * Tasks without a profile offer what moldable.c says. Those with one have any size between their bounds
 * (actions/resize.c), and what is believed of them is the same in each. A question about another size gives
 * it to the task while that is answered: its place in its queue stays, and nothing else is told. A task that
 * is promised a start is promised it in the size that it has, and offers no other. Cost: O(sizes), and of a
 * question that of the same question about the task as it is. */
#include "base/util.h"
#include "cluster/lexicon.h"
#include "engine/choose.h"
#include "engine/moldable.h"
#include "engine/plan.h"
#include "engine/points.h"
#include "engine/reservations.h"
#include "engine/resizing.h"
#include "engine/tasks.h"
#include "engine/work.h"

/* ---- tasks with a profile ---- */

/* What is believed of one is the same in each size, and how fast it is nothing says before it runs. */
static size_t list_profiled(const hc_engine *e, hc_task id, hc_mold_offer *out, size_t cap)
{
  int64_t least, most;
  hc_resize_bounds(e, id, HC_SIZED_AT_START, &least, &most);
  most = HC_MIN(most, (int64_t)UINT32_MAX / HC_MAX(hc_moldable_each(e, id), 1));
  if (hc_attempt_of(e, id)->own.most > 0) most = HC_MIN(most, (int64_t)hc_attempt_of(e, id)->own.most);
  for (int64_t size = least; size <= most && (size_t)(size - least) < cap; size++)
    out[size - least] =
        (hc_mold_offer){size, size * hc_moldable_each(e, id), (double)size, hc_estimate_of(e, id)};
  return most > least ? (size_t)(most - least) + 1 : 0;
}

/* Its times stay what they are. */
static void set_plainly(hc_engine *e, hc_task id, uint32_t size)
{
  e->choice.version = 0;
  if (e->tasks.remembers) e->tasks.failed[id] = 0;
  hc_set_size(e, id, size);
}

static bool is_profiled(const hc_engine *e, hc_task id)
{
  const hc_live *t = &e->tasks.live[id];
  return (e->policy_flags & HC_MOLDS) && t->state == HC_TASK_WAITING && !t->deferred && hc_points_has(e, id);
}

/* The nearest that is not above `size`. */
static size_t nearest(const hc_mold_offer *offers, size_t count, int64_t size)
{
  size_t i = count - 1;
  while (i > 0 && offers[i].size > size) i--;
  return i;
}

size_t hc_view_offers(const hc_view *v, hc_task id, hc_mold_offer *out, size_t cap, size_t *asked,
                      size_t *preferred)
{
  const hc_engine *e = v->engine;
  const uint32_t more = id < e->tasks.count ? hc_cold_of(e, id)->more : 0;
  const hc_task_extras *m = more ? hc_lexicon_more(e->lexicon, more) : NULL;
  const bool has_profile = m && is_profiled(e, id);
  if (!m || !(has_profile || hc_moldable_is(e, id)) || hc_reserved_of(e, id) != HC_NEVER) return 0;
  const uint32_t width = hc_work_of(e, id)->width;
  const uint32_t own = has_profile && width > 0 ? width : hc_moldable_own(e, id);
  const size_t n = has_profile ? list_profiled(e, id, out, cap) : hc_moldable_list(e, id, out, cap);
  if (n == 0 || n > cap) return n;
  const int64_t prefers = m->preferred > 0 ? hc_moldable_in_slots(m, own, m->preferred) : 0;
  *asked = nearest(out, n, own);
  *preferred = prefers > 0 ? nearest(out, n, prefers) : *asked;
  return n;
}

static bool pose(hc_engine *e, hc_task id, int64_t size, uint32_t *was)
{
  if (id >= e->tasks.count || hc_reserved_of(e, id) != HC_NEVER) return false;
  if (size < 1 || size > UINT32_MAX) return false;
  *was = hc_size_of(e, id);
  if (is_profiled(e, id)) set_plainly(e, id, (uint32_t)size);
  else if (!hc_moldable_is(e, id) || !hc_moldable_offers(e, id, size)) return false;
  else hc_engine_note(e, hc_moldable_set(e, id, (uint32_t)size));
  return true;
}

static void unpose(hc_engine *e, hc_task id, uint32_t was)
{
  if (is_profiled(e, id)) set_plainly(e, id, was);
  else hc_engine_note(e, hc_moldable_set(e, id, was));
}

hc_slot hc_view_earliest_as(const hc_view *v, hc_task id, int64_t size, hc_time from)
{
  hc_engine *e = v->engine;
  uint32_t was;
  if (!pose(e, id, size, &was)) return (hc_slot){HC_NEVER, 0};
  const hc_slot out = hc_view_earliest(v, id, from);
  unpose(e, id, was);
  return out;
}

bool hc_view_fits_as(const hc_view *v, hc_task id, int64_t size, bool harmless, hc_time longer)
{
  hc_engine *e = v->engine;
  uint32_t was;
  if (!pose(e, id, size, &was)) return false;
  const bool out = hc_view_fits(v, id) && (!harmless || hc_view_harmless_for(v, id, longer));
  unpose(e, id, was);
  return out;
}
