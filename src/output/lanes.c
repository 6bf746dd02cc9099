/* lanes.c -- see lanes.h. */
#include "output/lanes.h"

#include <string.h>

#include "base/sort.h"

HC_HEAP(held, hc_lane_held,
        a->end != b->end     ? a->end < b->end
        : a->band != b->band ? a->band < b->band
                             : a->first < b->first)

void hc_lanes_init(hc_lanes *l, const hc_allocator *a)
{
  *l = (hc_lanes){.allocator = a};
}

void hc_lanes_fini(hc_lanes *l)
{
  for (size_t i = 0; i < l->band_count; i++)
    hc_free(l->allocator, l->bands[i].gaps, l->bands[i].cap * sizeof *l->bands[i].gaps);
  hc_free(l->allocator, l->bands, l->band_cap * sizeof *l->bands);
  hc_free(l->allocator, l->held, l->held_cap * sizeof *l->held);
  hc_free(l->allocator, l->given, l->given_cap * sizeof *l->given);
}

hc_rc hc_lanes_add(hc_lanes *l, int64_t size)
{
  TRY(hc_reserve(l->allocator, (void **)&l->bands, &l->band_cap, l->band_count + 1, sizeof *l->bands));
  l->bands[l->band_count++] = (hc_lane_band){.first = l->total, .size = HC_MAX(size, 0)};
  l->total += HC_MAX(size, 0);
  return 0;
}

/* ---- gaps ---- */

static hc_rc insert_gap(hc_lanes *l, hc_lane_band *b, size_t at, hc_lane_gap gap)
{
  TRY(hc_reserve(l->allocator, (void **)&b->gaps, &b->cap, b->count + 1, sizeof *b->gaps));
  memmove(b->gaps + at + 1, b->gaps + at, (b->count - at) * sizeof *b->gaps);
  b->gaps[at] = gap;
  b->count++;
  return 0;
}

static void remove_gap(hc_lane_band *b, size_t at)
{
  b->count--;
  memmove(b->gaps + at, b->gaps + at + 1, (b->count - at) * sizeof *b->gaps);
}

/* Lanes are free again: they join the gaps that they touch. */
static hc_rc give_back(hc_lanes *l, hc_lane_band *b, int64_t first, int64_t count)
{
  size_t low = 0, high = b->count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (b->gaps[middle].first < first) low = middle + 1;
    else high = middle;
  }
  hc_lane_gap *before = low > 0 ? &b->gaps[low - 1] : NULL, *after = low < b->count ? &b->gaps[low] : NULL;
  const bool joins_before = before && before->first + before->count == first,
             joins_after = after && first + count == after->first;
  if (joins_before && joins_after) {
    before->count += count + after->count;
    remove_gap(b, low);
  } else if (joins_before) before->count += count;
  else if (joins_after) *after = (hc_lane_gap){first, count + after->count};
  else return insert_gap(l, b, low, (hc_lane_gap){first, count});
  return 0;
}

static hc_rc give_back_ended(hc_lanes *l, hc_time now)
{
  while (l->held_count > 0 && l->held[0].end <= now) {
    const hc_lane_held x = held_pop(l->held, &l->held_count);
    TRY(give_back(l, &l->bands[x.band], x.first, x.count));
  }
  return 0;
}

/* ---- taking ---- */

/* The smallest gap that holds all of it; the number of gaps if none does. */
static size_t tightest(const hc_lane_band *b, int64_t amount)
{
  size_t best = b->count;
  for (size_t i = 0; i < b->count; i++) {
    if (b->gaps[i].count < amount) continue;
    if (best == b->count || b->gaps[i].count < b->gaps[best].count) best = i;
  }
  return best;
}

static hc_rc take_of_gap(hc_lanes *l, uint32_t band, size_t at, int64_t amount, hc_time end)
{
  hc_lane_band *b = &l->bands[band];
  const hc_lane_gap taken = {b->gaps[at].first, amount};
  TRY(hc_reserve(l->allocator, (void **)&l->held, &l->held_cap, l->held_count + 1, sizeof *l->held));
  TRY(hc_reserve(l->allocator, (void **)&l->given, &l->given_cap, l->given_count + 1, sizeof *l->given));
  if (b->gaps[at].count == amount) remove_gap(b, at);
  else b->gaps[at] = (hc_lane_gap){taken.first + amount, b->gaps[at].count - amount};
  l->given[l->given_count++] = taken;
  held_rise(l->held, l->held_count++, (hc_lane_held){end, taken.first, amount, band});
  return 0;
}

hc_rc hc_lanes_take(hc_lanes *l, uint32_t band, hc_time start, hc_time end, int64_t amount)
{
  hc_lane_band *b = &l->bands[band];
  l->given_count = 0;
  TRY(give_back_ended(l, start));
  if (!b->is_open && b->size > 0) TRY(insert_gap(l, b, 0, (hc_lane_gap){b->first, b->size}));
  b->is_open = true;
  if (amount <= 0 || end <= start) return 0;
  const size_t whole = tightest(b, amount);
  if (whole < b->count) return take_of_gap(l, band, whole, amount, end);
  while (amount > 0 && b->count > 0) {
    const int64_t part = HC_MIN(amount, b->gaps[0].count);
    TRY(take_of_gap(l, band, 0, part, end));
    amount -= part;
  }
  return 0;
}
