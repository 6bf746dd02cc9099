/* explain.h -- why a task waited, for `hindcast why`. See explain.c. */
#ifndef HC_ENGINE_EXPLAIN_H
#define HC_ENGINE_EXPLAIN_H

#include <stdarg.h>

#include "engine/state.h"

bool hc_explaining(const hc_engine *e);
void hc_explain_text(const hc_engine *e, hc_task t, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void hc_explain_args(const hc_engine *e, hc_task t, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));
/** An amount of what tasks are counted by, in words: processors, or the first dimension of the hosts. @return
 *  out */
const char *hc_explain_amount(const hc_engine *e, int64_t n, char out[64]);
void hc_explain_decision(hc_engine *e); /* after each decision: what the task asked about sees */

#endif
