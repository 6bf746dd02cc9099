/* extsort.h -- a trace of any length sorted by time of submission, in bounded memory. */
#ifndef HC_WORKLOAD_EXTSORT_H
#define HC_WORKLOAD_EXTSORT_H

#include "hindcast/workload.h"

/** Sort a trace in the Standard Workload Format by (submit, id), stably.
 *  Comments, empty lines and a title line come first, in their order; then rows without a readable time of
 *  submission;
 *  then the others. Lines stay as they are, byte for byte, but end in a newline alone.
 *  @param in            path, packed or not; "-": standard input
 *  @param out           path, written plain under a temporary name beside it and renamed when whole;
 *                       "-": standard output
 *  @param memory_bytes  what may be held at once, roughly; at least 1 MiB is taken, and one line always fits
 *  @return 0, HC_EIO, HC_EINPUT (see hc_input_line), HC_ENOMEM. On failure nothing is left behind.
 *  Cost: reads and writes each line once if it all fits, else once more for each power of (memory / 64 KiB)
 *  runs. */
hc_rc hc_trace_sort(const hc_allocator *a, const char *in, const char *out, size_t memory_bytes, hc_error *e);

#endif
