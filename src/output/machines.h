/* machines.h -- which machines each task had, for exporters that list them or count those that compute.
 *
 * A machine is a processor where processors have names (`cell.granularity: intervals`), and a host on a
 * cell of hosts. Where processors are only counted no task has any by number. Of a task that was resized
 * these are the machines that it had at its end; pieces.h says what it had before. Memory: 24 bytes a
 * range. */
#ifndef HC_OUTPUT_MACHINES_H
#define HC_OUTPUT_MACHINES_H

#include "output/emit.h"

typedef struct hc_machine_range {
  int64_t serial, first, count;
} hc_machine_range;

typedef struct hc_machines {
  const hc_allocator *allocator;
  hc_emit *emit;
  hc_machine_range *ranges; /* [count] by serial, then first; those of one task do not touch */
  size_t count, cap;
  bool are_hosts;
} hc_machines;

/** @param m  borrowed for the call; its error is filled
 *  @return 0, HC_EIO, HC_EINPUT (a damaged file), HC_ENOMEM; hc_machines_fini is called in either case */
hc_rc hc_machines_read(hc_machines *x, hc_emit *m, const hc_allocator *a, hc_result *r);
void hc_machines_fini(hc_machines *x);
/** @param n  out: how many ranges, ascending. @return the first of them; borrowed. O(log ranges) */
const hc_machine_range *hc_machines_of(const hc_machines *x, int64_t serial, size_t *n);

#endif
