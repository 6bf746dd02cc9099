/* ring.c -- every process sends to its neighbours on a ring. */
#include "execution/pattern.h"

typedef struct options {
  double size;
  int direction;
  bool together;
} options;

enum { CLOCKWISE, COUNTER, BOTH };

typedef struct pattern {
  const options *o;
  uint32_t processes;
} pattern;

/* Of two processes the two directions are two messages between them. */
static bool message(const void *ctx, uint64_t i, hc_message *out)
{
  const pattern *x = ctx;
  const uint32_t n = x->processes, from = (uint32_t)(i % n);
  const bool back = x->o->direction == COUNTER || i >= n;
  *out = (hc_message){from, hc_pattern_from(from, back ? n - 1 : 1, n), x->o->size};
  return n > 1;
}

static hc_rc resume(hc_profile *p)
{
  const options *o = p->options;
  const pattern x = {o, p->processes};
  HC_PROFILE_BEGIN(p);
  if (!hc_pattern_start(p, message, &x, (uint64_t)p->processes * (o->direction == BOTH ? 2 : 1), o->together))
    return HC_PROFILE_FAILED;
  HC_WAIT_ALL(p);
  HC_PROFILE_END(p);
}

static const hc_param params[] = {
    HC_PARAM(REAL, options, size, "B", NULL, 0, 1e300, "Bytes of each message. Default: 0."),
    HC_PARAM(CHOICE, options, direction, "clockwise|counter|both", "clockwise",
             "To which neighbours each process sends. clockwise: to the one with the next number, and the "
             "last to process 0. counter: to the one with the number before. both: to both."),
    HC_PARAM(BOOL, options, together, "false", HC_TOGETHER_HELP),
    {0}};

const hc_profile_type hc_profile_ring = {
    .component = {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = "ring",
                  .summary = "each process sends to its neighbours on a ring",
                  .detail = "n messages of n processes, with `direction: both` 2 n, all at once.",
                  .source = "ElastiSim 2024, patterns ring, ring_clockwise and ring_counter_clockwise",
                  .params = params, .options_size = sizeof(options)},
    .resume = resume};
