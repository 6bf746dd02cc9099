/* keep_preferred.c -- tasks have what they prefer wherever that can be: they start with it if there is room,
 * else with the least; those below it grow up to it before a task that waits is given anything; those above
 * it give the rest up while one waits, and none gives up more. */
#include "policy/elastic/sharing.h"

static void share(hc_elastic *x)
{
  const int64_t left = hc_elastic_deal(x, x->free, hc_elastic_earlier, hc_elastic_prefers);
  if (x->wants == 0) (void)hc_elastic_deal(x, left, hc_elastic_smaller, hc_elastic_most);
  else
    (void)hc_elastic_take(x, hc_elastic_missing(x, hc_elastic_prefers), hc_elastic_larger,
                          hc_elastic_prefers);
}

static int64_t start(int64_t least, int64_t most, int64_t prefers, int64_t room)
{
  (void)most;
  return prefers <= room ? prefers : least;
}

const hc_elastic_strategy hc_elastic_keep_preferred = {
    .name = "keep_preferred", .share = share, .start = start};
