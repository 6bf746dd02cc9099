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
         .summary = "least loaded links: hosts between which the cables carry least now",
         .detail =
             "As compact, but of the groups with enough room at the lowest level it takes the one below "
             "which cables are least used on average, and within it first the groups whose most used cable "
             "is used least, of equal ones those with the most room. A cable's use is what flows take now, "
             "also for times that are planned ahead." HC_TREE_TEXT HC_LOWEST_TEXT},
    .place = hc_place_lowest,
    .chooser = chooser,
    .init = init,
    .fini = hc_tree_place_fini,
    .reads_topology = true,
};
