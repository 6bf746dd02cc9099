/* slurm_json.h -- what Slurm's JSON has in several forms: numbers. */
#ifndef HC_WORKLOAD_SLURM_JSON_H
#define HC_WORKLOAD_SLURM_JSON_H

#include "base/json.h"
#include "workload/slurm_text.h"

/** A number as it stands, or from 23.02 on as {set, infinite, number}; anything else is passed over.
 *  @param out  -1: it is not set, is infinite or is none @return 0, or as hc_json_next */
hc_rc hc_slurm_json_number(hc_json *j, const hc_json_token *t, int64_t *out, bool *infinite, hc_error *e);

#endif
