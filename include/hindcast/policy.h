/** @file policy.h Who runs next. A policy is asked with a *view*, and answers by calls on a *plan*.
 *
 *  Each call on the plan is checked against the view and applied to it at once, so that the next question
 *  sees it. What cannot be (a start that does not fit) is refused at the call with HC_EPOLICY and changes
 *  nothing. When the policy returns, the architecture hands the plan to the engine, at once or after a time
 *  of thought, when it is checked again on the live cell: there the same action may fail with HC_ECONFLICT,
 *  which is normal for shared state. The policy hears what became of each action in `outcome`.
 *
 *  What is kept to answer with depends on what the run's components declare (hc_policy_flag). Who asks what
 *  it did not declare is not told something made up: the run ends, and says which flag is missing.
 *
 *  A view is valid during the call it was given to. Arrays that a service returns are borrowed until the next
 *  call of the same service. A policy has no globals, never waits, and reaches the simulator only through
 *  `hc_services`; it links against nothing. Calls are deterministic: randomness comes from `random`.
 *
 *  Amounts are per dimension. On a cell that counts processors a task needs `units` of them, and dimension 0
 *  is the processor. Why the interface has this shape: docs/policy-interface.md. */
#ifndef HINDCAST_POLICY_H
#define HINDCAST_POLICY_H

#include "hindcast/cluster.h"
#include "hindcast/task.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hc_view hc_view; /* what a policy may see, during one call */
typedef struct hc_plan hc_plan; /* what it decides */

/** Why a policy is called: a set of these. */
typedef enum hc_why_bit {
  HC_WHY_ARRIVAL = 1,    /* tasks have arrived, or those have come to their time that may start from now on */
  HC_WHY_END = 2,        /* tasks have ended: something is free */
  HC_WHY_CELL = 4,       /* hosts came, went, or changed */
  HC_WHY_TIMER = 8,      /* a wake-up that the policy asked for, or the turn of a job in an architecture of jobs */
  HC_WHY_PERIOD = 16,    /* the architecture's own clock */
  HC_WHY_HEARTBEAT = 32, /* `host` reports: only it can be used */
  HC_WHY_OFFER = 64,     /* what the view's scope holds is offered (heartbeat, two_level): starting nothing declines it */
  HC_WHY_CONFLICT = 128, /* a part of the last plan was refused; where jobs take turns, of the last plan for this job */
  HC_WHY_LAST_CALL = 256 /* all were offered before, and nothing was started (HC_WANTS_LAST_CALL) */
} hc_why_bit;

