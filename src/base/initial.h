/* initial.h -- a file of what runs at the beginning, in the format of Google's cluster simulator.
 *
 * Fields between spaces: "11 time job prod class tasks cpus bytes" is a job that runs (cpus and bytes of all
 * its tasks together), "12 time job prod class unused" its end. Two rooms read it: the closed world of the
 * original, and the workload. */
#ifndef HC_BASE_INITIAL_H
#define HC_BASE_INITIAL_H

#include "base/mem.h"

typedef struct hc_initial {
  double end;          /* s; infinity: no line says so */
  double cpus, memory; /* of a task; GB */
  uint32_t tasks;
  bool is_service; /* prod 1, and class neither 0 nor 1 */
} hc_initial;

/** Each job of such a file, in the order of the "11" lines.
 *  @param time_unit s  @param where for errors: "source cell_state"  @param jobs out: the caller's to free,
 *  [cap]
 *  @return 0, HC_EUSAGE (no path), HC_EIO, HC_EINPUT, HC_ENOMEM */
hc_rc hc_initial_file(const hc_allocator *a, const char *path, double time_unit, const char *where,
                      hc_initial **jobs, size_t *count, size_t *cap, hc_error *e);

#endif
