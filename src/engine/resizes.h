/* resizes.h -- tasks whose demand changes while they run, in place. See resizes.c. */
#ifndef HC_ENGINE_RESIZES_H
#define HC_ENGINE_RESIZES_H

#include "engine/state.h"

/** A task has come: remember its steps. @return 0; HC_EUNSUPPORTED: this run cannot have tasks that change;
 *  HC_ENOMEM. */
hc_rc hc_resizes_arrive(hc_engine *e, hc_task t, hc_error *error);
/* -- from here on only if e->resizes: some task so far had steps -- */
hc_rc hc_resizes_start(hc_engine *e, hc_task t);
/** Its attempt is over, what it held is given back, and told: it is as large as at its start again. @param
 *  for_good else it waits again */
void hc_resizes_stop(hc_engine *e, hc_task t, bool for_good);
/** What it asks for now and what it asked for at its start change places: for rows of the store. */
void hc_resizes_swap(hc_engine *e, hc_task t);
/** Has a stop made its demand another one? */
bool hc_resizes_is_other(const hc_engine *e, hc_task t);
/** Counts, by their names in the store. */
hc_rc hc_resizes_each(const hc_engine *e, hc_rc (*each)(void *ctx, const char *key, uint64_t n), void *ctx);
hc_rc hc_resizes_visit(hc_engine *e, hc_visitor *v);
void hc_resizes_fini(hc_engine *e);

#endif
