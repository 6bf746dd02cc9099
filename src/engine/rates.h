/* rates.h -- running tasks that plans suspend, let go on, or let work at another rate. See rates.c. */
#ifndef HC_ENGINE_RATES_H
#define HC_ENGINE_RATES_H

#include "engine/work.h"

hc_rc hc_apply_rate(hc_engine *e, const hc_action *a);
hc_rc hc_undo_rate(hc_engine *e, const hc_action *a);
/** After thinking: it may have ended, or changed, and what it gave back may be another's. @return 0;
 *  HC_ECONFLICT. */
hc_rc hc_recheck_rate(hc_engine *e, hc_action *a);
/** Its end, and where it will have outlived its estimate, become events anew. @return 0 or HC_ENOMEM */
hc_rc hc_rates_expect_end(hc_engine *e, hc_task t);
hc_rc hc_happened_rate(hc_engine *e, const hc_action *a, hc_error *error);
/** Can a policy that sets rates be used with the rest of this configuration? @return 0 or HC_EUNSUPPORTED. */
hc_rc hc_rates_check(const hc_engine *e, uint32_t flags, hc_error *error);

#endif
