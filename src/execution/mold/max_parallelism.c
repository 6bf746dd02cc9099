/* max_parallelism.c -- as many workers as help and find room. */
#include "hindcast/execution.h"

static int64_t allows(const void *options, const hc_mold_question *q)
{
  (void)options;
  return q->useful;
}

const hc_mold_type hc_mold_max_parallelism = {
    .component = {HC_COMPONENT_HEAD(hc_mold_type, HC_KIND_MOLD), .name = "max_parallelism",
                  .summary = "as many workers as help the job and find room",
                  .detail = "A job that is divided finely enough takes everything that is idle; later jobs "
                            "find no room until it ends.",
                  .source = "Schwarzkopf et al., EuroSys 2013, doi:10.1145/2465351.2465386, section 6.1"},
    .allows = allows};
