/* state.h -- what a run is made of. The rooms above see hc_run; architectures see hc_engine through services;
 * policies see hc_view and hc_plan through theirs. All four are this file's structs, and only the engine's
 * files include it.
 *
 *   run.c      birth, the loop over instants, death          observe.c  records to metrics and store
 *   tasks.c    the table of live tasks                       view.c     what a policy may ask
 *   queues.c   waiting tasks in order                        plan.c     what a policy may do, applied and undone
 *   commit.c   the only mutator of what has happened         snapshot.c save, restore, fork, digest
 *   explain.c  why a task waited                         paranoid.c every invariant, walked */
#ifndef HC_ENGINE_STATE_H
#define HC_ENGINE_STATE_H

#include <stdarg.h>

#include "architecture/waitlist.h"
#include "base/mem.h"
#include "cluster/cell.h"
#include "cluster/lexicon.h"
#include "engine/config.h"
#include "hindcast/engine.h"
#include "kernel/queue.h"
#include "workload/stream.h"

/* ---- live tasks ---- */

typedef enum hc_task_state {
  HC_TASK_FREE,    /* the slot is not used */
  HC_TASK_ARRIVED, /* known, in no queue yet */
  HC_TASK_WAITING, /* in a queue */
  HC_TASK_PLANNED, /* started or rejected by an open plan, not committed */
  HC_TASK_RUNNING,
  HC_TASK_STOPPED /* preempted by an open plan, not committed */
} hc_task_state;

/* What decisions and events look at. */
typedef struct hc_live {
  uint64_t serial;
  hc_time submit, start;
  hc_time run;              /* the truth */
  hc_time estimate;         /* believed while it waits */
  hc_time running_estimate; /* believed once it runs */
  hc_time reserved_at;      /* HC_NEVER: no reservation */
  int64_t key[2];           /* in the two lists of its queue */
  uint32_t units;
  uint32_t generation;   /* of the slot */
  hc_event_handle event; /* its end while it runs, its withdrawal while it waits, or HC_NO_EVENT */
  hc_event_handle overdue_event;
  uint32_t ranges; /* first of its ids in the range pool, or HC_NO_RANGE */
  uint8_t state;   /* hc_task_state */
  uint8_t flags;   /* hc_task_flag */
  uint8_t queue;   /* which waits for it */
  uint8_t killed;  /* its end is its limit's doing */
  uint8_t overdue; /* it runs past its expected end */
  uint8_t source;
  uint8_t padding[2];
  uint32_t reserved_index; /* in the list of reserved tasks, if it is one */
} hc_live;

/* What only its record needs. */
typedef struct hc_passenger {
  int64_t id, limit, user, group, executable, queue, partition, priority;
  hc_time cancel_at; /* when its user takes it away; HC_NEVER */
} hc_passenger;

/* Ids held by a task: a chain through one pool, so that the pool is one array of plain structs. */
#define HC_NO_RANGE UINT32_MAX
typedef struct hc_held_range {
  hc_range range;
  uint32_t next;
} hc_held_range;

typedef struct hc_tasks {
  hc_live *live;
  hc_passenger *passengers;
  size_t count, cap, passenger_cap; /* slots in use or free */
  hc_task *reserved;                /* tasks that hold a reservation */
  size_t reserved_count, reserved_cap;
  uint32_t *vacant; /* free slots, used last-in first-out */
  size_t vacant_count, vacant_cap;
  hc_held_range *held;
  size_t held_count, held_cap;
  uint32_t held_vacant; /* head of the chain of free places */
} hc_tasks;

/* ---- queues ---- */

#define HC_QUEUE_LIMIT 255

typedef struct hc_sorting {
  const hc_order_type *order; /* NULL: this list does not exist */
  hc_policy *state;           /* of the order */
  bool varies;
  hc_waitlist *list;
} hc_sorting;

typedef struct hc_wait_queue {
  hc_sorting sorting[2]; /* hc_list_id */
} hc_wait_queue;

/* ---- plans ---- */

typedef enum hc_action_kind {
  HC_ACTION_START,
  HC_ACTION_RESERVE,
  HC_ACTION_UNRESERVE,
  HC_ACTION_PREEMPT,
  HC_ACTION_REJECT,
  HC_ACTION_WAKE
} hc_action_kind;

