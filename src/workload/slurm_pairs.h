/* slurm_pairs.h -- lines of KEY=value as Slurm prints them of jobs: jobcomp/filetxt, scontrol show job.
 *
 * Keys come in any order, and versions have more or fewer of them. A value goes up to the next key; one of a
 * text that users choose (a name, a directory) goes up to the next key that is known, since it may hold what
 * looks like one. */
#ifndef HC_WORKLOAD_SLURM_PAIRS_H
#define HC_WORKLOAD_SLURM_PAIRS_H

#include "workload/slurm_row.h"

typedef enum hc_slurm_pair_kind {
  HC_SLURM_PAIR,       /* of a column */
  HC_SLURM_PAIR_TEXT,  /* of a column, or none (HC_SLURM_COLUMN_COUNT), that users choose */
  HC_SLURM_PAIR_USER,  /* "ann(1001)" */
  HC_SLURM_PAIR_GROUP, /* the same of a group */
  HC_SLURM_PAIR_NODES, /* a list of nodes, or "(null)" */
  HC_SLURM_PAIR_OTHER  /* told to `other` */
} hc_slurm_pair_kind;

typedef struct hc_slurm_key {
  const char *key;
  uint8_t kind, column; /* hc_slurm_pair_kind; column, or a number of the reader's own for OTHER */
} hc_slurm_key;

/** Put the values of a line into cells that were begun.
 *  @param keys  [count]  @param to_end  a text goes up to the end of its line   @param other  told of each
 *  key of the kind OTHER */
void hc_slurm_pairs_cut(hc_slurm_cells *c, const hc_slurm_key *keys, size_t count, bool to_end,
                        const char *line, size_t size,
                        void (*other)(void *ctx, uint8_t number, hc_slice value), void *ctx);

#endif
