/* count.c -- so many processors; who has which is not asked. */
#include "base/util.h"
#include "cluster/processors.h"

typedef struct options {
  int64_t procs;
} options;

static hc_rc describe(const hc_cell_context *c, const void *p, hc_cell_spec *out, hc_error *e)
{
  const options *o = p;
  HC_UNUSED(c);
  TRY(hc_processors_check(o->procs, "count", e));
  *out = hc_processors_spec(HC_CELL_COUNT, o->procs, 0);
  return 0;
}

static const hc_param params[] = {HC_PROCS_PARAM(options, "Number of processors."), {0}};

const hc_cell_type hc_cell_count = {
    .component = {HC_COMPONENT_HEAD(hc_cell_type, HC_KIND_CELL), .name = "count",
                  .summary = "a number of processors: the fastest cell",
                  .detail =
                      "A task fits if enough processors are free. Processors have no ids, so that placements "
                      "do not matter and a schedule does not name processors.",
                  .params = params, .options_size = sizeof(options)},
    .describe = describe,
};
