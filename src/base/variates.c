/* variates.c -- gamma, lognormal, Weibull, hyperexponential, log-uniform, Poisson and Zipf variates from counter-based
 * streams.
 *
 * Formulas and sources:
 *   ln Gamma: Stirling's series after shifting the argument above 10 (Abramowitz & Stegun 6.1.41).
 *   P(a, x): its power series below a + 1, the continued fraction of Q above (A. & S. 6.5.29, 6.5.31), the latter
 *   from the front (Thompson & Barnett, J. Comput. Phys. 64, 1986, doi:10.1016/0021-9991(86)90046-X).
 *   Normal cdf: Phi(x) = (1 + P(1/2, x^2 / 2)) / 2 for x >= 0.
 *   Its inverse: three rational functions (Wichura, Appl. Stat. 37(3), 1988, algorithm AS 241, doi:10.2307/2347330).
 *   Poisson: counting exponentials below a mean of 10, transformed rejection above (Hoermann, Insur. Math. Econ. 12(1),
 *   1993, doi:10.1016/0167-6687(93)90997-4).
 *   Gamma variates: Marsaglia & Tsang, ACM TOMS 26(3), 2000, doi:10.1145/358407.358414.
 *   Lognormal: sigma^2 = ln(1 + cv^2), mu = ln mean - sigma^2 / 2.
 *   Weibull: 1 + cv^2 = Gamma(1 + 2/k) / Gamma(1 + 1/k)^2, which falls in k: solved by halving an interval of ln k.
 *   Hyperexponential: p = (1 + sqrt((cv^2 - 1) / (cv^2 + 1))) / 2, means mean / 2p and mean / 2(1 - p): the fit with
 *   balanced means (Whitt, Oper. Res. 30(1), 1982, doi:10.1287/opre.30.1.125).
 *   Zipf: rejection-inversion (Hoermann & Derflinger, ACM TOMACS 6(3), 1996, doi:10.1145/235025.235029).
 *
 * Draws used: log-uniform, exponential, Weibull 1; hyperexponential 2; lognormal as many as a normal; Poisson,
 * gamma and Zipf a few more than one try needs. Cost: 30 ns (exponential) to 150 ns (gamma, Zipf). Truncated
 * distributions are drawn by refusing: of the cdfs only the normal one is inverted here. */
#include "base/variates.h"

#include "base/util.h"

#define HALF_LN_2PI 0.91893853320467274178
#define ENOUGH_TERMS 100000

/* ---- special functions ---- */

double hc_log_gamma(double x)
{
  /* B(2j) / (2j (2j - 1)) */
  static const double terms[] = {1.0 / 12,   -1.0 / 360,      1.0 / 1260, -1.0 / 1680,
                                 1.0 / 1188, -691.0 / 360360, 1.0 / 156,  -3617.0 / 122400};
  double product = 1.0, sum = 0.0;
  while (x < 10.0) {
    product *= x;
    x += 1.0;
  }
  for (size_t i = HC_ARRAY_LEN(terms); i-- > 0;) sum = sum / (x * x) + terms[i];
  return (x - 0.5) * hc_log(x) - x + HALF_LN_2PI + sum / x - hc_log(product);
}

double hc_gamma_share(double a, double x)
{
  if (!(x > 0)) return 0.0;
  const double front = hc_exp(a * hc_log(x) - x - hc_log_gamma(a));
  if (front == 0) return x < a ? 0.0 : 1.0;
  if (x < a + 1.0) {
    double term = 1.0 / a, sum = term;
    for (int i = 1; i < ENOUGH_TERMS && term > sum * 1e-17; i++) {
      term *= x / (a + i);
      sum += term;
    }
    return HC_MIN(front * sum, 1.0);
  }
  double b = x + 1.0 - a, c = 1e300, d = 1.0 / b, h = d;
  for (int i = 1; i < ENOUGH_TERMS; i++) {
    const double an = -i * (i - a);
    b += 2.0;
    d = 1.0 / (an * d + b);
    c = b + an / c;
    h *= c * d;
    if (c * d > 1.0 - 1e-16 && c * d < 1.0 + 4e-16) break;
  }
  return 1.0 - front * h;
}

double hc_normal_share(double x)
{
  const double inner = 0.5 * hc_gamma_share(0.5, 0.5 * x * x);
  return x < 0 ? 0.5 - inner : 0.5 + inner;
}

/* Horner's rule, the constant first. */
static double polynomial(const double *c, size_t n, double x)
{
  double sum = 0.0;
  while (n-- > 0) sum = sum * x + c[n];
  return sum;
}

double hc_normal_quantile(double p)
{
  static const double middle[2][8] = {
      {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
       4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3},
      {1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
       2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3}};
  static const double near_tail[2][8] = {
      {1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
       1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2,
       7.74545014278341407640e-4},
      {1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
       1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
       1.05075007164441684324e-9}};
  static const double far_tail[2][8] = {
      {6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
       2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
       2.71155556874348757815e-5, 2.01033439929228813265e-7},
      {1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
       7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
       2.04426310338993978564e-15}};
  const double q = p - 0.5;
  if (q > -0.425 && q < 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(middle[0], 8, r) / polynomial(middle[1], 8, r);
  }
  const double r = hc_sqrt(-hc_log(q < 0 ? p : 1.0 - p));
  const double x = r <= 5.0 ? polynomial(near_tail[0], 8, r - 1.6) / polynomial(near_tail[1], 8, r - 1.6)
                            : polynomial(far_tail[0], 8, r - 5.0) / polynomial(far_tail[1], 8, r - 5.0);
  return q < 0 ? -x : x;
}

/* ---- draws by the parameters of the formula ---- */

/* d (1 + c z)^3 for a normal z is nearly gamma; a second draw refuses the difference. Below shape 1, one of a shape
 * greater by 1, times u^(1 / shape). */
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
        k * hc_log(mean) - mean - hc_log_gamma(k + 1.0))
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
    if (hc_log_gamma(1.0 + 2.0 * inverse) - 2.0 * hc_log_gamma(1.0 + inverse) > goal) low = middle;
    else high = middle;
  }
  v->a = hc_exp(0.5 * (low + high));
  v->b = mean / hc_exp(hc_log_gamma(1.0 + 1.0 / v->a));
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
    case HC_SHAPE_GAMMA: return hc_gamma_share(v->a, x / v->b);
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
    case HC_SHAPE_WEIBULL: return v->mean * hc_gamma_share(1.0 + 1.0 / v->a, hc_pow(x / v->b, v->a));
    case HC_SHAPE_HYPEREXPONENTIAL:
      return v->a * exponential_below(v->b, x) + (1.0 - v->a) * exponential_below(v->c, x);
    case HC_SHAPE_GAMMA: return v->mean * hc_gamma_share(v->a + 1.0, x / v->b);
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

/* Above (k - 1/2, k + 1/2) the area under x^-s is at least k^-s: a point of the area that lies in the last k^-s of its
 * strip is taken. */
uint64_t hc_zipf_draw(const hc_zipf *z, hc_draws *s)
{
  for (;;) {
    const double u = z->low + (z->high - z->low) * hc_random_unit(s), x = inverse(u, z->exponent) + 0.5;
    const double k = x < 2.0 ? 1.0 : x >= z->n ? z->n : (double)(uint64_t)x;
    if (u >= integral(k + 0.5, z->exponent) - hc_pow(k, -z->exponent)) return (uint64_t)k;
  }
}
