/* timeline.h -- future availability of one counted amount: how many units are free from when on.
 *
 * A balanced tree of breakpoints (time, change of level), each subtree knowing the sum of its changes and the
 * least and greatest running sum in it. A claim on [from, to) is two point updates, so a release, a
 * reservation and an announced capacity change are the same thing; the earliest fit is a few descents.
 * Everything is O(log breakpoints), the earliest fit O(log) for each interval that is long enough at its
 * start but not at its end.
 *
 * The level before the first breakpoint is `base`. Breakpoints in the past are never stored: what moves
 * time folds them into the base. Changes at one time add up; a breakpoint whose change is 0 disappears. */
#ifndef HC_RESERVE_TIMELINE_H
#define HC_RESERVE_TIMELINE_H

#include "base/mem.h"

typedef struct hc_timeline hc_timeline;

hc_rc hc_timeline_new(const hc_allocator *a, int64_t base, hc_timeline **out); /* 0 or HC_ENOMEM */
void hc_timeline_free(hc_timeline *t);
int64_t hc_timeline_base(const hc_timeline *t);
void hc_timeline_base_add(hc_timeline *t, int64_t change);
/** From `at` on the level is higher by `change` (at HC_NEVER: nothing happens). @return 0 or HC_ENOMEM.
 *  Adding the opposite undoes it exactly. */
hc_rc hc_timeline_add(hc_timeline *t, hc_time at, int64_t change);
/** Level at a time: base plus all changes at or before it. */
int64_t hc_timeline_level(const hc_timeline *t, hc_time at);
/** Least level at any time in [from, to); the level at `from` if the interval is empty. `to` may be
 *  HC_NEVER. */
int64_t hc_timeline_least(const hc_timeline *t, hc_time from, hc_time to);
/** Earliest time >= from at which the level is at least `want` for `duration` (HC_NEVER: for ever).
 *  @return HC_NEVER if there is none. */
hc_time hc_timeline_earliest(const hc_timeline *t, hc_time from, hc_time duration, int64_t want);
/** First breakpoint at or after a time; false if there is none. */
bool hc_timeline_first(const hc_timeline *t, hc_time from, hc_time *at, int64_t *change);
size_t hc_timeline_count(const hc_timeline *t);         /* breakpoints */
hc_rc hc_timeline_visit(hc_timeline *t, hc_visitor *v); /* the hash is of the set of breakpoints */

#endif
