/* popular.c -- the estimates that users give: few round values, most of them popular ones.
 *
 *  1. How many values: straight lines through (jobs, values) (0, 0) (20, 10) (200, 20) (1000, 35) (10000, 90)
 *     (70000, 340) (250000, 565), constant beyond; or 0.653566 jobs^0.547761.
 *  2. The head, 20 popular values: the largest estimate M, and below it 5, 15, 10, 20, 30 min, 1 to 6, 8, 10,
 *     12, 18 h; filled up with multiples of 200, 100, 50, 10, 5, 2, 1 h, 20, 10, 5 min, the largest first.
 *  3. Shares: the x-th most popular one has 14.0491 exp(-0.177531 x) + 0.462513 % of the jobs, x = 2 .. 20;
 *     the first the rest up to 89 %.
 *  4. Which is how popular: a walk over four logs' tables, see `popularity`.
 *  5. The tail: M (a - 1) x / (a - x), x = 1 / (K - 20) .. 1, a = 1 + 12.1039 K^-0.6026, to the minute, a few
 *     seconds aside if that is taken. The r-th of them in popularity has a share of r^-2.267, r = 21 .., of
 *     11 % in all; which one that is, is drawn.
 *  6. Shares become jobs: rounded, at least one each, then corrected until they add up.
 *  7. Jobs by run time, estimates by length, the longest first; job j draws one of the estimates from the
 *     j-th to the last that is not below its run time, and the j-th one takes the place of that.
 *
 * Ours, where the publication's description leaves it open. With fewer than 20 values the head is the first
 * of them in the order of step 2, their popularities keep their order, and their shares are scaled to 89 %
 * (100 % without a tail). Values that the caller gives replace the nearest value that is a filling, then the
 * nearest other, never M. In step 5 nothing is above M nor below 1 s. In step 6 what is missing or too much
 * is first spread in proportion, then by ones from the largest bin on; bins never fall below one job unless
 * there are more bins than jobs, when the smallest are dropped.
 *
 * Source: Tsafrir, Etsion & Feitelson, "Modeling user runtime estimates", JSSPP 2005, doi:10.1007/11605300_1,
 * and the authors' program as described by those who read it. */
#include "workload/popular.h"

#include <string.h>

#include "base/sort.h"
#include "base/util.h"

#define HEAD HC_POPULAR_HEAD
#define LOGS 4
#define HEAD_SHARE 89.0 /* % */
#define TAIL_SHARE 11.0

typedef struct value {
  hc_time time;
  double share; /* % */
  bool filled;  /* one of the multiples of step 2 */
} value;

/* ---- how many ---- */

int64_t hc_popular_count(hc_popular_rule rule, uint64_t jobs)
{
  static const double at[][2] = {{0, 0},      {20, 10},     {200, 20},    {1000, 35},
                                 {10000, 90}, {70000, 340}, {250000, 565}};
  const size_t last = HC_ARRAY_LEN(at) - 1;
  const double n = (double)jobs;
  size_t i = 1;
  double k;
  if (rule == HC_POPULAR_POWER) {
    k = 0.653566 * hc_pow(n, 0.547761);
  } else if (n >= at[last][0]) {
    k = at[last][1];
  } else {
    while (n >= at[i][0]) i++;
    k = at[i - 1][1] + (at[i][1] - at[i - 1][1]) * (n - at[i - 1][0]) / (at[i][0] - at[i - 1][0]);
  }
  return HC_MAX((int64_t)(HC_MIN(k, (double)HC_POPULAR_MOST) + 0.5), 1);
}

/* ---- the head ---- */

static bool has_value(const value *v, size_t n, hc_time t)
{
  for (size_t i = 0; i < n; i++)
    if (v[i].time == t) return true;
  return false;
}

static size_t fill(value *v, size_t n, size_t want, hc_time longest)
{
  static const hc_time steps[] = {200 * HC_HOUR,  100 * HC_HOUR, 50 * HC_HOUR, 10 * HC_HOUR,
                                  5 * HC_HOUR,    2 * HC_HOUR,   HC_HOUR,      20 * HC_MINUTE,
                                  10 * HC_MINUTE, 5 * HC_MINUTE};
  for (size_t i = 0; i < HC_ARRAY_LEN(steps); i++)
    for (hc_time t = (longest - 1) / steps[i] * steps[i]; t > 0 && n < want; t -= steps[i])
      if (!has_value(v, n, t)) v[n++] = (value){.time = t, .filled = true};
  return n;
}

