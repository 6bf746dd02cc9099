/** @file execution.h Moldable jobs: how many workers does a job start with?
 *
 * A moldable job has workers that are all alike and share work that can be divided: map activities that any
 * of them takes. Its user asks for some; a scheduler that sees what is idle may start it with more, and then
 * it ends sooner. How many workers it starts with is settled when they start (a job whose workers change
 * while it runs is malleable, which this is not).
 *
 * The speed-up is linear: n workers in place of c take c / n of the time, so that worker-seconds stay what
 * they were; past one worker an activity there is nothing to gain. A component of kind `mold` only says how
 * many workers it would allow. It keeps nothing between two questions. */
#ifndef HINDCAST_EXECUTION_H
#define HINDCAST_EXECUTION_H

#include "hindcast/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One resource of the whole cell, as the asker sees it. */
typedef struct hc_mold_resource {
  double worker, held, total; /* what a worker takes; what is held by anybody; what there is */
} hc_mold_resource;

/** A job that is about to be placed, or what is left of it. All counts are of workers. */
typedef struct hc_mold_question {
  int64_t configured; /* what its user asked for */
  int64_t useful;     /* at least `configured`; more do not help */
  int64_t idle;       /* so many would find room now */
  const hc_mold_resource *resources;
  size_t resource_count;
} hc_mold_question;

typedef struct hc_mold_type {
  hc_component component;
  /** @return the most workers that it allows; whoever asked starts no fewer than configured, and no more than
   * are useful and find room: see hc_mold_width. Cost: O(resources). */
  int64_t (*allows)(const void *options, const hc_mold_question *q);
} hc_mold_type;

/** How many workers a job starts with. Without a component: as many as its user asked for. */
static inline int64_t hc_mold_width(const hc_chosen *mold, const hc_mold_question *q)
{
  int64_t width = q->useful < q->idle ? q->useful : q->idle, most;
  if (!mold->type) return q->configured;
  most = ((const hc_mold_type *)mold->type)->allows(mold->options, q);
  if (width > most) width = most;
  return width > q->configured ? width : q->configured;
}

#ifdef __cplusplus
}
#endif
#endif
