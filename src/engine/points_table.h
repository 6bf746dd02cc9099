/* points_table.h -- what points.c keeps: for points.c and wishes.c alone. */
#ifndef HC_ENGINE_POINTS_TABLE_H
#define HC_ENGINE_POINTS_TABLE_H

#include "engine/state.h"

typedef struct waiter {
  uint64_t serial;
  hc_task task;
  uint32_t size; /* that it asks for */
} waiter;

struct hc_points {
  uint32_t *wishes; /* [count] by slot; 0: none */
  size_t count, cap;
  waiter *waiters; /* at their points, in the order in which they came */
  size_t waiter_count, waiter_cap;
  uint64_t tried; /* cell.grown, as it was when all of them were looked at last: no part of the state */
  hc_plan plan;   /* of what is carried out here; empty between two calls */
  struct {
    uint64_t points, requests, refused, deferred;
  } s;
};

#endif
