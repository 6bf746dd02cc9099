/* average.c -- all have the same part of what lies between their least and their most: what is there beyond
 * the least of all that run, and of the first that waits, is dealt so that these parts are as even as slots
 * let them. */
#include "policy/elastic/sharing.h"

/* a's part is the smaller one: (target - least) / (most - least), in whole numbers. */
static bool emptier(const hc_sharer *a, const hc_sharer *b)
{
  const int64_t x = (a->target - a->least) * (b->most - b->least),
                y = (b->target - b->least) * (a->most - a->least);
  return x != y ? x < y : a->serial < b->serial;
}

static void share(hc_elastic *x)
{
  int64_t all = x->free - x->first;
  for (size_t i = 0; i < x->count; i++) {
    all += (x->tasks[i].size - x->tasks[i].least) * x->tasks[i].each;
    x->tasks[i].target = x->tasks[i].least;
  }
  (void)hc_elastic_deal(x, all, emptier, hc_elastic_most);
}

static int64_t start(int64_t least, int64_t most, int64_t prefers, int64_t room)
{
  (void)most;
  (void)prefers;
  (void)room;
  return least;
}

const hc_elastic_strategy hc_elastic_average = {.name = "average", .share = share, .start = start};
