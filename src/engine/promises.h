/* promises.h -- promises that are void when something stands in their way. See promises.c. */
#ifndef HC_ENGINE_PROMISES_H
#define HC_ENGINE_PROMISES_H

#include "engine/state.h"

/** Promises in whose way a task has come to stand are void, the latest first, until all that are left are
 *  kept. @return 0 or HC_ENOMEM */
hc_rc hc_promises_void(hc_plan *p);
/** The same without a plan: promises that what is known by now does not keep are void. @return 0 or
 *  HC_ENOMEM */
hc_rc hc_promises_void_broken(hc_engine *e);

#endif
