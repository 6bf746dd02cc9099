/* fat_tree.h -- the shape of a fat tree: which cables join which switches, and the way between two leaves.
 *
 * A fat tree of L levels has leaves at level 0 and switches above them. A node of level l has down[l - 1]
 * children, each by count[l - 1] cables, and up[l] parents, each by count[l]. Nodes of a level are numbered
 * by labels of L digits, the first of which changes fastest: digit j counts parents (below up[j]) at levels
 * above j, and children (below down[j]) at the others. A node and its parent differ in digit l only. So all
 * is computed, and nothing is stored. A k-ary fat tree is 3; k/2,k/2,k; 1,k/2,k/2; 1,1,1.
 *
 * The way up is chosen, the way down is given but for parallel cables. `d_mod_k` is Zahavi's: at each level
 * the destination decides, which keeps shifts free of contention. The arithmetic is SimGrid 3.32's, whose
 * loop over the cables downwards goes on with the next node from where the last was found.
 *
 * Source: Zahavi, D-Mod-K routing providing non-blocking traffic for shift permutations on real life fat
 * trees, CCIT 776, Technion 2010; Al-Fares and others, SIGCOMM 2008, doi:10.1145/1402958.1402967, for k-ary
 * trees. */
#ifndef HC_NETWORK_FAT_TREE_H
#define HC_NETWORK_FAT_TREE_H

#include "hindcast/base.h"

#define HC_FAT_TREE_LEVELS 16

typedef enum hc_fat_tree_choice { HC_CHOICE_D_MOD_K, HC_CHOICE_ECMP, HC_CHOICE_STATIC } hc_fat_tree_choice;

typedef struct hc_fat_tree {
  uint32_t levels;
  uint32_t down[HC_FAT_TREE_LEVELS], up[HC_FAT_TREE_LEVELS], count[HC_FAT_TREE_LEVELS];
  uint64_t nodes[HC_FAT_TREE_LEVELS + 1];  /* of each level; [0]: leaves */
  uint64_t cables[HC_FAT_TREE_LEVELS + 1]; /* numbers of cables below each level; [levels]: all */
  uint32_t shift;                          /* added to the numbers of leaves in choices */
  hc_fat_tree_choice choice;
  uint64_t seed; /* of ECMP */
} hc_fat_tree;

/* A cable of the way, and the nodes at its ends. */
typedef struct hc_tree_step {
  uint32_t cable, level; /* level: of the lower end */
  bool is_down;
  uint32_t from, to; /* numbers of nodes: leaves first, then switches level by level */
} hc_tree_step;

/** Fill what follows from levels, down, up and count. @return false: a number is 0, or there are too many. */
bool hc_fat_tree_init(hc_fat_tree *t);
/** The way between two leaves, by way of a switch even to itself. @param steps [2 HC_FAT_TREE_LEVELS] out
 *  @return how many. */
size_t hc_fat_tree_way(const hc_fat_tree *t, uint32_t from, uint32_t to, hc_tree_step *steps);
/** The ends of a cable, as numbers of nodes. */
void hc_fat_tree_cable(const hc_fat_tree *t, uint32_t cable, uint32_t *lower, uint32_t *upper,
                       uint32_t *level);

#endif
