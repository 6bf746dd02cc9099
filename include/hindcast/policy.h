/** @file policy.h Which tasks run next: policies, selectors and orders.
 *
 *  A policy is asked with a *view* (view.h), and answers by calls on a *plan* (plan.h). It has no globals,
 *  never waits, and reaches the simulator only through `hc_services`; it links against nothing. Why the
 *  interface has this shape: docs/policy-interface.md. */
#ifndef HINDCAST_POLICY_H
#define HINDCAST_POLICY_H

#include "hindcast/cell.h"
#include "hindcast/figure.h"
#include "hindcast/view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hc_policy hc_policy; /* a component's state; each defines its own */

/** What a component of this room gets at birth. Borrowed for its life. */
typedef struct hc_policy_context {
  const hc_services *services;
  const hc_allocator *allocator;
  uint64_t seed, replication;
  /** Names of the run. A generator's user that has a name is the name's number and 1; readers number names of
   *  their own. NULL outside a run. */
  hc_lexicon *lexicon;
  const hc_cell_spec *cell; /* the machine as it is declared; NULL outside a run */
  /** Told only to a placement that asks for it (hc_place_type.reads_topology); NULL: the run has no network,
   *  or one without levels. Since 0.3. */
  const struct hc_topology *topology;
  /** Unix time of the run's time 0, s; HC_UNKNOWN: dates are not known. Since 0.3. */
  int64_t unix_start;
  /** W that a host draws in a state (an hc_power_state, or hc_power_at a state of power) at loads
   *  [HC_POWER_PARTS], 0 to 1. NULL: the run says nothing of power. Since 0.3. */
  double (*watts)(const void *watts_ctx, uint32_t host, uint32_t code, const double *loads);
  /** How fast a host is in a state of power (hc_services.pstate), of its own speed; 0: it has no such state.
   *  NULL as `watts`. Since 0.3. */
  double (*pstate_speed)(const void *watts_ctx, uint32_t host, uint32_t pstate);
  const void *watts_ctx;
  const hc_number_calls *numbers; /* how numbers are read and written. Since 0.3. */
} hc_policy_context;

/** Switches in levels above the hosts of a run's network. All of it is fixed for the run but the loads. */
typedef struct hc_topology {
  uint32_t level_count;
  /** [level_count] of the switches next to the hosts first: [hosts of the cell] which group of that level a
   *  host is in, and how many groups there are. */
  const uint32_t *const *group_of;
  const uint32_t *group_count;
  /** The share, 0 to 1, that is taken now of the fullest of the cables between a group (level 0: a host;
   *  level l: a group of group_of[l - 1]) and what is above it. Cost: O(its links and the flows on them) */
  double (*load)(void *ctx, uint32_t level, uint32_t group);
  void *ctx;
} hc_topology;

/** The parts of a policy that others carry out for it; each NULL if it does not say. Borrowed from its
 *  options. */
typedef struct hc_policy_parts {
  const hc_chosen *order;       /* how the architecture sorts its queue; NULL: by submission */
  const hc_chosen *candidates;  /* a second list of the same tasks in another order; NULL: none */
  const hc_chosen *place;       /* which processors `start` takes if it names none; NULL: the lowest */
  const hc_chosen *eligibility; /* which hosts may be used now; NULL: all */
} hc_policy_parts;

