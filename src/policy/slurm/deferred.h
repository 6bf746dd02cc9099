/* deferred.h -- jobs that a cycle of the backfill has tried and need not plan for. See deferred.c. */
#ifndef HC_POLICY_SLURM_DEFERRED_H
#define HC_POLICY_SLURM_DEFERRED_H

#include "base/mem.h"
#include "hindcast/policy.h"

struct hc_slurm;
struct hc_slurm_job;

/* A job that cannot start in this cycle. Nor can one like it that asks for as many slots, for as long, or
 * for more. */
typedef struct hc_slurm_refusal {
  uint32_t partition, slots;
  int64_t need, limit;
  uint64_t shape; /* of a slot: hc_slurm_shape_kind */
} hc_slurm_refusal;

enum { HC_SLURM_REFUSALS = 16 };

typedef struct hc_slurm_deferred {
  uint32_t *items;          /* [first, count) of the queue, in its order */
  size_t first, count, cap; /* `first` is that of the next one to be planned */
  size_t stretches;         /* that plans of all of them add to the table, at most */
  uint64_t *open;           /* [words] where the job that asks for plans finds room */
  size_t behind;            /* jobs of the queue before that, but for the one that asks, cannot start */
  hc_slurm_refusal refusals[HC_SLURM_REFUSALS]; /* [refusal_count] of this cycle */
  size_t refusal_count, next_refusal;           /* the next one goes there, once there are as many */
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
 *  @param open  [words] out: nodes of which one must be planned for another answer
 *  @return 1; 0: it cannot; HC_ENOMEM. Cost: O(words x (digits of a room + stretches of its limit)), and
 *  nothing where one that asks for no more cannot */
hc_rc hc_slurm_may_start(struct hc_slurm *self, const hc_view *v, const struct hc_slurm_job *job, int64_t now,
                         uint64_t *open);
/** Is it known that a job that cannot start now does not start by `until` either, s? More plans do not let
 *  it.
 *  @return 1; 0: it may; HC_ENOMEM. Cost: that of the above, a few times */
hc_rc hc_slurm_starts_later(struct hc_slurm *self, const hc_view *v, const struct hc_slurm_job *job,
                            int64_t now, int64_t until);

#endif
