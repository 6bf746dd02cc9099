/* fewest.c -- the smallest size that is offered. */
#include "hindcast/mold.h"

static size_t choose(const void *options, const hc_mold_choice *q)
{
  (void)options;
  (void)q;
  return 0;
}

const hc_mold_type hc_mold_fewest = {
    .component = {HC_COMPONENT_HEAD(hc_mold_type, HC_KIND_MOLD), .name = "fewest",
                  .summary = "the smallest size that a task offers",
                  .detail = "Each task runs longest and takes least of the cell, and least work is lost by "
                            "running in parallel. Only tasks that offer sizes are molded.",
                  .source = "Feitelson and Rudolph, Toward convergence in job schedulers for parallel "
                            "supercomputers, JSSPP 1996, LNCS 1162, pp. 1-26, for moldable tasks"},
    .choose = choose};
