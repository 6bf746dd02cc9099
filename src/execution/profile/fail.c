/* fail.c -- it takes no time and has failed: what a return code other than 0 comes to in a sequence. */
#include "hindcast/profile.h"

static hc_rc resume(hc_profile *p)
{
  (void)p;
  return HC_PROFILE_FAILED;
}

static const hc_param params[] = {{0}};

const hc_profile_type hc_profile_fail = {
    .component = {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = "fail",
                  .summary = "fails at once",
                  .detail = "At the end of a sequence it makes the whole sequence fail; its task ends as "
                            "killed, marked as failed.",
                  .source = "Batsim 4.2.1, return codes of profiles (`ret`)", .params = params},
    .is_uniform = true,
    .resume = resume};
