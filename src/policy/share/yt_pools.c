/* yt_pools.c -- the pools of the policy yt, from what a user wrote of them. See policy/share/yt.h.
 *
 * Guarantees and limits are amounts, or shares of the cell; shares of the tree follow when the cell is known,
 * and anew when it changes. A dimension of which a guarantee says nothing gets the same part of the parent's
 * as the main one does; such parts shrink to what named ones leave. Guarantees that are more than there is
 * are scaled by the tree (pools.h). */
#include <string.h>

#include "base/util.h"
#include "policy/share/yt.h"

static hc_rc wrong(hc_error *e, const char *text, const char *name, const char *detail)
{
  return hc_fail(e, HC_EUSAGE, "policy yt", 0, 0, text, name, detail);
}

static const char *text_at(const hc_list *l, size_t i)
{
  return ((const char *const *)l->items)[i];
}

/* ---- amounts ---- */

typedef struct amount {
  int dimension; /* the lexicon's number */
  bool is_share;
  double value; /* a share, or in the cell's units */
} amount;

/* @return 0, HC_EINPUT (no amount), HC_ELIMIT (no room for another dimension) */
static hc_rc read_amount(hc_lexicon *l, const char *text, amount *out)
{
  const char *equal = strchr(text, '=');
  const size_t n = equal ? strlen(equal + 1) : 0;
  int64_t bytes;
  if (!equal || equal == text || n == 0) return HC_EINPUT;
  out->dimension = l ? hc_lexicon_dimension(l, text, (size_t)(equal - text)) : -1;
  if (out->dimension < 0) return HC_ELIMIT;
  out->is_share = equal[n] == '%';
  if (out->is_share) {
    TRY(hc_parse_real(equal + 1, n - 1, &out->value));
    out->value /= 100;
  } else if (out->dimension == HC_DIM_MEMORY || out->dimension == HC_DIM_DISK) {
    TRY(hc_parse_size(equal + 1, n, &bytes));
    out->value = (double)bytes;
  } else {
    TRY(hc_parse_real(equal + 1, n, &out->value));
    if (out->dimension == HC_DIM_CPU || out->dimension == HC_DIM_GPU) out->value *= 1000;
  }
  return out->value >= 0 && out->value <= 1e18 ? 0 : HC_EINPUT;
}

static hc_rc check_amounts(const hc_yt *y, const hc_list *l, const char *pool, hc_error *e)
{
  for (size_t i = 0; i < l->count; i++) {
    amount a;
    if (read_amount(y->turns->o.lexicon, text_at(l, i), &a) < 0)
      return wrong(e,
                   "pools: %s: \"%s\" is no amount of a dimension; write it as cpu=100, memory=400GiB or "
                   "memory=30%%",
                   pool, text_at(l, i));
  }
  return 0;
}

/* ---- which pool an operation is in ---- */

/* Names stand beside numbers: a number is itself, a name its place in the lexicon, above all numbers. */
#define NAMED (INT64_C(1) << 62)

static hc_rc number_of(const hc_yt *y, const char *text, size_t size, int64_t *out)
{
  uint32_t name;
  if (hc_parse_int(text, size, out) == 0 && *out >= 0) return 0;
  name = y->turns->o.lexicon ? hc_lexicon_name(y->turns->o.lexicon, text, size) : HC_NO_NAME;
  if (name == HC_NO_NAME) return HC_ENOMEM;
  *out = NAMED | (int64_t)name;
  return 0;
}

/* By number, or else by what the source calls it. */
static uint32_t find_called(const hc_yt *y, const hc_map *map, int64_t number, const char *text)
{
  const uint32_t out = hc_map_get(map, (uint64_t)number);
  uint32_t name;
  if (out != HC_MAP_NONE || !text) return out;
  name = hc_lexicon_name(y->turns->o.lexicon, text, strlen(text));
  return name == HC_NO_NAME ? HC_MAP_NONE : hc_map_get(map, (uint64_t)(NAMED | (int64_t)name));
}

/* The pool that lists a queue; else the one that has the name of the queue. */
static uint32_t pool_of_queue(const hc_yt *y, int64_t queue)
{
  const char *text =
      y->turns->o.lexicon ? hc_lexicon_called(y->turns->o.lexicon, HC_CALLED_QUEUE, queue) : NULL;
  const uint32_t out = find_called(y, &y->pool_of_queue, queue, text);
  uint32_t named;
  if (out != HC_MAP_NONE || !text) return out;
  named = hc_pool_list_find(&y->turns->pools, text);
  return named > 0 ? named : HC_MAP_NONE;
}

static hc_rc assign(const hc_yt *y, hc_map *map, const hc_list *l, uint32_t pool, hc_error *e)
{
  for (size_t i = 0; i < l->count; i++) {
    int64_t number;
    TRY(number_of(y, text_at(l, i), strlen(text_at(l, i)), &number));
    if (hc_map_get(map, (uint64_t)number) != HC_MAP_NONE)
      return wrong(e, "pools: %s is in two pools, the second of them %s; leave it in one", text_at(l, i),
                   y->pools[pool].o->name);
    TRY(hc_map_set(map, (uint64_t)number, pool));
  }
  return 0;
}

