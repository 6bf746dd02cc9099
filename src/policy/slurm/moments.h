/* moments.h -- when the schedulers of a recorded slurmctld ran, out of its log. */
#ifndef HC_POLICY_SLURM_MOMENTS_H
#define HC_POLICY_SLURM_MOMENTS_H

#include "hindcast/base.h"

typedef struct hc_slurm_moment {
  hc_time at;   /* ns since the run's time 0 */
  int64_t full; /* a pass over the whole queue: 0 or 1 */
} hc_slurm_moment;

typedef struct hc_slurm_moments {
  hc_slurm_moment *passes; /* [pass_count] ascending */
  size_t pass_count, pass_cap;
  hc_slurm_moment *cycles; /* [cycle_count] ascending */
  size_t cycle_count, cycle_cap;
} hc_slurm_moments;

/** Read a slurmctld.log, plain or compressed: lines that begin with a date in brackets and tell of the begin
 * of a pass (SlurmctldDebug=debug) or a cycle (DebugFlags=Backfill). All others are passed over.
 *  @param zone of its dates; NULL: UTC  @param origin Unix time of the run's time 0, s
 *  @return 0; HC_EINPUT (it tells of no pass at all, or goes back in time; with the line), HC_EUSAGE (no such
 *  zone), HC_EIO, HC_ENOMEM. Close it in every case. */
hc_rc hc_slurm_moments_read(const hc_allocator *a, const char *path, const char *zone, int64_t origin,
                            hc_slurm_moments *out, hc_error *e);
void hc_slurm_moments_close(hc_slurm_moments *l, const hc_allocator *a);

#endif
