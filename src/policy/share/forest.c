/* forest.c -- the tree of pools, as H-DRF knows it. See turns.h and choose.h. */

#include "base/util.h"
#include "policy/share/turns.h"

static hc_rc wrong(hc_error *e, const char *text, const char *name)
{
  return hc_fail(e, HC_EUSAGE, "policy fair", 0, 0, text, name);
}

static bool is_parent(const hc_pool_list *l, uint32_t i)
{
  for (uint32_t k = i + 1; k <= l->pools->count; k++)
    if (l->parent[k] == i) return true;
  return false;
}

hc_rc hc_forest_read(hc_turns *t, hc_error *e)
{
  TRY(hc_pool_list_read(&t->pools, t->o.pools, &t->dues, e));
  for (uint32_t i = 1; i <= t->o.pools->count; i++) {
    const hc_user_pool_options *p = hc_pool_list_at(&t->pools, i);
    if (hc_user_pool_is_rich(p))
      return wrong(
          e,
          "pools: pool %s says more than fair heeds (name, parent, weight, users); leave it out, or use yt",
          p->name);
    if (p->users.count == 0 && !is_parent(&t->pools, i))
      return wrong(e, "pools: pool %s has neither users nor pools in it; give it `users`, or leave it out",
                   p->name);
  }
  return 0;
}

/* ---- the tree ---- */

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

void hc_forest_fini(hc_turns *t)
{
  for (size_t p = 0; p < t->forest_count; p++) hc_line_fini(&t->forests[p]);
  hc_free(t->allocator, t->forests, t->forest_count * sizeof *t->forests);
  hc_free(t->allocator, t->found, t->forest_count * sizeof *t->found);
  t->forests = NULL;
  t->found = NULL;
  t->forest_count = 0;
  if (t->tree.allocator) hc_hdrf_fini(&t->tree);
  t->tree = (hc_hdrf){0};
}

/* A place in the line of a pool is the place among its children. */
static hc_rc make_lines(hc_turns *t)
{
  const size_t count = 1 + t->o.pools->count;
  t->forests = hc_alloc(t->allocator, count * sizeof *t->forests);
  t->found = hc_alloc(t->allocator, count * sizeof *t->found);
  t->forest_count = t->forests && t->found ? count : 0;
  if (t->forest_count == 0) {
    hc_free(t->allocator, t->forests, count * sizeof *t->forests);
    hc_free(t->allocator, t->found, count * sizeof *t->found);
    t->forests = NULL;
    t->found = NULL;
    return HC_ENOMEM;
  }
  for (size_t p = 0; p < count; p++)
    if (t->tree.leaves[p] > 0)
      TRY(hc_line_grow(&t->forests[p], t->allocator, t->books.dims, t->tree.leaves[p]));
  return 0;
}

hc_rc hc_forest_stand(hc_turns *t, uint32_t user, bool is_in)
{
  const hc_member *m = &t->books.members[user];
  const hc_hdrf *h = &t->tree;
  hc_hdrf_block(&t->tree, m->leaf, !is_in);
  return hc_line_set(&t->forests[h->parent[m->leaf]], h->place[m->leaf], h->share[m->leaf], m->leaf,
                     is_in ? m->least : NULL);
}

/* ---- which user is next ---- */

/* The first user of a group's own. */
static hc_found first_of(hc_turns *t, uint32_t group, const int64_t *free)
{
  const hc_hdrf *h = &t->tree;
  const uint32_t place = h->leaves[group] > 0 ? hc_line_first(&t->forests[group], free) : HC_NOBODY;
  uint32_t leaf;
  if (place == HC_NOBODY) return (hc_found){.leaf = HC_NOBODY, .node = HC_NOBODY};
  leaf = h->winner[h->first[group] + h->leaves[group] + place]; /* it is not blocked, so it is there */
  return (hc_found){.share = h->share[leaf], .leaf = leaf, .node = leaf};
}

/* Pools are few, and each is looked into, the innermost first. With those who do not fit blocked a pool's
 * share is no less than without, so that the winner is the one that is found by trying them one after
 * another, and blocking those who do not fit. */
uint32_t hc_forest_next(hc_turns *t, const int64_t *free)
{
  const hc_hdrf *h = &t->tree;
  hc_found *x = t->found;
  for (uint32_t p = 0; p < t->forest_count; p++) x[p] = first_of(t, p, free);
  for (uint32_t p = (uint32_t)t->forest_count; p-- > 1;) {
    hc_found *up = &x[h->parent[p]];
    double share;
    if (x[p].leaf == HC_NOBODY) continue;
    share = h->rule == HC_HDRF_NAIVE ? h->share[p] : hc_hdrf_base(h, p) * x[p].share;
    if (up->leaf == HC_NOBODY || share < up->share || (share == up->share && p < up->node))
      *up = (hc_found){.share = share, .leaf = x[p].leaf, .node = p};
  }
  return x[0].leaf == HC_NOBODY ? HC_NOBODY : t->by_leaf[x[0].leaf - 1 - t->o.pools->count];
}

/* Nodes: the root, the pools in their order, the users. */
hc_rc hc_forest_build(hc_turns *t, hc_error *e)
{
  const uint32_t pools = (uint32_t)t->o.pools->count, users = (uint32_t)t->books.member_count;
  const uint32_t nodes = 1 + pools + users;
  uint32_t *parent = hc_alloc(t->allocator, nodes * sizeof *parent);
  double *weight = hc_alloc(t->allocator, nodes * sizeof *weight);
  hc_rc rc = parent && weight ? 0 : HC_ENOMEM;
  hc_forest_fini(t);
  if (rc == 0) rc = sort_leaves(t);
  if (rc == 0) {
    weight[0] = 1;
    for (uint32_t i = 1; i <= pools; i++) {
      weight[i] = hc_pool_list_at(&t->pools, i)->weight;
      parent[i] = t->pools.parent[i];
    }
    for (uint32_t i = 0; i < users; i++) {
      hc_member *m = &t->books.members[t->by_leaf[i]];
      const hc_claimant *c = &t->claims[t->by_leaf[i]];
      m->leaf = 1 + pools + i;
      weight[1 + pools + i] = c->weight;
      parent[1 + pools + i] = c->pool;
    }
    rc = hc_hdrf_init(&t->tree, t->allocator, nodes, parent, weight, t->books.dims, t->capacity,
                      t->o.tree_rule, e);
  }
  hc_free(t->allocator, parent, nodes * sizeof *parent);
  hc_free(t->allocator, weight, nodes * sizeof *weight);
  if (rc == 0) rc = make_lines(t);
  if (rc < 0) return rc;
  t->has_tree = true;
  for (uint32_t i = 0; i < users; i++) {
    hc_hdrf_start(&t->tree, t->books.members[i].leaf, t->books.members[i].used);
    hc_turns_stand(t, i);
  }
  return 0;
}
