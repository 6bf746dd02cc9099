/* record.h -- what a user writes about a network: the connections of a graph. */
#ifndef HC_NETWORK_RECORD_H
#define HC_NETWORK_RECORD_H

#include "hindcast/component.h"

typedef enum hc_connection_duplex {
  HC_CONNECTION_FULL,
  HC_CONNECTION_HALF,
  HC_CONNECTION_FATPIPE,
  HC_CONNECTION_ONE_WAY
} hc_connection_duplex;

typedef struct hc_connection_options {
  const char *from, *to;
  int64_t bandwidth;
  hc_time latency;
  int duplex;
} hc_connection_options;

#endif
