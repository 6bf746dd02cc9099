/** @file mold.h In which size a moldable task starts (a task whose size changes while it runs is malleable,
 *  which this is not): components of kind `mold`. They say it of two things.
 *
 *  *Jobs of workers* that are all alike and share work that can be divided: map activities that any of them
 *  takes. Their user asks for some; a scheduler that sees what is idle may start them with more, and then
 *  they end sooner. The speed-up is linear: n workers in place of c take c / n of the time, so that
 *  worker-seconds stay what they were; past one worker an activity there is nothing to gain. `allows` says
 *  how many workers a component would allow.
 *
 *  *Tasks that offer sizes* (hc_task_extras.sizes, least, most), each with a length of its own: a policy that
 *  molds (`mold` of the policy batch) asks `choose` whenever it plans such a task. What a component that has
 *  only `allows` would allow counts there, too.
 *
 *  A component keeps nothing between two questions. */
#ifndef HINDCAST_MOLD_H
#define HINDCAST_MOLD_H

#include "hindcast/component.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One resource of the whole cell, as the asker sees it. */
typedef struct hc_mold_resource {
  double worker, held, total; /* what a worker takes; what all tasks hold; what there is */
} hc_mold_resource;

/** A job that is about to be placed, or what is left of it. All counts are of workers. */
typedef struct hc_mold_question {
  int64_t configured; /* what its user asked for */
  int64_t useful;     /* at least `configured`; more do not help */
  int64_t idle;       /* so many would find room now */
  const hc_mold_resource *resources;
  size_t resource_count;
} hc_mold_question;

/* ---- tasks that offer sizes ---- */

/** A size that a waiting task may start with. */
typedef struct hc_mold_offer {
  int64_t size;  /* slots on a cell of hosts; processors elsewhere */
  int64_t units; /* of the cell's first dimension in all; processors elsewhere */
  double speed;  /* how many times as fast as in one slot; of a list of times the smallest counts as linear */
  hc_time estimate; /* run time that may be believed in it, ns; HC_NEVER: none */
} hc_mold_offer;

/** A task that is about to be planned. */
typedef struct hc_mold_choice {
  const hc_mold_offer *offers; /* [count] ascending by size; those that the whole cell could hold */
  size_t count;                /* at least 1 */
  size_t asked;                /* the size that it asks for; the nearest below it that is offered */
  size_t preferred;            /* the one that its user prefers, in the same way; else `asked` */
  int64_t free, capacity;      /* units that nothing holds now; all that there are */
  size_t queued;               /* tasks that wait, this one included */
  hc_time now;                 /* ns of virtual time */
  /** When it could start in size number `i` beside all that is promised to others, ns; HC_NEVER: never; or,
   *  where it is asked about a start now, not now. Only for a component that says `asks_starts`.
   *  Cost: a question to the timeline. */
  hc_time (*starts)(void *ctx, size_t i);
  void *ctx;
} hc_mold_choice;

typedef struct hc_mold_type {
  hc_component component;
  /** @return the most workers that it allows; the scheduler that asked starts no fewer than configured, and
   *  no more than are useful and find room: see hc_mold_width. Cost: O(resources). NULL: it chooses among
   *  offered sizes only. */
  int64_t (*allows)(const void *options, const hc_mold_question *q);
  /** @return which of the sizes that are offered the task is to start with. NULL: the largest that `allows`
   *  allows, or the smallest. Cost: O(count), and of one that asks for starts as many questions. Since 0.3 */
  size_t (*choose)(const void *options, const hc_mold_choice *q);
  bool asks_starts; /* it calls `starts`: what runs needs expected ends. Since 0.3 */
} hc_mold_type;

/** How many workers a job starts with. Without a component: as many as its user asked for. */
static inline int64_t hc_mold_width(const hc_chosen *mold, const hc_mold_question *q)
{
  int64_t width = q->useful < q->idle ? q->useful : q->idle, most;
  if (!mold->type || !((const hc_mold_type *)mold->type)->allows) return q->configured;
  most = ((const hc_mold_type *)mold->type)->allows(mold->options, q);
  if (width > most) width = most;
  return width > q->configured ? width : q->configured;
}

/** As many as a component without `choose` allows, of the sizes that are offered. */
static inline size_t hc_mold_allowed(const hc_chosen *mold, const hc_mold_choice *q)
{
  const hc_mold_offer *asked = &q->offers[q->asked];
  const double each = (double)asked->units / (double)asked->size;
  const hc_mold_resource units = {each, (double)(q->capacity - q->free), (double)q->capacity};
  const hc_mold_question of = {asked->size, q->offers[q->count - 1].size,
                               each > 0 ? (int64_t)((double)q->free / each) : 0, &units, 1};
  const int64_t width = hc_mold_width(mold, &of);
  size_t i = q->count - 1;
  while (i > 0 && q->offers[i].size > width) i--;
  return i;
}

#ifdef __cplusplus
}
#endif
#endif
