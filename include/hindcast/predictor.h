/** @file predictor.h How long will a task run? What may be believed of it beyond what its user asked for.
 *
 *  A predictor learns from tasks that have ended and says how long one that arrives will run. The run takes
 *  that for the task's estimate, never above its limit: policies plan, backfill and sort with it, while tasks
 *  are still killed at their limits. What happens when a task outlives its prediction is the run's business
 *  (the key `correction`), not the predictor's. */
#ifndef HINDCAST_PREDICTOR_H
#define HINDCAST_PREDICTOR_H

#include "hindcast/component.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hc_predictor hc_predictor; /* a predictor's state; each defines its own */

/** A task, as a predictor sees it: nothing of how long it really runs. */
typedef struct hc_predictor_task {
  hc_time now;       /* ns */
  hc_time submitted; /* ns */
  hc_time limit;     /* what would be believed without a predictor, ns; HC_NEVER: no end can be counted on */
  uint64_t serial;
  int64_t units; /* processors; on a cell of hosts: of its first dimension, in all */
  int64_t user, group, executable, queue, partition; /* -1 if its source does not say */
} hc_predictor_task;

typedef struct hc_predictor_type {
  hc_component component;
  /** NULL: it has no state, and `self` is NULL everywhere. @return 0, HC_ENOMEM, or HC_EUSAGE with a text */
  hc_rc (*init)(const hc_allocator *a, const void *options, hc_predictor **out, hc_error *e);
  /** The task has just been submitted. Called once for each task, in order of submission; where it renews
   *  predictions (`renews`) again for those that wait, whenever it has learned something.
   *  @return how long it will run, ns, >= 0, on a host of speed 1; more than its limit counts as that;
   *  HC_UNKNOWN: no prediction, its limit is believed. Cost: it is on the path of every arrival. */
  hc_time (*predict)(const hc_predictor *self, const hc_predictor_task *t);
  /** The task has ended, by itself or at its limit; not one that was cancelled, lost or stopped for good.
   *  What ends at one instant is told in order of those ends, before what arrives then is predicted (behind
   *  it where the run has `instant_order: arrivals_first`). NULL: it learns nothing.
   *  @param run how long it ran, ns, on a host of speed 1, without what it did in vain
   *  @return 0 or HC_ENOMEM */
  hc_rc (*learn)(hc_predictor *self, const hc_predictor_task *t, hc_time run);
  hc_rc (*visit)(hc_predictor *self, hc_visitor *v); /* NULL: it has no state */
  void (*fini)(hc_predictor *self);                  /* NULL: the same */
  /** Something to say at the end of the run: what could not be kept. NULL: nothing. @return 0 or HC_ENOMEM */
  hc_rc (*note)(const hc_predictor *self, hc_buffer *out);
  /** Are tasks that wait predicted anew when others have ended? NULL: no. Since 0.3 */
  bool (*renews)(const void *options);
} hc_predictor_type;

#ifdef __cplusplus
}
#endif
#endif
