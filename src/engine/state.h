/* state.h -- what a run is made of. The rooms above see hc_run; architectures see hc_engine through services;
 * policies see hc_view and hc_plan through theirs. All four are this file's structs, and only the engine's
 * files include it.
 *
 *   run.c      birth, the loop over instants, death          observe.c  records to metrics and store
 *   tasks.c    the table of live tasks                       view.c     what a policy may ask
 *   queues.c   waiting tasks in order                        plan.c     what a policy may do, applied and undone
 *   commit.c   the only mutator of what has happened         snapshot.c save, restore, fork, digest
 *   explain.c  why a task waited                         paranoid.c every invariant, walked
 *   dependencies.c  which task waits for which           host_events.c  hosts that come and go
 *   work.c     work of tasks, hosts of other speeds      hold.c     hosts that are promised
 *   load.c     local load                               promises.c promised claims, with
 *   stopping.c tasks that are stopped and go on          rates.c    tasks that are suspended, or slowed down
 *   mold.c     tasks that start wider                      resizes.c  tasks that change while they run
 *   future.c   who holds what when, and                 future_find.c  when there is room
 *   deferred.c tasks that are planned before their time      undeclared.c  who asks what was not declared
 *   notes.c    what is said of a run at its end          combine.c  which parts cannot be combined */
#ifndef HC_ENGINE_STATE_H
#define HC_ENGINE_STATE_H

#include <stdarg.h>

#include "base/mem.h"
#include "base/sums.h"
#include "base/wide.h"
#include "cluster/cell.h"
#include "cluster/lexicon.h"
#include "engine/action.h"
#include "engine/event.h"
#include "engine/replay.h"
#include "engine/shapes.h"
#include "hindcast/engine.h"
#include "kernel/queue.h"
#include "kernel/waitlist.h"
#include "setup/config.h"
#include "workload/stream.h"

/* ---- live tasks ---- */

typedef enum hc_task_state {
  HC_TASK_FREE,    /* the slot is not used */
  HC_TASK_ARRIVED, /* known, in no queue yet */
  HC_TASK_HELD,    /* waits for other tasks, or for its time: no policy sees it */
  HC_TASK_WAITING, /* in a queue; hc_live.deferred: before its time */
  HC_TASK_PLANNED, /* started or rejected by an open plan, not committed */
  HC_TASK_RUNNING,
  HC_TASK_STOPPED,  /* preempted by an open plan, not committed */
  HC_TASK_SUSPENDED /* started, and neither holds nor does anything */
} hc_task_state;

/* Bits of hc_live.bits. */
enum {
  HC_LIVE_KILLED = 1,  /* its end is its limit's doing */
  HC_LIVE_OVERDUE = 2, /* it runs past its expected end */
  HC_LIVE_WHOLE = 4,   /* takes hosts whole */
  HC_LIVE_SPREAD = 8,  /* each slot on another host */
  HC_LIVE_ONE = 16,    /* has one slot on one host, which `held` names: no grant in the pool */
  HC_LIVE_DEPENDS = 32, /* others may wait for it, or it for others: see dependencies.c */
  HC_LIVE_WARNED = 64,   /* runs, and will be stopped: hc_attempt.leaves */
  HC_LIVE_UNTIL = 128  /* its run is until its user takes it away */
};

/* What every task has and the hot path looks at: one line of the cache. What only some runs or some tasks
 * have lies in arrays of its own, which exist from the first task that needs them on. */
typedef struct hc_live {
  uint64_t serial;
  hc_time submit, start;
  hc_time run;    /* the truth */
  int64_t key;    /* in its queue */
  uint32_t units; /* processors; on a cell of hosts: what it takes of the cell's first dimension in all */
  uint32_t slots; /* on a cell of hosts: so many times its demand; else 0 */
  hc_event_handle
      event;     /* its end while it runs, its withdrawal or its time while it waits, or HC_NO_EVENT */
  uint32_t held; /* first of its grants in the pool, or HC_NO_GRANT; HC_LIVE_ONE: the host itself */
  uint8_t state; /* hc_task_state */
  uint8_t flags; /* hc_task_flag */
  uint8_t bits;
  uint8_t queue; /* which waits for it */
  uint8_t source;
  uint8_t deferred; /* it waits in a queue and may not start yet: deferred.c */
  uint16_t draws; /* places that it was given and did not keep: it draws the next one anew */
} hc_live;