uint32_t hc_yt_pool_for(hc_yt *y, int64_t user, int64_t group, int64_t queue)
{
  const uint32_t own = hc_dues_of(&y->turns->dues, user)->pool;
  uint32_t pool = own > 0 ? own : HC_MAP_NONE;
  if (pool == HC_MAP_NONE && group >= 0) pool = hc_map_get(&y->pool_of_group, (uint64_t)group);
  if (pool == HC_MAP_NONE && queue >= 0) pool = pool_of_queue(y, queue);
  return pool == HC_MAP_NONE ? 0 : pool;
}

/* ---- the tree ---- */

/* The lexicon knows a user's name in the order of the lists: generators number users by it. */
static hc_rc know_users(const hc_yt *y, const hc_list *users)
{
  int64_t number;
  for (size_t k = 0; k < users->count; k++)
    TRY(number_of(y, text_at(users, k), strlen(text_at(users, k)), &number));
  return 0;
}

static hc_rc read_pool(hc_yt *y, uint32_t i, hc_error *e)
{
  hc_yt_pool *p = &y->pools[i];
  const hc_user_pool_options *o = p->o;
  const uint32_t parent = y->turns->pools.parent[i];
  if (parent > 0 && y->pools[parent].o->mode == HC_POOL_MODE_FIFO)
    return wrong(e, "pools: %s is fifo and holds operations only; make it fair_share, or put %s elsewhere",
                 o->parent, o->name);
  TRY(check_amounts(y, &o->strong, o->name, e));
  TRY(check_amounts(y, &o->limit, o->name, e));
  p->is_integral = o->integral != HC_INTEGRAL_NONE;
  if (p->is_integral != (o->flow > 0) || (o->integral == HC_INTEGRAL_BURST) != (o->burst > 0))
    return wrong(e,
                 "pools: %s: integral: burst needs flow and burst, relaxed needs flow, none neither; give %s",
                 o->name, "what belongs together");
  p->integral = (hc_integral){.flow = o->flow};
  y->has_integral |= p->is_integral;
  y->has_history |= o->history > 0;
  y->has_graceful |= o->graceful;
  y->has_tags |= o->tags != NULL;
  p->is_limited = o->limit.count > 0 || y->pools[parent].is_limited;
  y->has_limits |= p->is_limited;
  TRY(know_users(y, &o->users));
  TRY(assign(y, &y->pool_of_group, &o->groups, i, e));
  return assign(y, &y->pool_of_queue, &o->queues, i, e);
}

static hc_rc read_weights(hc_yt *y, hc_error *e)
{
  const hc_list *weights = y->turns->o.lists[HC_DUE_WEIGHT];
  for (size_t i = 0; i < weights->count; i++) {
    const char *text = text_at(weights, i), *equal = strrchr(text, '=');
    int64_t user;
    if (equal && equal > text) TRY(number_of(y, text, (size_t)(equal - text), &user));
  }
  TRY(hc_dues_read(&y->turns->dues, HC_DUE_WEIGHT, weights, e));
  return hc_dues_one_weight(&y->turns->dues, e);
}

hc_rc hc_yt_set_up_pools(hc_yt *y, hc_error *e)
{
  TRY(hc_yt_read_pools(y, e));
  TRY(hc_pool_list_read(&y->turns->pools, &y->all_pools, &y->turns->dues, e));
  y->pool_count = y->all_pools.count + 1;
  y->pools = hc_alloc(y->allocator, y->pool_count * sizeof *y->pools);
  if (!y->pools) return HC_ENOMEM;
  for (uint32_t i = 0; i < y->pool_count; i++) {
    y->pools[i] = (hc_yt_pool){.below_since = HC_NEVER};
    for (int d = 0; d < HC_DIMENSIONS; d++) y->pools[i].limit[d] = INT64_MAX;
    y->pools[i].o = i > 0 ? hc_pool_list_at(&y->turns->pools, i) : NULL;
    if (i > 0) TRY(read_pool(y, i, e));
  }
  y->has_history |= y->o.history > 0;
  if (y->has_history && y->o.update == 0)
    return wrong(e, "%s: use is averaged over the times at which fair shares are computed: give %s a period",
                 "history", "update");
  TRY(hc_yt_read_tags(y, e));
  return read_weights(y, e);
}

/* ---- what they are due of the cell as it is ---- */

/* What a list names, as shares by the cell's dimensions; others are left as they are. */
static void name_shares(const hc_yt *y, const hc_list *l, double *share, bool *named)
{
  for (size_t i = 0; i < l->count; i++) {
    amount a;
    if (read_amount(y->turns->o.lexicon, text_at(l, i), &a) < 0) continue; /* it could be read before */
    for (uint32_t d = 0; d < y->turns->books.dims; d++) {
      if (y->turns->which[d] != (uint8_t)a.dimension) continue;
      named[d] = true;
      share[d] = a.is_share ? a.value : a.value / (double)HC_MAX(y->turns->capacity[d], 1);
    }
  }
}

