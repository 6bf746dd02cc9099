/* communication_homogeneous.c -- every process sends as much to each other one, all at once: n (n - 1)
 * flows. */
#include "hindcast/profile.h"

typedef struct options {
  double size;
} options;

static hc_rc resume(hc_profile *p)
{
  const options *o = p->options;
  HC_PROFILE_BEGIN(p);
  for (uint32_t i = 0; i < p->processes; i++)
    for (uint32_t j = 0; j < p->processes; j++)
      if (i != j && hc_profile_transfer(p, i, j, o->size, 0) == HC_NO_ACT) return HC_PROFILE_FAILED;
  HC_WAIT_ALL(p);
  HC_PROFILE_END(p);
}

static const hc_param params[] = {HC_PARAM(REAL, options, size, "B", NULL, 0, 1e300,
                                           "Bytes from each process to each other process. Default: 0."),
                                  {0}};

const hc_profile_type hc_profile_communication_homogeneous = {
    .component =
        {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = "communication_homogeneous",
         .summary = "each process sends the same number of bytes to each other process",
         .detail = "All n (n - 1) transfers of n processes begin at once. The model's max_activities bounds "
                   "their number.",
         .source =
             "DSLab-CS (github.com/nogokama/dslab-cluster-simulator, 2024), profile communication-homogenous",
         .params = params, .options_size = sizeof(options)},
    .resume = resume};
