/* inputs.h -- which file a chosen source names. */
#ifndef HC_WORKLOAD_INPUTS_H
#define HC_WORKLOAD_INPUTS_H

#include "hindcast/component.h"

/** What the user calls it: its parameter `file`, if it has one, else its type. Borrowed. */
const char *hc_source_name(const hc_chosen *c);
/** Standard input cannot be dealt out to two, sources within sources included. @return 0 or HC_EUSAGE. */
hc_rc hc_check_standard_input(const hc_chosen *sources, size_t count, hc_error *e);

#endif
