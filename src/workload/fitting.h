/* fitting.h -- moments of a log by ranges of sizes, for models that are fitted to one. */
#ifndef HC_WORKLOAD_FITTING_H
#define HC_WORKLOAD_FITTING_H

#include "hindcast/workload.h"
#include "workload/hypererlang.h"

/** What was seen of the tasks of a range, in seconds. */
typedef struct hc_fit_range {
  hc_power_sums gap, run; /* between submissions within the range, of which there is one less than tasks */
  hc_time last;           /* submission; HC_UNKNOWN: none yet */
  hc_time first;
} hc_fit_range;

/** Read a whole source, in order of submission, and add each task of known size and length to its range.
 *  @param source a chosen reader or generator; borrowed; @param tops [n] the greatest size of each range,
 *  ascending
 *  @param ranges [n] out; @param processors of the machine, as the source says; 0: it does not; may be NULL
 *  @return 0, HC_EUNSUPPORTED (a closed loop), or what the source returned. */
hc_rc hc_fit_read(const hc_source_context *c, const hc_chosen *source, const int64_t *tops, size_t n,
                  hc_fit_range *ranges, int64_t *processors, hc_error *e);

#endif
