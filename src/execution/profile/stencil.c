/* stencil.c -- every process sends to its neighbours on a grid of one, two or three dimensions. */
#include "execution/pattern.h"

enum { DIMENSIONS = 3 };

typedef struct options {
  double size;
  hc_list grid;
  int64_t dimensions;
  bool periodic, together;
} options;

typedef struct pattern {
  const options *o;
  uint32_t processes;
  uint64_t sides[DIMENSIONS]; /* 1 beyond the grid's */
} pattern;

/* Sides that are as equal as whole numbers are, the longest first: of all that divide what is left the least
 * that is no shorter than its root. */
static void balance(uint64_t processes, int64_t dimensions, uint64_t *sides)
{
  for (int64_t d = 0; d < DIMENSIONS; d++) sides[d] = 1;
  for (int64_t left = dimensions; left > 0; left--) {
    uint64_t side = 1, product;
    for (;; side++) {
      product = 1;
      for (int64_t i = 0; i < left && product < processes; i++) product *= side;
      if (product >= processes && processes % side == 0) break;
    }
    sides[dimensions - left] = side;
    processes /= side;
  }
}

static void shape(const options *o, uint32_t processes, uint64_t *sides)
{
  const int64_t *given = o->grid.items;
  if (o->grid.count == 0) {
    balance(processes, o->dimensions, sides);
    return;
  }
  for (size_t d = 0; d < DIMENSIONS; d++) sides[d] = d < o->grid.count ? (uint64_t)given[d] : 1;
}

static hc_rc check(const void *given, uint32_t processes, hc_error *e)
{
  const options *o = given;
  const int64_t *sides = o->grid.items;
  uint64_t product = 1;
  if (o->grid.count > DIMENSIONS)
    return hc_fail(e, HC_EINPUT, "", 0, 0, "grid has %zu dimensions, and at most %d are possible",
                   o->grid.count, DIMENSIONS);
  for (size_t d = 0; d < o->grid.count && product <= processes; d++) product *= (uint64_t)sides[d];
  if (o->grid.count == 0 || product == processes) return 0;
  return hc_fail(e, HC_EINPUT, "", 0, 0,
                 "grid has not as many places as the task has processes, which are %u", processes);
}

/* Message 2 d + (0 back, 1 forth) of a process is that along dimension d. The first dimension changes first.
 * A periodic side of one has no neighbour, one of two the same one twice. */
static bool message(const void *ctx, uint64_t i, hc_message *out)
{
  const pattern *x = ctx;
  const uint32_t from = (uint32_t)(i / (2 * DIMENSIONS)), way = (uint32_t)(i % (2 * DIMENSIONS));
  const uint64_t side = x->sides[way / 2];
  uint64_t stride = 1;
  for (uint32_t d = 0; d < way / 2; d++) stride *= x->sides[d];
  const uint64_t at = from / stride % side;
  const bool is_forth = way % 2 == 1, is_edge = is_forth ? at + 1 == side : at == 0;
  if (side == 1 || (is_edge && !x->o->periodic)) return false;
  const uint64_t to = is_forth ? (at + 1) % side : (at + side - 1) % side;
  *out = (hc_message){from, (uint32_t)(from + (to - at) * stride), x->o->size};
  return true;
}

static hc_rc resume(hc_profile *p)
{
  const options *o = p->options;
  pattern x = {o, p->processes, {0}};
  HC_PROFILE_BEGIN(p);
  shape(o, p->processes, x.sides);
  if (!hc_pattern_start(p, message, &x, (uint64_t)p->processes * 2 * DIMENSIONS, o->together))
    return HC_PROFILE_FAILED;
  HC_WAIT_ALL(p);
  HC_PROFILE_END(p);
}

static const hc_param params[] = {
    HC_PARAM(REAL, options, size, "B", NULL, 0, 1e300, "Bytes of each message. Default: 0."),
    HC_PARAM(INTS, options, grid, "processes", NULL, 1, 4e9,
             "Number of processes along each dimension; numbers of processes change fastest along the first. "
             "The product must be the number of processes. Default: as `dimensions` says."),
    HC_PARAM(INT, options, dimensions, "1", "2", 1, 3,
             "Without `grid`: the number of dimensions of a grid whose sides are as equal as the number of "
             "processes allows."),
    HC_PARAM(BOOL, options, periodic, "false",
             "Whether processes at one edge are neighbours of those at the opposite edge."),
    HC_PARAM(BOOL, options, together, "false", HC_TOGETHER_HELP),
    {0}};

const hc_profile_type hc_profile_stencil = {
    .component = {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = "stencil",
                  .summary = "each process sends to its neighbours on a grid",
                  .detail = "All messages begin at once: each process sends 2 along each dimension, fewer at "
                            "the edges of a grid that is not periodic. In two dimensions 12 processes are 4 "
                            "x 3 and 7 are 7 x 1, in three 12 are 3 x 2 x 2.",
                  .params = params, .options_size = sizeof(options)},
    .check = check,
    .resume = resume};
