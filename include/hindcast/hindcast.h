/** @file hindcast.h
 *  The whole API. */
#ifndef HINDCAST_H
#define HINDCAST_H

#include "hindcast/architecture.h"
#include "hindcast/base.h"
#include "hindcast/cluster.h"
#include "hindcast/engine.h"
#include "hindcast/execution.h"
#include "hindcast/metric.h"
#include "hindcast/output.h"
#include "hindcast/plugin.h"
#include "hindcast/policy.h"
#include "hindcast/setup.h"
#include "hindcast/study.h"
#include "hindcast/task.h"
#include "hindcast/verify.h"
#include "hindcast/workload.h"
#include "hindcast/world.h"

#endif
