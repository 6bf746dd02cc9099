/* topology.c -- hosts in a tree of groups, and where in it the slots of a task go.
 *
 * Groups are those of a network's switches, or zones of the cell. Hosts are put into the order of the tree
 * once, so that at every level a group is a segment of that order, and of the hosts with room too: a
 * decision walks over these, level by level, and keeps nothing. No pair of hosts is ever looked at.
 *
 * A task goes into the smallest part of the tree that has room for it: one host, else hosts of one group of
 * the lowest level at which some group has enough. *Compact*: of such groups the one with the least room, so
 * that large ones stay; within it whole groups with the most room first, which is the fewest of them, and
 * for what is then left the one with the least room that suffices, and so on below. *Unloaded*: of such
 * groups the one below which cables are least in use, and within it those with the emptiest cable first.
 *
 * Source: the first is what Slurm's topology/tree does with leaf switches, at every level. */
#include "policy/topology.h"

#include <string.h>

#include "base/mem.h"
#include "base/sort.h"

/* ---- birth ---- */

static hc_rc find_zones(hc_place_tree *t, const hc_cell_spec *c, const hc_list *over, const char *where,
                        hc_error *e)
{
  const char *const *names = over->items;
  t->zones = hc_alloc(t->allocator, over->count * sizeof *t->zones);
  if (!t->zones) return HC_ENOMEM;
  t->levels = (uint32_t)over->count;
  for (uint32_t l = 0; l < t->levels; l++) {
    t->zones[l] = NULL;
    for (uint32_t i = 0; i < c->level_count; i++)
      if (strcmp(c->levels[i].name, names[l]) == 0) t->zones[l] = c->levels[i].zone_of;
    if (!t->zones[l])
      return hc_fail(
          e, HC_EUSAGE, where, 0, 0,
          "over: the cell has no level \"%.60s\" of zones; declare it, or leave `over` out for the "
          "switches of the network",
          names[l]);
  }
  t->group_of = t->zones;
  return 0;
}

typedef struct path {
  uint32_t host;
  const hc_place_tree *tree;
} path;

/* By the outermost group first. */
static bool is_before(const path *a, const path *b)
{
  for (uint32_t l = a->tree->levels; l-- > 0;) {
    const uint32_t x = a->tree->group_of[l][a->host], y = a->tree->group_of[l][b->host];
    if (x != y) return x < y;
  }
  return a->host < b->host;
}

HC_SORT(sort_paths, path, is_before(a, b))

static hc_rc put_in_order(hc_place_tree *t)
{
  path *all = hc_alloc(t->allocator, t->hosts * sizeof *all);
  if (!all) return HC_ENOMEM;
  for (uint32_t h = 0; h < t->hosts; h++) all[h] = (path){h, t};
  sort_paths(all, t->hosts);
  for (uint32_t i = 0; i < t->hosts; i++) t->in_order[i] = all[i].host;
  hc_free(t->allocator, all, t->hosts * sizeof *all);
  return 0;
}

/* A group that goes on behind another of its level lies in two of the next. */
static hc_rc check_nested(hc_place_tree *t, const hc_list *over, const char *where, hc_error *e)
{
  const char *const *names = over->items;
  for (uint32_t l = 0; l + 1 < t->levels; l++) {
    for (uint32_t h = 0; h < t->hosts; h++) t->room_of[h] = UINT32_MAX;
    for (uint32_t i = 0; i < t->hosts; i++) {
      const uint32_t host = t->in_order[i], zone = t->group_of[l][host], outer = t->group_of[l + 1][host];
      if (zone == HC_NO_NAME) continue; /* numbers of zones are below that of hosts: each has one */
      if (t->room_of[zone] == UINT32_MAX) t->room_of[zone] = outer;
      if (t->room_of[zone] == outer) continue;
      return hc_fail(
          e, HC_EUSAGE, where, 0, 0,
          "over: a %.60s lies in two zones of %.60s: name levels from the inside out, each of whose "
          "zones lies in one of the next",
          names[l], names[l + 1]);
    }
  }
  return 0;
}

