/* variates.c -- gamma, lognormal, Weibull, hyperexponential, log-uniform, Poisson and Zipf variates from
 * counter-based streams.
 *
 * Formulas and sources (special functions: special.c):
 *   Poisson: counting exponentials below a mean of 10, transformed rejection above (Hoermann, Insur. Math.
 *   Econ. 12(1), 1993, doi:10.1016/0167-6687(93)90997-4).
 *   Gamma variates: Marsaglia & Tsang, ACM TOMS 26(3), 2000, doi:10.1145/358407.358414.
 *   Lognormal: sigma^2 = ln(1 + cv^2), mu = ln mean - sigma^2 / 2.
 *   Weibull: 1 + cv^2 = Gamma(1 + 2/k) / Gamma(1 + 1/k)^2, which falls in k: solved by halving an interval of
 *     ln k.
 *   Hyperexponential: p = (1 + sqrt((cv^2 - 1) / (cv^2 + 1))) / 2, means mean / 2p and mean / 2(1 - p): the
 *   fit with balanced means (Whitt, Oper. Res. 30(1), 1982, doi:10.1287/opre.30.1.125).
 *   Zipf: rejection-inversion (Hoermann & Derflinger, ACM TOMACS 6(3), 1996, doi:10.1145/235025.235029).
 *
 * Draws used: log-uniform, exponential, Weibull 1; hyperexponential 2; lognormal as many as a normal;
 * Poisson, gamma and Zipf a few more than one try needs. Cost: 30 ns (exponential) to 150 ns (gamma, Zipf).
 * Truncated distributions are drawn by refusing. */
#include "base/variates.h"

#include "base/util.h"

/* ---- draws by the parameters of the formula ---- */

/* d (1 + c z)^3 for a normal z is nearly gamma; a second draw refuses the difference. Below shape 1, one of a
 * shape greater by 1, times u^(1 / shape). */
double hc_random_gamma(hc_draws *s, double shape, double scale)
{
  double boost = 1.0;
  if (shape < 1.0) {
    boost = hc_pow(1.0 - hc_random_unit(s), 1.0 / shape);
    shape += 1.0;
  }
  const double d = shape - 1.0 / 3, c = 1.0 / hc_sqrt(9.0 * d);
  for (;;) {
    const double z = hc_random_normal(s, 0, 1), root = 1.0 + c * z, v = root * root * root;
    if (root <= 0) continue;
    const double u = 1.0 - hc_random_unit(s);
    if (hc_log(u) < 0.5 * z * z + d * (1.0 - v + hc_log(v))) return boost * d * v * scale;
  }
}

double hc_random_lognormal(hc_draws *s, double mu, double sigma)
{
  return hc_exp(hc_random_normal(s, mu, sigma));
}

double hc_random_weibull(hc_draws *s, double shape, double scale)
{
  return scale * hc_pow(hc_random_exponential(s, 1.0), 1.0 / shape);
}

/* A hat that is nearly the density, squeezed so that most draws cost no logarithm. */
static uint64_t poisson_by_rejection(hc_draws *s, double mean)
{
  const double b = 0.931 + 2.53 * hc_sqrt(mean), a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), squeeze = 0.9277 - 3.6224 / (b - 2.0);
  for (;;) {
    const double u = hc_random_unit(s) - 0.5, v = 1.0 - hc_random_unit(s), away = 0.5 - (u < 0 ? -u : u);
    const double x = away > 0 ? (2.0 * a / away + b) * u + mean + 0.43 : -1.0;
    if (!(x >= 0 && x < 1e18)) continue;
    const double k = (double)(uint64_t)x;
    if (away >= 0.07 && v <= squeeze) return (uint64_t)k;
    if (away < 0.013 && v > away) continue;
    if (hc_log(v * inverse_alpha / (a / (away * away) + b)) <=
        k * hc_log(mean) - mean - hc_gamma_log(k + 1.0))
      return (uint64_t)k;
  }
}

uint64_t hc_random_poisson(hc_draws *s, double mean)
{
  double product = 1.0;
  uint64_t k = 0;
  if (mean >= 10.0) return poisson_by_rejection(s, mean);
  const double end = hc_exp(-mean);
  while ((product *= 1.0 - hc_random_unit(s)) > end) k++;
  return k;
}

/* ---- positive distributions by mean and cv ---- */

