/* calendar.h -- which instant of the world the origin of a run is, and what its clocks show there. */
#ifndef HC_SETUP_CALENDAR_H
#define HC_SETUP_CALENDAR_H

#include "hindcast/cell.h"
#include "hindcast/output.h"
#include "setup/options.h"

/* What the options say, else what the log says. The zone's offset at the origin serves for all of a run:
 * tables by day mean the local calendar there.
 * @param unix_zero out: Unix time of the origin, s; HC_UNKNOWN
 * @param offset out: s east of UTC; untouched if there is no zone
 * @return 0; HC_EUSAGE if the options, HC_EINPUT if the log names a zone that the tz database does not
 * know. */
hc_rc hc_calendar_at_origin(const hc_allocator *a, const hc_run_options *o, const hc_trace_info *info,
                            int64_t *unix_zero, int32_t *offset, hc_error *e);
/* Keep the name of the zone with a result, beside the digest: what it follows from, the configuration and the
 * inputs, is in it. @return as hc_store_row */
hc_rc hc_calendar_store(hc_store *store, const char *zone, hc_error *e);

#endif
