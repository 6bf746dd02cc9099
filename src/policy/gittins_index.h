/* gittins_index.h -- the Gittins index of a task of which so much service is done, by a list of services that
 * tasks had in all.
 *
 *     G(a) = max over D > 0 of P(S - a <= D | S > a) / E[min(S - a, D) | S > a]
 *
 * where S is the service of a task drawn from the list: the best rate of completion per service that giving
 * it D more can have. For a list the best D ends at one of its values, so that each is tried once: O(n).
 * Source: Gittins, "Bandit processes and dynamic allocation indices", JRSS B 41(2), 1979; Aalto, Ayesta and
 * Righter, "On the Gittins index in the M/G/1 queue", Queueing Systems 63, 2009,
 * doi:10.1007/s11134-009-9141-x. */
#ifndef HC_POLICY_GITTINS_INDEX_H
#define HC_POLICY_GITTINS_INDEX_H

#include "hindcast/base.h"

/** @param services [n] ascending @param attained in the same unit @return 0: none is above it; INFINITY never
 */
double hc_gittins_index(const double *services, size_t n, double attained);

#endif
