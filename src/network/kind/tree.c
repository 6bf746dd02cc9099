/* tree.c -- a tree of switches: one way between any two hosts. */
#include <inttypes.h>

#include "network/levels.h"

typedef struct options {
  hc_list children, bandwidth, latency;
  int duplex;
  hc_network_keys keys;
} options;

static hc_rc init(const hc_network_context *c, const void *opts, hc_network **out, hc_error *e)
{
  const options *o = opts;
  hc_levels like = {.tree = {.levels = (uint32_t)o->children.count}};
  if (o->children.count == 0 || o->children.count > HC_FAT_TREE_LEVELS)
    return hc_fail(e, HC_EUSAGE, c->where, 0, 0, "children: 1 to %d numbers, such as children: [16, 8]",
                   HC_FAT_TREE_LEVELS);
  TRY(hc_levels_numbers(c, "children", &o->children, like.tree.levels, 1, like.tree.down, e));
  for (uint32_t l = 0; l < like.tree.levels; l++) like.tree.up[l] = like.tree.count[l] = 1;
  TRY(hc_levels_cables(c, &o->bandwidth, &o->latency, o->duplex, like.tree.levels, like.cables, e));
  return hc_levels_new(c, &o->keys, &like, out, e);
}

static const hc_param params[] = {
    HC_PARAM(INTS, options, children, "1", NULL, 1, 65536,
             "Numbers of switches, or of hosts, below a switch: one number for each level, from the hosts "
             "up. [16, 8] is 8 switches with 16 hosts each, below one switch. Required."),
    HC_PARAM(SIZES, options, bandwidth, "B/s", "1GB", 1, HC_BANDWIDTH_MOST,
             "Bandwidth of a cable, one number for each level, from the hosts up; the last holds for all "
             "levels above."),
    HC_PARAM(TIMES, options, latency, "s", "0", 0, 1e6,
             "Latency of a cable, one number for each level, from the hosts up; the last holds for all "
             "levels above."),
    HC_PARAM(CHOICE, options, duplex, HC_DUPLEXES, "full", HC_DUPLEX_HELP),
    HC_NETWORK_KEYS(options, "plain"),
    {0}};

const hc_network_type hc_network_tree = {
    .component = {HC_COMPONENT_HEAD(hc_network_type, HC_KIND_NETWORK), .name = "tree",
                  .summary = "a tree of switches, with one way between any two hosts",
                  .detail = "A route goes up to the lowest switch above both hosts, and down. Hosts fill one "
                            "switch after another; the tree connects as many hosts as the product of "
                            "`children`. DSLab's tree of stars is a tree of two levels whose upper bandwidth "
                            "is the lower bandwidth x the number of hosts of a star.",
                  .params = params, .options_size = sizeof(options)},
    .init = init,
    .fini = hc_network_free,
    .facts = hc_network_facts_of,
    HC_LEVELS_CALLS};
