/* nodes.h -- which nodes a job gets, as Slurm's select/cons_tres chooses them. See nodes.c. */
#ifndef HC_POLICY_SLURM_NODES_H
#define HC_POLICY_SLURM_NODES_H

#include "base/mem.h"
#include "hindcast/chooser.h"

/* What a job asks for: `slots` times `need`. */
typedef struct hc_slurm_ask {
  const int64_t
      *caps; /* [nodes] of the first dimension, what it may have of each at most; NULL: what is free */
  const int64_t *need;  /* [dims] of a slot, by the cell's own dimensions; not looked at if `is_whole` */
  uint32_t slots;       /* at least 1 */
  uint32_t least, most; /* nodes (-N least-most); most 0: any number */
  bool is_spread;       /* each slot on another node */
  bool is_whole;        /* nodes that nothing is on, whole */
  bool is_alone;        /* nodes that nothing is on, as many as have room for all slots */
  bool is_least_loaded; /* nodes by the share of them that is free, and not by runs */
  bool is_flat;         /* topology/tree is not looked at */
  uint32_t most_leaves; /* of at most so many leaf switches; 0: any number */
  bool is_barred;       /* not in this partition, whatever is free */
} hc_slurm_ask;

/* Nodes in the order of their declaration, as Slurm counts them. Everything is borrowed. */
typedef struct hc_slurm_nodes {
  uint32_t count, dims;
  const int64_t *weight; /* [count] lower ones are used first */
  const bool *shared;    /* [dims] what belongs to the whole cluster, and not to nodes */
  const bool *uniform;   /* [(count + 63) / 64] the nodes of a word of bits are alike, and of one weight */
  struct hc_slurm_tree *tree; /* topology/tree, and room for a choice in it; NULL: nodes lie in a row */
  const int64_t *capacity;    /* [count * dims] of each node, for jobs that ask for the least loaded */
} hc_slurm_nodes;

/* What is free, now or at some time to come. Everything is borrowed. */
typedef struct hc_slurm_room {
  const int64_t *free;  /* [count * dims] of each node */
  const uint64_t *idle; /* bits of nodes that nothing is on */
  const uint64_t
      *some;   /* bits of nodes that have any of the first dimension free; others have room for no job */
  int64_t sum; /* of the first dimension, on all nodes */
  /* bits of nodes of which `then`, [count * dims], says what is free, in place of `free`; NULL: none */
  const uint64_t *others;
  const int64_t *then;
  /* [words][digits] in place of all of that: nodes whose room, in slots of the job, has that binary digit;
   * NULL: none */
  const uint64_t *planes;
  uint32_t digits;
} hc_slurm_room;

/* Room for a choice: made once, used for each. */
typedef struct hc_slurm_run hc_slurm_run;
typedef struct hc_slurm_choice {
  hc_slurm_run *runs;  /* [count of nodes] */
  hc_host_room *dealt; /* [dealt_count] the answer, in the order of choice */
  size_t dealt_count;
  uint64_t *hosts;    /* [words] no bit is set */
  uint32_t *slots_on; /* [count of nodes] */
} hc_slurm_choice;

hc_rc hc_slurm_choice_init(hc_slurm_choice *c, const hc_allocator *a, uint32_t nodes);
void hc_slurm_choice_fini(hc_slurm_choice *c, const hc_allocator *a, uint32_t nodes);

/** Choose nodes for a job among those of `mask`.
 *  @return true with `dealt`; false: it does not fit there. Cost: a look at each word of bits, at each node
 *  that is partly taken, and at each that is dealt. */
bool hc_slurm_choose(const hc_slurm_nodes *n, const hc_slurm_ask *ask, const hc_slurm_room *room,
                     const uint64_t *mask, hc_slurm_choice *c);
/** Choose the same nodes, of which it is not asked what each is dealt: `dealt` says nothing.
 *  @param nodes  [words] out, if it fits: as bits
 *  @return as above. Cost: no look at each node of runs that are dealt whole */
bool hc_slurm_choose_nodes(const hc_slurm_nodes *n, const hc_slurm_ask *ask, const hc_slurm_room *room,
                           const uint64_t *mask, hc_slurm_choice *c, uint64_t *nodes);
/** Nodes that are dealt, as bits. @param bits  out, [words] */
void hc_slurm_chosen(const hc_slurm_choice *c, uint64_t *bits, uint32_t words);
/** What is dealt, ascending by host. Cost: O(nodes that are dealt, and words) */
void hc_slurm_sort(hc_slurm_choice *c);

#endif