/* What its record needs in any case. */
typedef struct hc_task_identity {
  int64_t id, user;
} hc_task_identity;

/* What policies that look ahead need: kept if the run's policy does. */
typedef struct hc_planned {
  hc_time estimate;         /* believed while it waits */
  hc_time running_estimate; /* believed once it runs */
  hc_time reserved_at;      /* HC_NEVER: no reservation */
  int64_t second_key;       /* in the second list of its queue */
  hc_event_handle overdue_event;
  uint32_t reserved_index; /* in the list of reserved tasks, if it is one */
} hc_planned;

/* What few tasks have: kept from the first of them on. A run's believed length without it is the true one. */
typedef struct hc_task_cold {
  int64_t limit, group, executable, queue, partition, priority;
  hc_time estimate;  /* for its record, if nobody plans */
  hc_time cancel_at; /* when its user takes it away; HC_NEVER */
  hc_time eligible;  /* when it may start at the earliest; HC_UNKNOWN */
  int64_t job;
  int64_t used_cpu, used_memory; /* of each slot, on average; HC_UNKNOWN */
  uint32_t more;                 /* handle in the lexicon */
  uint32_t attempts;             /* that were lost before this one */
} hc_task_cold;

/* What a task holds on one host, or a range of processors: a chain through one pool, so that the pool is one
 * array of plain structs. On a cell of processors `host` is the first and `slots` their number. */
#define HC_NO_GRANT UINT32_MAX
typedef struct hc_held {
  hc_grant grant;
  uint32_t next;
  hc_task owner;
} hc_held;

/* Tasks that are more than a fixed delay: work.h. */
typedef struct hc_works {
  uint32_t *of; /* [of_cap] place in `items`, by task; NULL: no task so far is */
  size_t of_cap;
  struct hc_attempt *items;
  size_t count, cap;
  uint32_t vacant; /* head of the chain of free places */
} hc_works;

typedef struct hc_tasks {
  hc_live *live; /* [cap] each on its own line of the cache, somewhere in live_block */
  void *live_block;
  hc_task_identity *identities;
  hc_planned *planned; /* NULL: nobody plans */
  hc_task_cold *cold;  /* NULL: no task so far has any of it */
  uint64_t *failed;    /* [cap] cell.grown when it last did not fit; NULL: not remembered */
  int64_t *need;       /* [cap * dimensions] of one slot; NULL on a cell of processors */
  hc_works works;
  uint32_t dimensions;
  bool plans, remembers; /* remembers: what does not fit */
  size_t count, cap, identity_cap, planned_cap, cold_cap, failed_cap, need_cap; /* slots in use or free */
  hc_task *reserved; /* tasks that hold a reservation */
  size_t reserved_count, reserved_cap;
  uint32_t vacant; /* free slots, used last-in first-out: a chain through `held`; HC_NO_TASK: none */
  hc_task *
      freed; /* the same from below, as far as it is known: who comes later is fetched by it. Decides nothing */
  size_t freed_count, freed_cap;
  hc_held *held;
  size_t held_count, held_cap;
  uint32_t held_vacant; /* head of the chain of free places */
} hc_tasks;

typedef struct hc_part hc_part;                 /* part.h */
typedef struct hc_dependencies hc_dependencies; /* dependencies.c */

/* ---- queues ---- */

#define HC_QUEUE_LIMIT 255

typedef struct hc_sorting {
  const hc_order_type *order; /* NULL: this list does not exist */
  hc_policy *state;           /* of the order */
  bool varies, by_submission, follows; /* follows: it is told of tasks */
  hc_waitlist *list;
} hc_sorting;

typedef struct hc_wait_queue {
  hc_sorting sorting[2];         /* hc_list_id */
  const hc_policy_type *hearing; /* who hears of its tasks; NULL: nobody */
  hc_policy *hearer;
  const hc_policy_type *planning; /* whose plans are about it, if it hears what becomes of them; else NULL */
  hc_policy *planner;
  int64_t
      *least; /* [dimensions] the least that any of its tasks has asked for of one slot; NULL: nobody asks */
  uint64_t lessened;
  hc_chosen policy;           /* who decides on it, for messages */
  const hc_place_type *place; /* its own; NULL: the policy's */
  hc_policy *place_state;
  hc_chooser chooser;
} hc_wait_queue;

/* ---- plans ---- */

