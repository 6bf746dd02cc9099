/* places.c -- processors with names: each task has as many as it runs on, of the machine, and none is held by
 * two.
 *
 * Ranges are cut at every number at which one begins or ends, so that the processors between two cuts are had
 * together or not at all; then a bit for each such piece says whether it is held, and a sweep over starts and
 * ends takes and gives them back. A task of no length is held to its own ranges alone. A task that was
 * suspended takes the same ones again. Of attempts that were stopped, or lost, records do not say where they
 * were. Cost: O(p log p) for p ranges, and a word for 64 pieces that a task holds at each start and end. */
#include <stdlib.h>

#include "base/sort.h"
#include "base/util.h"
#include "verify/parts.h"

typedef struct piece_range {
  int64_t serial, count;
  size_t from, to; /* pieces */
} piece_range;

typedef struct places {
  hc_check *c;
  const hc_verify_told *told;
  piece_range *ranges; /* [place_count] by serial */
  int64_t *cuts;       /* [cut_count] ascending */
  size_t cut_count;
  uint64_t *held; /* a bit a piece */
  size_t words;
} places;

static int by_number(const void *a, const void *b)
{
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

HC_SORT(sort_ranges, piece_range, a->serial != b->serial ? a->serial < b->serial : a->from < b->from)

static bool is_inside(const places *s, const hc_verify_place *p)
{
  return p->first >= 0 && p->count > 0 && p->first <= s->c->capacity && p->count <= s->c->capacity - p->first;
}

static size_t piece_of(const places *s, int64_t number)
{
  const int64_t *at = bsearch(&number, s->cuts, s->cut_count, sizeof number, by_number);
  return (size_t)(at - s->cuts);
}

/* Ranges outside of the machine hold nothing. */
static void cut_up(places *s)
{
  size_t n = 0, cuts = 0;
  for (size_t i = 0; i < s->told->place_count; i++) {
    const hc_verify_place *p = &s->told->places[i];
    if (!is_inside(s, p)) continue;
    s->cuts[cuts++] = p->first;
    s->cuts[cuts++] = p->first + p->count;
  }
  if (cuts > 1) qsort(s->cuts, cuts, sizeof *s->cuts, by_number);
  for (size_t i = 0; i < cuts; i++)
    if (i == 0 || s->cuts[i] != s->cuts[n - 1]) s->cuts[n++] = s->cuts[i];
  s->cut_count = n;
  for (size_t i = 0; i < s->told->place_count; i++) {
    const hc_verify_place *p = &s->told->places[i];
    s->ranges[i] = (piece_range){.serial = p->serial};
    if (!is_inside(s, p)) continue;
    s->ranges[i].count = p->count;
    s->ranges[i].from = piece_of(s, p->first);
    s->ranges[i].to = piece_of(s, p->first + p->count);
  }
  sort_ranges(s->ranges, s->told->place_count);
}

static size_t first_of(const places *s, int64_t serial)
{
  size_t low = 0, high = s->told->place_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (s->ranges[middle].serial < serial) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* ---- each by itself ---- */

static hc_rc check_ranges(places *s)
{
  for (size_t i = 0; i < s->told->place_count; i++) {
    const hc_verify_place *p = &s->told->places[i];
    const uint32_t record = hc_record_with(s->c, p->serial);
    if (is_inside(s, p) || record == UINT32_MAX) continue;
    TRY(hc_find(s->c, HC_FOUND_PLACE_OUTSIDE, s->c->given[record].start, s->c->ranks[record], UINT32_MAX,
                p->first, p->count));
  }
  return 0;
}

/* Is it recorded where the task was? */
static bool is_due(const places *s, const hc_task_record *t)
{
  if (t->start == HC_UNKNOWN) return false;
  if (t->final == HC_FINAL_RUNNING) return s->told->keeps_standing;
  return t->final == HC_FINAL_COMPLETED || t->final == HC_FINAL_KILLED || t->final == HC_FINAL_LOST;
}

static hc_rc check_counts(places *s)
{
  hc_check *c = s->c;
  for (size_t i = 0; i < c->report.tasks; i++) {
    const hc_task_record *t = &c->given[i];
    int64_t sum = 0;
    for (size_t k = first_of(s, t->serial); k < s->told->place_count && s->ranges[k].serial == t->serial; k++)
      if (__builtin_add_overflow(sum, s->ranges[k].count, &sum)) sum = INT64_MIN;
    if (is_due(s, t)) {
      hc_held_to(c, HC_RULE_PLACES, 1);
      if (sum == c->records[i].units) continue; /* if it was resized, of its first stretch */
    } else if (sum == 0) continue;
    TRY(hc_find(c, HC_FOUND_PLACE_COUNT, t->start, c->ranks[i], UINT32_MAX, sum,
                is_due(s, t) ? t->units : 0));
  }
  return 0;
}

/* ---- at each time ---- */

static uint64_t mask_of(size_t word, size_t from, size_t to)
{
  const size_t first = word * 64;
  uint64_t m = ~UINT64_C(0);
  if (from > first) m &= ~UINT64_C(0) << (from - first);
  if (to < first + 64) m &= ~(~UINT64_C(0) << (to - first));
  return m;
}

/* @return the first piece that was held already; cut_count if none was */
static size_t take(places *s, size_t from, size_t to)
{
  size_t twice = s->cut_count;
  for (size_t w = from / 64; from < to && w * 64 < to; w++) {
    const uint64_t m = mask_of(w, from, to), both = s->held[w] & m;
    if (both && twice == s->cut_count) twice = w * 64 + (size_t)__builtin_ctzll(both);
    s->held[w] |= m;
  }
  return twice;
}

static void give_back(places *s, size_t from, size_t to)
{
  for (size_t w = from / 64; from < to && w * 64 < to; w++) s->held[w] &= ~mask_of(w, from, to);
}

static hc_rc sweep(places *s)
{
  hc_check *c = s->c;
  for (size_t i = 0; i < c->event_count; i++) {
    const hc_happens *h = &c->events[i];
    const hc_checked *t = &c->tasks[h->rank];
    const int64_t serial = c->options->regrants ? c->records[t->record].serial : hc_serial_of(c, h->rank);
    size_t twice = s->cut_count;
    if (h->kind != HC_STARTS && h->kind != HC_ENDS) continue;
    if (t->end == t->start) continue;
    if (c->options->stops && !c->options->regrants && t->record >= c->report.tasks) continue;
    for (size_t k = first_of(s, serial); k < s->told->place_count && s->ranges[k].serial == serial; k++) {
      const size_t at = h->kind == HC_STARTS ? take(s, s->ranges[k].from, s->ranges[k].to) : s->cut_count;
      if (h->kind == HC_ENDS) give_back(s, s->ranges[k].from, s->ranges[k].to);
      if (at < twice) twice = at;
    }
    if (twice < s->cut_count)
      TRY(hc_find(c, HC_FOUND_PLACE_TWICE, h->at, h->rank, UINT32_MAX, s->cuts[twice], 0));
  }
  return 0;
}

hc_rc hc_check_places(hc_check *c)
{
  const hc_allocator *a = c->allocator;
  places s = {.c = c, .told = c->options->told};
  size_t n;
  hc_rc rc = HC_ENOMEM;
  if (!s.told || c->options->hosts || (!s.told->has_places && s.told->place_count == 0)) return 0;
  n = s.told->place_count;
  s.words = 2 * n / 64 + 1;
  s.ranges = hc_alloc(a, n * sizeof *s.ranges + 1);
  s.cuts = hc_alloc(a, 2 * n * sizeof *s.cuts + 1);
  s.held = hc_alloc(a, s.words * sizeof *s.held);
  if (s.ranges && s.cuts && s.held) {
    cut_up(&s);
    rc = check_ranges(&s);
    if (rc >= 0) rc = check_counts(&s);
    if (rc >= 0) rc = sweep(&s);
  }
  hc_free(a, s.ranges, n * sizeof *s.ranges + 1);
  hc_free(a, s.cuts, 2 * n * sizeof *s.cuts + 1);
  hc_free(a, s.held, s.words * sizeof *s.held);
  return rc;
}
