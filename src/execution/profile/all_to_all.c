/* all_to_all.c -- every process sends as much to each other one: n (n - 1) messages. */
#include "execution/pattern.h"

typedef struct options {
  double size;
  bool together;
} options;

typedef struct pattern {
  const options *o;
  uint32_t processes;
} pattern;

static bool message(const void *ctx, uint64_t i, hc_message *out)
{
  const pattern *x = ctx;
  const uint32_t from = (uint32_t)(i / x->processes), to = (uint32_t)(i % x->processes);
  *out = (hc_message){from, to, x->o->size};
  return from != to;
}

/* Together they are a parallel task whose processes are alike: links are asked, not pairs. */
static hc_rc resume(hc_profile *p)
{
  const options *o = p->options;
  const pattern x = {o, p->processes};
  HC_PROFILE_BEGIN(p);
  if (o->together) (void)p->calls->alike(p, 0, o->size, 0);
  else if (!hc_pattern_start(p, message, &x, (uint64_t)p->processes * p->processes, false))
    return HC_PROFILE_FAILED;
  HC_WAIT_ALL(p);
  HC_PROFILE_END(p);
}

static const hc_param params[] = {HC_PARAM(REAL, options, size, "B", NULL, 0, 1e300,
                                           "Bytes from each process to each other process. Default: 0."),
                                  HC_PARAM(BOOL, options, together, "false", HC_TOGETHER_HELP),
                                  {0}};

const hc_profile_type hc_profile_all_to_all = {
    .component =
        {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = "all_to_all",
         .summary = "each process sends the same number of bytes to each other process",
         .detail = "n (n - 1) messages of n processes, all at once. With `together`, the cost on networks "
                   "with one way between hosts (star, tree ...) grows with the number of links; on others "
                   "each pair of processes is looked up, and more than 2^26 pairs end the run with an error.",
         .source = "ElastiSim 2024, pattern all_to_all", .params = params, .options_size = sizeof(options)},
    .resume = resume};
