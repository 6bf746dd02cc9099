/* source_calls.h -- what readers in shared objects have of the library. */
#ifndef HC_WORKLOAD_SOURCE_CALLS_H
#define HC_WORKLOAD_SOURCE_CALLS_H

#include "hindcast/workload.h"

extern const hc_source_calls hc_source_calls_of_library;

#endif
