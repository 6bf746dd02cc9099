/* tree.c -- see tree.h.
 *
 * Nodes of the lowest weights are taken into account, weight by weight until there are enough of them. Of
 * the switches below which enough lie the highest is the top; below it leaves are used one by one, that
 * which is nearest to those already used first. Of equally near ones: if both suffice for what is missing
 * that with fewer nodes, if one does that one; if none does what lies above them is compared, and at last
 * that with more nodes goes first. Within a leaf nodes are taken in their order, each as far as it goes,
 * with one slot left for each further node that the job must have.
 *
 * The distance of two leaves is how far up the switch is that joins them. A job that bounds the number of
 * its leaves (--switches) is not given others than these: what is chosen has as few as it may, or it waits.
 * Not modelled: required nodes, RouteTree, TopologyParam=Dragonfly. Source: topology/tree and
 * select/cons_tres of Slurm 22.05, as they behave. */
#include "policy/slurm/tree.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/util.h"

typedef struct hc_slurm_switch {
  uint32_t above; /* itself at the top */
  uint32_t level; /* 0: a leaf */
  int64_t nodes, slots, distance;
  bool is_used;
} hc_slurm_switch;

/* ---- switches ---- */

static const hc_zone_level *level_of(const hc_cell_spec *cell, uint32_t height)
{
  char name[32] = "switch";
  if (height > 0) (void)snprintf(name, sizeof name, "switch%u", height + 1);
  for (uint32_t i = 0; i < cell->level_count; i++)
    if (strcmp(cell->levels[i].name, name) == 0) return &cell->levels[i];
  return NULL;
}

static uint32_t new_switch(hc_slurm_tree *t, uint32_t level)
{
  t->switches[t->count] = (hc_slurm_switch){.above = t->count, .level = level};
  return t->count++;
}

/* Join each node's switch of a height to that above it. @param first  number of the height's first zone */
static void join(hc_slurm_tree *t, const hc_zone_level *lower, uint32_t first, const hc_zone_level *upper,
                 uint32_t next)
{
  for (uint32_t h = 0; h < t->nodes; h++)
    if (lower->zone_of[h] != HC_NO_NAME && upper->zone_of[h] != HC_NO_NAME)
      t->switches[first + lower->zone_of[h]].above = next + upper->zone_of[h];
}

static void add_switches(hc_slurm_tree *t, const hc_cell_spec *cell)
{
  const hc_zone_level *lower = level_of(cell, 0);
  uint32_t first = 0;
  for (uint32_t i = 0; i < lower->zone_count; i++) (void)new_switch(t, 0);
  for (uint32_t h = 0; h < t->nodes; h++) {
    const uint32_t zone = lower->zone_of[h];
    t->leaf[h] = zone == HC_NO_NAME ? new_switch(t, 0) : zone;
  }
  for (uint32_t height = 1;; height++) {
    const hc_zone_level *upper = level_of(cell, height);
    const uint32_t next = t->count;
    if (!upper) return;
    for (uint32_t i = 0; i < upper->zone_count; i++) (void)new_switch(t, height);
    join(t, lower, first, upper, next);
    lower = upper;
    first = next;
  }
}

hc_rc hc_slurm_tree_new(const hc_cell_spec *cell, const hc_allocator *a, hc_slurm_tree **out)
{
  hc_slurm_tree *t;
  *out = NULL;
  if (!level_of(cell, 0)) return 0;
  t = *out = hc_alloc(a, sizeof *t);
  if (!t) return HC_ENOMEM;
  *t = (hc_slurm_tree){.allocator = a, .nodes = cell->units, .cap = cell->units};
  for (uint32_t i = 0; i < cell->level_count; i++) t->cap += cell->levels[i].zone_count;
  t->leaf = hc_alloc(a, t->nodes * sizeof *t->leaf);
  t->usable = hc_alloc(a, t->nodes * sizeof *t->usable);
  t->switches = hc_alloc(a, t->cap * sizeof *t->switches);
  if (!t->leaf || !t->usable || !t->switches) return HC_ENOMEM;
  add_switches(t, cell);
  return 1;
}

void hc_slurm_tree_free(hc_slurm_tree *t)
{
  if (!t) return;
  hc_free(t->allocator, t->leaf, t->nodes * sizeof *t->leaf);
  hc_free(t->allocator, t->usable, t->nodes * sizeof *t->usable);
  hc_free(t->allocator, t->switches, t->cap * sizeof *t->switches);
  hc_free(t->allocator, t, sizeof *t);
}

/* ---- a job ---- */

/* What a job still lacks, and what it may have. */
typedef struct rest {
  int64_t slots, nodes, may;
} rest;

/* The highest weight that has to be taken into account. @return false: all of them are not enough */
static bool heaviest(const hc_slurm_tree *t, const int64_t *weight, const rest *left, int64_t *out)
{
  rest has = {0, 0, 0};
  for (int64_t last = INT64_MIN;; last = *out) {
    bool is_more = false;
    for (size_t i = 0; i < t->usable_count; i++) {
      const int64_t w = weight[t->usable[i].host];
      if (w > last && (!is_more || w < *out)) *out = w;
      is_more |= w > last;
    }
    if (!is_more) return false;
    for (size_t i = 0; i < t->usable_count; i++)
      if (weight[t->usable[i].host] == *out) has.nodes++, has.slots += t->usable[i].slots;
    if (has.nodes >= left->nodes && has.slots >= left->slots) return true;
  }
}

