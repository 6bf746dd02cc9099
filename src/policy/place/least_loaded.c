/* least_loaded.c -- least loaded links: a task where the cables between its hosts carry least.
 *
 * See policy/topology.c. What cables carry is asked of the model of execution, at the rates of now; what
 * else waits or will start is not known. Cost: O(hosts that fit x levels + their links + the flows on them)
 * a task. */
#include "policy/placing.h"
#include "policy/topology.h"

static void arrange(void *self, hc_arrangement *a)
{
  hc_place_tree_arrange(&((hc_tree_place *)self)->tree, a, HC_TREE_UNLOADED);
}

static void chooser(const void *opts, hc_policy *self, hc_chooser *out)
{
  HC_UNUSED(opts);
  *out = (hc_chooser){.how = HC_CHOOSE_SET, .self = self, .arrange = arrange};
}

static hc_rc init(const hc_policy_context *c, const void *opts, hc_policy **out, hc_error *e)
{
  const hc_list none = {0};
  return hc_tree_place_init(c, opts, &none, "place least_loaded", out, e);
}

const hc_place_type hc_place_least_loaded = {
    .component =
        {HC_COMPONENT_HEAD(hc_place_type, HC_KIND_PLACE), .name = "least_loaded",
         .summary = "least loaded links: where the cables between the task's hosts carry least now",
         .detail =
             "As compact, but of groups with room enough at the lowest level the one below which cables are "
             "least in use on average, and within it those whose fullest cable is emptiest first, of equal "
             "ones those with the most room. In use is what flows take now; between times of a plan that is "
             "made ahead it is that of now too." HC_TREE_TEXT HC_LOWEST_TEXT},
    .place = hc_place_lowest,
    .chooser = chooser,
    .init = init,
    .fini = hc_tree_place_fini,
    .reads_topology = true,
};
