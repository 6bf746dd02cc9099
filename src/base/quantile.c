/* quantile.c -- a sample that turns into a histogram when it has grown. See quantile.h. */
#include "base/quantile.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/radix.h"
#include "base/state.h"
#include "base/util.h"

/* Step 0 holds zero; step 1 begins at 1.0, whose exponent field is 1023. */
#define STEP_SHIFT (52 - HC_QUANTILE_BITS)
#define FIRST ((uint64_t)1023 << HC_QUANTILE_BITS)
#define STEPS (((size_t)64 << HC_QUANTILE_BITS) + 1)
#define MOST_ASKED ((size_t)16) /* at once, of values that were kept */

static uint64_t bits_of(double x)
{
  uint64_t b;
  memcpy(&b, &x, sizeof b);
  return b;
}

static double real_of(uint64_t b)
{
  double x;
  memcpy(&x, &b, sizeof x);
  return x;
}

/* The bits of a positive double, cut after the exponent and ten places, number the steps in order. */
static size_t step_of(uint64_t bits)
{
  uint64_t place = bits >> STEP_SHIFT;
  if (place < FIRST) return 0;
  return HC_MIN((size_t)(place - FIRST) + 1, STEPS - 1);
}

static double middle_of(size_t step)
{
  if (step == 0) return 0;
  return real_of((((uint64_t)step - 1 + FIRST) << STEP_SHIFT) + ((uint64_t)1 << (STEP_SHIFT - 1)));
}

void hc_quantile_init(hc_quantile *q, const hc_allocator *a)
{
  *q = (hc_quantile){.allocator = a};
}

void hc_quantile_fini(hc_quantile *q)
{
  hc_free(q->allocator, q->items, q->cap * sizeof *q->items);
  hc_quantile_init(q, q->allocator);
}

static hc_rc start_counting(hc_quantile *q)
{
  uint64_t *counts;
  if (q->counts) return 0;
  if (!(counts = hc_alloc(q->allocator, STEPS * sizeof *counts))) return HC_ENOMEM;
  for (size_t i = 0; i < q->count; i++) counts[step_of(q->items[i])]++;
  hc_free(q->allocator, q->items, q->cap * sizeof *q->items);
  q->items = counts;
  q->count = q->cap = STEPS;
  q->counts = 1;
  return 0;
}

/* Two tight loops, for the two ways of keeping. -0 becomes 0: its bits would sort last. */
static void keep_each(uint64_t *to, const double *values, size_t n)
{
  for (size_t i = 0; i < n; i++) to[i] = bits_of(values[i] > 0 ? values[i] : 0);
}

static void count_each(uint64_t *counts, const double *values, size_t n)
{
  for (size_t i = 0; i < n; i++) counts[step_of(bits_of(values[i] > 0 ? values[i] : 0))]++;
}

hc_rc hc_quantile_add(hc_quantile *q, const double *values, size_t n)
{
  double least = q->n ? q->least : __builtin_inf(), greatest = q->greatest;
  if (n == 0) return 0;
  if (!q->counts && n > HC_QUANTILE_EXACT - q->count) TRY(start_counting(q));
  if (q->counts) {
    count_each(q->items, values, n);
  } else {
    TRY(hc_reserve(q->allocator, (void **)&q->items, &q->cap, q->count + n, sizeof *q->items));
    keep_each(q->items + q->count, values, n);
    q->count += n;
  }
  for (size_t i = 0; i < n; i++) {
    least = values[i] < least ? values[i] : least;
    greatest = values[i] > greatest ? values[i] : greatest;
  }
  q->n += n;
  q->least = least > 0 ? least : 0;
  q->greatest = greatest;
  return 0;
}

