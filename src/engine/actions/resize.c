/* resize.c -- a running task that is malleable has another number of slots from now on, on hosts that are
 * named or chosen; on a cell of processors another number of these.
 *
 * Its work is conserved: with n slots in place of the m that its attempt began with it works at n / m of its
 * own rate (HC_RATE_ONE, rounded down), so that slots x time is what it was, exactly where m divides n x
 * HC_RATE_ONE, which every m up to 24 does. One with a law of speed-up S (hc_task_extras.sizes) works at
 * S(n) / S(m) of it, rounded to the nearest, so that what is conserved is the integral of S over time; where
 * S(n) / S(m) is n / m, that is the same. It may have the sizes of which its law says a speed. On hosts of
 * several speeds the slowest that it has counts, as at a start: the rate is times the speed of that, by the
 * speed of the slowest that its attempt began with (rounded to the nearest). Its expected end moves with
 * that, and promises in whose way it comes to stand are void (rates.c). A task that waits again after an
 * attempt has its own size again.
 *
 * Which tasks: those that say between what bounds they may be (hc_task_extras.least, most). Whole GPUs go
 * with the slots of a task that has a law of speed-up, so that what they are worth is known; of those of a
 * host the last are given up first. Rigid all the same are other tasks with GPUs, with chunks, amounts of the
 * cell as a whole, rules of zones or rivals, or steps of their demand, of which a part of the slots means
 * something else, and tasks that were molded. Of those that could never be resized the result says how many
 * there were, and why.
 *
 * It may pause before it goes on in its new size, for what a change costs it: it holds what it is to hold,
 * and its work stays what it was (execution/work.c). The store then says of the resize how long, and at which
 * rate it goes on, in `resize_rates`; as it does of every resize of a task with a law.
 *
 * On the plan's view the task holds what it is to hold, and is RESIZING until the plan is carried out or
 * undone, so that nothing else of the same plan changes it. Growing takes what is free; shrinking always can
 * be. What it held stands in the plan behind what it is to hold.
 *
 * A task whose length follows from a profile is resized at its scheduling points alone: what a plan says of
 * it is a wish until then (wish.c, points.c), its rate is its own in each size, and only those that carry a
 * profile can be.
 *
 * The store has it in `regrants`: what the task held from its start on, when it is first resized, and what it
 * holds from each resize on. Cost: O(grants + log events). */
#include <inttypes.h>
#include <string.h>

#include "base/util.h"
#include "cluster/lexicon.h"
#include "engine/choose.h"
#include "engine/claims.h"
#include "engine/combine.h"
#include "engine/demand.h"
#include "engine/explain.h"
#include "engine/moldable.h"
#include "engine/observe.h"
#include "engine/part.h"
#include "engine/plan.h"
#include "engine/points.h"
#include "engine/promises.h"
#include "engine/queues.h"
#include "engine/rates.h"
#include "engine/reservations.h"
#include "engine/resizing.h"
#include "engine/rows.h"
#include "engine/tasks.h"
#include "engine/work.h"

/* ---- sizes ---- */

/* By its law of speed-up; where that is linear, and without one, slots x time is what it was. */
static int64_t rate_by_law(const hc_engine *e, hc_task id, uint32_t began, uint32_t size)
{
  const double from = hc_moldable_speed(e, id, began), to = hc_moldable_speed(e, id, size);
  if (!(from > 0) || !(to > 0) || to * began == from * size)
    return hc_wide_divide(hc_wide_product(HC_RATE_ONE, size), began, false);
  const double rate = (double)HC_RATE_ONE * (to / from) + 0.5;
  return rate < 1 ? 1 : rate > (double)HC_RATE_MOST ? HC_RATE_MOST : (int64_t)rate;
}

/* In this size, and on these hosts. Its run is what it came to on the hosts on which its attempt began. */
static int64_t rate_in(const hc_engine *e, hc_task id, uint32_t size, const hc_grant *to, size_t count)
{
  const hc_work *w = hc_work_of(e, id);
  if (e->model) return HC_RATE_ONE; /* how fast it is in this size its profile says */
  const int64_t rate = rate_by_law(e, id, w->width, size);
  if (!e->has_speeds) return rate;
  const double first = w->speed * (w->pace > 0 ? w->pace : 1), now = hc_work_speed(e, id, to, count);
  if (now == first) return rate;
  const double moved = (double)rate * (now / first) + 0.5;
  return moved < 1 ? 1 : moved > (double)HC_RATE_MOST ? HC_RATE_MOST : (int64_t)moved;
}

/* Was it changed in this attempt? Else what its width says is that it was molded. */
static bool is_resized(const hc_work *w)
{
  return w->sized != HC_UNKNOWN;
}

