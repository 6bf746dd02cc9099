/* special.c -- special functions: log Gamma, the incomplete gamma and beta functions, and the distributions
 * that are made of them: normal, Student's t, chi-square, binomial.
 *
 * The incomplete gamma and beta functions come from a series or a continued fraction, whichever converges.
 * The errors are about 1e-12 of the smaller tail for the counts that a study has (up to 10^5), which is what
 * tests need. The workload models take the same functions: their bits are in the digests of generated traces,
 * so that nothing here may move a last place. Sources: DLMF chapters 5, 7 and 8; the normal quantile is three
 * rational functions (Wichura, Appl. Stat. 37(3), 1988, algorithm AS 241, doi:10.2307/2347330). Cost: some
 * microseconds. */
#include "base/math.h"
#include "base/util.h"

#define INFINITE __builtin_inf()
#define NOT_A_NUMBER __builtin_nan("")
#define ENOUGH_TERMS 100000

static double magnitude(double x)
{
  return x < 0 ? -x : x;
}

/* ---- Student's t ---- */

/* log(1 + x) for x >= 0: the logarithm of the rounded sum, corrected for what rounding did to it. */
static double log_plus_one(double x)
{
  double u = 1.0 + x;
  return u == 1.0 ? x : hc_log(u) + (x - (u - 1.0)) / u;
}

/* Gamma(n + 1/2) / Gamma(n), by its asymptotic series (Graham, Knuth, Patashnik, Concrete Mathematics,
 * answer 9.60), moved up to n >= 40 where six terms leave 1e-14. */
static double gamma_ratio(double n)
{
  double factor = 1.0;
  for (; n < 40.0; n += 1.0) factor *= n / (n + 0.5);
  double q = 1.0 / n;
  double series = 5.0 / 1024 + q * (-21.0 / 32768 + q * (-399.0 / 262144 + q * (869.0 / 4194304)));
  return factor * hc_sqrt(n) * (1.0 + q * (-1.0 / 8 + q * (1.0 / 128 + q * series)));
}

/* Continued fraction of the incomplete beta function I_x(a, b), without its leading factor, from its even
 * and odd terms by Lentz's method (DLMF 8.17.22). Converges for x < (a + 1) / (a + b + 2), in about
 * sqrt(max(a, b)) steps. */
static double beta_fraction(double a, double b, double x)
{
  const double tiny = 1e-300;
  double c = 1.0, d = 1.0 - (a + b) * x / (a + 1.0);
  if (magnitude(d) < tiny) d = tiny;
  d = 1.0 / d;
  double f = d;
  for (int i = 1; i < 200000; i++) {
    double m = i, last = 1.0;
    for (int odd = 0; odd < 2; odd++) {
      double term = odd ? -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
                        : m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
      d = 1.0 + term * d;
      if (magnitude(d) < tiny) d = tiny;
      d = 1.0 / d;
      c = 1.0 + term / c;
      if (magnitude(c) < tiny) c = tiny;
      last = c * d;
      f *= last;
    }
    if (magnitude(last - 1.0) < 1e-15) break;
  }
  return f;
}

/* P(|T| > t) and P(|T| < t); one is found, the other is what it leaves of 1. `ratio` is
 * gamma_ratio(degrees / 2). */
static void student_split(double t, double degrees, double ratio, double *outside, double *inside)
{
  double a = 0.5 * degrees, q = t / degrees * t;
  double x = 1.0 / (1.0 + q), y = q / (1.0 + q);
  /* x^a y^(1/2) / B(a, 1/2), with B(a, 1/2) = sqrt(pi) Gamma(a) / Gamma(a + 1/2) */
  double front = hc_exp(-a * log_plus_one(q)) * hc_sqrt(y) * ratio * 0.56418958354775629;
  if (x < (a + 1.0) / (a + 2.5)) {
    *outside = front * beta_fraction(a, 0.5, x) / a;
    *inside = 1.0 - *outside;
  } else {
    *inside = front * beta_fraction(0.5, a, y) * 2.0;
    *outside = 1.0 - *inside;
  }
}

/* Newton's method in log t, on the logarithm of the smaller of the two probabilities: nearly a straight
 * line, and kept inside a bracket that each step narrows. */
double hc_student_t(double level, double degrees)
{
  if (!(level >= 0) || !(degrees >= 1)) return NOT_A_NUMBER;
  if (level == 0) return 0.0;
  if (level >= 1.0) return INFINITE;
  degrees = HC_MIN(degrees, 1e9); /* beyond, the normal quantile within 1e-7 */
  double ratio = gamma_ratio(0.5 * degrees), goal = hc_log(level < 0.5 ? level : 1.0 - level);
  double low = -746.0, high = 40.0, u = 0.0;
  for (int i = 0; i < 200; i++) {
    double t = hc_exp(u), outside, inside;
    student_split(t, degrees, ratio, &outside, &inside);
    double density = ratio * 0.56418958354775629 / hc_sqrt(degrees) *
                     hc_exp(-0.5 * (degrees + 1.0) * log_plus_one(t / degrees * t));
    double here = level < 0.5 ? inside : outside, slope = (level < 0.5 ? 2.0 : -2.0) * density * t / here;
    if (inside < level) low = u;
    else high = u;
    double next = u - (hc_log(here) - goal) / slope;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (magnitude(next - u) < 1e-14 * HC_MAX(1.0, magnitude(u))) break;
    u = next;
  }
  return hc_exp(u);
}

