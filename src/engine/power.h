/* power.h -- hosts that plans switch off and on. See power.c. */
#ifndef HC_ENGINE_POWER_H
#define HC_ENGINE_POWER_H

#include "engine/state.h"

/** Can a policy that switches hosts be used with the rest of this configuration? @return 0 or
 *  HC_EUNSUPPORTED. */
hc_rc hc_power_check(const hc_engine *e, uint32_t flags, hc_error *error);
hc_rc hc_power_open(hc_engine *e);

/* What has become of a host by plans. */
typedef struct hc_power {
  hc_time until; /* STOPPING, STARTING: when it is OFF, or ON */
  int64_t state;  /* hc_power_state */
  int64_t pstate; /* of power, when it is on: hc_power_at one; HC_POWER_ON: the one that it began in */
} hc_power;

/** One of its records, on the view. */
hc_power *hc_power_of(hc_engine *e, uint32_t host);
/** Could it be switched off now? */
bool hc_power_may_stop(hc_engine *e, uint32_t host);
/** On the view it is away, or there again. */
hc_rc hc_power_apply(hc_engine *e, uint32_t host, hc_host_change change);
/** It has been switched: what follows becomes an event, and observers and the store are told. */
hc_rc hc_power_happened(hc_engine *e, uint32_t host, bool on, hc_error *error);
hc_power_state hc_view_powered(const hc_view *v, uint32_t host);
/** It draws as this code says from now on: observers and the store are told. */
hc_rc hc_power_tell(hc_engine *e, uint32_t host, uint32_t code, hc_error *error);

#endif
