/* laws.h -- the laws that users write, which belong to workloads, for what makes invocations. */
#ifndef HC_FUNCTIONS_LAWS_H
#define HC_FUNCTIONS_LAWS_H

#include "workload/law.h"

#endif
