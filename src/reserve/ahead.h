/* ahead.h -- hosts that will have other amounts, as is announced.
 *
 * A task that runs when a host shrinks must fit what that leaves beside those that are believed to run then,
 * else it would be cut. So where it may start, a host has the least that it will have free as long as the
 * task runs: a choice among hosts is made on hosts that are narrowed down to that, and widened again behind
 * it. What a host has when it has grown is there from then on, and not before.
 *
 * What will be free then the implementations of the room say, each from what it knows
 * (hc_reserve_type.ahead). A task that has hosts whole keeps what it has. Cost: that of looking at each
 * announced change while the task would run, and two changes of each such host. */
#ifndef HC_RESERVE_AHEAD_H
#define HC_RESERVE_AHEAD_H

#include "cluster/cell.h"

typedef struct hc_ahead_host {
  uint32_t host;
  bool is_narrow;
  int64_t least[HC_DIMENSIONS]; /* free, by the cell's dimensions */
  int64_t had[HC_DIMENSIONS];   /* amounts, while it is narrowed */
} hc_ahead_host;

typedef struct hc_ahead {
  hc_ahead_host *hosts; /* [count] of the last question */
  size_t count, cap;
  uint32_t *place; /* [units] in `hosts`, plus 1; NULL: none was asked yet */
} hc_ahead;

void hc_ahead_fini(hc_ahead *x, const hc_allocator *a, uint32_t units);
void hc_ahead_clear(hc_ahead *x);
/** A host will have no more free than that. @param free [dimensions] @return 0 or HC_ENOMEM */
hc_rc hc_ahead_meet(hc_ahead *x, const hc_allocator *a, uint32_t units, uint32_t host, const int64_t *free,
                    uint32_t dimensions);
/** No host has more free than it will have. */
void hc_ahead_narrow(hc_ahead *x, hc_hosts *on);
/** It is as it was before that. */
void hc_ahead_widen(const hc_ahead *x, hc_hosts *on);
/** Do these grants fit what there will be? @param h any cell of these hosts */
bool hc_ahead_fits(const hc_ahead *x, const hc_hosts *h, const hc_request *r, const hc_grant *grants,
                   size_t count);

#endif
