/* yt_books.c -- operations, their waiting tasks, and what they and their pools hold. See policy/share/yt.h.
 *
 * An operation is there from its first task on, and goes at the first tick that finds nothing of it left: so one whose only
 * task is stopped and queued again, or whose start is undone, keeps its place. */
#include <stdlib.h>
#include <string.h>

#include "base/slots.h"
#include "base/state.h"
#include "base/util.h"
#include "policy/share/yt.h"

/* ---- shapes and their lines ---- */

static uint32_t find_shape(const hc_yt *y, const hc_yt_operation *o, const int64_t *need, int64_t units)
{
  for (uint32_t i = 0; i < o->shape_count; i++)
    if (o->shapes[i].units == units && memcmp(o->shapes[i].need, need, y->dims * sizeof *need) == 0) return i;
  return HC_YT_NONE;
}

static void find_least(const hc_yt *y, hc_yt_operation *o)
{
  for (uint32_t d = 0; d < y->dims; d++) {
    o->least[d] = INT64_MAX;
    for (size_t i = 0; i < o->shape_count; i++) o->least[d] = HC_MIN(o->least[d], o->shapes[i].need[d]);
  }
}

static hc_rc add_shape(hc_yt *y, hc_yt_operation *o, const int64_t *need, int64_t units)
{
  hc_yt_shape *s;
  TRY(hc_reserve(y->allocator, (void **)&o->shapes, &o->shape_cap, o->shape_count + 1, sizeof *o->shapes));
  s = &o->shapes[o->shape_count++];
  *s = (hc_yt_shape){.units = units};
  memcpy(s->need, need, y->dims * sizeof *need);
  find_least(y, o);
  return 0;
}

hc_rc hc_yt_join(hc_yt *y, hc_yt_operation *o, const int64_t *need, int64_t units, const hc_yt_waiter *w)
{
  uint32_t i = find_shape(y, o, need, units);
  hc_yt_shape *s;
  if (i == HC_YT_NONE) {
    i = (uint32_t)o->shape_count;
    TRY(add_shape(y, o, need, units));
  }
  s = &o->shapes[i];
  if (s->first > 0 && s->first + s->count == s->cap) { /* to the front, rather than larger */
    memmove(s->line, s->line + s->first, s->count * sizeof *s->line);
    s->first = 0;
  }
  TRY(hc_reserve(y->allocator, (void **)&s->line, &s->cap, s->first + s->count + 1, sizeof *s->line));
  s->line[s->first + s->count++] = *w;
  for (uint32_t d = 0; d < y->dims; d++) o->pending[d] += need[d] * units;
  o->waiting++;
  y->waiting++;
  return 0;
}

static void drop_shape(hc_yt *y, hc_yt_operation *o, uint32_t i)
{
  hc_free(y->allocator, o->shapes[i].line, o->shapes[i].cap * sizeof *o->shapes[i].line);
  o->shapes[i] = o->shapes[--o->shape_count];
  find_least(y, o);
}

static void leave(hc_yt *y, hc_yt_operation *o, const int64_t *need, int64_t units, uint64_t serial)
{
  const uint32_t i = find_shape(y, o, need, units);
  hc_yt_shape *s;
  size_t at;
  HC_ASSERT(i != HC_YT_NONE);
  s = &o->shapes[i];
  for (at = s->first; at < s->first + s->count && s->line[at].serial != serial; at++) {
  }
  HC_ASSERT(at < s->first + s->count);
  if (at == s->first) s->first++;
  else memmove(s->line + at, s->line + at + 1, (s->first + s->count - at - 1) * sizeof *s->line);
  s->count--;
  for (uint32_t d = 0; d < y->dims; d++) o->pending[d] -= need[d] * units;
  o->waiting--;
  y->waiting--;
  if (s->count == 0) drop_shape(y, o, i);
}

uint32_t hc_yt_first(const hc_yt *y, uint32_t op, const int64_t *free, uint64_t number, bool head)
{
  const hc_yt_operation *o = &y->ops[op];
  uint32_t best = HC_YT_NONE;
  for (uint32_t i = 0; i < o->shape_count; i++) {
    const hc_yt_shape *s = &o->shapes[i];
    uint32_t d = 0;
    while (!head && free && d < y->dims && s->need[d] <= free[d]) d++;
    if (s->tried == number || (!head && free && d < y->dims)) continue;
    if (best != HC_YT_NONE && s->line[s->first].rank > o->shapes[best].line[o->shapes[best].first].rank)
      continue;
    best = i;
  }
  if (!head || best == HC_YT_NONE || !free) return best;
  for (uint32_t d = 0; d < y->dims; d++)
    if (o->shapes[best].need[d] > free[d]) return HC_YT_NONE;
  return best;
}

/* ---- operations ---- */

