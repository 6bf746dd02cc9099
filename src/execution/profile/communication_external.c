/* communication_external.c -- processes receive from, and send to, a host that is none of the task's own. */
#include "hindcast/profile.h"

typedef struct options {
  hc_list processes;
  double input_size, output_size;
  int64_t host;
} options;

static hc_rc check(const void *given, uint32_t processes, hc_error *e)
{
  const options *o = given;
  const int64_t *items = o->processes.items;
  for (size_t i = 0; i < o->processes.count; i++)
    if (items[i] >= (int64_t)processes)
      return hc_fail(e, HC_EINPUT, "", 0, 0, "processes names %lld, and the task's are numbered 0 to %u",
                     (long long)items[i], processes - 1);
  return 0;
}

static hc_rc resume(hc_profile *p)
{
  const options *o = p->options;
  const int64_t *items = o->processes.items;
  HC_PROFILE_BEGIN(p);
  for (size_t i = 0; i < o->processes.count; i++) {
    const uint32_t own = (uint32_t)items[i], other = (uint32_t)o->host;
    if (o->input_size > 0) (void)p->calls->receive(p, other, own, o->input_size, 0);
    if (o->output_size > 0) (void)p->calls->send(p, own, other, o->output_size, 0);
  }
  HC_WAIT_ALL(p);
  HC_PROFILE_END(p);
}

static const hc_param params[] = {
    HC_PARAM(INTS, options, processes, "processes", NULL, 0, 4e9,
             "Numbers of the processes that receive and send, from 0. Default: none."),
    HC_PARAM(REAL, options, input_size, "B", "0", 0, 1e300, "Bytes that each of them receives."),
    HC_PARAM(REAL, options, output_size, "B", "0", 0, 1e300, "Bytes that each of them sends."),
    HC_PARAM(
        INT, options, host, NULL, "0", 0, 4e9,
        "Number of the host outside the task, from 0 in the order in which the cell declares its hosts."),
    {0}};

const hc_profile_type hc_profile_communication_external = {
    .component = {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = "communication_external",
                  .summary = "processes receive from and send to a host outside the task",
                  .detail = "Both directions begin at once.",
                  .source = "DSLab-CS (github.com/nogokama/dslab-cluster-simulator, 2024), profile "
                            "communication-external, whose component_id is `host` here",
                  .params = params, .options_size = sizeof(options)},
    .check = check,
    .resume = resume};
