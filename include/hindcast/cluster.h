/** @file cluster.h
 *  What exists: the machine as a cell source describes it. */
#ifndef HINDCAST_CLUSTER_H
#define HINDCAST_CLUSTER_H

#include "hindcast/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What a trace says of itself. Zero, NULL or HC_UNKNOWN where it says nothing. */
typedef struct hc_trace_info {
  int64_t processors, nodes; /* of the machine */
  int64_t unix_start;        /* Unix time of the source's origin, s; HC_UNKNOWN if not said */
  const char *zone;          /* tz database name, NULL */
  const char *computer, *installation, *acknowledge; /* NULL */
  int64_t jobs, records;                             /* as announced; HC_UNKNOWN */
  const char *header; /* the comment lines as they stood, newline-separated; NULL if none */
} hc_trace_info;

/** How finely a cell is seen. */
typedef enum hc_granularity {
  HC_CELL_COUNT,     /* a number of processors: who has which is not asked. The fastest */
  HC_CELL_INTERVALS, /* processor ids: placements choose among them */
  HC_CELL_HOSTS      /* hosts with their own vectors */
} hc_granularity;

/** A dimension in which amounts are counted. Dimension 0 is the processor (or the host). */
typedef struct hc_dimension {
  const char *name, *unit;
  int64_t per_unit; /* how much each processor or host has */
} hc_dimension;

/** A machine. Everything is borrowed from whoever made it, for the run's life. */
typedef struct hc_cell_spec {
  hc_granularity granularity;
  uint32_t units;                 /* processors (count, intervals) */
  uint32_t units_per_node;        /* 0: unknown; for people and for traces of nodes */
  const hc_dimension *dimensions; /* [dimension_count] */
  uint32_t dimension_count;
  const char *note; /* what was left out or assumed; NULL if nothing */
} hc_cell_spec;

typedef struct hc_cell_context {
  const hc_allocator *allocator;
  void *(*alloc)(void *arena, size_t size); /* memory for the spec; freed with the run */
  void *arena;
  const hc_trace_info *trace; /* of the first source; NULL if there is none */
} hc_cell_context;

/** Says which machine there is: from options, from a trace's header, from another program's file. */
typedef struct hc_cell_type {
  hc_component component;
  /** @return 0, HC_EUSAGE (how to say it instead), HC_EINPUT (a bad file), HC_ENOMEM. */
  hc_rc (*describe)(const hc_cell_context *c, const void *options, hc_cell_spec *out, hc_error *e);
} hc_cell_type;

#ifdef __cplusplus
}
#endif
#endif
