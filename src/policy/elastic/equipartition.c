/* equipartition.c -- all that run have as many, as far as their bounds let them, and the first that waits has
 * its least. A task starts with what is free, up to its most: those that run give up at their next point what
 * it is to have beyond that. Source: McCann, Vaswani and Zahorjan, "A dynamic processor allocation policy for
 * multiprogrammed shared-memory multiprocessors", ACM TOCS 11(2), 1993, and the references there. */
#include "policy/elastic/sharing.h"

static void share(hc_elastic *x)
{
  int64_t all = x->free - x->first;
  for (size_t i = 0; i < x->count; i++) {
    all += (x->tasks[i].size - x->tasks[i].least) * x->tasks[i].each;
    x->tasks[i].target = x->tasks[i].least;
  }
  (void)hc_elastic_deal(x, all, hc_elastic_smaller, hc_elastic_most);
}

static int64_t start(int64_t least, int64_t most, int64_t prefers, int64_t room)
{
  (void)prefers;
  return room >= most ? most : room > least ? room : least;
}

const hc_elastic_strategy hc_elastic_equipartition = {
    .name = "equipartition", .share = share, .start = start};