/* Put a value that users ask for in place of the nearest filling, else of the nearest other; v[0] stays. */
static void replace(value *v, size_t n, hc_time t, bool *given)
{
  size_t best = 0;
  for (int pass = 0; pass < 2 && best == 0; pass++) {
    hc_time least = HC_NEVER;
    for (size_t i = 1; i < n; i++) {
      const hc_time away = v[i].time < t ? t - v[i].time : v[i].time - t;
      if (given[i] || (pass == 0 && !v[i].filled) || away >= least) continue;
      least = away;
      best = i;
    }
  }
  if (best == 0) return;
  v[best] = (value){.time = t};
  given[best] = true;
}

static void sort_values(value *v, size_t n)
{
  for (size_t i = 1; i < n; i++) {
    const value x = v[i];
    size_t at = i;
    for (; at > 0 && v[at - 1].time > x.time; at--) v[at] = v[at - 1];
    v[at] = x;
  }
}

/* v[0] is the largest estimate, the others ascend. @return how many there are. */
static size_t head_values(const hc_popular_options *o, size_t want, value *v)
{
  static const hc_time usual[] = {5 * HC_MINUTE,  15 * HC_MINUTE, 10 * HC_MINUTE, 20 * HC_MINUTE,
                                  30 * HC_MINUTE, HC_HOUR,        2 * HC_HOUR,    3 * HC_HOUR,
                                  4 * HC_HOUR,    5 * HC_HOUR,    6 * HC_HOUR,    8 * HC_HOUR,
                                  10 * HC_HOUR,   12 * HC_HOUR,   18 * HC_HOUR};
  bool given[HEAD] = {0};
  size_t n = 1;
  v[0] = (value){.time = o->longest};
  for (size_t i = 0; i < HC_ARRAY_LEN(usual) && n < want; i++)
    if (usual[i] < o->longest) v[n++] = (value){.time = usual[i]};
  n = fill(v, n, want, o->longest);
  for (size_t i = 0; i < o->given_count; i++) {
    for (size_t k = 1; k < n; k++) given[k] = given[k] || v[k].time == o->given[i];
    if (!has_value(v, n, o->given[i])) replace(v, n, o->given[i], given);
  }
  sort_values(v + 1, n - 1);
  return n;
}

/* Popularity of each time rank (0: the largest estimate, then ascending) in SDSC-SP2, CTC, KTH and Blue. */
static const unsigned char logs[HEAD][LOGS] = {
    {3, 1, 1, 1},     {1, 3, 4, 6},     {4, 4, 10, 5},    {17, 2, 14, 3},  {13, 12, 20, 7},
    {7, 9, 2, 2},     {8, 8, 3, 18},    {18, 18, 7, 19},  {2, 6, 12, 4},   {6, 7, 6, 11},
    {16, 11, 19, 20}, {10, 20, 5, 9},   {5, 16, 18, 10},  {15, 5, 16, 14}, {14, 14, 9, 13},
    {19, 13, 17, 16}, {11, 10, 15, 15}, {12, 15, 13, 17}, {9, 17, 8, 8},   {20, 19, 11, 12}};

/* Walk up the time ranks. Each row's popularities that are not taken go to a pool, as often as they occur.
 * One whose last row is reached is due: the most popular of these is taken; if there is none, the better
 * of two draws from the pool. */
static void popularity(bool longest_first, hc_draws *d, int rank[HEAD])
{
  unsigned char pool[HEAD * LOGS];
  size_t count = 0, last[HEAD + 1] = {0};
  bool taken[HEAD + 1] = {0};
  for (size_t t = 0; t < HEAD; t++)
    for (size_t k = 0; k < LOGS; k++) last[logs[t][k]] = t;
  for (size_t t = 0; t < HEAD; t++) {
    int chosen = 0;
    for (size_t k = 0; k < LOGS; k++)
      if (!taken[logs[t][k]]) pool[count++] = logs[t][k];
    for (int p = HEAD; p > 0; p--)
      if (!taken[p] && last[p] <= t) chosen = p;
    if (t == 0 && longest_first) chosen = 1;
    if (chosen == 0) {
      const int one = pool[hc_random_below(d, count)], other = pool[hc_random_below(d, count)];
      chosen = HC_MIN(one, other);
    }
    taken[chosen] = true;
    rank[t] = chosen;
    size_t left = 0;
    for (size_t i = 0; i < count; i++)
      if (pool[i] != chosen) pool[left++] = pool[i];
    count = left;
  }
}

