/* desk_parts.h -- the hosts of each scheduler, where each has some of its own and no other uses them.
 *
 * `hosts` of each scheduler says which; if nobody has it, each gets as many as the others, one behind the other. */
#ifndef HC_ARCHITECTURE_DESK_PARTS_H
#define HC_ARCHITECTURE_DESK_PARTS_H

#include "architecture/desks.h"

/* The hosts of one scheduler of the list. */
typedef struct hc_desk_part {
  hc_range *ranges;
  size_t count;
} hc_desk_part;

/* Which of the list a desk is of. */
uint32_t hc_desk_kind(const hc_desks *d, uint32_t desk);
/* Read who has which. @param out [kind_count], of the desks' own memory. @return 0, HC_EUSAGE (not within the cell, somebody
 * has none, two have the same), HC_EUNSUPPORTED (fewer hosts than schedulers), HC_ENOMEM */
hc_rc hc_desk_parts(hc_desks *d, hc_desk_part **out, hc_error *e);
/** A signal: who has thought decides, on its own hosts as they are now, so that nothing is ever refused. */
hc_rc hc_desk_parts_hear(hc_desks *d, const hc_desk_part *parts, const hc_signal *sig, hc_error *e);
/** The end of an instant: who has work and is idle begins to think. */
hc_rc hc_desk_parts_begin(hc_desks *d);

#endif
