/* coupled.c -- parallel tasks as one: what they do progresses at one rate, and so does what they read and
 * write beside it. */
#include "hindcast/profile.h"

typedef struct options {
  hc_list profiles;
} options;

static hc_rc check(const void *given, uint32_t processes, hc_error *e)
{
  const options *o = given;
  const hc_chosen *parts = o->profiles.items;
  (void)processes;
  for (size_t i = 0; i < o->profiles.count; i++) {
    if (((const hc_profile_type *)parts[i].type)->joins) continue;
    return hc_fail(
        e, HC_EINPUT, "", 0, 0,
        "coupled: the profile %s does not progress at one rate: parallel_task, parallel_homogeneous, "
        "exchange and staging do; `parallel` does others at once",
        parts[i].type->name);
  }
  return 0;
}

static hc_rc resume(hc_profile *p)
{
  const options *o = p->options;
  HC_PROFILE_BEGIN(p);
  if (o->profiles.count > 0) (void)p->calls->coupled(p, &o->profiles, 0);
  HC_WAIT_ALL(p);
  HC_PROFILE_END(p);
}

static const hc_param params[] = {HC_PARAM(COMPONENTS, options, profiles, HC_KIND_PROFILE, NULL,
                                           "The parallel tasks: parallel_task, parallel_homogeneous, "
                                           "exchange, staging or coupled, of which one at most may compute."),
                                  {0}};

const hc_profile_type hc_profile_coupled = {
    .component = {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = "coupled",
                  .summary = "several parallel tasks as one, at one rate",
                  .detail =
                      "Bytes that they send over each link are added up. Alone it takes the longest latency "
                      "of all routes, and then the longest of work / (execution.cpu_speed x speed of the "
                      "host x cores) over processes and of bytes / bandwidth over links, in seconds.",
                  .source = "Batsim 4, additional_io_job of EXECUTE_JOB", .params = params,
                  .options_size = sizeof(options)},
    .check = check,
    .resume = resume};
