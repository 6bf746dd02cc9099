/* ways.h -- ways of least latency through a graph of any size, found when they are asked for. See ways.c. */
#ifndef HC_NETWORK_WAYS_H
#define HC_NETWORK_WAYS_H

#include "base/mem.h"
#include "base/threads.h"

/* A connection in one direction. Of several between the same two nodes the last one holds. */
typedef struct hc_arc {
  uint32_t from, to;
  uint32_t id;     /* the caller's */
  int64_t latency; /* ns */
} hc_arc;

/* Arcs by one of their ends. */
typedef struct hc_arcs {
  hc_arc *items;
  uint32_t *first; /* [nodes + 1] */
} hc_arcs;

typedef struct hc_ways hc_ways;
struct hc_ways {
  const hc_allocator *allocator;
  uint32_t nodes, arcs;
  hc_arcs out, in;      /* by the node that they leave; that they reach */
  uint32_t *inner;      /* [nodes] its number among those that are no leaves; HC_MAP_NONE: it is one */
  uint32_t inner_count; /* nodes with more than one neighbour, or whose only neighbour has no other */
  uint32_t **tables; /* [inner_count] by where ways lead: [inner_count] the arc by which each node goes on */
  uint32_t *kept;    /* [table_most] whose tables there are, in a ring */
  size_t kept_count, kept_next, table_most;
  struct hc_ways_search *search;
  hc_monitor *monitor; /* around all that changes */
};

/** @param arcs [count] are put in order in place @param table_bytes tables take no more, but for one
 *  @return 0, or HC_ENOMEM */
hc_rc hc_ways_new(const hc_allocator *a, uint32_t nodes, hc_arc *arcs, size_t count, size_t table_bytes,
                  hc_ways **out);
void hc_ways_free(hc_ways *w);
/** The ids of the arcs from one node to another. @param most room in `ids`
 *  @return how many; HC_EUNSUPPORTED: no way leads there; HC_ELIMIT: it is longer; HC_ENOMEM
 *  Cost: O(length) where the table of `to` is kept, else O(arcs log nodes) once. Any thread may call it. */
int64_t hc_ways_find(hc_ways *w, uint32_t from, uint32_t to, uint32_t *ids, uint32_t most);
/** The least of the first `count` nodes that does not reach all of them, and one that it does not reach.
 *  @return 0: each reaches each; 1: two were found; HC_ENOMEM */
int hc_ways_apart(const hc_ways *w, uint32_t count, uint32_t *from, uint32_t *to);

/** Groups of the first `hosts` nodes at levels, for placements: each level with twice the radius of the one
 *  below, the first with the distance of the two that are nearest; only those at which groups become one. In
 *  its turn each joins the nearest of those before it that stands for a group, no farther away than the
 *  radius, or stands for one itself. A further node lies where the nearest host does.
 *  @param by_hops distance is the least number of arcs, else the least latency; there or back, the larger
 *  @param group_of [most] out: [nodes] of each level, in the arena @return 0, or HC_ENOMEM
 *  Cost: for each group of each level a look around it as far as the radius. */
hc_rc hc_ways_levels(const hc_ways *w, hc_arena *a, uint32_t hosts, bool by_hops, uint32_t most,
                     uint32_t **group_of, uint32_t *levels);

#endif
