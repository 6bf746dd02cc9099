/* topology.c -- switches in levels, for placements that look at them: which hosts hang together, and how
 * full the cables are that lead away from them.
 *
 * The network says it of itself (hc_network_type.group). It is made once more before the model of execution
 * makes its own, asked for all hosts and links, and dropped: what stays is a number for each host and level
 * and one for each link and each group that it leads out of. Loads are the model's, at the rates of now,
 * which are those of e->told: it does not go on before metrics have looked. Cost at birth:
 * O((hosts + links) x levels). */
#include "engine/topology.h"

#include <string.h>

#include "base/util.h"
#include "hindcast/network.h"

/* The links of each group, level by level: those of group g of level l are ids[begin[l][g]] up to
 * ids[begin[l][g + 1]]. */
typedef struct topology {
  hc_topology told;
  hc_engine *engine;
  uint32_t **begin; /* [level_count + 1] */
  uint32_t *ids;
} topology;

static double load(void *ctx, uint32_t level, uint32_t group)
{
  const topology *t = ctx;
  hc_engine *e = t->engine;
  double most = 0, x;
  if (!e->model || !e->model_type->link_load) return 0;
  for (uint32_t i = t->begin[level][group]; i < t->begin[level][group + 1]; i++) {
    const hc_rc rc = e->model_type->link_load(e->model, e->told, t->ids[i], &x);
    hc_engine_note(e, rc);
    if (rc == 0) most = HC_MAX(most, x);
  }
  return most;
}

static hc_rc read_groups(hc_engine *e, const hc_network_of_run *n, topology *t)
{
  const uint32_t hosts = e->cell_spec.units, levels = n->type->levels(n->self);
  uint32_t **of = hc_arena_alloc(&e->build, levels * sizeof *of);
  uint32_t *count = hc_arena_alloc(&e->build, levels * sizeof *count);
  if (!of || !count) return HC_ENOMEM;
  for (uint32_t l = 0; l < levels; l++) {
    of[l] = hc_arena_alloc(&e->build, hosts * sizeof **of);
    if (!of[l]) return HC_ENOMEM;
    count[l] = 0;
    for (uint32_t h = 0; h < n->facts.hosts; h++) {
      const uint32_t g = n->type->group(n->self, l + 1, h);
      count[l] = HC_MAX(count[l], g + 1);
      if (h < hosts) of[l][h] = g;
    }
  }
  t->told.level_count = levels;
  t->told.group_of = (const uint32_t *const *)of;
  t->told.group_count = count;
  return 0;
}

/* Of which groups of a level a link is a way out. */
static uint32_t ways_of(const hc_network_of_run *n, uint32_t link, uint32_t level, uint32_t groups[2])
{
  uint32_t of;
  if (n->type->ways_of_link) return n->type->ways_of_link(n->self, link, level, groups);
  return n->type->group_of_link(n->self, link, &of, groups) && of == level;
}

static size_t groups_of(const hc_network_of_run *n, const topology *t, uint32_t level)
{
  return level == 0 ? n->facts.hosts : t->told.group_count[level - 1];
}

/* Where the links of each group go, from how many they are. @return how many they are in all */
static uint32_t add_up(const hc_network_of_run *n, topology *t)
{
  uint32_t at = 0;
  for (uint32_t l = 0; l <= t->told.level_count; l++) {
    t->begin[l][1] = at; /* where the next link of group 0 goes: so for each group g at g + 1 */
    for (size_t g = 0; g < groups_of(n, t, l); g++) {
      const uint32_t links = t->begin[l][g + 2];
      at += links;
      t->begin[l][g + 2] = at;
    }
    t->begin[l][0] = t->begin[l][1];
  }
  return at;
}

/* Counted, and then put where they belong. */
static hc_rc read_links(hc_engine *e, const hc_network_of_run *n, topology *t)
{
  const uint32_t levels = t->told.level_count;
  uint32_t groups[2];
  t->begin = hc_arena_alloc(&e->build, (levels + 1) * sizeof *t->begin);
  if (!t->begin) return HC_ENOMEM;
  for (uint32_t l = 0; l <= levels; l++) {
    const size_t count = groups_of(n, t, l) + 2;
    t->begin[l] = hc_arena_alloc(&e->build, count * sizeof **t->begin);
    if (!t->begin[l]) return HC_ENOMEM;
    memset(t->begin[l], 0, count * sizeof **t->begin);
    for (uint32_t id = 0; id < n->facts.links; id++)
      for (uint32_t k = ways_of(n, id, l, groups); k > 0; k--) t->begin[l][groups[k - 1] + 2]++;
  }
  t->ids = hc_arena_alloc(&e->build, (add_up(n, t) + (size_t)1) * sizeof *t->ids);
  if (!t->ids) return HC_ENOMEM;
  for (uint32_t l = 0; l <= levels; l++)
    for (uint32_t id = 0; id < n->facts.links; id++)
      for (uint32_t k = ways_of(n, id, l, groups); k > 0; k--) t->ids[t->begin[l][groups[k - 1] + 1]++] = id;
  return 0;
}

hc_rc hc_topology_open(hc_engine *e, hc_error *error)
{
  const hc_model_type *type = (const hc_model_type *)e->options->execution.type;
  const hc_chosen *chosen = type && type->network ? type->network(e->options->execution.options) : NULL;
  const hc_network_context context = {.allocator = e->allocator,
                                      .hosts = e->cell_spec.units,
                                      .host_names = e->cell_spec.host_names,
                                      .where = "execution.network"};
  hc_network_of_run n;
  topology *t;
  if (!e->place || !e->place->reads_topology || !e->cell.hosts) return 0;
  if (!chosen || !chosen->type || !((const hc_network_type *)chosen->type)->levels) return 0;
  t = hc_arena_alloc(&e->build, sizeof *t);
  if (!t) return HC_ENOMEM;
  *t = (topology){.told = {.load = load, .ctx = t}, .engine = e};
  TRY(hc_network_make(&context, chosen, &n, error));
  hc_rc rc = read_groups(e, &n, t);
  if (rc == 0) rc = read_links(e, &n, t);
  hc_network_drop(&n);
  e->policy_context.topology = &t->told;
  return rc;
}
