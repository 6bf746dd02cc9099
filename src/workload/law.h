/* law.h -- a law of chance as users write it: "0.7 * exponential(1m) + 0.3 * lognormal(2h 1.5) from 1s to
 * 1d". */
#ifndef HC_WORKLOAD_LAW_H
#define HC_WORKLOAD_LAW_H

#include "base/mem.h"
#include "base/variates.h"

#define HC_LAW_PARTS 64        /* most parts of a mixture */
#define HC_LAW_LIST 4096       /* most values written out in one part */
#define HC_LAW_FILE (1u << 22) /* most values of a file */
#define HC_LAW_HIGHEST 1e15    /* no value written is above; times in seconds end at 1e9 */
#define HC_LAW_ENDLESS 1e300   /* a bound that is none */

/* What the values of a law are, hence how they are written: 0.5; 90s, 1h30m (drawn as seconds); 64MiB (as
 * bytes). */
typedef enum hc_law_unit { HC_LAW_NUMBER, HC_LAW_TIME, HC_LAW_SIZE } hc_law_unit;

typedef enum hc_law_kind {
  HC_LAW_FIXED,     /* of.mean, always */
  HC_LAW_VARIATE,   /* one of base/variates.h */
  HC_LAW_UNIFORM,   /* a to b */
  HC_LAW_NORMAL,    /* mean a, deviation b */
  HC_LAW_PARETO,    /* a to b, P(X > x) falling as x^-c */
  HC_LAW_QUANTILES, /* [count] values: those at shares 0, 1/(count - 1) ... 1; straight between them */
  HC_LAW_VALUES     /* [count] values, ascending, each as likely */
} hc_law_kind;

/* One law of a mixture, under the condition that its values lie between the bounds. */
typedef struct hc_law_part {
  hc_law_kind kind;
  double weight; /* they add up to 1 */
  double a, b, c;
  hc_variate of;
  double *values;
  size_t count, cap;
  double low, high;     /* what it can yield */
  double under, inside; /* without the condition: P(X < low), P(low <= X <= high) */
  double mean;          /* under the condition */
} hc_law_part;

typedef struct hc_law {
  const hc_allocator *allocator;
  hc_law_part *parts; /* [count] */
  size_t count, cap;
  double low, high, mean; /* of the mixture, like all that follows; high may be HC_LAW_ENDLESS */
  bool is_discrete;       /* nothing but fixed values and lists of them */
  double scale;           /* what is drawn is multiplied by this: see hc_law_stretch */
} hc_law;

/** Read a law.
 *  @param name   of the parameter, and @param where "source mixture", for errors
 *  @return 0; HC_EUSAGE with what is wrong and where in `text`; HC_EIO, HC_EINPUT (a file); HC_ENOMEM. Call
 *  hc_law_fini whatever it returned. */
hc_rc hc_law_read(hc_law *l, const hc_allocator *a, const char *text, hc_law_unit unit, const char *where,
                  const char *name, hc_error *e);
void hc_law_fini(hc_law *l);
/** Put bounds on parts that were read, and make their weights add up to 1.
 *  @return 1; 0: less than one in a hundred is inside; HC_ENOMEM. */
hc_rc hc_law_settle(hc_law *l, double low, double high);
/** Multiply all values, so that the mean is `mean`. */
void hc_law_stretch(hc_law *l, double mean);

/** One draw. Cost: that of the variate and one unit draw if there are several parts. */
double hc_law_draw(const hc_law *l, hc_draws *d);
/** The nearest whole number to a draw, halves up, between two bounds. */
int64_t hc_law_draw_whole(const hc_law *l, hc_draws *d, int64_t least, int64_t most);
double hc_law_cdf(const hc_law *l, double x);
/** The mean of hc_law_draw_whole without an upper bound. Cost: some 4,000 values of the cdf. */
double hc_law_mean_whole(const hc_law *l, int64_t least);
/** Where the cdf of a part is u, 0 <= u < 1. Not multiplied by `scale`. */
double hc_law_quantile(const hc_law_part *p, double u);

/* What the descriptors of generators say of laws. */
#define HC_LAW_HELP \
  "A law is a number (always that value), or one of exponential(mean), lognormal(mean cv), weibull(mean " \
  "cv), gamma(mean cv), hyperexponential(mean cv), normal(mean deviation), uniform(low high), " \
  "loguniform(low high), pareto(low high shape), quantiles(v0 v1 ...) at equal steps of the cdf, values(v1 " \
  "v2 ...), each as likely, file(path) with one value on each line; also lognormal(median= sigma=), " \
  "weibull(shape= scale=), gamma(shape= scale=). cv is the standard deviation / the mean. Laws mix by " \
  "weights, `0.7 * a + 0.3 * b`; `from x to y` after the whole law restricts it to values between x and y. " \
  "Values below 0 are never drawn. pareto(3s 30d 1.15) is the tail of run times that Leland and Ott " \
  "(SIGMETRICS 1986) found: P(T > t) falls as t^-1.05 to t^-1.25 beyond 3 s."

#endif
