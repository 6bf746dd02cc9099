/* yt.c -- the keeper of the rule `yt`: operations, their waiting tasks, and what their pools hold. See
 * yt.h. */
#include "policy/share/yt.h"

#include <stdio.h>
#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "policy/share/yt_modules.h"

/* ---- life ---- */

static hc_rc init(hc_turns *t, hc_error *e)
{
  hc_yt *y = t->yt = hc_alloc(t->allocator, sizeof *y);
  if (!y) return HC_ENOMEM;
  *y = (hc_yt){
      .allocator = t->allocator, .turns = t, .o = *t->o.yt, .below_since = HC_NEVER, .changed_at = HC_NEVER};
  t->o.yt = &y->o;
  hc_map_init(&y->pool_of_group, t->allocator);
  hc_map_init(&y->pool_of_queue, t->allocator);
  hc_map_init(&y->best_of, t->allocator);
  hc_arena_init(&y->arena, t->allocator);
  TRY(hc_yt_set_up_pools(y, e));
  return hc_yt_modules_init(y, e);
}

static void fini(hc_turns *t)
{
  const hc_allocator *a = t->allocator;
  hc_yt *y = t->yt;
  if (!y) return;
  if (y->tree.allocator) hc_pools_fini(&y->tree);
  hc_yt_free_tags(y);
  hc_yt_modules_fini(y);
  if (y->pools) hc_free(a, y->pools, y->pool_count * sizeof *y->pools);
  hc_arena_fini(&y->arena);
  hc_map_fini(&y->pool_of_group);
  hc_map_fini(&y->pool_of_queue);
  hc_map_fini(&y->best_of);
  hc_free(a, y->ops, y->op_cap * sizeof *y->ops);
  hc_free(a, y->changed, y->changed_cap * sizeof *y->changed);
  hc_free(a, y->held_back, y->held_cap * sizeof *y->held_back);
  hc_free(a, y->bests, y->best_cap * sizeof *y->bests);
  hc_free(a, y, sizeof *y);
  t->yt = NULL;
}

/* ---- operations ---- */

static hc_rc hold_back(hc_yt *y, uint32_t op)
{
  TRY(hc_reserve(y->allocator, (void **)&y->held_back, &y->held_cap, y->held_count + 1,
                 sizeof *y->held_back));
  y->held_back[y->held_count++] = op;
  return 0;
}

/* A task of no job is an operation of its own. */
static int64_t whose(const hc_turns *t, const hc_view *v, hc_task task)
{
  const bool by_user = t->yt->o.by_user;
  const int64_t name = by_user ? t->services->user(v, task) : t->services->job(v, task);
  return by_user || name >= 0 ? name : INT64_MIN | (int64_t)t->services->serial(v, task);
}

static hc_rc welcome(hc_turns *t, const hc_view *v, hc_task task, uint32_t op)
{
  const hc_services *s = t->services;
  hc_yt *y = t->yt;
  const int64_t user = s->user(v, task);
  const double weight = hc_dues_of(&t->dues, user)->of[HC_DUE_WEIGHT].share[0];
  hc_yt_operation *o;
  TRY(hc_reserve(y->allocator, (void **)&y->ops, &y->op_cap, (size_t)op + 1, sizeof *y->ops));
  y->op_count = HC_MAX(y->op_count, (size_t)op + 1);
  o = &y->ops[op];
  *o = (hc_yt_operation){.job = y->o.by_user ? -1 : s->job(v, task),
                         .user = user,
                         .birth = y->births++,
                         .weight = weight > 0 ? weight : 1,
                         .satisfaction = HC_POOL_SATED,
                         .below_since = HC_NEVER,
                         .waits_since = HC_NEVER,
                         .module = HC_YT_NO_MODULE,
                         .pool = hc_yt_pool_for(y, user, s->group(v, task), s->queue(v, task)),
                         .node = HC_POOL_NONE};
  if (y->o.by_priority && s->priority(v, task) > 0) o->weight *= (double)s->priority(v, task);
  o->is_gang = o->pool > 0 && y->pools[o->pool].o->gangs;
  o->is_graceful = o->pool > 0 && y->pools[o->pool].o->graceful;
  for (uint32_t d = 0; d < t->books.dims; d++) o->best[d] = y->o.caps ? 0 : 1;
  return hold_back(y, op);
}

/* ---- what is heard ---- */

static hc_rc learn(hc_turns *t, const hc_view *v)
{
  return hc_yt_look_at_cell(t->yt, v, t->services->now(v));
}

static hc_rc advance(hc_turns *t, const hc_view *v)
{
  return hc_yt_advance(t->yt, t->services->now(v), false);
}

static hc_rc open_turns(hc_turns *t, const hc_view *v)
{
  TRY(hc_yt_advance(t->yt, t->services->now(v), true));
  return t->is_broken ? HC_ENOMEM : 0;
}

static hc_rc cell_changed(hc_turns *t, const hc_view *v)
{
  TRY(advance(t, v));
  return hc_yt_look_at_cell(t->yt, v, t->services->now(v));
}

