/** @file view.h A view: what a policy may see, during one call, and the table of what it may call.
 *
 *  A view is valid during the call it was given to. Arrays that a service returns are borrowed until the next
 *  call of the same service. Calls are deterministic: randomness comes from `random`. What is kept to answer
 *  with depends on what the run's components declare (hc_policy_flag): an answer to what was not declared
 *  would be made up, so the run ends instead, and says which flag is missing.
 *
 *  Amounts are per dimension. On a cell that counts processors a task needs `units` of them, and dimension 0
 *  is the processor. */
#ifndef HINDCAST_VIEW_H
#define HINDCAST_VIEW_H

#include "hindcast/cell.h"
#include "hindcast/chooser.h"
#include "hindcast/mold.h"
#include "hindcast/plan.h"
#include "hindcast/task.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hc_view hc_view;
struct hc_use_look; /* activity.h */

/** Why a policy is called: a set of these. */
typedef enum hc_why_bit {
  HC_WHY_ARRIVAL = 1, /* tasks have arrived, or those have come to their time that may start from now on */
  HC_WHY_END = 2,     /* tasks have ended: something is free */
  HC_WHY_CELL = 4,    /* hosts came, went, or changed */
  HC_WHY_TIMER = 8, /* a wake-up that the policy asked for, or the turn of a job in an architecture of jobs */
  HC_WHY_PERIOD = 16,    /* the architecture's own clock */
  HC_WHY_HEARTBEAT = 32, /* `host` reports: only it can be used */
  HC_WHY_OFFER =
      64, /* what the view's scope holds is offered (heartbeat, two_level): starting nothing declines it */
  HC_WHY_CONFLICT =
      128, /* a part of the last plan was refused; where jobs take turns, of the last plan for this job */
  HC_WHY_LAST_CALL = 256 /* all were offered before, and nothing was started (HC_WANTS_LAST_CALL) */
} hc_why_bit;

typedef struct hc_why {
  uint32_t bits;  /* of hc_why_bit */
  uint32_t host;  /* HEARTBEAT: the host that reports */
  hc_task task;   /* per-event calls: whose arrival or end; else HC_NO_TASK */
  bool early_end; /* a task ended before its expected end, or its amounts changed: promises may improve */
} hc_why;

/** Which queue: the order of the queue itself, or the second order that a selector declared. */
typedef enum hc_list_id { HC_LIST_QUEUE, HC_LIST_CANDIDATES } hc_list_id;

/** When a task could start, and what is left then. */
typedef struct hc_slot {
  hc_time at;    /* ns; HC_NEVER if never */
  int64_t spare; /* units free at `at` beyond what the task takes */
} hc_slot;

/** What a task holds on one host. */
typedef struct hc_holding {
  uint32_t host; /* 0 on a cell of processors */
  uint32_t slots;
  int64_t amount[HC_DIMENSIONS]; /* by the cell's own dimensions */
} hc_holding;

/** What a task asks of a cell of hosts, beside its demand. */
typedef struct hc_task_shape {
  int64_t slots;                    /* of its demand; of `whole`, hosts */
  bool is_spread;                   /* each slot on another host */
  bool is_whole;                    /* it takes hosts whole that nothing is on */
  bool has_rules;                   /* not every host of its set will do: `could` says which */
  uint32_t set;                     /* name of the only set of hosts that will do; HC_NO_NAME: any */
  uint32_t least_hosts, most_hosts; /* how many hosts its slots may lie on; 0: it says nothing of that */
  uint32_t at_once;                 /* how many tasks of its job may run at once; 0: any number */
  const uint32_t *sets; /* [set_count] names of further sets, any of which will do; borrowed while it lives */
  size_t set_count;
  uint32_t reservation; /* name of the advance reservation that it names, or of several, a,b; HC_NO_NAME */
  uint32_t switches;    /* most leaf switches that its hosts may be of; 0: any number */
  hc_time switch_wait;  /* ns that it waits for so few; HC_UNKNOWN: it does not say */
  hc_time least_limit;  /* what its limit may be cut to; 0: it may not be cut */
  uint32_t exclusive;   /* hc_exclusive: who else may be on its hosts */
  uint32_t component;   /* its number among the tasks of its job that start together, from 1; 0: none */
  uint32_t again;       /* hc_again: may it be run again when it was preempted? */
} hc_task_shape;

/** A reason why a task waits. */
typedef enum hc_note {
  HC_NOTE_NONE,     /* what was noted of promises in this decision is so no more: others follow */
  HC_NOTE_PROMISE,  /* it is promised a start at `at`: a reservation that is not on the timeline */
  HC_NOTE_DEADLINE, /* it is promised to start by `at`, which may be later than it is planned for */
  /* Started now it would delay `other`, which is promised a start at `at`, when `amount` units would be left
   * over beside that. */
  HC_NOTE_DELAYS,
  /* Started now, `other` could start at `amount` (ns) at the earliest, and it is promised to start by `at`.
   * */
  HC_NOTE_MOVES,
  /* Started now it would run to or past `at`, when `other` is promised a start, and though there would be
   * room for both a rule of the policy forbids that. */
  HC_NOTE_CROSSES,
  HC_NOTE_BEHIND /* `other` stands before it and has to start first */
} hc_note;

