/* steal_agreement.c -- as agreement, and what free nodes do not fill is stolen: tasks below what they prefer
 * take from those above it, the largest first, whether one waits or not; and for one that waits those that
 * run give up down to their least, agreements that are filled before those that are not. */
#include "policy/elastic/sharing.h"

static int64_t owed(const hc_elastic *x)
{
  int64_t sum = 0;
  for (size_t i = 0; i < x->count; i++)
    if (x->tasks[i].target < x->tasks[i].prefers)
      sum += (x->tasks[i].prefers - x->tasks[i].target) * x->tasks[i].each;
  return sum;
}

static void share(hc_elastic *x)
{
  const int64_t spare = hc_elastic_spare(x, hc_elastic_prefers);
  int64_t stolen = owed(x) - x->free;
  if (x->wants > 0) {
    (void)hc_elastic_take(x, hc_elastic_missing(x, hc_elastic_least), hc_elastic_larger, hc_elastic_least);
    return;
  }
  if (stolen > spare) stolen = spare;
  if (stolen > 0) (void)hc_elastic_take(x, stolen, hc_elastic_larger, hc_elastic_prefers);
  const int64_t left =
      hc_elastic_deal(x, x->free + (stolen > 0 ? stolen : 0), hc_elastic_earlier, hc_elastic_prefers);
  (void)hc_elastic_deal(x, left, hc_elastic_earlier, hc_elastic_most);
}

static int64_t start(int64_t least, int64_t most, int64_t prefers, int64_t room)
{
  (void)most;
  return room >= prefers ? prefers : room > least ? room : least;
}

const hc_elastic_strategy hc_elastic_steal_agreement = {
    .name = "steal_agreement", .share = share, .start = start};
