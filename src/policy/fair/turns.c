/* turns.c -- whose turn it is. See fair_turns.h.
 *
 * Shares are computed from whole amounts, never added up: books that hold the same give the same order, however they
 * came about. Ties go to the lower user id. */
#include "policy/fair_turns.h"

#include <string.h>

#include "base/state.h"
#include "base/text.h"
#include "base/util.h"
#include "policy/fair_record.h"
#include "policy/operations.h"

static hc_rc wrong(hc_error *e, const char *text, const char *name)
{
  return hc_fail(e, HC_EUSAGE, "policy fair", 0, 0, text, name);
}

/* ---- who is who ---- */

static hc_rc user_of(const hc_turns *t, const char *text, size_t size, int64_t *out)
{
  return hc_policy_user_named(t->o.lexicon, text, size, out);
}

static hc_rc read_weights(hc_turns *t, hc_error *e)
{
  const hc_list *l = t->o.weights;
  t->weights = hc_alloc(t->allocator, l->count * sizeof *t->weights + 1);
  if (!t->weights) return HC_ENOMEM;
  for (size_t i = 0; i < l->count; i++) {
    const char *text = ((const char *const *)l->items)[i], *equal = strrchr(text, '=');
    int64_t user;
    if (!equal || equal == text || hc_parse_real(equal + 1, strlen(equal + 1), &t->weights[i]) < 0 ||
        !(t->weights[i] >= 1e-9 && t->weights[i] <= 1e9))
      return wrong(e, "weights: \"%s\" is not a user and its weight; write it as ann=2, from 1e-9 to 1e9",
                   text);
    TRY(user_of(t, text, (size_t)(equal - text), &user));
    if (hc_map_get(&t->weight_of, (uint64_t)user) != HC_MAP_NONE)
      return wrong(e, "weights: \"%s\" is the second weight of this user; leave one of them", text);
    TRY(hc_map_set(&t->weight_of, (uint64_t)user, (uint32_t)i));
  }
  return 0;
}

static const hc_user_pool_options *pool_at(const hc_turns *t, size_t i)
{
  return ((const hc_chosen *)t->o.pools->items)[i].options;
}

/* Number of a pool from 1, of the first `count`; 0: there is none of that name. */
static uint32_t find_pool(const hc_turns *t, const char *name, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (strcmp(pool_at(t, i)->name, name) == 0) return (uint32_t)i + 1;
  return 0;
}

static hc_rc read_pools(hc_turns *t, hc_error *e)
{
  for (size_t i = 0; i < t->o.pools->count; i++) {
    const hc_user_pool_options *p = pool_at(t, i);
    if (!p->name) return wrong(e, "pools: a pool has no name; give each one, as `name: %s`", "research");
    if (hc_user_pool_is_rich(p))
      return wrong(
          e,
          "pools: pool %s says more than fair heeds (name, parent, weight, users); leave it out, or use yt",
          p->name);
    if (find_pool(t, p->name, i) > 0)
      return wrong(e, "pools: there are two pools %s; give each its own name", p->name);
    if (p->parent && find_pool(t, p->parent, i) == 0)
      return wrong(e, "pools: no pool %s stands before its children; put it there, or leave `parent` out",
                   p->parent);
    for (size_t k = 0; k < p->users.count; k++) {
      const char *text = ((const char *const *)p->users.items)[k];
      int64_t user;
      TRY(user_of(t, text, strlen(text), &user));
      if (hc_map_get(&t->pool_of, (uint64_t)user) != HC_MAP_NONE)
        return wrong(e, "pools: user %s is in two pools; leave it in one", text);
      TRY(hc_map_set(&t->pool_of, (uint64_t)user, (uint32_t)i + 1));
    }
  }
  return 0;
}

hc_rc hc_turns_init(hc_turns *t, const hc_allocator *a, const hc_turns_options *o, hc_error *e)
{
  int dimension;
  *t = (hc_turns){.allocator = a, .o = *o};
  hc_books_init(&t->books, a);
  hc_map_init(&t->weight_of, a);
  hc_map_init(&t->pool_of, a);
  dimension = o->lexicon ? hc_lexicon_dimension(o->lexicon, o->dimension, strlen(o->dimension)) : HC_DIM_CPU;
  if (dimension < 0) return wrong(e, "dimension: there is no room for the dimension %s", o->dimension);
  t->dimension = (uint32_t)dimension;
  TRY(read_weights(t, e));
  if (o->pools->count > 0 && o->rule != HC_SHARE_HDRF)
    return wrong(e, "pools are shared among by %s only; set `share` to it, or leave the pools out", "hdrf");
  return read_pools(t, e);
}

void hc_turns_fini(hc_turns *t)
{
  if (!t->allocator) return;
  hc_map_fini(&t->weight_of);
  hc_map_fini(&t->pool_of);
  if (t->weights) hc_free(t->allocator, t->weights, t->o.weights->count * sizeof *t->weights + 1);
  hc_books_fini(&t->books);
  hc_line_fini(&t->line);
  if (t->tree.allocator) hc_hdrf_fini(&t->tree);
  hc_free(t->allocator, t->by_leaf, t->leaf_cap * sizeof *t->by_leaf);
}

