/* sliced.h -- what the gang scheduler of slurmctld knows of a job, and of all of them: cores.h, rows.h and
 * slices.h say what is done with it. */
#ifndef HC_POLICY_SLURM_SLICED_H
#define HC_POLICY_SLURM_SLICED_H

#include "base/mem.h"

/* What a job asks of the nodes that it is on, the strictest last. */
typedef enum hc_slurm_node_need {
  HC_SLURM_NODE_SHARED,  /* cores may be of several jobs */
  HC_SLURM_NODE_ONE_ROW, /* a core is of one job of its partition */
  HC_SLURM_NODE_RESERVED /* nothing else is on the node: OverSubscribe=EXCLUSIVE */
} hc_slurm_node_need;

/* Has a job its turn? Kept from one slice to the next. */
typedef enum hc_slurm_turn {
  HC_SLURM_NO_TURN,
  HC_SLURM_ACTIVE, /* since a slice began */
  HC_SLURM_FILLER  /* it came in the midst of a slice, where there was room */
} hc_slurm_turn;

/* Of a job. No padding. */
typedef struct hc_slurm_sliced {
  uint64_t place;    /* in its partition's list, by rising numbers */
  uint32_t turn;     /* hc_slurm_turn */
  uint32_t waits;    /* the gang scheduler has suspended it, or will at once */
  uint32_t shadows;  /* it is in the way of jobs of lower tiers */
  uint32_t goes;     /* it is to be stopped for good, by the PreemptMode of its partition */
  uint32_t row;      /* of its partition: jobs of one row have no core in common */
  uint32_t need;     /* hc_slurm_node_need */
  uint32_t is_apart; /* a component of a heterogeneous job: it is never suspended, and shares no core */
  uint32_t is_away;  /* it is taken away in thought; of no meaning between decisions */
  uint32_t counted;  /* as suspended, for the result */
  uint32_t kept;     /* its row, while rows are filled in thought; of no meaning between decisions */
} hc_slurm_sliced;

/* Room for what is worked out of the cores of nodes. Words 0: there is no gang scheduler. */
typedef struct hc_slurm_cores {
  uint32_t words;  /* of bits of the cores of one node */
  uint64_t *seen;  /* [nodes * words] cores that were counted */
  uint64_t *nodes; /* [words of nodes] nodes that are being counted */
  const uint64_t
      *avoid; /* [nodes * words] cores that a job which starts shall not get; NULL: any that one has */
  size_t cap; /* nodes * words */
} hc_slurm_cores;

/* Jobs of a partition in the order of their turns. */
typedef struct hc_slurm_list {
  uint32_t *jobs; /* [count] of the books' `jobs` */
  size_t count, cap;
} hc_slurm_list;

typedef struct hc_slurm_slices {
  hc_slurm_list *lists; /* [partitions] */
  uint32_t *by_tier;    /* [partitions] the highest tier first */
  uint64_t place;       /* the last that was given */
  int64_t *counts;      /* [nodes] processors that have their turn; with CR_CPU */
  void *scratch;        /* [scratch_cap] bytes: rows are filled there */
  size_t scratch_cap;
  bool is_pending; /* what should run and what does are not the same yet */
} hc_slurm_slices;

#endif
