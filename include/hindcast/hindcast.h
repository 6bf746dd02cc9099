/** @file hindcast.h
 *  The whole API. */
#ifndef HINDCAST_H
#define HINDCAST_H

#include "hindcast/activity.h"
#include "hindcast/architecture.h"
#include "hindcast/base.h"
#include "hindcast/cell.h"
#include "hindcast/chooser.h"
#include "hindcast/component.h"
#include "hindcast/embed.h"
#include "hindcast/execution.h"
#include "hindcast/figure.h"
#include "hindcast/files.h"
#include "hindcast/grouping.h"
#include "hindcast/lexicon.h"
#include "hindcast/metric.h"
#include "hindcast/network.h"
#include "hindcast/output.h"
#include "hindcast/placement.h"
#include "hindcast/plan.h"
#include "hindcast/plugin.h"
#include "hindcast/policy.h"
#include "hindcast/predictor.h"
#include "hindcast/profile.h"
#include "hindcast/record.h"
#include "hindcast/run.h"
#include "hindcast/save.h"
#include "hindcast/setup.h"
#include "hindcast/sharing.h"
#include "hindcast/study.h"
#include "hindcast/task.h"
#include "hindcast/verify.h"
#include "hindcast/view.h"
#include "hindcast/workload.h"
#include "hindcast/world.h"

#endif
