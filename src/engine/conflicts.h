/* conflicts.h -- refused actions of plans that were thought about, each with what was in its way. See
 * conflicts.c. */
#ifndef HC_ENGINE_CONFLICTS_H
#define HC_ENGINE_CONFLICTS_H

#include "engine/state.h"

/** If the run asks for them. @return 0 or HC_ENOMEM */
hc_rc hc_conflicts_open(hc_engine *e);
/** An action of a plan has been refused: a row of the table `conflicts`, and a sentence about the task if it
 *  is the one that was asked about. @param in_sequence room alone is not enough (HC_COMMIT_IN_SEQUENCE)
 *  @return 0, or an error of the store */
hc_rc hc_conflicts_note(hc_engine *e, const hc_plan *p, const hc_action *a, bool in_sequence,
                        hc_error *error);

#endif
