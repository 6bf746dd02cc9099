/** @file sharing.h The parts of a policy that divides a cell between users: whether an offer of a host is
 *  accepted, and which running tasks are stopped for others. */
#ifndef HINDCAST_SHARING_H
#define HINDCAST_SHARING_H

#include "hindcast/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A host as it is offered to a user that has a queued task which fits there. */
typedef struct hc_offer {
  uint32_t user; /* number of the user, from 0 in the order in which they came */
  uint32_t host, dimensions;
  uint32_t padding;
  hc_time now;
  const uint8_t *which;    /* [dimensions] the lexicon's number of each */
  const int64_t *need;     /* [dimensions] of one slot of the task */
  const int64_t *free;     /* [dimensions] of the host, before the task is placed */
  const int64_t *capacity; /* [dimensions] of the cell */
  const hc_view *view;     /* may be asked about the task */
  hc_task task;
  uint32_t round; /* 0: first; 1: asked again, since every user refused and nothing was started */
  bool is_forced; /* in `noted` only: the task starts without the user having been asked */
} hc_offer;

/** What a user says to an offer: the part of a job's controller that policies which offer hosts ask. */
typedef struct hc_accept_type {
  hc_component component;
  uint32_t (*flags)(
      const void *options); /* HC_TIME_DEPENDENT if an answer depends on more than the offer; NULL: none */
  hc_rc (*init)(const hc_policy_context *c, const void *options, hc_policy **out,
                hc_error *e); /* may be NULL */
  /** NULL: every offer is taken. */
  bool (*accepts)(hc_policy *self, const hc_offer *o);
  /** What became of it: it was refused, or taken, or not asked about (`is_forced`), and the task has started.
   *  An offer that was taken, and whose task then could not start, is not told of. May be NULL. @return 0 or
   *  HC_ENOMEM. */
  hc_rc (*noted)(hc_policy *self, const hc_offer *o, bool started);
  /** The user has no task left. May be NULL. */
  void (*forget)(hc_policy *self, uint32_t user);
  hc_rc (*visit)(hc_policy *self, hc_visitor *v);
  void (*fini)(hc_policy *self);
  /** The run is over: say what was counted (component.figures). NULL: nothing. */
  hc_rc (*finish)(hc_policy *self, hc_findings *f);
  /** As hc_policy_type.on_task_event, with the number of the task's user. May be NULL. */
  hc_rc (*on_task_event)(hc_policy *self, const hc_view *v, hc_task_event what, hc_task t, uint32_t user);
  /** So many times as long the task runs if it starts there. NULL: 1; else declare HC_PACES. */
  double (*pace)(hc_policy *self, const hc_offer *o);
} hc_accept_type;

/** A member (user or pool) of a policy that shares, as a rule of preemption sees it: numbered from 0 in the
 *  order in which members came. */
typedef struct hc_preempt_member {
  int64_t id;
  double weight;
  uint64_t waiting;      /* tasks */
  const int64_t *used;   /* [dimensions] what it holds of the cell */
  const int64_t *wanted; /* [dimensions] what its waiting tasks ask for together */
} hc_preempt_member;

/** What a rule may ask of the policy that it serves. */
typedef struct hc_preempt_asks {
  void *ctx;
  uint32_t (*count)(void *ctx); /* members */
  void (*member)(void *ctx, uint32_t member, hc_preempt_member *out);
  int64_t (*capacity)(void *ctx, uint32_t dimension); /* of the cell, as at the last decision */
  uint32_t (*dimensions)(void *ctx);
  bool (*before)(void *ctx, uint32_t x, uint32_t y); /* is it x's turn before it is y's? */
  /** Its first waiting task of which a slot needs at most `room` (NULL: any); HC_NO_TASK. */
  hc_task (*first)(void *ctx, uint32_t member, const int64_t *room);
} hc_preempt_asks;

/** Which running tasks are stopped, and for which others: the part of a policy that shares which does that,
 *  asked when the policy has started what fits; or of a policy with one queue, asked before its selector. */
typedef struct hc_preempt_type {
  hc_component component;
  /** @param asks NULL: it serves a queue (`run_queue`) */
  hc_rc (*init)(const hc_policy_context *c, const void *options, const hc_preempt_asks *asks, hc_policy **out,
                hc_error *e); /* may be NULL */
  /** Time is `now`. Called before anything changes that `asks` tells of: until now all was as at the last
   *  call. May be NULL. */
  hc_rc (*advance_to)(hc_policy *self, hc_time now);
  /** As hc_policy_type.on_task_event, after the policy's own. May be NULL. */
  hc_rc (*on_task_event)(hc_policy *self, const hc_view *v, hc_task_event what, hc_task t, uint32_t member,
                         const int64_t *amounts);
  /** Stop what is to be stopped on this host (0 on a cell of processors), and start the tasks that it is for.
   *  NULL: nothing is ever stopped. @return 1: something was stopped or started; 0; or an error. */
  hc_rc (*run)(hc_policy *self, hc_view *v, hc_plan *p, uint32_t host);
  hc_time (*next_preemption)(hc_policy *self, hc_time now,
                             uint32_t host); /* as hc_policy_type.next_preemption */
  hc_rc (*visit)(hc_policy *self, hc_visitor *v);
  void (*fini)(hc_policy *self);
  /** Of a policy with one queue: stop what is to be stopped anywhere, and start the tasks that it is for.
   *  `on_task_event` is then heard with member 0. NULL: the rule serves policies that share alone.
   *  @param promises reservations stand on the timeline: take them back before tasks start in their way
   *  @return 0; 1: tasks were stopped at once, and the policy is called again in this instant, when they
   *  wait; 2: nothing else may start now; or an error */
  hc_rc (*run_queue)(hc_policy *self, hc_view *v, hc_plan *p, bool promises);
} hc_preempt_type;

#ifdef __cplusplus
}
#endif
#endif