/** A policy: makes a plan from a view. */
typedef struct hc_policy_type {
  hc_component component;
  /** What this configuration of it needs: a set of hc_policy_flag. NULL: nothing. */
  uint32_t (*flags)(const void *options);
  /** NULL: it has no parts. */
  void (*parts)(const void *options, hc_policy_parts *out);
  hc_rc (*init)(const hc_policy_context *c, const void *options, hc_policy **out, hc_error *e);
  hc_rc (*decide)(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why);
  /** An action of a plan that was handed in is carried out (rc 0), or refused (HC_ECONFLICT): once for each
   *  action about a task, starts, stops, rejections, rates and reservations alike, just before it happens;
   *  `wake` is about none, and `power` about a
   *  host (HC_NO_TASK). Of a plan that is committed all or none, all are refused if one is; and a start
   *  that a limit of its scheduler forbids is. Plans that an architecture drops before they are handed in are
   *  not heard of. May be NULL. @param v as in `on_task_event` @param t the task; HC_NO_TASK: it is gone.
   *  `waits` is false of one that starts or leaves now */
  void (*outcome)(hc_policy *self, hc_view *v, hc_task t, hc_rc rc);
  hc_rc (*visit)(hc_policy *self, hc_visitor *v); /* NULL: it has no state of its own */
  void (*fini)(hc_policy *self);
  /** A task has joined or left the queue, or has taken or given back what it holds. Called at once, whenever
   *  the answers of a view change, also by an action of a plan and by its undoing: so books kept by this are
   *  right inside a decision and outside. A start is ALLOCATED, then DEQUEUED. Called if the architecture
   *  lets the policy `follow` a queue. May be NULL.
   *  @param v may be asked about the task, `held` included, for `now`, `dimensions`, `capacity`, and by
   *  `host_free` for a host's capacity; nothing else
   *  @param amounts [dimensions] ALLOCATED, RELEASED: of the cell, in all; else NULL
   *  @return 0, or an error that ends the run */
  hc_rc (*on_task_event)(hc_policy *self, const hc_view *v, hc_task_event what, hc_task t,
                         const int64_t *amounts);
  /** The run is over: say what was counted (component.figures), and let the parts say it. NULL: nothing. */
  hc_rc (*finish)(hc_policy *self, hc_findings *f);
  /** What should be said of the run at its end, in a sentence or two: what of the configuration had no
   *  effect, say. Nothing: leave `out` empty. Asked of a policy with `on_task_event`. May be NULL. @return 0
   *  or HC_ENOMEM. */
  hc_rc (*note)(const hc_policy *self, hc_buffer *out);
  /** Where hosts are offered: earliest time at which the policy may want to stop tasks on `host`, even if no
   *  queued task fits there. Asked between decisions. NULL: never.
   *  @param now the time @param host HC_NO_HOST: any host
   *  @return a lower bound of that time, if nothing else happens; at most `now`: at once; HC_NEVER: never */
  hc_time (*next_preemption)(hc_policy *self, hc_time now, uint32_t host);
  /** A host has joined, left or been drained, or has other amounts: called at once, before what that does to
   *  tasks. May be NULL. @param v as in on_task_event. @return 0, or an error that ends the run. */
  hc_rc (*cell_changed)(hc_policy *self, const hc_view *v);
  /** Does it hear of tasks (on_task_event) with these options? NULL: if it can. */
  bool (*follows)(const void *options);
  /** As `flags`, and in its place, of one whose files decide what it needs: they are read by this allocator.
   *  NULL: there is none. */
  uint32_t (*flags_of_files)(const void *options, const hc_allocator *a);
  /** How many tasks it lets have a core of each host: hosts are promised so many times what they have of
   *  cores, as with execution.overcommit. Asked once, before it is born. NULL: one. Since 0.3.
   *  @param cell  of hosts @param times  out: [cell->units] at least 1, which they are when it is asked
   *  @return 1: some host has more than one; 0; HC_EINPUT with the place, HC_ENOMEM */
  hc_rc (*shares_cores)(const void *options, const hc_allocator *a, const hc_cell_spec *cell, uint32_t *times,
                        hc_error *e);
  /** It moves running tasks at instants of its own: the architecture monolithic calls it at its own wakes
   *  even if its queue is empty, others while tasks wait. Since 0.3. */
  bool moves_tasks;
  /** Its sizes go by speeds (hc_services.speed_in), which no model of execution says: beside one it is
   *  refused. Since 0.3. */
  bool goes_by_speeds;
  /** Do its decisions take a time that it says itself (`thought`)? NULL: no. Since 0.3. */
  bool (*thinks)(const void *options);
  /** How long the decision that it has just made takes, ns >= 0 of the run: added to the architecture's own
   *  `think`. Asked if it `thinks`; refused under an architecture that does not ask (asks_thought).
   *  Since 0.3. */
  hc_time (*thought)(const hc_policy *self);
  /** May a run with it be saved? Asked before any of its state is visited to be saved. NULL: yes.
   *  @return 0, or HC_EUNSUPPORTED with the reason. Since 0.3. */
  hc_rc (*may_save)(const void *options, hc_error *e);
  /** It decides what becomes of a running task at a scheduling point of its profile: the task waits there,
   *  the policy is called at that instant (HC_WHY_TIMER), and lets it go on (hc_services.leave_point). Only
   *  points at which its size may change are meant, by the policy's will or its own. With HC_MAY_RESIZE; such
   *  a policy says no sizes before (`resize`) and wants `call: instant` of the architecture monolithic.
   *  Since 0.3. */
  bool decides_points;
  /** Does it ask what is used of links and disks (hc_services.look) with these options? Refused without a
   *  model of execution that measures. NULL: no. Since 0.3. */
  bool (*looks_at_use)(const void *options);
  /** Of one that goes by books (HC_GOES_BY_BOOKS): it makes them anew at each call, so that the architecture
   *  monolithic may call it after each event, or by a clock, in place of each instant. Since 0.3. */
  bool plans_anew;
} hc_policy_type;

