/* licences.c -- amounts that belong to the cell as a whole (licences): never more is held than there are.
 *
 * How many there are says the configuration, what a task takes of them its demand: once, however many slots
 * it has. They are held from a task's start to its end, and not while it is suspended. Of earlier attempts
 * that asked for other amounts nothing is known; they are taken to have held none. Cost: O(n log n). */
#include <stdlib.h>

#include "base/util.h"
#include "base/wide.h"
#include "verify/parts.h"

typedef struct taken {
  int64_t serial;
  const int64_t *need;
} taken;

static int by_serial(const void *a, const void *b)
{
  const taken *x = a, *y = b;
  return (x->serial > y->serial) - (x->serial < y->serial);
}

static hc_rc sweep(hc_check *c, const taken *all, size_t n, uint32_t d, int64_t there)
{
  hc_wide held = {0};
  for (size_t i = 0; i < c->event_count; i++) {
    const hc_happens *h = &c->events[i];
    const hc_checked *t = &c->tasks[h->rank];
    const taken key = {.serial = c->records[t->record].serial};
    const taken *found;
    hc_wide with = held;
    if (h->kind != HC_STARTS && h->kind != HC_ENDS) continue;
    found = n > 0 ? bsearch(&key, all, n, sizeof *all, by_serial) : NULL;
    if (!found || found->need[d] == 0) continue;
    hc_wide_add(&with, h->kind == HC_STARTS ? found->need[d] : -found->need[d]);
    if (t->end > t->start) held = with;
    if (h->kind != HC_STARTS) continue;
    hc_held_to(c, HC_RULE_LICENCES, 1);
    if (with.hi == 0 && with.lo <= (uint64_t)there) continue;
    TRY(hc_find_on(c, HC_FOUND_NO_LICENCE, h->at, h->rank, 0, d, with.hi ? INT64_MAX : (int64_t)with.lo,
                   there));
  }
  return 0;
}

hc_rc hc_check_licences(hc_check *c)
{
  const hc_verify_hosts *h = c->options->hosts;
  const hc_verify_told *told = c->options->told;
  bool any = false;
  taken *all;
  hc_rc rc = 0;
  if (!h || !told) return 0;
  for (uint32_t d = 0; d < h->dimensions; d++) any |= told->licences[d] >= 0 && !h->is_of_hosts[d];
  if (!any) return 0;
  all = hc_alloc(c->allocator, h->demand_count * sizeof *all + 1);
  if (!all) return HC_ENOMEM;
  for (size_t i = 0; i < h->demand_count; i++) all[i] = (taken){h->demands[i].serial, h->demands[i].need};
  if (h->demand_count > 1) qsort(all, h->demand_count, sizeof *all, by_serial);
  for (uint32_t d = 0; d < h->dimensions && rc >= 0; d++)
    if (told->licences[d] >= 0 && !h->is_of_hosts[d])
      rc = sweep(c, all, h->demand_count, d, told->licences[d]);
  hc_free(c->allocator, all, h->demand_count * sizeof *all + 1);
  return rc;
}
