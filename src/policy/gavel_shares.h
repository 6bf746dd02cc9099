/* gavel_shares.h -- which part of its time each task should have on each type of hosts: Gavel's allocations.
 *
 * With X_mk the part of the time that a task of kind m is to run on type k, and v_mk how fast it is there,
 * its effective throughput is sum_k v_mk X_mk. All of it is a linear programme in X:
 *   sum_k X_mk <= 1               for each m: a task is in one place at a time
 *   sum_m n_m g_m X_mk <= W_k     for each k: n_m tasks are of kind m, and have g_m GPUs each of W_k
 * Tasks that do not differ have the same X, so that the programme is as large as they are different.
 *
 * LEVELS: a level is raised for all, c_m x (effective throughput) >= level. One level is max-min, and leaves
 * it open what others have beyond it; with as many as there are kinds those that can have more get it, as in
 * water-filling, until none can without another's having less.
 * SUM: the sum of c_m x (effective throughput) is made as great as it can be.
 *
 * Source: Narayanan et al., "Heterogeneity-aware cluster scheduling policies for deep learning workloads",
 * OSDI 2020, sections 3 and 4. */
#ifndef HC_POLICY_GAVEL_SHARES_H
#define HC_POLICY_GAVEL_SHARES_H

#include "hindcast/base.h"

typedef struct hc_gavel_problem {
  uint32_t kinds, types;
  const double *speed;   /* [kinds][types] v; 0: it cannot run there */
  const double *tasks;   /* [kinds] n */
  const double *gpus;    /* [kinds] g */
  const double *gain;    /* [kinds] c, more than 0 */
  const double *workers; /* [types] W */
} hc_gavel_problem;

typedef enum hc_gavel_aim { HC_GAVEL_ONE_LEVEL, HC_GAVEL_ALL_LEVELS, HC_GAVEL_SUM } hc_gavel_aim;

#define HC_GAVEL_KINDS 256 /* most of them */

/** How many kinds there may be, HC_GAVEL_KINDS or fewer; 0: there are too many types. */
uint32_t hc_gavel_most(uint32_t types);
/** @param share  out: [kinds][types] X of one task. @return 0; HC_ELIMIT: there are too many kinds; HC_ENOMEM
 *  Cost: some 3 x kinds steps of (2 kinds + types) x kinds (types + 3). */
hc_rc hc_gavel_shares(const hc_allocator *a, const hc_gavel_problem *p, hc_gavel_aim aim, double *share);

#endif
