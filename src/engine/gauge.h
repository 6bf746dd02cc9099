/* gauge.h -- what a cell of hosts can hold at most. See demand.h. */
#ifndef HC_ENGINE_GAUGE_H
#define HC_ENGINE_GAUGE_H

#include "cluster/cell.h"

/* What a cell of hosts can hold at most, which no event changes: a thread that makes tasks ahead looks at it
 * for each, so that nothing that is written lies on its lines of the cache. */
typedef struct hc_gauge {
  char apart[64];
  uint32_t dimensions;
  uint8_t which[HC_DIMENSIONS];   /* the lexicon's numbers of the cell's own dimensions */
  int64_t largest[HC_DIMENSIONS]; /* of any host, by the cell's dimensions; one class has them all if so */
  /* of the first of them, on the host with the least of it: what a task that takes hosts whole will get */
  int64_t least;
  bool largest_is_one, has_gpus, has_shared;
  char apart_too[64];
} hc_gauge;

#endif