/** What a configuration of a policy needs: a set of hc_policy_flag. @param a  whose files it may read
 *  Since 0.3. */
static inline uint32_t hc_policy_flags(const hc_policy_type *t, const void *options, const hc_allocator *a)
{
  if (t->flags_of_files) return t->flags_of_files(options, a);
  return t->flags ? t->flags(options) : 0;
}

/** Does a policy hear of the tasks of its queue? */
static inline bool hc_policy_follows(const hc_policy_type *t, const void *options)
{
  return t->on_task_event && (!t->follows || t->follows(options));
}

/** How far to look past a task that does not fit. Same life as a policy; used by the policy `batch`. */
typedef struct hc_select_type {
  hc_component component;
  uint32_t (*flags)(const void *options);
  /** The order of its second list, if it keeps one: points into `options`; NULL: none. */
  const hc_chosen *(*candidates)(const void *options);
  hc_rc (*init)(const hc_policy_context *c, const void *options, hc_policy **out, hc_error *e);
  hc_rc (*decide)(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why);
  hc_rc (*visit)(hc_policy *self, hc_visitor *v);
  void (*fini)(hc_policy *self);
  /** Settle the sizes of moldable tasks so (HC_KIND_MOLD, HC_MOLDS) whenever one is planned: right after
   *  `init`. NULL: it cannot. Since 0.3 */
  void (*mold)(hc_policy *self, const hc_chosen *how);
} hc_select_type;

/** What an order may look at. */
typedef struct hc_order_input {
  uint64_t serial;
  int64_t units, user, group, queue,
      priority;                     /* user, group (account), queue (QOS): -1 if its source does not say */
  hc_time submitted, estimate, now; /* ns; `now` only for orders that vary */
  uint64_t seed, replication;
  int64_t partition, executable, job; /* executable: program or job name; -1 if its source does not say */
  hc_time eligible;                   /* since when it may start: its submission, or later (schedule_after) */
  double procs; /* `units` as processors: on a cell of hosts cores. Since 0.3 */
} hc_order_input;

/** Sorts a queue: lower keys first, ties by serial. */
typedef struct hc_order_type {
  hc_component component;
  uint32_t (*flags)(
      const void *options); /* HC_VARIES, HC_NEEDS_ESTIMATE, HC_BY_SUBMISSION, HC_FOLLOWS_TASKS */
  hc_rc (*init)(const hc_policy_context *c, const void *options, hc_policy **out,
                hc_error *e); /* may be NULL */
  int64_t (*key)(const hc_policy *self, const hc_order_input *task);
  void (*fini)(hc_policy *self);
  /** As hc_policy_type.on_task_event, of the tasks of its queue, before the policy's: for orders that declare
   *  HC_FOLLOWS_TASKS. Such an order may keep state, which `visit` saves. May be NULL. */
  hc_rc (*on_task_event)(hc_policy *self, const hc_view *v, hc_task_event what, hc_task t,
                         const int64_t *amounts);
  /** Keys are about to be computed anew, of all tasks of the queue, at this time (HC_VARIES). May be NULL. */
  void (*advance_to)(hc_policy *self, hc_time now);
  hc_rc (*visit)(hc_policy *self, hc_visitor *v); /* NULL: it has no state */
} hc_order_type;

/** Order-preserving map from real keys to the integers that orders return; NaN sorts last. */
static inline int64_t hc_key_of_real(double x)
{
  union {
    double real;
    int64_t bits;
  } u = {x == 0 ? 0.0 : x};
  if (x != x) return INT64_MAX;
  return u.bits >= 0 ? u.bits : INT64_MIN - u.bits;
}

#ifdef __cplusplus
}
#endif
#endif
