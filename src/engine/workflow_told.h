/* workflow_told.h -- workflows, told to metrics that count them. See workflow_told.c. */
#ifndef HC_ENGINE_WORKFLOW_TOLD_H
#define HC_ENGINE_WORKFLOW_TOLD_H

#include "engine/state.h"

/** At the birth of a run, once its metrics are there. @return 0 or HC_ENOMEM */
hc_rc hc_workflow_told_open(hc_engine *e);
/** With the metrics, which forks that are made for fair starts do not have. */
hc_rc hc_workflow_told_visit(hc_engine *e, hc_visitor *v);

#endif