static hc_rc new_slot(hc_yt *y, uint32_t *out)
{
  const size_t before = y->op_count;
  if (y->vacant == HC_YT_NONE && before >= UINT32_MAX / 8) return HC_ELIMIT;
  TRY(HC_SLOT_TAKE(y->allocator, hc_yt_operation, next, y->ops, y->op_count, y->op_cap, y->vacant, out));
  if (y->op_count > before) y->ops[*out] = (hc_yt_operation){.node = HC_POOL_NONE};
  return 0;
}

static hc_rc hold_back(hc_yt *y, uint32_t op)
{
  TRY(hc_reserve(y->allocator, (void **)&y->held_back, &y->held_cap, y->held_count + 1,
                 sizeof *y->held_back));
  y->held_back[y->held_count++] = op;
  return 0;
}

static hc_rc new_operation(hc_yt *y, const hc_view *v, hc_task t, uint64_t key, uint32_t *out)
{
  const hc_services *s = y->services;
  const int64_t user = s->user(v, t);
  const double weight = hc_dues_of(&y->dues, user).of[HC_DUE_WEIGHT].share[0];
  hc_yt_operation *o;
  TRY(new_slot(y, out));
  o = &y->ops[*out];
  *o = (hc_yt_operation){.key = key,
                         .job = y->o.by_user ? -1 : s->job(v, t),
                         .user = user,
                         .birth = y->births++,
                         .weight = weight > 0 ? weight : 1,
                         .satisfaction = HC_POOL_SATED,
                         .below_since = HC_NEVER,
                         .pool = hc_yt_pool_for(y, user, s->group(v, t), s->queue(v, t)),
                         .node = HC_POOL_NONE,
                         .is_here = true,
                         .shapes = o->shapes,
                         .shape_cap = o->shape_cap};
  if (y->o.by_priority && s->priority(v, t) > 0) o->weight *= (double)s->priority(v, t);
  o->is_gang = o->pool > 0 && y->pools[o->pool].o->gangs;
  for (uint32_t d = 0; d < y->dims; d++) {
    o->least[d] = INT64_MAX;
    o->best[d] = y->o.caps ? 0 : 1;
  }
  y->here++;
  TRY(hc_map_set(&y->index, key, *out));
  return hold_back(y, *out);
}

/* A task of no job is an operation of its own. */
static hc_rc operation_of(hc_yt *y, const hc_view *v, hc_task t, uint32_t *out)
{
  const hc_services *s = y->services;
  const int64_t name = y->o.by_user ? s->user(v, t) : s->job(v, t);
  const uint64_t key = y->o.by_user || name >= 0 ? (uint64_t)name : UINT64_C(1) << 63 | s->serial(v, t);
  *out = hc_map_get(&y->index, key);
  return *out == HC_MAP_NONE ? new_operation(y, v, t, key, out) : 0;
}

/* ---- what is heard ---- */

static hc_rc note_change(hc_yt *y, uint32_t op, hc_time now)
{
  hc_yt_operation *o = &y->ops[op];
  y->changed_at = HC_MIN(y->changed_at, now);
  if (o->is_changed) return 0;
  TRY(hc_reserve(y->allocator, (void **)&y->changed, &y->changed_cap, y->changed_count + 1,
                 sizeof *y->changed));
  y->changed[y->changed_count++] = op;
  o->is_changed = true;
  return 0;
}

hc_rc hc_yt_list(hc_yt *y, uint32_t op)
{
  hc_yt_operation *o = &y->ops[op];
  if (o->is_listed || !o->is_known || o->waiting == 0) return 0;
  TRY(hc_reserve(y->allocator, (void **)&y->line, &y->line_cap, y->line_count + 1, sizeof *y->line));
  y->line[y->line_count++] = op;
  o->is_listed = y->is_unsorted = true;
  return 0;
}

static hc_rc widen(hc_yt *y, const hc_view *v, hc_yt_operation *o, const hc_yt_shape *s)
{
  const double *share;
  if (!y->o.caps) return 0;
  TRY(hc_yt_best_share(y, v, s, &share));
  for (uint32_t d = 0; d < y->dims; d++) o->best[d] = HC_MAX(o->best[d], share[d]);
  return 0;
}

static hc_rc move_task(hc_yt *y, const hc_view *v, hc_task t, uint32_t op, bool joins)
{
  const hc_services *s = y->services;
  hc_yt_operation *o = &y->ops[op];
  int64_t need[HC_DIMENSIONS];
  const int64_t slots = HC_MAX(s->slots(v, t), 1);
  const hc_yt_waiter w = {.rank = y->ranks, .serial = s->serial(v, t), .task = t};
  for (uint32_t d = 0; d < y->dims; d++) need[d] = HC_MAX(s->demand(v, t, d), 0);
  if (!joins) {
    leave(y, o, need, slots, w.serial);
    return 0;
  }
  y->ranks++;
  const size_t shapes = o->shape_count;
  TRY(hc_yt_join(y, o, need, slots, &w));
  if (o->shape_count > shapes) TRY(widen(y, v, o, &o->shapes[o->shape_count - 1]));
  return hc_yt_list(y, op);
}