/* ---- keys ---- */

static double part_of(const hc_turns *t, const hc_member *m, uint32_t d)
{
  if (m->used[d] <= 0) return 0;
  return HC_MIN((double)m->used[d] / ((double)t->capacity[d] * m->weight), 1e300); /* also of nothing */
}

static double share_of(const hc_turns *t, const hc_member *m)
{
  double most = 0, sum = 0;
  for (uint32_t d = 0; d < t->books.dims; d++) {
    const double part = part_of(t, m, d);
    if (t->o.rule == HC_SHARE_MAX_MIN && t->which[d] != t->dimension) continue;
    most = HC_MAX(most, part);
    sum += part;
  }
  return t->o.rule == HC_SHARE_ASSET ? sum : most;
}

/* Stand where the books say. */
static void stand(hc_turns *t, uint32_t user)
{
  const hc_member *m = &t->books.members[user];
  const bool is_in = m->waiting > 0 && !m->is_out;
  uint64_t tie = (uint64_t)m->id ^ UINT64_C(1) << 63;
  double key;
  if (t->o.rule == HC_SHARE_FIFO && is_in) {
    const hc_waiter *head = t->books.shapes[hc_books_first(&t->books, user, NULL, UINT64_MAX)].heap;
    key = (double)head->key;
    tie = head->serial;
  } else {
    key = share_of(t, m);
  }
  t->in_line += (uint32_t)is_in - (uint32_t)hc_line_has(&t->line, user);
  hc_line_set(&t->line, user, key, tie, is_in ? m->least : NULL);
  if (t->has_tree) hc_hdrf_block(&t->tree, m->leaf, !is_in);
}

void hc_turns_leave(hc_turns *t, uint32_t user, bool is_out)
{
  if (t->books.members[user].is_out == is_out) return;
  t->books.members[user].is_out = is_out;
  stand(t, user);
}

bool hc_turns_before(const hc_turns *t, uint32_t x, uint32_t y)
{
  const hc_line *l = &t->line;
  return l->key[x] != l->key[y] ? l->key[x] < l->key[y] : l->tie[x] < l->tie[y];
}

uint32_t hc_turns_next(hc_turns *t, const int64_t *free)
{
  const uint32_t first = hc_line_first(&t->line, free);
  uint32_t leaf;
  if (t->o.rule != HC_SHARE_HDRF || first == HC_NOBODY) return first;
  leaf = hc_hdrf_next(&t->tree);
  return leaf == HC_NOBODY ? HC_NOBODY : t->by_leaf[leaf - 1 - t->o.pools->count];
}

/* ---- what happens ---- */

static void welcome(hc_turns *t, uint32_t user)
{
  hc_member *m = &t->books.members[user];
  const uint32_t weight = hc_map_get(&t->weight_of, (uint64_t)m->id);
  if (weight != HC_MAP_NONE) m->weight = t->weights[weight];
}

static hc_rc member_of(hc_turns *t, const hc_services *s, const hc_view *v, hc_task task, uint32_t *user)
{
  bool is_new;
  if (t->books.dims == 0) {
    t->books.dims = s->dimensions(v);
    for (uint32_t d = 0; d < t->books.dims; d++) t->which[d] = (uint8_t)s->dimension_id(v, d);
  }
  TRY(hc_books_member(&t->books, s->user(v, task), user, &is_new));
  if (!is_new) return 0;
  welcome(t, *user);
  t->has_tree = false;
  return hc_line_grow(&t->line, t->allocator, t->books.dims, *user + 1);
}

static hc_rc move_task(hc_turns *t, const hc_services *s, const hc_view *v, hc_task task, uint32_t user,
                       bool joins)
{
  int64_t need[HC_DIMENSIONS] = {0};
  hc_cursor at;
  hc_waiter w;
  for (uint32_t d = 0; d < t->books.dims; d++) need[d] = HC_MAX(s->demand(v, task, d), 0);
  s->behind(v, HC_LIST_QUEUE, task, &at);
  w = (hc_waiter){.key = at.key, .serial = at.serial, .task = task};
  if (joins) return hc_books_add(&t->books, user, &w, need, s->units(v, task));
  hc_books_remove(&t->books, user, &w, need, s->units(v, task));
  return 0;
}

static void move_claim(hc_turns *t, uint32_t user, const int64_t *amounts, int64_t sign)
{
  hc_member *m = &t->books.members[user];
  for (uint32_t d = 0; d < t->books.dims; d++) m->used[d] += sign * amounts[d];
  m->holding += (uint64_t)sign;
  if (!t->has_tree) return;
  if (sign > 0) hc_hdrf_start(&t->tree, m->leaf, amounts);
  else hc_hdrf_end(&t->tree, m->leaf, amounts);
}

