/* points.c -- tasks whose length follows from their profile, and whose hosts change while they run: only at a
 * scheduling point of that profile, where nothing of them goes on.
 *
 * What a plan says of the size of such a task (`resize`) is a wish, which stands until the task comes to its
 * next point or another takes its place. There the engine carries it out: what the task gives up is free at
 * once; what it gets is what is free then, up to the wish, which stands for the rest. Nothing is reserved
 * meanwhile: a policy that wants room kept for a task wishes nothing for others.
 *
 * A task may ask itself for another size (an evolving request): that is held between its bounds and comes
 * before any wish. Less is granted. More is granted if all of it is free, promises notwithstanding, which are
 * void then as under a plan; else the run's `cannot_grow` says what becomes of it: keep, and it goes on as it
 * is; or defer, and it waits at its point until there is room, in the order in which they came; or reserve:
 * what is free meanwhile is kept for it. Then no task starts, and none grows but the first that waits: a
 * policy that does not resize tasks is not called (outside.c), and one that does may let others shrink. Each
 * of those that wait is served, for all tasks before it come to an end; and where all that run wait, for none
 * of them would give anything up, the last goes on as it is.
 *
 * Order in an instant: ends, points by serial, those that wait for room, arrivals, decisions. A policy is not
 * called for a point as such, so that a point costs what its profile costs and a look at the wish; it is
 * called where one has freed something. One that decides at points itself (hc_policy_type.decides_points) is
 * called for each, and neither wishes nor `cannot_grow` play a part (points_told.c). A task that starts again
 * has no wish. Cost: O(1) a point; O(grants + log events) a resize. */
#include "engine/points.h"

#include <inttypes.h>
#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "engine/checkpoints.h"
#include "engine/combine.h"
#include "engine/commit.h"
#include "engine/demand.h"
#include "engine/event.h"
#include "engine/explain.h"
#include "engine/model.h"
#include "engine/part.h"
#include "engine/plan.h"
#include "engine/points_table.h"
#include "engine/resizing.h"
#include "engine/signals.h"
#include "engine/tasks.h"

static const hc_task_extras *extras_of(const hc_engine *e, hc_task id)
{
  const uint32_t more = hc_cold_of(e, id)->more;
  return more ? hc_lexicon_more(e->lexicon, more) : NULL;
}

/* ---- wishes ---- */

static hc_rc grow_table(hc_engine *e)
{
  hc_points *z = e->points;
  if (e->tasks.count <= z->count) return 0;
  TRY(hc_reserve(e->allocator, (void **)&z->wishes, &z->cap, e->tasks.count, sizeof *z->wishes));
  memset(z->wishes + z->count, 0, (e->tasks.count - z->count) * sizeof *z->wishes);
  z->count = e->tasks.count;
  return 0;
}

/* ---- a change ---- */

/* @return 1: it has that size now; 0: there is no room */
static hc_rc change(hc_engine *e, hc_task id, uint32_t size, hc_error *error)
{
  hc_plan *p = &e->points->plan;
  p->engine = e;
  p->queue = hc_live_of(e, id)->queue;
  p->seen = e->commits;
  hc_plan_clear(p);
  const hc_rc rc = hc_resize_to(p, id, size);
  if (rc == HC_EPOLICY) return 0;
  if (rc < 0) return rc;
  for (size_t i = 0; i < p->count; i++) p->actions[i].is_forced = 1; /* no policy planned it */
  TRY(hc_commit(e, p, HC_COMMIT_NOW, error));
  return 1;
}

/* As many as there is room for, up to `most`: where more than amounts decides it is tried with fewer.
 * @return 1: it has more than before; 0 */
static hc_rc grow(hc_engine *e, hc_task id, uint32_t size, uint32_t most, hc_error *error)
{
  const hc_live *t = hc_live_of(e, id);
  const uint32_t each = e->cell.hosts ? t->units / t->slots : 1;
  const int64_t room = each > 0 ? hc_free_most(e) / each : most;
  for (int64_t more = HC_MIN(room, (int64_t)(most - size)); more > 0; more /= 2) {
    const hc_rc rc = change(e, id, size + (uint32_t)more, error);
    if (rc != 0) return rc;
  }
  return 0;
}

