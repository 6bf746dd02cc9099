/* agreement.c -- a task that starts with less than it prefers has an agreement: it is to have that later.
 * What comes to be free goes to agreements first, in the order in which they were made, then to tasks that
 * wait. These start with what there is, down to their least; those that run beyond what they prefer give the
 * rest up for them, the largest first. */
#include "policy/elastic/sharing.h"

static void share(hc_elastic *x)
{
  const int64_t left = hc_elastic_deal(x, x->free, hc_elastic_earlier, hc_elastic_prefers);
  if (x->wants == 0) (void)hc_elastic_deal(x, left, hc_elastic_earlier, hc_elastic_most);
  else
    (void)hc_elastic_take(x, hc_elastic_missing(x, hc_elastic_prefers), hc_elastic_larger,
                          hc_elastic_prefers);
}

static int64_t start(int64_t least, int64_t most, int64_t prefers, int64_t room)
{
  (void)most;
  return room >= prefers ? prefers : room > least ? room : least;
}

const hc_elastic_strategy hc_elastic_agreement = {.name = "agreement", .share = share, .start = start};
