/* past.h -- what the last cycle of the backfill has found for each job, which holds while only time passes.
 *
 * As long as no job starts or ends, and the jobs before one are planned as they were, it is found the same
 * again until the clock comes to something that was looked at: where a stretch of the plan ends, the end of a
 * running job, the end of the table. What was found is kept with that time, in the order in which jobs were
 * tried, and the nodes with it. A cycle compares what it finds anew with what is kept: from the first job on
 * that is another one, or is planned otherwise, the rest is forgotten. */
#ifndef HC_POLICY_SLURM_PAST_H
#define HC_POLICY_SLURM_PAST_H

#include "base/mem.h"
#include "policy/slurm/space.h"

/* What was found for a job. No padding. */
typedef struct hc_slurm_found {
  uint64_t serial;
  int64_t limit;      /* s: that it was tried with */
  int64_t until;      /* s: before that it is found again */
  int64_t start;      /* s: from when on it is planned; HC_NEVER: it is not */
  uint32_t partition; /* that it was tried in */
  uint32_t is_taken;  /* its nodes are taken out of the plan */
  hc_slurm_words words;
  size_t nodes; /* where bits of those words begin */
} hc_slurm_found;

typedef struct hc_slurm_past {
  hc_slurm_found *items; /* [count] */
  size_t count, cap;
  size_t at;       /* how many jobs of this cycle are as they were */
  uint64_t *nodes; /* [node_cap] of all items, one after the other */
  size_t node_cap;
  uint64_t version; /* of the books */
} hc_slurm_past;

void hc_slurm_past_fini(hc_slurm_past *p, const hc_allocator *a);
/** A cycle begins. @param version  of the books: what was kept under another one is forgotten */
void hc_slurm_past_begin(hc_slurm_past *p, uint64_t version);
/** What is kept of the next job, if it is that one and the time has not come.
 *  @param version  of the books, which may be another one within a cycle: then nothing is
 *  @param key  says serial, limit and partition  @return borrowed until the next call; NULL: it has to be
 *  tried */
const hc_slurm_found *hc_slurm_past_next(const hc_slurm_past *p, uint64_t version, const hc_slurm_found *key,
                                         int64_t now);
/** The bits of its nodes. @param nodes  [words] out */
void hc_slurm_past_nodes(const hc_slurm_past *p, const hc_slurm_found *x, uint64_t *nodes, uint32_t words);
/** Keep what was found for the next job. @param nodes  [words] borrowed; where it is not planned they are not
 *  looked at @return 0 or HC_ENOMEM. Cost: O(words) */
hc_rc hc_slurm_past_keep(hc_slurm_past *p, const hc_allocator *a, uint64_t version, const hc_slurm_found *x,
                         const uint64_t *nodes, uint32_t words);

#endif
