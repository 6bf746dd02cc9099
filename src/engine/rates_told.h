/* rates_told.h -- what is told of the rates that plans change. See rates_told.c. */
#ifndef HC_ENGINE_RATES_TOLD_H
#define HC_ENGINE_RATES_TOLD_H

#include "engine/state.h"

/** A task has another rate from now on. Before its work is told of that. @param held, holds  it was, is not
 *  suspended @return 0 or HC_ENOMEM */
hc_rc hc_rates_note(hc_engine *e, hc_task t, int64_t rate, bool held, bool holds);
/** The attempt of a task is about to be over: tell what this instant has changed of its rate. */
hc_rc hc_rates_leave_now(hc_engine *e, hc_task t, hc_error *error);
static inline hc_rc hc_rates_leave(hc_engine *e, hc_task t, hc_error *error)
{
  return e->rates_told.count > 0 ? hc_rates_leave_now(e, t, error) : 0;
}

#endif
