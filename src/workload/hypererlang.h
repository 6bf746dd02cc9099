/* hypererlang.h -- the hyper-Erlang law of common order, and its fit to three moments.
 *
 * With probability p a sum of n exponentials of rate lambda_1, else of rate lambda_2. Its k-th moment is
 * (n)_k (p x^k + (1 - p) y^k), x = 1 / lambda_1, y = 1 / lambda_2, (n)_k = n (n + 1) ... (n + k - 1). So with
 * m_k = mu_k / (n)_k the two means are the roots of z^2 - s z + q,
 *   s = (m3 - m1 m2) / (m2 - m1^2),  q = (m1 m3 - m2^2) / (m2 - m1^2),  p = (m1 - y) / (x - y),
 * which are positive, with p in [0, 1], if m2 > m1^2 and m1 m3 > m2^2. Both grow truer with n: the first
 * needs n > 1 / cv^2, the second follows from mu1 mu3 > mu2^2, which holds for every positive law but a
 * constant. The fit takes the least n.
 *
 * Source: Jann, Pattnaik, Franke, Wang, Skovira & Riodan, "Modeling of workload in MPPs", JSSPP 1997,
 * doi:10.1007/3-540-63574-2_18; Johnson & Taaffe, Stochastic Models 5(4), 1989,
 * doi:10.1080/15326348908807131. */
#ifndef HC_WORKLOAD_HYPERERLANG_H
#define HC_WORKLOAD_HYPERERLANG_H

#include "base/math.h"

#define HC_ERLANG_MOST 1000 /* stages: what varies less is a constant for this model (cv below 0.03) */

typedef struct hc_hyper_erlang {
  int64_t order;          /* n */
  double p, mean1, mean2; /* of the first; 1 / lambda of each */
} hc_hyper_erlang;

/** Sums of powers of what was seen. */
typedef struct hc_power_sums {
  double count, first, second, third;
} hc_power_sums;

void hc_power_sums_add(hc_power_sums *m, double x);
/** Fit to raw moments mu1, mu2, mu3. @return 3: all three match. 1: only the mean does, by HC_ERLANG_MOST
 *  stages: it hardly varies. 0: nothing can be said (no positive mean). */
int hc_hyper_erlang_fit(hc_hyper_erlang *h, double mu1, double mu2, double mu3);
/** Moment k of the law, k = 1 .. 3. */
double hc_hyper_erlang_moment(const hc_hyper_erlang *h, int k);
double hc_hyper_erlang_cdf(const hc_hyper_erlang *h, double x);
double hc_hyper_erlang_draw(const hc_hyper_erlang *h, hc_draws *d);

#endif