/** What a task waits for, or reads, as a planner of workflows sees it. */
typedef struct hc_feed {
  uint32_t from; /* which of hc_workflow.tasks; HC_NO_FEED: a task that is over, or none */
  uint32_t host; /* where the item lies; HC_NO_HOST: it is not made yet, or there is none */
  int64_t bytes; /* that are read; 0: it only waits */
} hc_feed;
#define HC_NO_FEED UINT32_MAX

typedef struct hc_workflow_task {
  uint64_t serial;
  int64_t job;   /* -1: none */
  int64_t makes; /* bytes of the items that it makes */
  hc_task task;
  uint32_t first, feeds; /* in hc_workflow.feeds */
  bool runs;
  bool waits;   /* it is in the view's queue: all that it waited for has happened */
  bool is_open; /* it waits for what has not arrived, too */
} hc_workflow_task;

/** A running task that is at a scheduling point of its profile, where nothing of it goes on. Since 0.3. */
typedef struct hc_at_point {
  hc_task task;
  int64_t wants; /* so many slots it asks for itself; 0: it asks for nothing */
} hc_at_point;

/** All tasks that are there, and what each of them waits for. */
typedef struct hc_workflow {
  const hc_workflow_task *tasks; /* [count] ascending by serial */
  const hc_feed *feeds;          /* [feed_count] */
  size_t count, feed_count;
} hc_workflow;