/* What is in the way of its slots being taken one by one, whatever becomes of it. */
static hc_keeps_size why_kept(const hc_engine *e, hc_task id, const hc_task_extras *m)
{
  if (e->model && m->profile_size == 0) return HC_KEEPS_LENGTH;
  if (!e->cell.hosts) return HC_KEEPS_COUNT;
  if (m->chunk_count + m->resize_count + m->per_host + m->per_zone > 0 || m->same != HC_NO_NAME ||
      m->differ != HC_NO_NAME)
    return HC_KEEPS_PARTS;
  if (e->tasks.live[id].bits & HC_LIVE_WHOLE) return HC_KEEPS_COUNT;
  for (uint32_t d = 0; d < e->tasks.dimensions; d++) {
    if (hc_need_of(e, id)[d] <= 0) continue;
    if (hc_hosts_is_shared(e->cell.hosts, d)) return HC_KEEPS_PARTS;
    if (e->gauge.which[d] == HC_DIM_GPU && (m->size_count == 0 || hc_need_of(e, id)[d] % HC_DEVICE != 0))
      return HC_KEEPS_GPUS;
  }
  return HC_KEEPS_COUNT;
}

/* May its slots be taken one by one? */
static bool is_divisible(const hc_engine *e, hc_task id, const hc_task_extras *m)
{
  const hc_work *w = hc_work_of(e, id);
  const bool is_molded =
      !e->model && w->width > 0 && !is_resized(w) && e->tasks.live[id].state != HC_TASK_RESIZING;
  return !is_molded && why_kept(e, id, m) == HC_KEEPS_COUNT;
}

void hc_resize_bounds(const hc_engine *e, hc_task id, uint32_t when, int64_t *least, int64_t *most)
{
  const uint32_t more = id < e->tasks.count ? hc_cold_of(e, id)->more : 0;
  const hc_task_extras *m = more ? hc_lexicon_more(e->lexicon, more) : NULL;
  *least = *most = id < e->tasks.count ? hc_size_of(e, id) : 0;
  if (!m || m->of == 0 || e->tasks.live[id].state == HC_TASK_PLANNED || !is_divisible(e, id, m)) return;
  if (!((m->changes ? m->changes : (uint32_t)HC_SIZED_RUNNING) & when)) return;
  const uint32_t width = hc_work_of(e, id)->width, asked = hc_attempt_of(e, id)->own.size;
  /* of 32 bits, as the bounds are */
  const uint64_t own = asked > 0 ? asked : width > 0 ? width : (uint64_t)*least;
  *least = (int64_t)((own * m->least + m->of - 1) / m->of);
  *most = (int64_t)HC_MIN(own * m->most / m->of, (uint64_t)UINT32_MAX);
}

void hc_view_sizes(const hc_view *v, hc_task id, int64_t *least, int64_t *most)
{
  const hc_engine *e = v->engine;
  const bool waits = id < e->tasks.count && e->tasks.live[id].state == HC_TASK_WAITING;
  hc_resize_bounds(e, id, waits ? HC_SIZED_AT_START | HC_SIZED_RUNNING : HC_SIZED_RUNNING, least, most);
}

double hc_view_speed_in(const hc_view *v, hc_task id, int64_t size)
{
  const hc_engine *e = v->engine;
  int64_t least, most;
  if (id >= e->tasks.count || e->model) return 0;
  hc_view_sizes(v, id, &least, &most);
  return least < most && size >= least && size <= most ? hc_moldable_speed(e, id, size) : 0;
}

int64_t hc_view_awaited(const hc_view *v, hc_task id)
{
  return hc_points_awaited(v->engine, id);
}

int64_t hc_view_wished(const hc_view *v, hc_task id)
{
  return id < v->engine->tasks.count ? hc_points_wish(v->engine, id) : 0;
}

/* ---- on a view ---- */

/* What it is to hold stands in the plan, and behind it what it held: `how` grants. */
static uint32_t new_count(const hc_action *a)
{
  return a->grant_count - a->how;
}

static const hc_grant *had(const hc_plan *p, const hc_action *a)
{
  return a->how > 0 ? p->grants + a->grants + new_count(a) : NULL;
}

static void join_devices(hc_devices *to, const hc_devices *more)
{
  for (size_t i = 0; i < HC_ARRAY_LEN(to->bits); i++) to->bits[i] |= more->bits[i];
}

static void part_devices(hc_devices *from, const hc_devices *less)
{
  for (size_t i = 0; i < HC_ARRAY_LEN(from->bits); i++) from->bits[i] &= ~less->bits[i];
}

/* A grant has so many slots less, and as many of its GPUs as go with these: the last. */
static void lessen(hc_grant *g, uint32_t slots)
{
  uint64_t gone = (uint64_t)hc_devices_count(&g->devices) * slots / g->slots;
  for (uint32_t i = HC_DEVICES; i-- > 0 && gone > 0;) {
    if (!hc_devices_have(&g->devices, i)) continue;
    g->devices.bits[i / 64] &= ~(UINT64_C(1) << i % 64);
    gone--;
  }
  g->slots -= slots;
}

