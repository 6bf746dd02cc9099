/* graph.h -- tasks and what they read of each other, as planners of workflows compute with them. See
 * graph.c. */
#ifndef HC_POLICY_WORKFLOW_GRAPH_H
#define HC_POLICY_WORKFLOW_GRAPH_H

#include "hindcast/policy.h"
#include "policy/workflow/timetable.h"

#define HC_NO_NODE UINT32_MAX

/* What a task reads of another, or of where an item lies. */
typedef struct hc_edge {
  uint32_t from, to; /* from: HC_NO_NODE: what lies on `host` */
  uint32_t host;     /* HC_NO_HOST: nowhere in particular, at no cost */
  uint32_t next;     /* of those with the same `from` */
  double bytes;
} hc_edge;

/* A task. Times are seconds from now on. */
typedef struct hc_node {
  uint64_t serial;
  hc_task task;
  uint32_t first, count;    /* edges to it */
  uint32_t out;             /* chain of edges from it */
  uint32_t children, level; /* level: of the longest way to it from one that waits for none */
  uint32_t host;            /* where it is planned, or runs; HC_NO_HOST */
  double work;              /* s on a host of speed 1 */
  double earliest;          /* it may not start before */
  double start, end;
  double made;      /* bytes */
  bool runs, waits; /* as hc_workflow_task has it */
  bool is_wanted;   /* it is to be planned: it has not started, and all that it waits for is known */
  bool is_placed;   /* `host`, `start` and `end` count */
  bool has_parts;   /* it wants several hosts, or several slots: never planned */
  uint8_t padding[3];
} hc_node;

typedef struct hc_graph {
  const hc_services *s;
  hc_view *view;
  const hc_cell_spec *cell;
  hc_node *nodes; /* [count] ascending by serial */
  uint32_t count, hosts, dimensions;
  hc_edge *edges; /* [edge_count] */
  size_t edge_count;
  uint32_t *order; /* [count] those that are waited for first */
  bool late;       /* items are brought when the task has started */

  /* of planning: hc_graph_prepare */
  const int64_t *demands; /* [count * dimensions] */
  const uint8_t *could;   /* [count * hosts] */
  double *speeds;         /* [hosts] */
  hc_timetable *tables;   /* [hosts] */
  double slowness;        /* mean of 1 / speed */
  double latency, byte;   /* s, mean over pairs of hosts: of a transfer, and of each byte of it */
  uint32_t *planned;      /* [count] nodes in the order in which they were placed */
  uint32_t planned_count;
} hc_graph;

/** The tasks that are there, in the call's scratch memory. @return 0 or HC_ENOMEM */
hc_rc hc_graph_read(hc_graph *g, const hc_services *s, hc_view *v, const hc_cell_spec *cell);
/** All that planning needs beside: what runs is in the timetables. @return 0 or HC_ENOMEM */
hc_rc hc_graph_prepare(hc_graph *g, const hc_allocator *a);
void hc_graph_end(hc_graph *g);

static inline double hc_graph_transfer(const hc_graph *g, double bytes) /* s, on average */
{
  return g->latency + bytes * g->byte;
}
static inline double hc_graph_length(const hc_graph *g, const hc_node *n, uint32_t host)
{
  return n->work / g->speeds[host];
}
/** When a task would start and end on a host, in the earliest gap of its timetable. What it reads of tasks
 * that are not placed is left out. @return false: it cannot run there */
bool hc_graph_try(const hc_graph *g, uint32_t node, uint32_t host, double *start, double *end);
/** Plan it so. @return 0 or HC_ENOMEM */
hc_rc hc_graph_place(hc_graph *g, uint32_t node, uint32_t host, double start, double end);
/** No longer: only the last one that was placed. @return 0 or HC_ENOMEM */
hc_rc hc_graph_take_back(hc_graph *g, uint32_t node);
/** Where it would end first. @return false: nowhere */
bool hc_graph_best(const hc_graph *g, uint32_t node, uint32_t *host, double *start, double *end);
/** Is all that it waits for placed, or over? */
bool hc_graph_is_ready(const hc_graph *g, uint32_t node);
/** Upward ranks: rank(n) = work(n) x slowness + max over those that read of it (transfer + rank).
 *  @param with_transfers false: transfers count nothing  @param out [count] */
void hc_graph_ranks(const hc_graph *g, double slowness, bool with_transfers, double *out);
/** Nodes that are to be planned by falling rank; of equal ones those that are waited for first.
 *  @param out [count] @return how many; SIZE_MAX: no memory */
size_t hc_graph_sorted(const hc_graph *g, const double *ranks, uint32_t *out);

#endif
