/* fairness.h -- measures of fairness: pure functions of shares, allocations and series of them.
 *
 * They stand in this room because metrics use them, and a metric may not know a policy. Matrices are rows of
 * users: demand[i * dims + r]. u_i(x), the tasks user i can run on the amounts x, is min_r x_r / demand_ir
 * over what it needs. Weights may be NULL: all 1. */
#ifndef HC_METRIC_FAIRNESS_H
#define HC_METRIC_FAIRNESS_H

#include "hindcast/base.h"

/* Jain's index of x_i / w_i: (sum)^2 / (n sum of squares). 1: all alike; 1 / n: one has everything; NaN of
 * nothing, 1 if all are 0. Source: Jain, Chiu and Hawe, DEC-TR-301, 1984. */
double hc_fairness_jain(size_t n, const double *x, const double *weight);

/* Tasks that `amounts` are worth to a user that needs `demand` each: infinite if it needs nothing. */
double hc_fairness_worth(uint32_t dims, const double *demand, const double *amounts);

/* Envy of user i: max over j of u_i(what j holds, times w_i / w_j) / u_i(what i holds), at least 1 (itself).
 * Above 1: it would rather be j. 1 too if it envies no user and has nothing; infinite if it has nothing and
 * envies.
 * @param held [users][dims]. Cost: O(users dims). Source: Varian 1974; weighted as in Ghodsi et al., NSDI
 * 2011. */
double hc_fairness_envy(uint32_t users, uint32_t dims, const double *demand, const double *held,
                        const double *weight, uint32_t i);
/* The same up to one task: how many tasks more it would run in j's place, less one; above 0 counts as envy
 * where tasks are whole (EF1: Parkes, Procaccia and Shah, EC 2012). */
double hc_fairness_envy_tasks(uint32_t users, uint32_t dims, const double *demand, const double *held,
                              const double *weight, uint32_t i);

/* Sharing incentive of user i: its tasks over those it would run alone on w_i / sum w of everything. Below 1:
 * it had better not share. @param tasks of i; capacity [dims]. Source: Ghodsi et al., NSDI 2011. */
double hc_fairness_sharing(uint32_t users, uint32_t dims, const double *demand, const double *capacity,
                           const double *weight, uint32_t i, double tasks);

/* Share deficit at every sample of a series: sum over users of max(0, F - U), F and U the sums of fair shares
 * and of usage over the last `window` samples (fewer at the beginning). A user that got later what it was due
 * does not count. @param fair, usage [samples][users]; out [samples]. Cost: O(samples users).
 * Source: the analysis scripts of YTsaurus's scheduler simulator. */
void hc_fairness_deficit(size_t samples, uint32_t users, const double *fair, const double *usage,
                         size_t window, double *out);

/* A maximal run of samples in which one user had usage < tolerance x fair share. */
typedef struct hc_fairness_period {
  hc_time begin, end;
} hc_fairness_period;
/* @param at [samples] when a sample begins, ascending; `end` is when the last one ends. periods [cap] out,
 * those longer than `shortest`. @return how many there are (may exceed cap). Source: as the deficit. */
size_t hc_fairness_underserved(size_t samples, const hc_time *at, hc_time end, const double *fair,
                               const double *usage, double tolerance, hc_time shortest,
                               hc_fairness_period *periods, size_t cap);
/* Sum over periods of (seconds)^power: many short ones weigh less than a long one if power > 1. */
double hc_fairness_penalty(const hc_fairness_period *periods, size_t n, double power);

/* Finish-time fairness: (time in the shared cluster from submission to end) over (that alone in 1 / n of it).
 * Above 1: sharing cost time. Source: Mahajan et al., Themis, NSDI 2020 (from memory). */
double hc_fairness_finish(hc_time submitted, hc_time end_shared, hc_time time_alone);

#endif
