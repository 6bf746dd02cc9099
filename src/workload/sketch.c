/* sketch.c -- a sample that turns into a histogram when it has grown. See sketch.h. */
#include "workload/sketch.h"

#include <string.h>

#include "base/sort.h"
#include "base/util.h"

void hc_sketch_init(hc_sketch *s, const hc_allocator *a, uint32_t exact, uint32_t bits)
{
  *s = (hc_sketch){.allocator = a, .exact = exact, .bits = bits};
}

void hc_sketch_fini(hc_sketch *s)
{
  const size_t size = ((size_t)1 << s->bits) * sizeof(uint64_t);
  if (!s->allocator) return;
  hc_free(s->allocator, s->values, s->cap * sizeof *s->values);
  for (size_t i = 0; i < HC_ARRAY_LEN(s->steps); i++)
    if (s->steps[i]) hc_free(s->allocator, s->steps[i], size);
  *s = (hc_sketch){0};
}

bool hc_sketch_is_exact(const hc_sketch *s)
{
  return s->steps[0] == NULL;
}

/* Page 0 has a step for each value below 2^bits; page p > 0 the values from 2^(bits + p - 1), in steps of
 * 2^(p - 1). */
static unsigned page_of(const hc_sketch *s, int64_t value, size_t *step)
{
  const unsigned length = value > 0 ? (unsigned)(64 - __builtin_clzll((uint64_t)value)) : 0;
  if (length <= s->bits) {
    *step = (size_t)value;
    return 0;
  }
  const unsigned page = length - s->bits;
  *step = (size_t)((uint64_t)value >> (page - 1)) & (((size_t)1 << s->bits) - 1);
  return page;
}

static double middle_of(const hc_sketch *s, unsigned page, size_t step)
{
  if (page == 0) return (double)step;
  const double width = (double)(UINT64_C(1) << (page - 1));
  return ((double)((size_t)1 << s->bits) + (double)step) * width + (width - 1) / 2;
}

static hc_rc count(hc_sketch *s, int64_t value, uint64_t times)
{
  size_t step;
  const unsigned page = page_of(s, value, &step);
  if (!s->steps[page]) {
    s->steps[page] = hc_alloc(s->allocator, ((size_t)1 << s->bits) * sizeof(uint64_t));
    if (!s->steps[page]) return HC_ENOMEM;
  }
  s->steps[page][step] += times;
  return 0;
}

static hc_rc start_counting(hc_sketch *s)
{
  if (s->steps[0]) return 0;
  s->steps[0] = hc_alloc(s->allocator, ((size_t)1 << s->bits) * sizeof(uint64_t));
  if (!s->steps[0]) return HC_ENOMEM;
  for (size_t i = 0; i < s->count; i++) TRY(count(s, s->values[i], 1));
  hc_free(s->allocator, s->values, s->cap * sizeof *s->values);
  s->values = NULL;
  s->count = s->cap = 0;
  return 0;
}

hc_rc hc_sketch_add(hc_sketch *s, int64_t value, uint64_t times)
{
  if (times == 0) return 0;
  if (value < 0) value = 0;
  if (s->n == 0 || value < s->least) s->least = value;
  if (s->n == 0 || value > s->most) s->most = value;
  s->n += times;
  s->sum += (double)value * (double)times;
  if (!s->steps[0] && (times > s->exact || s->count + times > s->exact)) TRY(start_counting(s));
  if (s->steps[0]) return count(s, value, times);
  TRY(hc_reserve(s->allocator, (void **)&s->values, &s->cap, s->count + (size_t)times, sizeof *s->values));
  for (uint64_t i = 0; i < times; i++) s->values[s->count++] = value;
  s->sorted = false;
  return 0;
}

hc_rc hc_sketch_merge(hc_sketch *s, const hc_sketch *from)
{
  const double sum = s->sum + from->sum;
  const uint64_t n = s->n + from->n;
  if (from->n == 0) return 0;
  for (size_t i = 0; i < from->count; i++) TRY(hc_sketch_add(s, from->values[i], 1));
  if (from->steps[0]) {
    TRY(start_counting(s));
    for (unsigned page = 0; page < HC_ARRAY_LEN(from->steps); page++) {
      if (!from->steps[page]) continue;
      for (size_t i = 0; i < (size_t)1 << s->bits; i++)
        if (from->steps[page][i] > 0) TRY(count(s, (int64_t)middle_of(from, page, i), from->steps[page][i]));
    }
    s->least = s->n > 0 ? HC_MIN(s->least, from->least) : from->least;
    s->most = s->n > 0 ? HC_MAX(s->most, from->most) : from->most;
  }
  s->n = n;
  s->sum = sum;
  return 0;
}

HC_SORT(sort_values, int64_t, *a < *b)

/* The value of a rank, from 1. */
static double at_rank(const hc_sketch *s, uint64_t rank)
{
  if (!s->steps[0]) return (double)s->values[rank - 1];
  for (unsigned page = 0; page < HC_ARRAY_LEN(s->steps); page++) {
    for (size_t i = 0; s->steps[page] && i < (size_t)1 << s->bits; i++) {
      if (s->steps[page][i] < rank) {
        rank -= s->steps[page][i];
        continue;
      }
      return HC_MAX((double)s->least, HC_MIN((double)s->most, middle_of(s, page, i)));
    }
  }
  return (double)s->most;
}

void hc_sketch_quantiles(hc_sketch *s, const double *shares, size_t n, double *out)
{
  if (!s->sorted) sort_values(s->values, s->count);
  s->sorted = true;
  for (size_t i = 0; i < n; i++) {
    uint64_t rank = (uint64_t)(shares[i] * (double)s->n);
    if ((double)rank < shares[i] * (double)s->n) rank++;
    rank = HC_MAX(HC_MIN(rank, s->n), 1);
    out[i] = s->n == 0 ? (double)__builtin_nanf("") : at_rank(s, rank);
  }
}
