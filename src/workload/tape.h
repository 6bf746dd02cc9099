/* tape.h -- the rows of a run's sources, kept in memory, to be played to many runs.
 *
 * A tape holds what the sources handed over, before anything was put in order, transformed or admitted; it is
 * read-only once made, and any number of runs may play it at once. A run on a tape is the run on its sources:
 * the same rows in the same order, the same names and rare facts by the same numbers, the same ledger at the
 * end. */
#ifndef HC_WORKLOAD_TAPE_H
#define HC_WORKLOAD_TAPE_H

#include "hindcast/workload.h"

typedef struct hc_tape hc_tape;

/** What of each source a run looks at, in order of submission: its first `rows`, and what is submitted before
 *  `until`. A tape that has no room for all may end behind that; such a tape serves no run that looks
 *  further. */
typedef struct hc_tape_need {
  uint64_t rows; /* 0: all */
  hc_time until; /* HC_UNKNOWN: all */
  hc_time moved; /* by how much submissions will be moved at most: rows that far behind are kept, too */
} hc_tape_need;

/** Read sources to their ends, or as far as is needed and there is room.
 *  @param c        its allocator, seed, replication and strict; nothing else of it is looked at
 *  @param sources  [count] what a configuration says of each; copied, but for its options, which are only
 *  read here
 *  @param limit    bytes that the rows may take
 *  @return 0; 1: there can be no tape (a closed loop, or more than `limit`), and none is made: `e` says
 *  which; what a source returned; HC_ENOMEM. */
hc_rc hc_tape_record(const hc_source_context *c, const hc_chosen *sources, size_t count, size_t limit,
                     const hc_tape_need *need, hc_tape **out, hc_error *e);
/** Whether a run that needs this can play it. */
bool hc_tape_serves(const hc_tape *t, const hc_tape_need *need);
void hc_tape_free(hc_tape *t); /* NULL is fine */
/** Sources that play it, in place of those that were recorded. Borrowed for the tape's life. */
const hc_chosen *hc_tape_sources(const hc_tape *t, size_t *count);
/** Whether every source's rows are in order of (submit, id): then a run needs no window to sort them in. */
bool hc_tape_is_sorted(const hc_tape *t);
uint64_t hc_tape_rows(const hc_tape *t);
size_t hc_tape_bytes(const hc_tape *t);
/** Move each row's time of submission by a uniform draw from [-by, by], never below 0, to the nanosecond, and
 *  put the rows in order again; multiply each run time by a uniform draw from [1 - run, 1 + run), above 0 if
 *  it was, and raise the limit that it was within: what Tsafrir, Ouaknine and Feitelson (MASCOTS 2007) call
 *  shaking.
 *  @param which  the draw: number `which` of the seed and replication; 0 leaves everything as it is
 *  @return 0, HC_EUNSUPPORTED (rows of one job that stand together would be torn apart), HC_ENOMEM. */
hc_rc hc_tape_shake(hc_tape *t, uint64_t seed, uint64_t replication, uint64_t which, hc_time by, double run,
                    hc_error *e);

#endif
