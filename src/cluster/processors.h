/* processors.h -- the one dimension of a cell that counts processors. */
#ifndef HC_CLUSTER_PROCESSORS_H
#define HC_CLUSTER_PROCESSORS_H

#include "hindcast/cluster.h"

#define HC_MOST_PROCESSORS INT64_C(4294967295) /* ids are 32 bits, and the last is not an id */

static const hc_dimension hc_processor_dimension[] = {
    {.name = "processors", .unit = "processors", .per_unit = 1}};

/* A cell of so many processors, one dimension. */
static inline hc_cell_spec hc_processors_spec(hc_granularity granularity, int64_t units, int64_t per_node)
{
  return (hc_cell_spec){.granularity = granularity,
                        .units = (uint32_t)units,
                        .units_per_node = (uint32_t)per_node,
                        .dimensions = hc_processor_dimension,
                        .dimension_count = 1};
}

#endif