hc_rc hc_turns_hear(hc_turns *t, const hc_services *s, const hc_view *v, hc_heard what, hc_task task,
                    const int64_t *amounts, uint32_t *idle)
{
  uint32_t user = 0;
  hc_rc rc;
  *idle = HC_NOBODY;
  if (t->is_broken) return HC_ENOMEM;
  rc = member_of(t, s, v, task, &user);
  if (rc >= 0) {
    switch (what) {
      case HC_HEARD_QUEUED: rc = move_task(t, s, v, task, user, true); break;
      case HC_HEARD_UNQUEUED: rc = move_task(t, s, v, task, user, false); break;
      case HC_HEARD_TAKEN: move_claim(t, user, amounts, 1); break;
      case HC_HEARD_GIVEN: move_claim(t, user, amounts, -1); break;
    }
  }
  t->is_broken = rc < 0;
  TRY(rc);
  stand(t, user);
  if (t->books.members[user].waiting == 0 && t->books.members[user].holding == 0) *idle = user;
  return 0;
}

/* ---- pools ---- */

/* Users by id, so that ties go to the lower. The leaves were in order before, but for those who are new. */
static hc_rc sort_leaves(hc_turns *t)
{
  const hc_member *m = t->books.members;
  TRY(hc_reserve(t->allocator, (void **)&t->by_leaf, &t->leaf_cap, t->books.member_count,
                 sizeof *t->by_leaf));
  for (uint32_t i = 0; i < t->books.member_count; i++) {
    uint32_t at = i;
    for (; at > 0 && m[t->by_leaf[at - 1]].id > m[i].id; at--) t->by_leaf[at] = t->by_leaf[at - 1];
    t->by_leaf[at] = i;
  }
  return 0;
}

/* Nodes: the root, the pools in their order, the users. */
static hc_rc build_tree(hc_turns *t, hc_error *e)
{
  const uint32_t pools = (uint32_t)t->o.pools->count, users = (uint32_t)t->books.member_count;
  const uint32_t nodes = 1 + pools + users;
  uint32_t *parent = hc_alloc(t->allocator, nodes * sizeof *parent);
  double *weight = hc_alloc(t->allocator, nodes * sizeof *weight);
  hc_rc rc = parent && weight ? 0 : HC_ENOMEM;
  if (t->tree.allocator) hc_hdrf_fini(&t->tree);
  t->tree = (hc_hdrf){0};
  if (rc == 0) rc = sort_leaves(t);
  if (rc == 0) {
    weight[0] = 1;
    for (uint32_t i = 0; i < pools; i++) {
      const hc_user_pool_options *p = pool_at(t, i);
      weight[1 + i] = p->weight;
      parent[1 + i] = p->parent ? find_pool(t, p->parent, i) : 0;
    }
    for (uint32_t i = 0; i < users; i++) {
      hc_member *m = &t->books.members[t->by_leaf[i]];
      const uint32_t pool = hc_map_get(&t->pool_of, (uint64_t)m->id);
      m->leaf = 1 + pools + i;
      weight[1 + pools + i] = m->weight;
      parent[1 + pools + i] = pool == HC_MAP_NONE ? 0 : pool;
    }
    rc = hc_hdrf_init(&t->tree, t->allocator, nodes, parent, weight, t->books.dims, t->capacity,
                      t->o.tree_rule, e);
  }
  hc_free(t->allocator, parent, nodes * sizeof *parent);
  hc_free(t->allocator, weight, nodes * sizeof *weight);
  if (rc < 0) return rc;
  t->has_tree = true;
  for (uint32_t i = 0; i < users; i++) {
    hc_hdrf_start(&t->tree, t->books.members[i].leaf, t->books.members[i].used);
    stand(t, i);
  }
  return 0;
}

hc_rc hc_turns_open(hc_turns *t, const hc_services *s, const hc_view *v)
{
  bool is_other = false;
  if (t->is_broken) return HC_ENOMEM;
  for (uint32_t d = 0; d < t->books.dims; d++) {
    const int64_t capacity = s->capacity(v, d);
    is_other |= capacity != t->capacity[d];
    t->capacity[d] = capacity;
  }
  if (t->o.rule == HC_SHARE_HDRF && (is_other || !t->has_tree)) return build_tree(t, NULL);
  for (uint32_t i = 0; is_other && i < t->books.member_count; i++) stand(t, i);
  return 0;
}

hc_rc hc_turns_visit(hc_turns *t, hc_visitor *v)
{
  TRY(hc_books_visit(&t->books, v));
  HC_VISIT(v, t->capacity);
  HC_VISIT(v, t->which);
  if (!hc_visit_loading(v)) return 0;
  t->has_tree = false;
  t->in_line = 0;
  hc_line_fini(&t->line);
  if (t->books.member_count > 0)
    TRY(hc_line_grow(&t->line, t->allocator, t->books.dims, (uint32_t)t->books.member_count));
  for (uint32_t i = 0; i < t->books.member_count; i++) {
    welcome(t, i);
    stand(t, i);
  }
  return 0;
}
