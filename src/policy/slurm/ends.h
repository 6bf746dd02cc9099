/* ends.h -- how much room there will be on some nodes as running jobs end, without a look at each node.
 *
 * Nodes that get room for as many slots more when the same job ends, and that lie in one word of bits, are
 * one gain: slots times the nodes of the word that are asked about; 0 slots where a job leaves no room
 * behind. What there is now is the list of rank 0, and that of the i-th job, by the order in which they are
 * to end, that of rank i. Gains are by the shape of a slot, in the first dimension alone: what a job needs
 * beside that makes the sum a bound. They are made as far as they are asked for, and hold until a job
 * starts or ends. */
#ifndef HC_POLICY_SLURM_ENDS_H
#define HC_POLICY_SLURM_ENDS_H

#include "policy/slurm/bits.h"
#include "policy/slurm/books.h"

/* Nodes of one word that have room for so many slots more each. */
typedef struct hc_slurm_gain {
  uint32_t word, slots;
  uint64_t nodes;
} hc_slurm_gain;

/* Lists of them, one after the other. */
typedef struct hc_slurm_gains {
  hc_slurm_gain *items; /* [count] */
  size_t count, cap;
  uint32_t *ends; /* [known] where the list of each rank ends */
  size_t known, end_cap;
} hc_slurm_gains;

typedef enum hc_slurm_shape_kind {
  HC_SLURM_NOTHING, /* there is no saying */
  HC_SLURM_SLOTS,   /* as many slots of `need` as there is room for */
  HC_SLURM_SPREAD,  /* one, if there is room for it */
  HC_SLURM_WHOLE    /* one, if nothing is on the node */
} hc_slurm_shape_kind;

/* What counts as room. */
typedef struct hc_slurm_shape {
  hc_slurm_shape_kind kind;
  uint32_t most; /* slots that any node has room for */
  int64_t need;  /* of the first dimension; HC_SLURM_WHOLE: 0 */
  hc_slurm_gains gains;
  int64_t *free;    /* [nodes] after the last rank that is known; HC_SLURM_WHOLE: jobs on it */
  uint64_t version; /* of the books */
} hc_slurm_shape;

enum { HC_SLURM_SHAPES = 8 };

typedef struct hc_slurm_ends {
  const hc_slurm_books *books;
  hc_slurm_shape shapes[HC_SLURM_SHAPES];
  size_t shape_count, next;
} hc_slurm_ends;

void hc_slurm_ends_init(hc_slurm_ends *e, const hc_slurm_books *b);
void hc_slurm_ends_fini(hc_slurm_ends *e);
/** The shape of what a job asks, valid until the next call.
 *  @param is_exact  out: the job fits on nodes if, and only if, there is room for its slots
 *  @return 0 or HC_ENOMEM */
hc_rc hc_slurm_ends_shape(hc_slurm_ends *e, const hc_slurm_ask *ask, hc_slurm_shape **out, bool *is_exact);
/** Make lists known up to a rank that is not. @return 0 or HC_ENOMEM. Cost: O(nodes of the jobs) */
hc_rc hc_slurm_ends_reach(hc_slurm_ends *e, hc_slurm_shape *s, size_t rank);
/** Add the slots that there is room for, or more room, on nodes of the mask, of a rank that is known.
 *  @return is the job on any of them? Cost: O(gains of the rank) */
static inline bool hc_slurm_ends_gain(const hc_slurm_shape *s, size_t rank, const uint64_t *mask,
                                      uint64_t *slots)
{
  const hc_slurm_gains *g = &s->gains;
  const hc_slurm_gain *x = g->items + (rank > 0 ? g->ends[rank - 1] : 0), *end = g->items + g->ends[rank];
  bool is_on = false;
  for (; x < end; x++) {
    const uint64_t bits = x->nodes & mask[x->word];
    if (bits == 0) continue;
    if (x->slots > 0) *slots += (uint64_t)x->slots * hc_bits_of(bits);
    is_on = true;
  }
  return is_on;
}

#endif
