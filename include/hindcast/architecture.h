/** @file architecture.h
 *  How decisions are organised: who calls which policy when, on which view, and how plans are committed.
 *
 *  An architecture hears events and owns the queues; it opens views, lets policies decide on them, and
 *  hands the plans to the engine. Thinking is a delay between deciding and committing: the plan is kept,
 *  the view is closed (which undoes it), and a timer commits the plan later. A view is never open across
 *  virtual time, and two are never open at once. */
#ifndef HINDCAST_ARCHITECTURE_H
#define HINDCAST_ARCHITECTURE_H

#include "hindcast/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What happened, as an architecture hears it. */
typedef struct hc_signal {
  hc_why_bit what;
  hc_task task;   /* ARRIVAL, END, HC_TIMER_DUE; HC_NO_TASK: several, that are gathered */
  uint32_t host;  /* CELL, HEARTBEAT */
  uint32_t timer; /* TIMER, PERIOD: as armed; HC_TIMER_WAKE: a policy's own wish */
  bool early;     /* END: before its expected end */
  const hc_range
      *hosts; /* [host_count] END: where it ran, ascending, disjoint, if the architecture hears_hosts;
                            borrowed until a view is opened */
  size_t host_count;
  bool switched; /* CELL: a switch of a host by a plan is over. Since 0.3 */
} hc_signal;

#define HC_TIMER_WAKE UINT32_C(0x7fffffff) /* the timer that a policy's `wake` sets */
/** The time has come from which on `task` may start, which stands in its queue already: as if it arrived. */
#define HC_TIMER_DUE UINT32_C(0x7ffffffe)

/** How a plan is handed in. */
typedef enum hc_commit_mode {
  HC_COMMIT_NOW,         /* keep what the view shows: nothing can have changed since it was opened */
  HC_COMMIT_CHECKED,     /* a plan made earlier: each action is checked on the live cell, the rest goes on */
  HC_COMMIT_ALL_OR_NONE, /* as CHECKED, but one conflict refuses the whole plan */
  /** Or'ed into one of these two: a start is a conflict also if another scheduler has started something on
   *  its host since the plan's view was opened, though there be room (sequence numbers, the coarse detection
   *  of the Omega paper). Wants `count_starts` at init. What ends does not count. */
  HC_COMMIT_IN_SEQUENCE = 4,
  /** Or'ed into them: a start that does not fit any more may stop running tasks of lower priority on its
   *  hosts, which wait again in their own queues. Lowest priority first, of these who started last, one by
   *  one until it fits; no task is stopped if it never does. On cells of hosts. Cost: O(tasks) for each that
   *  is stopped. */
  HC_COMMIT_PREEMPT = 8
} hc_commit_mode;

typedef struct hc_engine hc_engine; /* the engine as an architecture sees it */

/** What a scheduler is told that decides outside of the run (hc_run_wait_decision), where its architecture
 *  brings it news by messages of their own. */
typedef enum hc_news_kind {
  HC_NEWS_SUBMITTED, /* `task` waits */
  HC_NEWS_ENDED,     /* it ran, and runs no more: `final`, `start`, `end` */
  HC_NEWS_CALL,      /* a time that it has asked to be woken at has come; one for each */
  HC_NEWS_ALL_SUBMITTED, /* no task comes any more */
  HC_NEWS_DONE, /* what it has asked to be told of (hc_services.report) is over: `id`, `energy`. Since 0.3 */
  HC_NEWS_INCIDENT, /* it has happened: `id`, its number over all calls of hc_run_incidents. Since 0.3 */
  HC_NEWS_NO_MORE_INCIDENTS,
  /* For the architecture alone: */
  HC_NEWS_SWITCHES, /* a plan has switched the host `host`, which takes time */
  HC_NEWS_SWITCHED  /* that is over */
} hc_news_kind;
typedef struct hc_news {
  hc_time at;         /* when it is told, ns */
  uint32_t kind;      /* hc_news_kind */
  uint32_t final;     /* ENDED: HC_FINAL_COMPLETED; HC_FINAL_KILLED: in any other way */
  uint64_t serial;    /* of the task */
  int64_t id;         /* its number at its source; DONE: as the plan has called it; INCIDENT */
  hc_time start, end; /* ENDED: ns */
  int64_t flags;      /* ENDED: hc_task_flag */
  hc_task task;       /* SUBMITTED: by which services know it as long as it is there */
  uint32_t mark;      /* of the architecture's own */
  double energy;      /* DONE: J that all hosts had drawn when the report's message was taken, since the
                         run's origin; < 0: it was not asked for, or nothing counts it */
  uint32_t host;      /* SWITCHES, SWITCHED */
  uint32_t unused;
} hc_news;

