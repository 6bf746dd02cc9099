/* shares.h -- jobs that have the same cores at the same time: OverSubscribe=FORCE and YES without the gang
 * scheduler. See shares.c. */
#ifndef HC_POLICY_SLURM_SHARES_H
#define HC_POLICY_SLURM_SHARES_H

#include "policy/slurm/books.h"

/** How many jobs may have a core of each node. @param conf  NULL: none
 *  @param times  out: [cell->units], which are 1 when it is called
 *  @return 1: more than one on some node; 0; HC_EINPUT with its place, HC_ENOMEM */
hc_rc hc_slurm_shares_of(const hc_conf *conf, const hc_cell_spec *cell, const hc_allocator *a,
                         uint32_t *times, hc_error *e);
/** The books know of it. Once partitions are read. @return 0 or HC_ENOMEM */
hc_rc hc_slurm_shares_init(hc_slurm_books *b, const hc_conf *conf, const hc_cell_spec *cell, hc_error *e);
void hc_slurm_shares_fini(hc_slurm_books *b);
/** What a node has of its amount, which the cell promises. */
static inline int64_t hc_slurm_shares_has(const hc_slurm_books *b, uint32_t host, uint32_t d,
                                          int64_t promised)
{
  return b->times && d == 0 ? promised / b->times[host] : promised;
}

#endif
