/* popular.h -- the estimates that users give: few round values, most of them popular ones, by the model of
 * Tsafrir, Etsion and Feitelson; and which of them each job gets.
 *
 * Two steps, both pure functions of their draws. hc_popular_bins makes a histogram of estimates for a number
 * of jobs; hc_popular_assign deals it out so that no estimate is below a run time. See popular.c. */
#ifndef HC_WORKLOAD_POPULAR_H
#define HC_WORKLOAD_POPULAR_H

#include "base/math.h"
#include "base/mem.h"

#define HC_POPULAR_HEAD 20   /* values that most jobs ask for */
#define HC_POPULAR_MOST 4096 /* values at all */

typedef enum hc_popular_rule { HC_POPULAR_TABLE, HC_POPULAR_POWER } hc_popular_rule;

typedef struct hc_popular_options {
  uint64_t jobs;   /* at least 1 */
  hc_time longest; /* the largest estimate, at least 1 h */
  int64_t bins;    /* values; 0: by `rule` */
  hc_popular_rule rule;
  const hc_time *given; /* [given_count] values that users do ask for, below `longest` */
  size_t given_count;
  bool longest_first; /* the largest estimate is the most popular one */
} hc_popular_options;

typedef struct hc_popular_bin {
  hc_time estimate;
  uint64_t jobs; /* that ask for it; 0: the bin was dropped, there were too few jobs */
} hc_popular_bin;

/** How many values so many jobs have, by the published table or power law, to the nearest. */
int64_t hc_popular_count(hc_popular_rule rule, uint64_t jobs);
/** @param out [HC_POPULAR_MOST] ascending by estimate, their jobs add up to o->jobs; @param head
 *  [HC_POPULAR_HEAD], may be NULL: the popular values, ascending; @param head_count of them.
 *  @return the number of bins. */
size_t hc_popular_bins(const hc_popular_options *o, hc_draws *d, hc_popular_bin *out, hc_time *head,
                       size_t *head_count);
/** Deal the bins' estimates to jobs. @param run [n]; @param bins [bin_count] ascending, their jobs add up to
 *  n;
 *  @param rank [2 n] scratch; @param out [2 n] in its first half an estimate >= run for each, the rest is
 *  scratch.
 *  @param raise  where the k-th longest run is above the k-th longest estimate, raise that to the least value
 *  of a bin that will do; else give up.
 *  @return 0; HC_EINPUT with `*k`, the rank (from 0) at which it cannot be. Cost: O(n log n). */
hc_rc hc_popular_assign(const hc_time *run, size_t n, const hc_popular_bin *bins, size_t bin_count,
                        bool raise, hc_draws *d, uint32_t *rank, hc_time *out, size_t *k);

#endif
