/* later.h -- what will be free once running jobs have ended: nodes as they are, without the first of them.
 *
 * States are kept by how many jobs are taken away, since jobs that are tried one after the other often find
 * room behind the same end. They hold until a job starts or ends. */
#ifndef HC_POLICY_SLURM_LATER_H
#define HC_POLICY_SLURM_LATER_H

#include "policy/slurm/books.h"

typedef struct hc_slurm_later_state {
  uint64_t
      *others;    /* [words] bits of nodes of jobs that are taken away: of them alone `free` and `on` hold */
  int64_t *free;  /* [nodes * dims] */
  uint32_t *on;   /* [nodes] */
  uint64_t *idle; /* [words] */
  uint64_t *some; /* [words] */
  int64_t sum;    /* of the first dimension */
  size_t rank;    /* so many of `by_end` are taken away */
  uint64_t used;  /* when it was last asked for */
} hc_slurm_later_state;

enum { HC_SLURM_LATER_STATES = 24 };

typedef struct hc_slurm_later {
  hc_slurm_later_state states[HC_SLURM_LATER_STATES]; /* [count] hold; those behind may have room already */
  size_t count;
  uint64_t version; /* of the books */
  uint64_t asked;
} hc_slurm_later;

void hc_slurm_later_fini(hc_slurm_later *l, const hc_slurm_books *b);
/* A state of one's own, zero at first: nodes as they are, then without one running job after the other. */
hc_rc hc_slurm_later_begin(hc_slurm_later_state *s, const hc_slurm_books *b);
void hc_slurm_later_take(hc_slurm_later_state *s, const hc_slurm_books *b, const hc_slurm_busy *x);
hc_slurm_room hc_slurm_later_room(const hc_slurm_later_state *s, const hc_slurm_books *b);
void hc_slurm_later_free(hc_slurm_later_state *s, const hc_slurm_books *b);
/** Nodes without the first `rank` running jobs, by the order of their ends. @param out  borrowed until the
 *  next call @return 0 or HC_ENOMEM. Cost: O(1) if they are kept; else O(nodes of the jobs that are taken
 *  away) */
hc_rc hc_slurm_later_at(hc_slurm_later *l, const hc_slurm_books *b, size_t rank, hc_slurm_room *out);

#endif