/* What is in a and not in b, of hosts in ascending order. @return how many grants, of `slots` slots in all */
static size_t beyond(const hc_grant *a, size_t a_count, const hc_grant *b, size_t b_count, hc_grant *out,
                     uint32_t *slots)
{
  size_t n = 0, k = 0;
  *slots = 0;
  for (size_t i = 0; i < a_count; i++) {
    uint32_t has = 0;
    hc_devices on = {{0}};
    while (k < b_count && b[k].host < a[i].host) k++;
    for (size_t j = k; j < b_count && b[j].host == a[i].host; j++) {
      has += b[j].slots;
      join_devices(&on, &b[j].devices);
    }
    if (a[i].slots <= has) continue;
    out[n] = a[i];
    out[n].slots -= has;
    part_devices(&out[n].devices, &on);
    *slots += out[n++].slots;
  }
  return n;
}

/* Grants of a that are not the same in b, of hosts in ascending order. */
static size_t other(const hc_grant *a, size_t a_count, const hc_grant *b, size_t b_count, hc_grant *out,
                    uint32_t *slots)
{
  size_t n = 0, k = 0;
  *slots = 0;
  for (size_t i = 0; i < a_count; i++) {
    while (k < b_count && b[k].host < a[i].host) k++;
    if (k < b_count && memcmp(&a[i], &b[k], sizeof *a) == 0) {
      k++;
      continue;
    }
    out[n++] = a[i];
    *slots += a[i].slots;
  }
  return n;
}

/* On hosts where it has what it had nothing changes: they are not touched. */
static hc_rc exchange_hosts(hc_engine *e, hc_task id, const hc_grant *from, size_t from_count,
                            const hc_grant *to, size_t to_count, uint32_t size)
{
  hc_grant *part = hc_arena_room(&e->scratch, HC_MAX(from_count, to_count) * sizeof *part + 1);
  hc_request r = hc_request_of(e, id);
  size_t n;
  if (!part) return HC_ENOMEM;
  n = other(from, from_count, to, to_count, part, &r.slots);
  if (n > 0) TRY(hc_cell_give(&e->cell, &r, part, n));
  hc_set_size(e, id, size);
  r = hc_request_of(e, id);
  n = other(to, to_count, from, from_count, part, &r.slots);
  return n > 0 ? hc_cell_take_again(&e->cell, &r, part, n) : 0;
}

/* It holds `to` in place of `from`; there is room. @param rate -1: that of its size @param pause before it */
static hc_rc exchange(hc_engine *e, hc_task id, const hc_grant *from, size_t from_count, const hc_grant *to,
                      size_t to_count, uint32_t size, int64_t rate, hc_time pause)
{
  hc_live *t = hc_live_of(e, id);
  hc_attempt *a = hc_attempt_need(e, id);
  const hc_time end = hc_expected_end(e, t);
  const int64_t units = t->units;
  if (!a) return HC_ENOMEM;
  TRY(hc_reserve_give(e->reserve, id, end, from, from_count));
  if (a->work.width == 0) a->work.width = hc_size_of(e, id);
  a->work.set = rate >= 0 ? rate : rate_in(e, id, size, to, to_count);
  a->work.pause = pause;
  if (e->cell.hosts && !e->has_hearers) TRY(exchange_hosts(e, id, from, from_count, to, to_count, size));
  else {
    TRY(hc_release(e, id, from, from_count));
    hc_tell_claim(e, id, HC_TASK_EVENT_RELEASED, from, from_count);
    hc_set_size(e, id, size);
    TRY(hc_claim_again(e, id, to, to_count));
  }
  TRY(hc_reserve_take(e->reserve, id, hc_expected_end(e, t), to, to_count));
  hc_tell_claim(e, id, HC_TASK_EVENT_ALLOCATED, to, to_count);
  if (t->bits & HC_LIVE_OVERDUE) e->overdue_units += (int64_t)t->units - units;
  return 0;
}

/* Is what it gets beside what it holds free? It is taken for a moment: hosts that drain or are away give
 * nothing. */
static hc_rc try_growth(hc_engine *e, hc_task id, const hc_grant *from, size_t from_count, const hc_grant *to,
                        size_t to_count)
{
  hc_grant *more = hc_arena_room(&e->scratch, to_count * sizeof *more + 1);
  hc_request r = hc_request_of(e, id);
  if (!more) return HC_ENOMEM;
  const size_t n = beyond(to, to_count, from, from_count, more, &r.slots);
  if (n == 0) return 0;
  TRY(hc_cell_take(&e->cell, &r, more, n));
  return hc_cell_give(&e->cell, &r, more, n);
}

/* Is what it is to hold free, or its own? */
static hc_rc try_processors(hc_engine *e, const hc_plan *p, const hc_action *a)
{
  const hc_grant *to = hc_plan_grants(p, a);
  TRY(hc_release(e, a->task, had(p, a), a->how));
  hc_set_size(e, a->task, (uint32_t)a->at);
  const hc_rc rc = hc_claim(e, a->task, to, new_count(a));
  if (rc >= 0) TRY(hc_release(e, a->task, to, new_count(a)));
  hc_set_size(e, a->task, (uint32_t)a->every);
  TRY(hc_claim_again(e, a->task, had(p, a), a->how));
  return rc;
}