/* @return 1: something is free since; 0; or an error */
static hc_rc shrink(hc_engine *e, hc_task id, uint32_t size, hc_error *error)
{
  size_t hosts;
  TRY(hc_signal_note_hosts(e, id, &hosts));
  const hc_rc rc = change(e, id, size, error);
  if (rc <= 0) return rc;
  TRY(hc_signal_free(e, hosts, error));
  return 1;
}

/* ---- a point ---- */

static hc_rc wait_for_room(hc_engine *e, hc_task id, uint32_t size)
{
  hc_points *z = e->points;
  TRY(hc_reserve(e->allocator, (void **)&z->waiters, &z->waiter_cap, z->waiter_count + 1,
                 sizeof *z->waiters));
  z->waiters[z->waiter_count++] = (waiter){hc_live_of(e, id)->serial, id, size};
  z->s.deferred++;
  z->tried = e->cell.grown;
  if (e->explain) hc_explain_text(e, id, "waits at a scheduling point for %u slots", size);
  return 0;
}

/* With `reserve`: those that came first are served first, and others keep off. */
static bool keeps_room(const hc_engine *e)
{
  return hc_points_awaited(e, HC_NO_TASK) > 0;
}

/* If it waits, does something go on that may give something up? */
static bool may_wait(const hc_engine *e)
{
  const int how = e->options->cannot_grow;
  return how == HC_GROW_DEFER ||
         (how == HC_GROW_RESERVE && (int64_t)e->points->waiter_count + 1 < e->running);
}

/* What it asks for. @param changed out @param waits out: it stays at its point */
static hc_rc request(hc_engine *e, hc_task id, int64_t wants, bool *changed, bool *waits, hc_error *error)
{
  const uint32_t size = hc_size_of(e, id);
  int64_t least, most;
  hc_rc rc = 0;
  e->points->s.requests++;
  hc_resize_bounds(e, id, HC_SIZED_BY_ITSELF, &least, &most);
  const uint32_t to = (uint32_t)HC_MIN(HC_MAX(wants, least), most);
  if (to == size) return 0;
  if (to < size) rc = shrink(e, id, to, error);
  else if (!keeps_room(e)) rc = change(e, id, to, error);
  if (rc < 0) return rc;
  *changed = rc > 0;
  if (*changed) return to < size;
  if (!may_wait(e)) e->points->s.refused++;
  else {
    *waits = true;
    TRY(wait_for_room(e, id, to));
    if (keeps_room(e)) TRY(hc_signal_free(e, 0, error)); /* a decision, by which others may shrink */
  }
  return 0;
}

static hc_rc carry_out_wish(hc_engine *e, hc_task id, bool *changed, hc_error *error)
{
  const uint32_t wish = hc_points_wish(e, id), size = hc_size_of(e, id);
  int64_t least, most;
  hc_rc rc;
  if (wish == 0) return 0;
  hc_resize_bounds(e, id, HC_SIZED_RUNNING, &least, &most);
  if (wish < least || wish > most || (wish > size && keeps_room(e))) return 0;
  rc = wish < size ? shrink(e, id, wish, error) : wish > size ? grow(e, id, size, wish, error) : 0;
  if (rc < 0) return rc;
  *changed = rc > 0;
  if (hc_size_of(e, id) == wish) e->points->wishes[id].size = 0;
  return *changed && wish < size;
}

/* @return 0; 1: something is free since */
static hc_rc reach(hc_engine *e, hc_task id, int64_t wants, hc_error *error)
{
  bool changed = false, waits = false;
  hc_rc freed = 0;
  if (e->points) {
    e->points->s.points++;
    e->points->wishes[id].came = 1;
    if (hc_points_is_told(e, id, wants)) return hc_points_tell(e, id, wants);
    freed =
        wants > 0 ? request(e, id, wants, &changed, &waits, error) : carry_out_wish(e, id, &changed, error);
  }
  if (freed < 0 || waits) return freed;
  TRY(hc_model_go_on(e, id, changed, error));
  return freed;
}

