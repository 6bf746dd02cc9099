/* suspended.h -- jobs that are suspended, in the books: what they had, and what of it they still keep from
 * others. See suspended.c. */
#ifndef HC_POLICY_SLURM_SUSPENDED_H
#define HC_POLICY_SLURM_SUSPENDED_H

#include "policy/slurm/books.h"

/** Give back what a running job may have had. */
void hc_slurm_suspended_fini(hc_slurm_busy *x, const hc_allocator *a);
/** The engine tells that a job has given back all that it held, or has it again, while it is being suspended
 *  or resumed. @return 0 or HC_ENOMEM */
hc_rc hc_slurm_suspended_hear(hc_slurm_books *b, const hc_view *v, hc_task t, const int64_t *amounts,
                              int64_t sign);
/** Suspend a running job; what it had is free. @return 1, 0: it cannot be, or an error */
hc_rc hc_slurm_suspended_add(hc_slurm_books *b, hc_plan *p, uint32_t busy);
/** Let it keep of its own whatever is free; give that back. */
void hc_slurm_suspended_hold(hc_slurm_books *b, uint32_t busy);
void hc_slurm_suspended_release(hc_slurm_books *b, uint32_t busy);
/** Resume all whose nodes have room for them again; forget those that are gone.
 *  @return how many, or an error. Cost: O(running jobs) if any is suspended */
hc_rc hc_slurm_suspended_go_on(hc_slurm_books *b, const hc_view *v, hc_plan *p);
/** The task is no longer suspended: it was lost with a host. */
void hc_slurm_suspended_lose(hc_slurm_books *b, const hc_view *v, uint32_t busy);
/** Save or load it, of any running job. @return 0 or an error */
hc_rc hc_slurm_suspended_visit(hc_slurm_books *b, hc_slurm_busy *x, hc_visitor *v);

#endif
