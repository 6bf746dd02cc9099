/* torus.h -- the shape of a torus, and its dimension-ordered ways.
 *
 * Node x has digits, the first dimension changing fastest, and one cable for each dimension: to the next node
 * there, around the end. A way goes dimension by dimension, the shorter way around; of two equal ones it goes
 * upwards where the destination's digit is greater, as SimGrid 3.32 does. */
#ifndef HC_NETWORK_TORUS_H
#define HC_NETWORK_TORUS_H

#include "hindcast/base.h"

#define HC_TORUS_DIMENSIONS 16

typedef struct hc_torus {
  uint32_t dimensions, size[HC_TORUS_DIMENSIONS];
  uint32_t nodes;
  uint32_t longest; /* cables of the longest way */
} hc_torus;

/** Fill what follows from the sizes. @return false: one is 0, or there are too many nodes. */
bool hc_torus_init(hc_torus *t);
/** One step of the way. @param at in, out: the node @param cable out: node x dimensions + dimension, of the
 *  node that the cable belongs to @param is_back out: it is crossed towards that node
 *  @return false: it is there. */
bool hc_torus_step(const hc_torus *t, uint32_t from, uint32_t to, uint32_t *at, uint32_t *cable,
                   bool *is_back);
/** Levels of boxes: of level l one has 2^l nodes in each dimension, or what there is. @return the level at
 *  which one box has all nodes, at least 1. */
uint32_t hc_torus_levels(const hc_torus *t);
/** The box of a node, dense numbers at each level. */
uint32_t hc_torus_box(const hc_torus *t, uint32_t level, uint32_t node);
/** The node at the other end of a cable. */
uint32_t hc_torus_other(const hc_torus *t, uint32_t cable);

#endif
