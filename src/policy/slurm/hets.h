/* hets.h -- which jobs of the queue are components of one heterogeneous job, and how they stand in the
 * queue.
 *
 * With bf_hetjob_prio a component stands among other jobs by the tier and the priority of all components:
 * the least, the greatest or the mean; without it by its own. Source: slurm.conf(5) of 22.05,
 * bf_hetjob_prio. */
#ifndef HC_POLICY_SLURM_HETS_H
#define HC_POLICY_SLURM_HETS_H

#include "base/mem.h"

/* A heterogeneous job. No padding. */
typedef struct hc_slurm_het {
  int64_t job;
  int64_t tier, priority;   /* of all its components, by bf_hetjob_prio */
  uint64_t serial;          /* the least of them */
  int64_t records, waiting; /* of the queue; components that wait */
} hc_slurm_het;

typedef struct hc_slurm_hets {
  const hc_allocator *allocator;
  hc_slurm_het *items; /* [count] in order of first sight */
  size_t count, cap;
  hc_map by_job;
} hc_slurm_hets;

void hc_slurm_hets_init(hc_slurm_hets *h, const hc_allocator *a);
void hc_slurm_hets_fini(hc_slurm_hets *h);
hc_rc hc_slurm_hets_visit(hc_slurm_hets *h, hc_visitor *v);
/** Which heterogeneous job the components of a job are of. @param out  its number, from 1
 *  @return 0, HC_ENOMEM. O(1) */
hc_rc hc_slurm_hets_join(hc_slurm_hets *h, int64_t job, uint32_t *out);

#endif
