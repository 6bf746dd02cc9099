/* broadcast.c -- one process sends the same to all others: from itself, or by those that have it already. */
#include "execution/pattern.h"

enum { FLAT, BINOMIAL };

typedef struct options {
  double size;
  int64_t root;
  int algorithm;
  bool together;
} options;

typedef struct state {
  uint64_t have; /* processes that have it */
} state;

/* A round, in which those at distance 0 to have - 1 from the root send to those at have to 2 have - 1. */
typedef struct pattern {
  const options *o;
  uint32_t processes, have;
} pattern;

static bool message(const void *ctx, uint64_t i, hc_message *out)
{
  const pattern *x = ctx;
  const uint64_t to = i + x->have;
  if (to >= x->processes) return false;
  const uint32_t from = x->o->algorithm == FLAT ? 0 : (uint32_t)i;
  *out = (hc_message){hc_pattern_from(x->o->root, from, x->processes),
                      hc_pattern_from(x->o->root, (uint32_t)to, x->processes), x->o->size};
  return true;
}

static hc_rc check(const void *given, uint32_t processes, hc_error *e)
{
  return hc_pattern_check("root", ((const options *)given)->root, processes, e);
}

static bool start_round(hc_profile *p, const options *o, const state *s)
{
  const pattern x = {o, p->processes, (uint32_t)s->have};
  return hc_pattern_start(p, message, &x, o->algorithm == FLAT ? p->processes : s->have, o->together);
}

static hc_rc resume(hc_profile *p)
{
  const options *o = p->options;
  state *s = p->state;
  HC_PROFILE_BEGIN(p);
  for (s->have = 1; s->have < p->processes; s->have = o->algorithm == FLAT ? p->processes : 2 * s->have) {
    if (!start_round(p, o, s)) return HC_PROFILE_FAILED;
    HC_WAIT_ALL(p);
    if (p->failures > 0) return HC_PROFILE_FAILED;
  }
  HC_PROFILE_END(p);
}

static const hc_param params[] = {
    HC_PARAM(REAL, options, size, "B", NULL, 0, 1e300, "Bytes of each message. Default: 0."),
    HC_PARAM(INT, options, root, "process", "0", 0, 4e9,
             "Number of the process that has the bytes first (the root), from 0."),
    HC_PARAM(CHOICE, options, algorithm, "flat|binomial", "binomial",
             "Which process sends to which. flat: the root sends to all others at once. binomial: in each "
             "round every "
             "process that has the bytes sends them to one that has not, which takes log2 n rounds, rounded "
             "up; a round begins when the one before has ended."),
    HC_PARAM(BOOL, options, together, "false", HC_TOGETHER_HELP),
    {0}};

const hc_profile_type hc_profile_broadcast = {
    .component = {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = "broadcast",
                  .summary = "the bytes of one process come to all others",
                  .detail =
                      "n - 1 messages of n processes. In round k of the binomial tree, from 0, the process "
                      "at distance i from the root sends to that at distance i + 2^k, for all i below 2^k.",
                  .params = params, .options_size = sizeof(options)},
    .state_size = sizeof(state),
    .check = check,
    .resume = resume};
