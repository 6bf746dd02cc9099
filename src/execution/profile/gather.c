/* gather.c -- every process sends as much to one of them. */
#include "execution/pattern.h"

typedef struct options {
  double size;
  int64_t root;
  bool together;
} options;

typedef struct pattern {
  const options *o;
  uint32_t processes;
} pattern;

static bool message(const void *ctx, uint64_t i, hc_message *out)
{
  const pattern *x = ctx;
  *out = (hc_message){(uint32_t)i, (uint32_t)x->o->root, x->o->size};
  return i != (uint64_t)x->o->root;
}

static hc_rc check(const void *given, uint32_t processes, hc_error *e)
{
  return hc_pattern_check("root", ((const options *)given)->root, processes, e);
}

static hc_rc resume(hc_profile *p)
{
  const options *o = p->options;
  const pattern x = {o, p->processes};
  HC_PROFILE_BEGIN(p);
  if (!hc_pattern_start(p, message, &x, p->processes, o->together)) return HC_PROFILE_FAILED;
  HC_WAIT_ALL(p);
  HC_PROFILE_END(p);
}

static const hc_param params[] = {
    HC_PARAM(REAL, options, size, "B", NULL, 0, 1e300, "Bytes from each other process to the root."),
    HC_PARAM(INT, options, root, "process", "0", 0, 4e9, "Number of the process that receives."),
    HC_PARAM(BOOL, options, together, "false", HC_TOGETHER_HELP),
    {0}};

const hc_profile_type hc_profile_gather = {
    .component = {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = "gather",
                  .summary = "each process sends as much to one of them",
                  .detail = "n - 1 messages, all at once.", .source = "ElastiSim, pattern gather",
                  .params = params, .options_size = sizeof(options)},
    .check = check,
    .resume = resume};
