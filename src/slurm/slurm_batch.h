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

/** @param c  a cluster that is up; borrowed. If its clock jumps, it is moved ahead to the next event once
 *  nothing has happened for so long as `settle`, ns of its clock. @return 0 or HC_ENOMEM */
hc_rc hc_slurm_batch_new(const hc_allocator *a, const hc_cluster *c, hc_time settle, hc_slurm_batch **out,
                         hc_error *e);
/** One that is not ours, as the environment names it, by the way of pseudo-cluster: its clock is the
 *  machine's, so that run times, limits and intervals are divided by `compress`, limits to whole minutes,
 *  and times are mapped back. Jobs carry out a sleep. Who calls has asked the user. Records are those of
 *  `scontrol show job`, which forgets a job some minutes (MinJobAge) after its end. */
hc_rc hc_slurm_batch_existing(const hc_allocator *a, double compress, hc_slurm_batch **out, hc_error *e);
/** A limit divided so; 0 stays 0. */
int64_t hc_compressed_minutes(int64_t minutes, double compress);
/** A line of `scontrol --oneliner show job`. @param line  cut up @return false: it is none, or has not
 *  ended */
bool hc_scontrol_read(char *line, hc_batch_record *out);
hc_batch *hc_slurm_batch_of(hc_slurm_batch *b);
void hc_slurm_batch_free(hc_slurm_batch *b); /* NULL is fine */

/** A line of jobcomp/filetxt. @param line  cut up @return false: it is none */
bool hc_jobcomp_read(char *line, hc_batch_record *out);

#endif
