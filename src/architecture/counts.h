/* counts.h -- what architectures count alike: values of which the mean and quantiles are told, such as waits
 * and numbers of attempts. What else they count is their own. Memory: that of a quantile. Cost: 2 ns a value.
 * */
#ifndef HC_ARCHITECTURE_COUNTS_H
#define HC_ARCHITECTURE_COUNTS_H

#include "base/quantile.h"

typedef struct hc_counted {
  double sum;
  hc_quantile values; /* values.n: how many */
} hc_counted;

/* What the figures of one are called, and how they are told: head_mean, head_p50 ... with a tail behind it.
 * */
typedef struct hc_counted_name {
  const char *head, *tail, *unit;
  double divisor;
} hc_counted_name;

void hc_counted_init(hc_counted *c, const hc_allocator *a);
void hc_counted_fini(hc_counted *c);
/* @return 0 or HC_ENOMEM, all of these */
hc_rc hc_counted_add(hc_counted *c, double value);
hc_rc hc_counted_visit(hc_counted *c, hc_visitor *v);
hc_rc hc_counted_find_mean(const hc_counted *c, const hc_counted_name *name, hc_findings *f);
/* @param permille [count] multiples of 10, ascending: p50 is 500 */
hc_rc hc_counted_find_quantiles(const hc_counted *c, const hc_counted_name *name, const int *permille,
                                size_t count, hc_findings *f);

/* NaN of nothing. */
static inline double hc_per(double above, double below)
{
  return below > 0 ? above / below : __builtin_nan("");
}

#endif
