/* usage.h -- what the tasks of one queue hold: a policy that listens, and passes on what it hears.
 *
 * The engine tells policies which task takes and gives back what (hc_policy_type.on_task_event); an
 * architecture that wants to know it puts this in front of the policy. */
#ifndef HC_ARCHITECTURE_SCHEDULER_USAGE_H
#define HC_ARCHITECTURE_SCHEDULER_USAGE_H

#include "hindcast/architecture.h"

typedef struct hc_usage_of {
  hc_policy_type type; /* what the engine calls */
  const hc_policy_type *next_type;
  hc_policy *next;
  const hc_services *ask;
  int64_t used[HC_DIMENSIONS]; /* of the cell, by its own dimensions */
  uint64_t tasks;              /* that hold something */
} hc_usage_of;

/* Listen to a queue whose policy is this one; NULL: it has none. The struct must not move. */
void hc_usage_of_follow(hc_usage_of *u, const hc_services *ask, const hc_engine_services *s, hc_engine *e,
                        uint32_t queue, const hc_policy_type *type, hc_policy *policy);

#endif
