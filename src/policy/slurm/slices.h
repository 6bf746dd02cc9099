/* slices.h -- the gang scheduler: jobs of a partition that have the same cores take turns, and jobs of higher
 * tiers suspend those of lower ones. See slices.c. */
#ifndef HC_POLICY_SLURM_SLICES_H
#define HC_POLICY_SLURM_SLICES_H

#include "policy/slurm/books.h"

struct hc_slurm;

/** Make room for the lists of all partitions. @return 0 or HC_ENOMEM */
hc_rc hc_slurm_slices_init(hc_slurm_books *b);
void hc_slurm_slices_fini(hc_slurm_books *b);
/** Forget all jobs; take up jobs that were loaded, in their order. @return 0 or HC_ENOMEM */
void hc_slurm_slices_empty(hc_slurm_books *b);
hc_rc hc_slurm_slices_load(hc_slurm_books *b);
/** A job starts, and its cores are known. @return 0 or HC_ENOMEM */
hc_rc hc_slurm_slices_join(hc_slurm_books *b, uint32_t busy);
/** It has gone, its nodes are clean, and it is none of the running jobs any more. */
void hc_slurm_slices_leave(hc_slurm_books *b, uint32_t busy);
/** Is a slice over that may change whose turn it is? */
bool hc_slurm_slices_matter(const hc_slurm_books *b);
/** A slice is over: the next begins. */
void hc_slurm_slices_turn(hc_slurm_books *b);
/** Suspend, or stop, who has the cores that `choice` deals a job and may not run beside it.
 *  @return 1; 0: that cannot be yet, in this very decision; or an error */
hc_rc hc_slurm_slices_make_way(struct hc_slurm *self, const hc_view *v, hc_plan *p, const hc_slurm_job *job,
                               const hc_slurm_ask *ask);
/** Suspend and resume until those run that have their turn. What has to wait for the end of this decision
 *  leaves `is_pending`. @return how many were suspended or resumed; or an error */
hc_rc hc_slurm_slices_apply(struct hc_slurm *self, const hc_view *v, hc_plan *p);

#endif
