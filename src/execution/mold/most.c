/* most.c -- the largest size that is offered and that the cell could ever hold. */
#include "hindcast/mold.h"

static size_t choose(const void *options, const hc_mold_choice *q)
{
  (void)options;
  return q->count - 1;
}

const hc_mold_type hc_mold_most = {
    .component = {HC_COMPONENT_HEAD(hc_mold_type, HC_KIND_MOLD), .name = "most",
                  .summary = "the largest size that a task offers and the whole cell could hold",
                  .detail = "A task waits until there is room for that size, where `max_parallelism` takes "
                            "what there is room for now. Only tasks that offer sizes are molded.",
                  .source = "Feitelson and Rudolph, Toward convergence in job schedulers for parallel "
                            "supercomputers, JSSPP 1996, LNCS 1162, pp. 1-26, for moldable tasks"},
    .choose = choose};
