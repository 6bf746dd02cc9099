/* predict.h -- run times that a predictor says, in place of what users asked for. See predict.c. */
#ifndef HC_ENGINE_PREDICT_H
#define HC_ENGINE_PREDICT_H

#include "engine/state.h"

/** @return 0, HC_ENOMEM, or an error that says what a predictor cannot be combined with */
hc_rc hc_predict_open(hc_engine *e, hc_error *error);
/** A running task has come to its expected end. @return 1: it is believed to end later from now on, and that
 *  is done; 0: nothing more is known of it; HC_ENOMEM. @param order of the event */
hc_rc hc_predict_outlived(hc_engine *e, hc_task t, uint64_t order, hc_error *error);
/* Where there is a predictor: */
/** What was believed of it when it came, at the speed of its last attempt: for its record. */
hc_time hc_predicted(const hc_engine *e, hc_task t);
/** What would be believed of its attempt without one, at its speed. */
hc_time hc_predict_bound(const hc_engine *e, hc_task t);
/** What was predicted, in a sentence. */
hc_rc hc_predict_note(const hc_engine *e, hc_buffer *out);

#endif