/* Let each switch have what lies below it. */
static void count_all(hc_slurm_tree *t, const int64_t *weight, int64_t most)
{
  for (uint32_t i = 0; i < t->count; i++) {
    hc_slurm_switch *s = &t->switches[i];
    s->nodes = s->slots = s->distance = 0;
    s->is_used = false;
  }
  for (size_t i = 0; i < t->usable_count; i++) {
    if (weight[t->usable[i].host] > most) continue;
    for (uint32_t at = t->leaf[t->usable[i].host], last = HC_NO_NAME; at != last;
         last = at, at = t->switches[at].above) {
      t->switches[at].nodes++;
      t->switches[at].slots += t->usable[i].slots;
    }
  }
}

static bool suffices(const hc_slurm_switch *s, const rest *left)
{
  return s->nodes >= left->nodes && s->slots >= left->slots;
}

static uint32_t top_of(const hc_slurm_tree *t, const rest *left)
{
  uint32_t top = HC_NO_NAME;
  for (uint32_t i = 0; i < t->count; i++)
    if (suffices(&t->switches[i], left) &&
        (top == HC_NO_NAME || t->switches[i].level > t->switches[top].level))
      top = i;
  return top;
}

static bool is_below(const hc_slurm_tree *t, uint32_t at, uint32_t top)
{
  while (at != top && t->switches[at].above != at) at = t->switches[at].above;
  return at == top;
}

/* Is leaf `i` better than leaf `k`, which is as near? */
static bool is_better(const hc_slurm_tree *t, uint32_t i, uint32_t k, const rest *left)
{
  for (;;) {
    const hc_slurm_switch *a = &t->switches[i], *b = &t->switches[k];
    const bool one = suffices(a, left), other = suffices(b, left);
    if (one != other) return one;
    if (one) return a->nodes < b->nodes;
    if (a->above == b->above || (a->above == i && b->above == k))
      return a->nodes != b->nodes ? a->nodes > b->nodes : a->level < b->level;
    i = a->above;
    k = b->above;
  }
}

static uint32_t best_leaf(const hc_slurm_tree *t, uint32_t top, const rest *left)
{
  uint32_t best = HC_NO_NAME;
  for (uint32_t i = 0; i < t->count && t->switches[i].level == 0; i++) {
    const hc_slurm_switch *s = &t->switches[i];
    if (s->is_used || s->nodes == 0 || !is_below(t, i, top)) continue;
    if (best == HC_NO_NAME || s->distance < t->switches[best].distance ||
        (s->distance == t->switches[best].distance && is_better(t, i, best, left)))
      best = i;
  }
  return best;
}

/* A leaf is used: others are so much farther. */
static void use(hc_slurm_tree *t, uint32_t leaf)
{
  t->switches[leaf].is_used = true;
  for (uint32_t i = 0; i < t->count && t->switches[i].level == 0; i++) {
    uint32_t a = i, b = leaf, up = 0;
    while (a != b && (t->switches[a].above != a || t->switches[b].above != b)) {
      a = t->switches[a].above;
      b = t->switches[b].above;
      up++;
    }
    t->switches[i].distance += up;
  }
}

static bool is_done(const rest *left)
{
  return left->slots <= 0 && left->nodes <= 0;
}

static void deal_leaf(const hc_slurm_tree *t, uint32_t leaf, const int64_t *weight, int64_t most, rest *left,
                      hc_host_room *dealt, size_t *count)
{
  for (size_t i = 0; i < t->usable_count && left->may > 0 && !is_done(left); i++) {
    const hc_host_room *x = &t->usable[i];
    if (t->leaf[x->host] != leaf || weight[x->host] > most) continue;
    const int64_t kept = HC_MAX(left->nodes - 1, INT64_C(0)), wants = HC_MAX(left->slots - kept, INT64_C(1));
    const int64_t gets = HC_MIN((int64_t)x->slots, wants);
    dealt[(*count)++] = (hc_host_room){x->host, (uint32_t)gets};
    left->slots -= gets;
    left->nodes--;
    left->may--;
  }
}

int hc_slurm_tree_deal(hc_slurm_tree *t, const int64_t *weight, int64_t slots, int64_t least, int64_t most,
                       uint32_t leaves, hc_host_room *dealt, size_t *count)
{
  rest left = {slots, least, most};
  uint32_t used = 0;
  int64_t heavy = 0;
  *count = 0;
  if (!heaviest(t, weight, &left, &heavy)) return -1;
  count_all(t, weight, heavy);
  const uint32_t top = top_of(t, &left);
  if (top == HC_NO_NAME) return -1;
  while (!is_done(&left) && left.may > 0) {
    const uint32_t leaf = best_leaf(t, top, &left);
    if (leaf == HC_NO_NAME) return 0;
    const size_t before = *count;
    deal_leaf(t, leaf, weight, heavy, &left, dealt, count);
    used += *count > before;
    use(t, leaf);
  }
  if (!is_done(&left)) return 0;
  return leaves == 0 || used <= leaves ? 1 : -1;
}
