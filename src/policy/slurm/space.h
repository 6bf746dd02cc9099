/* space.h -- the table of Slurm's backfill: which nodes no planned job has, from when until when.
 *
 * Stretches of time follow each other without a gap, each with the nodes that are free of plans all through
 * it. Running jobs are not in it: they are looked at when a job is tried. */
#ifndef HC_POLICY_SLURM_SPACE_H
#define HC_POLICY_SLURM_SPACE_H

#include "base/mem.h"

typedef struct hc_slurm_stretch {
  int64_t begin, end; /* s */
  uint64_t *nodes;    /* [words] bits of those that are free */
} hc_slurm_stretch;

typedef struct hc_slurm_space {
  const hc_allocator *allocator;
  size_t words;
  hc_slurm_stretch *stretches; /* [count] ascending */
  size_t count, cap;           /* each below `cap` has a `nodes` of its own */
} hc_slurm_space;

void hc_slurm_space_init(hc_slurm_space *s, const hc_allocator *a, size_t words);
void hc_slurm_space_fini(hc_slurm_space *s);
/** Begin anew: one stretch in which the nodes of `all` are free. @return 0 or HC_ENOMEM */
hc_rc hc_slurm_space_clear(hc_slurm_space *s, int64_t begin, int64_t end, const uint64_t *all);
/** Of `nodes`, leave those that are free all through the stretches from `from` to `to`, whose ends count.
 *  @return when to ask again: the end of the first stretch that ends after `from` and is followed by one
 *  that offers a node more; 0: there is none */
int64_t hc_slurm_space_mask(const hc_slurm_space *s, int64_t from, int64_t to, uint64_t *nodes);
/** Are all of `nodes` free from `from` to `to`? */
bool hc_slurm_space_has(const hc_slurm_space *s, int64_t from, int64_t to, const uint64_t *nodes);
/** Plan `nodes` from `from` to `to`; what lies outside of the table is passed over.
 *  @return 0 or HC_ENOMEM. Cost: O(stretches x words) */
hc_rc hc_slurm_space_take(hc_slurm_space *s, int64_t from, int64_t to, const uint64_t *nodes);

#endif
