/* offer.h -- what an offer holds, and how the cell looks to the scheduler that gets it.
 *
 * The original copies the cell and locks what is free machine by machine: O(machines) an offer, and once more
 * when it comes back. `each` does the same. `together` gives the same result without looking at the machines,
 * as long as adding and taking away again leaves no rounding behind:
 *
 *   - While no offer of the whole is out, the next takes everything that is free: it is one number. Tasks are
 *     placed on the cell without what was freed since.
 *   - While one is out, all that is free is what was freed since: a list, the loose machines. The next offer
 *     takes that. It is placed on a second cell, full but for those machines.
 *   - What a list gives back while an offer of the whole is out is loose again.
 *
 * Which of the two is used is decided when the world is made: together, if every amount is a multiple of
 * 2^-20 and not too large (so that sums are exact), or if the original's rounding is not asked for. */
#ifndef HC_OMEGA_OFFER_H
#define HC_OMEGA_OFFER_H

#include "omega/cell.h"

typedef struct hc_omega_part {
  hc_omega_amounts free;
  uint32_t machine;
} hc_omega_part;

/* What one offer holds. */
typedef struct hc_omega_hold {
  bool is_whole;           /* together: everything that was free */
  hc_omega_amounts amount; /* in all */
  hc_omega_part *parts;    /* [count] else */
  size_t count, cap;
  hc_omega_cell copy; /* each: the cell as it was */
  bool has_copy;
} hc_omega_hold;

/* What all offers of a world share. */
typedef struct hc_omega_holds {
  bool together, whole_is_out;
  hc_omega_amounts *loose; /* [machines] freed since the whole was offered */
  uint32_t *listed;        /* [listed_count] machines that may be loose */
  size_t listed_count, listed_cap;
  uint8_t *is_listed; /* [machines] */
  hc_omega_cell corner;
} hc_omega_holds;

/** @return 0 or HC_ENOMEM */
hc_rc hc_omega_holds_init(hc_omega_holds *h, const hc_omega_cell *c, bool together);
void hc_omega_holds_fini(hc_omega_holds *h, const hc_omega_cell *c);
void hc_omega_hold_fini(hc_omega_hold *x, const hc_allocator *a);

/** Lock everything that is free. @return 0 or HC_ENOMEM */
hc_rc hc_omega_hold_take(hc_omega_holds *h, hc_omega_hold *x, hc_omega_cell *c);
/** Unlock it. */
hc_rc hc_omega_hold_release(hc_omega_holds *h, hc_omega_hold *x, hc_omega_cell *c);
/** The cell on which tasks of the offer are placed, until hc_omega_hold_close. */
hc_rc hc_omega_hold_open(hc_omega_holds *h, hc_omega_hold *x, hc_omega_cell *c, hc_omega_cell **view);
void hc_omega_hold_close(hc_omega_holds *h, hc_omega_hold *x, hc_omega_cell *c);
/** A task's amounts were freed on a machine of the live cell, or taken (negative). @return 0 or HC_ENOMEM */
hc_rc hc_omega_holds_freed(hc_omega_holds *h, const hc_omega_cell *c, uint32_t m, hc_omega_amounts freed);

#endif
