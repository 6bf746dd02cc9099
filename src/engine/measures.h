/* measures.h -- metrics of what running tasks do and use. See measures.c. */
#ifndef HC_ENGINE_MEASURES_H
#define HC_ENGINE_MEASURES_H

#include "engine/state.h"

/** The task that was asked about is to be explained while it runs: before the first advance. */
hc_rc hc_measures_explain(hc_engine *e);
/** When metrics and model are there. @return 0; HC_EUNSUPPORTED: a metric needs a model of execution that
 *  measures, and there is none; HC_ENOMEM */
hc_rc hc_measures_open(hc_engine *e, hc_error *error);
/** At the time that comes next, before anything happens then: metrics that look at what is used do so, at the
 *  times that they said up to it. Only where it is not before observers.look_at. */
hc_rc hc_measures_look(hc_engine *e, hc_time at, hc_error *error);
/** The last look, where the run ends. */
hc_rc hc_measures_close(hc_engine *e, hc_error *error);
hc_rc hc_measures_visit(hc_engine *e, hc_visitor *v);

#endif
