/* levels.c -- networks in levels. See levels.h. */
#include "network/levels.h"

#include <inttypes.h>
#include <stdio.h>

hc_rc hc_levels_numbers(const hc_network_context *c, const char *key, const hc_list *list, uint32_t levels,
                        uint32_t fallback, uint32_t *out, hc_error *e)
{
  const int64_t *x = list->items;
  if (list->count > 0 && list->count != levels)
    return hc_fail(e, HC_EUSAGE, c->where, 0, 0,
                   "%s has %zu numbers, and there are %" PRIu32 " levels: one each", key, list->count,
                   levels);
  for (uint32_t l = 0; l < levels; l++) {
    out[l] = list->count > 0 ? (uint32_t)HC_MIN(x[l], (int64_t)UINT32_MAX) : fallback;
    if (list->count > 0 && x[l] < 1)
      return hc_fail(e, HC_EUSAGE, c->where, 0, 0, "%s: every number is at least 1", key);
  }
  return 0;
}

hc_rc hc_levels_cables(const hc_network_context *c, const hc_list *bandwidths, const hc_list *latencies,
                       int duplex, uint32_t levels, hc_cable *cables, hc_error *e)
{
  const int64_t *b = bandwidths->items;
  const hc_time *t = latencies->items;
  if (bandwidths->count == 0 || bandwidths->count > levels || latencies->count > levels)
    return hc_fail(e, HC_EUSAGE, c->where, 0, 0,
                   "%s: one value for each of the %" PRIu32
                   " levels, or fewer, of which the last holds above",
                   latencies->count > levels ? "latency" : "bandwidth", levels);
  for (uint32_t l = 0; l < levels; l++) {
    const hc_time latency = latencies->count > 0 ? t[HC_MIN((size_t)l, latencies->count - 1)] : 0;
    cables[l] = (hc_cable){.bandwidth = (double)b[HC_MIN((size_t)l, bandwidths->count - 1)],
                           .latency = hc_network_seconds(latency),
                           .duplex = (hc_duplex)duplex};
  }
  return 0;
}

hc_rc hc_levels_new(const hc_network_context *c, const hc_network_keys *k, const hc_levels *like,
                    hc_network **out, hc_error *e)
{
  hc_levels made = *like, *n;
  uint64_t own = 0, switches = 0;
  if (!hc_fat_tree_init(&made.tree))
    return hc_fail(e, HC_EUSAGE, c->where, 0, 0,
                   "it has no hosts, or more switches and cables than can be numbered");
  for (uint32_t l = 0; l < made.tree.levels; l++) {
    made.first[l] = (uint32_t)HC_MIN(own, (uint64_t)HC_LINKS_MOST);
    own += (made.tree.cables[l + 1] - made.tree.cables[l]) * hc_cable_links(&made.cables[l]);
  }
  own += made.middle.bandwidth > 0;
  for (uint32_t l = 1; l <= made.tree.levels; l++) switches += made.tree.nodes[l];
  const hc_network_size size = {.model = HC_NETWORK_TOPOLOGY,
                                .hosts = (uint32_t)made.tree.nodes[0],
                                .own = own,
                                .longest = 2 * made.tree.levels + 1,
                                .switches = switches,
                                .kinds = made.tree.levels + (made.middle.bandwidth > 0)};
  TRY(hc_network_new(c, k, sizeof *n, &size, out, e));
  n = (hc_levels *)*out;
  made.common = n->common;
  *n = made;
  return 0;
}

/* The level and the cable, from the first of its level, of a link. */
static uint32_t cable_of(const hc_levels *n, uint32_t id, uint32_t *level, bool *is_down)
{
  uint32_t l = n->tree.levels - 1, links;
  while (l > 0 && id < n->first[l]) l--;
  links = hc_cable_links(&n->cables[l]);
  *level = l;
  *is_down = (id - n->first[l]) % links == 1;
  return (id - n->first[l]) / links;
}

static bool is_middle(const hc_levels *n, uint32_t id)
{
  return n->middle.bandwidth > 0 && id == n->common.own - 1;
}

void hc_levels_link(const hc_network *self, uint32_t id, hc_link *out)
{
  const hc_levels *n = (const hc_levels *)self;
  uint32_t level;
  bool is_down;
  if (hc_network_local(&n->common, id, out)) return;
  *out = n->middle;
  if (is_middle(n, id)) return;
  (void)cable_of(n, id, &level, &is_down);
  hc_cable_describe(&n->cables[level], out);
}

/* A kind for each level, and the backbone. */
void hc_levels_watts(const hc_network *self, uint32_t id, hc_link_watts *out)
{
  const hc_levels *n = (const hc_levels *)self;
  uint32_t kind = n->tree.levels;
  bool is_down;
  if (id >= n->common.own) return;
  if (!is_middle(n, id)) (void)cable_of(n, id, &kind, &is_down);
  *out = n->common.watts[kind];
}

/* Hosts by the number that the cell knows them by. */
static uint32_t host_of(const hc_levels *n, uint32_t leaf)
{
  return n->spread > 0 ? leaf / n->tree.down[0] + leaf % n->tree.down[0] * n->spread : leaf;
}

static uint32_t leaf_of(const hc_levels *n, uint32_t host)
{
  return n->spread > 0 ? host % n->spread * n->tree.down[0] + host / n->spread : host;
}

static void node_name(const hc_levels *n, uint32_t node, uint32_t level, char *name, size_t size)
{
  for (uint32_t l = 0; l < level; l++) node -= (uint32_t)n->tree.nodes[l];
  if (level == 0) (void)snprintf(name, size, "host_%" PRIu32, host_of(n, node));
  else (void)snprintf(name, size, "switch_%" PRIu32 "_%" PRIu32, level, node);
}

