/* recorded.h -- what a result keeps of how the log says that its tasks ended, beside how they end in the
 * run. */
#ifndef HC_SETUP_RECORDED_H
#define HC_SETUP_RECORDED_H

#include "hindcast/output.h"
#include "hindcast/workload.h"

/** One of its tasks, if the log says that it did not end well: a row of `recorded`. @return 0, or what the
 *  store returned. */
static inline hc_rc hc_recorded_task(hc_store *s, int64_t serial, const hc_task_spec *t, hc_error *e)
{
  const int64_t row[2] = {serial, hc_spec_recorded(t)};
  if (row[1] == HC_RECORDED_COMPLETED || row[1] == HC_RECORDED_UNKNOWN) return 0;
  return hc_store_numbers(s, "recorded", 2, row, e);
}

/** What a log measured of a task: of all its processors together. @return false: nothing */
bool hc_recorded_measured(const hc_task_spec *t, hc_measured *out);
/** The same as a row of `measured`. @return 0, or what the store returned */
hc_rc hc_recorded_row(hc_store *s, int64_t serial, const hc_measured *m, hc_error *e);

/** How many there are, unless the log says of none that it did not end well: facts "recorded_timeout".
 *  @param counts  [HC_RECORDED_COUNT] tasks by state; those of COMPLETED are left out of account
 *  @param tasks   in all: the rest completed. @return 0, or what the store returned. */
hc_rc hc_recorded_counts(hc_store *s, const uint64_t *counts, uint64_t tasks, hc_error *e);

#endif
