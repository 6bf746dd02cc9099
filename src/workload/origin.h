/* origin.h -- where the times of a trace begin, as the options `origin` and `zone` of its reader say it. */
#ifndef HC_WORKLOAD_ORIGIN_H
#define HC_WORKLOAD_ORIGIN_H

#include "base/text.h"

/** Open a time zone by its name; NULL: none. @param who  for errors, "source philly"
 *  @return 0, HC_EUSAGE (there is none of that name), HC_ENOMEM. */
hc_rc hc_origin_zone(const hc_allocator *a, const char *who, const char *name, hc_zone **out, hc_error *e);

/** Read an origin: a date such as 2024-01-31 or 2024-01-31T09:00:00, or a Unix time. NULL leaves `out` as it
 *  is.
 *  @param zone  of dates without an offset; NULL: UTC;  @param out  Unix time, ns
 *  @return 0 or HC_EUSAGE. */
hc_rc hc_origin_read(const char *who, const char *text, const hc_zone *zone, hc_time *out, hc_error *e);

/** The begin of the day of a Unix time, both in ns, as the zone (NULL: UTC) has it. */
hc_time hc_origin_day(hc_time unix, const hc_zone *zone);

/** An origin as hc_trace_info has it: Unix seconds, or HC_UNKNOWN. */
int64_t hc_origin_seconds(hc_time origin);

#endif
