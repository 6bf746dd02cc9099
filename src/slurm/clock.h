/* clock.h -- the clock of a private cluster: this machine's, so many times as fast, and ahead of it by what
 * it was moved.
 *
 * How far it is ahead stands in a file in libfaketime's words, which slurmctld under libfaketime reads each
 * time that it asks for the time, the virtual nodes a hundred times a second, and the replayer, which alone
 * moves it, not at all. Since all count from the machine's steady clock, they agree. */
#ifndef HC_SLURM_CLOCK_H
#define HC_SLURM_CLOCK_H

#include "base/mem.h"

typedef struct hc_clock {
  double speed;
  hc_time ahead;
  const char *path; /* NULL: it is never moved */
} hc_clock;

hc_time hc_clock_now(const hc_clock *c);
/** How long a span of it takes on this machine; HC_NEVER stays. */
hc_time hc_clock_real(const hc_clock *c, hc_time span);
/** Look how far it is ahead now. A file that cannot be read changes nothing. */
void hc_clock_read(hc_clock *c);
/** Move it. The file changes at once and as a whole. @return 0 or HC_EIO */
hc_rc hc_clock_move(hc_clock *c, hc_time by, hc_error *e);
/** When something is to happen next, as the nodes say it in a file beside the clock (HC_NEVER: nothing). */
hc_rc hc_clock_tell(const char *path, hc_time next);
/** @return false: it is not said */
bool hc_clock_told(const char *path, hc_time *next);

#endif
