/* rows.h -- what the store keeps of tasks and hosts beside records. See rows.c. */
#ifndef HC_ENGINE_ROWS_H
#define HC_ENGINE_ROWS_H

#include "engine/state.h"

/** Does the run keep a row for every task? */
static inline bool hc_keeps_rows(const hc_engine *e)
{
  return e->store && e->options->task_rows == HC_ROWS_ALL;
}
/** A row that ends in amounts: those of the first dimensions, up to the engine's width, and after all of them what of the
 *  devices the table's own column does not hold. Of the rows of a cell with few dimensions and devices neither is
 *  more than the table has columns for.
 *  @param row [base + HC_ROW_AMOUNTS] written up to base + width. @param devices NULL: the table has none */
enum { HC_ROW_AMOUNTS = HC_DIMENSIONS + HC_DEVICES / 32 - 1 };
hc_rc hc_rows_put(const hc_engine *e, const char *table, size_t base, int64_t *row, const hc_devices *devices,
                  hc_error *error);
/** The column `devices`: a bit for each of the first. */
static inline int64_t hc_row_devices(const hc_devices *d)
{
  return (int64_t)(d->bits[0] & UINT32_MAX);
}

/** Each of these does nothing if it does not. Where a task was, for good. @return 0, HC_EIO, HC_ENOMEM */
hc_rc hc_rows_placement(hc_engine *e, hc_task t, const hc_grant *grants, size_t count, hc_error *error);
/** An attempt that was lost with its host. */
hc_rc hc_rows_attempt(hc_engine *e, hc_task t, hc_error *error);
/** It runs as the run ends: where. */
hc_rc hc_rows_left(hc_engine *e, hc_task t, hc_error *error);

#endif
