/* watts.h -- what each host draws, by the models of power that a run has chosen. See watts.c. */
#ifndef HC_CLUSTER_WATTS_H
#define HC_CLUSTER_WATTS_H

#include "base/mem.h"
#include "hindcast/cell.h"

/* Of a part of a host. */
typedef struct hc_part_watts {
  const hc_power_type *type; /* NULL: no entry says what it draws */
  const void *options;
  hc_power_levels levels;
  double count; /* of them: GPUs; 1 */
  const hc_power_levels *states; /* [state_count] into which plans may put it */
  const double *speeds;          /* [state_count] */
  uint32_t state_count;
} hc_part_watts;
/* Of one class of hosts; where a cell only counts, of its processors. */
typedef struct hc_class_watts {
  hc_part_watts parts[HC_POWER_PARTS];
} hc_class_watts;

typedef struct hc_watts {
  const hc_cell_spec *cell;
  hc_class_watts *classes; /* [class_count], or [1] */
} hc_watts;

/** What the entries (hc_chosen of HC_KIND_POWER) say of a cell's classes.
 *  @param room memory for as many classes as the cell has, at least one
 *  @return 0; HC_EUSAGE, HC_EINPUT: which entry, and why */
hc_rc hc_watts_init(hc_watts *w, const hc_list *chosen, const hc_cell_spec *cell, const hc_lexicon *lexicon,
                    hc_class_watts *room, hc_error *e);
/** The states of power into which plans may put hosts, in memory of `arena`. After hc_watts_init.
 *  @return 0; HC_EUSAGE: which, and why; HC_ENOMEM */
hc_rc hc_watts_states(hc_watts *w, const hc_lexicon *lexicon, hc_arena *arena, hc_error *e);
/** W of a host, or of a processor of a cell that counts, in a state and, where it is on, at loads
 *  [HC_POWER_PARTS], 0 to 1. @param code  an hc_power_state, or hc_power_at a state of power */
double hc_watts_of(const hc_watts *w, uint32_t host, uint32_t code, const double *loads);
/** The cores of a host: they have the states of power. */
const hc_part_watts *hc_watts_cores(const hc_watts *w, uint32_t host);

#endif
