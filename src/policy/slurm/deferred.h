/* deferred.h -- jobs that a cycle of the backfill has tried and need not plan for. See deferred.c. */
#ifndef HC_POLICY_SLURM_DEFERRED_H
#define HC_POLICY_SLURM_DEFERRED_H

#include "base/mem.h"
#include "hindcast/policy.h"

struct hc_slurm;
struct hc_slurm_job;

typedef struct hc_slurm_deferred {
  uint32_t *items;          /* [first, count) of the queue, in its order */
  size_t first, count, cap; /* `first` is that of the next one to be planned */
  size_t stretches;         /* that plans of all of them add to the table, at most */
  uint64_t *open;           /* [words] where the job asked about last finds room */
} hc_slurm_deferred;

/** @return 0 or HC_ENOMEM */
hc_rc hc_slurm_deferred_init(hc_slurm_deferred *d, const hc_allocator *a, uint32_t words);
void hc_slurm_deferred_fini(hc_slurm_deferred *d, const hc_allocator *a, uint32_t words);
/** A cycle begins, with none. */
void hc_slurm_deferred_begin(hc_slurm_deferred *d);
/** How many stretches a plan of a job adds to the table, at most. */
size_t hc_slurm_deferred_stretches(const struct hc_slurm *self, const struct hc_slurm_job *job, int64_t now);
/** One more of the queue. @return 0 or HC_ENOMEM */
hc_rc hc_slurm_deferred_add(struct hc_slurm *self, size_t place, int64_t now);
/** The next one that is planned, which is deferred no more. @return its place in the queue */
size_t hc_slurm_deferred_take(struct hc_slurm *self, int64_t now);

/** May a job start now, by the plans of those before it that are not deferred? More plans do not let it.
 *  Where no limits or reservations are in its way and jobs are not preempted.
 *  @return 1 with `deferred.open`, the nodes of which one must be planned for another answer; 0: it cannot;
 *  HC_ENOMEM. Cost: O(words x (digits of a room + stretches of its limit)) */
hc_rc hc_slurm_may_start(struct hc_slurm *self, const hc_view *v, const struct hc_slurm_job *job,
                         int64_t now);

#endif