static hc_rc apply(hc_engine *e, const hc_plan *p, const hc_action *a)
{
  const hc_grant *to = hc_plan_grants(p, a);
  e->choice.version = 0; /* what was chosen last is no more */
  if (!e->cell.hosts) TRY(try_processors(e, p, a));
  else TRY(try_growth(e, a->task, had(p, a), a->how, to, new_count(a)));
  TRY(exchange(e, a->task, had(p, a), a->how, to, new_count(a), (uint32_t)a->at, -1, a->pause));
  hc_live_of(e, a->task)->state = HC_TASK_RESIZING;
  return 0;
}

static hc_rc undo(hc_engine *e, const hc_plan *p, const hc_action *a)
{
  hc_live *t = hc_live_of(e, a->task);
  TRY(exchange(e, a->task, hc_plan_grants(p, a), new_count(a), had(p, a), a->how, (uint32_t)a->every,
               a->overhead, 0));
  t->state = HC_TASK_RUNNING;
  hc_work *w = &hc_attempt_need(e, a->task)->work;
  if (!is_resized(w) && w->width == (uint32_t)a->every) w->width = 0; /* else it was molded */
  return 0;
}

/* It may hold something else by now: then it is not what the plan was about. */
static hc_rc recheck(hc_engine *e, const hc_plan *p, hc_action *a)
{
  const hc_live *t = hc_live_of(e, a->task);
  const hc_grant *held;
  hc_grant one;
  size_t n;
  if (t->state != HC_TASK_RUNNING || (t->bits & HC_LIVE_WARNED) || hc_size_of(e, a->task) != a->every)
    return HC_ECONFLICT;
  TRY(hc_tasks_held(e, t, &one, &held, &n));
  a->overhead = hc_work_of(e, a->task)->set;
  if (n != a->how || (n > 0 && memcmp(held, had(p, a), n * sizeof *held) != 0)) return HC_ECONFLICT;
  return 0;
}

/* ---- what happened ---- */

/* Number 0: as its attempt began. */
static hc_rc store(hc_engine *e, hc_task id, hc_time at, uint64_t number, const hc_grant *grants,
                   size_t count, hc_error *error)
{
  const hc_live *t = hc_live_of(e, id);
  if (!hc_keeps_rows(e)) return 0;
  for (size_t i = 0; i < HC_MAX(count, 1); i++) {
    int64_t row[6 + HC_ROW_AMOUNTS] = {(int64_t)t->serial, at, (int64_t)number, t->units, 0, t->units};
    if (count > 0) row[4] = grants[i].host;
    if (count > 0) row[5] = grants[i].slots;
    if (e->cell.hosts) hc_demand_of_grant(e, id, &grants[i], row + 6);
    TRY(hc_rows_put(e, "regrants", 6, row, NULL, error));
    if (count > 0 && !hc_devices_none(&grants[i].devices)) {
      const uint64_t *bits = grants[i].devices.bits;
      const int64_t on[6] = {(int64_t)t->serial, at, (int64_t)number, grants[i].host, (int64_t)bits[0],
                             (int64_t)bits[1]};
      TRY(hc_store_numbers(e->store, "regrant_devices", 6, on, error));
    }
  }
  return 0;
}

/* Where the rate of a size is no matter of how many slots it has. */
static hc_rc store_rate(hc_engine *e, const hc_action *a, hc_error *error)
{
  const hc_task_extras *m = hc_lexicon_more(e->lexicon, hc_cold_of(e, a->task)->more);
  if (!hc_keeps_rows(e) || e->model || (m->size_count == 0 && a->pause == 0)) return 0;
  const int64_t row[5] = {(int64_t)hc_live_of(e, a->task)->serial, e->now, (int64_t)e->counters.resized,
                          hc_work_of(e, a->task)->set, a->pause};
  return hc_store_numbers(e->store, "resize_rates", 5, row, error);
}

static hc_rc observe(hc_engine *e, hc_task id, hc_change_kind kind, const hc_grant *grants, size_t count)
{
  if (e->past) hc_past_move(e, id, grants, count, kind == HC_CHANGE_CLAIMED ? 1 : -1);
  return e->observers.wants_changes ? hc_observe_claims(e, id, kind, grants, count) : 0;
}

static hc_rc hold(hc_engine *e, hc_task id, const hc_grant *grants, size_t count)
{
  hc_tasks_drop_grants(e, hc_live_of(e, id));
  if (count == 1 && hc_is_one(e, grants)) hc_tasks_hold_one(hc_live_of(e, id), grants->host);
  else if (count > 0) return hc_tasks_hold(e, id, grants, count);
  return 0;
}

