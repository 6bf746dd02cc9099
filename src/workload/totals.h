/* totals.h -- a first pass over a source, for transforms that aim at a total. */
#ifndef HC_WORKLOAD_TOTALS_H
#define HC_WORKLOAD_TOTALS_H

#include "workload/stream.h"

/** Totals of what leaves the transforms below stage `i` of source number `which`, and would be admitted. The
 *  source is opened once more: a log is read again, a generator makes the same tasks again.
 *  @param o  of the whole stream
 *  @return 0, HC_EUNSUPPORTED (a closed loop), or the first error of the source. */
hc_rc hc_totals_of(const hc_source_context *c, const hc_stream_options *o, size_t which, size_t i,
                   hc_workload_totals *out, hc_error *e);

/** The same, made once for all streams that share o->totals. */
hc_rc hc_totals_once(const hc_source_context *c, const hc_stream_options *o, size_t which, size_t i,
                     hc_workload_totals *out, hc_error *e);

#endif
