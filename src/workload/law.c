/* law.c -- what a law of chance yields: draws, the cdf, its inverse, and the mean. law_text.c reads it.
 *
 * A mixture is a list of parts with weights. Bounds are put on each part: a law under the condition that
 * it lies between them is a mixture of its parts under that condition, with weights times P(inside). So
 * means, cdfs and quantiles are closed forms of the parts, but for quantiles of gamma and
 * hyperexponential, which halve an interval.
 *
 * Bounded Pareto, low L, high H, shape s: P(X <= x) = (1 - (L/x)^s) / (1 - (L/H)^s). Empirical laws are
 * values, each as likely, or quantiles with straight lines between them. No value is negative: a bound of
 * 0 is there unless a higher one is given. Cost of a draw: 15 ns (uniform) to 200 ns (gamma). */
#include "workload/law.h"

#include <string.h>

#include "base/sort.h"
#include "base/util.h"

#define ENDLESS HC_LAW_ENDLESS
#define WORTH_REFUSING 0.2 /* below this share inside the bounds the cdf is inverted */

/* ---- the parts ---- */

static double pareto_below(const hc_law_part *p, double x)
{
  const double s = p->c, all = 1.0 - hc_pow(p->a / p->b, s), l = hc_log(x / p->a), t = (1.0 - s) * l;
  const double grown = t > -1e-6 && t < 1e-6 ? l * (1.0 + 0.5 * t) : (hc_exp(t) - 1.0) / (1.0 - s);
  return s * p->a * grown / all;
}

/* The cell of x among quantiles: values[i] <= x < values[i + 1]. */
static size_t cell_of(const double *values, size_t count, double x)
{
  size_t low = 0, high = count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (values[middle] <= x) low = middle + 1;
    else high = middle;
  }
  return low; /* how many are <= x */
}

/* In deviations; past 40 of them nothing is left. */
static double normal_distance(const hc_law_part *p, double x)
{
  return HC_MIN(HC_MAX((x - p->a) / p->b, -40.0), 40.0);
}

/* P(X <= x) without the condition. */
static double plain_cdf(const hc_law_part *p, double x)
{
  switch (p->kind) {
    case HC_LAW_FIXED: return x >= p->a;
    case HC_LAW_VARIATE: return hc_variate_cdf(&p->of, x);
    case HC_LAW_UNIFORM: return HC_MIN(HC_MAX((x - p->a) / (p->b - p->a), 0.0), 1.0);
    case HC_LAW_NORMAL: return hc_normal_share(normal_distance(p, x));
    case HC_LAW_PARETO:
      if (x <= p->a) return 0.0;
      return x >= p->b ? 1.0 : (1.0 - hc_pow(p->a / x, p->c)) / (1.0 - hc_pow(p->a / p->b, p->c));
    case HC_LAW_QUANTILES: {
      const size_t n = cell_of(p->values, p->count, x);
      if (n == 0 || n == p->count) return n > 0;
      return ((double)(n - 1) + (x - p->values[n - 1]) / (p->values[n] - p->values[n - 1])) /
             (double)(p->count - 1);
    }
    case HC_LAW_VALUES: return (double)cell_of(p->values, p->count, x) / (double)p->count;
  }
  return 1.0;
}

/* E[X; X <= x] without the condition. */
static double plain_below(const hc_law_part *p, double x)
{
  double sum = 0;
  switch (p->kind) {
    case HC_LAW_FIXED: return x >= p->a ? p->a : 0.0;
    case HC_LAW_VARIATE: return hc_variate_mean_below(&p->of, x);
    case HC_LAW_UNIFORM: {
      const double end = HC_MIN(HC_MAX(x, p->a), p->b);
      return 0.5 * (end - p->a) * (end + p->a) / (p->b - p->a);
    }
    case HC_LAW_NORMAL: {
      const double z = normal_distance(p, x);
      return p->a * hc_normal_share(z) - p->b * hc_exp(-0.5 * z * z) * 0.39894228040143267794;
    }
    case HC_LAW_PARETO: return x <= p->a ? 0.0 : pareto_below(p, HC_MIN(x, p->b));
    case HC_LAW_QUANTILES:
      for (size_t i = 0; i + 1 < p->count && p->values[i] < x; i++) {
        const double from = p->values[i], to = p->values[i + 1], end = HC_MIN(to, x);
        sum += to > from ? 0.5 * (end * end - from * from) / (to - from) : from;
      }
      return sum / (double)(p->count - 1);
    case HC_LAW_VALUES:
      for (size_t i = 0; i < p->count && p->values[i] <= x; i++) sum += p->values[i];
      return sum / (double)p->count;
  }
  return sum;
}

