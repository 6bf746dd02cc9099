/* stopping.h -- tasks that plans stop, at once or after a grace, and that go on. See stopping.c. */
#ifndef HC_ENGINE_STOPPING_H
#define HC_ENGINE_STOPPING_H

#include "engine/tasks.h"
#include "engine/work.h"

static inline uint32_t hc_stopped_times(const hc_engine *e, hc_task t)
{
  return hc_work_of(e, t)->times;
}
/** Has it started before, in an attempt that was lost? */
static inline bool hc_is_again(const hc_engine *e, hc_task t)
{
  return hc_cold_of(e, t)->attempts > 0 || hc_stopped_times(e, t) > 0;
}
hc_rc hc_apply_warn(hc_engine *e, hc_task t, hc_time at, const hc_stopping *how);
void hc_undo_warn(hc_engine *e, hc_task t);
hc_rc hc_happened_warn(hc_engine *e, hc_task t);
/** A running task is stopped in the midst of an instant, and no plan asked for it: as at an end, decisions
 *  are called for. @return 0, HC_ENOMEM, or what follows from it */
hc_rc hc_stopping_now(hc_engine *e, hc_task t, const hc_stopping *how, hc_error *error);
/** Account for an attempt that stops now, whose events are cancelled and whose claims are given back. */
hc_rc hc_stopping_note(hc_engine *e, hc_task t, const hc_stopping *how, const hc_grant *grants, size_t count,
                       hc_error *error);
/** Account for an attempt that is lost with a host now, and of which a checkpoint has saved something.
 * Before what it
 *  held is given back. */
hc_rc hc_stopping_note_lost(hc_engine *e, hc_task t, const hc_stopping *how, hc_time saved, hc_error *error);
/** It waits again: what is left of it, by what it has saved. After hc_work_anew. */
hc_rc hc_stopping_shorten(hc_engine *e, hc_task t, const hc_stopping *how, hc_time saved);
hc_time hc_stopping_saves(const hc_engine *e, hc_task t, const hc_stopping *how);

#endif
