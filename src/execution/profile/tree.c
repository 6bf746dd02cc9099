/* tree.c -- processes send along the edges of a tree. */
#include "execution/pattern.h"

typedef struct options {
  double size;
  int64_t arity;
  int direction;
  bool together;
} options;

enum { UP, DOWN, BOTH };

typedef struct pattern {
  const options *o;
  uint32_t processes;
} pattern;

/* Process i + 1 and its parent. */
static bool message(const void *ctx, uint64_t i, hc_message *out)
{
  const pattern *x = ctx;
  const uint64_t edges = x->processes - 1;
  const uint32_t child = (uint32_t)(i % edges) + 1, parent = (uint32_t)((child - 1) / (uint64_t)x->o->arity);
  const bool is_down = x->o->direction == DOWN || i >= edges;
  *out = (hc_message){is_down ? parent : child, is_down ? child : parent, x->o->size};
  return true;
}

static hc_rc resume(hc_profile *p)
{
  const options *o = p->options;
  const pattern x = {o, p->processes};
  HC_PROFILE_BEGIN(p);
  if (!hc_pattern_start(p, message, &x, (uint64_t)(p->processes - 1) * (o->direction == BOTH ? 2 : 1),
                        o->together))
    return HC_PROFILE_FAILED;
  HC_WAIT_ALL(p);
  HC_PROFILE_END(p);
}

static const hc_param params[] = {
    HC_PARAM(REAL, options, size, "B", NULL, 0, 1e300, "Bytes of each message. Default: 0."),
    HC_PARAM(INT, options, arity, "processes", "2", 1, 4e9, "Greatest number of children of a process."),
    HC_PARAM(CHOICE, options, direction, "up|down|both", "both",
             "Which process sends to which. up: each process sends to its parent. down: each process sends "
             "to each of "
             "its children. both: up and down."),
    HC_PARAM(BOOL, options, together, "false", HC_TOGETHER_HELP),
    {0}};

const hc_profile_type hc_profile_tree = {
    .component = {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = "tree",
                  .summary = "each process sends to its parent and its children in a tree",
                  .detail = "Process 0 is the root; the parent of process i is (i - 1) / arity, rounded "
                            "down. All messages begin at once, where `broadcast` and `reduce` have rounds.",
                  .params = params, .options_size = sizeof(options)},
    .resume = resume};
