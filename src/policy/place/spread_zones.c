/* spread_zones.c -- a task's slots over as many zones as there are, evenly.
 *
 * Slots are dealt out one by one, each to the zone that has the fewest of the task's, of equal ones to that
 * with the most room left; within a zone to the host that has the fewest. So when one zone is lost the task
 * loses as little as can be. What other tasks have there is `spread`'s concern. Cost: O(hosts that fit +
 * slots x log zones) a task. */
#include "policy/placing.h"
#include "policy/topology.h"

#include "base/sort.h"

typedef struct options {
  const char *over;
} options;

/* A zone in the heap of those with room: `load` counts what the task has there. */
HC_HEAP(zones, hc_tree_part,
        a->load != b->load     ? a->load < b->load
        : a->slots != b->slots ? a->slots > b->slots
                               : a->from < b->from)

/* To the hosts of a zone in turns, one each: all that it gets, which is counted in p->level. */
static void deal(hc_place_tree *t, const hc_tree_part *p)
{
  for (uint32_t slots = p->level; slots > 0;)
    for (uint32_t i = p->from; i < p->to && slots > 0; i++)
      if (t->rooms[i].gets < t->rooms[i].slots) {
        t->rooms[i].gets++;
        slots--;
      }
}

static uint32_t placed_in(const hc_place_tree *t, const hc_arrangement *a, uint32_t group)
{
  uint32_t n = 0;
  for (size_t i = 0; i < a->placed_count; i++) n += t->group_of[0][a->placed[i]] == group;
  return n;
}

static void arrange(void *state, hc_arrangement *a)
{
  hc_place_tree *t = &((hc_tree_place *)state)->tree;
  size_t n = 0;
  hc_place_tree_begin(t, a);
  for (uint32_t at = 0, group; at < t->count;) {
    hc_tree_part p = hc_place_tree_part(t, at, t->count, 1);
    group = hc_place_tree_group(t, at, 1);
    at = p.to;
    p.load = placed_in(t, a, group);
    p.level = 0;
    zones_rise(t->parts, n++, p);
  }
  for (uint32_t left = a->wanted; left > 0; left--) {
    hc_tree_part p = zones_pop(t->parts, &n);
    p.level++;
    p.load++;
    if (--p.slots > 0) zones_rise(t->parts, n++, p);
    else deal(t, &p);
  }
  for (size_t i = 0; i < n; i++) deal(t, &t->parts[i]);
  hc_place_tree_end(t);
}

static void chooser(const void *opts, hc_policy *self, hc_chooser *out)
{
  HC_UNUSED(opts);
  *out = (hc_chooser){.how = HC_CHOOSE_SET, .self = self, .arrange = arrange};
}

static hc_rc init(const hc_policy_context *c, const void *opts, hc_policy **out, hc_error *e)
{
  const options *o = opts;
  const hc_list over = {.items = (void *)(uintptr_t)&o->over, .count = o->over && o->over[0] ? 1 : 0};
  return hc_tree_place_init(c, opts, &over, "place spread_zones", out, e);
}

static const hc_param params[] = {
    HC_PARAM(TEXT, options, over, NULL,
             "Level of zones of the cell, such as rack. Default: hosts of one switch of the run's network."),
    {.name = NULL}};

const hc_place_type hc_place_spread_zones = {
    .component =
        {HC_COMPONENT_HEAD(hc_place_type, HC_KIND_PLACE), .name = "spread_zones",
         .summary = "the slots of a task over as many zones as there are, evenly",
         .detail =
             "Each slot goes to the zone with the fewest slots of the task, of equal ones to the zone with "
             "the most room left, and there to the host with the fewest slots of the task."
             HC_TREE_TEXT HC_LOWEST_TEXT,
         .params = params, .options_size = sizeof(options)},
    .place = hc_place_lowest,
    .chooser = chooser,
    .init = init,
    .fini = hc_tree_place_fini,
    .reads_topology = true,
};
