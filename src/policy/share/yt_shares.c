/* yt_shares.c -- what operations and pools are due, and which starve. See policy/share/yt.h.
 *
 * At a tick the tree is told what has changed, and everything that follows from fair shares is computed anew.
 * Where what members of a pool used counts against them (`history`), each has at tick k the average
 *
 *   a_k = N_k / D_k,   D_k = 1 + m D_(k-1),   N_k = u_k + m N_(k-1),   m = 2^(-period / half-life)
 *
 * of its dominant shares u, and its weight is multiplied by 2^(-a_k), as in YTsaurus, whose averages begin
 * with the first tick that knows the member. Of n ticks that find the same u, which are made up for at once,
 * the sums are those of a geometric series.
 *
 * Between ticks only satisfaction follows what an operation holds. Cost of a tick: the tree's, and
 * O(operations (dimensions + log)). */
#include <string.h>

#include "base/math.h"
#include "base/util.h"
#include "policy/share/yt_modules.h"

#define MOST_BESTS 4096 /* needs whose best share is remembered */

/* ---- shares ---- */

static void shares_of(const hc_yt *y, const int64_t *amounts, double *out)
{
  for (uint32_t d = 0; d < y->turns->books.dims; d++) out[d] = (double)amounts[d] * y->part[d];
}

void hc_yt_measure_cell(hc_yt *y)
{
  const hc_turns *t = y->turns;
  for (uint32_t d = 0; d < t->books.dims; d++)
    y->part[d] = t->capacity[d] > 0 ? 1 / (double)t->capacity[d] : 0;
}

static void forget_bests(hc_yt *y)
{
  y->best_count = 0;
  hc_map_fini(&y->best_of);
  hc_map_init(&y->best_of, y->allocator);
}

hc_rc hc_yt_look_at_cell(hc_yt *y, const hc_view *v, hc_time now)
{
  hc_turns *t = y->turns;
  bool is_other = y->tree.allocator == NULL;
  for (uint32_t d = 0; d < t->books.dims; d++) {
    const int64_t capacity = t->services->capacity(v, d);
    is_other |= capacity != t->capacity[d];
    t->capacity[d] = capacity;
  }
  is_other |= hc_yt_measure_hosts(y, v);
  is_other |= hc_yt_modules_measure(y, v);
  if (!is_other) return 0;
  hc_yt_measure_cell(y);
  y->changed_at = HC_MIN(y->changed_at, now);
  forget_bests(y);
  for (uint32_t i = 0; i < y->op_count; i++) /* their shares are others now, if what they hold is not */
    if (t->books.members[i].is_here) TRY(hc_yt_note_change(y, i, now));
  return hc_yt_measure_pools(y);
}

/* ---- what could run on an empty cell ---- */

static uint64_t hash_of(const hc_yt *y, const hc_shape *s)
{
  uint64_t h = (uint64_t)s->units * UINT64_C(0x9e3779b97f4a7c15);
  for (uint32_t d = 0; d < y->turns->books.dims; d++) {
    h = (h ^ (uint64_t)s->need[d]) * UINT64_C(0xff51afd7ed558ccd);
    h ^= h >> 32;
  }
  return h;
}

static void fill_cell(const hc_yt *y, const hc_view *v, hc_yt_best *b)
{
  const int64_t *capacity;
  int64_t slots = 0;
  for (uint32_t h = 0; y->turns->services->host_free(v, h, &capacity); h++) {
    int64_t fit = INT64_MAX;
    for (uint32_t d = 0; d < y->turns->books.dims; d++)
      if (b->need[d] > 0) fit = HC_MIN(fit, capacity[d] / b->need[d]);
    if (fit == INT64_MAX || __builtin_add_overflow(slots, fit, &slots))
      slots = INT64_MAX / 2; /* needs nothing */
  }
  slots -= slots % HC_MAX(b->units, 1);
  for (uint32_t d = 0; d < y->turns->books.dims; d++)
    b->share[d] = b->need[d] > 0 ? HC_MIN((double)slots * (double)b->need[d] * y->part[d], 1.0) : 1;
}

