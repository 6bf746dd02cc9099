/* space.h -- the table of Slurm's backfill: which nodes no planned job has, from when until when.
 *
 * Stretches of time follow each other without a gap, each with the nodes that are free of plans all through
 * it. Running jobs are not in it: they are looked at when a job is tried. Of each stretch and the next it is
 * known in which word they differ, so that a plan looks at the words of its own nodes only. */
#ifndef HC_POLICY_SLURM_SPACE_H
#define HC_POLICY_SLURM_SPACE_H

#include "base/mem.h"

/* Words [first, end); none if both are 0. */
typedef struct hc_slurm_words {
  uint32_t first, end;
} hc_slurm_words;

typedef struct hc_slurm_stretch {
  int64_t begin, end; /* s */
  uint64_t *nodes;    /* [words] bits of those that are free */
  uint64_t *tail;     /* [words] of those that are free from then on to the end of the table */
  /* in which words the next offers nodes more, and nodes less; it does in the first and the last of them */
  hc_slurm_words more, less;
} hc_slurm_stretch;

typedef struct hc_slurm_space {
  const hc_allocator *allocator;
  uint32_t words;
  hc_slurm_stretch *stretches; /* [count] ascending */
  size_t count, cap;           /* each below `cap` may have bits of its own */
} hc_slurm_space;

/** From the first word with a bit to the last one. */
hc_slurm_words hc_slurm_words_of(const uint64_t *nodes, uint32_t words);

void hc_slurm_space_init(hc_slurm_space *s, const hc_allocator *a, uint32_t words);
void hc_slurm_space_fini(hc_slurm_space *s);
/** Begin anew: one stretch in which the nodes of `all` are free. @return 0 or HC_ENOMEM */
hc_rc hc_slurm_space_clear(hc_slurm_space *s, int64_t begin, int64_t end, const uint64_t *all);
/** Of `nodes`, leave those that are free all through the stretches from `from` to `to`, whose ends count.
 *  @return when to ask again: the end of the first stretch that ends after `from` and is followed by one
 *  that offers a node more; 0: there is none */
int64_t hc_slurm_space_mask(const hc_slurm_space *s, int64_t from, int64_t to, uint64_t *nodes);
/** The same, without that answer. Cost: O(words), and words in which one stretch has less than the next. */
void hc_slurm_space_meet(const hc_slurm_space *s, int64_t from, int64_t to, uint64_t *nodes);
/** Ask again and again, from `from` on for a length: until when it is known that asking is in vain before
 *  `until`, if what is told then is before `reach`.
 *  @param again  out: what was told in the end; 0: never  @return the last time that was told before that;
 *  `from`: none was. Cost: O(stretches) */
int64_t hc_slurm_space_skip(const hc_slurm_space *s, int64_t from, int64_t length, int64_t until,
                            int64_t reach, int64_t *again);
/** The same, for a job that needs `least` nodes at least.
 *  @param nodes  [words] out: those of `may` that are free; if they suffice
 *  @param again  out: as above, but for times at which they will not suffice either
 *  @return do they suffice? Cost: O(words + stretches), and the words in which one stretch has less than the
 *  next; where they do not suffice O(words x stretches) */
bool hc_slurm_space_window(const hc_slurm_space *s, int64_t from, int64_t to, const uint64_t *may,
                           uint32_t least, uint64_t *nodes, int64_t *again);
/** What windows offer at most that follow each other: the first from `from` on for a length, the next from
 *  when it is told to ask again, and so on.
 *  @param nodes  [words] out: those of `may` that are free in all the time that the windows have in common
 *  @param until  out: when to ask again behind the last
 *  @return how many there are, up to `most`, of those that are followed by one and have time in common; 0:
 *  nothing is told. Cost: as that of one */
size_t hc_slurm_space_windows(const hc_slurm_space *s, int64_t from, int64_t length, const uint64_t *may,
                              size_t most, uint64_t *nodes, int64_t *until);
/** Until when what a job finds that is sought from `from` on for a length is found from later on as well, if
 *  nothing is planned: the window begins in the same stretch, and ends in the same. */
int64_t hc_slurm_space_holds(const hc_slurm_space *s, int64_t from, int64_t length);
/** Are there so many nodes? */
bool hc_slurm_space_enough(const hc_slurm_space *s, const uint64_t *nodes, uint32_t least);
/** Are all of `nodes` free from `from` to `to`? */
bool hc_slurm_space_has(const hc_slurm_space *s, int64_t from, int64_t to, const uint64_t *nodes);
/** Plan `nodes` from `from` to `to`; what lies outside of the table is passed over.
 *  @return 0 or HC_ENOMEM. Cost: O(words + stretches x words from the first to the last of the nodes) */
hc_rc hc_slurm_space_take(hc_slurm_space *s, int64_t from, int64_t to, const uint64_t *nodes);

#endif
