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
/** A task of several partitions starts, and which set it is in is known: from now on its partition is the one
 *  called so; what it asked for is a row of `several_partitions`. @return 0, or as hc_store_numbers */
hc_rc hc_names_started_in(hc_engine *e, hc_task id, uint32_t set, hc_error *error);
hc_rc hc_names_note(const hc_engine *e, hc_buffer *out);
/** With `strict` a name that is asked for and no source has is an error. @return 0, HC_EUSAGE, HC_ENOMEM */
hc_rc hc_names_check(const hc_engine *e, hc_error *error);

#endif
