/* inflow.h -- what comes in the course of time, added up over equal pieces of it, in bounded memory.
 *
 * Pieces begin at multiples of their length from the run's origin. When there would be more than are kept,
 * two neighbours become one, and every piece is from then on twice as long. Who adds looks at each border:
 * what comes between two of them belongs to one piece. */
#ifndef HC_METRIC_INFLOW_H
#define HC_METRIC_INFLOW_H

#include "base/mem.h"
#include "hindcast/metric.h"

typedef struct hc_inflow {
  const hc_allocator *allocator;
  struct hc_inflow_times {
    hc_time every; /* length of a piece now */
    hc_time from;  /* where the first begins; HC_UNKNOWN: nothing has come */
  } times;
  size_t most; /* pieces */
  double *sums;
  size_t count, cap;
} hc_inflow;

void hc_inflow_init(hc_inflow *p, const hc_allocator *a, hc_time every, size_t most);
void hc_inflow_fini(hc_inflow *p);
/** The first border of pieces behind `t`. */
hc_time hc_inflow_border(const hc_inflow *p, hc_time t);
/** So much has come from `from` on, and no border has passed since. @return 0, HC_EINPUT
 *  (before the first piece), HC_ENOMEM */
hc_rc hc_inflow_add(hc_inflow *p, hc_time from, double more);
/** What came in pieces that begin in [from, to). Cost: O(pieces in it). */
double hc_inflow_sum(const hc_inflow *p, hc_time from, hc_time to);
hc_rc hc_inflow_visit(hc_inflow *p, hc_visitor *v);

#endif
