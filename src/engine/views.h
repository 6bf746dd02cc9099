/* views.h -- a view of the live cell is opened and closed. See views.c. */
#ifndef HC_ENGINE_VIEWS_H
#define HC_ENGINE_VIEWS_H

#include "engine/state.h"

/** As the services of the same name (hc_engine_services). */
hc_rc hc_view_open(hc_engine *e, uint32_t queue, const hc_range *scope, size_t scope_count, hc_view **v,
                   hc_plan **p);
hc_rc hc_view_close(hc_engine *e, hc_view *v, bool keep);
void hc_view_limit(hc_view *v, size_t most);

#endif
