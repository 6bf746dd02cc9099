/* tres.h -- trackable resources (TRES) as Slurm counts them: CPUs, memory, energy, nodes, billing, and what
 * a site adds to them (gres/gpu, license/x, bb/x).
 *
 * A TRES is a small number; the first five are the same everywhere and stand in Slurm's order, which decides
 * what limit is named first where several are exceeded. Units are Slurm's: memory in MiB, all others in
 * pieces. Energy has a number because Slurm gives it one; nothing is ever counted in it.
 * Source: https://slurm.schedmd.com/tres.html. */
#ifndef HC_POLICY_SLURM_TRES_H
#define HC_POLICY_SLURM_TRES_H

#include "base/mem.h"

#define HC_SLURM_TRES_MOST 16u
enum {
  HC_SLURM_CPU,
  HC_SLURM_MEM, /* MiB */
  HC_SLURM_ENERGY,
  HC_SLURM_NODE,
  HC_SLURM_BILLING,
  HC_SLURM_TRES_FIXED
};
#define HC_SLURM_NO_LIMIT INT64_MAX

typedef struct hc_slurm_tres {
  const char *names[HC_SLURM_TRES_MOST]; /* [count] in lower case; those after the fixed ones in the arena */
  uint32_t count;
} hc_slurm_tres;

/* An amount, a limit or a weight of each TRES, by its number. */
typedef struct hc_slurm_amounts {
  int64_t of[HC_SLURM_TRES_MOST];
} hc_slurm_amounts;

/* Where a text stands, for errors. */
typedef struct hc_slurm_place {
  const char *file;
  uint32_t line, column; /* from 1; column 0: not known */
} hc_slurm_place;

/** The five that are everywhere. */
void hc_slurm_tres_init(hc_slurm_tres *t);
/** Number of a TRES by its name, whatever the case. @return HC_MAP_NONE if there is none. Cost: O(count) */
uint32_t hc_slurm_tres_find(const hc_slurm_tres *t, const char *name, size_t n);
/** The same, added if it is new and of a kind that there is: gres/, license/, bb/, fs/. Its name is kept in
 *  `a`. @return 0; HC_ENOTFOUND (no such kind), HC_ELIMIT (more than HC_SLURM_TRES_MOST), HC_ENOMEM. */
hc_rc hc_slurm_tres_add(hc_slurm_tres *t, hc_arena *a, const char *name, size_t n, uint32_t *out);

/** Read "cpu=8,mem=4G,gres/gpu=2" over what is in `out`: -1 is no limit, memory counts MiB or has a suffix
 *  of K, M, G or T, amounts of others may have one too. Empty entries between commas are passed over.
 *  @param key  what the text was given for, for errors. @return 0; HC_EINPUT with place and remedy;
 *  HC_ELIMIT (more than HC_SLURM_TRES_MOST names), HC_ENOMEM. */
hc_rc hc_slurm_tres_read(hc_slurm_tres *t, hc_arena *a, const char *text, const char *key,
                         const hc_slurm_place *at, hc_slurm_amounts *out, hc_error *e);
/** One amount of TRES `id`, or -1 as HC_SLURM_NO_LIMIT. @return false: it is none */
bool hc_slurm_tres_amount(uint32_t id, const char *s, size_t n, int64_t *out);
/** Read "CPU=1.0,Mem=0.25G,GRES/gpu=2.0": weights of a unit. A suffix says of how much the weight is, so
 *  that a MiB of Mem=0.25G weighs 0.25/1024. Those not named weigh 0. @return as hc_slurm_tres_read */
hc_rc hc_slurm_tres_weights(hc_slurm_tres *t, hc_arena *a, const char *text, const char *key,
                            const hc_slurm_place *at, double out[HC_SLURM_TRES_MOST], hc_error *e);

/** What a job is billed: its CPUs if `weights` is NULL (no TRESBillingWeights); else weighted amounts, in
 *  sum, or with `largest` (PriorityFlags=MAX_TRES) the largest of CPUs, memory, nodes and GRES plus the sum
 *  of the others. The TRES billing plays no part. @param weights  [HC_SLURM_TRES_MOST] */
double hc_slurm_billing(const hc_slurm_tres *t, const double *weights, const hc_slurm_amounts *amounts,
                        bool largest);

#endif