static hc_rc happened(hc_engine *e, const hc_plan *p, const hc_action *a, hc_error *error)
{
  const hc_task id = a->task;
  const hc_grant *to = hc_plan_grants(p, a);
  hc_live *t = hc_live_of(e, id);
  hc_attempt *own = hc_attempt_need(e, id);
  hc_rc rc;
  if (!own) return HC_ENOMEM;
  hc_work *w = &own->work;
  t->state = HC_TASK_RUNNING;
  t->flags |= HC_TASK_RESIZED;
  e->counters.resized++;
  hc_set_size(e, id, (uint32_t)a->every); /* what it has had so far */
  if (!is_resized(w)) TRY(store(e, id, t->start, 0, had(p, a), a->how, error));
  hc_work_resize(w, t->start, e->now, t->units);
  e->is_resizing = 1;
  rc = observe(e, id, HC_CHANGE_RELEASED, had(p, a), a->how);
  hc_set_size(e, id, (uint32_t)a->at);
  if (rc >= 0) rc = observe(e, id, HC_CHANGE_CLAIMED, to, new_count(a));
  e->is_resizing = 0;
  if (rc < 0) return rc;
  TRY(hold(e, id, to, new_count(a)));
  hc_work_change(w, t->start, e->now, w->set);
  if (e->explain)
    hc_explain_text(e, id, "has %lld %s in place of %lld from now on", (long long)a->at,
                    e->cell.hosts ? "slots" : "processors", (long long)a->every);
  TRY(store(e, id, e->now, e->counters.resized, to, new_count(a), error));
  TRY(store_rate(e, a, error));
  return hc_rates_expect_end(e, id);
}

const hc_action_type hc_action_resize = {.name = "resize",
                                         .has_former = true,
                                         .apply = apply,
                                         .undo = undo,
                                         .recheck = recheck,
                                         .happened = happened};

/* ---- which ---- */

/* A list of grants under way, in the scratch arena. */
typedef struct list {
  hc_grant *items;
  size_t count;
} list;

static void add(list *l, hc_grant g)
{
  hc_grant *last = l->count > 0 ? &l->items[l->count - 1] : NULL;
  if (last && last->host == g.host) {
    last->slots += g.slots;
    join_devices(&last->devices, &g.devices);
  } else l->items[l->count++] = g;
}

/* The same of processors: ranges that touch become one. */
static void add_range(list *l, hc_grant g)
{
  hc_grant *last = l->count > 0 ? &l->items[l->count - 1] : NULL;
  if (last && (uint64_t)last->host + last->slots == g.host) last->slots += g.slots;
  else l->items[l->count++] = g;
}

/* Both ascend. @return HC_EPOLICY: a slot that is to lie alone would not */
static hc_rc join(hc_engine *e, hc_task id, const hc_grant *a, size_t a_count, const hc_grant *b,
                  size_t b_count, list *out)
{
  const bool alone = (hc_live_of(e, id)->bits & (HC_LIVE_SPREAD | HC_LIVE_WHOLE)) != 0;
  size_t i = 0, k = 0;
  out->items = hc_arena_room(&e->scratch, (a_count + b_count) * sizeof *out->items + 1);
  if (!out->items) return HC_ENOMEM;
  while (i < a_count || k < b_count) {
    const bool first = k == b_count || (i < a_count && a[i].host <= b[k].host);
    if (first && alone && k < b_count && a[i].host == b[k].host) return HC_EPOLICY;
    const hc_grant g = first ? a[i++] : b[k++];
    if (e->cell.hosts) add(out, g);
    else add_range(out, g);
  }
  return 0;
}

/* The hosts that it is not on, of those that the view may use: each of its slots lies on another. */
static hc_rc others(hc_engine *e, const hc_grant *held, size_t count, hc_range **out, size_t *n)
{
  const hc_range all = {0, e->cell_spec.units};
  const hc_range *scope = e->view.scope_count > 0 ? e->view.scope : &all;
  const size_t scoped = e->view.scope_count > 0 ? e->view.scope_count : 1;
  *out = hc_arena_room(&e->scratch, (scoped + count) * sizeof **out);
  *n = 0;
  if (!*out) return HC_ENOMEM;
  for (size_t s = 0; s < scoped; s++) {
    uint32_t from = scope[s].first;
    const uint32_t end = from + scope[s].count;
    for (size_t i = 0; i < count; i++) {
      if (held[i].host < from || held[i].host >= end) continue;
      if (held[i].host > from) (*out)[(*n)++] = (hc_range){from, held[i].host - from};
      from = held[i].host + 1;
    }
    if (end > from) (*out)[(*n)++] = (hc_range){from, end - from};
  }
  return 0;
}

/* Where so many slots more would go. @return how many grants; 0: there is no room */
static hc_rc choose_hosts(hc_engine *e, hc_task id, uint32_t more, const hc_grant *held, size_t held_count,
                          const hc_range *hosts, size_t count, const hc_grant **out)
{
  const uint32_t turn = hc_hosts_turn(e->cell.hosts);
  hc_request r = hc_request_of(e, id);
  hc_range *free;
  size_t n;
  r.slots = more;
  e->choice.version = 0;
  if (hosts) return hc_hosts_choose_on(e->cell.hosts, &r, hosts, count, out);
  TRY(others(e, held, r.spread ? held_count : 0, &free, &n));
  if (n == 0) return 0;
  const hc_rc rc = hc_hosts_choose(e->cell.hosts, &r, &e->chooser, free, n, out);
  hc_hosts_set_turn(e->cell.hosts, turn); /* a start moves it */
  return rc;
}

