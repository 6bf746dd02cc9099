/* kinds.h -- what jobs of one kind have found in a cycle of the backfill, so that the next of them need not
 * look there again.
 *
 * Jobs of a kind may run on the same nodes, for as long, and ask as many slots of the same shape. While a
 * cycle goes on plans only come and nodes only fill, so that where one of them found too little room the
 * next one finds no more, nor does one that asks for more slots or for longer: until a job starts, which
 * moves the ends that room is sought at. Notes are kept in the order of time, and each job writes them anew
 * while it reads those of the one before, or of the kind next to its own. */
#ifndef HC_POLICY_SLURM_KINDS_H
#define HC_POLICY_SLURM_KINDS_H

#include "base/mem.h"

/* Sought from `from` on, or later but before `until`, there is no room for it before `reach`. All s. */
typedef struct hc_slurm_note {
  int64_t from, until, reach;
} hc_slurm_note;

typedef struct hc_slurm_notes {
  hc_slurm_note *items; /* [count] ascending by `from` */
  size_t count, cap;
} hc_slurm_notes;

typedef struct hc_slurm_kind {
  uint32_t partition, slots;
  int64_t limit, need;
  uint64_t shape; /* of a slot: hc_slurm_shape_kind */
  uint64_t cycle; /* in which it was noted */
  hc_slurm_notes read, written;
  size_t at; /* which of `read` */
} hc_slurm_kind;

enum { HC_SLURM_KINDS = 256 };

typedef struct hc_slurm_kinds {
  hc_slurm_kind *kinds;              /* [HC_SLURM_KINDS] by their keys; one takes the place of another */
  uint32_t of_cycle[HC_SLURM_KINDS]; /* [count] which of them have notes of this cycle */
  size_t count;
  uint64_t cycle; /* counts cycles, and starts within them */
} hc_slurm_kinds;

hc_rc hc_slurm_kinds_init(hc_slurm_kinds *k, const hc_allocator *a);
void hc_slurm_kinds_fini(hc_slurm_kinds *k, const hc_allocator *a);
/** Forget all notes. */
void hc_slurm_kinds_clear(hc_slurm_kinds *k);
/** A job is tried. @param key  says the first five members of its kind  @param out  the kind
 *  @return 0 or HC_ENOMEM. Cost: O(kinds of the cycle) for the first of its kind */
hc_rc hc_slurm_kinds_begin(hc_slurm_kinds *k, const hc_allocator *a, const hc_slurm_kind *key,
                           hc_slurm_kind **out);
/** The note that holds for a search from `from` on, which is not before that of the last call; NULL: none. */
const hc_slurm_note *hc_slurm_kind_read(hc_slurm_kind *k, int64_t from);
/** Note something for the next of the kind. @return 0 or HC_ENOMEM */
hc_rc hc_slurm_kind_write(hc_slurm_kind *k, const hc_allocator *a, const hc_slurm_note *note);

#endif
