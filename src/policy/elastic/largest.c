/* largest.c -- tasks start with as many as there is room for; for one that waits nodes are stolen from the
 * largest that run, and what is free while none waits goes to the smallest. */
#include "policy/elastic/sharing.h"

static void share(hc_elastic *x)
{
  if (x->wants > 0)
    (void)hc_elastic_take(x, hc_elastic_missing(x, hc_elastic_least), hc_elastic_larger, hc_elastic_least);
  else (void)hc_elastic_deal(x, x->free, hc_elastic_smaller, hc_elastic_most);
}

static int64_t start(int64_t least, int64_t most, int64_t prefers, int64_t room)
{
  (void)prefers;
  return room >= most ? most : room > least ? room : least;
}

const hc_elastic_strategy hc_elastic_largest = {.name = "largest", .share = share, .start = start};