typedef struct hc_why {
  uint32_t bits;  /* of hc_why_bit */
  uint32_t host;  /* HEARTBEAT: who reports */
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

/** How a running task is stopped: it waits again and does again what it did since it last started; that is
 *  its end; or it waits again and has kept what it did. */
typedef enum hc_stop { HC_STOP_REQUEUE, HC_STOP_KILL, HC_STOP_CHECKPOINT } hc_stop;

/** The same in full. All times in ns. */
typedef struct hc_stopping {
  hc_stop how;
  hc_time grace;    /* it is told, and runs on for so long unless it ends by itself; what it holds is nobody else's till
                       then. 0: it stops at once */
  hc_time every;    /* CHECKPOINT: its work was last saved at a whole multiple of this, of work since it started; 0: it is
                       saved when it stops */
  hc_time overhead; /* CHECKPOINT: what it runs longer for that when it starts again */
} hc_stopping;

/** What a task holds on one host. */
typedef struct hc_holding {
  uint32_t host; /* 0 on a cell of processors */
  uint32_t slots;
  int64_t amount[HC_DIMENSIONS]; /* by the cell's own dimensions */
} hc_holding;

/** What a policy may call. Grows only at its end; test `size` before using a member past the ones you
 *  know. */
typedef struct hc_services {
  uint32_t size, abi;

  /* -- time and chance -- */
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

  /* -- a task -- */
  uint64_t (*serial)(const hc_view *v, hc_task t);    /* its name for ever: rank of submission */
  /** HC_NO_TASK if it is not waiting or running. Cost: O(live tasks). */
  hc_task (*find)(const hc_view *v, uint64_t serial);
  bool (*waits)(const hc_view *v, hc_task t);
  int64_t (*units)(const hc_view *v, hc_task t); /* processors; on hosts, of the first dimension in all */
  int64_t (*demand)(const hc_view *v, hc_task t, uint32_t dimension); /* on each of them */
  hc_time (*estimate)(const hc_view *v, hc_task t); /* run time that may be believed, ns; HC_NEVER if none. Not with
                                                       HC_IGNORES_TIME */
  hc_time (*submitted)(const hc_view *v, hc_task t);
  int64_t (*user)(const hc_view *v, hc_task t);
  int64_t (*priority)(const hc_view *v, hc_task t);

  /* -- running tasks -- */
  /** In the order of their expected end; without HC_NEEDS_TIMELINE one that runs past it stands where that
   *  was. Cost: a look at each live task and a sort of those that run, at every call. */
  size_t (*running)(const hc_view *v, const hc_task **tasks);
  hc_time (*started)(const hc_view *v, hc_task t);
  hc_time (*expected_end)(const hc_view *v, hc_task t); /* by its estimate; later than now while it runs. HC_NEEDS_TIMELINE */

  /* -- the cell -- */
  uint32_t (*dimensions)(const hc_view *v);
  int64_t (*capacity)(const hc_view *v, uint32_t dimension);
  int64_t (*free_units)(const hc_view *v);   /* processors or whole hosts that nothing holds now */
  bool (*fits)(const hc_view *v, hc_task t); /* could it start now, placement included? */
  size_t (*scope)(const hc_view *v, const hc_range **hosts); /* what this call may use; 0: everything */

  /* -- the future, as expected ends and reservations have it: HC_NEEDS_TIMELINE -- */
  /** Earliest start of `t` at or after `from`, as if it were not reserved yet. O(log running) without
   *  reservations; each reservation in the way costs one more step. */
  hc_slot (*earliest)(const hc_view *v, hc_task t, hc_time from);
  /** Fewest units free at any time in [from, to). */
  int64_t (*least_free)(const hc_view *v, hc_time from, hc_time to);
  /** True if fitting is more than counting: the placement needs a range, or hosts differ. Then ask
   *  `harmless`. */
  bool (*places_matter)(const hc_view *v);
  /** Would starting `t` now leave every reservation possible? HC_ASKS_HARMLESS. For one that declares
   *  HC_MAKES_RESERVATIONS alone: does it fit beside the hosts that are promised? On hosts a replay of what
   *  runs, past each reservation that it would overlap. */
  bool (*harmless)(const hc_view *v, hc_task t);

  /* -- the plan -- */
  /** Start a waiting task now. @param hosts [count] which; NULL: the configured placement chooses.
   *  @return 0, HC_EPOLICY (not waiting, does not fit), HC_ENOMEM. Drops the task's reservation. */
  hc_rc (*start)(hc_plan *p, hc_task t, const hc_range *hosts, size_t count);
  /** Promise a start: the task's claim stands on the timeline of every later call until it starts, or is
   *  reserved anew. On a cell of hosts, for a policy that does not declare HC_ASKS_HARMLESS, it holds the
   *  hosts that the placement finds free from `at` on for as long as the task is believed to run (those that
   *  `earliest` just found), and HC_EPOLICY says that there are none; `fits`, `harmless` and `start` respect
   *  that. HC_MAKES_RESERVATIONS. @param at >= now. @return 0, HC_EPOLICY, HC_ENOMEM. */
  hc_rc (*reserve)(hc_plan *p, hc_task t, hc_time at);
  hc_rc (*unreserve)(hc_plan *p, hc_task t);        /* 0 also if it had none */
  hc_rc (*unreserve_all)(hc_plan *p);               /* O(reservations) */
  hc_time (*reserved)(const hc_view *v, hc_task t); /* HC_NEVER if it has none */
  hc_rc (*preempt)(hc_plan *p, hc_task t, hc_stop how); /* as `stop`, at once */
  /** No policy can yet: tasks change only as their source says. It ends the run, and HC_MAY_RESIZE is refused
   *  before it. */
  hc_rc (*resize)(hc_plan *p, hc_task t, int64_t units);
  hc_rc (*reject)(hc_plan *p, hc_task t, const char *reason);
  hc_rc (*wake)(hc_plan *p, hc_time at); /* call again then, with HC_WHY_TIMER */

  /* -- explanations: only recorded when somebody asked (`hindcast why`) -- */
  bool (*explaining)(const hc_view *v);
  void (*explain)(const hc_view *v, hc_task t, const char *format, ...) __attribute__((format(printf, 3, 4)));

  /* -- more of tasks, hosts and plans -- */
  /** On a cell of hosts, for a policy that declares HC_ASKS_HARMLESS, promise a start on the very hosts that
   *  the placement would choose at `at`: until then others may use them, and `harmless` refuses what would
   *  run on one of them past it. Elsewhere the same as `reserve`. @return as `reserve`. */
  hc_rc (*reserve_hosts)(hc_plan *p, hc_task t, hc_time at);
  /** Start from the head of the queue, in its order, until a task does not fit: next, fits and start by
   *  turns, at a third of their cost. @param blocked the one that does not fit; HC_NO_TASK: no task waits any
   *  more. @return 0, or HC_ENOMEM. */
  hc_rc (*start_heads)(hc_plan *p, hc_task *blocked);
  /** On a cell of hosts: what is free on a host, and what it has. @param capacity out, [dimensions]; may be
   *  NULL @return [dimensions], borrowed until the plan is next touched; NULL on another cell, or if there is
   *  no such host. */
  const int64_t *(*host_free)(const hc_view *v, uint32_t host, const int64_t **capacity);
  /** The lexicon's number of one of the cell's dimensions, below `dimensions`. */
  uint32_t (*dimension_id)(const hc_view *v, uint32_t dimension);
  /** HC_ASKS_JOBS, as the two below. The job that a task belongs to; -1: none that its source names. Jobs of
   *  other sources than the first have the source's number, from 0, above bit 56: unique as long as no source
   *  numbers its jobs beyond that. */
  int64_t (*job)(const hc_view *v, hc_task t);
  int64_t (*group)(const hc_view *v, hc_task t); /* -1 unknown */
  int64_t (*queue)(const hc_view *v, hc_task t); /* as the source names it; -1 unknown */
  /** Stop a running task, now or after a grace. One that has been told may be stopped at once (grace 0),
   *  and not be told again. HC_MAY_PREEMPT. @return 0, HC_EPOLICY (it does not run, or has been told),
   *  HC_ENOMEM. */
  hc_rc (*stop)(hc_plan *p, hc_task t, const hc_stopping *how);
  /** When a running task that has been told to go will be stopped; HC_NEVER: it has not been told. */
  hc_time (*leaves)(const hc_view *v, hc_task t);
  /** What a running task holds, host by host; while TAKEN or GIVEN is heard, what that task takes or gives.
   *  @param out borrowed until the next call. @return how many; 0: nothing */
  size_t (*held)(const hc_view *v, hc_task t, const hc_holding **out);
  /** Would a waiting task fit on this host (0 on a cell of processors: anywhere) if these running tasks gave
   *  back what they hold? Placement, constraints and devices included; local load and promises of hosts are
   *  not. Cost: O(count). */
  bool (*fits_without)(const hc_view *v, hc_task t, uint32_t host, const hc_task *running, size_t count);
  /** How much of a running task's work would be lost if it were stopped now as said, ns at speed 1. */
  hc_time (*loses)(const hc_view *v, hc_task t, const hc_stopping *how);
  /** As `start`, of a task that runs `pace` times as long where it starts, its estimate and limit with it, as
   *  on slower hosts. HC_PACES. @param pace > 0, finite. @return as start. */
  hc_rc (*start_paced)(hc_plan *p, hc_task t, const hc_range *hosts, size_t count, double pace);
  /** On a cell of hosts: of how many times its demand a task is made, on one host or several; else 0. */
  int64_t (*slots)(const hc_view *v, hc_task t);
  /** Number `k` of those queued, in their order, from 0: cheaper than as many calls of `next`. HC_NO_TASK
   *  past the end. */
  hc_task (*queued_at)(const hc_view *v, hc_list_id list, size_t k);
  /** Ran it before the run began (HC_SPEC_PREFILL)? Then it is to be given its place, not to be decided
   *  on. */
  bool (*prefilled)(const hc_view *v, hc_task t);

  /* -- rates and suspension: HC_SETS_RATES -- */
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
  /** The rate of a running task; 0 also while it is suspended; -1: it does not run. */
  int64_t (*rate)(const hc_view *v, hc_task t);

  /* -- tasks before their time -- */
  /** The earliest time at which a task may start, as its trace says (schedule_after); its submission if it
   *  says nothing. Of a waiting task it is later than now only for components that declare HC_PLANS_AHEAD:
   *  such a task does not fit, `start` of it is HC_EPOLICY and so is `reserve` before that time, no start of
   *  it is harmless, and `earliest` is not before it. The policy is called again when the time has come
   *  (HC_WHY_ARRIVAL), in the phase of timers of that instant. @return ns. O(1). */
  hc_time (*not_before)(const hc_view *v, hc_task t);
} hc_services;

/** What a component needs or does; what cannot combine is refused before the run starts, and who asks what
 *  needs a flag that it does not declare ends the run. */
typedef enum hc_policy_flag {
  HC_NEEDS_ESTIMATE = 1,      /* plans with run times: tasks without an estimate count as endless */
  HC_NEEDS_TIMELINE = 2,      /* asks earliest, least_free, expected_end: the cell keeps expected ends */
  HC_MAY_PREEMPT = 4,         /* stops running tasks: preempt, stop */
  HC_MAY_RESIZE = 8,          /* resizes them: refused, no policy can yet */
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
  HC_DECIDED_OUTSIDE =
      134217728 /* makes no plan: each comes from the caller of the run (hc_run_wait_decision) */
} hc_policy_flag;

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
} hc_policy_context;

