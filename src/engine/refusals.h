/* refusals.h -- on a cell of hosts, how many refuse the task that was asked about and by which filter, and
 * why it got the host that it got. See refusals.c. */
#ifndef HC_ENGINE_REFUSALS_H
#define HC_ENGINE_REFUSALS_H

#include "cluster/hosts.h"
#include "engine/state.h"

void hc_explain_hosts(hc_engine *e, hc_task t); /* while it waits */
/** The placement has chosen these hosts for it, of those that the view may use. */
void hc_explain_choice(hc_engine *e, hc_task t, const hc_grant *grants, size_t count);
void hc_explain_start(hc_engine *e, hc_task t, const hc_grant *grants,
                      size_t count); /* it has started there */

#endif