/* Where the cdf without the condition is u, if there is a closed form; negative if not. */
static double plain_quantile(const hc_law_part *p, double u)
{
  const hc_variate *v = &p->of;
  switch (p->kind) {
    case HC_LAW_FIXED: return p->a;
    case HC_LAW_VARIATE: break;
    case HC_LAW_UNIFORM: return p->a + (p->b - p->a) * u;
    case HC_LAW_NORMAL: return p->a + p->b * hc_normal_quantile(HC_MIN(HC_MAX(u, 1e-300), 1.0 - 0x1p-53));
    case HC_LAW_PARETO: return p->a * hc_pow(1.0 - u * (1.0 - hc_pow(p->a / p->b, p->c)), -1.0 / p->c);
    case HC_LAW_QUANTILES: {
      const double x = u * (double)(p->count - 1);
      const size_t i = HC_MIN((size_t)x, p->count - 2);
      return p->values[i] + (p->values[i + 1] - p->values[i]) * (x - (double)i);
    }
    case HC_LAW_VALUES: return p->values[HC_MIN((size_t)(u * (double)p->count), p->count - 1)];
  }
  switch (v->shape) {
    case HC_SHAPE_CONSTANT: return v->mean;
    case HC_SHAPE_EXPONENTIAL: return -v->mean * hc_log(1.0 - u);
    case HC_SHAPE_LOGNORMAL:
      return u > 0 ? hc_exp(v->a + v->b * hc_normal_quantile(HC_MIN(u, 1.0 - 0x1p-53))) : 0.0;
    case HC_SHAPE_WEIBULL: return v->b * hc_pow(-hc_log(1.0 - u), 1.0 / v->a);
    case HC_SHAPE_LOGUNIFORM: return v->a * hc_exp(v->c * u);
    case HC_SHAPE_HYPEREXPONENTIAL:
    case HC_SHAPE_GAMMA: break;
  }
  return -1.0;
}

/* By halving: first a bound above, then to the last bits. */
static double searched_quantile(const hc_law_part *p, double u)
{
  double low = 0.0, high = p->of.mean;
  while (high < ENDLESS && plain_cdf(p, high) < u) {
    low = high;
    high *= 2.0;
  }
  for (int i = 0; i < 60 && high - low > 1e-13 * high; i++) {
    const double middle = 0.5 * (low + high);
    if (plain_cdf(p, middle) < u) low = middle;
    else high = middle;
  }
  return 0.5 * (low + high);
}

double hc_law_quantile(const hc_law_part *p, double u)
{
  const double inner = p->under + u * p->inside;
  double x = plain_quantile(p, inner);
  if (x < 0 && p->kind == HC_LAW_VARIATE) x = searched_quantile(p, inner);
  return HC_MIN(HC_MAX(x, p->low), p->high);
}

static double draw_part(const hc_law_part *p, hc_draws *d)
{
  double x;
  switch (p->kind) {
    case HC_LAW_FIXED: return p->a;
    case HC_LAW_VALUES: return p->values[hc_random_below(d, p->count)];
    case HC_LAW_VARIATE:
      if (p->inside < WORTH_REFUSING) break;
      do x = hc_variate_draw(&p->of, d);
      while (!(x >= p->low && x <= p->high));
      return x;
    case HC_LAW_UNIFORM:
    case HC_LAW_NORMAL:
    case HC_LAW_PARETO:
    case HC_LAW_QUANTILES: break;
  }
  return hc_law_quantile(p, hc_random_unit(d));
}

/* ---- the mixture ---- */

double hc_law_draw(const hc_law *l, hc_draws *d)
{
  const hc_law_part *p = l->parts;
  if (l->count > 1) {
    double u = hc_random_unit(d);
    for (; p + 1 < l->parts + l->count && u >= p->weight; p++) u -= p->weight;
  }
  return draw_part(p, d) * l->scale;
}

static int64_t to_whole(double x, int64_t least, int64_t most)
{
  x += 0.5;
  if (!(x > (double)least)) return least;
  return x >= (double)most ? most : HC_MAX((int64_t)x, least);
}

int64_t hc_law_draw_whole(const hc_law *l, hc_draws *d, int64_t least, int64_t most)
{
  return to_whole(hc_law_draw(l, d), least, most);
}

static double part_cdf(const hc_law_part *p, double x)
{
  if (x < p->low) return 0.0;
  if (x >= p->high) return 1.0;
  return HC_MIN(HC_MAX((plain_cdf(p, x) - p->under) / p->inside, 0.0), 1.0);
}

double hc_law_cdf(const hc_law *l, double x)
{
  double sum = 0;
  for (size_t i = 0; i < l->count; i++) sum += l->parts[i].weight * part_cdf(&l->parts[i], x / l->scale);
  return HC_MIN(sum, 1.0);
}

/* The mean of max(least, floor(X + 1/2)) is least plus the sum of P(X >= k - 1/2) over k above least; far
 * out the sum is the integral of P(X >= x), which is E[X; X > x] - x P(X > x). */
static double mean_whole(const hc_law_part *p, double scale, int64_t least)
{
  const int64_t end = HC_MAX(least, 0) + 4096;
  double sum = (double)least;
  if (p->kind == HC_LAW_FIXED) return (double)to_whole(p->a * scale, least, INT64_MAX);
  if (p->kind == HC_LAW_VALUES) {
    sum = 0;
    for (size_t i = 0; i < p->count; i++) sum += (double)to_whole(p->values[i] * scale, least, INT64_MAX);
    return sum / (double)p->count;
  }
  for (int64_t k = least + 1; k <= end; k++) {
    const double more = 1.0 - part_cdf(p, ((double)k - 0.5) / scale);
    sum += more;
    if (more <= 0) return sum;
  }
  const double x = (double)end / scale, below = (plain_below(p, x) - plain_below(p, p->low)) / p->inside;
  return sum + scale * HC_MAX(p->mean - below - x * (1.0 - part_cdf(p, x)), 0.0);
}