/** What a policy may call: questions to a view, and the actions of a plan. */
typedef struct hc_services {
  uint32_t size, abi;

  /* -- time, chance, memory -- */
  hc_time (*now)(const hc_view *v);
  /** 64 uniform bits, the same for the same (seed, replication, `entity`, `draw`). */
  uint64_t (*random)(const hc_view *v, uint64_t entity, uint64_t draw);
  /** Scratch memory, zeroed, freed when the call returns; NULL if there is none. */
  void *(*scratch)(hc_view *v, size_t size);

  /* -- the queue -- */
  size_t (*queued)(const hc_view *v); /* tasks that wait and may start */
  /** The next task after the cursor that passes the filter (NULL: any), moving the cursor behind it;
   *  HC_NO_TASK if none does. O(log queued) for a static order. Tasks started meanwhile are skipped. */
  hc_task (*next)(const hc_view *v, hc_list_id list, hc_cursor *at, const hc_filter *filter);
  /** Put a cursor just behind a task, queued or not. */
  void (*behind)(const hc_view *v, hc_list_id list, hc_task t, hc_cursor *at);
  /** Number `k` of those queued, in their order, from 0: cheaper than as many calls of `next`. HC_NO_TASK
   *  past the end. */
  hc_task (*queued_at)(const hc_view *v, hc_list_id list, size_t k);

  /* -- a task -- */
  uint64_t (*serial)(const hc_view *v, hc_task t); /* its name for ever: rank of submission */
  /** HC_NO_TASK if it is not waiting or running. Cost: O(live tasks). */
  hc_task (*find)(const hc_view *v, uint64_t serial);
  bool (*waits)(const hc_view *v, hc_task t);
  /** Ran it before the run began (HC_SPEC_PREFILL)? Then it is to be given its place, not to be decided
   *  on. */
  bool (*prefilled)(const hc_view *v, hc_task t);
  int64_t (*units)(const hc_view *v, hc_task t); /* processors; on hosts, of the first dimension in all */
  int64_t (*demand)(const hc_view *v, hc_task t, uint32_t dimension); /* on each of them */
  /** On a cell of hosts: of how many times its demand a task is made, on one host or several; else 0. */
  int64_t (*slots)(const hc_view *v, hc_task t);
  hc_time (*estimate)(const hc_view *v,
                      hc_task t); /* run time that may be believed, ns; HC_NEVER if none. Not with
                                                       HC_IGNORES_TIME */
  hc_time (*submitted)(const hc_view *v, hc_task t);
  /** The earliest time at which a task may start, as its trace says (schedule_after); its submission if it
   *  says nothing. Of a waiting task it is later than now only for components that declare HC_PLANS_AHEAD:
   *  such a task does not fit, `start` of it is HC_EPOLICY and so is `reserve` before that time, no start of
   *  it is harmless, and `earliest` is not before it. The policy is called again when the time has come
   *  (HC_WHY_ARRIVAL), in the phase of timers of that instant. @return ns. O(1). */
  hc_time (*not_before)(const hc_view *v, hc_task t);
  int64_t (*user)(const hc_view *v, hc_task t);
  /** HC_ASKS_JOBS, as `group` and `queue`. The job that a task belongs to; -1: none that its source names.
   *  Jobs of other sources than the first have the source's number, from 0, above bit 56: unique as long as
   *  no source numbers its jobs beyond that. */
  int64_t (*job)(const hc_view *v, hc_task t);
  int64_t (*group)(const hc_view *v, hc_task t); /* -1 unknown */
  int64_t (*queue)(const hc_view *v, hc_task t); /* as the source names it; -1 unknown */
  int64_t (*priority)(const hc_view *v, hc_task t);

  /* -- running tasks -- */
  /** In the order of their expected end; without HC_NEEDS_TIMELINE one that runs past it stands where that
   *  was. Cost: a look at each live task and a sort of those that run, at every call. */
  size_t (*running)(const hc_view *v, const hc_task **tasks);
  hc_time (*started)(const hc_view *v, hc_task t);
  hc_time (*expected_end)(const hc_view *v,
                          hc_task t); /* by its estimate; later than now while it runs. HC_NEEDS_TIMELINE */
  /** What a running task holds, host by host; while TAKEN or GIVEN is heard, what that task takes or gives.
   *  @param out borrowed until the next call. @return how many; 0: nothing */
  size_t (*held)(const hc_view *v, hc_task t, const hc_holding **out);
  /** How much of a running task's work would be lost if it were stopped now as said, ns at speed 1. */
  hc_time (*loses)(const hc_view *v, hc_task t, const hc_stopping *how);
  /** When a running task that has been told to go will be stopped; HC_NEVER: it has not been told. */
  hc_time (*leaves)(const hc_view *v, hc_task t);
  /** The rate of a running task; 0 also while it is suspended; -1: it does not run. */
  int64_t (*rate)(const hc_view *v, hc_task t);
  /** What sizes `resize` may give a task, in slots on a cell of hosts and processors elsewhere. Of a rigid
   *  task, and of one that this plan has started, the same two: the size that it has. */
  void (*sizes)(const hc_view *v, hc_task t, int64_t *least, int64_t *most);

  /* -- the cell -- */
  uint32_t (*dimensions)(const hc_view *v);
  /** The lexicon's number of one of the cell's dimensions, below `dimensions`. */
  uint32_t (*dimension_id)(const hc_view *v, uint32_t dimension);
  int64_t (*capacity)(const hc_view *v, uint32_t dimension);
  int64_t (*free_units)(const hc_view *v); /* processors or whole hosts that nothing holds now */
  /** On a cell of hosts: what is free on a host, and what it has. @param capacity out, [dimensions]; may be
   *  NULL @return [dimensions], borrowed until the plan is next touched; NULL on another cell, or if there is
   *  no such host. */
  const int64_t *(*host_free)(const hc_view *v, uint32_t host, const int64_t **capacity);
  /** What plans have made of a host: ON also where it is down for another reason. */
  hc_power_state (*powered)(const hc_view *v, uint32_t host);
  size_t (*scope)(const hc_view *v, const hc_range **hosts); /* what this call may use; 0: everything */
  bool (*fits)(const hc_view *v, hc_task t);                 /* could it start now, placement included? */
  /** Would a waiting task fit on this host (0 on a cell of processors: anywhere) if these running tasks gave
   *  back what they hold? Placement, constraints and devices included; local load and promises of hosts are
   *  not. Cost: O(count). */
  bool (*fits_without)(const hc_view *v, hc_task t, uint32_t host, const hc_task *running, size_t count);

  /* -- the future, as expected ends and reservations have it: HC_NEEDS_TIMELINE -- */
  /** Earliest start of `t` at or after `from`, as if it were not reserved yet. O(log running) without
   *  reservations; each reservation in the way costs one more step. */
  hc_slot (*earliest)(const hc_view *v, hc_task t, hc_time from);
  /** Fewest units free at any time in [from, to). */
  int64_t (*least_free)(const hc_view *v, hc_time from, hc_time to);
  hc_time (*reserved)(const hc_view *v, hc_task t); /* HC_NEVER if it has none */
  /** True if fitting is more than counting: the placement needs a range, or hosts differ. Then ask
   *  `harmless`. */
  bool (*places_matter)(const hc_view *v);
  /** Would starting `t` now leave every reservation possible? HC_ASKS_HARMLESS. For one that declares
   *  HC_MAKES_RESERVATIONS alone: does it fit beside the hosts that are promised? On hosts a replay of what
   *  runs, past each reservation that it would overlap. */
  bool (*harmless)(const hc_view *v, hc_task t);

  /* -- the plan: starts and reservations -- */
  /** Start a waiting task now. @param hosts [count] which; NULL: the configured placement chooses.
   *  @return 0, HC_EPOLICY (not waiting, does not fit), HC_ENOMEM. Drops the task's reservation. */
  hc_rc (*start)(hc_plan *p, hc_task t, const hc_range *hosts, size_t count);
  /** Start from the head of the queue, in its order, until a task does not fit: next, fits and start by
   *  turns, at a third of their cost. @param blocked the one that does not fit; HC_NO_TASK: no task waits any
   *  more. @return 0, or HC_ENOMEM. */
  hc_rc (*start_heads)(hc_plan *p, hc_task *blocked);
  /** As `start`, of a task that runs `pace` times as long where it starts, its estimate and limit with it, as
   *  on slower hosts. HC_PACES. @param pace > 0, finite. @return as start. */
  hc_rc (*start_paced)(hc_plan *p, hc_task t, const hc_range *hosts, size_t count, double pace);
  /** Promise a start: the task's claim stands on the timeline of every later call until it starts, or is
   *  reserved anew. On a cell of hosts, for a policy that does not declare HC_ASKS_HARMLESS, it holds the
   *  hosts that the placement finds free from `at` on for as long as the task is believed to run (those that
   *  `earliest` just found), and HC_EPOLICY says that there are none; `fits`, `harmless` and `start` respect
   *  that. HC_MAKES_RESERVATIONS. @param at >= now. @return 0, HC_EPOLICY, HC_ENOMEM. */
  hc_rc (*reserve)(hc_plan *p, hc_task t, hc_time at);
  /** On a cell of hosts, for a policy that declares HC_ASKS_HARMLESS, promise a start on the very hosts that
   *  the placement would choose at `at`: until then others may use them, and `harmless` refuses what would
   *  run on one of them past it. Elsewhere the same as `reserve`. @return as `reserve`. */
  hc_rc (*reserve_hosts)(hc_plan *p, hc_task t, hc_time at);
  hc_rc (*unreserve)(hc_plan *p, hc_task t); /* 0 also if it had none */
  hc_rc (*unreserve_all)(hc_plan *p);        /* O(reservations) */
  hc_rc (*reject)(hc_plan *p, hc_task t, const char *reason);
  hc_rc (*wake)(hc_plan *p, hc_time at); /* call again then, with HC_WHY_TIMER */

  /* -- the plan: running tasks -- */
  hc_rc (*preempt)(hc_plan *p, hc_task t, hc_stop how); /* as `stop`, at once */
  /** Stop a running task, now or after a grace. One that has been told may be stopped at once (grace 0),
   *  and not be told again. HC_MAY_PREEMPT. @return 0, HC_EPOLICY (it does not run, or has been told),
   *  HC_ENOMEM. */
  hc_rc (*stop)(hc_plan *p, hc_task t, const hc_stopping *how);
  /** A running task has another size from now on, between the bounds of `sizes`: so many slots on a cell of
   *  hosts, processors elsewhere. Its work is conserved: with half of its slots it takes twice as long, or
   *  with a law of speed-up as much longer as that says (speed_in), and any size of which the law says
   *  nothing is out of its bounds. Its expected end moves; reservations in whose way it comes to stand are
   *  void, as with set_rate. Once for a task in a plan, which does nothing else to it. HC_MAY_RESIZE.
   *  @param hosts [count] ascending: where it gets the further slots, as many on each as fit; or just what it
   *  gives up, a slot of a host as often as that is named. On a cell of intervals processors, just these.
   *  NULL: the configured placement chooses, and the last are given up. @return 0, HC_EPOLICY (it does not
   *  run, or has been told to go; the size is out of its bounds; there is no room), HC_ENOMEM.
   *
   *  Of a task with a profile, under a model of execution, it is a wish that stands until the task comes to
   *  its next scheduling point: it gives up the last then, or gets what is free then up to so many, and the
   *  wish stands for the rest. Its own size takes the wish back. Nothing is reserved, and `hosts` say
   *  nothing. */
  hc_rc (*resize)(hc_plan *p, hc_task t, int64_t size, const hc_range *hosts, size_t count);
  /** Let a running task, or one that this plan has started, do its work at another rate from now on. It holds
   *  what it holds, at rate 0 too. Its expected end moves; reservations in whose way it comes to stand are
   *  void, the latest starts first, until all that are left can be kept: the policy makes them anew. @param
   *  rate of HC_RATE_ONE, which is its own: half of that takes twice as long. 0 .. HC_RATE_MOST @return 0,
   *  HC_EPOLICY (it does not run, is suspended, or has been told to go), HC_ENOMEM. */
  hc_rc (*set_rate)(hc_plan *p, hc_task t, int64_t rate);
  /** A running task does nothing from now on and gives back all that it holds, which others may take; it
   *  keeps its place and what it has done. @return as set_rate. */
  hc_rc (*suspend)(hc_plan *p, hc_task t);
  /** It takes again what it held, where it held it, and goes on at the rate that it had. Reservations: as
   *  set_rate. @return 0, HC_EPOLICY (it is not suspended, or another task holds what it held), HC_ENOMEM. */
  hc_rc (*resume)(hc_plan *p, hc_task t);

  /* -- the plan: hosts -- */
  /** Switch a host off or on, which takes so long. Off: nothing is on it, and no task is promised it; it is
   *  away at once. On: it is there when that is over, after it has stopped if it is still stopping.
   *  HC_MAY_POWER. Its outcome is heard with HC_NO_TASK; `powered` says what has become of the host.
   *  @param takes ns, >= 0
   *  @return 0, HC_EPOLICY (it is so already, or it cannot be switched off), HC_ENOMEM */
  hc_rc (*power)(hc_plan *p, uint32_t host, bool on, hc_time takes);

  /* -- explanations: only recorded when they were asked for (`hindcast why`) -- */
  bool (*explaining)(const hc_view *v);
  void (*explain)(const hc_view *v, hc_task t, const char *format, ...) __attribute__((format(printf, 3, 4)));
  /** The task that was asked about, if it waits in the view's queue; HC_NO_TASK: there is nothing to explain
   *  here. O(1). */
  hc_task (*asked)(const hc_view *v);
  /** Say why a task waits, as one of hc_note says it: what `hindcast why` then puts into words. Heard of the
   *  task that was asked about, and PROMISE of any task. Reservations that stand when the call returns need
   *  no note: they are seen. Changes nothing.
   *  @param other the task that is in its way; HC_NO_TASK: none  @param at ns  @param amount as hc_note says
   *  */
  void (*note)(const hc_view *v, hc_task t, hc_note what, hc_task other, hc_time at, int64_t amount);

  /* -- the plan: trying -- */
  /** Where the plan stands, for `take_back`. O(1). */
  hc_plan_mark (*mark)(const hc_plan *p);
  /** Undo what was planned since the mark, newest first: the view is what it was then, and what follows a
   *  policy's tasks hears it. @return 0, HC_ENOMEM. Cost: that of the actions. */
  hc_rc (*take_back)(hc_plan *p, const hc_plan_mark *mark);

  /* -- dependencies -- */
  /** The stage of a waiting task: the tasks of its name (its job and its number in it), or if no task
   * waits for these, all of its job. @param over how many of them are over @param all how many have come
   * @return false: no task waits for them */
  bool (*stage)(const hc_view *v, hc_task t, uint64_t *over, uint64_t *all);

  /* -- data -- */
  /** Names (of the lexicon) of the hosts and zones where a task's data are, as its trace says; NULL: it says
   *  nothing. @param count out @return [count], borrowed while the task lives */
  const uint32_t *(*prefers)(const hc_view *v, hc_task t, size_t *count);

  /* -- workflows: HC_PLANS_WORKFLOWS -- */
  /** All tasks that are there, also those that wait for others, which are in no queue. A task that waits for
   *  a whole job has a feed for each task of it. Lies in the call's scratch memory: it stays as it is while
   *  the plan changes. @return NULL: there is no memory for it, or there are more feeds than 2^31. Cost:
   *  O(live tasks log live tasks + feeds) */
  const hc_workflow *(*workflow)(hc_view *v);
  /** Seconds that bytes take from one host to another, alone on the run's network; 0 in a run whose model
   *  moves no items; INFINITY: no way leads there. Cost: O(links of the route). */
  double (*takes)(const hc_view *v, uint32_t from, uint32_t to, double bytes);
  /** Could any task, held ones included, start on this host if nothing else was there? False also while the
   *  host is down. On a cell of hosts. */
  bool (*could)(const hc_view *v, hc_task t, uint32_t host);
  /** Bring what a task reads, and is not running, to a host: what is made already at once, the rest as soon
   * as it is made, whether the task starts there or not. @return 0, HC_EPOLICY, HC_ENOMEM. */
  hc_rc (*fetch)(hc_plan *p, hc_task t, uint32_t host);

  /* -- the future, for a rule that has tasks end before a reservation and not at it -- */
  /** `harmless` for a task that ran `longer` than it is believed to. With 1 ns, one that ends exactly when a
   *  reservation begins is in its way. */
  bool (*harmless_for)(const hc_view *v, hc_task t, hc_time longer);

  /* -- ends -- */
  /** Is what ends a running task, when it ends, its limit or its user, as far as the run and the log know?
   *  Asked while RELEASED is heard. HC_ASKS_JOBS. */
  bool (*is_killed)(const hc_view *v, hc_task t);

  /* -- hosts chosen one by one -- */
  /** Is a host there, and does it take new tasks: neither down, nor drained, nor switched off? */
  bool (*takes_new)(const hc_view *v, uint32_t host);
  /** Is this one of the cell's dimensions what its hosts share: licences? */
  bool (*is_shared)(const hc_view *v, uint32_t dimension);
  /** What a task asks, on a cell of hosts. O(1). */
  void (*shape)(const hc_view *v, hc_task t, hc_task_shape *out);
  /** As `start`, with so many slots of the task on each of these hosts. HC_PLACES_HOSTS.
   *  @param dealt [count] ascending by host, each with at least 1 slot, as many in all as the task has
   *  @return as start; HC_EPOLICY also where one of them has no room for so many */
  hc_rc (*start_dealt)(hc_plan *p, hc_task t, const hc_host_room *dealt, size_t count);
  /** As `could`, of one slot of a task: could that be on this host, whatever hosts the others are on? */
  bool (*could_slot)(const hc_view *v, hc_task t, uint32_t host);
  /** As `start_dealt`, of a task whose limit is `limit` for this attempt: where it would run longer it ends
   *  then, as at its own limit. What is believed of it is no longer than that, either. Where it is stopped
   *  and waits again it has its own limit again. HC_CUTS_LIMITS.
   *  @param limit ns, more than 0 @return as start_dealt */
  hc_rc (*start_limited)(hc_plan *p, hc_task t, const hc_host_room *dealt, size_t count, hc_time limit);
  /** Say in which of its sets (hc_task_shape) a task is that this plan has just started: its record has the
   *  partition of that name, in place of the list that it asked for. Of a task of one set it says nothing.
   *  @param set name of the set @return 0, HC_EPOLICY: the plan's last action is no start of it */
  hc_rc (*starts_in)(hc_plan *p, hc_task t, uint32_t set);
  /** A waiting task that is moldable (HC_SIZED_AT_START) asks for so many slots from now on: one with a
   *  profile any number between the bounds of `sizes`, another one (HC_MOLDS) a size that it offers, whose
   *  estimate it then has. Its place in its queue is that of a task of this size.
   *  @return 0, HC_EPOLICY (it does not wait, or may not have that size, or, without a profile, has a
   *  reservation), HC_ENOMEM */
  hc_rc (*mold)(hc_plan *p, hc_task t, int64_t size);
  /** The size that `resize` has asked for of a task with a profile, which it gets at its next scheduling
   *  point if there is room; 0: none, or it has it. */
  int64_t (*wished)(const hc_view *v, hc_task t);

  /* -- states of power -- */
  /** Put a host into one of the states of power that the run's `power` has for it, from 0: it draws what
   *  that says, and what runs on it, now or from a later start on, goes on at the speed of that state; a
   *  task on several hosts at that of the slowest. So a rate that the policy has set itself (set_rate)
   *  is replaced. What is promised: as with set_rate. HC_SETS_PSTATES. @return 0, HC_EPOLICY (there is
   *  no such state), HC_ENOMEM. Cost: O(live tasks). Since 0.3. */
  hc_rc (*pstate)(hc_plan *p, uint32_t host, uint32_t state);
  /** The state that a plan has put it into last; HC_POWER_STATES: none. O(1). Since 0.3. */
  uint32_t (*pstate_of)(const hc_view *v, uint32_t host);

  /* -- moldable tasks: HC_MOLDS -- */
  /** The sizes that a waiting task may start with, ascending. Of one with a profile each between the bounds
   *  of `sizes`, and what is believed of it is the same in each.
   *  @param out  [cap] @param asked, preferred  out, where all of them fit: which one it asks for by itself,
   *  and which one its user prefers
   *  @return how many (may exceed `cap`; then `out` has the first); 0: its size is what it is. It has a
   *  reservation, or work saved in a size; or it may not start yet. Cost: O(sizes). Since 0.3 */
  size_t (*offers)(const hc_view *v, hc_task t, hc_mold_offer *out, size_t cap, size_t *asked,
                   size_t *preferred);
  /** As `earliest`, if it had this size, which it offers. HC_NEEDS_TIMELINE. Since 0.3 */
  hc_slot (*earliest_as)(const hc_view *v, hc_task t, int64_t size, hc_time from);
  /** As `fits`, and if asked as `harmless_for` (HC_ASKS_HARMLESS), if it had this size, which it offers.
   *  Since 0.3 */
  bool (*fits_as)(const hc_view *v, hc_task t, int64_t size, bool harmless, hc_time longer);

  /* -- classes of hosts -- */
  /** How fast a task would be on hosts of a class of the cell with nothing on them, its slots on as few of
   *  them as they fit on, the first by number: so much of its run time, as its source says it, is done in a
   *  second. Speeds of hosts and the run's slowdowns count. The same all through the run. Cost: O(hosts).
   *  @param host_class  of hc_cell_spec.classes
   *  @return 0: it does not fit there, or the cell has no hosts. Since 0.3 */
  double (*speed_on)(const hc_view *v, hc_task t, uint32_t host_class);
  /** With `cannot_grow: reserve`: units of room that a running task waits for at its scheduling point. While
   *  any does, a policy that declares HC_MAY_RESIZE starts nothing and lets nothing grow; it may let tasks
   *  shrink. Another policy is not called.
   *  @param t  HC_NO_TASK: of all that wait @return 0: it does not wait, or nothing is reserved. Cost:
   *  O(those that wait). Since 0.3 */
  int64_t (*awaited)(const hc_view *v, hc_task t);

  /* -- sizes and what they are worth -- */
  /** How many times as fast as in one slot a task is in a size between the bounds of `sizes`, by its law of
   *  speed-up; without a law, as many as it has slots. Of a waiting one that may have that size only once it
   *  runs, too. @return 0: it is rigid, its law does not know that size, or a model of execution says how
   *  long it is. Cost: O(log sizes). Since 0.3 */
  double (*speed_in)(const hc_view *v, hc_task t, int64_t size);
  /** As `resize`, and before the task goes on in its new size it does nothing for so long: what a change
   *  costs it. A pause that is not over then goes on until the later of the two ends. Its size now is no
   *  change, and costs nothing. HC_MAY_RESIZE. @param pause ns, >= 0 @return as resize; HC_EPOLICY also if
   *  there is a pause and a model of execution. Since 0.3 */
  hc_rc (*resize_pausing)(hc_plan *p, hc_task t, int64_t size, const hc_range *hosts, size_t count,
                          hc_time pause);

  /* -- decisions that are not made here -- */
  /** Say why the call at hand fails, where what it returns does not say it. The first failure of a run
   *  counts. @param where  "policy process" @param text  what is wrong, then what to do: as it is, no format
   *  @return rc, which the call is to return. Since 0.3 */
  hc_rc (*fail)(const hc_view *v, hc_rc rc, const char *where, const char *text);
  /** Was the run told to end (hc_run_cancel)? For what waits longer than a decision takes: it returns
   *  HC_ECANCELLED. Since 0.3 */
  bool (*is_cancelled)(const hc_view *v);

  /* -- plans whose maker is told of them: of the policy `outside` under the architecture `messages` -- */
  /** The action that was planned last goes with the one before it: both are one message, taken at one time.
   *  For `power`, `pstate` and `report`. @return 0; HC_EPOLICY: it is another action, or the first. O(1).
   *  Since 0.3. */
  hc_rc (*join)(hc_plan *p);
  /** Tell the plan's maker (HC_NEWS_DONE) when what this is joined with is over: at once, or when the last
   *  host among it has been switched, and that has been told by a message of the host. @param id what it is
   *  told by; negative: it is a message as others are, and nothing is told @param energy with what all hosts
   *  have drawn when its message was taken, which the metric energy counts (`trace: true`). @return 0;
   *  HC_EPOLICY: nothing is told here; HC_ENOMEM. Since 0.3. */
  hc_rc (*report)(hc_plan *p, int64_t id, bool energy);

  /* -- scheduling points that the policy decides: hc_policy_type.decides_points -- */
  /** Running tasks that are at a scheduling point, in the order in which they came, without those that the
   *  plan lets go on. @param out  borrowed until the plan is next touched @return how many. Cost: O(of them).
   *  Since 0.3 */
  size_t (*at_points)(hc_view *v, const hc_at_point **out);
  /** A task goes on from its scheduling point, on just these hosts, a slot on each: on those that it has it
   *  keeps what it holds, the others are taken, what it holds elsewhere is free at once. Its slots lie on a
   *  host each. HC_MAY_RESIZE.
   *  @param hosts  [count] ascending, disjoint; NULL: as it is
   *  @return 0, HC_EPOLICY (it is at no point, or may not have so many, or more than one slot of it may lie
   *  on a host; one of these hosts has no room for it), HC_ENOMEM. Since 0.3 */
  hc_rc (*leave_point)(hc_plan *p, hc_task t, const hc_range *hosts, size_t count);

  /** What is used of cores, links and disks now, as metrics see it (activity.h). Asked by a policy that says
   *  so (hc_policy_type.looks_at_use). @param out  its arrays are borrowed until the next look
   *  @return 0; HC_EPOLICY: it does not say so; HC_ENOMEM. Cost: O(links + activities on them). Since 0.3 */
  hc_rc (*look)(hc_view *v, struct hc_use_look *out);

  /** The number that its source gave a task (hc_task_spec.id). O(1). Since 0.3 */
  int64_t (*source_id)(const hc_view *v, hc_task t);
} hc_services;