hc_rc hc_yt_best_share(hc_yt *y, const hc_view *v, const hc_shape *s, const double **share)
{
  const uint64_t hash = hash_of(y, s);
  uint32_t i = hc_map_get(&y->best_of, hash);
  hc_yt_best *b = i == HC_MAP_NONE ? NULL : &y->bests[i];
  if (!b || b->units != s->units || memcmp(b->need, s->need, y->turns->books.dims * sizeof *b->need) != 0) {
    if (y->best_count >= MOST_BESTS) forget_bests(y);
    i = (uint32_t)y->best_count;
    TRY(hc_reserve(y->allocator, (void **)&y->bests, &y->best_cap, y->best_count + 1, sizeof *y->bests));
    TRY(hc_map_set(&y->best_of, hash, i));
    b = &y->bests[i];
    *b = (hc_yt_best){.units = s->units};
    memcpy(b->need, s->need, sizeof b->need);
    fill_cell(y, v, b);
    y->best_count++;
  }
  *share = b->share;
  return 0;
}

/* ---- a tick ---- */

static hc_rc tell_tree(hc_yt *y)
{
  const uint32_t dims = y->turns->books.dims;
  for (size_t i = 0; i < y->changed_count; i++) {
    const hc_member *m = &y->turns->books.members[y->changed[i]];
    hc_yt_operation *o = &y->ops[y->changed[i]];
    double usage[HC_DIMENSIONS], demand[HC_DIMENSIONS];
    o->is_changed = false;
    if (o->node == HC_POOL_NONE) continue;
    shares_of(y, m->used, usage);
    for (uint32_t d = 0; d < dims; d++) demand[d] = (double)(m->used[d] + m->wanted[d]) * y->part[d];
    if (y->o.caps &&
        memcmp(hc_pools_at(&y->tree, o->node)->wish.limit, o->best, dims * sizeof *o->best) != 0) {
      hc_pool_wish w = hc_pools_at(&y->tree, o->node)->wish;
      memcpy(w.limit, o->best, sizeof w.limit);
      TRY(hc_pools_set(&y->tree, o->node, &w, NULL));
    }
    hc_pools_job(&y->tree, o->node, usage, demand);
  }
  y->changed_count = 0;
  return 0;
}

static double dominant(const hc_yt *y, const int64_t *used)
{
  double most = 0;
  for (uint32_t d = 0; d < y->turns->books.dims; d++) most = HC_MAX(most, (double)used[d] * y->part[d]);
  return most;
}

/* ---- what was used before ---- */

static hc_time halflife_in(const hc_yt *y, uint32_t pool)
{
  return pool == 0 ? y->o.history : y->pools[pool].o->history;
}

static double factor(const double h[2])
{
  const double ln2 = 0.693147180559945309417;
  return h[1] > 0 ? hc_exp(-ln2 * h[0] / h[1]) : 1;
}

double hc_yt_pool_history(const hc_yt *y, uint32_t pool)
{
  return y->has_history && halflife_in(y, y->turns->pools.parent[pool]) > 0 ? factor(y->pools[pool].history)
                                                                            : 1;
}

/* Of so many ticks in a row. */
static void remember(const hc_yt *y, hc_time halflife, int64_t ticks, double used, double h[2])
{
  const double part = (double)y->o.update / (double)halflife;
  const double one = hc_pow(2, -part), all = ticks == 1 ? one : hc_pow(2, -part * (double)ticks);
  const double fresh = ticks == 1 ? 1 : (1 - all) / (1 - one);
  h[0] = h[0] * all + used * fresh;
  h[1] = h[1] * all + fresh;
}

static hc_rc weigh(hc_yt *y, uint32_t node, double weight)
{
  hc_pool_wish w = hc_pools_at(&y->tree, node)->wish;
  w.weight = weight;
  return hc_pools_set(&y->tree, node, &w, NULL);
}