/* Shares of the x-th most popular, from 1; of n of them, which add up to `all` %. */
static void head_shares(double share[HEAD + 1], size_t n, double all)
{
  double sum = 0, first = HEAD_SHARE;
  for (int x = 2; x <= HEAD; x++) {
    share[x] = 14.0491 * hc_exp(-0.177531 * x) + 0.462513;
    first -= share[x];
  }
  share[1] = first;
  for (size_t x = 1; x <= n; x++) sum += share[x];
  for (size_t x = 1; x <= n; x++) share[x] *= all / sum;
}

static void make_head(const hc_popular_options *o, hc_draws *d, value *v, size_t n, double all)
{
  double share[HEAD + 1];
  int rank[HEAD];
  popularity(o->longest_first, d, rank);
  head_shares(share, n, all);
  for (size_t t = 0; t < n; t++) {
    size_t place = 1; /* among those that there are */
    for (size_t i = 0; i < n; i++) place += rank[i] < rank[t];
    v[t].share = share[place];
  }
}

/* ---- the tail ---- */

/* A free place for a value near `t`; 0: there is none. */
static hc_time free_place(const value *v, size_t n, hc_time t, hc_time longest)
{
  static const int aside[] = {0, 30, -30, 20, -20, 10, -10}; /* seconds */
  for (size_t i = 0; i < HC_ARRAY_LEN(aside); i++) {
    const hc_time at = t + aside[i] * HC_SECOND;
    if (at >= HC_SECOND && at <= longest && !has_value(v, n, at)) return at;
  }
  return 0;
}

static size_t make_tail(const hc_popular_options *o, hc_draws *d, value *v, size_t head, size_t bins)
{
  const size_t want = bins - head;
  const double a = 1 + 12.1039 * hc_pow((double)bins, -0.6026), m = (double)o->longest / 6e10; /* minutes */
  double sum = 0;
  size_t n = head;
  for (size_t i = 1; i <= want; i++) {
    const double x = (double)i / (double)want, y = (a - 1) * x / (a - x);
    const hc_time at = free_place(v, n, (hc_time)(y * m + 0.5) * HC_MINUTE, o->longest);
    if (at > 0) v[n++] = (value){.time = at};
  }
  for (size_t i = head; i < n; i++) {
    v[i].share = 795.6 * hc_pow((double)(i - head + HEAD + 1), -2.267);
    sum += v[i].share;
  }
  for (size_t i = n; i > head + 1; i--) { /* which has which share */
    const size_t k = head + (size_t)hc_random_below(d, i - head);
    const double other = v[k].share;
    v[k].share = v[i - 1].share;
    v[i - 1].share = other;
  }
  for (size_t i = head; i < n; i++) v[i].share *= TAIL_SHARE / sum;
  return n;
}

/* ---- shares to jobs ---- */

/* The largest first, of equals the shorter estimate. */
static void by_size(const hc_popular_bin *bins, size_t n, uint16_t *order)
{
  for (size_t i = 0; i < n; i++) {
    size_t at = i;
    for (; at > 0 && bins[order[at - 1]].jobs < bins[i].jobs; at--) order[at] = order[at - 1];
    order[at] = (uint16_t)i;
  }
}

