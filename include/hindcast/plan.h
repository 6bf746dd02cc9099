/** @file plan.h A plan: what a scheduler decides, in the order in which it decides it.
 *
 *  Each call on a plan (hc_services in view.h) is checked against the view and applied to it at once, so that
 *  the next question sees it. What cannot be (a start that does not fit) is refused at the call with
 *  HC_EPOLICY and changes nothing. When the policy returns, the architecture hands the plan to the engine, at
 *  once or after a time of thought, when it is checked again on the live cell: there the same action may fail
 *  with HC_ECONFLICT, which is normal for shared state. The policy hears what became of each action in
 *  `outcome`. */
#ifndef HINDCAST_PLAN_H
#define HINDCAST_PLAN_H

#include "hindcast/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hc_plan hc_plan;

/** How a running task is stopped: it waits again and does again what it did since it last started; that is
 *  its end; or it waits again and has kept what it did. */
typedef enum hc_stop { HC_STOP_REQUEUE, HC_STOP_KILL, HC_STOP_CHECKPOINT } hc_stop;

/** The same in full. All times in ns. */
typedef struct hc_stopping {
  hc_stop how;
  /** The task is told, and runs on for so long unless it ends by itself; what it holds is not free till then.
   *  0: it stops at once. */
  hc_time grace;
  /** CHECKPOINT: its work was last saved at a whole multiple of this, of work since it started. 0: it is
   *  saved when it stops. */
  hc_time every;
  hc_time overhead; /* CHECKPOINT: what it runs longer for that when it starts again */
} hc_stopping;

/** A point in a plan to which it can be taken back. */
typedef struct hc_plan_mark {
  uint64_t actions;
  uint32_t turn, padding; /* where the placement would look next */
} hc_plan_mark;

#ifdef __cplusplus
}
#endif
#endif