static hc_rc note_history(hc_yt *y, hc_time at)
{
  const int64_t ticks = HC_MAX((at - y->updated_at) / y->o.update, 1);
  for (uint32_t i = 1; i < y->pool_count; i++) {
    hc_yt_pool *p = &y->pools[i];
    const hc_time halflife = halflife_in(y, y->turns->pools.parent[i]);
    if (halflife == 0) continue;
    remember(y, halflife, ticks, dominant(y, p->used), p->history);
    TRY(weigh(y, i, p->o->weight * factor(p->history)));
  }
  for (uint32_t i = 0; i < y->op_count; i++) {
    hc_yt_operation *o = &y->ops[i];
    const hc_time halflife = o->node == HC_POOL_NONE ? 0 : halflife_in(y, o->pool);
    if (halflife == 0) continue;
    remember(y, halflife, o->history[1] > 0 ? ticks : 1, dominant(y, y->turns->books.members[i].used),
             o->history);
    TRY(weigh(y, o->node, o->weight * factor(o->history)));
  }
  return 0;
}

/* Volumes flow, and what may be taken of them follows. */
static hc_rc flow(hc_yt *y, hc_time at)
{
  const double seconds = (double)(at - y->updated_at) * 1e-9;
  for (uint32_t i = 1; i < y->pool_count && y->has_integral; i++) {
    hc_yt_pool *p = &y->pools[i];
    hc_pool_wish w;
    if (!p->is_integral) continue;
    (void)hc_integral_flow(&p->integral, seconds, dominant(y, p->used));
    w = hc_pools_at(&y->tree, i)->wish;
    w.integral_share =
        hc_integral_share(&p->integral, w.integral == HC_INTEGRAL_BURST ? w.burst : 3 * p->integral.flow);
    TRY(hc_pools_set(&y->tree, i, &w, NULL));
  }
  return 0;
}

void hc_yt_satisfy(hc_yt *y, uint32_t op)
{
  hc_yt_operation *o = &y->ops[op];
  const hc_pool *x = hc_pools_at(&y->tree, o->node);
  double usage[HC_DIMENSIONS];
  shares_of(y, y->turns->books.members[op].used, usage);
  o->satisfaction = hc_pool_satisfaction(y->turns->books.dims, x->fair, usage, x->demand);
}

static void note_below(hc_yt *y, hc_time *since, bool is_below, hc_time at)
{
  if (!is_below) *since = HC_NEVER;
  else if (*since == HC_NEVER) *since = at;
  y->below_since = HC_MIN(y->below_since, *since);
}

/* Is all that it wants due to it? */
static bool is_content(const hc_yt *y, const hc_pool *x)
{
  for (uint32_t d = 0; d < y->turns->books.dims; d++)
    if (x->demand[d] > x->fair[d]) return false;
  return true;
}

bool hc_yt_is_below(const hc_yt *y, uint32_t op)
{
  const hc_pool *x = hc_pools_at(&y->tree, y->ops[op].node);
  double usage[HC_DIMENSIONS];
  shares_of(y, y->turns->books.members[op].used, usage);
  return hc_pool_is_below(y->turns->books.dims, x->fair, usage, x->demand,
                          is_content(y, x) ? 1 : y->o.tolerance);
}

static hc_rc settle_operation(hc_yt *y, uint32_t op, hc_time at)
{
  hc_yt_operation *o = &y->ops[op];
  const hc_pool *x = hc_pools_at(&y->tree, o->node);
  const double before = o->satisfaction;
  o->satisfaction = hc_pool_satisfaction(y->turns->books.dims, x->fair, x->usage, x->demand);
  note_below(y, &o->below_since,
             hc_pool_is_below(y->turns->books.dims, x->fair, x->usage, x->demand,
                              is_content(y, x) ? 1 : y->o.tolerance),
             at);
  if (o->satisfaction < before || o->satisfaction > before || o->is_graceful) hc_turns_stand(y->turns, op);
  return y->due ? y->due(y->ctx, op, x->fair, x->demand) : 0;
}

static void settle_pool(hc_yt *y, uint32_t pool, hc_time at)
{
  const hc_pool *x = hc_pools_at(&y->tree, pool);
  hc_yt_pool *p = &y->pools[pool];
  p->satisfaction = hc_pool_satisfaction(y->turns->books.dims, x->fair, x->usage, x->demand);
  note_below(y, &p->below_since,
             hc_pool_is_below(y->turns->books.dims, x->fair, x->usage, x->demand, y->o.tolerance), at);
}

