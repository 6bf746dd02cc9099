/* caps.h -- MaxCPUsPerNode: how many processors of a node the jobs of one partition have together. See
 * caps.c. */
#ifndef HC_POLICY_SLURM_CAPS_H
#define HC_POLICY_SLURM_CAPS_H

#include "policy/slurm/nodes.h"

struct hc_slurm;
struct hc_slurm_job;

/** Say how much the partition of a job lets it have of each node, once the first `gone` running jobs have
 *  ended; SIZE_MAX: all of them. Where there is no bound nothing is done.
 *  @param ask  out: `caps`, borrowed until the next call. Cost: O(nodes, and nodes of running jobs) */
void hc_slurm_caps_fill(struct hc_slurm *self, const struct hc_slurm_job *job, size_t gone,
                        hc_slurm_ask *ask);
/** Take nodes off the mask that the job would have whole, or for its user, and that have more than the
 * bound. */
void hc_slurm_caps_leave(const struct hc_slurm *self, const struct hc_slurm_job *job, const hc_slurm_ask *ask,
                         uint64_t *mask);

#endif
