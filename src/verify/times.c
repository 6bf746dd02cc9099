/* times.c -- does a task start before its trace lets it (schedule_after)?
 *
 * The table `not_before` of a result says of each task that has such a time what it is: it is written when
 * the task arrives, before any policy has seen it, so that what the engine makes of it cannot hide here.
 * Every attempt that is in the records is held to it, the one of the task's row and those that a plan
 * stopped. What other checks make of it they find in hc_checked.earliest. Cost: O(n log n) in the times. */
#include <stdlib.h>

#include "base/util.h"
#include "verify/parts.h"

/* ---- the table ---- */

typedef struct reading {
  const hc_allocator *allocator;
  hc_verify_time *times;
  size_t count, cap;
} reading;

static hc_rc hear(void *ctx, const char *const *values)
{
  reading *r = ctx;
  int64_t n[2];
  TRY(hc_numbers_of(values, 2, n));
  TRY(hc_reserve(r->allocator, (void **)&r->times, &r->cap, r->count + 1, sizeof *r->times));
  r->times[r->count++] = (hc_verify_time){.serial = n[0], .at = n[1]};
  return 0;
}

hc_rc hc_verify_times_read(const hc_allocator *a, hc_result *r, hc_verify_times *out, hc_error *e)
{
  reading x = {.allocator = a};
  hc_rc rc = hc_result_rows(r, "not_before", 2, hear, &x, e);
  *out = (hc_verify_times){0};
  if (rc >= 0) rc = hc_fit(a, (void **)&x.times, &x.cap, x.count, sizeof *x.times);
  if (rc >= 0) {
    *out = (hc_verify_times){x.times, x.count};
    return x.count > 0;
  }
  hc_free(a, x.times, x.cap * sizeof *x.times);
  return hc_fail(e, rc, hc_result_path(r), 0, 0,
                 "its table of times before which tasks do not start cannot be read: %s", hc_rc_text(rc));
}

void hc_verify_times_free(const hc_allocator *a, hc_verify_times *t)
{
  hc_free(a, (void *)(uintptr_t)t->times, t->count * sizeof *t->times);
  *t = (hc_verify_times){0};
}

/* ---- the check ---- */

static int by_serial(const void *a, const void *b)
{
  const hc_verify_time *x = a, *y = b;
  return x->serial < y->serial ? -1 : x->serial > y->serial;
}

/* When the task of a record may start; HC_UNKNOWN: nothing says. */
static hc_time time_of(const hc_verify_times *sorted, int64_t serial)
{
  const hc_verify_time key = {.serial = serial};
  const hc_verify_time *found = bsearch(&key, sorted->times, sorted->count, sizeof *sorted->times, by_serial);
  return found ? found->at : HC_UNKNOWN;
}

/* An attempt that stands as a task of its own has its task's. */
static hc_rc check(hc_check *c, const hc_verify_times *sorted)
{
  for (uint32_t rank = 0; rank < c->count; rank++) {
    hc_checked *t = &c->tasks[rank];
    const hc_time at = time_of(sorted, hc_serial_of(c, rank));
    if (at > t->earliest) t->earliest = at;
    if (t->start != HC_UNKNOWN && t->start < at)
      TRY(hc_find(c, HC_FOUND_TOO_EARLY, t->start, rank, UINT32_MAX, at, 0));
  }
  return 0;
}

hc_rc hc_check_times(hc_check *c)
{
  const hc_verify_times *in = c->options->times;
  const size_t room = in->count * sizeof(hc_verify_time);
  hc_verify_time *sorted;
  hc_rc rc;
  if (in->count == 0) return 0;
  sorted = hc_alloc(c->allocator, room);
  if (!sorted) return HC_ENOMEM;
  for (size_t i = 0; i < in->count; i++) sorted[i] = in->times[i];
  qsort(sorted, in->count, sizeof *sorted, by_serial); /* of equal ones either will do: a task has one */
  hc_held_to(c, HC_RULE_TIME, in->count);
  rc = check(c, &(hc_verify_times){sorted, in->count});
  hc_free(c->allocator, sorted, room);
  return rc;
}