/** What a component needs or does; what cannot combine is refused before the run starts, and a policy that
 *  asks what needs a flag that it does not declare ends the run. */
typedef enum hc_policy_flag {
  HC_NEEDS_ESTIMATE = 1,      /* plans with run times: tasks without an estimate count as endless */
  HC_NEEDS_TIMELINE = 2,      /* asks earliest, least_free, expected_end: the cell keeps expected ends */
  HC_MAY_PREEMPT = 4,         /* stops running tasks: preempt, stop */
  HC_MAY_RESIZE = 8,          /* resizes them; wants to be called even if the queue is empty */
  HC_MAKES_RESERVATIONS = 16, /* promises starts: reserve, reserve_hosts */
  HC_PLACES_HOSTS = 32,       /* names hosts itself */
  HC_VARIES = 64,             /* an order whose key changes with time: sorted anew at each decision */
  /* Asks `harmless` before it starts a task past a reservation: right wherever places matter. It changes
     what a reservation is on a cell of hosts: with it, a time at which there will be room (or hosts held
     from then on, reserve_hosts); without it, hosts for as long as the task is believed to run. */
  HC_ASKS_HARMLESS = 128,
  /* Asks no estimate, expected end or earliest start, and reserves nothing: what is needed to answer need not
   * be kept. */
  HC_IGNORES_TIME = 256,
  /* A selector that starts no task but the first of the queue: what the others could do with less local load
   * calls for no decision. */
  HC_HEAD_ONLY = 512,
  HC_TIME_DEPENDENT = 1024, /* may decide differently at another time although nothing else has changed */
  HC_BY_SUBMISSION = 2048,  /* an order whose key is the time of submission: need not be called */
  HC_NEEDS_SCOPE = 4096, /* compares the hosts that it is offered: wants an architecture that offers some */
  HC_ASKS_JOBS = 8192,   /* asks which job a task belongs to, its group, or its source's queue */
  HC_PACES = 131072,     /* starts tasks that run longer on some hosts (start_paced) */
  HC_WANTS_LAST_CALL =
      1048576, /* may start something when all hosts were offered in vain and are offered again */
  /* Suspends tasks or changes their rates; wants to be called at its own wakes even if the queue is empty. */
  HC_SETS_RATES = 2097152,
  HC_ASKS_FITS = 33554432, /* asks `next` with a filter that `fits`: failures are then remembered by demand */
  HC_SHARES = 16777216, /* divides what there is between users or pools: wants to be shown all queued tasks */
  /* Plans tasks that may not start yet (not_before): where the architecture lets them, they join the queue
   * when they are submitted and not when their time comes. */
  HC_PLANS_AHEAD = 4194304,
  HC_FOLLOWS_TASKS = 67108864, /* an order that is told of tasks (on_task_event) */
  /* Makes no plan: each comes from the caller of the run (hc_run_wait_decision). */
  HC_DECIDED_OUTSIDE = 134217728,
  /* Plans tasks that wait for others (workflow, takes, could, fetch): wants to be the only scheduler. */
  HC_PLANS_WORKFLOWS = 536870912,
  /* Switches hosts off and on; wants to be called at its own wakes even if the queue is empty. */
  HC_MAY_POWER = 268435456,
  /* Deals a task's slots to as many hosts as it says (host_count), and starts no more tasks of its job than
     may run at once (at_once). */
  HC_KEEPS_HOST_COUNTS = 262144,
  /* A selector whose promises bind it after the decision in which it made them: no rule may start tasks
   * beside it (`preempt` of the policy batch). */
  HC_BINDS_ITSELF = 16384,
  /* Puts hosts into states of power (pstate): with HC_MAY_POWER and HC_SETS_RATES. Since 0.3. */
  HC_SETS_PSTATES = 1073741824,
  HC_MOLDS = 524288,      /* settles the sizes of moldable tasks: offers, mold */
  HC_CUTS_LIMITS = 32768, /* starts tasks with a shorter limit than their own (start_limited) */
  /* Looks at a task's terms: its reservation, its least limit, a bound on switches (hc_task_extras). */
  HC_KEEPS_TERMS = 65536,
  /* Decides at instants of its own, on hosts that it picks from books of its own: wants to be the only
   * scheduler, to be called at each of those instants, and that nothing but amounts, which hosts are up and
   * what a task says of hosts keeps a task from a host. */
  HC_GOES_BY_BOOKS = 8388608
} hc_policy_flag;
/** One more, which is no int: it bounds what all hosts draw, now or in all, by what it starts itself. Nothing
 *  beside it may resize tasks; and if it counts on ends (HC_NEEDS_TIMELINE) no task may run past what is
 *  believed of it. Since 0.3. */
#define HC_BOUNDS_DRAW 0x80000000u

/** What happens to a task, as a policy that keeps its own books is told. */
typedef enum hc_task_event {
  HC_TASK_EVENT_QUEUED,    /* it has joined the queue */
  HC_TASK_EVENT_DEQUEUED,  /* it has left the queue */
  HC_TASK_EVENT_ALLOCATED, /* it holds `amounts` of the cell from now on */
  HC_TASK_EVENT_RELEASED   /* it has given `amounts` of the cell back */
} hc_task_event;

#ifdef __cplusplus
}
#endif
#endif
