/* greedy.c -- tasks start with as many as there is room for, those that run grow into what is free, in the
 * order in which they were submitted and whether one waits or not, and none gives anything up. That is what
 * the algorithm does that comes with ElastiSim's example project, which looks at running tasks and at those
 * that wait in one order, and keeps free nodes for a task until its next point. */
#include "policy/elastic/sharing.h"

static void share(hc_elastic *x)
{
  (void)hc_elastic_deal(x, x->free, hc_elastic_earlier, hc_elastic_most);
}

static int64_t start(int64_t least, int64_t most, int64_t prefers, int64_t room)
{
  (void)prefers;
  return room >= most ? most : room > least ? room : least;
}

const hc_elastic_strategy hc_elastic_greedy = {.name = "greedy", .share = share, .start = start};
