/* ahead.h -- a source that is read on a thread of its own, a few blocks ahead of whoever asks. */
#ifndef HC_WORKLOAD_AHEAD_H
#define HC_WORKLOAD_AHEAD_H

#include "base/mem.h"
#include "hindcast/workload.h"

typedef struct hc_ahead hc_ahead;

/** @param for_source what the source is given in place of its context: it counts and tells there, and both are passed
 *  on in their time. Before the source is opened. @return 0 or HC_ENOMEM. */
hc_rc hc_ahead_new(const hc_source_context *given, hc_ahead **out, hc_source_context *for_source);
/** The source is there; nothing is read yet. */
void hc_ahead_source(hc_ahead *h, const hc_reader_type *type, hc_source *source);
/** As hc_reader_type.next, with the tasks of many jobs; rejected rows that came before them are told. @param ledger as it
 *  stands then. Before hc_ahead_start it asks the source itself. */
hc_rc hc_ahead_next(hc_ahead *h, hc_job *job, hc_row_ledger *ledger, hc_error *e);
/** From now on a thread has the source. @return 0; HC_EIO: none can be made. */
hc_rc hc_ahead_start(hc_ahead *h, hc_error *e);
/** Stop the thread: the source can be looked at. What it has read so far still comes out of hc_ahead_next, until
 *  hc_ahead_is_empty; after that the thread begins again by itself. */
void hc_ahead_stop(hc_ahead *h);
bool hc_ahead_is_empty(const hc_ahead *h);
/** The source was put elsewhere, where it had counted this: nothing that was read before counts. Stopped. */
void hc_ahead_reset(hc_ahead *h, const hc_row_ledger *ledger);
void hc_ahead_progress(hc_ahead *h, uint64_t *done, uint64_t *total); /* as of the tasks handed out */
void hc_ahead_free(hc_ahead *h); /* NULL is fine; the source is not closed */

#endif
