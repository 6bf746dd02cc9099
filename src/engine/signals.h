/* signals.h -- what the architecture hears. See signals.c. */
#ifndef HC_ENGINE_SIGNALS_H
#define HC_ENGINE_SIGNALS_H

#include "engine/state.h"

/** Tell the architecture, after what is gathered and not told yet. */
hc_rc hc_signal_send(hc_engine *e, const hc_signal *s, hc_error *error);
hc_rc hc_signal_all_gathered(hc_engine *e, hc_error *error);
/** Tell it what was gathered, if anything was: asked four times a round. */
static inline hc_rc hc_signal_gathered(hc_engine *e, hc_error *error)
{
  return e->gathered.what != 0 ? hc_signal_all_gathered(e, error) : 0;
}
/** A task could start: into the queue of an architecture that gathers, or to be heard of by another. */
hc_rc hc_signal_task(hc_engine *e, hc_task id, hc_error *error);
/** A task has ended, on these hosts if the architecture hears of them. @param early before it was expected
 *  to */
hc_rc hc_signal_end(hc_engine *e, bool early, size_t hosts, hc_error *error);
/** Something is free now, before any task was expected to end there. */
hc_rc hc_signal_free(hc_engine *e, size_t hosts, hc_error *error);
/** Where a task runs, for an architecture that hears of hosts: kept past the task's end in e->ended_on.
 *  @param count out: how many ranges */
hc_rc hc_signal_note_hosts(hc_engine *e, hc_task id, size_t *count);

#endif
