/* replay.h -- the intervals that an engine would have reported, made from the records of its tasks. */
#ifndef HC_METRIC_REPLAY_H
#define HC_METRIC_REPLAY_H

#include "hindcast/record.h"

/* Hears intervals in blocks, in order. @return 0 to go on; anything negative ends the replay and is
 * returned. */
typedef hc_rc (*hc_interval_hearer)(void *ctx, const hc_interval *intervals, size_t count);

/** Derive the sequence of states from what is known of each task, and report it from the first event to the
 *  last.
 *
 *  A task waits from its submission to its start, or to its end if it was withdrawn, and runs from start to
 *  end. One that was still waiting or running when the run ended is so until the last event; a rejected one
 *  is never there. There is one interval from each instant with an event to the next; an instant has no
 *  length, so what only held within one is in none. The capacity is constant.
 *
 *  @param capacity units of the machine
 *  @param records [n] in any order
 *  @return 0, HC_ENOMEM, or what `each` returned.
 *  Cost: a sort of three events per task, O(log waiting) per task, 120 bytes per task while it lasts. */
hc_rc hc_metric_replay(const hc_allocator *a, int64_t capacity, const hc_task_record *records, size_t n,
                       hc_interval_hearer each, void *ctx);

#endif
