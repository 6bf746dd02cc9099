/* azure_day.h -- the dataset of 2019, which belongs to workloads, for what makes invocations. */
#ifndef HC_FUNCTIONS_AZURE_DAY_H
#define HC_FUNCTIONS_AZURE_DAY_H

#include "workload/azure_day.h"

#endif
