/* preferred.c -- tasks start with what they prefer if there is room, else with the least. While one waits
 * those that run give up first what is beyond that, then what is beyond their least; while none does they
 * grow up to what they prefer, and then beyond. */
#include "policy/elastic/sharing.h"

static void share(hc_elastic *x)
{
  if (x->wants == 0) {
    const int64_t left = hc_elastic_deal(x, x->free, hc_elastic_smaller, hc_elastic_prefers);
    (void)hc_elastic_deal(x, left, hc_elastic_smaller, hc_elastic_most);
    return;
  }
  const int64_t missing = hc_elastic_missing(x, hc_elastic_least);
  const int64_t still = hc_elastic_take(x, missing, hc_elastic_larger, hc_elastic_prefers);
  (void)hc_elastic_take(x, still, hc_elastic_larger, hc_elastic_least);
}

static int64_t start(int64_t least, int64_t most, int64_t prefers, int64_t room)
{
  (void)most;
  return prefers <= room ? prefers : least;
}

const hc_elastic_strategy hc_elastic_preferred = {.name = "preferred", .share = share, .start = start};
