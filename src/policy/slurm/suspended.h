/* suspended.h -- jobs that are suspended, in the books. See suspended.c. */
#ifndef HC_POLICY_SLURM_SUSPENDED_H
#define HC_POLICY_SLURM_SUSPENDED_H

#include "policy/slurm/books.h"

/** Give back what a running job may have had. */
void hc_slurm_suspended_fini(hc_slurm_busy *x, const hc_allocator *a);
/** The engine tells that a job has given back all that it held, or has it again, while it is being suspended
 *  or resumed. @return 0 or HC_ENOMEM */
hc_rc hc_slurm_suspended_hear(hc_slurm_books *b, const hc_view *v, hc_task t, const int64_t *amounts,
                              int64_t sign);
/** Suspend a running job, or let it go on. @return 1, 0: that cannot be now, or an error */
hc_rc hc_slurm_suspended_add(hc_slurm_books *b, hc_plan *p, uint32_t busy);
hc_rc hc_slurm_suspended_resume(hc_slurm_books *b, hc_plan *p, uint32_t busy);
/** Of a job that is no longer suspended, since it was lost with a host, nothing is left. */
void hc_slurm_suspended_lose(hc_slurm_books *b, const hc_view *v, uint32_t busy);
/** Save or load what a running job has, with the gang scheduler. @return 0 or an error */
hc_rc hc_slurm_suspended_visit(hc_slurm_books *b, hc_slurm_busy *x, hc_visitor *v);

#endif
