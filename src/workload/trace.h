/* trace.h -- a stream with its own ledger, for those who read a workload without a run. */
#ifndef HC_WORKLOAD_TRACE_H
#define HC_WORKLOAD_TRACE_H

#include "base/value.h"
#include "workload/stream.h"

/** How laws of speed-up are read where there is no run whose model would have a book of profiles. */
typedef struct hc_trace_laws {
  const hc_registry *registry;
  /** Fill the options of {use: NAME, ...}, a profile. @return 0; HC_EUSAGE with the place; HC_ENOMEM */
  hc_rc (*resolve)(const hc_registry *r, hc_arena *a, const hc_value *tree, hc_chosen *out, hc_error *e);
} hc_trace_laws;

/** Open. The context's ledger is replaced by the trace's own; options are borrowed for its life.
 *  @param most_names  of each kind; 0: as many as there can be @return 0 or the first error of a source or
 *  transform. */
hc_rc hc_trace_make(const hc_source_context *c, const hc_stream_options *o, const hc_trace_laws *laws,
                    size_t most_names, hc_trace **out, hc_error *e);
/** The machine's size became known. Before the first hc_trace_next. */
void hc_trace_set_capacity(hc_trace *t, int64_t capacity);
void hc_trace_renumber(hc_trace *t); /* as hc_trace_options.renumber says. Before the first task */

#endif
