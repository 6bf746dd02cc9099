/* fragments.h -- fragments of GPUs, for placements: they are the cluster's. */
#ifndef HC_POLICY_FRAGMENTS_H
#define HC_POLICY_FRAGMENTS_H

#include "cluster/fragments.h"

#endif
