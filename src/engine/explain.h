/* explain.h -- why a task waited, for `hindcast why`. See explain.c; situation.c: what the task that was
 * asked about sees after a decision. */
#ifndef HC_ENGINE_EXPLAIN_H
#define HC_ENGINE_EXPLAIN_H

#include <stdarg.h>

#include "engine/state.h"

enum { HC_EXPLAIN_NAME = 64 };

bool hc_explaining(const hc_engine *e);
/** The task that was asked about, if it waits; HC_NO_TASK. O(1). */
hc_task hc_explain_asked(const hc_engine *e);
void hc_explain_text(hc_engine *e, hc_task t, const char *format, ...) __attribute__((format(printf, 3, 4)));
/** A line about its place in its queue, from 1, and its start, promised at `at`; HC_NEVER: it is not. */
void hc_explain_placed(hc_engine *e, hc_task t, size_t place, hc_time at, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void hc_explain_args(hc_engine *e, hc_task t, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));
/** As hc_services.note. */
void hc_explain_note(hc_engine *e, hc_task t, hc_note what, hc_task other, hc_time at, int64_t amount);
void hc_explain_before(hc_engine *e, hc_task t,
                       hc_time at); /* it stands before the one asked about, and is promised */
/** Say a reason, unless it was said last; of none (HC_NOTE_NONE) nothing is said. */
void hc_explain_reason(hc_engine *e, const hc_noted_reason *reason, const char *text);
void hc_explain_forget(hc_engine *e); /* what was noted in a decision */
/** Another task is asked about, or it waits anew, or no more: what was said before may be said again. */
void hc_explain_anew(hc_engine *e);
hc_task hc_explain_find(const hc_engine *e, uint64_t serial); /* a live task; HC_NO_TASK. O(live tasks) */
/** What a task is called. @return out */
const char *hc_explain_task(const hc_engine *e, hc_task t, char out[HC_EXPLAIN_NAME]);
/** An amount of what tasks are counted by, in words: processors, or the first dimension of the hosts. @return
 *  out */
const char *hc_explain_amount(const hc_engine *e, int64_t n, char out[64]);

void hc_explain_decision(hc_engine *e); /* situation.c: after each decision, what the task asked about sees */

#endif