void hc_levels_name(const hc_network *self, uint32_t id, char *name, size_t size)
{
  const hc_levels *n = (const hc_levels *)self;
  uint32_t level, cable, lower, upper;
  char low[40], high[40], parallel[16] = "";
  bool is_down;
  if (hc_network_local_name(&n->common, id, name, size)) return;
  if (is_middle(n, id)) {
    (void)snprintf(name, size, "backbone");
    return;
  }
  cable = cable_of(n, id, &level, &is_down) + (uint32_t)n->tree.cables[level];
  hc_fat_tree_cable(&n->tree, cable, &lower, &upper, &level);
  node_name(n, lower, level, low, sizeof low);
  node_name(n, upper, level + 1, high, sizeof high);
  if (n->tree.count[level] > 1)
    (void)snprintf(parallel, sizeof parallel, ".%" PRIu32,
                   (cable - (uint32_t)n->tree.cables[level]) % n->tree.count[level]);
  if (hc_cable_links(&n->cables[level]) == 1) (void)snprintf(name, size, "%s-%s%s", low, high, parallel);
  else (void)snprintf(name, size, "%s-%s%s", is_down ? high : low, is_down ? low : high, parallel);
}

hc_rc hc_levels_route(const hc_network *self, uint32_t from, uint32_t to, uint32_t *links, hc_route *out)
{
  const hc_levels *n = (const hc_levels *)self;
  hc_tree_step steps[2 * HC_FAT_TREE_LEVELS];
  hc_path p = {.links = links};
  size_t count;
  bool has_turned = n->middle.bandwidth <= 0;
  if (from == to) return hc_network_local_route(&n->common, from, links, out);
  count = hc_fat_tree_way(&n->tree, leaf_of(n, from), leaf_of(n, to), steps);
  for (size_t i = 0; i < count; i++) {
    const uint32_t l = steps[i].level;
    const hc_cable *cable = &n->cables[l];
    if (steps[i].is_down && !has_turned) {
      hc_path_add(&p, n->common.own - 1, n->middle.latency);
      has_turned = true;
    }
    hc_path_add(
        &p, hc_cable_link(cable, n->first[l], steps[i].cable - (uint32_t)n->tree.cables[l], steps[i].is_down),
        cable->latency);
  }
  return hc_path_end(&p, out);
}

/* A cable below which k of n hosts are carries k (n - k) bytes each way. Where a node has one parent, by one
 * cable, that cable has the number of the node. Hosts are counted below zero: so a node is worked out once.
 */
hc_rc hc_levels_all_pairs(const hc_network *self, const uint32_t *hosts, uint32_t count, double *weights,
                          hc_route *out)
{
  const hc_levels *n = (const hc_levels *)self;
  uint32_t leaves = 1;
  for (uint32_t l = 0; l < n->tree.levels; l++)
    if (n->tree.up[l] != 1 || n->tree.count[l] != 1) return HC_EUNSUPPORTED;
  *out = (hc_route){.bound = HC_INFINITE};
  for (uint32_t l = 0; l < n->tree.levels; l++) {
    const hc_cable *cable = &n->cables[l];
    const uint32_t each = hc_cable_links(cable);
    double *level = &weights[n->first[l]];
    bool is_split = false;
    for (uint32_t i = 0; i < count; i++) level[leaf_of(n, hosts[i]) / leaves * each] -= 1;
    for (uint32_t i = 0; i < count; i++) {
      double *up = &level[leaf_of(n, hosts[i]) / leaves * each], k = -*up;
      if (k <= 0) continue;
      is_split |= k < count;
      *up = k * (count - k) * (each == 2 ? 1 : 2);
      if (each == 2) up[1] = up[0];
    }
    if (is_split) out->latency += 2 * cable->latency;
    leaves *= n->tree.down[l];
  }
  if (n->middle.bandwidth > 0 && count > 1) {
    weights[n->common.own - 1] = (double)count * (count - 1);
    out->latency += n->middle.latency;
  }
  return 0;
}

/* ---- groups: hosts below the same switches ---- */

uint32_t hc_levels_count(const hc_network *self)
{
  return ((const hc_levels *)self)->tree.levels;
}

/* Digits of a leaf at and above the level say which it is. */
uint32_t hc_levels_group(const hc_network *self, uint32_t level, uint32_t host)
{
  const hc_levels *n = (const hc_levels *)self;
  uint64_t below = 1;
  for (uint32_t l = 0; l < level; l++) below *= n->tree.down[l];
  return (uint32_t)(leaf_of(n, host) / below);
}

/* The lower end of a cable is a node of a group, whose other digits count parents. */
bool hc_levels_group_of_link(const hc_network *self, uint32_t id, uint32_t *level, uint32_t *group)
{
  const hc_levels *n = (const hc_levels *)self;
  uint32_t cable, lower, upper;
  uint64_t below = 1;
  bool is_down;
  hc_link local;
  if (hc_network_local(&n->common, id, &local) || is_middle(n, id)) return false;
  cable = cable_of(n, id, level, &is_down) + (uint32_t)n->tree.cables[*level];
  hc_fat_tree_cable(&n->tree, cable, &lower, &upper, level);
  for (uint32_t l = 0; l < *level; l++) {
    lower -= (uint32_t)n->tree.nodes[l];
    below *= n->tree.up[l];
  }
  *group = (uint32_t)(lower / below);
  if (*level == 0) *group = host_of(n, *group);
  return true;
}
