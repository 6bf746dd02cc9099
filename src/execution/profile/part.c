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
             "Label of at most 95 bytes; several parts may have the same one. Default: the empty label."),
    HC_PARAM(COMPONENT, options, profile, HC_KIND_PROFILE, NULL, "The profile within. Default: nothing."),
    {0}};

const hc_profile_type hc_profile_part = {
    .component = {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = "part",
                  .summary = "another profile, whose times are counted under a label",
                  .detail = "The metric part_times counts how long it took on each host; nothing else "
                            "changes. It fails if the profile within fails, and is then not counted.",
                  .source = "ElastiSim 2024, names of tasks (log_task_times)", .params = params,
                  .options_size = sizeof(options)},
    .is_uniform = true,
    .check = check,
    .resume = resume,
    .label = label};