void hc_variate_range(hc_shape shape, double *least, double *greatest)
{
  *least = *greatest = 0;
  switch (shape) {
    case HC_SHAPE_CONSTANT: break;
    case HC_SHAPE_EXPONENTIAL: *least = *greatest = 1; break;
    case HC_SHAPE_LOGNORMAL: *least = 0.001, *greatest = 1000; break;
    case HC_SHAPE_WEIBULL: *least = 0.02, *greatest = 400; break; /* shapes from about 63 to 0.1 */
    case HC_SHAPE_HYPEREXPONENTIAL: *least = 1, *greatest = 1000; break;
    case HC_SHAPE_GAMMA: *least = 0.001, *greatest = 30; break;
    case HC_SHAPE_LOGUNIFORM: break;
  }
}

static void fit_weibull(hc_variate *v, double mean, double cv)
{
  const double goal = hc_log(1.0 + cv * cv);
  double low = -2.5, high = 5.0; /* ln k; the cv falls from 780 to below 0.01 */
  for (int i = 0; i < 60; i++) {
    const double middle = 0.5 * (low + high), inverse = hc_exp(-middle);
    if (hc_gamma_log(1.0 + 2.0 * inverse) - 2.0 * hc_gamma_log(1.0 + inverse) > goal) low = middle;
    else high = middle;
  }
  v->a = hc_exp(0.5 * (low + high));
  v->b = mean / hc_exp(hc_gamma_log(1.0 + 1.0 / v->a));
}

bool hc_variate_fit(hc_variate *v, hc_shape shape, double mean, double cv)
{
  double least, greatest, square = cv * cv;
  hc_variate_range(shape, &least, &greatest);
  if (shape == HC_SHAPE_LOGUNIFORM || !(mean > 0) || (least < greatest && !(cv >= least && cv <= greatest)))
    return false;
  *v = (hc_variate){.shape = shape, .mean = mean};
  switch (shape) {
    case HC_SHAPE_LOGNORMAL:
      v->b = hc_sqrt(hc_log(1.0 + square));
      v->a = hc_log(mean) - 0.5 * v->b * v->b;
      break;
    case HC_SHAPE_WEIBULL: fit_weibull(v, mean, cv); break;
    case HC_SHAPE_HYPEREXPONENTIAL:
      v->a = 0.5 * (1.0 + hc_sqrt((square - 1.0) / (square + 1.0)));
      v->b = mean / (2.0 * v->a);
      v->c = mean / (2.0 * (1.0 - v->a));
      break;
    case HC_SHAPE_GAMMA:
      v->a = 1.0 / square;
      v->b = mean * square;
      break;
    case HC_SHAPE_CONSTANT:
    case HC_SHAPE_EXPONENTIAL:
    case HC_SHAPE_LOGUNIFORM: break;
  }
  return true;
}

void hc_variate_loguniform(hc_variate *v, double low, double high)
{
  const double width = hc_log(high / low);
  *v = (hc_variate){
      .shape = HC_SHAPE_LOGUNIFORM, .mean = (high - low) / width, .a = low, .b = high, .c = width};
}

double hc_variate_draw(const hc_variate *v, hc_draws *s)
{
  switch (v->shape) {
    case HC_SHAPE_CONSTANT: return v->mean;
    case HC_SHAPE_EXPONENTIAL: return hc_random_exponential(s, v->mean);
    case HC_SHAPE_LOGNORMAL: return hc_random_lognormal(s, v->a, v->b);
    case HC_SHAPE_WEIBULL: return hc_random_weibull(s, v->a, v->b);
    case HC_SHAPE_HYPEREXPONENTIAL: {
      const double u = hc_random_unit(s);
      return hc_random_exponential(s, u < v->a ? v->b : v->c);
    }
    case HC_SHAPE_GAMMA: return hc_random_gamma(s, v->a, v->b);
    case HC_SHAPE_LOGUNIFORM: return HC_MIN(v->a * hc_exp(v->c * hc_random_unit(s)), v->b);
  }
  return v->mean;
}

double hc_variate_cdf(const hc_variate *v, double x)
{
  if (v->shape == HC_SHAPE_CONSTANT) return x >= v->mean;
  if (!(x > 0)) return 0.0;
  switch (v->shape) {
    case HC_SHAPE_EXPONENTIAL: return 1.0 - hc_exp(-x / v->mean);
    case HC_SHAPE_LOGNORMAL: return hc_normal_share((hc_log(x) - v->a) / v->b);
    case HC_SHAPE_WEIBULL: return 1.0 - hc_exp(-hc_pow(x / v->b, v->a));
    case HC_SHAPE_HYPEREXPONENTIAL: return 1.0 - v->a * hc_exp(-x / v->b) - (1.0 - v->a) * hc_exp(-x / v->c);
    case HC_SHAPE_GAMMA: return hc_gamma_below(v->a, x / v->b);
    case HC_SHAPE_LOGUNIFORM: return x <= v->a ? 0.0 : x >= v->b ? 1.0 : hc_log(x / v->a) / v->c;
    case HC_SHAPE_CONSTANT: break;
  }
  return 1.0;
}

