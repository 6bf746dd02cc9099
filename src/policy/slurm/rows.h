/* rows.h -- rows of a partition: jobs of one row have no core in common, and one core may be of a job of
 * each. See rows.c. */
#ifndef HC_POLICY_SLURM_ROWS_H
#define HC_POLICY_SLURM_ROWS_H

#include "policy/slurm/books.h"

struct hc_slurm;

/* Room for a choice among cores that others have: made when it is first used. */
typedef struct hc_slurm_rows {
  uint64_t *used;               /* [nodes * words of cores] cores that the job may not have */
  int64_t *free;                /* [nodes * dims] */
  uint64_t *idle, *some, *mask; /* [words] */
  int64_t sum;
} hc_slurm_rows;

void hc_slurm_rows_fini(struct hc_slurm *self);
/** How many rows a partition has. */
uint32_t hc_slurm_rows_of(const hc_slurm_books *b, const hc_slurm_partition *p);
/** What a job asks of its nodes. @param sharing  hc_exclusive: what it says itself, and its partition */
hc_slurm_node_need hc_slurm_rows_need(const hc_slurm_partition *p, uint32_t sharing);
/** May who shares cores be in the way of a job? */
static inline bool hc_slurm_rows_matter(const hc_slurm_books *b)
{
  return b->cores.words > 0;
}
/** Take nodes off the mask which the job may not have for what others there ask of them. O(running jobs) */
void hc_slurm_rows_leave(const hc_slurm_books *b, const hc_slurm_job *job, uint64_t *mask);
/** Make room for filling rows of all running jobs. @return 0 or HC_ENOMEM */
hc_rc hc_slurm_rows_prepare(hc_slurm_books *b);
/** A job that runs goes into the first row of its partition that has room; its cores are known.
 *  @return 0 or HC_ENOMEM */
hc_rc hc_slurm_rows_join(hc_slurm_books *b, hc_slurm_busy *x);
/** A job of the partition is gone: fill its rows anew. */
void hc_slurm_rows_fill(hc_slurm_books *b, uint32_t partition);
/* Which cores a job may have: those that no job has; those of rows with room, too; and of the row that is for
 * jobs which preempt others. */
typedef enum hc_slurm_cores_of_rows {
  HC_SLURM_IDLE,
  HC_SLURM_ROWS,
  HC_SLURM_MORE_ROWS
} hc_slurm_cores_of_rows;

/** Choose nodes and cores for a job among those of `mask`, which others may have too, without jobs that are
 *  away: idle cores first. @return 1 with `choice` and the cores that it may not have; 0; HC_ENOMEM */
hc_rc hc_slurm_rows_choose(struct hc_slurm *self, const hc_slurm_job *job, const hc_slurm_ask *ask,
                           const uint64_t *mask, hc_slurm_cores_of_rows which);
/** The same once the first `rank` running jobs, in the order of their ends, are gone. */
hc_rc hc_slurm_rows_choose_later(struct hc_slurm *self, const hc_slurm_job *job, const hc_slurm_ask *ask,
                                 const uint64_t *mask, size_t rank, hc_slurm_cores_of_rows which);
/** Start a job on cores that others have, if it may: they have their turns, or it has.
 *  @return 1: it has started; HC_SLURM_PUT_OFF: it will, in another decision at the same time; 0; or an error
 */
hc_rc hc_slurm_rows_start(struct hc_slurm *self, const hc_view *v, hc_plan *p, const hc_slurm_job *job,
                          const hc_slurm_ask *ask, const uint64_t *mask);

#endif
