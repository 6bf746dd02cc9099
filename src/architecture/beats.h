/* beats.h -- when hosts report: groups of them in the order of their phases, and which of them are worth a
 * report.
 *
 * All hosts have one period, so reports come round in one order for ever: a group is a place in that order,
 * and the next report is the next place whose bit is set. Two levels of bits: the next one in 10,000 is found
 * in three steps. A group is one host, or so many that report one after another, or those that report within
 * a window. */
#ifndef HC_ARCHITECTURE_BEATS_H
#define HC_ARCHITECTURE_BEATS_H

#include "hindcast/base.h"

#define HC_NO_BEAT UINT32_MAX

typedef enum hc_phase_rule { HC_PHASE_RANDOM, HC_PHASE_STAGGERED, HC_PHASE_ZERO } hc_phase_rule;

typedef struct hc_beats_options {
  uint32_t hosts;
  hc_time period, window; /* window 0: none; else a divisor of the period */
  hc_time shift;          /* all phases are later by this */
  uint32_t batch;         /* hosts a group; 1 if there is a window */
  hc_phase_rule rule;
  uint64_t seed, replication;
} hc_beats_options;

typedef struct hc_beats {
  const hc_allocator *allocator;
  hc_time period;
  uint32_t hosts, count; /* groups */
  hc_time *at;           /* [count] in [0, period), ascending */
  uint32_t *first;       /* [count + 1] of its hosts in `members` */
  uint32_t *members;     /* [hosts] ascending in each group */
  uint32_t *group_of;    /* [hosts] */
  uint64_t *bits;        /* groups that are open; then a bit for each word of these */
  size_t words;
} hc_beats;

/* @return 0 or HC_ENOMEM. All groups are closed. */
hc_rc hc_beats_init(hc_beats *b, const hc_allocator *a, const hc_beats_options *o);
void hc_beats_fini(hc_beats *b);
void hc_beats_set(hc_beats *b, uint32_t group, bool is_open);
/* The first open group from `from` on; HC_NO_BEAT if there is none. */
uint32_t hc_beats_next(const hc_beats *b, uint32_t from);
/* The first group that reports at `at` in its period, or later: `count` if none does. Cost: O(log count). */
uint32_t hc_beats_from(const hc_beats *b, hc_time at);

static inline bool hc_beats_is_open(const hc_beats *b, uint32_t group)
{
  return b->bits[group / 64] >> group % 64 & 1;
}

#endif
