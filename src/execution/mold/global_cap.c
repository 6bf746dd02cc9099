/* global_cap.c -- idle resources are used only while the cell is in use up to a share.
 *
 * allowed = min over resources of floor((cap total - held) / worker): the last worker that is added leaves
 * the cell at the cap or just below it. The configured workers are the job's own, whatever the cell is used
 * to. */
#include "hindcast/execution.h"

#define PLENTY ((double)(INT64_C(1) << 52)) /* what a double counts exactly */

typedef struct options {
  double cap;
} options;

static int64_t allows(const void *opts, const hc_mold_question *q)
{
  const options *o = opts;
  double most = PLENTY;
  for (size_t i = 0; i < q->resource_count; i++) {
    const hc_mold_resource *r = &q->resources[i];
    const double room = o->cap * r->total - r->held;
    if (r->worker <= 0) continue;
    if (room < r->worker * most) most = room > 0 ? room / r->worker : 0;
  }
  return (int64_t)most;
}

static const hc_param params[] = {
    HC_PARAM(REAL, options, cap, "1", "0.6", 0, 1,
             "Share of each resource of the whole cell up to which workers are added."),
    {0}};

const hc_mold_type hc_mold_global_cap = {
    .component = {HC_COMPONENT_HEAD(hc_mold_type, HC_KIND_MOLD), .name = "global_cap",
                  .summary = "workers are added only while the cell's utilisation stays below a cap",
                  .detail = "At most min over resources of (cap x total - held) / worker workers, rounded "
                            "down, but never fewer than the job asked for; held is what all tasks hold of "
                            "the resource, as the scheduler sees it, and worker what a worker takes. In a "
                            "cell above the cap no job gets more than it asked for.",
                  .source =
                      "Schwarzkopf et al., EuroSys 2013, doi:10.1145/2465351.2465386, section 6.1; the cap "
                      "of 60 % is that of section 6.2",
                  .params = params, .options_size = sizeof(options)},
    .allows = allows};