struct hc_plan {
  hc_engine *engine;
  hc_action *actions;
  size_t count, cap, heads; /* heads: so many starts at the beginning left nobody behind before them */
  hc_grant *grants;
  size_t grant_count, grant_cap;
  uint64_t seen;  /* commits, when its view was opened */
  uint64_t queue; /* of that view: whose policy hears what becomes of it */
};

struct hc_view {
  hc_engine *engine;
  uint32_t queue;
  bool open;
  const hc_range *scope;
  size_t scope_count;
  bool is_limited; /* tasks behind `last` are not shown */
  hc_cursor last;
};

/* ---- observers ---- */

#define HC_BLOCK 256 /* records handed over at once */

/* A family that hears claims by themselves. */
typedef struct hc_claimer {
  hc_rc (*claims)(hc_metric *metric, const hc_claim_record *c);
  hc_metric *metric;
} hc_claimer;

typedef struct hc_observers {
  const hc_metric_type **types;
  hc_metric **metrics;
  size_t count;
  bool wants_intervals, wants_stops, wants_rates;
  bool wants_changes; /* or claims, which come as changes to those who do not hear them by themselves */
  hc_claimer *claimers;
  size_t claimer_count;
  uint32_t change_kinds; /* that somebody wants */
  hc_task_record *records;
  size_t record_count;
  hc_interval *intervals;
  size_t interval_count;
  hc_change *changes;
  size_t change_count, change_uses; /* of them, how many hold a use */
  hc_interval open;                 /* the state since open.from */
  bool is_open;
} hc_observers;

typedef struct hc_counters {
  uint64_t submitted, started, ended, instants, decisions, conflicts;
  uint64_t finals[HC_FINAL_COUNT];
  uint64_t requeued, missing; /* attempts lost with a host; predecessors that were not to be found */
  uint64_t preempted, preempt_killed,
      warned;           /* attempts stopped by plans that waited again; tasks that did not; warnings */
  uint64_t suspensions; /* times that a plan suspended a task */
  uint64_t held_back;   /* times that a task had to wait for others, or for its time, before it could queue */
  hc_time first_submit, last_submit, first_start, last_end, full_from, full_to;
} hc_counters;

typedef struct hc_rejects hc_rejects;           /* rejected.c */
typedef struct hc_host_events hc_host_events;   /* host_events.c: what happens to hosts */
typedef struct hc_loads hc_loads;               /* load.c: local load */
typedef struct hc_reserve_book hc_reserve_book; /* src/reserve: when there will be room */
typedef struct hc_past hc_past;                 /* past.c */
typedef struct hc_resizes hc_resizes;           /* resizes.c: tasks that change while they run */

/* ---- the run ---- */

/* What a cell of hosts can hold at most, which no event changes: a thread that makes tasks ahead looks at it
 * for each, so that nothing that is written lies on its lines of the cache. */
typedef struct hc_gauge {
  char apart[64];
  uint32_t dimensions;
  uint8_t which[HC_DIMENSIONS];   /* the lexicon's numbers of the cell's own dimensions */
  int64_t largest[HC_DIMENSIONS]; /* of any host, by the cell's dimensions; one class has them all if so */
  int64_t
      least; /* of the first of them, on the host with the least of it: what a task that takes hosts whole will get */
  bool largest_is_one, has_gpus, has_shared;
  char apart_too[64];
} hc_gauge;

struct hc_engine {
  const hc_allocator *allocator;
  hc_config *config;
  const hc_run_options *options;
  hc_arena build;   /* lives as long as the run */
  hc_arena scratch; /* lives as long as one decision */

