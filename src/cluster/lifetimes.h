/* lifetimes.h -- how long something lasts, at random: hosts between failures, repairs. See lifetimes.c. */
#ifndef HC_CLUSTER_LIFETIMES_H
#define HC_CLUSTER_LIFETIMES_H

#include "base/math.h"

/* In the order of the choice HC_LIFETIMES. */
typedef enum hc_lifetime_law {
  HC_LIFE_EXPONENTIAL,
  HC_LIFE_WEIBULL,
  HC_LIFE_FIXED,
  HC_LIFE_LOGNORMAL,
  HC_LIFE_GAMMA
} hc_lifetime_law;

#define HC_LIFETIMES "exponential|weibull|fixed|lognormal|gamma"

typedef struct hc_lifetime {
  hc_lifetime_law law;
  hc_time mean;        /* HC_NEVER: it is too long for the clock */
  double shape, scale; /* scale in seconds: see lifetimes.c */
} hc_lifetime;

/** Fit to a mean, or to a scale: one of them is HC_UNKNOWN. @param shape > 0. */
void hc_lifetime_fit(hc_lifetime *l, int law, hc_time mean, hc_time scale, double shape);
/** Time number `n` of a stream, whose `draw` is set by this: at least 1 ns; HC_NEVER if it is 285 years or
 *  longer. Draws of different numbers are independent. */
hc_time hc_lifetime_draw(const hc_lifetime *l, const hc_draws *stream, uint64_t n);

#endif
