/* services.h -- the tables by which policies (view.c) and architectures (services.c) reach a run. */
#ifndef HC_ENGINE_SERVICES_H
#define HC_ENGINE_SERVICES_H

#include "hindcast/architecture.h"

extern const hc_services hc_policy_services;
extern const hc_engine_services hc_architecture_services;

#endif
