/* fat_tree.c -- ways through fat trees. See fat_tree.h for how nodes and cables are numbered. */
#include "network/fat_tree.h"

#include "base/util.h"

/* A node while the way is walked: its level and the digits of its label. */
typedef struct node {
  uint32_t level, label[HC_FAT_TREE_LEVELS];
} node;

static uint32_t radix(const hc_fat_tree *t, uint32_t level, uint32_t digit)
{
  return digit < level ? t->up[digit] : t->down[digit];
}

static node node_of(const hc_fat_tree *t, uint32_t level, uint64_t position)
{
  node n = {.level = level};
  for (uint32_t j = 0; j < t->levels; j++) {
    n.label[j] = (uint32_t)(position % radix(t, level, j));
    position /= radix(t, level, j);
  }
  return n;
}

static uint64_t position_of(const hc_fat_tree *t, const node *n)
{
  uint64_t position = 0;
  for (uint32_t j = t->levels; j-- > 0;) position = position * radix(t, n->level, j) + n->label[j];
  return position;
}

static uint32_t number_of(const hc_fat_tree *t, const node *n)
{
  uint64_t number = position_of(t, n);
  for (uint32_t l = 0; l < n->level; l++) number += t->nodes[l];
  return (uint32_t)number;
}

bool hc_fat_tree_init(hc_fat_tree *t)
{
  uint64_t cables = 0, nodes = 0;
  if (t->levels == 0 || t->levels > HC_FAT_TREE_LEVELS) return false;
  for (uint32_t l = 0; l <= t->levels; l++) {
    t->nodes[l] = 1;
    for (uint32_t j = 0; j < t->levels; j++) {
      if (radix(t, l, j) == 0 || radix(t, l, j) > UINT16_MAX + 1u) return false;
      t->nodes[l] *= radix(t, l, j);
      if (t->nodes[l] > UINT32_MAX) return false;
    }
    nodes += t->nodes[l];
  }
  for (uint32_t l = 0; l < t->levels; l++) {
    t->cables[l] = cables;
    if (t->count[l] == 0 || t->count[l] > UINT16_MAX) return false;
    cables += t->nodes[l] * t->up[l] * t->count[l];
    if (cables > UINT32_MAX) return false;
  }
  t->cables[t->levels] = cables;
  return nodes <= UINT32_MAX;
}

/* The cable between a node and the parent whose digit is `parent`. */
static uint32_t cable_of(const hc_fat_tree *t, const node *lower, uint32_t parent, uint32_t parallel)
{
  const uint32_t l = lower->level;
  return (uint32_t)(t->cables[l] + (position_of(t, lower) * t->up[l] + parent) * t->count[l] + parallel);
}

static bool is_above(const hc_fat_tree *t, const node *top, const node *leaf)
{
  if (top->level == 0) return false;
  for (uint32_t j = top->level; j < t->levels; j++)
    if (top->label[j] != leaf->label[j]) return false;
  return true;
}

/* SplitMix64's finaliser: all bits of the key reach all bits of the hash. */
static uint64_t mix(uint64_t x)
{
  x += UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  return x ^ (x >> 31);
}

/* Which of the ports upwards is taken at a level. */
static uint32_t port_up(const hc_fat_tree *t, uint32_t level, uint32_t from, uint32_t to)
{
  const uint32_t ports = t->up[level] * t->count[level];
  uint32_t d = to + t->shift;
  switch (t->choice) {
    case HC_CHOICE_D_MOD_K:
      for (uint32_t i = 0; i < level; i++) d /= t->up[i];
      return d % ports;
    case HC_CHOICE_ECMP: return (uint32_t)(mix(mix(mix(t->seed + level) ^ from) ^ to) % ports);
    case HC_CHOICE_STATIC: break;
  }
  return 0;
}

/* The first of the parallel cables that are looked at on the way down. */
static uint32_t first_down(const hc_fat_tree *t, uint32_t level, uint32_t from, uint32_t to)
{
  switch (t->choice) {
    case HC_CHOICE_D_MOD_K: return (from + t->shift) % t->count[level];
    case HC_CHOICE_ECMP: return (uint32_t)(mix(mix(mix(t->seed - 1 - level) ^ from) ^ to) % t->count[level]);
    case HC_CHOICE_STATIC: break;
  }
  return 0;
}

size_t hc_fat_tree_way(const hc_fat_tree *t, uint32_t from, uint32_t to, hc_tree_step *steps)
{
  const node leaf = node_of(t, 0, to);
  node at = node_of(t, 0, from);
  size_t n = 0;
  while (!is_above(t, &at, &leaf)) {
    const uint32_t l = at.level, port = port_up(t, l, from, to), parent = port % t->up[l];
    hc_tree_step s = {
        .cable = cable_of(t, &at, parent, port / t->up[l]), .level = l, .from = number_of(t, &at)};
    at.level++;
    at.label[l] = parent;
    s.to = number_of(t, &at);
    steps[n++] = s;
  }
  while (at.level > 0) {
    const uint32_t first = first_down(t, at.level - 1, from, to);
    for (uint64_t i = (uint64_t)first * t->down[at.level - 1]; at.level > 0; i++) {
      const uint32_t l = at.level - 1, down = t->down[l];
      node child = at;
      hc_tree_step s = {.level = l, .is_down = true, .from = number_of(t, &at)};
      i += (leaf.label[l] + down - (uint32_t)(i % down)) % down; /* the next one that leads there */
      if (i >= (uint64_t)down * t->count[l]) break;
      child.level = l;
      child.label[l] = leaf.label[l];
      s.cable = cable_of(t, &child, at.label[l], (uint32_t)(i / down));
      s.to = number_of(t, &child);
      steps[n++] = s;
      at = child;
    }
  }
  return n;
}

void hc_fat_tree_cable(const hc_fat_tree *t, uint32_t cable, uint32_t *lower, uint32_t *upper,
                       uint32_t *level)
{
  uint32_t l = 0;
  uint64_t rest;
  node at;
  while (cable >= t->cables[l + 1]) l++;
  rest = (cable - t->cables[l]) / t->count[l];
  at = node_of(t, l, rest / t->up[l]);
  *level = l;
  *lower = number_of(t, &at);
  at.level++;
  at.label[l] = (uint32_t)(rest % t->up[l]);
  *upper = number_of(t, &at);
}
