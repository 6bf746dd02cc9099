/* mold.h -- moldable jobs of the world: how wide they start, and what is counted because of them. See
 * mold.c. */
#ifndef HC_OMEGA_MOLD_H
#define HC_OMEGA_MOLD_H

#include "omega/world.h"

#define HC_OMEGA_USAGE_BIN 300.0 /* s: utilisation over time is told as means of so long */

/** How many workers a scheduler looks for when it thinks about a job: what is left of it, or more.
 *  O(machines) if the job could use more than it asked for. */
uint32_t hc_omega_width(const hc_world *w, const hc_omega_scheduler *s, uint32_t job);

/** Places that were found for a job, and are taken in the cell, are its: what is left of it goes down, and
 *  its workers start. @return 0 or HC_ENOMEM */
hc_rc hc_omega_start_found(hc_world *w, uint32_t scheduler, uint32_t job, const hc_omega_places *places);

/** How unsteady utilisation is; nothing of it is kept where no job may be molded. @return 0 or HC_ENOMEM */
hc_rc hc_omega_usage_init(hc_world *w);
void hc_omega_usage_fini(hc_world *w);
void hc_omega_usage_sample(hc_world *w);
/** Standard deviation. */
double hc_omega_spread_deviation(const hc_omega_spread *s, uint64_t samples);

#endif
