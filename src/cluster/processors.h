/* processors.h -- what cells that count processors have in common. */
#ifndef HC_CLUSTER_PROCESSORS_H
#define HC_CLUSTER_PROCESSORS_H

#include "hindcast/cell.h"

#define HC_MOST_PROCESSORS INT64_C(4294967295) /* ids are 32 bits, and the last is not an id */

/* The parameter that says how many there are: a member `procs` of the options. */
#define HC_PROCS_PARAM(options, text) \
  HC_PARAM(INT, options, procs, "processors", NULL, 1, (double)HC_MOST_PROCESSORS, text)

/* Refuse what is no number of processors. @param use the cell's name */
hc_rc hc_processors_check(int64_t procs, const char *use, hc_error *e);
/* A cell of so many processors, one dimension. */
hc_cell_spec hc_processors_spec(hc_granularity granularity, int64_t units, int64_t per_node);

#endif
