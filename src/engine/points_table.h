/* points_table.h -- what points.c keeps: for points.c, wishes.c, points_told.c and leave_point.c alone. */
#ifndef HC_ENGINE_POINTS_TABLE_H
#define HC_ENGINE_POINTS_TABLE_H

#include "engine/state.h"
#include "hindcast/policy.h"

typedef struct waiter {
  uint64_t serial;
  hc_task task;
  uint32_t size; /* that it asks for */
} waiter;

/* Of a task that runs. */
typedef struct hc_wish {
  uint32_t size; /* that it is to have from its next point on; 0: nothing was said */
  uint32_t came; /* it has come to a point in this attempt */
} hc_wish;

/* At its point, for a policy that decides there. */
typedef struct at_point {
  hc_at_point told;
  uint32_t goes_on; /* as the open plan has it */
} at_point;

struct hc_points {
  hc_wish *wishes; /* [count] by slot */
  size_t count, cap;
  waiter *waiters; /* at their points, in the order in which they came */
  size_t waiter_count, waiter_cap;
  at_point *at; /* [at_count] in the order in which they came */
  size_t at_count, at_cap;
  uint64_t tried; /* on hosts: cell.grown when all of them were looked at last: no part of the state */
  hc_plan plan;   /* of what is carried out here; empty between two calls */
  struct {
    uint64_t points, requests, refused, deferred;
    uint64_t unheard; /* attempts that ended before they came to a point, and were to have another size */
  } s;
};

/* Does the run's policy decide what becomes of a task at its point? */
static inline bool hc_points_decided(const hc_engine *e)
{
  return ((const hc_policy_type *)e->options->policy.type)->decides_points;
}

#endif
