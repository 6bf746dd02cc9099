/* limits.h -- what a scheduler may not pass, checked when it commits: how much its tasks hold, how many of
 * its jobs run, and which priorities it may use.
 *
 * Schedulers that share a cell trust each other no further than this (Omega, section 3.4). What is held is
 * heard from the engine, so it is right at every moment, whatever stops a task. A start that would
 * break a limit is refused, or, where limits are only reported, counted and let through. Cost: O(dimensions)
 * a start and an end, of schedulers that have a limit. */
#ifndef HC_ARCHITECTURE_SCHEDULER_LIMITS_H
#define HC_ARCHITECTURE_SCHEDULER_LIMITS_H

#include "architecture/scheduler/options.h"
#include "base/mem.h"
#include "hindcast/architecture.h"

typedef enum hc_limit_kind {
  HC_LIMIT_RESOURCES,
  HC_LIMIT_JOBS,
  HC_LIMIT_PRIORITY,
  HC_LIMIT_KINDS
} hc_limit_kind;

typedef struct hc_scheduler_limits {
  hc_policy_type type; /* what the engine calls */
  const hc_policy_type *next_type;
  hc_policy *next;
  const hc_scheduler_options *o;
  const hc_services *ask;
  bool is_on;
  hc_map running; /* job -> its tasks that run */
  uint64_t jobs;  /* in it */
  int64_t held[HC_DIMENSIONS];
  uint64_t broken[HC_LIMIT_KINDS]; /* starts */
} hc_scheduler_limits;

/** Has a scheduler any limit? */
bool hc_scheduler_limits_has(const hc_scheduler_options *o);
/** Listen to its queue, before its policy. The struct must not move. */
void hc_scheduler_limits_follow(hc_scheduler_limits *l, const hc_architecture_context *c, uint32_t queue,
                                const hc_policy_type *type, hc_policy *policy);
void hc_scheduler_limits_fini(hc_scheduler_limits *l);
/** Count which starts of a plan break a limit, and take them out unless they are only reported. @return how
 *  many are out */
size_t hc_scheduler_limits_sift(hc_scheduler_limits *l, const hc_architecture_context *c, hc_plan *p);
hc_rc hc_scheduler_limits_visit(hc_scheduler_limits *l, hc_visitor *v);

#endif