/** The parts of a policy that others carry out for it; each NULL if it does not say. Borrowed from its
 *  options. */
typedef struct hc_policy_parts {
  const hc_chosen *order;       /* how the architecture sorts its queue; NULL: by submission */
  const hc_chosen *candidates;  /* a second list of the same tasks in another order; NULL: none */
  const hc_chosen *place;       /* which processors `start` takes if it names none; NULL: the lowest */
  const hc_chosen *eligibility; /* which hosts may be used now; NULL: all */
} hc_policy_parts;

/** What happens to a task, as a policy that keeps its own books is told. */
typedef enum hc_task_event {
  HC_TASK_EVENT_QUEUED,    /* it has joined the queue */
  HC_TASK_EVENT_DEQUEUED,  /* it has left the queue */
  HC_TASK_EVENT_ALLOCATED, /* it holds `amounts` of the cell from now on */
  HC_TASK_EVENT_RELEASED   /* it has given `amounts` of the cell back */
} hc_task_event;

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
   *  `wake` is about none. Of a plan that is committed all or none, all are refused if one is; and a start
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
} hc_policy_type;

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

/** What a placement chooses from, and for whom. */
typedef struct hc_place_input {
  const hc_range *free; /* [free_count] ascending, disjoint, never adjacent */
  size_t free_count;
  int64_t units;
  uint64_t serial, seed, replication;
  uint64_t draws; /* places that the task was given before and did not keep: who draws, draws anew */
} hc_place_input;