static hc_rc list_change(hc_yt *y, uint32_t op)
{
  hc_yt_operation *o = &y->ops[op];
  if (o->is_changed) return 0;
  TRY(hc_reserve(y->allocator, (void **)&y->changed, &y->changed_cap, y->changed_count + 1,
                 sizeof *y->changed));
  y->changed[y->changed_count++] = op;
  o->is_changed = true;
  return 0;
}

hc_rc hc_yt_note_change(hc_yt *y, uint32_t op, hc_time now)
{
  y->changed_at = HC_MIN(y->changed_at, now);
  return list_change(y, op);
}

/* A shape that is new may run where others of the operation could not. */
static hc_rc widen(hc_yt *y, const hc_view *v, uint32_t op, const hc_shape *s)
{
  const double *share;
  if (!y->o.caps) return 0;
  TRY(hc_yt_best_share(y, v, s, &share));
  for (uint32_t d = 0; d < y->turns->books.dims; d++)
    y->ops[op].best[d] = HC_MAX(y->ops[op].best[d], share[d]);
  return 0;
}

static hc_rc join(hc_turns *t, const hc_view *v, uint32_t op, const hc_waiter *w, const int64_t *need,
                  int64_t slots)
{
  const size_t shapes = t->books.members[op].shape_count;
  const hc_member *m;
  TRY(hc_books_add(&t->books, op, w, need, slots));
  t->yt->ranks++;
  t->yt->waiting++;
  m = &t->books.members[op];
  return m->shape_count > shapes ? widen(t->yt, v, op, &t->books.shapes[m->shapes[shapes]]) : 0;
}

static hc_rc move_task(hc_turns *t, const hc_view *v, hc_task task, uint32_t op, const int64_t *need,
                       bool joins)
{
  const hc_services *s = t->services;
  const int64_t slots = HC_MAX(s->slots(v, task), 1);
  const hc_waiter w = {.key = (int64_t)t->yt->ranks,
                       .serial = s->serial(v, task),
                       .task = task,
                       .work = t->works ? hc_works_of(t->works, task) : 0};
  if (joins) {
    TRY(join(t, v, op, &w, need, slots));
  } else {
    hc_books_remove(&t->books, op, &w, need, slots);
    t->yt->waiting--;
  }
  return hc_yt_note_change(t->yt, op, s->now(v));
}

static hc_rc move_claim(hc_turns *t, const hc_view *v, hc_task task, uint32_t op, const int64_t *amounts,
                        int64_t sign)
{
  hc_yt *y = t->yt;
  HC_UNUSED(task);
  for (uint32_t p = y->ops[op].pool;; p = t->pools.parent[p]) {
    for (uint32_t d = 0; d < t->books.dims; d++) y->pools[p].used[d] += sign * amounts[d];
    if (p == 0) break;
  }
  if (y->ops[op].node != HC_POOL_NONE) hc_yt_satisfy(y, op);
  return hc_yt_note_change(y, op, t->services->now(v));
}

static bool stands(const hc_turns *t, uint32_t op, bool may, double *key, uint64_t *tie)
{
  const hc_yt_operation *o = &t->yt->ops[op];
  *key = o->satisfaction;
  *tie = o->birth;
  return may && o->node != HC_POOL_NONE && (!o->is_graceful || hc_yt_is_below(t->yt, op));
}

static bool allows(const hc_turns *t, uint32_t shape)
{
  const hc_yt *y = t->yt;
  const hc_shape *s = &t->books.shapes[shape];
  if (!y->pools[y->ops[s->user].pool].is_limited) return true;
  for (uint32_t p = y->ops[s->user].pool; p > 0; p = t->pools.parent[p])
    for (uint32_t d = 0; d < t->books.dims; d++)
      if (y->pools[p].limit[d] != INT64_MAX &&
          y->pools[p].used[d] + s->need[d] * s->units > y->pools[p].limit[d])
        return false;
  return true;
}

bool hc_yt_admits(const hc_yt *y, uint32_t op, uint32_t host)
{
  return hc_yt_tags_admit(y, op, host) && hc_yt_modules_admits(y, op, host);
}

static bool admits(const hc_turns *t, uint32_t op, uint32_t host)
{
  return hc_yt_admits(t->yt, op, host);
}

static void say_why_not(const hc_turns *t, uint32_t op, uint32_t host, char *out, size_t size)
{
  char bound[120];
  if (!hc_yt_tags_admit(t->yt, op, host)) {
    (void)snprintf(out, size, "the tags of its pool rule out host %u", host);
  } else {
    hc_yt_modules_say(t->yt, op, bound, sizeof bound);
    if (t->yt->ops[op].module == HC_YT_NO_MODULE) (void)snprintf(out, size, "%s", bound);
    else (void)snprintf(out, size, "host %u is not offered: %s", host, bound);
  }
}

/* ---- coming and going ---- */

