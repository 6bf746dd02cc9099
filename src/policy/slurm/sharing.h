/* sharing.h -- who may be on the nodes of a job beside it: any job, none, or jobs of its user alone. See
 * sharing.c. */
#ifndef HC_POLICY_SLURM_SHARING_H
#define HC_POLICY_SLURM_SHARING_H

#include "policy/slurm/books.h"
#include "policy/slurm/rows.h"

/** Who may be beside a job of this partition that asks for `exclusive` by itself. @return hc_exclusive */
uint32_t hc_slurm_sharing_of(const hc_slurm_partition *p, uint32_t exclusive);
/** What a job that is alone leaves unused of its nodes becomes free, or is no other's again. Between the
 *  two calls its amounts are those that the engine knows. @return 0 or HC_ENOMEM. Cost: O(its nodes) */
void hc_slurm_sharing_give(hc_slurm_books *b, hc_slurm_busy *x);
hc_rc hc_slurm_sharing_take(hc_slurm_books *b, hc_slurm_busy *x);
/** Capacities have changed: nodes of jobs that are alone are theirs all the same. @return 0 or HC_ENOMEM */
hc_rc hc_slurm_sharing_settle(hc_slurm_books *b);
void hc_slurm_sharing_fini(hc_slurm_busy *x, const hc_allocator *a);
/** Save or load what a running job has so. @return 0 or an error */
hc_rc hc_slurm_sharing_visit(hc_slurm_books *b, hc_slurm_busy *x, hc_visitor *v);
/** May users' nodes be in the way of a job? */
static inline bool hc_slurm_sharing_matters(const hc_slurm_books *b, const hc_slurm_job *job)
{
  return b->owned > 0 || job->sharing == HC_EXCLUSIVE_USER || hc_slurm_rows_matter(b);
}
/** Take nodes off the mask on which the job may not be beside those of other users, or they not beside it.
 *  Cost: O(nodes of running jobs) where hc_slurm_sharing_matters, which is asked first */
void hc_slurm_sharing_leave(const hc_slurm_books *b, const hc_slurm_job *job, uint64_t *mask);
/** The same for whose nodes they are alone, and not for what jobs there ask of them (rows.h). */
void hc_slurm_sharing_leave_users(const hc_slurm_books *b, const hc_slurm_job *job, uint64_t *mask);
/** Cores and GPUs in thousandths that a job has beside what it asks for, on what it holds or is dealt
 *  there; 0 for those that are not alone. */
void hc_slurm_sharing_rest(const hc_slurm_books *b, const hc_view *v, const hc_holding *held, size_t count,
                           int64_t out[2]);
void hc_slurm_sharing_dealt(const hc_slurm_books *b, const hc_view *v, hc_task t, const hc_host_room *dealt,
                            size_t count, int64_t out[2]);

#endif