static uint32_t main_dimension(const hc_yt *y)
{
  const int id = y->turns->o.lexicon ? hc_lexicon_dimension(y->turns->o.lexicon, y->o.main, strlen(y->o.main))
                                     : (int)HC_DIM_CPU;
  for (uint32_t d = 0; d < y->turns->books.dims; d++)
    if (y->turns->which[d] == (uint8_t)id) return d;
  return 0;
}

typedef struct wish {
  hc_pool_wish wish;
  bool named[HC_DIMENSIONS]; /* dimensions of the guarantee */
} wish;

/* Inherited parts of the members of a pool shrink to what named ones leave. */
static void fit_inherited(const hc_yt *y, wish *wishes, uint32_t parent, const double *due)
{
  for (uint32_t d = 0; d < y->turns->books.dims; d++) {
    double named = 0, inherited = 0, by;
    for (uint32_t i = 1; i < y->pool_count; i++) {
      if (y->turns->pools.parent[i] != parent) continue;
      if (wishes[i].named[d]) named += wishes[i].wish.strong[d];
      else inherited += wishes[i].wish.strong[d];
    }
    if (!(inherited > 0) || named + inherited <= due[d]) continue;
    by = HC_MAX(0.0, due[d] - named) / inherited;
    for (uint32_t i = 1; i < y->pool_count; i++)
      if (y->turns->pools.parent[i] == parent && !wishes[i].named[d]) wishes[i].wish.strong[d] *= by;
  }
}

static void guarantee(const hc_yt *y, wish *wishes)
{
  const uint32_t first = main_dimension(y);
  for (uint32_t p = 0; p < y->pool_count; p++) { /* parents come first */
    double due[HC_DIMENSIONS];
    for (uint32_t d = 0; d < y->turns->books.dims; d++) due[d] = p == 0 ? 1 : wishes[p].wish.strong[d];
    for (uint32_t i = 1; i < y->pool_count; i++) {
      hc_pool_wish *w = &wishes[i].wish;
      if (y->turns->pools.parent[i] != p) continue;
      name_shares(y, &y->pools[i].o->strong, w->strong, wishes[i].named);
      for (uint32_t d = 0; d < y->turns->books.dims; d++)
        if (!wishes[i].named[d] && due[first] > 0) w->strong[d] = w->strong[first] / due[first] * due[d];
    }
    fit_inherited(y, wishes, p, due);
  }
}

static void limit(const hc_yt *y, hc_yt_pool *p, hc_pool_wish *w)
{
  bool named[HC_DIMENSIONS] = {0};
  for (uint32_t d = 0; d < y->turns->books.dims; d++) w->limit[d] = 1;
  name_shares(y, &p->o->limit, w->limit, named);
  for (uint32_t d = 0; d < y->turns->books.dims; d++) {
    p->limit[d] = named[d] ? (int64_t)(w->limit[d] * (double)y->turns->capacity[d] + 0.5) : INT64_MAX;
    w->limit[d] = HC_MIN(w->limit[d], 1.0);
    if (p->o->tags) w->limit[d] = HC_MIN(w->limit[d], (double)p->suitable[d] * y->part[d]);
  }
}

/* @param wishes [pool_count] zeroed */
static hc_rc put_pools(hc_yt *y, wish *wishes)
{
  const bool is_new = y->tree.allocator == NULL;
  if (is_new) TRY(hc_pools_init(&y->tree, y->allocator, y->turns->books.dims, NULL));
  for (uint32_t i = 1; i < y->pool_count; i++) wishes[i].wish = hc_pool_plain();
  guarantee(y, wishes);
  for (uint32_t i = 1; i < y->pool_count; i++) {
    hc_yt_pool *p = &y->pools[i];
    hc_pool_wish *w = &wishes[i].wish;
    uint32_t node = i;
    limit(y, p, w);
    w->weight = p->o->weight * hc_yt_pool_history(y, i);
    w->rank = i;
    w->integral = (hc_pool_integral)p->o->integral;
    w->burst = p->o->burst;
    w->integral_share = y->tree.count > i ? hc_pools_at(&y->tree, i)->wish.integral_share : 0;
    if (!is_new) TRY(hc_pools_set(&y->tree, i, w, NULL));
    else
      TRY(hc_pools_add(&y->tree, y->turns->pools.parent[i],
                       p->o->mode == HC_POOL_MODE_FIFO ? HC_POOL_FIFO : HC_POOL_FAIR, w, &node, NULL));
    HC_ASSERT(node == i);
  }
  return 0;
}

hc_rc hc_yt_measure_pools(hc_yt *y)
{
  wish *wishes = hc_alloc(y->allocator, y->pool_count * sizeof *wishes);
  hc_rc rc = wishes ? put_pools(y, wishes) : HC_ENOMEM;
  hc_free(y->allocator, wishes, y->pool_count * sizeof *wishes);
  return rc;
}
