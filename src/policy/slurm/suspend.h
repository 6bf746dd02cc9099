/* suspend.h -- running jobs that are suspended for a job that starts. See suspend.c. */
#ifndef HC_POLICY_SLURM_SUSPEND_H
#define HC_POLICY_SLURM_SUSPEND_H

#include "policy/slurm/scheduler.h"

/** Start a job on nodes of jobs that it may suspend (candidates of `preempt`, those of SUSPEND), which are.
 *  @return 1: it has started; 0: they make no room for it, or it may not; or an error */
hc_rc hc_slurm_suspend_for(hc_slurm *self, const hc_view *v, hc_plan *p, const hc_slurm_job *job,
                           const hc_slurm_ask *ask, const uint64_t *mask);

#endif