/* The model's event says so of each task that is at one. */
static hc_rc deliver(hc_engine *e, hc_task id, uint64_t order, hc_error *error)
{
  return HC_MIN(reach(e, id, (int64_t)order, error), 0);
}

const hc_event_type hc_event_point = {.name = "point", .deliver = deliver};

/* ---- those that wait ---- */

static hc_rc leave(hc_engine *e, size_t i, bool changed, hc_error *error)
{
  hc_points *z = e->points;
  const hc_task id = z->waiters[i].task;
  z->waiter_count--;
  memmove(&z->waiters[i], &z->waiters[i + 1], (z->waiter_count - i) * sizeof *z->waiters);
  return hc_model_go_on(e, id, changed, error);
}

/* The first, and those behind it when it has its room. */
static hc_rc serve_in_order(hc_engine *e, hc_error *error)
{
  hc_points *z = e->points;
  while (z->waiter_count > 0) {
    const hc_rc rc = change(e, z->waiters[0].task, z->waiters[0].size, error);
    if (rc < 0) return rc;
    if (rc > 0) TRY(leave(e, 0, true, error));
    else if ((int64_t)z->waiter_count < e->running) break;
    else {
      z->s.refused++;
      TRY(leave(e, z->waiter_count - 1, false, error));
    }
  }
  return 0;
}

static hc_rc try_all(hc_engine *e, hc_error *error)
{
  hc_points *z = e->points;
  size_t left = 0;
  if (z->waiter_count == 0 || (e->cell.hosts && z->tried == e->cell.grown)) return 0;
  z->tried = e->cell.grown;
  if (e->options->cannot_grow == HC_GROW_RESERVE) return serve_in_order(e, error);
  for (size_t i = 0; i < z->waiter_count; i++) {
    const waiter w = z->waiters[i];
    const hc_rc rc = change(e, w.task, w.size, error);
    if (rc < 0) return rc;
    if (rc > 0) TRY(hc_model_go_on(e, w.task, true, error));
    else z->waiters[left++] = w;
  }
  z->waiter_count = left;
  return 0;
}

static void forget(hc_engine *e, hc_task id)
{
  hc_points *z = e->points;
  const uint64_t serial = hc_live_of(e, id)->serial;
  size_t left = 0;
  if (id < z->count) z->wishes[id] = (hc_wish){0};
  for (size_t i = 0; i < z->waiter_count; i++)
    if (z->waiters[i].serial != serial) z->waiters[left++] = z->waiters[i];
  z->waiter_count = left;
  hc_points_forget(e, id);
}

/* ---- birth, state, death ---- */

static hc_rc begin(hc_engine *e)
{
  if (e->points) return 0;
  e->points = hc_alloc(e->allocator, sizeof *e->points);
  if (!e->points) return HC_ENOMEM;
  e->points->plan.engine = e;
  hc_parts_settle(e); /* it is wanted from now on */
  return 0;
}

/* One that asks by itself is resized whatever the policy: what cannot be with that is said when it comes. */
static hc_rc check(hc_engine *e, hc_task id, hc_error *error)
{
  hc_error mine = {0};
  hc_rc rc = hc_resize_check(e, e->policy_flags | HC_MAY_RESIZE, &mine);
  if (rc == 0) rc = hc_checkpoints_check(e, e->policy_flags | HC_MAY_RESIZE, &mine);
  if (rc == 0 && e->options->cannot_grow == HC_GROW_REQUEUE)
    rc = hc_combine_refuse(&mine, "a task that asks for more at a scheduling point goes on there or waits "
                                  "there: set `cannot_grow` to keep, defer or reserve");
  if (rc < 0)
    return hc_fail(error, rc, "engine", 0, 0, "task %lld asks for other hosts while it runs: %s",
                   (long long)e->tasks.identities[id].id, mine.text);
  return 0;
}

