/* rank_transfer.c -- a message from one rank of a trace to another. */
#include "hindcast/profile.h"

typedef struct options {
  int64_t from, to;
  double bytes;
} options;

static hc_rc resume(hc_profile *p)
{
  const options *o = p->options;
  HC_PROFILE_BEGIN(p);
  (void)hc_profile_transfer(p, (uint32_t)((uint64_t)o->from % p->processes),
                            (uint32_t)((uint64_t)o->to % p->processes), o->bytes, 0);
  HC_WAIT_ALL(p);
  HC_PROFILE_END(p);
}

static const hc_param params[] = {
    HC_PARAM(INT, options, from, NULL, "0", 0, 4e9,
             "Number of the rank that sends, from 0; rank r is on process r modulo the number of processes."),
    HC_PARAM(INT, options, to, NULL, "0", 0, 4e9, "Number of the rank that receives, from 0."),
    HC_PARAM(REAL, options, bytes, "B", "0", 0, 1e300, "Bytes of the message."),
    {0}};

const hc_profile_type hc_profile_rank_transfer = {
    .component = {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = "rank_transfer",
                  .summary = "a message from one rank of a trace to another",
                  .source = "Batsim 4, profile smpi", .params = params, .options_size = sizeof(options)},
    .resume = resume};