/* ---- gamma and normal ---- */

/* Stirling's series (DLMF 5.11.1) at x >= 10, moved down by the recurrence. */
double hc_gamma_log(double x)
{
  /* B(2j) / (2j (2j - 1)) */
  static const double terms[] = {1.0 / 12,   -1.0 / 360,      1.0 / 1260, -1.0 / 1680,
                                 1.0 / 1188, -691.0 / 360360, 1.0 / 156,  -3617.0 / 122400};
  double product = 1.0, sum = 0.0;
  if (!(x > 0)) return NOT_A_NUMBER;
  for (; x < 10.0; x += 1.0) product *= x;
  for (size_t i = HC_ARRAY_LEN(terms); i-- > 0;) sum = sum / (x * x) + terms[i];
  return (x - 0.5) * hc_log(x) - x + 0.91893853320467274178 + sum / x - hc_log(product);
}

/* P(a, x) and 1 - P(a, x), a and x > 0: the smaller one is computed, by its series (DLMF 8.11.4) or its
 * continued fraction (8.9.2), this from the front (Thompson & Barnett, J. Comput. Phys. 64, 1986,
 * doi:10.1016/0021-9991(86)90046-X); the other is what it leaves of 1. */
static void gamma_split(double a, double x, double *below, double *above)
{
  const double front = hc_exp(a * hc_log(x) - x - hc_gamma_log(a));
  if (front == 0) {
    *below = x < a ? 0.0 : 1.0;
    *above = 1.0 - *below;
  } else if (x < a + 1.0) {
    double term = 1.0 / a, sum = term;
    for (int i = 1; i < ENOUGH_TERMS && term > sum * 1e-17; i++) {
      term *= x / (a + i);
      sum += term;
    }
    *below = HC_MIN(front * sum, 1.0);
    *above = 1.0 - *below;
  } else {
    double b = x + 1.0 - a, c = 1e300, d = 1.0 / b, f = d;
    for (int i = 1; i < ENOUGH_TERMS; i++) {
      const double term = -i * (i - a);
      b += 2.0;
      d = 1.0 / (term * d + b);
      c = b + term / c;
      f *= c * d;
      if (c * d > 1.0 - 1e-16 && c * d < 1.0 + 4e-16) break;
    }
    *above = front * f;
    *below = 1.0 - *above;
  }
}

double hc_gamma_below(double a, double x)
{
  double below, above;
  if (!(x > 0)) return 0.0;
  gamma_split(a, x, &below, &above);
  return below;
}

double hc_gamma_above(double a, double x)
{
  double below, above;
  if (!(a > 0) || !(x >= 0)) return NOT_A_NUMBER;
  if (x == 0) return 1.0;
  if (x == INFINITE) return 0.0;
  gamma_split(a, x, &below, &above);
  return above;
}

double hc_normal_below(double z)
{
  double tail;
  if (z != z) return NOT_A_NUMBER;
  tail = 0.5 * hc_gamma_above(0.5, 0.5 * z * z);
  return z < 0 ? tail : 1.0 - tail;
}

double hc_normal_share(double z)
{
  const double inner = 0.5 * hc_gamma_below(0.5, 0.5 * z * z);
  return z < 0 ? 0.5 - inner : 0.5 + inner;
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

/* ---- beta ---- */

double hc_beta_below(double a, double b, double x)
{
  double front;
  if (!(a > 0) || !(b > 0) || !(x >= 0) || x > 1.0) return NOT_A_NUMBER;
  if (x == 0 || x == 1.0) return x;
  front =
      hc_exp(a * hc_log(x) + b * hc_log(1.0 - x) + hc_gamma_log(a + b) - hc_gamma_log(a) - hc_gamma_log(b));
  if (x < (a + 1.0) / (a + b + 2.0)) return front * beta_fraction(a, b, x) / a;
  return 1.0 - front * beta_fraction(b, a, 1.0 - x) / b;
}

double hc_student_outside(double t, double degrees)
{
  double outside, inside;
  if (t != t || !(degrees >= 1)) return NOT_A_NUMBER;
  t = magnitude(t);
  if (t > 1e150) return 0.0;
  degrees = HC_MIN(degrees, 1e9);
  student_split(t, degrees, gamma_ratio(0.5 * degrees), &outside, &inside);
  return outside;
}