static double exponential_below(double mean, double x)
{
  return mean - (mean + x) * hc_exp(-x / mean);
}

/* Each is the mean times a cdf of the same family: the distribution weighted by x. */
double hc_variate_mean_below(const hc_variate *v, double x)
{
  if (v->shape == HC_SHAPE_CONSTANT) return x >= v->mean ? v->mean : 0.0;
  if (!(x > 0)) return 0.0;
  switch (v->shape) {
    case HC_SHAPE_EXPONENTIAL: return exponential_below(v->mean, x);
    case HC_SHAPE_LOGNORMAL: return v->mean * hc_normal_share((hc_log(x) - v->a) / v->b - v->b);
    case HC_SHAPE_WEIBULL: return v->mean * hc_gamma_below(1.0 + 1.0 / v->a, hc_pow(x / v->b, v->a));
    case HC_SHAPE_HYPEREXPONENTIAL:
      return v->a * exponential_below(v->b, x) + (1.0 - v->a) * exponential_below(v->c, x);
    case HC_SHAPE_GAMMA: return v->mean * hc_gamma_below(v->a + 1.0, x / v->b);
    case HC_SHAPE_LOGUNIFORM: return x <= v->a ? 0.0 : (HC_MIN(x, v->b) - v->a) / v->c;
    case HC_SHAPE_CONSTANT: break;
  }
  return v->mean;
}

bool hc_truncated_fit(hc_truncated *t, const hc_variate *of, double low, double high)
{
  *t = (hc_truncated){.of = *of, .low = low, .high = high};
  if (of->shape == HC_SHAPE_CONSTANT) {
    t->inside = of->mean >= low && of->mean <= high;
    t->mean = of->mean;
    return t->inside > 0;
  }
  t->inside = hc_variate_cdf(of, high) - hc_variate_cdf(of, low);
  if (!(t->inside >= 0.01)) return false;
  t->mean = (hc_variate_mean_below(of, high) - hc_variate_mean_below(of, low)) / t->inside;
  return true;
}

double hc_truncated_draw(const hc_truncated *t, hc_draws *s)
{
  double x;
  do x = hc_variate_draw(&t->of, s);
  while (!(x >= t->low && x <= t->high) && t->of.shape != HC_SHAPE_CONSTANT);
  return x;
}

/* ---- Zipf ---- */

/* The integral of x^-s from 1, which is (x^(1 - s) - 1) / (1 - s), also where s is near 1. */
static double integral(double x, double s)
{
  const double l = hc_log(x), t = (1.0 - s) * l;
  if (t > -1e-4 && t < 1e-4) return l * (1.0 + t * (0.5 + t * (1.0 / 6 + t / 24)));
  return (hc_exp(t) - 1.0) / (1.0 - s);
}

static double inverse(double u, double s)
{
  const double t = (1.0 - s) * u;
  if (t > -1e-4 && t < 1e-4) return hc_exp(u * (1.0 - t * (0.5 - t * (1.0 / 3 - t / 4))));
  return t <= -1.0 ? 1e300 : hc_exp(hc_log(1.0 + t) / (1.0 - s));
}

void hc_zipf_fit(hc_zipf *z, uint64_t n, double exponent)
{
  *z = (hc_zipf){.n = (double)n, .exponent = exponent};
  z->low = integral(1.5, exponent) - 1.0;
  z->high = integral(z->n + 0.5, exponent);
}

/* Above (k - 1/2, k + 1/2) the area under x^-s is at least k^-s: a point of the area that lies in the last
 * k^-s of its strip is taken. */
uint64_t hc_zipf_draw(const hc_zipf *z, hc_draws *s)
{
  for (;;) {
    const double u = z->low + (z->high - z->low) * hc_random_unit(s), x = inverse(u, z->exponent) + 0.5;
    const double k = x < 2.0 ? 1.0 : x >= z->n ? z->n : (double)(uint64_t)x;
    if (u >= integral(k + 0.5, z->exponent) - hc_pow(k, -z->exponent)) return (uint64_t)k;
  }
}
