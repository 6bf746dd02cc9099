/* rows.h -- what the store keeps of tasks and hosts beside records. See rows.c. */
#ifndef HC_ENGINE_ROWS_H
#define HC_ENGINE_ROWS_H

#include "engine/state.h"

/** Does the run keep a row for every task? */
static inline bool hc_keeps_rows(const hc_engine *e)
{
  return e->store && e->options->task_rows == HC_ROWS_ALL;
}
/** Each of these does nothing if it does not. Where a task was, for good. @return 0, HC_EIO, HC_ENOMEM */
hc_rc hc_rows_placement(hc_engine *e, hc_task t, const hc_grant *grants, size_t count, hc_error *error);
/** An attempt that was lost with its host. */
hc_rc hc_rows_attempt(hc_engine *e, hc_task t, hc_error *error);
/** It runs as the run ends: where. */
hc_rc hc_rows_left(hc_engine *e, hc_task t, hc_error *error);

#endif
