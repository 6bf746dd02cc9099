/* survival.h -- within which time a share of runs ends, where some of them were cut short.
 *
 * A run that was cut would have gone on: that it is longer than it was seen to be is all that it says. The
 * share of runs that have ended by t is 1 - S(t), S(t) the product over all times u <= t at which runs ended
 * of 1 - ended(u) / seen(u), where seen(u) counts the runs, cut or not, that were not over before u. Without
 * cut runs this is the plain share, and the quantile that of rank ceil(q n). A run cut at u counts as seen
 * at u.
 * Source: Kaplan & Meier, JASA 53 (1958), doi:10.1080/01621459.1958.10501452. Cost: a sort; 8 bytes a run. */
#ifndef HC_BASE_SURVIVAL_H
#define HC_BASE_SURVIVAL_H

#include "hindcast/base.h"

/* A run of 0 to HC_NEVER / 2 ns, as a number by which runs sort: one that ended before one that was cut. */
typedef uint64_t hc_life;

static inline hc_life hc_life_of(hc_time ran, bool is_cut)
{
  const hc_time most = HC_NEVER / 2;
  return (uint64_t)(ran < 0 ? 0 : ran > most ? most : ran) << 1 | is_cut;
}

/** Least times within which these shares of all runs end; HC_UNKNOWN: too many were cut to say.
 *  @param lives    [n] are sorted
 *  @param permille [count] ascending, 1 to 1000
 *  @param out      [count] ns */
void hc_survival_covers(hc_life *lives, size_t n, const int *permille, size_t count, hc_time *out);

#endif
