/* flows.h -- bytes on their way between hosts, and parallel tasks. See flows.c. */
#ifndef HC_EXECUTION_FLOWS_H
#define HC_EXECUTION_FLOWS_H

#include "execution/fluid.h"
#include "hindcast/network.h"

/* What flows share. Only the fluid is state: the rest is as it was made, or room to work in. */
typedef struct hc_flows {
  hc_network_of_run network; /* no type: there is none */
  hc_fluid *fluid;           /* its resources are the network's links, by their ids */
  uint32_t *links;           /* [longest] of a route */
  double *weights;           /* [links of the network] of a parallel task, all 0 between two */
  hc_fluid_use *uses;
  size_t use_count, use_cap;
  uint32_t *hosts; /* of a parallel task */
  size_t host_cap;
} hc_flows;

#endif
