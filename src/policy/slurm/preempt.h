/* preempt.h -- running jobs that are stopped for a job that waits. See preempt.c. */
#ifndef HC_POLICY_SLURM_PREEMPT_H
#define HC_POLICY_SLURM_PREEMPT_H

#include "policy/slurm/later.h"

struct hc_slurm;

/* A running job that may be stopped. */
typedef struct hc_slurm_candidate {
  uint64_t serial;
  int64_t start;   /* s */
  uint32_t busy;   /* of the books' `jobs` */
  uint32_t key;    /* less goes first */
  uint32_t usable; /* of its nodes, by those that were chosen: while candidates are put in another order */
  hc_slurm_preempt_mode mode;
} hc_slurm_candidate;

typedef struct hc_slurm_preempt {
  hc_slurm_candidate *items, *merge; /* [count], [merge_cap] */
  size_t count, cap, merge_cap;
  uint64_t *chosen; /* [words] bits of nodes that the job would get */
  size_t chosen_cap;
  hc_slurm_later_state without; /* nodes without those that are taken away */
  hc_time poll_at;              /* ns: slurmctld looks at time limits then, and every 30 s */
} hc_slurm_preempt;

void hc_slurm_preempt_fini(hc_slurm_preempt *p, const hc_slurm_books *b);

/** May a job of this QOS and priority stop one of the other, under preempt/qos? */
bool hc_slurm_preempt_qos(const hc_slurm_books *b, uint32_t qos, int64_t priority, uint32_t other,
                          int64_t other_priority);
/** Would the job fit on nodes of `mask` now if all that it may stop were gone? What it would get is in
 *  `choice`. @return 1, 0, HC_ENOMEM. Cost: O(running jobs log of it), and one choice of nodes */
hc_rc hc_slurm_preempt_would(struct hc_slurm *self, const hc_view *v, const hc_slurm_job *job,
                             const hc_slurm_ask *ask, const uint64_t *mask);
enum { HC_SLURM_HAS_STARTED = 2 };
/** Candidates of a job, in their first order. @return has it any? or HC_ENOMEM */
hc_rc hc_slurm_preempt_gather(struct hc_slurm *self, const hc_slurm_job *job, int64_t now);
/** How a running job would be preempted. */
hc_slurm_preempt_mode hc_slurm_preempt_mode_of(const hc_slurm_books *b, const hc_slurm_busy *x);
/** Stop a running job at once, in this way. @return 1; 0: not in this decision; or an error */
hc_rc hc_slurm_preempt_stop(struct hc_slurm *self, const hc_view *v, hc_plan *p, uint32_t busy,
                            hc_slurm_preempt_mode mode);
/** Stop as many as the job needs to start on nodes of `mask`, once they are gone, which `choice` then
 *  names; while others are still going for it none is stopped, and it waits for these.
 *  @return 1: it waits for nodes that it will have; 0: nothing that may be stopped makes room for it;
 *  HC_ENOMEM. Cost: one choice of nodes for each candidate,
 *  preempt_reorder_count + 2 times at most */
hc_rc hc_slurm_preempt_for(struct hc_slurm *self, const hc_view *v, hc_plan *p, const hc_slurm_job *job,
                           const hc_slurm_ask *ask, const uint64_t *mask);

#endif