#define HC_ALL_HOSTS UINT32_MAX

/** What an architecture may call. */
typedef struct hc_engine_services {
  uint32_t size, abi;

  /* -- time and stories -- */
  hc_time (*now)(const hc_engine *e);
  /** Signal HC_WHY_TIMER with `id` at `at` (>= now). @param id below HC_TIMER_DUE. Cannot be taken back: an
   *  architecture that changed its mind ignores it. */
  hc_rc (*timer)(hc_engine *e, hc_time at, uint32_t id);
  /** Can nothing happen any more but by an architecture's own doing: nothing runs, arrives, or waits for
   *  its time, and no host changes? A task that waits for others may wait on: it comes when they do
   *  something. An architecture with a clock stops it some time after, or the run has no end. */
  bool (*is_still)(const hc_engine *e);
  bool (*explaining)(const hc_engine *e);

  /* -- queues -- */
  /** Which tasks a queue takes, and in which order, is set once, at init.
   *  @param order NULL: by submission  @param candidates NULL: no second list
   *  @return 0, HC_EUNSUPPORTED, HC_ENOMEM. */
  hc_rc (*queue_new)(hc_engine *e, const hc_chosen *order, const hc_chosen *candidates, uint32_t *queue);
  /** The tasks of a queue are placed by this, not by what the run's policy has. At init, once a queue;
   *  `place` with no type: as before. @return 0, HC_EUNSUPPORTED (not on a cell of hosts), HC_ENOMEM. */
  hc_rc (*queue_place)(hc_engine *e, uint32_t queue, const hc_chosen *place);
  /** A task is in at most one queue: one that waits in another moves. */
  hc_rc (*enqueue)(hc_engine *e, uint32_t queue, hc_task t);
  size_t (*queued)(const hc_engine *e, uint32_t queue);
  /** The first task of a queue, in its order as it is now; HC_NO_TASK: none is queued, or there is no memory
   *  to sort them. */
  hc_task (*first)(hc_engine *e, uint32_t queue);
  /** Let a policy hear (hc_policy_type.on_task_event) of the tasks of a queue. At init, once a queue. */
  void (*follow)(hc_engine *e, uint32_t queue, const hc_policy_type *type, hc_policy *policy);
  /** What a policy that will decide on a queue is to be born with: services that end the run, and say which
   *  flag is missing, if it asks what it did not declare. At init. Policies are numbered by these calls, from
   *  0: that is the number of their scheduler. @param name of the scheduler, as long as the run lives; "":
   *  there is but one @param out lives as long as the run @return 0 or HC_ENOMEM. */
  hc_rc (*policy_context)(hc_engine *e, uint32_t queue, const char *name, const hc_chosen *policy,
                          const hc_policy_context **out);
  /** Is there as much free on a host as the least that tasks of the queue have asked for so far, dimension by
   *  dimension? If not, none of them fits there. @param host HC_ALL_HOSTS: on the whole cell together. Cost:
   *  O(dimensions). */
  bool (*room)(const hc_engine *e, uint32_t queue, uint32_t host);
  /** A number that changes when that least becomes less: `room` may then be true of any host. */
  uint64_t (*least)(const hc_engine *e, uint32_t queue);

  /* -- views -- */
  /** Open a view of the live cell on one queue. @param scope hosts that may be used; NULL: all. */
  hc_rc (*view_open)(hc_engine *e, uint32_t queue, const hc_range *scope, size_t scope_count, hc_view **v,
                     hc_plan **p);
  /** Close it. `keep` leaves the plan's effects in place, to be committed with HC_COMMIT_NOW before
   *  anything else happens; otherwise they are undone and the plan is only a list of wishes. */
  hc_rc (*view_close)(hc_engine *e, hc_view *v, bool keep);
  /** An open view shows so many tasks from the first of its queue on, as it is sorted now, and no others.
   *  Cost: O(most / 31) */
  void (*view_limit)(hc_view *v, size_t most);
  /** Let the policy of a scheduler decide on the view that has just been opened, or take the plan that has
   *  come for it from outside (hc_run_wait_decision). @param scheduler its number @param error filled, with
   *  the policy's name @return 0; or the view is closed, its plan undone, and it is an error or 1: the run
   *  stops here until a plan comes. Then all is to be left as it was before the view was opened, and 1 is
   *  what `signal` (of a timer) or `decide` returns at once; `go_on` opens the same view again. */
  hc_rc (*decide)(hc_engine *e, uint32_t scheduler, hc_policy *policy, hc_view *v, hc_plan *p,
                  const hc_why *why, hc_error *error);
  /** A view of nothing: may be asked about a task (hc_services: serial, job, user, units, waits, find ...) at
   *  any time. */
  const hc_view *(*task_view)(const hc_engine *e);

  /* -- plans -- */
  /** How many actions a plan has. */
  size_t (*planned)(const hc_plan *p);
  /** The task that action `k` of a plan starts, from 0 to `planned`; HC_NO_TASK: the action is another. */
  hc_task (*plan_start)(const hc_plan *p, size_t k);
  /** Take those starts out of a plan that was loaded that `may` says no to, asked in their order, of tasks
   *  that still wait. @return how many. */
  size_t (*plan_sift)(hc_engine *e, hc_plan *p, bool (*may)(void *ctx, hc_task t), void *ctx);
  /** Keep a plan for later: take it out of the engine as bytes of the architecture's own, and put it back. */
  hc_rc (*plan_save)(hc_engine *e, const hc_plan *p, void **bytes, size_t *size);
  hc_rc (*plan_load)(hc_engine *e, const void *bytes, size_t size, hc_plan **p);
  /** Carry out the plan: the only thing that changes a run. @return number of refused actions, or an
   *  error. */
  hc_rc (*commit)(hc_engine *e, hc_plan *p, hc_commit_mode mode, hc_error *error);
  /** Withdraw the reservations of all tasks that are not in this queue: what its scheduler does not know of.
   *  @return 0 or HC_ENOMEM. Cost: O(those x log) */
  hc_rc (*withdraw_others)(hc_engine *e, uint32_t queue);

  /* -- hosts, and tasks that start wider than they asked -- */
  uint32_t (*hosts)(const hc_engine *e); /* how many, of a cell of hosts; 0: it is another cell */
  /** Number the starts on each host, for HC_COMMIT_IN_SEQUENCE. At init. @return 0, HC_EUNSUPPORTED,
   *  HC_ENOMEM. */
  hc_rc (*count_starts)(hc_engine *e);
  /** Could a task run on this host alone, were the host up and idle: by what it asks for, and what it says of
   *  hosts? What else is on the host, limits on rivals and amounts of the whole cell are not looked at; a
   *  task with chunks is one of several hosts. @return true also if there is no memory to know better. Cost:
   *  O(dimensions). */
  bool (*could)(const hc_engine *e, hc_task t, uint32_t host);
  /** Tasks will be molded. At init. @return 0, HC_EUNSUPPORTED (not on a cell of hosts). */
  hc_rc (*molds)(hc_engine *e);
  /** A waiting task of several slots asks for more of them when it starts next, and then runs for its own
   *  number's share of its time; what was said of it before is forgotten. @param mold a hc_mold_type; NULL:
   *  its own number  @param useful more slots than that are of no use  @param scope hosts that may be used;
   *  NULL: all  @param speed_up out: 1 if it keeps its own number, as a task with chunks does. @return 0 or
   *  HC_ENOMEM. Cost: O(hosts), until as many as are useful were found. */
  hc_rc (*mold)(hc_engine *e, hc_task t, const hc_chosen *mold, double useful, const hc_range *scope,
                size_t scope_count, double *speed_up);
  /** May tasks still arrive from the source? What waits for others or its time is not looked at. */
  bool (*more_arrive)(const hc_engine *e);

  /* -- schedulers that decide outside: for an architecture that brings them their news -- */
  /** Does a policy of the run decide outside (HC_DECIDED_OUTSIDE)? If not, the others of these do nothing. */
  bool (*is_outside)(const hc_engine *e);
  /** Tell its scheduler something with its next decision. Of a task that is there `serial` and `id` are
   *  filled in. @return 0 or HC_ENOMEM. */
  hc_rc (*tell)(hc_engine *e, const hc_news *news);
  /** What has happened next since it was asked last, in that order: ENDED, DONE, SWITCHES or SWITCHED,
   *  without `at`. @return false: nothing has. Since 0.3. */
  bool (*next_news)(hc_engine *e, hc_news *out);
  /** Leave of a plan that was loaded its actions from `k` on alone, so many. Since 0.3. */
  void (*plan_pick)(hc_plan *p, size_t k, size_t count);
  /** Does action `k` go with the one before it (hc_services.join)? Since 0.3. */
  bool (*plan_joined)(const hc_plan *p, size_t k);
  /** Is the task that arrives one that its scheduler has submitted itself (hc_run_submit)? It knows of it.
   *  Since 0.3. */
  bool (*is_own_task)(const hc_engine *e);
  /** Lists of what happens outside of the run (hc_run_incidents), in the order of their calls. Since 0.3. */
  size_t (*incident_lists)(const hc_engine *e);
  /** @param at out, [the number that is returned] their times, ascending; lives as long as the run */
  size_t (*incidents)(const hc_engine *e, size_t list, const hc_time **at);
  /** It happens: its hosts change. Since 0.3. @param k  from 0 to their number @return 0, or as events of
   *  hosts */
  hc_rc (*happen)(hc_engine *e, size_t list, size_t k, hc_error *error);
  /** When the rest of the plan that was decided last is to be asked for (hc_run_decide_more), ns; HC_NEVER:
   *  it was whole. Since 0.3. */
  hc_time (*rest)(const hc_engine *e);
} hc_engine_services;

