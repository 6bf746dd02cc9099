/* topology.h -- switches in levels, for placements that look at them. See topology.c. */
#ifndef HC_ENGINE_TOPOLOGY_H
#define HC_ENGINE_TOPOLOGY_H

#include "engine/state.h"

/** Before the placement is made, if it looks at it: the levels of the run's network, in e->policy_context.
 *  @return 0; errors of the network's options */
hc_rc hc_topology_open(hc_engine *e, hc_error *error);

#endif