static void count_operation(hc_yt *y, uint32_t op, uint32_t by)
{
  for (uint32_t p = y->ops[op].pool;; p = y->turns->pools.parent[p]) {
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
  o->node = HC_POOL_NONE;
  hc_books_leave(&y->turns->books, op);
  if (y->turns->gone) y->turns->gone(y->turns->ctx, op);
}

static bool has_room(const hc_yt *y, uint32_t pool)
{
  for (uint32_t p = pool; p > 0; p = y->turns->pools.parent[p])
    if (y->pools[p].o->max_running > 0 && y->pools[p].operations >= y->pools[p].o->max_running) return false;
  return true;
}

static hc_rc admit(hc_yt *y, uint32_t op, hc_time at)
{
  hc_yt_operation *o = &y->ops[op];
  hc_pool_wish w = hc_pool_plain();
  w.weight = o->weight;
  w.rank = (int64_t)o->birth;
  w.is_gang = o->is_gang;
  memcpy(w.limit, o->best, sizeof w.limit);
  TRY(hc_pools_add(&y->tree, o->pool, HC_POOL_JOB, &w, &o->node, NULL));
  count_operation(y, op, 1);
  hc_yt_modules_admit(y, op, at);
  hc_turns_stand(y->turns, op);
  return list_change(y, op); /* the tree does not know yet what it uses and wants */
}

hc_rc hc_yt_turn_over(hc_yt *y, hc_time at)
{
  const hc_member *members = y->turns->books.members;
  size_t kept = 0;
  for (size_t i = 0; i < y->changed_count; i++) {
    const hc_member *m = &members[y->changed[i]];
    if (m->waiting == 0 && m->holding == 0) go(y, y->changed[i]);
  }
  for (size_t i = 0; i < y->held_count; i++) {
    const uint32_t op = y->held_back[i];
    if (!members[op].is_here) continue;
    if (has_room(y, y->ops[op].pool)) TRY(admit(y, op, at));
    else y->held_back[kept++] = op;
  }
  y->held_count = kept;
  return hc_yt_modules_tick(y, at);
}

/* ---- state ---- */

static hc_rc visit_pools(hc_yt *y, hc_visitor *v)
{
  for (size_t i = 0; i < y->pool_count; i++) HC_VISIT(v, y->pools[i].suitable);
  if (y->turns->books.dims > 0) { /* shares follow from the cell as it was when it was looked at last */
    hc_yt_measure_cell(y);
    if (hc_visit_loading(v)) TRY(hc_yt_measure_pools(y));
    TRY(hc_pools_visit(&y->tree, v));
  }
  for (size_t i = 0; i < y->pool_count; i++) {
    hc_yt_pool *p = &y->pools[i];
    HC_VISIT(v, p->operations);
    HC_VISIT(v, p->used);
    HC_VISIT(v, p->satisfaction);
    HC_VISIT(v, p->below_since);
    HC_VISIT(v, p->integral);
    HC_VISIT(v, p->history);
  }
  return 0;
}

static bool is_sound(const hc_yt *y)
{
  bool sound = y->op_count == y->turns->books.member_count;
  for (size_t i = 0; i < y->op_count; i++)
    sound &=
        y->ops[i].pool < y->pool_count && (y->ops[i].node == HC_POOL_NONE || y->ops[i].node < y->tree.count);
  for (size_t i = 0; i < y->changed_count; i++) sound &= y->changed[i] < y->op_count;
  for (size_t i = 0; i < y->held_count; i++) sound &= y->held_back[i] < y->op_count;
  return sound;
}

static hc_rc visit(hc_turns *t, hc_visitor *v)
{
  hc_yt *y = t->yt;
  HC_VISIT(v, y->births);
  HC_VISIT(v, y->ranks);
  HC_VISIT(v, y->updated_at);
  HC_VISIT(v, y->below_since);
  HC_VISIT(v, y->changed_at);
  HC_VISIT(v, y->updates);
  if (t->dues.names.count > 0)
    TRY(hc_visit_bytes(v, t->dues.seen, t->dues.names.count * sizeof *t->dues.seen));
  HC_VISIT_ARRAY(v, y->ops, y->op_count, y->op_cap);
  HC_VISIT_ARRAY(v, y->changed, y->changed_count, y->changed_cap);
  HC_VISIT_ARRAY(v, y->held_back, y->held_count, y->held_cap);
  TRY(visit_pools(y, v));
  TRY(hc_yt_modules_visit(y, v));
  if (!hc_visit_loading(v)) return 0;
  y->waiting = 0;
  for (size_t i = 0; i < t->books.member_count; i++) y->waiting += t->books.members[i].waiting;
  return is_sound(y) ? 0 : HC_EINPUT;
}

static const hc_share_keeper keeper = {
    .init = init,
    .fini = fini,
    .learn = learn,
    .advance = advance,
    .open = open_turns,
    .whose = whose,
    .welcome = welcome,
    .move_task = move_task,
    .move_claim = move_claim,
    .stands = stands,
    .allows = allows,
    .admits = admits,
    .say_why_not = say_why_not,
    .cell_changed = cell_changed,
    .visit = visit,
};

const hc_share_rule hc_share_yt = {.name = "yt", .flags = HC_SHARE_ONE_HOST, .keeper = &keeper};
