/* priority.c -- by the priority of tasks, then by their submission: those of little give up first, of each
 * other all that they can; those of much get first. */
#include "policy/elastic/sharing.h"

static bool lower(const hc_sharer *a, const hc_sharer *b)
{
  return a->priority != b->priority ? a->priority < b->priority : a->serial > b->serial;
}

static bool higher(const hc_sharer *a, const hc_sharer *b)
{
  return lower(b, a);
}

static void share(hc_elastic *x)
{
  if (x->wants > 0)
    (void)hc_elastic_take(x, hc_elastic_missing(x, hc_elastic_least), lower, hc_elastic_least);
  else (void)hc_elastic_deal(x, x->free, higher, hc_elastic_most);
}

static int64_t start(int64_t least, int64_t most, int64_t prefers, int64_t room)
{
  (void)prefers;
  return room >= most ? most : room > least ? room : least;
}

const hc_elastic_strategy hc_elastic_priority = {.name = "priority", .share = share, .start = start};