  hc_time now;
  uint64_t next_serial, next_timer;
  hc_queue *events;
  bool names_ends; /* ends of tasks have handles: hc_commit_name_ends */
  hc_lexicon *lexicon;
  hc_sums *sums; /* of files that were read whole; NULL: there is no store that would say so */
  hc_cell cell;
  hc_cell_spec cell_spec;
  bool contiguous;        /* the placement needs one range */
  bool is_plain;          /* of hosts, of each of which two amounts are all that counts; nobody plans ahead */
  bool expects;           /* somebody plans with expected ends */
  hc_chooser chooser;     /* on a cell of hosts, of the open view's queue */
  hc_chooser own_chooser; /* of the policy's placement */
  bool has_places;        /* some queue has a placement of its own */
  struct { /* the last answer of a choice among hosts: who asks whether a task fits mostly starts it then */
    uint64_t serial, version;
    const hc_grant *grants;
    hc_rc count;
    uint32_t turn; /* where next_fit looks first if the task starts so */
  } choice;
  hc_gauge gauge;
  hc_policy *place_state;
  bool place_is_told; /* of arrivals */
  bool
      small_host; /* a host has shrunk below gauge.least: of who takes hosts whole nobody knows what it needs at least */
  hc_tasks tasks;
  hc_dependencies *dependencies; /* NULL: no task refers to another */
  hc_host_events *host_events;   /* NULL: no host ever changes */
  hc_wait_queue *queues;
  size_t queue_count;
  int64_t waiting, running; /* tasks */
  int64_t suspended;        /* tasks that are neither */
  int64_t tasks_held;       /* that wait for others or for their time */
  bool plans_ahead;         /* tasks that wait for their time do so in the queue: deferred.c */
  int64_t deferred, deferred_units; /* of those that wait, tasks that may not start yet, and the units that they ask for */
  uint64_t changes_in_vain; /* of hosts, since anything else happened */
  int64_t overdue_units;    /* held by tasks that run past their expected end */
  hc_time overdue_at;       /* when they are believed to end */

  hc_stream *stream;
  hc_replay replay; /* of a study's runs: what is known of the workload */
  void (*rejected)(void *ctx, const char *file, uint64_t line, hc_reason why,
                   const char *text); /* rejected rows, for the store */
  hc_rejects *rejects;
  hc_row_ledger ledger;
  const hc_arrival *next; /* the next one, if has_arrival: the stream's, or `arrival` */
  hc_arrival arrival;
  bool has_arrival, source_waits, source_ended;

  hc_policy_context policy_context;
  const hc_place_type *place;
  const void *place_options;
  const hc_architecture_type *architecture_type;
  hc_architecture *architecture;
  const hc_action_type *const *actions; /* by hc_action.kind */
  const hc_part *const *parts;
  uint32_t part_count;
  uint32_t parts_wanted, parts_pending; /* a bit each: those of this run; those of these that can be pending */
  uint32_t heard;                    /* of HC_HEARS: what any of those hears */
  const hc_event_type *event_types[HC_EVENT_SLOTS];
  struct { /* if it wants to hear of a phase in one go: what is still to be told. Empty between phases */
    bool is_wanted, early;
    uint32_t queue, what; /* of hc_why_bit */
  } gathered;
  hc_view view;
  hc_view glance; /* what `look` answers with */
  uint64_t commits;
  uint64_t
      *last_start; /* [units] number of the commit that last started something there; NULL: nobody asks */
  hc_plan plan;
  hc_plan loaded; /* a plan that comes back from plan_load */
  bool has_hearers;
  struct { /* what is being told of */
    hc_task task;
    const hc_grant *grants;
    size_t count;
  } telling;
  hc_holding *holdings; /* the last answer of `held` */
  size_t holding_cap;
  hc_range *ended_on; /* where the task ran whose end is being told */
  size_t ended_on_cap;

  hc_observers observers;
  hc_counters counters;
  hc_store *store;
  hc_time unix_zero; /* Unix time of the origin, s; HC_UNKNOWN */
  int32_t zone_offset;
  hc_error *error; /* of the call at hand, for services that cannot take one */

  /* hosts that differ in more than amounts: work.c, hold.c, load.c */
  bool has_speeds;        /* some host's speed is not 1 */
  bool stretches; /* a start decides how long a task runs: has_speeds, or a policy paces, or tasks are molded */
  double fastest;         /* the greatest speed of any host */
  bool blind;             /* choices leave local load out */
  struct hc_asked {       /* choices are about these hosts, at another time, without load; NULL: the cell's */
    hc_hosts *hosts;
    uint64_t stamp;
  } asked;
  hc_time spare_estimate; /* choices leave out hosts promised before a task so long ends; HC_UNKNOWN: none */
  uint32_t policy_flags;
  hc_hosts_gate gate;
  const hc_eligibility_type *eligibility; /* NULL: every host may be used */
  hc_policy *eligibility_state;
  hc_loads *loads; /* NULL: no host has local load */
  const struct hc_model_type *model_type; /* NULL: every task is a fixed delay. See model.c */
  struct hc_model *model;
  hc_event_handle model_event;
  hc_time model_at;     /* of that event; HC_NEVER: there is none */
  hc_resizes *resizes;  /* NULL: no task so far changes what it holds */
  uint32_t is_resizing; /* 1: what is told of claims just now is such a change */
  hc_past *past;        /* [units]; NULL: not counted */
  hc_shapes shapes; /* demands that have failed */
  hc_reserve_book *reserve;