static hc_rc choose_processors(hc_engine *e, hc_task id, uint32_t more, const hc_range *hosts, size_t count,
                               const hc_grant **out, size_t *n)
{
  const uint32_t size = hc_size_of(e, id);
  hc_rc rc;
  *n = count;
  if (hosts) return hc_choose_named(e, id, hosts, n, out);
  hc_set_size(e, id, more);
  rc = hc_choose_place(e, id, out, n);
  hc_set_size(e, id, size);
  return rc;
}

/* @param held [count] what it has. @return HC_EPOLICY: there is no room */
static hc_rc grow(hc_engine *e, hc_task id, uint32_t more, const hc_grant *held, size_t held_count,
                  const hc_range *hosts, size_t count, list *out)
{
  const hc_grant *extra = NULL;
  size_t n = 0;
  if (e->cell.granularity == HC_CELL_COUNT) return 0;
  if (e->cell.hosts) {
    const hc_rc rc = choose_hosts(e, id, more, held, held_count, hosts, count, &extra);
    if (rc <= 0) return rc < 0 ? rc : HC_EPOLICY;
    n = (size_t)rc;
  } else TRY(choose_processors(e, id, more, hosts, count, &extra, &n));
  int64_t sum = 0;
  for (size_t i = 0; i < n; i++) sum += extra[i].slots;
  return sum == more ? join(e, id, held, held_count, extra, n, out) : HC_EPOLICY;
}

/* Is number `at` (a host, or a processor) among those that are named? */
static bool is_named(const hc_range *hosts, size_t count, uint32_t at)
{
  for (size_t i = 0; i < count; i++)
    if (at >= hosts[i].first && at - hosts[i].first < hosts[i].count) return true;
  return false;
}

/* Give up so many slots: one of each host as often as it is named, or the last. */
static hc_rc give_hosts(uint32_t less, const hc_range *hosts, size_t count, list *out)
{
  for (size_t k = 0; hosts && k < count; k++)
    for (uint32_t n = 0; n < hosts[k].count; n++, less--) {
      size_t i = out->count;
      while (i > 0 && (out->items[i - 1].host != hosts[k].first + n || out->items[i - 1].slots == 0)) i--;
      if (i == 0 || less == 0) return HC_EPOLICY;
      lessen(&out->items[i - 1], 1);
    }
  for (size_t i = out->count; !hosts && i-- > 0 && less > 0;) {
    const uint32_t gone = HC_MIN(out->items[i].slots, less);
    if (gone > 0) lessen(&out->items[i], gone);
    less -= gone;
  }
  if (less > 0) return HC_EPOLICY;
  size_t kept = 0;
  for (size_t i = 0; i < out->count; i++)
    if (out->items[i].slots > 0) out->items[kept++] = out->items[i];
  out->count = kept;
  return 0;
}

/* The same of processors that are named: just these. `out` has room for as many items as processors stay. */
static hc_rc give_named(const hc_grant *held, size_t held_count, uint32_t less, const hc_range *hosts,
                        size_t count, list *out)
{
  out->count = 0;
  for (size_t i = 0; i < held_count; i++)
    for (uint32_t k = 0; k < held[i].slots; k++) {
      const hc_grant one = {.host = held[i].host + k, .slots = 1};
      const bool goes = is_named(hosts, count, one.host);
      if (goes && less == 0) return HC_EPOLICY;
      if (goes) less--;
      else add_range(out, one);
    }
  return less == 0 ? 0 : HC_EPOLICY;
}

static hc_rc shrink(hc_engine *e, uint32_t less, uint32_t size, const hc_grant *held, size_t held_count,
                    const hc_range *hosts, size_t count, list *out)
{
  const bool by_name = hosts && e->cell.granularity == HC_CELL_INTERVALS;
  if (e->cell.granularity == HC_CELL_COUNT) return 0;
  out->count = held_count;
  out->items = hc_arena_room(&e->scratch, (by_name ? size : held_count) * sizeof *out->items + 1);
  if (!out->items) return HC_ENOMEM;
  if (by_name) return give_named(held, held_count, less, hosts, count, out);
  memcpy(out->items, held, held_count * sizeof *held);
  return give_hosts(less, hosts, count, out);
}

/* ---- the service ---- */

static hc_rc add_action(hc_plan *p, hc_task id, uint32_t size, const list *to, const hc_grant *held,
                        size_t held_count, hc_time pause)
{
  hc_engine *e = p->engine;
  hc_grant *both = hc_arena_room(&e->scratch, (to->count + held_count) * sizeof *both + 1);
  const hc_action wish = {.task = id,
                          .at = size,
                          .every = hc_size_of(e, id),
                          .how = (uint32_t)held_count,
                          .overhead = hc_work_of(e, id)->set,
                          .pause = pause};
  if (!both) return HC_ENOMEM;
  if (to->count > 0) memcpy(both, to->items, to->count * sizeof *both);
  if (held_count > 0) memcpy(both + to->count, held, held_count * sizeof *both);
  TRY(hc_plan_add(p, &hc_action_resize, &wish, both, to->count + held_count));
  return hc_promises_void(p);
}

