/* auto.c -- the machine of the trace: as many processors as its header says. */
#include "base/util.h"
#include "cluster/processors.h"

enum { COUNT, INTERVALS };

typedef struct options {
  int64_t procs;
  int granularity;
} options;

static hc_rc describe(const hc_cell_context *c, const void *p, hc_cell_spec *out, hc_error *e)
{
  const options *o = p;
  const hc_trace_info *t = c->trace;
  int64_t procs = o->procs > 0 ? o->procs : t ? t->processors : 0;
  int64_t nodes = t && t->nodes > 0 && t->processors == procs ? t->nodes : 0;
  if (procs <= 0) {
    return hc_fail(
        e, HC_EUSAGE, "cell auto", 0, 0,
        "the trace does not say how many processors its machine has (a MaxProcs line in the header of a "
        "Standard Workload Format file does); say it with --procs 1024, or cell: {procs: 1024} in a run file");
  }
  if (procs > HC_MOST_PROCESSORS) {
    return hc_fail(
        e, HC_EUSAGE, "cell auto", 0, 0,
        "the trace's header says that its machine has %lld processors; at most %lld can be simulated: say "
        "how many there are with procs",
        (long long)procs, (long long)HC_MOST_PROCESSORS);
  }
  *out = hc_processors_spec(o->granularity == COUNT ? HC_CELL_COUNT : HC_CELL_INTERVALS, procs,
                            nodes > 0 && procs % nodes == 0 ? procs / nodes : 0);
  return 0;
}

static const hc_param params[] = {
    HC_PROCS_PARAM(options, "Number of processors. Default: that of the trace's header."),
    HC_PARAM(CHOICE, options, granularity, "count|intervals", "count",
             "What is known of processors. count: only how many are free, which is fastest. intervals: each "
             "has an id, and placements choose among them."),
    {0}};

const hc_cell_type hc_cell_auto = {
    .component = {HC_COMPONENT_HEAD(hc_cell_type, HC_KIND_CELL), .name = "auto",
                  .summary = "the machine that the trace's header describes",
                  .detail =
                      "Takes MaxProcs of the header of the first source. If MaxNodes divides MaxProcs, nodes "
                      "are known, too.",
                  .params = params, .options_size = sizeof(options)},
    .describe = describe,
};
