/* hosts.h -- which hosts a scheduler may use: those that it is shown, without those that it never uses.
 *
 * A picky scheduler has a share of all hosts on its blacklist, drawn once, for each scheduler by itself; so
 * two that are alike avoid different hosts. What is left is kept as ranges: a decision that looks for a host
 * walks them, so a blacklist of a share b of n hosts costs some n b (1 - b) ranges a scheduler, and as many
 * steps to a search that finds nothing. */
#ifndef HC_ARCHITECTURE_SCHEDULER_OPTIONS_HOSTS_H
#define HC_ARCHITECTURE_SCHEDULER_OPTIONS_HOSTS_H

#include "base/math.h"
#include "base/mem.h"

typedef struct hc_scheduler_hosts {
  hc_range *ranges; /* [count] ascending, disjoint; NULL: every host may be used */
  size_t count;
} hc_scheduler_hosts;

/** Leave out floor(share x hosts) hosts, every choice of them equally likely.
 *  @param build holds the ranges  @param a scratch  @return 0 or HC_ENOMEM. O(hosts) */
hc_rc hc_scheduler_hosts_draw(hc_scheduler_hosts *h, hc_arena *build, const hc_allocator *a, uint32_t hosts,
                              double share, hc_draws draws);

/** What is in both. @param out [count of one + count of the other] @return how many ranges */
size_t hc_scheduler_hosts_both(const hc_scheduler_hosts *h, const hc_range *scope, size_t scope_count,
                               hc_range *out);

#endif
