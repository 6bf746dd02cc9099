/* slurm_resv_table.h -- what slurmdbd's reservations are called: its table of jobs has their numbers alone.
 *
 * CLUSTER_resv_table has a row for each time that a reservation lasted, with id_resv and resv_name; it is
 * read as mysqldump or a client writes it out. Numbers are those of a cluster. */
#ifndef HC_WORKLOAD_SLURM_RESV_TABLE_H
#define HC_WORKLOAD_SLURM_RESV_TABLE_H

#include "base/sums.h"
#include "cluster/lexicon.h"
#include "workload/slurm_text.h"

typedef struct hc_slurm_resv_table {
  hc_map names; /* cluster and number -> a name of the lexicon */
  bool is_read;
} hc_slurm_resv_table;

void hc_slurm_resv_table_init(hc_slurm_resv_table *t, const hc_allocator *a);
void hc_slurm_resv_table_fini(hc_slurm_resv_table *t);
/** Read the names that a dump, or a table with titles, has; other tables of a dump are passed over.
 *  @param sums  the file's; NULL: it is noted elsewhere  @param needed  it is to have the table
 *  @return 0; HC_EINPUT with the place: there are no such columns, or none of the table is in it;
 *          HC_EIO, HC_ENOMEM. Cost: that of reading the file's lines. */
hc_rc hc_slurm_resv_table_read(hc_slurm_resv_table *t, hc_lexicon *l, const char *path, hc_sums *sums,
                               bool needed, hc_error *e);
/** What a reservation of a cluster is called. @param cluster  "": that is not known, as of a table
 *  @return HC_NO_NAME: that is not known */
uint32_t hc_slurm_resv_table_name(const hc_slurm_resv_table *t, hc_slice cluster, int64_t number);

#endif
