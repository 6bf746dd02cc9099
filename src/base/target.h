/* target.h -- a file for what does not fit into memory while an output is written. */
#ifndef HC_BASE_TARGET_H
#define HC_BASE_TARGET_H

#include "hindcast/base.h"

/** Open a file that has no name, in the folder of the output that is being written: it is on a device
 *  with room for as much, and no way of ending leaves it behind.
 *  @param beside  the output, or a folder and a slash
 *  @param fd out: for reading and writing; to be closed
 *  @return 0, HC_ENOMEM, HC_EIO (errno says why). */
hc_rc hc_scratch_open(const hc_allocator *a, const char *beside, int *fd);

#endif
