/* same_zone.c -- all hosts of a task in one zone, or in as few as possible.
 *
 * It is compact with one level only: of zones with room enough that with the least, else the fewest. A task
 * that must not be split says so itself (`same`). Cost: O(hosts that fit) a task, and a sort of zones. */
#include "policy/placing.h"
#include "policy/topology.h"

typedef struct options {
  const char *over;
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

/* One level: a zone's, or the switches next to the hosts. */
static hc_rc init(const hc_policy_context *c, const void *opts, hc_policy **out, hc_error *e)
{
  const options *o = opts;
  const hc_list over = {.items = (void *)(uintptr_t)&o->over, .count = o->over && o->over[0] ? 1 : 0};
  TRY(hc_tree_place_init(c, opts, &over, "place same_zone", out, e));
  hc_tree_place *self = (hc_tree_place *)*out;
  if (over.count == 0) self->tree.levels = HC_MIN(self->tree.levels, 1);
  return 0;
}

static const hc_param params[] = {
    HC_PARAM(TEXT, options, over, NULL,
             "Level of zones of the cell, such as rack. Default: hosts of one switch of the run's network."),
    {.name = NULL}};

const hc_place_type hc_place_same_zone = {
    .component =
        {HC_COMPONENT_HEAD(hc_place_type, HC_KIND_PLACE), .name = "same_zone",
         .summary = "all hosts in the zone with the least room that suffices, else in as few zones as "
                    "possible",
         .detail =
             "A task for which no zone has room does not wait: it gets the zones with the most room. A task "
             "that must not be split says so itself (`same`)." HC_TREE_TEXT HC_LOWEST_TEXT,
         .params = params, .options_size = sizeof(options)},
    .place = hc_place_lowest,
    .chooser = chooser,
    .init = init,
    .fini = hc_tree_place_fini,
    .reads_topology = true,
};
