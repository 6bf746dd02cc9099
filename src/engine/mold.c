/* mold.c -- tasks of several slots that start with more of them than they ask for. See hindcast/execution.h.
 *
 * While it waits, a task's slots are what it will ask for when it starts next: an architecture that molds
 * changes them, and the task's place in its queue with them, so that all who look at it see a task of that
 * size. Its times stay those of its own size until it starts; then they become shorter (work.c), as on a
 * faster host, and come back if the start is undone. A task that waits again after it ran has its own size.
 *
 * What is idle is counted host by host, by amounts: parts of devices may turn out not to fit, and then an
 * attempt is in vain. Tasks with chunks, or on cells whose first dimension belongs to the cluster, are never
 * molded. */
#include "base/util.h"
#include "engine/observe.h"
#include "engine/queues.h"
#include "engine/tasks.h"
#include "engine/work.h"

hc_rc hc_mold_open(hc_engine *e)
{
  if (!e->cell.hosts)
    return hc_fail(
        e->error, HC_EUNSUPPORTED, "architecture", 0, 0,
        "jobs are molded slot by slot on hosts, and this cell has none: use `cell: {use: hosts, ...}`, or "
        "leave "
        "out the `mold`");
  e->stretches = true;
  return 0;
}

/* ---- how many ---- */

static int64_t room_on(const hc_engine *e, const hc_request *r, uint32_t host)
{
  hc_hosts *h = e->cell.hosts;
  const int64_t *free;
  int64_t n = INT64_MAX;
  if (r->whole) return hc_hosts_is_idle(h, host);
  if (!hc_hosts_has_room(h, host, r->need)) return 0;
  if (r->more != 0 && !hc_hosts_could_on(h, r, host)) return 0;
  if (r->spread) return 1;
  free = hc_hosts_free_of(h, host);
  for (uint32_t d = 0; d < e->tasks.dimensions; d++)
    if (r->need[d] > 0 && !hc_hosts_is_shared(h, d)) n = HC_MIN(n, free[d] / r->need[d]);
  return n;
}

/* Slots that find room in a scope; counting stops at `most`. */
static int64_t count_idle(const hc_engine *e, hc_task id, const hc_range *scope, size_t count, int64_t most)
{
  const hc_request r = hc_request_of(e, id);
  const hc_range all = {0, e->cell_spec.units};
  int64_t n = 0;
  if (count == 0) scope = &all, count = 1;
  for (size_t i = 0; i < count; i++)
    for (uint32_t k = 0; k < scope[i].count && n < most; k++)
      n += HC_MIN(room_on(e, &r, scope[i].first + k), most - n);
  return n;
}

static bool can_be(const hc_engine *e, hc_task id)
{
  const hc_live *t = &e->tasks.live[id];
  const hc_task_extras *more = hc_lexicon_more(e->lexicon, hc_request_of(e, id).more);
  return t->state == HC_TASK_WAITING && t->slots > 0 && !(more && more->chunk_count > 0) &&
         !hc_hosts_is_shared(e->cell.hosts, 0);
}

/* ---- as many ---- */

static void set(hc_engine *e, hc_task id, uint32_t slots)
{
  hc_live *t = hc_live_of(e, id);
  t->units = t->units / t->slots * slots;
  t->slots = slots;
}

/* It waits: its queue, and those who watch it, see another task. */
static hc_rc resize(hc_engine *e, hc_task id, uint32_t slots)
{
  const uint32_t queue = hc_live_of(e, id)->queue;
  if (hc_live_of(e, id)->slots == slots) return 0;
  if (e->observers.wants_changes) TRY(hc_observe_queue(e, id, HC_CHANGE_UNQUEUED));
  hc_queues_remove(e, id);
  set(e, id, slots);
  TRY(hc_queues_insert(e, queue, id));
  return e->observers.wants_changes ? hc_observe_queue(e, id, HC_CHANGE_QUEUED) : 0;
}

static hc_rc back(hc_engine *e, hc_task id)
{
  const uint32_t own = hc_work_of(e, id)->width;
  if (own == 0) return 0;
  hc_attempt_need(e, id)->work.width = 0;
  return resize(e, id, own);
}

hc_rc hc_mold(hc_engine *e, hc_task id, const hc_chosen *mold, double useful, const hc_range *scope,
              size_t scope_count, double *speed_up)
{
  hc_mold_resource resources[HC_DIMENSIONS];
  hc_mold_question q = {.resources = resources};
  uint32_t each;
  *speed_up = 1;
  if (!can_be(e, id)) return 0;
  TRY(back(e, id));
  each = hc_live_of(e, id)->units / hc_live_of(e, id)->slots;
  q.configured = q.useful = hc_live_of(e, id)->slots;
  if (!mold || !(useful > (double)q.configured)) return 0;
  q.useful = (int64_t)HC_MIN(useful, (double)UINT32_MAX / (double)HC_MAX(each, 1));
  q.idle = count_idle(e, id, scope, scope_count, q.useful);
  for (uint32_t d = 0; d < e->tasks.dimensions; d++) {
    const hc_request r = hc_request_of(e, id);
    int64_t total, free;
    hc_hosts_sums(e->cell.hosts, d, &total, &free);
    if (r.need[d] <= 0 || hc_hosts_is_shared(e->cell.hosts, d)) continue;
    resources[q.resource_count++] =
        (hc_mold_resource){(double)r.need[d], (double)(total - free), (double)total};
  }
  each = (uint32_t)hc_mold_width(mold, &q);
  if ((int64_t)each <= q.configured) return 0;
  hc_attempt *a = hc_attempt_need(e, id);
  if (!a) return HC_ENOMEM;
  a->work.width = (uint32_t)q.configured;
  *speed_up = (double)each / (double)q.configured;
  return resize(e, id, each);
}
