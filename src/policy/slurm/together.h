/* together.h -- heterogeneous jobs (sbatch A : B): components that the backfill plans one by one, and
 * starts together. See together.c. */
#ifndef HC_POLICY_SLURM_TOGETHER_H
#define HC_POLICY_SLURM_TOGETHER_H

#include "policy/slurm/books.h"

struct hc_slurm;

/* A component that the cycle under way has tried. */
typedef struct hc_slurm_component {
  hc_slurm_job job; /* its record in the partition in which it starts first */
  int64_t limit;    /* s, with which it was planned */
  int64_t start;    /* s; HC_NEVER: nothing was found yet */
  bool preempts;    /* others are to be stopped for it */
} hc_slurm_component;

typedef struct hc_slurm_together {
  hc_slurm_component *components; /* [count] in the order in which they were tried first */
  size_t count, cap;
} hc_slurm_together;

void hc_slurm_together_fini(struct hc_slurm *self);
/** A cycle begins: none is tried. Cost: O(queue), if there is any heterogeneous job */
void hc_slurm_together_begin(struct hc_slurm *self);
/** A component is tried. @param earliest  out, s: it starts with the others, and so not before what the
 *  cycle has found for them  @return 1; 0: that is beyond the window; HC_ENOMEM */
hc_rc hc_slurm_together_try(struct hc_slurm *self, const hc_slurm_job *job, int64_t now, int64_t *earliest);
/** It has found nodes from `start` on, s. @param preempts  once others are stopped for it */
void hc_slurm_together_found(struct hc_slurm *self, const hc_slurm_job *job, int64_t limit, int64_t start,
                             bool preempts);
/** Stop who has the nodes of the first component that finds none, if all have found nodes by now and it may.
 *  Start all components of a heterogeneous job if each of them was tried and found nodes by now; none if
 *  one of them finds no nodes beside the others', or a limit forbids it. @param het  its number, from 1; 0:
 *  of all, as far as bf_max_job_start lets it @param count  jobs that the cycle has started so far
 *  @return how many components were started; HC_ENOMEM. Cost: two choices of nodes a component */
hc_rc hc_slurm_together_start(struct hc_slurm *self, hc_view *v, hc_plan *p, uint32_t het, int64_t count);

#endif
