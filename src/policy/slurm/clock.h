/* clock.h -- when slurmctld's main scheduler and its backfill run. See clock.c. */
#ifndef HC_POLICY_SLURM_CLOCK_H
#define HC_POLICY_SLURM_CLOCK_H

#include "hindcast/component.h"
#include "policy/slurm/moments.h"
#include "policy/slurm/settings.h"

/* What changes. No padding. */
typedef struct hc_slurm_clock_state {
  hc_time tick_at;                          /* ns: one of the looks of the main loop */
  hc_time poll;                             /* ns: when the backfill looks next */
  hc_time seen;                             /* ns: the last pass */
  int64_t last_pass, last_full, last_cycle; /* s */
  int64_t changed;                          /* s: when anything last changed that the backfill looks at */
  hc_time asked;                            /* ns: since when a pass is asked for; HC_NEVER: none is */
} hc_slurm_clock_state;

typedef struct hc_slurm_clock {
  hc_time tick;                /* ns between two looks of the main loop */
  int64_t origin;              /* Unix time of the run's time 0, s */
  const hc_slurm_moments *log; /* when both ran, as long as it says so; NULL: they run by their rules */
  hc_slurm_clock_state s;
} hc_slurm_clock;

/** @param tick_at, poll_at, full_at  ns: a tick, a look of the backfill, the last pass over the whole queue
 * */
void hc_slurm_clock_init(hc_slurm_clock *c, int64_t origin, hc_time tick, hc_time tick_at, hc_time poll_at,
                         hc_time full_at);
/** Let what happened before `now` without a queue to look at have happened. */
void hc_slurm_clock_settle(hc_slurm_clock *c, const hc_slurm_settings *s, hc_time now);
/** Something has changed; with `pass`, of a kind that asks for a pass of the main scheduler. */
void hc_slurm_clock_change(hc_slurm_clock *c, hc_time now, bool pass);

/** When the main scheduler runs next, at or after `now`. @param full  out: over the whole queue */
hc_time hc_slurm_clock_main(const hc_slurm_clock *c, const hc_slurm_settings *s, hc_time now, bool *full);
/** It runs now. */
void hc_slurm_clock_ran(hc_slurm_clock *c, hc_time now, bool full);
/** When the backfill runs next, at or after `now`, if nothing else changes; HC_NEVER: not without that. */
hc_time hc_slurm_clock_backfill(const hc_slurm_clock *c, const hc_slurm_settings *s, hc_time now);
/** It runs now, which takes so long. */
void hc_slurm_clock_filled(hc_slurm_clock *c, const hc_slurm_settings *s, hc_time now, hc_time took);

#endif
