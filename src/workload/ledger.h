/* ledger.h -- how a row that is not used is counted, told and, under `strict`, refused. */
#ifndef HC_WORKLOAD_LEDGER_H
#define HC_WORKLOAD_LEDGER_H

#include "hindcast/workload.h"

/** Reject a row: count it, tell the listener.
 *  @param name    the file in which the row stands; of a generator its name
 *  @param column  1-based; 0 if the whole row is meant
 *  @param text    the line, or NULL
 *  @return 0, or HC_EINPUT under `strict`, unless the user asked for it to be left out. */
hc_rc hc_row_reject(const hc_source_context *c, const char *name, uint64_t line, uint32_t column,
                    hc_reason why, const char *text, hc_error *e);

/** A line number as errors hold it: saturating. */
static inline uint32_t hc_line_number(uint64_t line)
{
  return line > UINT32_MAX ? UINT32_MAX : (uint32_t)line;
}

/** Whether rows are left out for this reason because the user asked for it: no error under `strict`. */
bool hc_row_was_asked_for(hc_reason why);

/** Whether read = used + merged + rejected. */
bool hc_ledger_balances(const hc_row_ledger *l);

#endif
