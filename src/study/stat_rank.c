/* stat_rank.c -- paired differences: Student's t, the sign test, Wilcoxon's signed ranks.
 *
 * Zeros are left out of both rank tests, as Wilcoxon did. With n differences left, each of the 2^n
 * assignments of signs to the (mid-)ranks is equally likely if there is no difference; up to 50 they are
 * counted, on doubled ranks so that mid-ranks are whole; counts stay below 2^50 and are exact in a double.
 * Beyond, the normal distribution with the variance of the ranks as they are (which is the correction for
 * ties) and a half for continuity. The sign test is the binomial distribution with 1/2. Sources: Conover,
 * Practical Nonparametric Statistics, sections 3.4 and 5.7; Wilcoxon 1945, doi:10.2307/3001968. Cost: O(n log
 * n), and O(n^3) of additions up to 50. */
#include <string.h>

#include "base/math.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/util.h"
#include "study/stat_parts.h"

#define EXACT_LIMIT 50u
#define RANK_SUM_LIMIT (EXACT_LIMIT * (EXACT_LIMIT + 1) + 1) /* of doubled ranks */

HC_SORT(sort_values, double, *a < *b)

void hc_stat_sort(double *values, size_t count)
{
  sort_values(values, count);
}

typedef struct ranked {
  double size;
  uint64_t doubled; /* twice the mid-rank */
  bool is_above;
} ranked;

/* Equal ones get one rank. */
HC_SORT(sort_by_size, ranked, a->size < b->size)

static void give_ranks(ranked *r, size_t n)
{
  for (size_t i = 0; i < n;) {
    size_t end = i + 1;
    while (end < n && r[end].size == r[i].size) end++;
    for (size_t k = i; k < end; k++) r[k].doubled = i + 1 + end; /* ranks i + 1 to end */
    i = end;
  }
}

/* Share of all assignments of signs whose sum of positive doubled ranks is at most `sum`. */
static double exact_below(const ranked *r, size_t n, uint64_t sum)
{
  double ways[RANK_SUM_LIMIT] = {1.0}, below = 0, all = 1;
  uint64_t most = 0;
  for (size_t i = 0; i < n; i++) {
    most += r[i].doubled;
    all *= 2;
    for (uint64_t s = most; s >= r[i].doubled; s--) ways[s] += ways[s - r[i].doubled];
  }
  for (uint64_t s = 0; s <= sum; s++) below += ways[s];
  return below / all;
}

static double normal_below(const ranked *r, size_t n, double sum)
{
  double squares = 0, center = (double)n * ((double)n + 1) / 4, z;
  for (size_t i = 0; i < n; i++) squares += 0.25 * (double)r[i].doubled * (double)r[i].doubled;
  z = (sum - center + 0.5) / hc_sqrt(0.25 * squares);
  return hc_normal_below(z);
}

/* P(the sum of positive doubled ranks <= sum). */
static double rank_sum_below(const ranked *r, size_t n, uint64_t sum)
{
  if (n == 0) return 1.0;
  return n <= EXACT_LIMIT ? exact_below(r, n, sum) : normal_below(r, n, 0.5 * (double)sum);
}

static double sign_p(uint64_t above, uint64_t below)
{
  uint64_t n = above + below, k = HC_MIN(above, below);
  double ways = 1, sum = 1;
  if (n == 0) return 1.0;
  if (n <= EXACT_LIMIT) { /* whole numbers below 2^50 */
    for (uint64_t i = 0; i < k; i++) sum += ways = ways * (double)(n - i) / (double)(i + 1);
    return HC_MIN(1.0, 2 * sum / (double)((uint64_t)1 << n));
  }
  return HC_MIN(1.0, 2 * hc_beta_below((double)(n - k), (double)k + 1, 0.5));
}

/* Ranks of the differences to a bound that are not zero, into r [count]. @return how many; the doubled sum of
 * the positive ones. */
static size_t rank(ranked *r, const double *differences, size_t count, double bound, uint64_t *positive)
{
  size_t n = 0;
  for (size_t i = 0; i < count; i++) {
    const double d = differences[i] - bound;
    if (!(d > 0) && !(d < 0)) continue; /* NaN too */
    r[n++] = (ranked){.size = d < 0 ? -d : d, .is_above = d > 0};
  }
  sort_by_size(r, n);
  give_ranks(r, n);
  *positive = 0;
  for (size_t i = 0; i < n; i++) *positive += r[i].is_above ? r[i].doubled : 0;
  return n;
}

hc_rc hc_stat_signed_sides(const hc_allocator *a, const double *differences, size_t count, double bound,
                           hc_stat_sides *out)
{
  ranked *r = hc_alloc(a, (count + 1) * sizeof *r);
  uint64_t positive;
  size_t n;
  if (!r) return HC_ENOMEM;
  n = rank(r, differences, count, bound, &positive);
  out->below = rank_sum_below(r, n, positive);
  out->above = rank_sum_below(r, n, (uint64_t)n * (n + 1) - positive); /* as likely by symmetry */
  hc_free(a, r, (count + 1) * sizeof *r);
  return 0;
}

hc_rc hc_stat_ranks(const hc_allocator *a, const double *differences, size_t count, hc_stat_pairs *out)
{
  ranked *r = hc_alloc(a, (count + 1) * sizeof *r);
  uint64_t positive, all;
  size_t n;
  if (!r) return HC_ENOMEM;
  out->above = out->below = 0;
  for (size_t i = 0; i < count; i++) {
    out->above += differences[i] > 0;
    out->below += differences[i] < 0;
  }
  n = rank(r, differences, count, 0, &positive);
  all = (uint64_t)n * (n + 1);
  out->rank_sum = 0.5 * (double)positive;
  out->is_exact = n <= EXACT_LIMIT;
  out->p_wilcoxon = HC_MIN(1.0, 2 * rank_sum_below(r, n, HC_MIN(positive, all - positive)));
  out->p_sign = sign_p(out->above, out->below);
  hc_free(a, r, (count + 1) * sizeof *r);
  return 0;
}

hc_rc hc_stat_paired_t(const double *differences, size_t count, double level, hc_stat_pairs *out)
{
  hc_stat_mean *m = &out->difference;
  TRY(hc_stat_mean_of(differences, count, level, m));
  out->t = out->p_t = __builtin_nan("");
  if (m->count < 2) return 0;
  if (m->deviation > 0) {
    out->t = m->mean / (m->deviation / hc_sqrt((double)m->count));
    out->p_t = hc_student_outside(out->t, (double)(m->count - 1));
  } else {
    out->t = m->mean == 0 ? 0 : m->mean > 0 ? __builtin_inf() : -__builtin_inf();
    out->p_t = m->mean == 0 ? 1.0 : 0.0;
  }
  return 0;
}

hc_rc hc_stat_pairs_of(const hc_allocator *a, const double *x, const double *y, size_t count, double level,
                       hc_stat_pairs *out)
{
  hc_stat_pairs pairs = {0};
  double *d;
  hc_rc rc;
  if (!(level > 0) || !(level < 1)) return HC_EUSAGE;
  d = hc_alloc(a, (count + 1) * sizeof *d);
  if (!d) return HC_ENOMEM;
  for (size_t i = 0; i < count; i++) d[i] = x[i] - y[i];
  rc = hc_stat_paired_t(d, count, level, &pairs);
  if (rc >= 0) rc = hc_stat_ranks(a, d, count, &pairs);
  hc_free(a, d, (count + 1) * sizeof *d);
  if (rc >= 0) *out = pairs;
  return rc;
}
