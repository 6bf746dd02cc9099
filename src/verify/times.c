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

static hc_rc take(const int64_t *n, const void *before, void *out)
{
  HC_UNUSED(before);
  *(hc_verify_time *)out = (hc_verify_time){.serial = n[0], .at = n[1]};
  return 0;
}

hc_rc hc_verify_times_read(const hc_allocator *a, hc_result *r, hc_verify_times *out, hc_error *e)
{
  static const hc_number_table table = {.name = "not_before",
                                        .what = "times before which tasks do not start",
                                        .columns = 2,
                                        .item = sizeof(hc_verify_time),
                                        .take = take};
  void *rows = NULL;
  *out = (hc_verify_times){0};
  const hc_rc rc = hc_number_table_read(&table, a, r, &rows, &out->count, e);
  out->times = rows;
  return rc;
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
