/* min.c -- tasks start with the least; while one waits those that run give up what they have beyond their
 * least, the largest first; while none does they grow into what is free, the smallest first. */
#include "policy/elastic/sharing.h"

static void share(hc_elastic *x)
{
  if (x->wants > 0)
    (void)hc_elastic_take(x, hc_elastic_missing(x, hc_elastic_least), hc_elastic_larger, hc_elastic_least);
  else (void)hc_elastic_deal(x, x->free, hc_elastic_smaller, hc_elastic_most);
}

static int64_t start(int64_t least, int64_t most, int64_t prefers, int64_t room)
{
  (void)most;
  (void)prefers;
  (void)room;
  return least;
}

const hc_elastic_strategy hc_elastic_min = {.name = "min", .share = share, .start = start};
