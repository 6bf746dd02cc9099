/* gauge.h -- what a cell of hosts can hold at most. See demand.h. */
#ifndef HC_ENGINE_GAUGE_H
#define HC_ENGINE_GAUGE_H

#include "cluster/cell.h"

/* What a cell of hosts can hold at most, which no event changes: a thread that makes tasks ahead looks at it
 * for each, so that nothing that is written lies on its lines of the cache. */
typedef struct hc_gauge {
  char apart[64];
  uint32_t dimensions;
  uint32_t width;   /* amounts by the lexicon's number are looked at and told up to here; at least HC_NEEDS */
  uint32_t in_spec; /* of `dimensions`, those that a spec keeps in itself: the first */
  bool many_devices;              /* a host has more GPUs than an hc_held has bits */
  uint8_t which[HC_DIMENSIONS];   /* the lexicon's numbers of the cell's own dimensions */
  int64_t largest[HC_DIMENSIONS]; /* of any host, by the cell's dimensions; one class has them all if so */
  /* of the first of them, on the host with the least of it: what a task that takes hosts whole will get */
  int64_t least;
  bool largest_is_one, has_gpus, has_shared;
  char apart_too[64];
} hc_gauge;

#endif
