/* distribution.h -- families that look at one number of each task: its mean, its quantiles, its greatest.
 *
 * Where the number is a time (wait, response), the family is its formula and its words; the rest is here.
 * The mean is exact: the sum is kept in 128 bits. For ratios there are the two sums that the slowdowns
 * without quantiles need. Cost: one sum and one quantile per task. */
#ifndef HC_METRIC_DISTRIBUTION_H
#define HC_METRIC_DISTRIBUTION_H

#include "base/quantile.h"
#include "metric/family.h"
#include "metric/sum128.h"

/* ---- times ---- */

/* Write the time of each of `n` records; those that do not count are passed over later. */
typedef void (*hc_times_of)(const hc_task_record *records, size_t n, hc_time *out);

/* The members of a family's descriptor; its init calls hc_times_new. @param name what its figures begin
 * with */
hc_rc hc_times_new(const hc_metric_context *c, const char *name, hc_times_of of, hc_metric **out,
                   hc_error *e);
hc_rc hc_times_tasks(hc_metric *self, const hc_task_record *records, size_t count);
hc_rc hc_times_finish(hc_metric *self, hc_findings *f);
hc_rc hc_times_visit(hc_metric *self, hc_visitor *v);
void hc_times_fini(hc_metric *self);

/* The declarations of a mean and what hc_quantile_find finds. @param mean, p50, p95, max the roles of these,
 * each with ", " before it: ", usual, compared", or "" */
#define HC_DISTRIBUTION_FIGURES(name, unit, formula, mean, p50, p95, max) \
  name "_mean|" unit "|lower" mean "|mean of " formula, \
      name "_p50|" unit "|lower" p50 "|median of " formula, \
      name "_p90|" unit "|lower|quantile 0.90 of " formula, \
      name "_p95|" unit "|lower" p95 "|quantile 0.95 of " formula, \
      name "_p99|" unit "|lower|quantile 0.99 of " formula, \
      name "_max|" unit "|lower" max "|greatest " formula

/* ---- ratios ---- */

typedef struct hc_ratios {
  uint64_t tasks;
  hc_real_sum sum;
  double max;
} hc_ratios;

static inline void hc_ratios_add(hc_ratios *r, double x)
{
  hc_real_sum_add(&r->sum, x);
  r->max = x > r->max ? x : r->max;
  r->tasks++;
}

/* Find name_mean and name_max; NaN for none. */
hc_rc hc_ratios_find(const hc_ratios *r, hc_findings *f, const char *name);

#endif