static void move_claim(hc_yt *y, uint32_t op, const int64_t *amounts, int64_t sign)
{
  hc_yt_operation *o = &y->ops[op];
  for (uint32_t d = 0; d < y->dims; d++) o->used[d] += sign * amounts[d];
  for (uint32_t p = o->pool;; p = y->pools[p].parent) {
    for (uint32_t d = 0; d < y->dims; d++) y->pools[p].used[d] += sign * amounts[d];
    if (p == 0) break;
  }
  o->running += (uint64_t)sign;
  if (o->is_known) hc_yt_satisfy(y, op);
}

hc_rc hc_yt_hear(hc_yt *y, const hc_view *v, hc_task_event what, hc_task t, const int64_t *amounts,
                 uint32_t *op)
{
  const hc_time now = y->services->now(v);
  hc_rc rc;
  *op = HC_YT_NONE;
  if (y->is_broken) return HC_ENOMEM;
  rc = y->dims > 0 ? 0 : hc_yt_look_at_cell(y, v, now);
  if (rc >= 0) rc = hc_yt_advance(y, now, false);
  if (rc >= 0) rc = operation_of(y, v, t, op);
  if (rc >= 0) {
    switch (what) {
      case HC_TASK_EVENT_QUEUED: rc = move_task(y, v, t, *op, true); break;
      case HC_TASK_EVENT_DEQUEUED: rc = move_task(y, v, t, *op, false); break;
      case HC_TASK_EVENT_ALLOCATED: move_claim(y, *op, amounts, 1); break;
      case HC_TASK_EVENT_RELEASED: move_claim(y, *op, amounts, -1); break;
    }
  }
  if (rc >= 0) rc = note_change(y, *op, now);
  y->is_broken = rc < 0;
  return rc;
}

/* ---- coming and going ---- */

static void count_operation(hc_yt *y, uint32_t op, uint32_t by)
{
  for (uint32_t p = y->ops[op].pool;; p = y->pools[p].parent) {
    y->pools[p].operations += by;
    if (p == 0) return;
  }
}

static void go(hc_yt *y, uint32_t op)
{
  hc_yt_operation *o = &y->ops[op];
  if (o->node != HC_POOL_NONE) {
    hc_pools_remove(&y->tree, o->node);
    count_operation(y, op, UINT32_MAX);
  }
  hc_map_remove(&y->index, o->key);
  o->is_here = o->is_known = false;
  o->node = HC_POOL_NONE;
  HC_SLOT_GIVE(hc_yt_operation, next, y->ops, y->vacant, op);
  y->here--;
  if (y->gone) y->gone(y->ctx, op);
}

static bool has_room(const hc_yt *y, uint32_t pool)
{
  for (uint32_t p = pool; p > 0; p = y->pools[p].parent)
    if (y->pools[p].o->max_running > 0 && y->pools[p].operations >= y->pools[p].o->max_running) return false;
  return true;
}

static hc_rc admit(hc_yt *y, uint32_t op)
{
  hc_yt_operation *o = &y->ops[op];
  hc_pool_wish w = hc_pool_plain();
  w.weight = o->weight;
  w.rank = (int64_t)o->birth;
  w.is_gang = o->is_gang;
  memcpy(w.limit, o->best, sizeof w.limit);
  TRY(hc_pools_add(&y->tree, o->pool, HC_POOL_JOB, &w, &o->node, NULL));
  count_operation(y, op, 1);
  return 0;
}

/* Who is gone, or has nothing that waits, leaves the line. */
static void clear_line(hc_yt *y)
{
  size_t kept = 0;
  for (size_t i = 0; i < y->line_count; i++) {
    hc_yt_operation *o = &y->ops[y->line[i]];
    if (o->is_here && o->waiting > 0) y->line[kept++] = y->line[i];
    else o->is_listed = false;
  }
  y->line_count = kept;
}

hc_rc hc_yt_turn_over(hc_yt *y)
{
  size_t kept = 0;
  for (size_t i = 0; i < y->changed_count; i++) {
    const hc_yt_operation *o = &y->ops[y->changed[i]];
    if (o->waiting > 0 || o->running > 0) continue;
    go(y, y->changed[i]);
  }
  clear_line(y);
  for (size_t i = 0; i < y->held_count; i++) {
    const uint32_t op = y->held_back[i];
    if (!y->ops[op].is_here) continue;
    if (has_room(y, y->ops[op].pool)) TRY(admit(y, op));
    else y->held_back[kept++] = op;
  }
  y->held_count = kept;
  return 0;
}

bool hc_yt_allows(const hc_yt *y, uint32_t op, const hc_yt_shape *s)
{
  if (!y->pools[y->ops[op].pool].is_limited) return true;
  for (uint32_t p = y->ops[op].pool; p > 0; p = y->pools[p].parent)
    for (uint32_t d = 0; d < y->dims; d++)
      if (y->pools[p].limit[d] != INT64_MAX &&
          y->pools[p].used[d] + s->need[d] * s->units > y->pools[p].limit[d])
        return false;
  return true;
}
