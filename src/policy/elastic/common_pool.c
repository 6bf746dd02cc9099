/* common_pool.c -- what all have beyond their least is one pool. All tasks that wait draw on it, in the order
 * of their queue and with their least; what they leave is dealt, slot by slot, the smallest first. */
#include "policy/elastic/sharing.h"

static void share(hc_elastic *x)
{
  int64_t pool = x->free;
  for (size_t i = 0; i < x->count; i++) {
    pool += (x->tasks[i].size - x->tasks[i].least) * x->tasks[i].each;
    x->tasks[i].target = x->tasks[i].least;
  }
  (void)hc_elastic_deal(x, pool - x->wants, hc_elastic_smaller, hc_elastic_most);
}

static int64_t start(int64_t least, int64_t most, int64_t prefers, int64_t room)
{
  (void)most;
  (void)prefers;
  (void)room;
  return least;
}

const hc_elastic_strategy hc_elastic_common_pool = {
    .name = "common_pool", .share = share, .start = start, .draws_all = true};
