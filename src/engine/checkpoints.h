/* checkpoints.h -- tasks that save their work on the way. See checkpoints.c. */
#ifndef HC_ENGINE_CHECKPOINTS_H
#define HC_ENGINE_CHECKPOINTS_H

#include "engine/state.h"
#include "engine/work.h"
#include "hindcast/execution.h"

/* How an attempt was over, as metrics are told. */
typedef enum hc_attempt_end {
  HC_ATTEMPT_ENDED,   /* the task came to its end */
  HC_ATTEMPT_STOPPED, /* by a plan */
  HC_ATTEMPT_LOST,    /* with a host; the task waits again */
  HC_ATTEMPT_GIVEN_UP /* with a host, and the task is lost */
} hc_attempt_end;

/** Can tasks write checkpoints with the rest of this configuration? @return 0 or HC_EUNSUPPORTED */
hc_rc hc_checkpoints_check(const hc_engine *e, uint32_t flags, hc_error *error);
/** A new task writes them, if the run says so: its run, estimates and limit are longer by that.
 *  @return 0, HC_ENOMEM, HC_EUSAGE: the rule knows no interval for it */
hc_rc hc_checkpoints_add(hc_engine *e, hc_task t, hc_error *error);
/** A model of execution that has tasks write them is told where. @return 0, or what it returns */
hc_rc hc_checkpoints_open(hc_engine *e, hc_error *error);
/** A task begins there under such a model. @param s out: how it saves its work, for `a` @return 0;
 *  HC_EUSAGE: the rule knows no interval for it; HC_EUNSUPPORTED: no store there; HC_ENOMEM */
hc_rc hc_checkpoints_begin(hc_engine *e, hc_task t, hc_activity *a, hc_saving *s, hc_error *error);
/** It is stopped: what is not left to its next attempt is lost. */
void hc_checkpoints_lose(hc_engine *e, hc_task t, const hc_stopping *how);
/** What of its run the attempt of a running task has saved by checkpoints, at speed 1.
 *  @param locals do local ones count? @param read out: what going on from the last takes; may be NULL */
hc_time hc_checkpoints_saved(const hc_engine *e, hc_task t, bool locals, hc_time *read);
/** The same now that it loses a host, which local ones may outlive. */
hc_time hc_checkpoints_kept(const hc_engine *e, hc_task t, hc_time *read);
/** Tell metrics of an attempt that is over now, of which so much is saved. @return 0 or what they return */
hc_rc hc_checkpoints_tell(hc_engine *e, hc_task t, hc_attempt_end how, hc_time saved);

#endif
