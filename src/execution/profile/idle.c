/* idle.c -- nothing, for a time: a fixed delay, whatever the hosts. */
#include "hindcast/profile.h"

typedef struct options {
  hc_time time;
} options;

static hc_rc resume(hc_profile *p)
{
  const options *o = p->options;
  HC_PROFILE_BEGIN(p);
  (void)hc_profile_sleep(p, o->time, 0);
  HC_WAIT_ALL(p);
  HC_PROFILE_END(p);
}

static const hc_param params[] = {
    HC_PARAM(TIME, options, time, "s", NULL, 0, 9e9, "How long nothing is done, whatever the hosts."), {0}};

const hc_profile_type hc_profile_idle = {.component = {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE),
                                                       .name = "idle", .summary = "nothing, for a time",
                                                       .source = "DSLab-CS, profile idle", .params = params,
                                                       .options_size = sizeof(options)},
                                         .is_uniform = true,
                                         .resume = resume};
