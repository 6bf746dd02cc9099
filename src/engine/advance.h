/* advance.h -- advance reservations of a run: read, begun and ended as events, told to the store. See
 * advance.c; what they mean for questions about the future is src/reserve/advance.h and beside.h. */
#ifndef HC_ENGINE_ADVANCE_H
#define HC_ENGINE_ADVANCE_H

#include "engine/state.h"
#include "hindcast/metric.h"
#include "reserve/advance.h"

typedef struct hc_advances hc_advances;

/** Read them. After the cell is known, before what plans with expected ends is made.
 *  @return 0, HC_EUSAGE, HC_EUNSUPPORTED, HC_ELIMIT, HC_ENOMEM */
hc_rc hc_advance_open(hc_engine *e, hc_error *error);
/** Their beginnings and ends become events, once there is an architecture that could hear of them. */
hc_rc hc_advance_ready(hc_engine *e);
/** What the room that knows the future needs; NULL: there are none. */
const hc_advance *hc_advance_plan(const hc_engine *e);
/** Does a host take nothing now as a source of events has announced, and is known to return? @param source
 * from 1 */
bool hc_advance_is_downtime(const hc_engine *e, uint32_t source, uint32_t host);
/** Has a source announced that a host has other amounts from now on? */
bool hc_advance_is_resize(const hc_engine *e, uint32_t source, uint32_t host);
/** What they reserve when, [hc_advance_plan()->count] for metrics; NULL: there are none. */
const hc_reserved *hc_advance_reserved(const hc_engine *e);
/** From now on a choice among hosts is about this task, which would start at `at`. @param length it would run
 * for so long; HC_UNKNOWN: as each host's speed has it. HC_NO_TASK: about none. */
void hc_advance_ask(hc_engine *e, hc_task t, hc_time at, hc_time length);
/** May the task that a choice is about use a host? */
bool hc_advance_admits(hc_engine *e, uint32_t host);
/** Why a task that fits does not start: a reservation comes too soon. Told where explanations are asked
 *  for. */
void hc_advance_explain(hc_engine *e, hc_task t);
/** For the store, when the run is over: the windows, the users and accounts that may use them, and what had
 *  to be said of them. */
/** Names that no task came under, where that is an error. @return 0, HC_EUSAGE, HC_ENOMEM */
hc_rc hc_advance_check_names(const hc_engine *e, hc_error *error);
hc_rc hc_advance_store(hc_engine *e, hc_error *error);
hc_rc hc_advance_note(const hc_engine *e, hc_buffer *out);

#endif
