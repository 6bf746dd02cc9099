/* reservations.h -- the engine's side of src/reserve: reservations.c says what that room asks, and answers
 * policies about the future. past.c: how much each host has been used. */
#ifndef HC_ENGINE_RESERVATIONS_H
#define HC_ENGINE_RESERVATIONS_H

#include "engine/state.h"
#include "reserve/reserve.h"

hc_rc hc_reservations_open(hc_engine *e, uint32_t flags, hc_error *error);
/** @param at HC_NEVER: none; replaces what it had @param grants [count] the hosts that it stands on; none:
 *  0 */
hc_rc hc_apply_reservation(hc_engine *e, hc_task t, hc_time at, const hc_grant *grants, size_t count);
/** The same, though it may have that time already: its hosts are those given. */
hc_rc hc_restore_reservation(hc_engine *e, hc_task t, hc_time at, const hc_grant *grants, size_t count);

/* What hc_services say of the future. */
hc_slot hc_view_earliest(const hc_view *v, hc_task t, hc_time from);
int64_t hc_view_least_free(const hc_view *v, hc_time from, hc_time to);
bool hc_view_harmless(const hc_view *v, hc_task t);
bool hc_view_harmless_for(const hc_view *v, hc_task t, hc_time longer);
bool hc_view_places_matter(const hc_view *v);

hc_rc hc_past_open(hc_engine *e);
void hc_past_move(hc_engine *e, hc_task t, const hc_grant *grants, size_t count, int sign);
double hc_past_of(const hc_engine *e, uint32_t host,
                  int64_t capacity); /* a mean share; now is after the origin */

#endif