typedef struct hc_action {
  uint64_t serial;
  hc_time at;  /* RESERVE, WAKE */
  hc_time was; /* reservation before it: for undoing */
  uint32_t kind, task;
  uint32_t ranges, range_count; /* START, PREEMPT: in the plan's ranges */
  uint32_t how;                 /* PREEMPT: hc_stop */
  uint32_t padding;
} hc_action;

struct hc_plan {
  hc_engine *engine;
  hc_action *actions;
  size_t count, cap;
  hc_range *ranges;
  size_t range_count, range_cap;
};

struct hc_view {
  hc_engine *engine;
  uint32_t queue;
  bool open;
  const hc_range *scope;
  size_t scope_count;
};

/* ---- observers ---- */

#define HC_BLOCK 256 /* records handed over at once */

typedef struct hc_observers {
  const hc_metric_type **types;
  hc_metric **metrics;
  size_t count;
  bool wants_intervals;
  hc_task_record *records;
  size_t record_count;
  hc_interval *intervals;
  size_t interval_count;
  hc_interval open; /* the state since open.from */
  bool is_open;
} hc_observers;

typedef struct hc_counters {
  uint64_t submitted, started, ended, instants, decisions, conflicts;
  uint64_t finals[HC_FINAL_COUNT];
  hc_time first_submit, last_submit, first_start, last_end, full_from, full_to;
} hc_counters;

typedef struct hc_rejects hc_rejects; /* rejected.c */

/* ---- the run ---- */

struct hc_engine {
  const hc_allocator *allocator;
  hc_config *config;
  const hc_run_options *options;
  hc_arena build;   /* lives as long as the run */
  hc_arena scratch; /* lives as long as one decision */

  hc_time now;
  uint64_t next_serial, next_timer;
  hc_queue *events;
  hc_lexicon *lexicon;
  hc_cell cell;
  hc_cell_spec cell_spec;
  bool contiguous; /* the placement needs one range */
  hc_tasks tasks;
  hc_wait_queue *queues;
  size_t queue_count;
  int64_t waiting, running; /* tasks */
  int64_t overdue_units;    /* held by tasks that run past their expected end */
  hc_time overdue_at;       /* when they are believed to end */

  hc_stream *stream;
  void (*rejected)(void *ctx, uint64_t line, hc_reason why,
                   const char *text); /* rejected rows, for the store */
  hc_rejects *rejects;
  hc_row_ledger ledger;
  hc_arrival arrival; /* the next one, if has_arrival */
  bool has_arrival, source_waits, source_ended;

  hc_policy_context policy_context;
  const hc_place_type *place;
  const void *place_options;
  const hc_architecture_type *architecture_type;
  hc_architecture *architecture;
  hc_view view;
  hc_plan plan;
  hc_plan loaded; /* a plan that comes back from plan_load */

  hc_observers observers;
  hc_counters counters;
  hc_store *store;
  hc_time unix_zero; /* Unix time of the origin, s; HC_UNKNOWN */
  int32_t zone_offset;
  hc_error *error; /* of the call at hand, for services that cannot take one */

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
};

/* ---- between the engine's files ---- */

/* Payload of a task's event: its slot, and whether the event only marks that it runs past its expected
 * end. */
#define HC_OVERDUE_BIT (UINT32_C(1) << 31)
/* Payload of the end of a task that has been released already: see due_ends_first. */
#define HC_GONE_PAYLOAD (HC_OVERDUE_BIT - 1)
/* Payload of an architecture's timer is its id with this bit; its key has the top bit, so that
 * withdrawals, whose key is a serial, come first, and counts timers, so that no two are the same. */
#define HC_TIMER_BIT (UINT32_C(1) << 31)
/* A task that runs past its expected end is believed to end this much after now, whenever now is. */
#define HC_OVERDUE_MOMENT HC_SECOND

hc_rc hc_commit(hc_engine *e, hc_plan *p, hc_commit_mode mode, hc_error *error);

extern const hc_services hc_policy_services;
extern const hc_engine_services hc_architecture_services;

hc_live *hc_live_of(hc_engine *e, hc_task t);
hc_rc hc_tasks_add(hc_engine *e, const hc_arrival *a, hc_task *out);
void hc_tasks_remove(hc_engine *e, hc_task t);
hc_rc hc_tasks_visit(hc_engine *e, hc_visitor *v);
void hc_tasks_fini(hc_engine *e);
hc_rc hc_tasks_hold(hc_engine *e, hc_live *t, const hc_range *ranges, size_t count); /* remember its ids */
/** The ids a task holds, into the scratch arena. */
hc_rc hc_tasks_held(hc_engine *e, const hc_live *t, const hc_range **ranges, size_t *count);
void hc_tasks_drop_ranges(hc_engine *e, hc_live *t);
hc_time hc_expected_end(const hc_engine *e, const hc_live *t);

