/* gather.c -- every process sends as much to one of them. */
#include "execution/rooted.h"

static hc_rc resume(hc_profile *p)
{
  return hc_rooted_resume(p, hc_rooted_to_root);
}

static const hc_param params[] = {
    HC_PARAM(REAL, hc_rooted, size, "B", NULL, 0, 1e300,
             "Bytes from each process other than the root to the root. Default: 0."),
    HC_PARAM(INT, hc_rooted, root, "process", "0", 0, 4e9,
             "Number of the process that receives (the root), from 0."),
    HC_PARAM(BOOL, hc_rooted, together, "false", HC_TOGETHER_HELP),
    {0}};

const hc_profile_type hc_profile_gather = {
    .component = {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = "gather",
                  .summary = "each process sends the same number of bytes to the root",
                  .detail = "n - 1 messages of n processes, all at once.",
                  .source = "ElastiSim 2024, pattern gather", .params = params,
                  .options_size = sizeof(hc_rooted)},
    .check = hc_rooted_check,
    .resume = resume};