double hc_law_mean_whole(const hc_law *l, int64_t least)
{
  double sum = 0;
  for (size_t i = 0; i < l->count; i++) sum += l->parts[i].weight * mean_whole(&l->parts[i], l->scale, least);
  return sum;
}

void hc_law_stretch(hc_law *l, double mean)
{
  const double factor = mean / l->mean;
  l->scale *= factor;
  l->mean *= factor;
  l->low *= factor;
  l->high = l->high < ENDLESS ? l->high * factor : ENDLESS;
}

void hc_law_fini(hc_law *l)
{
  for (size_t i = 0; i < l->count; i++)
    hc_free(l->allocator, l->parts[i].values, l->parts[i].cap * sizeof *l->parts[i].values);
  if (l->allocator) hc_free(l->allocator, l->parts, l->cap * sizeof *l->parts);
  l->parts = NULL;
  l->count = l->cap = 0;
}

/* ---- bounds and moments ---- */

HC_SORT(sort_values, double, *a < *b)

/* Only the values between the bounds stay. */
static void bound_values(hc_law_part *p, double low, double high)
{
  const size_t all = p->count;
  size_t n = 0;
  sort_values(p->values, p->count);
  for (size_t i = 0; i < all; i++)
    if (p->values[i] >= low && p->values[i] <= high) p->values[n++] = p->values[i];
  p->count = n;
  p->weight *= (double)n / (double)all;
  p->under = 0;
  p->inside = 1;
  if (n == 0) return;
  p->low = p->values[0];
  p->high = p->values[n - 1];
  p->mean = plain_below(p, ENDLESS);
}

static void bound_part(hc_law_part *p, double low, double high)
{
  const bool listed = p->kind == HC_LAW_QUANTILES;
  if (p->kind == HC_LAW_VALUES) {
    bound_values(p, low, high);
    return;
  }
  p->low = low;
  p->high = high;
  if (p->kind == HC_LAW_FIXED) p->low = p->high = p->a;
  else if (listed) {
    p->low = HC_MAX(low, p->values[0]);
    p->high = HC_MIN(high, p->values[p->count - 1]);
  } else if (p->kind != HC_LAW_VARIATE ? p->kind != HC_LAW_NORMAL : p->of.shape == HC_SHAPE_LOGUNIFORM) {
    const bool variate = p->kind == HC_LAW_VARIATE;
    p->low = HC_MAX(low, variate ? p->of.a : p->a);
    p->high = HC_MIN(high, variate ? p->of.b : p->b);
  }
  if (p->kind == HC_LAW_FIXED) {
    p->inside = p->a >= low && p->a <= high;
    p->mean = p->a;
  } else if (p->low <= p->high) {
    p->under = p->low > 0 || p->kind == HC_LAW_NORMAL ? plain_cdf(p, p->low) : 0.0;
    if (listed && p->low <= p->values[0]) p->under = 0.0; /* quantiles may begin with equal ones */
    p->inside = (p->high < ENDLESS ? plain_cdf(p, p->high) : 1.0) - p->under;
    if (p->inside > 0)
      p->mean = (plain_below(p, p->high) - (p->under > 0 ? plain_below(p, p->low) : 0.0)) / p->inside;
    if (p->kind == HC_LAW_VARIATE && p->inside >= 1.0) p->mean = p->of.mean;
  }
  p->weight *= p->inside;
}

static void drop_part(hc_law *l, size_t i)
{
  hc_free(l->allocator, l->parts[i].values, l->parts[i].cap * sizeof *l->parts[i].values);
  memmove(&l->parts[i], &l->parts[i + 1], (l->count - i - 1) * sizeof *l->parts);
  l->count--;
}

hc_rc hc_law_settle(hc_law *l, double low, double high)
{
  double before = 0, after = 0;
  for (size_t i = 0; i < l->count; i++) before += l->parts[i].weight;
  for (size_t i = 0; i < l->count; i++) bound_part(&l->parts[i], low, high);
  for (size_t i = 0; i < l->count; i++) after += l->parts[i].weight;
  if (!(before > 0 && after >= 0.01 * before)) return 0;
  for (size_t i = l->count; i-- > 0;)
    if (!(l->parts[i].weight > 1e-12 * after)) drop_part(l, i);
  l->scale = 1;
  l->low = ENDLESS;
  l->is_discrete = true;
  for (size_t i = 0; i < l->count; i++) {
    hc_law_part *p = &l->parts[i];
    p->weight /= after;
    l->mean += p->weight * p->mean;
    l->low = HC_MIN(l->low, p->low);
    l->high = HC_MAX(l->high, p->high);
    l->is_discrete &= p->kind == HC_LAW_FIXED || p->kind == HC_LAW_VALUES;
  }
  return 1;
}
