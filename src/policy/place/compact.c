/* compact.c -- the fewest switches: a task in the smallest part of the network that has room for it.
 *
 * See policy/topology.c for what that is. Cost: O(hosts that fit x levels) a task. */
#include "policy/placing.h"
#include "policy/topology.h"

typedef struct options {
  hc_list over;
} options;

static void arrange(void *self, hc_arrangement *a)
{
  hc_place_tree_arrange(&((hc_tree_place *)self)->tree, a, HC_TREE_COMPACT);
}

static void chooser(const void *opts, hc_policy *self, hc_chooser *out)
{
  HC_UNUSED(opts);
  *out = (hc_chooser){.how = HC_CHOOSE_SET, .self = self, .arrange = arrange};
}

static hc_rc init(const hc_policy_context *c, const void *opts, hc_policy **out, hc_error *e)
{
  return hc_tree_place_init(c, opts, &((const options *)opts)->over, "place compact", out, e);
}

static const hc_param params[] = {HC_PARAM(TEXTS, options, over, NULL, HC_TREE_OVER_TEXT), {.name = NULL}};

const hc_place_type hc_place_compact = {
    .component =
        {HC_COMPONENT_HEAD(hc_place_type, HC_KIND_PLACE), .name = "compact",
         .summary = "the fewest switches: the smallest part of the network with room for the task",
         .detail =
             "One host if it has room for the whole task. Else hosts of one group of the lowest level at "
             "which some group has enough room: of these groups the one with the least room; within it as "
             "few groups of the level below as possible, and for the rest of the task the group with the "
             "least room that suffices." HC_TREE_TEXT
                 HC_LOWEST_TEXT,
         .source = "Slurm, topology/tree (best fit of leaf switches)", .params = params,
         .options_size = sizeof(options)},
    .place = hc_place_lowest,
    .chooser = chooser,
    .init = init,
    .fini = hc_tree_place_fini,
    .reads_topology = true,
};
