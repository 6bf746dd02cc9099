/* books_parts.h -- what the files of the books tell each other: nodes (books.c), the queue (queue.c), jobs
 * that run (running.c). */
#ifndef HC_POLICY_SLURM_BOOKS_PARTS_H
#define HC_POLICY_SLURM_BOOKS_PARTS_H

#include "policy/slurm/books.h"

#define HC_SLURM_FIRST_PRIORITY INT64_C(4294901759) /* of priority/basic; each job that comes has one less */

/* ---- books.c ---- */

/** Room for a task's number in `places` or `runs`, 0 where there was none. @return 0 or HC_ENOMEM */
hc_rc hc_slurm_books_by_task(hc_slurm_books *b, uint32_t **items, size_t *cap, hc_task t);
/** The partition of a set of nodes; where there is none that for jobs of none. */
uint32_t hc_slurm_books_part(const hc_slurm_books *b, uint32_t set);
/** A job's time limit in a partition, s. */
int64_t hc_slurm_books_limit(const hc_slurm_books *b, const hc_view *v, hc_task t, uint32_t partition);

/* ---- queue.c ---- */

/** A job waits; it does so no more. @return 0 or HC_ENOMEM */
hc_rc hc_slurm_queue_join(hc_slurm_books *b, const hc_view *v, hc_task t);
void hc_slurm_queue_leave(hc_slurm_books *b, const hc_view *v, hc_task t);
hc_rc hc_slurm_queue_visit(hc_slurm_books *b, hc_visitor *v);

/* ---- running.c ---- */

/** A job gets (`sign` 1) or gives back (-1) what the view says that it holds. @return 0 or HC_ENOMEM */
hc_rc hc_slurm_running_claim(hc_slurm_books *b, const hc_view *v, hc_task t, const int64_t *amounts,
                             int64_t sign);
hc_rc hc_slurm_running_visit(hc_slurm_books *b, hc_visitor *v);

#endif
