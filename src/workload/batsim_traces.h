/* batsim_traces.h -- traces of ranks that a profile of Batsim replays. */
#ifndef HC_WORKLOAD_BATSIM_TRACES_H
#define HC_WORKLOAD_BATSIM_TRACES_H

#include "base/value.h"

/** A file that lists one trace a rank, as a profile that replays them. @param workload path of the workload:
 *  relative paths are beside it @param smpi time-independent traces of SMPI; else usage traces
 *  @param report bytes that each rank sends to the first one's host when it is done
 *  @return 0; HC_EINPUT, HC_EUNSUPPORTED with the place of the line or the reason; HC_EIO, HC_ENOMEM */
hc_rc hc_batsim_trace(hc_arena *a, const hc_allocator *allocator, const char *workload, const char *trace,
                      bool smpi, double report, hc_value **out, hc_error *e);
/** The files of such a profile: that list, and what it lists, as far as it can be read. @return 0, HC_ENOMEM,
 *  or what `each` returned */
hc_rc hc_batsim_trace_files(const hc_allocator *a, const char *workload, const char *trace,
                            hc_rc (*each)(void *ctx, const char *path, hc_error *e), void *ctx, hc_error *e);

#endif