typedef struct hc_architecture hc_architecture; /* a component's state */

typedef struct hc_architecture_context {
  const hc_engine_services *services;
  hc_engine *engine;
  const hc_policy_context
      *policy_context; /* its own; a policy's is that of hc_engine_services.policy_context */
  const hc_allocator *allocator;
  hc_chosen policy; /* type is an hc_policy_type */
} hc_architecture_context;

/** How much of a policy can act: what it is shown. What a policy asks for beyond that is refused before the
 *  run starts. */
typedef enum hc_reach {
  HC_REACH_QUEUE, /* all that waits: orders, selectors, placements and shares act */
  /* The tasks of one job at a time: the order says which job is next, selectors act between the tasks of a
   * job, placements act; shares and reservations do not. */
  HC_REACH_JOB,
  HC_REACH_NEXT,  /* one job at a time, on hosts of the architecture's choice: of the policy the order acts */
  HC_REACH_PLACE, /* nothing: the placement acts alone */
  HC_REACH_NONE   /* nothing, and the architecture itself chooses hosts */
} hc_reach;

typedef struct hc_architecture_type {
  hc_component component;
  hc_rc (*init)(const hc_architecture_context *c, const void *options, hc_architecture **out, hc_error *e);
  /** Something happened. Tasks that arrive are to be put into a queue here. */
  hc_rc (*signal)(hc_architecture *self, const hc_signal *s, hc_error *e);
  /** The decision phase of a round: everything of this round has happened. */
  hc_rc (*decide)(hc_architecture *self, hc_error *e);
  hc_rc (*visit)(hc_architecture *self, hc_visitor *v);
  void (*fini)(hc_architecture *self);
  bool hears_hosts;  /* END signals say where the task ran */
  bool offers_hosts; /* views have a scope: policies may need that (HC_NEEDS_SCOPE) */
  bool asks_jobs;    /* as HC_ASKS_JOBS */
  /** The run is over: say what was counted (component.figures), and let the policies say it. NULL:
   *  nothing. */
  hc_rc (*finish)(hc_architecture *self, hc_findings *f);
  /** It calls a policy that declares HC_SETS_RATES, HC_MAY_RESIZE or HC_MAY_POWER whenever something
   *  happened, even if its queue is empty. */
  bool lets_rates;
  /** Its queue may hold tasks before they may start, for a policy that declares HC_PLANS_AHEAD: it hears
   *  HC_TIMER_DUE of each when its time has come. Without it such tasks arrive then, as they do for other
   *  policies. */
  bool lets_ahead;
  /** Whether it only notes what happens until it decides: then the engine puts tasks that arrive into
   *  `queue`, and what happens in a phase is told at its end, by one ARRIVAL and one END signal without a
   *  task (HC_NO_TASK; early if any was). Asked once, after init. NULL: it does not, and hears of each. */
  bool (*gathers)(const hc_architecture *self, uint32_t *queue);
  /** It takes whatever a task gives back for its end, so that what tasks hold cannot change while they
   *  run. */
  bool fixed_amounts;
  /** Whether a change of local load at which nothing could start leaves it as it was: it does not decide
   *  because of it, or a decision in vain takes no time and is not counted. Then `load_wake: needed` leaves
   *  such changes out; else every change is an event. Asked once, after init. NULL: a decision in vain
   *  matters. */
  bool (*is_memoryless)(const hc_architecture *self);
  /** What of a policy acts. */
  hc_reach reach;
  /** What should be said of the run at its end, in a sentence or two; nothing: leave `out` empty. NULL:
   *  nothing. @return 0 or HC_ENOMEM. */
  hc_rc (*note)(const hc_architecture *self, hc_buffer *out);
  /** What of a policy acts, where the options say so. NULL: `reach`. */
  hc_reach (*reach_of)(const void *options);
  /** Views of one queue are of the same hosts at every decision, so that a reservation on them means
   *  something. With `offers_hosts`; without it every view is of all. */
  bool keeps_hosts;
  /** Go on where `signal` or `decide` returned 1, since a plan was to come from outside, with the view that
   *  was to be decided on, and then with what was left to do there. NULL: plans cannot come from outside.
   *  @return as these. */
  hc_rc (*go_on)(hc_architecture *self, hc_error *e);
  /** Decide by another policy from now on: of the same type, with other options. Its one queue is sorted as
   *  that wants already; a plan that was made before is carried out. Between two instants. NULL: its policies
   *  cannot change while it runs (`changes`). @return 0, or what the policy's birth returned. Since 0.2. */
  hc_rc (*repolicy)(hc_architecture *self, const hc_chosen *policy, hc_error *e);
  /** Tasks that ran before the run begins (HC_SPEC_PREFILL) get their place at once. Without it they are
   *  queued like others, and the result says so. Since 0.3. */
  bool places_prefill;
  /** At an instant's end: does a scheduler think, or does what has happened wait for a pass that is not due?
   *  NULL: it decides at once. Since 0.3. */
  bool (*is_thinking)(const hc_architecture *self);
  /** It tells schedulers outside their news (hc_engine_services.tell), and lets their plans come in parts
   *  (hc_engine_services.rest). Since 0.3. */
  bool brings_news;
  /** It asks a policy how long it has thought (hc_policy_type.thought). Without it a policy that says so is
   *  refused. Since 0.3. */
  bool asks_thought;
  /** Does it tell what happens outside of the run (hc_engine_services.incidents)? NULL: no. Since 0.3. */
  bool (*tells_incidents)(const void *options);
} hc_architecture_type;

#ifdef __cplusplus
}
#endif
#endif
