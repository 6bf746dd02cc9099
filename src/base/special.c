/* special.c -- the distributions that tests and intervals need: Student's t, normal, gamma (chi-square), beta
 * (binomial).
 *
 * All of them come from two functions, the incomplete gamma and the incomplete beta function, each by its
 * series or continued fraction, whichever converges. The errors are about 1e-12
 * of the smaller tail for the counts that a study has (up to 10^5), which is what tests need; what variates
 * need, and the normal quantile, is in variates.c. Source: DLMF chapters 5, 7 and 8. Cost: some microseconds.
 * */
#include "base/math.h"
#include "base/util.h"

#define INFINITE __builtin_inf()
#define NOT_A_NUMBER __builtin_nan("")

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

/* Stirling's series (DLMF 5.11.1) at x >= 16, where seven terms leave 1e-17, moved down by the recurrence. */
double hc_gamma_log(double x)
{
  double product = 1.0, q, series;
  if (!(x > 0)) return NOT_A_NUMBER;
  for (; x < 16.0; x += 1.0) product *= x;
  q = 1.0 / (x * x);
  series = 1.0 / 1260 - q * (1.0 / 1680 - q * (1.0 / 1188 - q * (691.0 / 360360 - q / 156)));
  series = (1.0 / 12 - q * (1.0 / 360 - q * series)) / x;
  return (x - 0.5) * hc_log(x) - x + 0.91893853320467274 + series - hc_log(product);
}

/* P(a, x) and 1 - P(a, x): the smaller one is computed, by its series (DLMF 8.11.4) or its continued fraction
 * (8.9.2, Lentz's method); the other is what it leaves of 1. */
static void gamma_split(double a, double x, double *below, double *above)
{
  double front = hc_exp(a * hc_log(x) - x - hc_gamma_log(a));
  if (x < a + 1.0) {
    double term = 1.0 / a, sum = term;
    for (int i = 1; i < 100000 && term > sum * 1e-17; i++) {
      term *= x / (a + i);
      sum += term;
    }
    *below = front * sum;
    *above = 1.0 - *below;
  } else {
    double b = x + 1.0 - a, c = 1e300, d = 1.0 / b, f = d, last = 0;
    for (int i = 1; i < 100000 && magnitude(last - 1.0) > 1e-16; i++) {
      double term = -i * (i - a);
      b += 2.0;
      d = term * d + b;
      if (magnitude(d) < 1e-300) d = 1e-300;
      d = 1.0 / d;
      c = b + term / c;
      if (magnitude(c) < 1e-300) c = 1e-300;
      last = c * d;
      f *= last;
    }
    *above = front * f;
    *below = 1.0 - *above;
  }
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
