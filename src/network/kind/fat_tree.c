/* fat_tree.c -- fat trees: k-ary ones, and those of levels, children, parents and cables. */
#include <inttypes.h>

#include "network/levels.h"

typedef struct options {
  int64_t k, seed;
  hc_list children, parents, cables, bandwidth, latency;
  int duplex, choice;
  hc_network_keys keys;
} options;

static void set_level(hc_fat_tree *t, uint32_t level, uint32_t down, uint32_t up)
{
  t->down[level] = down;
  t->up[level] = up;
  t->count[level] = 1;
}

/* k pods of k / 2 edge and k / 2 upper switches, (k / 2)^2 on top, k^3 / 4 hosts. */
static hc_rc make_k_ary(const hc_network_context *c, const options *o, hc_fat_tree *t, hc_error *e)
{
  const uint32_t half = (uint32_t)(o->k / 2);
  if (o->k % 2 != 0)
    return hc_fail(e, HC_EUSAGE, c->where, 0, 0, "k: switches have an even number of ports, such as 8");
  if (o->children.count > 0 || o->parents.count > 0 || o->cables.count > 0)
    return hc_fail(e, HC_EUSAGE, c->where, 0, 0,
                   "k says all of the shape: leave it out, or children, parents and cables");
  t->levels = 3;
  set_level(t, 0, half, 1);
  set_level(t, 1, half, half);
  set_level(t, 2, (uint32_t)o->k, half);
  return 0;
}

static hc_rc make_levels(const hc_network_context *c, const options *o, hc_fat_tree *t, hc_error *e)
{
  t->levels = (uint32_t)o->children.count;
  if (o->children.count == 0 || o->children.count > HC_FAT_TREE_LEVELS)
    return hc_fail(
        e, HC_EUSAGE, c->where, 0, 0,
        "missing k, such as k: 8; or children and parents, 1 to %d numbers each, such as children: [16, 8]",
        HC_FAT_TREE_LEVELS);
  TRY(hc_levels_numbers(c, "children", &o->children, t->levels, 1, t->down, e));
  TRY(hc_levels_numbers(c, "parents", &o->parents, t->levels, 1, t->up, e));
  return hc_levels_numbers(c, "cables", &o->cables, t->levels, 1, t->count, e);
}

static hc_rc init(const hc_network_context *c, const void *opts, hc_network **out, hc_error *e)
{
  const options *o = opts;
  hc_levels like = {.tree = {.choice = (hc_fat_tree_choice)o->choice, .seed = (uint64_t)o->seed}};
  if (o->k > 0) TRY(make_k_ary(c, o, &like.tree, e));
  else TRY(make_levels(c, o, &like.tree, e));
  TRY(hc_levels_cables(c, &o->bandwidth, &o->latency, o->duplex, like.tree.levels, like.cables, e));
  return hc_levels_new(c, &o->keys, &like, out, e);
}

static const hc_param params[] = {
    HC_PARAM(INT, options, k, "ports", "0", 0, 512,
             "Number of ports of each switch of a k-ary fat tree of k^3 / 4 hosts, an even number. 0: "
             "`children`, `parents` and `cables` give the shape."),
    HC_PARAM(INTS, options, children, "1", NULL, 1, 65536,
             "Numbers of switches, or of hosts, below a switch: one number for each level, from the hosts "
             "up. Required without `k`."),
    HC_PARAM(INTS, options, parents, "1", NULL, 1, 65536,
             "Numbers of switches above a switch, or above a host: one number for each level, from the hosts "
             "up. Default: 1 at each level."),
    HC_PARAM(INTS, options, cables, "1", NULL, 1, 65535,
             "Numbers of cables to each switch above: one number for each level, from the hosts up. Default: "
             "1 at each level."),
    HC_PARAM(SIZES, options, bandwidth, "B/s", "1GB", 1, HC_BANDWIDTH_MOST,
             "Bandwidth of a cable, one number for each level, from the hosts up; the last holds for all "
             "levels above."),
    HC_PARAM(TIMES, options, latency, "s", "0", 0, 1e6,
             "Latency of a cable, one number for each level, from the hosts up; the last holds for all "
             "levels above."),
    HC_PARAM(CHOICE, options, duplex, HC_DUPLEXES, "full", HC_DUPLEX_HELP),
    HC_PARAM(CHOICE, options, choice, HC_CHOICES, "d_mod_k", HC_CHOICE_HELP),
    HC_PARAM(INT, options, seed, "1", "1", 0, 1e15,
             "Seed of the hash of ecmp: another number gives other ways."),
    HC_NETWORK_KEYS(options, "plain"),
    {0}};

const hc_network_type hc_network_fat_tree = {
    .component =
        {HC_COMPONENT_HEAD(hc_network_type, HC_KIND_NETWORK), .name = "fat_tree",
         .summary = "a fat tree: a tree with several switches, and so several ways up, at each level",
         .detail = "`children`, `parents` and `cables` are SimGrid's topo_parameters: \"2;4,4;1,2;1,2\" is "
                   "children: [4, 4], parents: [1, 2], cables: [1, 2], and with d_mod_k its routes are "
                   "SimGrid's. k: 8 is children: [4, 4, 8], parents: [1, 4, 4]. Routes are computed and "
                   "never stored. All flows from one host to another take the same way.",
         .source = "Zahavi, D-Mod-K routing, CCIT report 776, Technion 2010; Al-Fares et al., SIGCOMM 2008, "
                   "doi:10.1145/1402958.1402967, for k-ary trees; Hopps, RFC 2992, 2000, for ecmp",
         .params = params, .options_size = sizeof(options)},
    .init = init,
    .fini = hc_network_free,
    .facts = hc_network_facts_of,
    HC_LEVELS_CALLS};
