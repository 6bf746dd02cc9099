/* advance_state.h -- what a run knows of its advance reservations: of advance.c, and advance_events.c, which
 * changes it as time goes by. */
#ifndef HC_ENGINE_ADVANCE_STATE_H
#define HC_ENGINE_ADVANCE_STATE_H

#include "engine/advance.h"
#include "engine/advance_list.h"

/* A user or an account that came and is of a reservation's. */
typedef struct hc_advance_member {
  uint32_t reservation;
  uint32_t is_account;
  int64_t id;
} hc_advance_member;

struct hc_advances {
  hc_advance plan;
  hc_advance_item *items; /* [item_count] */
  size_t item_count;
  hc_reserved *reserved; /* [windows] */
  uint32_t *notices;     /* [windows] places of windows, in the order in which they are announced */
  hc_task task;          /* that a choice is about */
  hc_time at, length;
  /* state */
  hc_advance_member *members;
  size_t member_count, member_cap;
  uint64_t begun, ended; /* windows; ended: in the order of ends */
  uint64_t announced;    /* of `notices` */
  uint64_t overruns;
};

static inline const hc_reservation_options *hc_advance_item_of(const hc_advances *x, uint32_t reservation)
{
  return &x->items[reservation].o;
}

/** Is a task of a reservation's users? */
bool hc_advance_may(void *e, uint32_t reservation, hc_task t);

#endif
