/* intervals.c -- processors with ids, among which placements choose. */
#include "base/util.h"
#include "cluster/processors.h"

typedef struct options {
  int64_t procs, per_node;
} options;

static hc_rc describe(const hc_cell_context *c, const void *p, hc_cell_spec *out, hc_error *e)
{
  const options *o = p;
  HC_UNUSED(c);
  TRY(hc_processors_check(o->procs, "intervals", e));
  if (o->per_node < 0 || (o->per_node > 0 && o->procs % o->per_node != 0)) {
    return hc_fail(e, HC_EUSAGE, "cell intervals", 0, 0,
                   "%lld processors cannot be on nodes of %lld each; leave per_node out if nodes differ",
                   (long long)o->procs, (long long)o->per_node);
  }
  *out = hc_processors_spec(HC_CELL_INTERVALS, o->procs, o->per_node);
  return 0;
}

static const hc_param params[] = {HC_PROCS_PARAM(options, "Number of processors."),
                                  HC_PARAM(INT, options, per_node, "processors", "0", 0, 4294967295.0,
                                           "Number of processors of a node. 0: not known."),
                                  {0}};

const hc_cell_type hc_cell_intervals = {
    .component = {HC_COMPONENT_HEAD(hc_cell_type, HC_KIND_CELL), .name = "intervals",
                  .summary = "processors with ids, among which placements choose",
                  .detail =
                      "Ids run from 0; node k has the ids from k x per_node on. Nodes appear only in reports "
                      "and exported schedules: a task may share a node with others.",
                  .params = params, .options_size = sizeof(options)},
    .describe = describe,
};