static hc_rc make(hc_place_tree *t, const hc_policy_context *c, const hc_list *over, const char *where,
                  hc_error *e)
{
  if (over->count > 0) {
    TRY(find_zones(t, c->cell, over, where, e));
  } else if (c->topology) {
    t->topology = c->topology;
    t->levels = c->topology->level_count;
    t->group_of = c->topology->group_of;
  } else {
    return hc_fail(
        e, HC_EUSAGE, where, 0, 0,
        "it places by groups of hosts that are near each other, and the run has no network that has any: say "
        "one under execution.network (tree, fat_tree, torus, dragonfly, graph ...; constant, shared and "
        "simgrid have none), or name levels of zones of the cell with `over`");
  }
  t->in_order = hc_alloc(t->allocator, t->hosts * sizeof *t->in_order);
  t->room_of = hc_alloc(t->allocator, t->hosts * sizeof *t->room_of);
  t->rooms = hc_alloc(t->allocator, t->hosts * sizeof *t->rooms);
  t->parts = hc_alloc(t->allocator, t->hosts * sizeof *t->parts);
  if (!t->in_order || !t->room_of || !t->rooms || !t->parts) return HC_ENOMEM;
  TRY(put_in_order(t));
  if (over->count > 0) TRY(check_nested(t, over, where, e));
  for (uint32_t h = 0; h < t->hosts; h++) t->room_of[h] = UINT32_MAX;
  return 0;
}

hc_rc hc_place_tree_init(hc_place_tree *t, const hc_policy_context *c, const hc_list *over, const char *where,
                         hc_error *e)
{
  *t = (hc_place_tree){.allocator = c->allocator, .hosts = c->cell->units};
  const hc_rc rc = make(t, c, over, where, e);
  if (rc < 0) hc_place_tree_fini(t);
  if (rc == HC_ENOMEM) return hc_fail(e, rc, "policy", 0, 0, "no memory for the state of a placement");
  return rc;
}

void hc_place_tree_fini(hc_place_tree *t)
{
  hc_free(t->allocator, t->in_order, t->hosts * sizeof *t->in_order);
  hc_free(t->allocator, t->room_of, t->hosts * sizeof *t->room_of);
  hc_free(t->allocator, t->rooms, t->hosts * sizeof *t->rooms);
  hc_free(t->allocator, t->parts, t->hosts * sizeof *t->parts);
  if (t->zones) hc_free(t->allocator, t->zones, t->levels * sizeof *t->zones);
}

/* ---- rooms ---- */

void hc_place_tree_begin(hc_place_tree *t, hc_arrangement *a)
{
  for (size_t i = 0; i < a->count; i++) t->room_of[a->rooms[i].host] = (uint32_t)i;
  t->count = 0;
  for (uint32_t i = 0; i < t->hosts && t->count < a->count; i++) {
    const uint32_t at = t->room_of[t->in_order[i]];
    if (at != UINT32_MAX)
      t->rooms[t->count++] = (hc_tree_room){.room = &a->rooms[at], .slots = a->rooms[at].slots};
  }
  for (size_t i = 0; i < a->count; i++) t->room_of[a->rooms[i].host] = UINT32_MAX;
}

void hc_place_tree_end(hc_place_tree *t)
{
  for (uint32_t i = 0; i < t->count; i++) t->rooms[i].room->slots = t->rooms[i].gets;
}

hc_tree_part hc_place_tree_part(const hc_place_tree *t, uint32_t from, uint32_t to, uint32_t level)
{
  const uint32_t group = hc_place_tree_group(t, from, level);
  hc_tree_part p = {.from = from, .to = from, .level = level};
  while (p.to < to && hc_place_tree_group(t, p.to, level) == group) p.slots += t->rooms[p.to++].slots;
  return p;
}

void hc_place_tree_give_all(hc_place_tree *t, const hc_tree_part *p)
{
  for (uint32_t i = p->from; i < p->to; i++) t->rooms[i].gets = t->rooms[i].slots;
}

/* ---- the arrangement ---- */

/* How full its own cables are. Hosts of no zone, and those above the tree, have none. */
static double load_of(const hc_place_tree *t, const hc_tree_part *p)
{
  if (!t->topology || p->level > t->levels) return 0;
  return t->topology->load(t->topology->ctx, p->level, hc_place_tree_group(t, p->from, p->level));
}

/* What lies one level below a part, in t->parts. */
static uint32_t split(hc_place_tree *t, const hc_tree_part *p, hc_tree_rule rule)
{
  uint32_t n = 0;
  for (uint32_t at = p->from; at < p->to; at = t->parts[n++].to) {
    t->parts[n] = hc_place_tree_part(t, at, p->to, p->level - 1);
    if (rule == HC_TREE_UNLOADED) t->parts[n].load = load_of(t, &t->parts[n]);
  }
  return n;
}