hc_rc hc_quantile_merge(hc_quantile *q, const hc_quantile *from)
{
  if (from->n == 0) return 0;
  if (from->counts || q->counts || from->count > HC_QUANTILE_EXACT - q->count) TRY(start_counting(q));
  if (!q->counts) {
    TRY(hc_reserve(q->allocator, (void **)&q->items, &q->cap, q->count + from->count, sizeof *q->items));
    memcpy(q->items + q->count, from->items, from->count * sizeof *q->items);
    q->count += from->count;
  } else if (from->counts) {
    for (size_t i = 0; i < STEPS; i++) q->items[i] += from->items[i];
  } else {
    for (size_t i = 0; i < from->count; i++) q->items[step_of(from->items[i])]++;
  }
  if (q->n == 0 || from->least < q->least) q->least = from->least;
  if (q->n == 0 || from->greatest > q->greatest) q->greatest = from->greatest;
  q->n += from->n;
  return 0;
}

/* ceil(n permille / 1000), at least 1, without overflow. */
static uint64_t rank_of(uint64_t n, int permille)
{
  uint64_t p = (uint64_t)permille, rank = n / 1000 * p + (n % 1000 * p + 999) / 1000;
  return HC_MAX(rank, 1);
}

static hc_rc get_exact(const hc_quantile *q, const int *q_permille, size_t n, double *out)
{
  uint64_t ranks[MOST_ASKED], keys[MOST_ASKED];
  for (size_t from = 0; from < n; from += MOST_ASKED) {
    const size_t count = HC_MIN(n - from, MOST_ASKED);
    for (size_t i = 0; i < count; i++) ranks[i] = rank_of(q->n, q_permille[from + i]) - 1;
    TRY(hc_keys_at(q->allocator, q->items, q->count, ranks, count, keys));
    for (size_t i = 0; i < count; i++) out[from + i] = real_of(keys[i]);
  }
  return 0;
}

hc_rc hc_quantile_get(const hc_quantile *q, const int *q_permille, size_t n, double *out)
{
  uint64_t below = 0;
  size_t step = 0;
  if (q->n == 0) {
    for (size_t i = 0; i < n; i++) out[i] = __builtin_nan("");
    return 0;
  }
  if (n == 0 || rank_of(q->n, q_permille[0]) == q->n) { /* they ascend: all are the greatest */
    for (size_t i = 0; i < n; i++) out[i] = q->greatest;
    return 0;
  }
  if (!q->counts) return get_exact(q, q_permille, n, out);
  for (size_t i = 0; i < n; i++) {
    uint64_t rank = rank_of(q->n, q_permille[i]);
    while (step < STEPS - 1 && below + q->items[step] < rank) below += q->items[step++];
    out[i] = HC_MAX(q->least, HC_MIN(middle_of(step), q->greatest));
    if (rank == q->n) out[i] = q->greatest;
  }
  return 0;
}

hc_rc hc_quantile_visit(hc_quantile *q, hc_visitor *v)
{
  HC_VISIT(v, q->n);
  HC_VISIT(v, q->least);
  HC_VISIT(v, q->greatest);
  HC_VISIT(v, q->counts);
  HC_VISIT_ARRAY(v, q->items, q->count, q->cap);
  /* A damaged snapshot must not index past its own items. */
  if (q->counts > 1 || (q->counts ? q->count != STEPS : q->count != q->n || q->count > HC_QUANTILE_EXACT))
    return HC_EINPUT;
  return 0;
}

hc_rc hc_quantile_find(const hc_quantile *q, hc_findings *f, const char *prefix, const char *unit,
                       double divisor)
{
  static const int permille[] = {500, 900, 950, 990, 1000};
  static const char *const suffix[] = {"p50", "p90", "p95", "p99", "max"};
  char names[HC_ARRAY_LEN(permille)][64];
  double values[HC_ARRAY_LEN(permille)];
  int wanted[HC_ARRAY_LEN(permille)];
  size_t n = 0;
  for (size_t i = 0; i < HC_ARRAY_LEN(permille); i++) {
    (void)snprintf(names[n], sizeof names[n], "%s_%s", prefix, suffix[i]);
    if (hc_find_wants(f, names[n])) wanted[n++] = permille[i];
  }
  TRY(hc_quantile_get(q, wanted, n, values));
  for (size_t i = 0; i < n; i++) TRY(hc_find_real(f, names[i], unit, values[i] / divisor));
  return 0;
}