hc_rc hc_queues_insert(hc_engine *e, uint32_t queue, hc_task t);
void hc_queues_remove(hc_engine *e, hc_task t);
hc_rc hc_queues_put_back(hc_engine *e, hc_task t);  /* with the keys that it had */
hc_rc hc_queues_sort(hc_engine *e, uint32_t queue); /* lists whose keys vary with time */
int64_t hc_queues_units(const hc_engine *e);
int64_t hc_queues_smallest(const hc_engine *e);
hc_rc hc_queues_visit(hc_engine *e, hc_visitor *v);
void hc_queues_fini(hc_engine *e);

/** Apply an action to the cell and the queues (as a plan on an open view does), or undo it. */
hc_rc hc_apply_start(hc_engine *e, hc_task t, const hc_range *ranges, size_t count);
hc_rc hc_undo_start(hc_engine *e, hc_task t, const hc_range *ranges, size_t count);
hc_rc hc_apply_reservation(hc_engine *e, hc_task t, hc_time at); /* HC_NEVER: none; replaces what it had */
hc_rc hc_apply_preempt(hc_engine *e, hc_task t, const hc_range *ranges, size_t count); /* the ids it holds */
/** Choose processors with the configured placement: ranges in the scratch arena; 0 of them on a counted cell.
 *  @return 0, or HC_EPOLICY if it does not fit. */
hc_rc hc_choose_place(hc_engine *e, hc_task t, const hc_range **ranges, size_t *count);
/** The ids of a START or PREEMPT; NULL if processors have no names. */
const hc_range *hc_plan_ranges(const hc_plan *p, const hc_action *a);
hc_rc hc_plan_undo(hc_engine *e, hc_plan *p);
void hc_plan_clear(hc_plan *p);
/** Remember a failure that cannot be returned from where it happened. */
static inline void hc_engine_note(hc_engine *e, hc_rc rc)
{
  if (rc < 0 && e->failed == 0) e->failed = rc;
}
void hc_plan_fini(hc_plan *p);

hc_rc hc_commit_end(hc_engine *e, hc_task t, hc_error *error);      /* a running task's end event */
hc_rc hc_commit_withdraw(hc_engine *e, hc_task t, hc_error *error); /* a waiting task leaves */
hc_rc hc_commit_overdue(hc_engine *e, hc_task t);                   /* it runs past its expected end */
hc_rc hc_commit_overdue_move(hc_engine *e); /* at each view: they end "any moment now" */

hc_metric_context hc_observe_context(const hc_engine *e);
hc_rc hc_observe_init(hc_engine *e, hc_error *error);
hc_rc hc_observe_final(hc_engine *e, hc_task t, hc_final final, hc_time end, hc_error *error);
hc_rc hc_observe_instant(hc_engine *e,
                         hc_error *error); /* close the interval that ended now, if anything changed */
hc_rc hc_observe_flush(hc_engine *e, hc_error *error);
hc_rc hc_observe_finish(hc_engine *e, hc_error *error);
hc_rc hc_observe_visit(hc_engine *e, hc_visitor *v);
void hc_observe_fini(hc_engine *e);

hc_rc hc_trimmed_finish(hc_engine *e, hc_findings *findings, hc_error *error);

void hc_paranoid_walk(const hc_engine *e);

hc_rc hc_inputs_store(hc_engine *e, hc_error *error);

hc_rc hc_rejects_open(hc_engine *e, hc_error *error);
hc_rc hc_rejects_finish(hc_engine *e, hc_error *error);
hc_rc hc_rejects_visit(hc_engine *e, hc_visitor *v);
void hc_rejects_close(hc_engine *e);

bool hc_explaining(const hc_engine *e);
void hc_explain_text(const hc_engine *e, hc_task t, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void hc_explain_args(const hc_engine *e, hc_task t, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));
void hc_explain_decision(hc_engine *e); /* after each decision: what the task asked about sees */

hc_rc hc_engine_new(const hc_allocator *a, hc_config *c, hc_store *store, hc_run **out, hc_error *e);
hc_rc hc_engine_pull(hc_engine *e, hc_error *error); /* make sure the next arrival is known */

#endif
