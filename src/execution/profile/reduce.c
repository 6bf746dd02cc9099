/* reduce.c -- what all processes have becomes one: they send it to one of them, or each time half of those
 * that are left to the other half, and each that has received puts two together. */
#include "execution/pattern.h"

enum { FLAT, BINOMIAL };

typedef struct options {
  double size, work;
  int64_t root;
  int algorithm;
  bool together;
} options;

typedef struct state {
  uint64_t left; /* after this round: processes that have a part of it */
} state;

/* A round, in which those at distance left to 2 left - 1 from the root send to those at 0 to left - 1. */
typedef struct pattern {
  const options *o;
  uint32_t processes, left;
} pattern;

static bool message(const void *ctx, uint64_t i, hc_message *out)
{
  const pattern *x = ctx;
  const uint64_t from = i + x->left;
  if (from >= x->processes) return false;
  const uint32_t to = x->o->algorithm == FLAT ? 0 : (uint32_t)i;
  *out = (hc_message){hc_pattern_from(x->o->root, (uint32_t)from, x->processes),
                      hc_pattern_from(x->o->root, to, x->processes), x->o->size};
  return true;
}

static hc_rc check(const void *given, uint32_t processes, hc_error *e)
{
  return hc_pattern_check("root", ((const options *)given)->root, processes, e);
}

static uint64_t most_of(const hc_profile *p, const options *o, uint64_t left)
{
  return o->algorithm == FLAT ? p->processes : left;
}

static bool send_round(hc_profile *p, const options *o, uint64_t left)
{
  const pattern x = {o, p->processes, (uint32_t)left};
  return hc_pattern_start(p, message, &x, most_of(p, o, left), o->together);
}

/* One piece of work for each message, where it has come. */
static bool work_round(hc_profile *p, const options *o, uint64_t left)
{
  const pattern x = {o, p->processes, (uint32_t)left};
  for (uint64_t i = 0; o->work > 0 && i < most_of(p, o, left); i++) {
    hc_message m;
    if (message(&x, i, &m) && hc_profile_compute(p, m.to, o->work, 0) == HC_NO_ACT) return false;
  }
  return true;
}

/* Half of the least power of two that is no less than the number of processes. */
static uint64_t first_round(uint64_t processes)
{
  uint64_t left = 1;
  while (2 * left < processes) left *= 2;
  return left;
}

static hc_rc resume(hc_profile *p)
{
  const options *o = p->options;
  state *s = p->state;
  HC_PROFILE_BEGIN(p);
  if (p->processes == 1) return HC_PROFILE_OK;
  for (s->left = o->algorithm == FLAT ? 1 : first_round(p->processes); s->left > 0; s->left /= 2) {
    if (!send_round(p, o, s->left)) return HC_PROFILE_FAILED;
    HC_WAIT_ALL(p);
    if (!work_round(p, o, s->left)) return HC_PROFILE_FAILED;
    HC_WAIT_ALL(p);
    if (p->failures > 0) return HC_PROFILE_FAILED;
  }
  HC_PROFILE_END(p);
}

static const hc_param params[] = {
    HC_PARAM(REAL, options, size, "B", NULL, 0, 1e300, "Bytes of each message. Default: 0."),
    HC_PARAM(REAL, options, work, "work", "0", 0, 1e300,
             "Work of combining a message with what the receiving process has; it is done there."),
    HC_PARAM(INT, options, root, "process", "0", 0, 4e9,
             "Number of the process that has the result (the root), from 0."),
    HC_PARAM(
        CHOICE, options, algorithm, "flat|binomial", "binomial",
        "Which process sends to which. flat: all others send to the root at once, which then does all the "
        "work. "
        "binomial: in each round half of the processes that are left send to the other half, which does the "
        "work, so that there are log2 n rounds, rounded up; a round begins when the one before has ended."),
    HC_PARAM(BOOL, options, together, "false", HC_TOGETHER_HELP),
    {0}};

const hc_profile_type hc_profile_reduce = {
    .component = {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = "reduce",
                  .summary = "the values of all processes are combined on one of them",
                  .detail = "n - 1 messages of n processes: those of `broadcast`, from its last round to its "
                            "first and each in the other direction.",
                  .params = params, .options_size = sizeof(options)},
    .state_size = sizeof(state),
    .check = check,
    .resume = resume};