  uint64_t explained; /* serial asked about, UINT64_MAX: none */
  void (*explain)(void *ctx, const hc_why_record *w);
  void *explain_ctx;

  volatile int cancelled;
  bool finished;
  hc_rc
      failed; /* what the first failure was: a run that failed cannot go on. Services that return no code set it. */
};

struct hc_run {
  hc_engine engine;
  hc_world *world; /* carried out in place of the engine: see closed.h; NULL */
};

/* ---- between the engine's files ---- */

/* Payload of the end of a task that has been released already: see due_ends_first. */
#define HC_GONE_PAYLOAD (UINT32_MAX >> 1)
hc_rc hc_commit(hc_engine *e, hc_plan *p, hc_commit_mode mode, hc_error *error);

extern const hc_task_cold hc_task_cold_none; /* what a task has that has nothing rare */
extern const hc_services hc_policy_services;
extern const hc_engine_services hc_architecture_services;

static inline hc_live *hc_live_of(hc_engine *e, hc_task t)
{
  return &e->tasks.live[t];
}
hc_rc hc_tasks_add(hc_engine *e, const hc_arrival *a, hc_task *out);
void hc_tasks_remove(hc_engine *e, hc_task t);
hc_rc hc_tasks_visit(hc_engine *e, hc_visitor *v);
void hc_tasks_fini(hc_engine *e);
/** Is it one slot on one host, and no device? Then the host is all that need be remembered. */
static inline bool hc_is_one(const hc_engine *e, const hc_grant *g)
{
  return e->cell.hosts && g->slots == 1 && g->devices == 0 && g->chunk == 0;
}
/** Most tasks have the same on each of their hosts. */
static inline bool hc_same_amounts(const hc_grant *a, const hc_grant *b, bool whole)
{
  return !whole && a->chunk == 0 && b->chunk == 0 && a->slots == b->slots;
}
static inline void hc_tasks_hold_one(hc_live *t, uint32_t host)
{
  t->bits |= HC_LIVE_ONE;
  t->held = host;
}
hc_rc hc_tasks_hold(hc_engine *e, hc_task t, const hc_grant *grants, size_t count); /* remember what it has */
/** What a task holds, in the scratch arena or in `one`. */
hc_rc hc_tasks_held(hc_engine *e, const hc_live *t, hc_grant *one, const hc_grant **grants, size_t *count);
void hc_tasks_drop_grants(hc_engine *e, hc_live *t);
hc_time hc_expected_end(const hc_engine *e, const hc_live *t);
/** See that a task can have what few tasks have. @return 0 or HC_ENOMEM. */
hc_rc hc_tasks_need_cold(hc_engine *e);

static inline hc_task hc_task_of(const hc_engine *e, const hc_live *t)
{
  return (hc_task)(t - e->tasks.live);
}
static inline const hc_task_cold *hc_cold_of(const hc_engine *e, hc_task t)
{
  return e->tasks.cold ? &e->tasks.cold[t] : &hc_task_cold_none;
}
static inline hc_time hc_estimate_of(const hc_engine *e, hc_task t)
{
  if (e->tasks.plans) return e->tasks.planned[t].estimate;
  return e->tasks.cold ? e->tasks.cold[t].estimate : e->tasks.live[t].run;
}
static inline hc_time hc_running_estimate_of(const hc_engine *e, hc_task t)
{
  return e->tasks.plans ? e->tasks.planned[t].running_estimate : hc_estimate_of(e, t);
}
static inline hc_time hc_reserved_of(const hc_engine *e, hc_task t)
{
  return e->tasks.plans ? e->tasks.planned[t].reserved_at : HC_NEVER;
}
static inline const int64_t *hc_need_of(const hc_engine *e, hc_task t)
{
  return e->tasks.need + (size_t)t * e->tasks.dimensions;
}
/** One slot, part of a host, nothing rare: as nearly every task of a data centre's trace. */
static inline bool hc_asks_plainly(const hc_engine *e, hc_task t)
{
  const hc_live *x = &e->tasks.live[t];
  return x->slots == 1 && !(x->bits & HC_LIVE_WHOLE) && hc_cold_of(e, t)->more == 0;
}
/** What it asks of a cell of hosts. */
hc_request hc_request_of(const hc_engine *e, hc_task t);