static hc_rc arrive(hc_engine *e, hc_task id, hc_error *error)
{
  const hc_task_extras *m = extras_of(e, id);
  if (!e->model || !m || m->of == 0 || m->profile_size == 0) return 0;
  if (!e->model_type->go_on)
    return hc_fail(
        error, HC_EUNSUPPORTED, "execution", 0, 0,
        "task %lld may have another size while it runs, and this model lets tasks keep their hosts: "
        "use the model activities, or leave out `malleable`",
        (long long)e->tasks.identities[id].id);
  if (m->changes & HC_SIZED_BY_ITSELF) TRY(check(e, id, error));
  TRY(begin(e));
  return grow_table(e);
}

hc_rc hc_points_each(const hc_engine *e, hc_rc (*each)(void *ctx, const char *key, uint64_t n), void *ctx)
{
  const hc_points *z = e->points;
  TRY(each(ctx, "scheduling_points", z->s.points));
  TRY(each(ctx, "size_requests", z->s.requests));
  TRY(each(ctx, "size_requests_refused", z->s.refused));
  return each(ctx, "size_requests_deferred", z->s.deferred);
}

hc_rc hc_points_note(const hc_engine *e, hc_buffer *out)
{
  const uint64_t unheard = e->points ? e->points->s.unheard : 0;
  if (unheard > 0)
    hc_buffer_printf(out,
                     "the policy would have resized %" PRIu64
                     " attempts that came to no scheduling point before they ended, and so kept their size",
                     unheard);
  return 0;
}

static hc_rc visit(hc_engine *e, hc_visitor *v)
{
  bool has = e->points != NULL;
  hc_points *z;
  HC_VISIT(v, has);
  if (!has) return 0;
  TRY(begin(e));
  z = e->points;
  if (hc_visit_loading(v)) z->tried = 0;
  HC_VISIT(v, z->s);
  HC_VISIT_ARRAY(v, z->waiters, z->waiter_count, z->waiter_cap);
  HC_VISIT_ARRAY(v, z->wishes, z->count, z->cap);
  if (hc_points_decided(e)) HC_VISIT_ARRAY(v, z->at, z->at_count, z->at_cap);
  return 0;
}

static void fini(hc_engine *e)
{
  hc_points *z = e->points;
  if (!z) return;
  hc_plan_fini(&z->plan);
  hc_free(e->allocator, z->wishes, z->cap * sizeof *z->wishes);
  hc_free(e->allocator, z->at, z->at_cap * sizeof *z->at);
  hc_free(e->allocator, z->waiters, z->waiter_cap * sizeof *z->waiters);
  hc_free(e->allocator, z, sizeof *z);
}

static hc_rc on(hc_engine *e, const hc_notice *n)
{
  if (n->kind == HC_ON_FREED) return try_all(e, n->error);
  if (n->kind == HC_ON_STARTED && keeps_room(e))
    return hc_fail(n->error, HC_EPOLICY, "policy", 0, 0,
                   "it has started a task while room is reserved for another that waits to grow");
  if (n->kind == HC_ON_STARTED) TRY(grow_table(e));
  if (n->kind == HC_ON_OVER && n->task < e->points->count) {
    const hc_wish *w = &e->points->wishes[n->task];
    e->points->s.unheard += w->size != 0 && !w->came;
  }
  forget(e, n->task);
  return 0;
}

static bool has_begun(const hc_engine *e)
{
  return e->points != NULL;
}

const hc_part hc_part_points = {.name = "points",
                                .wanted = has_begun,
                                .hears = HC_HEARS(STARTED) | HC_HEARS(OVER) | HC_HEARS(FREED),
                                .on = on,
                                .visit = visit,
                                .fini = fini};

/* The first task whose size may change makes the part. */
static hc_rc on_extras(hc_engine *e, const hc_notice *n)
{
  return arrive(e, n->task, n->error);
}

static bool has_profiles(const hc_engine *e)
{
  return e->book != NULL;
}

const hc_part hc_part_point_tasks = {
    .name = "point_tasks", .wanted = has_profiles, .hears = HC_HEARS(EXTRAS), .on = on_extras};