/* Move what the bins hold towards `jobs`: in proportion, then by ones. None falls below `least`. */
static void correct(hc_popular_bin *bins, size_t n, uint64_t jobs, uint64_t least)
{
  uint16_t order[HC_POPULAR_MOST];
  uint64_t sum = 0, whole;
  for (size_t i = 0; i < n; i++) sum += bins[i].jobs;
  whole = sum;
  for (size_t i = 0; i < n; i++) {
    const double part = ((double)jobs - (double)whole) * (double)bins[i].jobs / (double)whole;
    const int64_t to = (int64_t)bins[i].jobs + (int64_t)part;
    sum -= bins[i].jobs;
    bins[i].jobs = (uint64_t)HC_MAX(to, (int64_t)least);
    sum += bins[i].jobs;
  }
  by_size(bins, n, order);
  for (size_t i = 0; sum < jobs; i = (i + 1) % n) bins[order[i]].jobs++, sum++;
  for (bool moved = true; moved && sum > jobs;) {
    moved = false;
    for (size_t i = 0; i < n && sum > jobs; i++)
      if (bins[order[i]].jobs > least) bins[order[i]].jobs--, sum--, moved = true;
  }
  for (size_t i = n; i > 0 && sum > jobs; i--) { /* more bins than jobs: the smallest go */
    const uint64_t less = HC_MIN(bins[order[i - 1]].jobs, sum - jobs);
    bins[order[i - 1]].jobs -= less;
    sum -= less;
  }
}

size_t hc_popular_bins(const hc_popular_options *o, hc_draws *d, hc_popular_bin *out, hc_time *head,
                       size_t *head_count)
{
  value v[HC_POPULAR_MOST];
  const int64_t wanted = o->bins > 0 ? o->bins : hc_popular_count(o->rule, o->jobs);
  const size_t bins = (size_t)HC_MIN(wanted, HC_POPULAR_MOST);
  const size_t n_head = head_values(o, HC_MIN(bins, (size_t)HEAD), v);
  size_t n = n_head;
  make_head(o, d, v, n_head, bins > n_head ? HEAD_SHARE : HEAD_SHARE + TAIL_SHARE);
  for (size_t i = 0; head && i < n_head; i++) head[i] = v[(i + 1) % n_head].time;
  if (head_count) *head_count = n_head;
  if (bins > n_head) n = make_tail(o, d, v, n_head, bins);
  sort_values(v, n);
  for (size_t i = 0; i < n; i++) {
    const double jobs = v[i].share / 100 * (double)o->jobs;
    out[i] = (hc_popular_bin){v[i].time, (uint64_t)HC_MAX((int64_t)(jobs + 0.5), 1)};
  }
  correct(out, n, o->jobs, 1);
  return n;
}

/* ---- which job gets which ---- */

/* `of`: the run times. The longest first, of equals the first job. */
HC_SORT_STABLE_OF(sort_by_run, uint32_t, ((const hc_time *)of)[*a] > ((const hc_time *)of)[*b])

/* The estimates, the longest first, each at least as long as the run of its rank. */
static hc_rc line_up(const hc_time *run, size_t n, const hc_popular_bin *bins, size_t bin_count, bool raise,
                     const uint32_t *rank, hc_time *sorted, size_t *k)
{
  size_t at = 0;
  for (size_t i = bin_count; i > 0; i--)
    for (uint64_t c = 0; c < bins[i - 1].jobs && at < n; c++) sorted[at++] = bins[i - 1].estimate;
  HC_ASSERT(at == n);
  for (size_t i = 0, bin = bin_count; i < n; i++) {
    const hc_time need = run[rank[i]];
    if (sorted[i] >= need) continue;
    *k = i;
    if (!raise || bins[bin_count - 1].estimate < need) return HC_EINPUT;
    while (bin > 1 && bins[bin - 2].estimate >= need) bin--;
    sorted[i] = bins[bin - 1].estimate;
  }
  return 0;
}

hc_rc hc_popular_assign(const hc_time *run, size_t n, const hc_popular_bin *bins, size_t bin_count,
                        bool raise, hc_draws *d, uint32_t *rank, hc_time *out, size_t *k)
{
  size_t end = 0; /* estimates before it are not below the run at hand */
  for (size_t i = 0; i < n; i++) rank[i] = (uint32_t)i;
  sort_by_run(rank, n, rank + n, run);
  hc_time *sorted = out + n;
  TRY(line_up(run, n, bins, bin_count, raise, rank, sorted, k));
  for (size_t j = 0; j < n; j++) {
    while (end < n && sorted[end] >= run[rank[j]]) end++;
    const size_t drawn = j + (size_t)hc_random_below(d, end - j);
    out[rank[j]] = sorted[drawn];
    sorted[drawn] = sorted[j];
  }
  return 0;
}
