/* sharing.c -- what strategies are made of. See sharing.h.
 *
 * Slots go one by one to or from the task that is first by an order over targets as they come to be, so that
 * "smallest first" levels sizes. A heap keeps which is first: O(slots that move x log tasks), and O(tasks);
 * smallest first is O(tasks x log size). */
#include "policy/elastic/sharing.h"

#include "base/util.h"

int64_t hc_elastic_least(const hc_sharer *t)
{
  return t->least;
}

int64_t hc_elastic_most(const hc_sharer *t)
{
  return t->most;
}

int64_t hc_elastic_prefers(const hc_sharer *t)
{
  return t->prefers;
}

bool hc_elastic_larger(const hc_sharer *a, const hc_sharer *b)
{
  return a->target != b->target ? a->target > b->target : a->serial > b->serial;
}

bool hc_elastic_smaller(const hc_sharer *a, const hc_sharer *b)
{
  return a->target != b->target ? a->target < b->target : a->serial < b->serial;
}

bool hc_elastic_earlier(const hc_sharer *a, const hc_sharer *b)
{
  return a->serial < b->serial;
}

/* The tasks themselves are the heap, the first at its root. */
static void sift(hc_sharer *heap, size_t count, size_t i, hc_elastic_before before)
{
  for (size_t child; (child = 2 * i + 1) < count; i = child) {
    if (child + 1 < count && before(&heap[child + 1], &heap[child])) child++;
    if (!before(&heap[child], &heap[i])) return;
    const hc_sharer t = heap[i];
    heap[i] = heap[child];
    heap[child] = t;
  }
}

/* @param by -1: slots are taken, down to a bound; 1: they are dealt, up to one @return units still to be
 * moved */
static int64_t move(hc_elastic *x, int64_t units, hc_elastic_before before, hc_elastic_bound bound, int by)
{
  size_t n = x->count;
  if (units <= 0) return units;
  for (size_t i = n / 2; i-- > 0;) sift(x->tasks, n, i, before);
  while (n > 0 && units > 0) {
    hc_sharer *t = &x->tasks[0];
    const bool may = by < 0 ? t->target > bound(t) : t->target < bound(t) && t->each <= units;
    if (may) {
      t->target += by;
      units -= t->each;
    } else { /* it is out */
      const hc_sharer out = *t;
      *t = x->tasks[--n];
      x->tasks[n] = out;
    }
    sift(x->tasks, n, 0, before);
  }
  return units;
}

int64_t hc_elastic_take(hc_elastic *x, int64_t units, hc_elastic_before before, hc_elastic_bound floor)
{
  return HC_MAX(move(x, units, before, floor, -1), 0);
}

/* What it takes to bring all that are below a size up to it, as far as ceilings let them. */
static int64_t cost_of(const hc_elastic *x, int64_t size, hc_elastic_bound ceiling)
{
  int64_t sum = 0;
  for (size_t i = 0; i < x->count; i++) {
    const hc_sharer *t = &x->tasks[i];
    sum += HC_MAX(HC_MIN(size, ceiling(t)) - t->target, 0) * t->each;
  }
  return sum;
}

/* The size that `units` bring all to that are below it, rounded down. It is looked for from that which would
 * be reached if no ceiling were in the way and none above it: near it where most are alike. */
static int64_t level_of(const hc_elastic *x, int64_t units, hc_elastic_bound ceiling)
{
  int64_t low = 0, high = 0, sum = 0, each = 0, guess;
  for (size_t i = 0; i < x->count; i++) {
    const hc_sharer *t = &x->tasks[i];
    high = HC_MAX(high, ceiling(t));
    sum += t->target * t->each;
    each += t->each;
  }
  guess = each > 0 ? HC_MIN((sum + units) / each, high) : 0;
  for (int64_t step = 1; low < high; guess = HC_MIN(low + step, high), step *= 2) {
    if (cost_of(x, guess, ceiling) > units) {
      high = guess - 1;
      break;
    }
    low = guess;
  }
  while (low < high) {
    const int64_t middle = low + (high - low + 1) / 2;
    if (cost_of(x, middle, ceiling) <= units) low = middle;
    else high = middle - 1;
  }
  return low;
}

/* Smallest first levels sizes; what is left is less than a slot each. @return units that are left */
static int64_t level(hc_elastic *x, int64_t units, hc_elastic_bound ceiling)
{
  const int64_t low = level_of(x, units, ceiling);
  units -= cost_of(x, low, ceiling);
  for (size_t i = 0; i < x->count; i++) {
    hc_sharer *t = &x->tasks[i];
    t->target = HC_MAX(t->target, HC_MIN(low, ceiling(t)));
  }
  return units;
}

int64_t hc_elastic_deal(hc_elastic *x, int64_t units, hc_elastic_before before, hc_elastic_bound ceiling)
{
  if (before == hc_elastic_smaller && units > 0) units = level(x, units, ceiling);
  return move(x, units, before, ceiling, 1);
}

int64_t hc_elastic_spare(const hc_elastic *x, hc_elastic_bound floor)
{
  int64_t sum = 0;
  for (size_t i = 0; i < x->count; i++)
    sum += HC_MAX(x->tasks[i].target - floor(&x->tasks[i]), 0) * x->tasks[i].each;
  return sum;
}

int64_t hc_elastic_missing(const hc_elastic *x, hc_elastic_bound floor)
{
  const int64_t missing = x->first - x->free;
  return missing > 0 && missing <= hc_elastic_spare(x, floor) ? missing : 0;
}