hc_rc hc_queues_insert(hc_engine *e, uint32_t queue, hc_task t);
void hc_queues_remove(hc_engine *e, hc_task t);
hc_rc hc_queues_put_back(hc_engine *e, hc_task t);  /* with the keys that it had */
hc_rc hc_queues_sort(hc_engine *e, uint32_t queue); /* lists whose keys vary with time */
int64_t hc_queues_units(const hc_engine *e);
int64_t hc_queues_smallest(const hc_engine *e);
hc_rc hc_queues_visit(hc_engine *e, hc_visitor *v);
void hc_queues_fini(hc_engine *e);
/** Tell who hears of its queue: see hc_policy_type.on_task_event. A failure is noted. */
void hc_tell(hc_engine *e, hc_task t, hc_task_event what, const hc_grant *grants, size_t count);
/** The same of the cell (hc_policy_type.cell_changed). @return 0, or what one of them returned. */
hc_rc hc_tell_cell(hc_engine *e);
static inline void hc_tell_claim(hc_engine *e, hc_task t, hc_task_event what, const hc_grant *grants,
                                 size_t count)
{
  if (e->has_hearers) hc_tell(e, t, what, grants, count);
}

/* combine.c -- what cannot be combined: HC_EUNSUPPORTED with the reason. check_hosts: once the cell is
 * known. */
hc_rc hc_combine_refuse(hc_error *error, const char *text);
hc_rc hc_combine_check(hc_engine *e, uint32_t flags, hc_error *error);
hc_rc hc_combine_check_hosts(const hc_engine *e, hc_error *error);

/** Tell the policy whose plan it is what became of an action of it (hc_policy_type.outcome). */
void hc_plan_tell(hc_engine *e, const hc_plan *p, const hc_action *a, hc_rc rc);
/** Remember a failure that cannot be returned from where it happened. */
static inline void hc_engine_note(hc_engine *e, hc_rc rc)
{
  if (rc < 0 && e->failed == 0) e->failed = rc;
}
/** The run was told to stop while a policy decides: it is told that nothing is there, so that it comes to its
 *  end, and the instant fails when it has. */
static inline bool hc_is_stopped(hc_engine *e)
{
  if (!e->cancelled) return false;
  hc_engine_note(e, HC_ECANCELLED);
  return true;
}
/* demand.c -- what a task asks of hosts */
hc_rc hc_demand_judge(void *engine, hc_arrival *a, hc_reason *why);
bool hc_demand_surely(void *engine, const hc_task_spec *t); /* see hc_judge */
bool hc_demand_allows(void *engine, const hc_arrival *a, hc_time limit);
void hc_demand_keep(hc_engine *e, hc_task t, const hc_arrival *a);
void hc_demand_measure(hc_engine *e);
/* The most of the first dimension that a task could get now: whose units are more fits nowhere. */
static inline int64_t hc_free_most(hc_engine *e)
{
  return e->small_host ? INT64_MAX : hc_cell_free_most(&e->cell);
}
/* Who takes hosts whole wants, while it waits, as much as they have at least; once it has them, what they
 * have. */
void hc_demand_started(hc_engine *e, hc_task t, const hc_grant *grants, size_t count);
void hc_demand_waits(hc_engine *e, hc_task t);
/* What it takes of the cell as a whole, its chunks included: of those dimensions, by the lexicon's number. */
void hc_demand_shared(const hc_engine *e, hc_task t, int64_t *out);
void hc_demand_of_grant(const hc_engine *e, hc_task t, const hc_grant *g, int64_t *out);
/** Amounts by the cell's own numbers, those of hosts or of the whole cell, by the lexicon's. */
void hc_demand_by_lexicon(const hc_engine *e, const int64_t *own, bool shared, int64_t times, int64_t *out);

/* dependencies.c -- dependencies between tasks */
hc_rc hc_dependencies_new(hc_engine *e);

