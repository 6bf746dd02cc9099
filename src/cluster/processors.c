/* processors.c -- the one dimension of a cell that counts processors. */
#include "cluster/processors.h"

#include <stdio.h>

static const hc_dimension dimension[] = {{.name = "processors", .unit = "processors", .per_unit = 1}};

hc_cell_spec hc_processors_spec(hc_granularity granularity, int64_t units, int64_t per_node)
{
  return (hc_cell_spec){.granularity = granularity,
                        .units = (uint32_t)units,
                        .units_per_node = (uint32_t)per_node,
                        .dimensions = dimension,
                        .dimension_count = 1};
}

hc_rc hc_processors_check(int64_t procs, const char *use, hc_error *e)
{
  char where[32];
  if (procs > 0 && procs <= HC_MOST_PROCESSORS) return 0;
  (void)snprintf(where, sizeof where, "cell %s", use);
  return hc_fail(
      e, HC_EUSAGE, where, 0, 0, "%s; say it with --procs (1 to %lld), or as in cell: {use: %s, procs: 1024}",
      procs == 0 ? "it is not said how many processors there are" : "that is no number of processors",
      (long long)HC_MOST_PROCESSORS, use);
}
