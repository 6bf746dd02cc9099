/* slurm_sinfo.h -- what `sinfo` printed of a cluster, as lines of a slurm.conf. See slurm_sinfo.c. */
#ifndef HC_CLUSTER_SLURM_SINFO_H
#define HC_CLUSTER_SLURM_SINFO_H

#include "base/slurm_conf.h"

/** Read a table of sinfo into an open configuration: hc_conf_close in every case.
 *  @return 1; 0: it is no such table, and `out` is empty; HC_EINPUT with the place, HC_EIO, HC_ENOMEM.
 *  Cost: about 1 us a row. */
hc_rc hc_sinfo_read(const hc_allocator *a, const char *path, hc_conf *out, hc_error *e);

#endif
