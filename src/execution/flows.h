/* flows.h -- bytes on their way between hosts, and parallel tasks. See flows.c. */
#ifndef HC_EXECUTION_FLOWS_H
#define HC_EXECUTION_FLOWS_H

#include "hindcast/base.h"
#include "hindcast/component.h"

typedef struct hc_fluid_id {
  uint32_t slot, generation;
} hc_fluid_id;

typedef struct hc_flows {
  void *network;
} hc_flows;

#endif