/* deferred.c -- tasks that a policy may plan before they may start */
void hc_deferred_open(hc_engine *e, uint32_t flags);
hc_rc hc_deferred_join(hc_engine *e, hc_task t, hc_error *error); /* it joins the queue before its time */
hc_rc hc_deferred_due(hc_engine *e, hc_task t, hc_error *error); /* which has come */
/** It leaves its queue for good. @return whether it did so before its time: observers do not know it. */
bool hc_deferred_leaves(hc_engine *e, hc_task t);
/** The least units of any waiting task that may start; 0 if there is none. */
int64_t hc_queues_smallest_due(const hc_engine *e);
hc_time hc_view_not_before(const hc_view *v, hc_task t);
/** The earliest time at or after `from` at which a task may start. */
static inline hc_time hc_deferred_from(const hc_engine *e, hc_task t, hc_time from)
{
  if (!e->tasks.live[t].deferred) return from;
  return e->tasks.cold[t].eligible > from ? e->tasks.cold[t].eligible : from;
}
hc_rc hc_deferred_visit(hc_engine *e, hc_visitor *v);

/* host_events.c -- hosts that come and go */
hc_rc hc_host_events_open(hc_engine *e, hc_error *error);

/* load.c -- local load, and when a decision depends on it */
hc_rc hc_load_open(hc_engine *e, hc_error *error);
void hc_load_ready(hc_engine *e); /* the architecture has been born */
/* What a metric asks (hc_metric_context.load); `ctx` is the engine. */
hc_load_level hc_load_ask(void *ctx, uint32_t host, uint32_t dimension, hc_time at);
/** From now on choices leave out hosts that are promised to others before this task would end there. Ends
 *  with HC_NO_TASK. */
void hc_load_spare(hc_engine *e, hc_task t);

/* undeclared.c -- who asks what was not declared */
hc_rc hc_policy_context_for(hc_engine *e, uint32_t queue, const hc_chosen *policy, const hc_policy_context **out);
hc_rc hc_architecture_context_for(hc_engine *e, bool asks_jobs, const hc_policy_context **out);

hc_metric_context hc_observe_context(const hc_engine *e);
hc_rc hc_observe_init(hc_engine *e, hc_error *error);
hc_rc hc_observe_final(hc_engine *e, hc_task t, hc_final final, hc_time end, hc_error *error);
hc_rc hc_observe_instant(hc_engine *e,
                         hc_error *error); /* close the interval that ended now, if anything changed */
/** A change of queues, claims or hosts, for those who follow them; nothing if nobody does. */
hc_rc hc_observe_queue(hc_engine *e, hc_task t, hc_change_kind kind);
hc_rc hc_observe_claims(hc_engine *e, hc_task t, hc_change_kind kind, const hc_grant *grants, size_t count);
hc_rc hc_observe_host(hc_engine *e, uint32_t host);
hc_rc hc_observe_stop(hc_engine *e, const hc_stop_record *r);
hc_rc hc_observe_rate(hc_engine *e, const hc_rate_record *r);
hc_rc hc_observe_flush(hc_engine *e, hc_error *error);
hc_rc hc_observe_close(hc_engine *e, hc_error *error);  /* all that was told is handed over */
hc_rc hc_observe_finish(hc_engine *e, hc_error *error); /* results.c */
hc_rc hc_observe_figures(hc_engine *e, hc_findings *findings, hc_error *error);
hc_rc hc_observe_visit(hc_engine *e, hc_visitor *v);
hc_rc hc_notes_store(hc_engine *e, hc_error *error); /* notes.c */
void hc_observe_fini(hc_engine *e);

hc_rc hc_trimmed_check(const hc_engine *e,
                       hc_error *error); /* before the run: can its rows say what is asked? */
hc_rc hc_trimmed_finish(hc_engine *e, hc_findings *findings, hc_error *error);

hc_rc hc_rejects_open(hc_engine *e, hc_error *error);
hc_rc hc_rejects_finish(hc_engine *e, hc_error *error);
hc_rc hc_rejects_visit(hc_engine *e, hc_visitor *v);
void hc_rejects_close(hc_engine *e);

bool hc_explaining(const hc_engine *e);
void hc_explain_text(const hc_engine *e, hc_task t, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void hc_explain_args(const hc_engine *e, hc_task t, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));
/** An amount of what tasks are counted by, in words: processors, or the first dimension of the hosts. @return
 *  out */
const char *hc_explain_amount(const hc_engine *e, int64_t n, char out[64]);
void hc_explain_decision(hc_engine *e); /* after each decision: what the task asked about sees */

hc_rc hc_engine_new(const hc_allocator *a, hc_config *c, hc_store *store, const hc_replay *replay,
                    hc_run **out, hc_error *e);

#endif
