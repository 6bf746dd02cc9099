/* fragments.h -- fragments of GPUs, for metrics: they are the cluster's. */
#ifndef HC_METRIC_FRAGMENTS_H
#define HC_METRIC_FRAGMENTS_H

#include "cluster/fragments.h"

#endif
