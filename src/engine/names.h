/* names.h -- what tasks, their users, queues and so on are called, for the result. See names.c. */
#ifndef HC_ENGINE_NAMES_H
#define HC_ENGINE_NAMES_H

#include "cluster/lexicon.h"
#include "engine/state.h"

/** Say what the lexicon shall keep. Before any source is opened. */
void hc_names_open(hc_engine *e);
/** A task has arrived: rows for what is met for the first time. It holds its labels no longer.
 *  @return 0, or as hc_store_tasks */
hc_rc hc_names_met(hc_engine *e, uint64_t serial, const hc_task_spec *t, hc_error *error);
/** Whether a task has anything to do with names: asked first, since most streams have none. */
static inline bool hc_names_concern(const hc_engine *e, const hc_task_spec *t)
{
  return e->names.are_kept &&
         ((t->label | t->job_label) != 0 || (t->account | t->qos) > 0 || hc_lexicon_has_names(e->lexicon));
}
/** What the source calls its columns, and what was not kept. @return as hc_store_row */
hc_rc hc_names_store(hc_engine *e, hc_error *error);
hc_rc hc_names_note(const hc_engine *e, hc_buffer *out);

#endif
