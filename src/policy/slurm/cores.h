/* cores.h -- which cores of its nodes each job has, where jobs may have the same ones. See cores.c. */
#ifndef HC_POLICY_SLURM_CORES_H
#define HC_POLICY_SLURM_CORES_H

#include "policy/slurm/books.h"

/** Capacities are known: make room. @return 0 or HC_ENOMEM */
hc_rc hc_slurm_cores_open(hc_slurm_books *b);
void hc_slurm_cores_fini(hc_slurm_books *b);
/** Cores of a node; is a job on it, and which of its own nodes is that? @return NULL: it is not */
uint32_t hc_slurm_cores_of(const hc_slurm_books *b, uint32_t host);
const uint64_t *hc_slurm_cores_on(const hc_slurm_books *b, const hc_slurm_busy *x, uint32_t host);
/** Have two jobs a core in common? */
bool hc_slurm_cores_meet(const hc_slurm_books *b, const hc_slurm_busy *x, const hc_slurm_busy *y);
/** Is that all that the job has? */
bool hc_slurm_cores_are_all(const hc_slurm_books *b, const hc_slurm_busy *x, const hc_holding *held,
                            size_t n);
/** A job gets (sign 1), or gives back (-1), a part of what it has. @return 0 or HC_ENOMEM */
hc_rc hc_slurm_cores_move(hc_slurm_books *b, hc_slurm_busy *x, const hc_holding *held, size_t n,
                          int64_t sign);
/** Count anew what is free on the nodes of a job; NULL: on all. Cost: O(nodes of running jobs) */
void hc_slurm_cores_settle(hc_slurm_books *b, const hc_slurm_busy *x);

#endif