HC_SORT(sort_parts, hc_tree_part,
        a->load != b->load     ? a->load < b->load
        : a->slots != b->slots ? a->slots > b->slots
                               : a->from < b->from)

/* Of parts that have enough the one with the least, from `at` on: they come with the most first. */
static uint32_t tightest(const hc_place_tree *t, uint32_t at, uint32_t n, uint64_t wanted)
{
  uint32_t best = at;
  for (uint32_t i = at + 1; i < n && t->parts[i].slots >= wanted; i++)
    if (t->parts[i].slots < t->parts[best].slots) best = i;
  return best;
}

/* So many slots within a part that has them: whole parts below it, and then a part of one, and so on. */
static void fill(hc_place_tree *t, hc_tree_part p, uint64_t wanted, hc_tree_rule rule)
{
  while (p.level > 0) {
    const uint32_t n = split(t, &p, rule);
    uint32_t at = 0;
    sort_parts(t->parts, n);
    for (; t->parts[at].slots < wanted; at++) {
      hc_place_tree_give_all(t, &t->parts[at]);
      wanted -= t->parts[at].slots;
    }
    p = t->parts[rule == HC_TREE_COMPACT ? tightest(t, at, n, wanted) : at];
  }
  t->rooms[p.from].gets = (uint32_t)wanted;
}

/* The mean of what lies below it; of a host its own. */
static double load_below(hc_place_tree *t, const hc_tree_part *p)
{
  double sum = 0;
  uint32_t n;
  if (p->level == 0) return load_of(t, p);
  n = split(t, p, HC_TREE_UNLOADED);
  for (uint32_t i = 0; i < n; i++) sum += t->parts[i].load;
  return sum / n;
}

/* The best part of the lowest level at which some have room enough. The whole tree has. */
static hc_tree_part find_part(hc_place_tree *t, uint64_t wanted, hc_tree_rule rule)
{
  hc_tree_part best = {0};
  for (uint32_t level = 0;; level++) {
    bool found = false;
    for (uint32_t at = 0; at < t->count;) {
      hc_tree_part p = hc_place_tree_part(t, at, t->count, level);
      at = p.to;
      if (p.slots < wanted) continue;
      if (rule == HC_TREE_UNLOADED) p.load = load_below(t, &p);
      if (!found || p.load < best.load || (p.load == best.load && p.slots < best.slots)) best = p;
      found = true;
    }
    if (found) return best;
  }
}

/* The smallest part with room enough around a host, which itself may have none. */
static bool find_around(const hc_place_tree *t, uint32_t host, uint64_t wanted, hc_tree_part *out)
{
  for (uint32_t level = 0; level <= t->levels; level++) {
    const uint32_t group = level == 0 ? host : t->group_of[level - 1][host];
    for (uint32_t at = 0; at < t->count; at = out->to) {
      *out = hc_place_tree_part(t, at, t->count, level);
      if (hc_place_tree_group(t, at, level) == group && out->slots >= wanted) return true;
    }
  }
  return false;
}

void hc_place_tree_arrange(hc_place_tree *t, hc_arrangement *a, hc_tree_rule rule)
{
  hc_tree_part p;
  hc_place_tree_begin(t, a);
  if (a->placed_count == 0 || !find_around(t, a->placed[0], a->wanted, &p)) p = find_part(t, a->wanted, rule);
  fill(t, p, a->wanted, rule);
  hc_place_tree_end(t);
}

/* ---- a placement ---- */

hc_rc hc_tree_place_init(const hc_policy_context *c, const void *options, const hc_list *over,
                         const char *where, hc_policy **out, hc_error *e)
{
  hc_tree_place *self = hc_alloc(c->allocator, sizeof *self);
  if (!self) return hc_fail(e, HC_ENOMEM, "policy", 0, 0, "no memory for the state of a placement");
  *self = (hc_tree_place){.tree = {.allocator = c->allocator}, .options = options};
  if (c->cell && c->cell->granularity == HC_CELL_HOSTS) {
    const hc_rc rc = hc_place_tree_init(&self->tree, c, over, where, e);
    if (rc < 0) {
      hc_free(c->allocator, self, sizeof *self);
      return rc;
    }
    self->has_tree = true;
  }
  *out = (hc_policy *)self;
  return 0;
}

void hc_tree_place_fini(hc_policy *policy)
{
  hc_tree_place *self = (hc_tree_place *)policy;
  if (!self) return;
  const hc_allocator *a = self->tree.allocator;
  if (self->has_tree) hc_place_tree_fini(&self->tree);
  hc_free(a, self, sizeof *self);
}
