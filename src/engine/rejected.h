/* rejected.h -- rows that are not used, as the store keeps them. See rejected.c. */
#ifndef HC_ENGINE_REJECTED_H
#define HC_ENGINE_REJECTED_H

#include "engine/state.h"

hc_rc hc_rejects_open(hc_engine *e, hc_error *error);
hc_rc hc_rejects_finish(hc_engine *e, hc_error *error);
hc_rc hc_rejects_visit(hc_engine *e, hc_visitor *v);
void hc_rejects_close(hc_engine *e);

#endif
