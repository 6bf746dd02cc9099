/* variates.h -- the distributions that workload models are made of: draws, and the cdf and means that go with
 * them.
 *
 * A distribution is fitted to a mean and a coefficient of variation (cv, standard deviation / mean), which is
 * how measurements are published. Everything a draw needs is computed when it is fitted. All numbers come
 * from base/math.h, so they are the same bits everywhere. */
#ifndef HC_BASE_VARIATES_H
#define HC_BASE_VARIATES_H

#include "base/math.h"

/* ---- draws by the parameters of the formula ---- */

double hc_random_gamma(hc_draws *s, double shape, double scale);   /* mean shape * scale; both > 0 */
double hc_random_lognormal(hc_draws *s, double mu, double sigma);  /* exp(normal(mu, sigma)) */
double hc_random_weibull(hc_draws *s, double shape, double scale); /* cdf 1 - exp(-(x / scale)^shape) */
uint64_t hc_random_poisson(hc_draws *s, double mean);              /* 0 <= mean <= 1e9 */

/* ---- positive distributions by mean and cv ---- */

typedef enum hc_shape {
  HC_SHAPE_CONSTANT,
  HC_SHAPE_EXPONENTIAL,
  HC_SHAPE_LOGNORMAL,
  HC_SHAPE_WEIBULL,
  HC_SHAPE_HYPEREXPONENTIAL, /* two exponentials with balanced means: each has half of the total */
  HC_SHAPE_GAMMA,
  HC_SHAPE_LOGUNIFORM /* the logarithm is uniform; has bounds in place of mean and cv */
} hc_shape;

typedef struct hc_variate {
  hc_shape shape;
  double mean;
  double a, b,
      c; /* lognormal: mu, sigma; weibull, gamma: shape, scale; hyperexponential: probability of the first,
                     mean of the first, of the second; loguniform: low, high, ln(high / low) */
} hc_variate;

/* The cv that a shape can have: [least, greatest]; equal if it has only one. Not for loguniform. */
void hc_variate_range(hc_shape shape, double *least, double *greatest);
/* Fit to a mean > 0 and a cv, which counts only if the shape has a choice. False if the cv is out of its
 * range. */
bool hc_variate_fit(hc_variate *v, hc_shape shape, double mean, double cv);
/* Between two bounds, 0 < low < high. */
void hc_variate_loguniform(hc_variate *v, double low, double high);
double hc_variate_draw(const hc_variate *v, hc_draws *s);
double hc_variate_cdf(const hc_variate *v, double x); /* P(X <= x) */
double hc_variate_mean_below(const hc_variate *v,
                             double x); /* E[X; X <= x]: over the mean, the share of the total */

/* A distribution under the condition that low <= X <= high. */
typedef struct hc_truncated {
  hc_variate of;
  double low, high;
  double inside; /* P(low <= X <= high) */
  double mean;   /* of what is inside, exactly */
} hc_truncated;

/* False if less than one in a hundred is inside: drawing, by refusing what is outside, would not be worth
 * it. */
bool hc_truncated_fit(hc_truncated *t, const hc_variate *of, double low, double high);
double hc_truncated_draw(const hc_truncated *t, hc_draws *s);

/* ---- Zipf: P(k) proportional to k^-exponent, k = 1 .. n ---- */

typedef struct hc_zipf {
  double n, exponent, low, high;
} hc_zipf;

void hc_zipf_fit(hc_zipf *z, uint64_t n, double exponent); /* 1 <= n <= 2^53, exponent >= 0 */
uint64_t hc_zipf_draw(const hc_zipf *z, hc_draws *s);

#endif
