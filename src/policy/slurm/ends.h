/* ends.h -- how much room there will be on some nodes as running jobs end, without a look at each node.
 *
 * Nodes that get room for as many slots more when the same job ends, and that lie in one word of bits, are
 * one gain: slots times the nodes of the word that are asked about; 0 slots where a job leaves no room
 * behind. What there is now is rank 0, and the i-th job, by the order in which they are to end, rank i. Gains
 * are by the shape of a slot, in the first dimension alone: what a job needs beside that makes the sum a
 * bound. They are made as far as they are asked for, and hold until a job starts or ends.
 *
 * Behind each HC_SLURM_BLOCK ranks it is also kept what room each node has by then, in binary: a plane is
 * the set of nodes whose room has a certain digit, so that the room on any nodes is a sum over the planes of
 * how many of them are in it. So for room at a rank one look at the block before and at the lists from there
 * on will do, and when there will be enough is found by halving. Which nodes the jobs of a block are on is
 * kept as well, so that blocks with none of the nodes asked about are passed over.
 *
 * Where all are whole slots, and jobs have but started and ended since, lists and blocks are not made anew:
 * what each node has now in place of before goes to the room behind each block, and each job that has come or
 * gone moves those that end after it by one rank, of which one leaves or enters each block. */
#ifndef HC_POLICY_SLURM_ENDS_H
#define HC_POLICY_SLURM_ENDS_H

#include "policy/slurm/bits.h"
#include "policy/slurm/books.h"

/* Nodes of one word that have room for so many slots more each. */
typedef struct hc_slurm_gain {
  uint32_t word, slots;
  uint64_t nodes;
} hc_slurm_gain;

/* Whose end it is. A job that was requeued may be to end when it was to before, but does not start when it
 * did. */
typedef struct hc_slurm_ender {
  uint64_t serial;
  int64_t start;
} hc_slurm_ender;

/* Lists of them, one after the other. */
typedef struct hc_slurm_gains {
  hc_slurm_gain *items; /* [count] */
  size_t count, cap;
  uint32_t *ends;       /* [known] where the list of each rank ends; that of rank 0 is empty */
  int64_t *times;       /* [known] s: when the job of each rank is to end; rank 0: INT64_MIN */
  hc_slurm_ender *jobs; /* [known] these */
  size_t known, end_cap, time_cap, job_cap;
} hc_slurm_gains;

/* What is kept behind each block of ranks. The last one is under way: as of the last rank that is known. */
typedef struct hc_slurm_blocks {
  uint64_t *planes;  /* [count][words][digits] nodes whose room has it, behind rank i * HC_SLURM_BLOCK */
  uint64_t *touched; /* [count][words] nodes of the jobs of the block that ends there */
  size_t plane_cap, touched_cap;
  uint32_t digits; /* of `most` */
  size_t sought;   /* where there was enough when it was last sought: where it is sought first */
} hc_slurm_blocks;

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
  bool is_plain; /* what is free, and what jobs have, are whole slots, so that room is a sum of these */
  hc_slurm_gains gains;
  hc_slurm_blocks blocks;
  int64_t
      *free; /* [nodes] after the last rank that is known; HC_SLURM_WHOLE: jobs on it; `is_plain`: unused */
  uint64_t version, plain; /* of the books */
} hc_slurm_shape;

enum { HC_SLURM_SHAPES = 8, HC_SLURM_BLOCK = 16 };

typedef struct hc_slurm_ends {
  const hc_slurm_books *books;
  hc_slurm_shape shapes[HC_SLURM_SHAPES];
  size_t shape_count, next;
  uint64_t *planes; /* [plane_cap] room for those of a rank */
  size_t plane_cap;
  hc_slurm_gains fresh; /* the list of one job */
} hc_slurm_ends;

void hc_slurm_ends_init(hc_slurm_ends *e, const hc_slurm_books *b);
void hc_slurm_ends_fini(hc_slurm_ends *e);
/** The shape of what a job asks, valid until the next call.
 *  @param is_exact  out: the job fits on nodes if, and only if, there is room for its slots
 *  @return 0 or HC_ENOMEM */
hc_rc hc_slurm_ends_shape(hc_slurm_ends *e, const hc_slurm_ask *ask, hc_slurm_shape **out, bool *is_exact);
/** How many running jobs are to end by then. Lists are known that far. @return 0 or HC_ENOMEM. Cost: O(log
 *  ranks), and the lists that were not known */
hc_rc hc_slurm_ends_by(hc_slurm_ends *e, hc_slurm_shape *s, int64_t at, size_t *rank);
/** Slots that there is room for on nodes of the mask behind a rank that is known. Cost: O(words x digits) and
 *  half a block of lists */
uint64_t hc_slurm_ends_room(const hc_slurm_ends *e, const hc_slurm_shape *s, size_t rank,
                            const uint64_t *mask);
/** What room each node has behind a rank that is known, as planes: see hc_slurm_room. @param planes  borrowed
 *  until the next call @return 0 or HC_ENOMEM. Cost: O(words x digits) and half a block of lists */
hc_rc hc_slurm_ends_planes(hc_slurm_ends *e, const hc_slurm_shape *s, size_t rank, const uint64_t **planes);
/** The first rank behind which there is room for so many slots on nodes of the mask.
 *  @param most  a rank beyond which it plays no part; at most the number of running jobs
 *  @return 1 with `rank`; 0: there is none; HC_ENOMEM. Cost: O(log ranks) of what room costs at one */
hc_rc hc_slurm_ends_reach(hc_slurm_ends *e, hc_slurm_shape *s, uint64_t slots, const uint64_t *mask,
                          size_t most, size_t *rank);
/** The first rank from `from` on whose job is on nodes of the mask. Rank 0 is no job.
 *  @return 1 with `rank`; 0: there is none; HC_ENOMEM. Cost: O(blocks x words) and a block of lists */
hc_rc hc_slurm_ends_next(hc_slurm_ends *e, hc_slurm_shape *s, const uint64_t *mask, size_t from,
                         size_t *rank);
/** The last rank before `rank`, which is known, whose job is on nodes of the mask; 0: there is none. */
size_t hc_slurm_ends_last(const hc_slurm_ends *e, const hc_slurm_shape *s, const uint64_t *mask, size_t rank);
/** When the job of a rank is to end; HC_NEVER: there are not so many. @return 0 or HC_ENOMEM */
hc_rc hc_slurm_ends_time(hc_slurm_ends *e, hc_slurm_shape *s, size_t rank, int64_t *at);

#endif