static hc_rc tick(hc_yt *y, hc_time at)
{
  TRY(hc_yt_turn_over(y, at));
  TRY(flow(y, at));
  if (y->has_history) TRY(note_history(y, at));
  TRY(tell_tree(y));
  TRY(hc_pools_update(&y->tree, NULL));
  y->below_since = HC_NEVER;
  hc_ranking_disturb(&y->turns->ranking);
  for (uint32_t i = 0; i < y->op_count; i++)
    if (y->ops[i].node != HC_POOL_NONE) TRY(settle_operation(y, i, at));
  for (uint32_t i = 0; i < y->pool_count; i++) settle_pool(y, i, at);
  y->updated_at = at;
  y->changed_at = HC_NEVER;
  y->updates++;
  return 0;
}

/* Volumes flow at every tick, whether or not anything happened; but while no task waits nothing depends on
 * it. */
static hc_rc every_tick(hc_yt *y, hc_time now)
{
  const hc_time period = y->o.update;
  for (hc_time at = (y->updated_at / period + 1) * period; at <= now; at += period) {
    if (y->waiting == 0) at = HC_MAX(at, now - now % period);
    TRY(tick(y, at));
  }
  return 0;
}

/* When a wait for a module, or in one, is over. */
static hc_time alarm_of(const hc_yt *y)
{
  return y->modules ? y->modules->at : HC_NEVER;
}

hc_time hc_yt_next_tick(const hc_yt *y)
{
  const hc_time period = y->o.update, alarm = alarm_of(y);
  hc_time at = HC_NEVER;
  if (period == 0) return HC_MIN(y->changed_at, alarm);
  if (y->changed_at != HC_NEVER) at = (y->changed_at / period + 1) * period;
  if (alarm < HC_NEVER - period) at = HC_MIN(at, (alarm + period - 1) / period * period);
  return at;
}

hc_rc hc_yt_advance(hc_yt *y, hc_time now, bool asked)
{
  hc_time at;
  if (y->o.update == 0)
    return asked && (y->has_integral || y->changed_at != HC_NEVER || alarm_of(y) <= now) ? tick(y, now) : 0;
  if (y->has_integral || y->has_history) return every_tick(y, now);
  while ((at = hc_yt_next_tick(y)) <= now) TRY(tick(y, at));
  return 0;
}

/* ---- which starve ---- */

hc_time hc_yt_hungry_at(const hc_yt *y)
{
  const hc_time period = y->o.update;
  hc_time since = y->below_since, at;
  if (y->has_integral || y->has_history)
    since = HC_MIN(since, y->updated_at); /* volumes flow: what is below may change at each tick */
  since = HC_MIN(since, y->changed_at);
  at = hc_time_add(since, y->o.starving_after);
  if (at == HC_NEVER || period == 0) return hc_time_add(at, 1);
  return hc_time_add(at - at % period, period);
}

static hc_pool_hunger hunger(const hc_yt *y, hc_time below_since, hc_time now)
{
  const hc_time period = y->o.update;
  const hc_time tick_of_now = period > 0 ? now - now % period : now;
  return hc_pool_starves(below_since, tick_of_now, y->o.starving_after, y->o.badly_after);
}

hc_pool_hunger hc_yt_hunger(const hc_yt *y, uint32_t op, hc_time now)
{
  return hunger(y, y->ops[op].below_since, now);
}

hc_pool_hunger hc_yt_pool_hunger(const hc_yt *y, uint32_t pool, hc_time now)
{
  return hunger(y, y->pools[pool].below_since, now);
}

hc_pool_hunger hc_yt_hunger_above(const hc_yt *y, uint32_t op, hc_time now)
{
  hc_pool_hunger worst = hc_yt_hunger(y, op, now);
  for (uint32_t p = y->ops[op].pool; p > 0; p = y->turns->pools.parent[p]) {
    const hc_pool_hunger h = hc_yt_pool_hunger(y, p, now);
    worst = HC_MAX(worst, h);
  }
  return worst;
}
