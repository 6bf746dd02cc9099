/* staging.c -- bytes from one storage host to another, while the task's own hosts do nothing. */
#include "hindcast/profile.h"

typedef struct options {
  const char *from, *to;
  double bytes;
} options;

static hc_rc resume(hc_profile *p)
{
  const options *o = p->options;
  HC_PROFILE_BEGIN(p);
  (void)p->calls->stage(p, o->from, o->to, o->bytes, 0);
  HC_WAIT_ALL(p);
  HC_PROFILE_END(p);
}

static void joins(const void *given, uint32_t processes, hc_profile_joins *out)
{
  const options *o = given;
  (void)processes;
  out->is_outside = true;
  out->storage = o->from;
  out->target = o->to;
  out->from_storage = o->bytes;
}

static const hc_param params[] = {HC_PARAM(TEXT, options, from, NULL,
                                           "Name of the storage host that sends. Default, also where no host "
                                           "has the name: the cell's only host without cores."),
                                  HC_PARAM(TEXT, options, to, NULL,
                                           "Name of the storage host that receives. Default, also where no "
                                           "host has the name: the cell's only host without cores."),
                                  HC_PARAM(REAL, options, bytes, "B", "0", 0, 1e300, "Bytes that are sent."),
                                  {0}};

const hc_profile_type hc_profile_staging = {.component = {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE),
                                                          .name = "staging",
                                                          .summary = "bytes from one storage host to another",
                                                          .source = "Batsim 4, profile data_staging",
                                                          .params = params, .options_size = sizeof(options)},
                                            .resume = resume,
                                            .joins = joins};
