/* tree.h -- nodes under as few leaf switches as will do: topology/tree. See tree.c. */
#ifndef HC_POLICY_SLURM_TREE_H
#define HC_POLICY_SLURM_TREE_H

#include "hindcast/cell.h"
#include "policy/slurm/nodes.h"

/* Switches and what is counted of them while a job is sought nodes. Owned by the caller. */
typedef struct hc_slurm_tree {
  const hc_allocator *allocator;
  uint32_t nodes, count, cap; /* of nodes, of switches */
  uint32_t *leaf;             /* [nodes] the switch that a node is on */
  struct hc_slurm_switch *switches;
  hc_host_room *usable; /* [usable_count] of the job at hand, ascending by host */
  size_t usable_count;
} hc_slurm_tree;

/** Of the cell's levels `switch`, `switch2` and so on: a node that is on none has one for itself.
 *  @return 1; 0: the cell has no level `switch`, and `out` is NULL; HC_ENOMEM */
hc_rc hc_slurm_tree_new(const hc_cell_spec *cell, const hc_allocator *a, hc_slurm_tree **out);
void hc_slurm_tree_free(hc_slurm_tree *t);

/** Deal `slots` of a job on at least `least` and at most `most` of the usable nodes.
 *  @param leaves  of how many leaf switches they may be; 0: any number
 *  @param dealt [*count] out, in the order of choice
 *  @return 1; 0: not on so few nodes; -1: these nodes are not enough, or no switch joins enough of them, or
 *  what would be dealt is of more leaves.
 *  Cost: O(usable nodes x weights + switches x leaves taken) */
int hc_slurm_tree_deal(hc_slurm_tree *t, const int64_t *weight, int64_t slots, int64_t least, int64_t most,
                       uint32_t leaves, hc_host_room *dealt, size_t *count);

#endif
