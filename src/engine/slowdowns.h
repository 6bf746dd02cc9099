/* slowdowns.h -- where tasks run decides how long they take (the run's `slowdowns`). See slowdowns.c. */
#ifndef HC_ENGINE_SLOWDOWNS_H
#define HC_ENGINE_SLOWDOWNS_H

#include "engine/state.h"

/** What cannot be combined, and birth. @return 0, HC_EUNSUPPORTED, HC_EUSAGE, HC_ENOMEM */
hc_rc hc_slowdowns_open(hc_engine *e, uint32_t flags, hc_error *error);
void hc_slowdowns_close(hc_engine *e);
/** So many times as long a task takes on these; only where the run has slowdowns. */
double hc_slowdowns_times(const hc_engine *e, hc_task t, const hc_grant *grants, size_t count);

#endif