static hc_rc change(hc_plan *p, hc_task id, uint32_t size, const hc_range *hosts, size_t count, hc_time pause)
{
  hc_engine *e = p->engine;
  const uint32_t now = hc_size_of(e, id);
  const hc_grant *held;
  list to = {0};
  hc_grant one;
  size_t n;
  TRY(hc_tasks_held(e, hc_live_of(e, id), &one, &held, &n));
  if (size > now) TRY(grow(e, id, size - now, held, n, hosts, count, &to));
  else TRY(shrink(e, now - size, size, held, n, hosts, count, &to));
  return add_action(p, id, size, &to, held, n, pause);
}

hc_rc hc_resize_to(hc_plan *p, hc_task id, uint32_t size)
{
  return change(p, id, size, NULL, 0, 0);
}

/* Those of its grants that lie on hosts which are named, and hosts named that it is not on; all ascend.
 * @param kept, fresh  out; room for as many as are named @return how many are fresh */
static size_t split(const hc_grant *held, size_t held_count, const hc_range *hosts, size_t count, list *kept,
                    hc_range *fresh)
{
  size_t n = 0, i = 0;
  for (size_t k = 0; k < count; k++)
    for (uint32_t h = 0; h < hosts[k].count; h++) {
      const uint32_t host = hosts[k].first + h;
      while (i < held_count && held[i].host < host) i++;
      if (i < held_count && held[i].host == host) add(kept, held[i]);
      else fresh[n++] = (hc_range){host, 1};
    }
  return n;
}

static size_t hosts_in(const hc_range *hosts, size_t count)
{
  size_t sum = 0;
  for (size_t k = 0; k < count; k++) sum += hosts[k].count;
  return sum;
}

hc_rc hc_resize_onto(hc_plan *p, hc_task id, const hc_range *hosts, size_t count)
{
  hc_engine *e = p->engine;
  const size_t size = hosts_in(hosts, count);
  const hc_grant *held, *extra = NULL;
  list kept = {.items = hc_arena_room(&e->scratch, size * sizeof *kept.items + 1)}, to = {0};
  hc_range *fresh = hc_arena_room(&e->scratch, size * sizeof *fresh + 1);
  size_t held_count;
  hc_grant one;
  hc_rc n = 0;
  if (!kept.items || !fresh) return HC_ENOMEM;
  if (!(hc_live_of(e, id)->bits & (HC_LIVE_SPREAD | HC_LIVE_WHOLE))) return HC_EPOLICY;
  TRY(hc_tasks_held(e, hc_live_of(e, id), &one, &held, &held_count));
  const size_t fresh_count = split(held, held_count, hosts, count, &kept, fresh);
  if (fresh_count == 0 && kept.count == held_count) return 0;
  if (fresh_count > 0)
    n = choose_hosts(e, id, (uint32_t)fresh_count, held, held_count, fresh, fresh_count, &extra);
  if (n < 0) return n;
  if ((size_t)n != fresh_count) return HC_EPOLICY;
  TRY(join(e, id, kept.items, kept.count, extra, (size_t)n, &to));
  TRY(add_action(p, id, (uint32_t)size, &to, held, held_count, 0));
  return 1;
}

/* Which hosts, is settled at the point. */
static hc_rc wish_for(hc_plan *p, hc_task id, uint32_t size)
{
  const uint32_t was = hc_points_wish(p->engine, id);
  const uint32_t wish = size == hc_size_of(p->engine, id) ? 0 : size;
  if (wish == was) return 0;
  return hc_plan_add(p, &hc_action_wish, &(hc_action){.task = id, .at = wish, .every = was}, NULL, 0);
}

hc_rc hc_plan_resize(hc_plan *p, hc_task id, int64_t size, const hc_range *hosts, size_t count)
{
  return hc_plan_resize_pausing(p, id, size, hosts, count, 0);
}

hc_rc hc_plan_resize_pausing(hc_plan *p, hc_task id, int64_t size, const hc_range *hosts, size_t count,
                             hc_time pause)
{
  hc_engine *e = p->engine;
  int64_t least, most;
  if (id >= e->tasks.count || e->tasks.live[id].state != HC_TASK_RUNNING ||
      (e->tasks.live[id].bits & HC_LIVE_WARNED))
    return HC_EPOLICY;
  const uint32_t now = hc_size_of(e, id);
  hc_view_sizes(&e->view, id, &least, &most);
  if (size != now && (size < least || size > most)) return HC_EPOLICY;
  if (size != now && !e->model && !(hc_moldable_speed(e, id, size) > 0)) return HC_EPOLICY;
  for (size_t i = 0; hosts && i < count; i++)
    if (!hc_choose_may(&e->view, hosts[i])) return HC_EPOLICY;
  if (size > now && hc_points_awaited(e, HC_NO_TASK) > 0) return HC_EPOLICY;
  if (e->model && pause > 0) return HC_EPOLICY; /* what a change of size takes its profile says */
  if (e->model) return hc_points_has(e, id) ? wish_for(p, id, (uint32_t)size) : size == now ? 0 : HC_EPOLICY;
  return size == now ? 0 : change(p, id, (uint32_t)size, hosts, count, HC_MAX(pause, 0));
}

