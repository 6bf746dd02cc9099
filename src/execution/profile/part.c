/* part.c -- another profile under a label, by which its times on each host are told (metric part_times). */
#include <string.h>

#include "hindcast/profile.h"

typedef struct options {
  const char *label;
  hc_chosen profile;
} options;

static hc_rc check(const void *given, uint32_t processes, hc_error *e)
{
  const options *o = given;
  (void)processes;
  if (!o->label || strlen(o->label) < HC_PROFILE_LABEL) return 0;
  return hc_fail(e, HC_EINPUT, "", 0, 0, "part: the label %.40s... is longer than %d bytes: shorten it",
                 o->label, HC_PROFILE_LABEL - 1);
}

static const char *label(const void *given)
{
  const options *o = given;
  return o->label ? o->label : "";
}

static hc_rc resume(hc_profile *p)
{
  return hc_profile_do(p, &((const options *)p->options)->profile);
}

static const hc_param params[] = {
    HC_PARAM(TEXT, options, label, NULL,
             "What it is called: at most 95 bytes, the same for as many parts as you like. Default: nothing, "
             "which is a label too."),
    HC_PARAM(COMPONENT, options, profile, HC_KIND_PROFILE, NULL, "What is done. Default: nothing."),
    {0}};

const hc_profile_type hc_profile_part = {
    .component = {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = "part",
                  .summary = "another profile, under a label by which its times are told",
                  .detail =
                      "The metric part_times counts how long it took on each host. Beside that nothing is "
                      "other than without it. It fails if what is in it fails, and is not told then.",
                  .source = "ElastiSim, names of tasks (log_task_times)", .params = params,
                  .options_size = sizeof(options)},
    .is_uniform = true,
    .check = check,
    .resume = resume,
    .label = label};
