/* advance_list.h -- which advance reservations a run has: those of the run file, and those of tables that it
 * names. See advance_list.c. */
#ifndef HC_ENGINE_ADVANCE_LIST_H
#define HC_ENGINE_ADVANCE_LIST_H

#include "cluster/record.h"
#include "engine/state.h"
#include "reserve/advance.h"

/* One, and where it stands, for messages. */
typedef struct hc_advance_item {
  hc_reservation_options o;
  const char *where;  /* "reservation 2 (course)", "course.csv, line 4" */
  const hc_range *on; /* [on_count] hosts of announced downtime, which names none; NULL: as `o` says */
  size_t on_count;
  uint32_t source; /* of the events that it is of, from 1; 0: it is an advance reservation */
  hc_advance_kind kind;
  const int64_t *capacity; /* RESIZE: as in hc_host_event */
} hc_advance_item;

/** Read and check them, each by itself. @param out [count], of the run's build arena
 *  @return 0, HC_EUSAGE, HC_EINPUT (of a table, with line and column), HC_EIO, HC_ELIMIT, HC_ENOMEM */
hc_rc hc_advance_list(hc_engine *e, hc_advance_item **out, size_t *count, hc_error *error);

#endif
