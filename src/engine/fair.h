/* fair.h -- fair starts: the start that a task would have had, had no other come after it. See fair.c. */
#ifndef HC_ENGINE_FAIR_H
#define HC_ENGINE_FAIR_H

#include "engine/state.h"

/** At birth, last of all: if a metric asks for fair starts, can the run be forked for them? @return 0;
 *  HC_EUNSUPPORTED with the reason; HC_ENOMEM */
hc_rc hc_fair_open(hc_engine *e, hc_error *error);
/** An advance begins: what an arrival at its first instant is forked from is kept. */
hc_rc hc_fair_begin(hc_engine *e, hc_error *error);
/** Of a fork that is born: options without what it does not need. */
hc_rc hc_fair_lend(hc_engine *e);
#endif
