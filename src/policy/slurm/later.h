/* later.h -- what will be free once running jobs have ended: nodes as they are, without jobs taken away. */
#ifndef HC_POLICY_SLURM_LATER_H
#define HC_POLICY_SLURM_LATER_H

#include "policy/slurm/books.h"

typedef struct hc_slurm_later {
  int64_t *free;   /* [nodes * dims] */
  uint32_t *on;    /* [nodes] */
  uint64_t *idle;  /* [words] */
  uint64_t *some;  /* [words] */
  uint64_t *other; /* [words] bits of nodes that may differ from what they are now */
  int64_t sum;     /* of the first dimension */
  size_t amounts;
} hc_slurm_later;

/** Begin with nodes as they are. @return 0 or HC_ENOMEM. Cost: O(nodes) */
hc_rc hc_slurm_later_begin(hc_slurm_later *l, const hc_slurm_books *b);
void hc_slurm_later_fini(hc_slurm_later *l, const hc_slurm_books *b);
/** Nodes are others now: take them anew at the next `reset`. */
void hc_slurm_later_changed(hc_slurm_later *l, const hc_host_room *nodes, size_t count);
/** Nodes as they are again. Cost: O(nodes that differ) */
void hc_slurm_later_reset(hc_slurm_later *l, const hc_slurm_books *b);
/** Take a running job away. Cost: O(its nodes) */
void hc_slurm_later_take(hc_slurm_later *l, const hc_slurm_books *b, const hc_slurm_busy *x);
static inline hc_slurm_room hc_slurm_later_room(const hc_slurm_later *l)
{
  return (hc_slurm_room){l->free, l->idle, l->some, l->sum};
}

#endif
