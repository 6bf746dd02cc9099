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
                  .detail =
                      "Each task takes longest and least of the cell: what is lost by working in parallel "
                      "is lost least. Of the tasks that offer sizes only.",
                  .source = "Feitelson and Rudolph, JSSPP 1996, LNCS 1162, pp. 1-26, for moldable tasks"},
    .choose = choose};
