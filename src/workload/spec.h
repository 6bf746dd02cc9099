/* spec.h -- the part of a task that batch logs do not have. */
#ifndef HC_WORKLOAD_SPEC_H
#define HC_WORKLOAD_SPEC_H

#include "hindcast/workload.h"

/** Nothing that only data centres know: as hc_task_spec_none leaves it. */
static inline void hc_spec_plain(hc_task_spec *t)
{
  t->node = 0;
  t->job = -1;
  t->not_before = HC_UNKNOWN;
  t->hosts = HC_UNKNOWN;
  for (int d = 0; d < HC_DIMENSIONS; d++) t->need[d] = HC_UNKNOWN;
  t->count = t->more = t->flags = t->padding = 0;
}

#endif
