/* speedup.h -- how much faster a parallel program is on n processors: pure functions, two published families.
 *
 * Downey's curve has an average parallelism A and a variance sigma; it is linear for sigma = 0 and never
 * above A.
 *   sigma <= 1:  A n / (A + sigma (n - 1) / 2)                    1 <= n <= A
 *                A n / (sigma (A - 1/2) + n (1 - sigma / 2))      A <= n <= 2 A - 1
 *                A                                                2 A - 1 <= n
 *   sigma >= 1:  n A (sigma + 1) / (sigma (n + A - 1) + A)        1 <= n <= A + A sigma - sigma
 *                A                                                beyond
 * Source: Downey, "A model for speedup of parallel programs", UCB/CSD-97-933, 1997.
 *
 * Sevcik's run time is phi W / n + alpha + beta n: imbalance phi, a serial part alpha, an overhead beta for
 * each processor. Source: Sevcik, "Application scheduling and processor allocation in multiprogrammed
 * parallel processing systems", Performance Evaluation 19, 1994, doi:10.1016/0166-5316(94)90036-1. */
#ifndef HC_BASE_SPEEDUP_H
#define HC_BASE_SPEEDUP_H

/** Downey's speed-up. @param n >= 1; @param a average parallelism, >= 1; @param sigma >= 0. */
double hc_speedup_by_downey(double n, double a, double sigma);
/** Where it reaches `a`: 2a - 1, or a + a sigma - sigma. */
double hc_speedup_downey_knee(double a, double sigma);

/** Two published sets of constants: work 1000 on average in both, time in the unit of work. */
typedef struct hc_sevcik {
  double phi, alpha, beta;
} hc_sevcik;
#define HC_SEVCIK_MILD ((hc_sevcik){1.02, 0.05, 0})
#define HC_SEVCIK_STEEP ((hc_sevcik){1.3, 25, 25})

/** Sevcik's run time on n processors, and what it is of that on one. @param work >= 0; @param n >= 1. */
double hc_sevcik_time(hc_sevcik p, double work, double n);
double hc_sevcik_speedup(hc_sevcik p, double work, double n);

#endif
