/* timetable.c -- what is planned on a host, as steps: from a time on, so much of each dimension is used.
 *
 * The earliest gap is found by going through the steps once; steps that are equal are one. Cost: O(steps) a
 * call. */
#include "policy/workflow/timetable.h"

#include <string.h>

#include "base/mem.h"
#include "base/util.h"

hc_rc hc_timetable_init(hc_timetable *t, const hc_allocator *a, uint32_t dimensions, const int64_t *capacity)
{
  *t = (hc_timetable){.allocator = a, .dimensions = dimensions, .count = 1};
  memcpy(t->capacity, capacity, dimensions * sizeof *capacity);
  TRY(hc_reserve(a, (void **)&t->at, &t->at_cap, 4, sizeof *t->at));
  TRY(hc_reserve(a, (void **)&t->used, &t->used_cap, 4 * dimensions, sizeof *t->used));
  t->at[0] = -__builtin_inf();
  memset(t->used, 0, dimensions * sizeof *t->used);
  return 0;
}

void hc_timetable_fini(hc_timetable *t)
{
  hc_free(t->allocator, t->at, t->at_cap * sizeof *t->at);
  hc_free(t->allocator, t->used, t->used_cap * sizeof *t->used);
  *t = (hc_timetable){0};
}

static bool has_room(const hc_timetable *t, size_t step, const int64_t *demand)
{
  for (uint32_t d = 0; d < t->dimensions; d++)
    if (demand[d] > 0 && t->used[step * t->dimensions + d] + demand[d] > t->capacity[d]) return false;
  return true;
}

/* The step in which a time is. */
static size_t step_at(const hc_timetable *t, double time)
{
  size_t low = 0, high = t->count;
  while (high - low > 1) {
    const size_t mid = low + (high - low) / 2;
    if (t->at[mid] <= time) low = mid;
    else high = mid;
  }
  return low;
}

double hc_timetable_gap(const hc_timetable *t, double from, double length, const int64_t *demand)
{
  double start = from;
  for (size_t i = step_at(t, from); i < t->count; i++) {
    if (has_room(t, i, demand)) {
      if (i + 1 == t->count || t->at[i + 1] >= start + length) return start;
    } else if (i + 1 < t->count) {
      start = t->at[i + 1];
    }
  }
  return __builtin_inf();
}

/* A step begins at this time. @return 0 or HC_ENOMEM */
static hc_rc cut(hc_timetable *t, double time, size_t *out)
{
  const size_t at = step_at(t, time), n = t->dimensions;
  *out = at;
  if (t->at[at] == time) return 0;
  TRY(hc_reserve(t->allocator, (void **)&t->at, &t->at_cap, t->count + 1, sizeof *t->at));
  TRY(hc_reserve(t->allocator, (void **)&t->used, &t->used_cap, (t->count + 1) * n, sizeof *t->used));
  memmove(t->at + at + 2, t->at + at + 1, (t->count - at - 1) * sizeof *t->at);
  memmove(t->used + (at + 2) * n, t->used + (at + 1) * n, (t->count - at - 1) * n * sizeof *t->used);
  t->at[at + 1] = time;
  memcpy(t->used + (at + 1) * n, t->used + at * n, n * sizeof *t->used);
  t->count++;
  *out = at + 1;
  return 0;
}

static void join(hc_timetable *t, size_t at)
{
  const size_t n = t->dimensions;
  if (at == 0 || at >= t->count || memcmp(t->used + (at - 1) * n, t->used + at * n, n * sizeof *t->used) != 0)
    return;
  memmove(t->at + at, t->at + at + 1, (t->count - at - 1) * sizeof *t->at);
  memmove(t->used + at * n, t->used + (at + 1) * n, (t->count - at - 1) * n * sizeof *t->used);
  t->count--;
}

hc_rc hc_timetable_put(hc_timetable *t, double from, double to, const int64_t *demand, int sign)
{
  size_t first, last;
  if (!(from < to)) return 0;
  TRY(cut(t, from, &first));
  TRY(cut(t, to, &last));
  for (size_t i = first; i < last; i++)
    for (uint32_t d = 0; d < t->dimensions; d++)
      t->used[i * t->dimensions + d] += sign * HC_MAX(demand[d], 0);
  join(t, last);
  join(t, first);
  return 0;
}