/** Which processors a task gets. */
typedef struct hc_place_type {
  hc_component component;
  bool contiguous; /* one range or nothing: a task may not fit although enough is free */
  /** Choose exactly `units` of the free ones. @param out [units at most] chosen ranges, ascending, disjoint.
   *  @return how many ranges, or 0 if it cannot be placed. */
  size_t (*place)(const void *options, const hc_place_input *in, hc_range *out);
  /** How it chooses on a cell of hosts: fill `out`, whose `self` is what `init` made, or `options` if it made
   *  nothing. NULL: it cannot be used there. */
  void (*chooser)(const void *options, hc_policy *self, hc_chooser *out);
  hc_rc (*init)(const hc_policy_context *c, const void *options, hc_policy **out,
                hc_error *e); /* NULL: it has no state */
  /** A task has arrived: `slots` times `need` (by the lexicon's number). NULL: not heard. */
  void (*arrived)(hc_policy *self, const int64_t *need, int64_t slots);
  hc_rc (*visit)(hc_policy *self, hc_visitor *v);
  void (*fini)(hc_policy *self);
} hc_place_type;

/** A host as a criterion sees it. Arrays are by the cell's own dimensions. */
typedef struct hc_host_state {
  uint32_t host, class_id;
  uint32_t dimensions;
  bool is_idle;         /* no task is on it */
  const uint8_t *which; /* [dimensions] the lexicon's number of each */
  const double *used; /* [dimensions] the share that tasks and local load have together: 1 - free / capacity,
                           where local load of level x makes free (1 - x) of what tasks leave; 0 of nothing */
  const double *load; /* [dimensions] local load alone */
  const int64_t *capacity; /* [dimensions] */
  double speed;
  const hc_host_class *host_class;
} hc_host_state;

/** What a criterion gets at birth. */
typedef struct hc_eligibility_context {
  const hc_allocator *allocator;
  const hc_cell_spec *cell;
  hc_lexicon *lexicon;
} hc_eligibility_context;

/** Which hosts may be used now: a criterion that is asked for each host before anything is placed on it. It
 *  knows nothing of the task, and depends on nothing but the host's state. When a reservation is made it is
 *  asked with the local load left out. */
typedef struct hc_eligibility_type {
  hc_component component;
  hc_rc (*init)(const hc_eligibility_context *c, const void *options, hc_policy **out,
                hc_error *e); /* or NULL */
  /** NULL: every host may be used, at no cost. */
  bool (*admits)(const hc_policy *self, const hc_host_state *h);
  void (*fini)(hc_policy *self);
} hc_eligibility_type;

/** A host as it is offered to a user who has a task that fits there. */
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

/** What a user says to an offer: the part of a job's controller that policies who offer hosts ask. */
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

/** Somebody who shares, as a rule of preemption sees it: numbered from 0 in the order in which they came. */
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
 *  asked when the policy has started what fits. */
typedef struct hc_preempt_type {
  hc_component component;
  hc_rc (*init)(const hc_policy_context *c, const void *options, const hc_preempt_asks *asks, hc_policy **out,
                hc_error *e); /* may be NULL */
  /** Time is `now`. Called before anything changes that `asks` tells of: until now all was as at the last
   *  call. */
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
} hc_preempt_type;

#ifdef __cplusplus
}
#endif
#endif
