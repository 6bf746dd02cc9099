/* combine.h -- what cannot be combined: HC_EUNSUPPORTED with the reason. See combine.c. */
#ifndef HC_ENGINE_COMBINE_H
#define HC_ENGINE_COMBINE_H

#include "engine/state.h"

hc_rc hc_combine_refuse(hc_error *error, const char *text);
hc_rc hc_combine_check(hc_engine *e, uint32_t flags, hc_error *error);
/** Once the cell is known. */
hc_rc hc_combine_check_hosts(const hc_engine *e, hc_error *error);
/** Can a trimmed summary be counted where tasks are suspended, or changed? @param what rows do not say: "when
 *  ..." */
hc_rc hc_combine_check_trim(const hc_engine *e, const char *what, hc_error *error);

#endif
