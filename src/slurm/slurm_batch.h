/* slurm_batch.h -- Slurm as a batch system for the replayer, by its programs.
 *
 * Programs, not libslurm: sbatch, scancel and the file that jobcomp/filetxt writes are the same from
 * release to release and for a Slurm that is not ours, while libslurm's structures change with each and
 * would need its headers to build. It costs some milliseconds a job where the library takes one or two; the
 * replayer counts how late each submission was. */
#ifndef HC_SLURM_SLURM_BATCH_H
#define HC_SLURM_SLURM_BATCH_H

#include "slurm/batch.h"
#include "slurm/cluster.h"

typedef struct hc_slurm_batch hc_slurm_batch;

/** @param c  a cluster that is up; borrowed @return 0 or HC_ENOMEM */
hc_rc hc_slurm_batch_new(const hc_allocator *a, const hc_cluster *c, hc_slurm_batch **out, hc_error *e);
hc_batch *hc_slurm_batch_of(hc_slurm_batch *b);
void hc_slurm_batch_free(hc_slurm_batch *b); /* NULL is fine */

/** A line of jobcomp/filetxt. @param line  cut up @return false: it is none */
bool hc_jobcomp_read(char *line, hc_batch_record *out);

#endif
