/* scatter.c -- one process sends as much to each other one. */
#include "execution/rooted.h"

static hc_rc resume(hc_profile *p)
{
  return hc_rooted_resume(p, hc_rooted_from_root);
}

static const hc_param params[] = {HC_PARAM(REAL, hc_rooted, size, "B", NULL, 0, 1e300,
                                           "Bytes from the root to each other process. Default: 0."),
                                  HC_PARAM(INT, hc_rooted, root, "process", "0", 0, 4e9,
                                           "Number of the process that sends (the root), from 0."),
                                  HC_PARAM(BOOL, hc_rooted, together, "false", HC_TOGETHER_HELP),
                                  {0}};

const hc_profile_type hc_profile_scatter = {
    .component = {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = "scatter",
                  .summary = "the root sends the same number of bytes to each other process",
                  .detail = "n - 1 messages of n processes, all at once.",
                  .source = "ElastiSim 2024, pattern scatter", .params = params,
                  .options_size = sizeof(hc_rooted)},
    .check = hc_rooted_check,
    .resume = resume};