/* ---- what cannot be combined, and the end of an attempt ---- */

hc_rc hc_resize_check(const hc_engine *e, uint32_t flags, hc_error *error)
{
  const hc_run_options *o = e->options;
  if (!(flags & HC_MAY_RESIZE)) return 0;
  if (o->execution.type && ((const hc_policy_type *)o->policy.type)->goes_by_speeds)
    return hc_combine_refuse(error,
                             "this policy gives tasks sizes by their laws of speed-up, and how fast a task "
                             "is in each size its profile says: leave out `execution`, or use the policy "
                             "elastic");
  if (flags & HC_BOUNDS_DRAW)
    return hc_combine_refuse(error, "a task that grows draws more, which the selector or policy that bounds "
                                    "what hosts draw is not asked about: use it without a policy that "
                                    "resizes tasks");
  if (flags & HC_SETS_RATES)
    return hc_combine_refuse(error, "a policy either resizes running tasks or suspends them and sets their "
                                    "rates: whether a rate is of its size or of its turn would not be told");
  if (!e->architecture_type->lets_rates)
    return hc_combine_refuse(error, "a policy that resizes running tasks has to be called whenever something "
                                    "happens, and be shown all that runs: use the architecture monolithic");
  if (((const hc_policy_type *)o->policy.type)->decides_points && o->cannot_grow != HC_GROW_KEEP)
    return hc_combine_refuse(error, "what becomes of a task that asks for more nodes this policy decides: "
                                    "leave out `cannot_grow`");
  if (o->due_ends_first || o->end_order == HC_END_BY_START)
    return hc_combine_refuse(
        error, "ends that are made anew when a task is resized come in order of serial: set `end_order: "
               "serial` and leave out `due_ends_first`");
  if (e->contiguous)
    return hc_combine_refuse(error, "a placement that needs one range has no room for a task that grows: "
                                    "use another placement");
  return hc_combine_check_trim(e, "when a task was resized", error);
}

/* A task that may have another size, of itself or of the run's policy, and will not: the result says so. */
static void count_kept(hc_engine *e, hc_task id)
{
  const hc_task_extras *m = hc_lexicon_more(e->lexicon, hc_cold_of(e, id)->more);
  const uint32_t changes = !m || m->of == 0 ? 0 : m->changes ? m->changes : (uint32_t)HC_SIZED_RUNNING;
  const bool by_policy = (changes & HC_SIZED_RUNNING) && (e->policy_flags & HC_MAY_RESIZE);
  if (!(changes & HC_SIZED_BY_ITSELF) && !by_policy) return;
  const hc_keeps_size why = why_kept(e, id, m);
  if (why != HC_KEEPS_COUNT) e->counters.keep_size[why]++;
}

hc_rc hc_resize_note(const hc_engine *e, hc_buffer *out)
{
  static const char *const why[] = {
      [HC_KEEPS_GPUS] = "ask for GPUs, which do not go with their slots",
      [HC_KEEPS_PARTS] = "have slots that are not alike: chunks, steps of demand, amounts of the cell as a "
                         "whole, or rules of hosts, zones and rivals",
      [HC_KEEPS_LENGTH] = "say a length and no profile, which the model of execution cannot carry out in "
                          "another size"};
  const uint64_t *kept = e->counters.keep_size;
  uint64_t sum = 0;
  for (int k = 0; k < HC_KEEPS_COUNT; k++) sum += kept[k];
  if (sum == 0) return 0;
  hc_buffer_printf(out, "%" PRIu64 " tasks that may be resized keep their size", sum);
  for (int k = 0, told = 0; k < HC_KEEPS_COUNT; k++)
    if (kept[k] > 0) hc_buffer_printf(out, "%s %" PRIu64 " %s", told++ ? ";" : ":", kept[k], why[k]);
  return 0;
}

/* Its record says how large it was on average. */
static hc_rc on(hc_engine *e, const hc_notice *n)
{
  if (n->kind == HC_ON_EXTRAS) {
    count_kept(e, n->task);
    return 0;
  }
  const hc_work *w = hc_work_of(e, n->task);
  const hc_live *t = hc_live_of(e, n->task);
  if (!n->for_good || !is_resized(w) || w->width == 0) return 0;
  hc_attempt_need(e, n->task)->work.mean = hc_work_size(w, t->start, e->now, t->units);
  return 0;
}

static bool wanted(const hc_engine *e)
{
  return (e->policy_flags & HC_MAY_RESIZE) != 0 || e->book;
}

const hc_part hc_part_resizing = {
    .name = "resizing", .wanted = wanted, .hears = HC_HEARS(EXTRAS) | HC_HEARS(OVER), .on = on};
