/* processors.h -- the one dimension of a cell that counts processors. */
#ifndef HC_CLUSTER_PROCESSORS_H
#define HC_CLUSTER_PROCESSORS_H

#include <stdio.h>

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

/* Refuse a number of processors that no cell can have. @param use the cell's name */
static inline hc_rc hc_processors_check(int64_t procs, const char *use, hc_error *e)
{
  char where[32];
  if (procs > 0 && procs <= HC_MOST_PROCESSORS) return 0;
  (void)snprintf(where, sizeof where, "cell %s", use);
  return hc_fail(e, HC_EUSAGE, where, 0, 0, "%s; say it with --procs (1 to %lld), or as in cell: {use: %s, procs: 1024}",
                 procs == 0 ? "it is not said how many processors there are" : "that is no number of processors",
                 (long long)HC_MOST_PROCESSORS, use);
}

/* The parameter that says how many, a member `procs` of the options. */
#define HC_PROCS_PARAM(options, text) \
  {.name = "procs", .type = HC_INT, .offset = offsetof(options, procs), .unit = "processors", .min = 1, \
   .max = (double)HC_MOST_PROCESSORS, .help = text}

#endif
