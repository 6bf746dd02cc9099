/* state.h -- what a run is made of: the engine's struct, and nothing that is done with it.
 *
 * The rooms above see hc_run; architectures see hc_engine through services; policies see hc_view and hc_plan
 * through theirs. Only the engine's files include this header. What a member means in full is said where it
 * is kept: each file of the engine has a header of its own (README.md has the map). */
#ifndef HC_ENGINE_STATE_H
#define HC_ENGINE_STATE_H

#include "base/mem.h"
#include "base/sums.h"
#include "cluster/cell.h"
#include "cluster/lexicon.h"
#include "engine/event.h"
#include "engine/explain_state.h"
#include "engine/gauge.h"
#include "engine/observers.h"
#include "engine/outside_state.h"
#include "engine/planning.h"
#include "engine/replay.h"
#include "engine/shapes.h"
#include "engine/task_table.h"
#include "hindcast/execution.h"
#include "hindcast/placement.h"
#include "hindcast/world.h"
#include "kernel/queue.h"
#include "setup/config.h"
#include "setup/namer.h"
#include "workload/stream.h"

typedef struct hc_advances hc_advances;         /* advance.c */
typedef struct hc_changes hc_changes;           /* changes.c */
typedef struct hc_conflicts hc_conflicts;       /* conflicts.c */
typedef struct hc_data_items hc_data_items;     /* data.c */
typedef struct hc_dependencies hc_dependencies; /* dependencies.c */
typedef struct hc_fair hc_fair;                 /* fair.c */
typedef struct hc_forecasts hc_forecasts;       /* predict.c */
typedef struct hc_host_events hc_host_events;   /* host_events.c */
typedef struct hc_loads hc_loads;               /* load.c */
typedef struct hc_part hc_part;                 /* part.h */
typedef struct hc_past hc_past;                 /* past.c */
typedef struct hc_rejects hc_rejects;           /* rejected.c */
typedef struct hc_reserve_book hc_reserve_book; /* src/reserve */
typedef struct hc_resizes hc_resizes;           /* resizes.c */
typedef struct hc_points hc_points;             /* points.c */
typedef struct hc_wait_queue hc_wait_queue;     /* queues.h */
typedef struct hc_workflow_told hc_workflow_told;

struct hc_engine {
  const hc_allocator *allocator;
  hc_config *config;
  const hc_run_options *options;
  hc_arena build;   /* lives as long as the run */
  hc_arena scratch; /* lives as long as one decision */

  hc_time now;
  hc_time told; /* when something last happened to a task or a host: figures end there (observe.h) */
  uint64_t next_serial, next_timer;
  hc_queue *events;
  bool names_ends; /* ends of tasks have handles: hc_commit_name_ends */
  hc_lexicon *lexicon;
  hc_namer names; /* names.c */
  hc_sums *sums;  /* of files that were read whole; NULL: there is no store that would say so */
  hc_cell cell;
  hc_cell_spec cell_spec;
  bool contiguous;    /* the placement needs one range */
  bool is_plain;      /* of hosts, of each of which two amounts are all that counts; no policy plans ahead */
  bool expects;       /* some policy plans with expected ends */
  hc_chooser chooser; /* on a cell of hosts, of the open view's queue */
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
  /* a host has shrunk below gauge.least: what a task that takes hosts whole needs at least is not known */
  bool small_host;
  hc_tasks tasks;
  hc_forecasts *forecasts;       /* NULL: what users asked for is believed */
  hc_dependencies *dependencies; /* NULL: no task refers to another */
  hc_data_items *data;           /* NULL: no task so far reads or makes an item */
  hc_host_events *host_events;   /* NULL: no host ever changes */
  hc_wait_queue *queues;
  size_t queue_count;
  int64_t waiting, running;            /* tasks */
  int64_t suspended;                   /* tasks that are neither */
  int64_t tasks_held;                  /* that wait for others or for their time */
  bool plans_ahead;                    /* tasks that wait for their time do so in the queue: deferred.c */
  int64_t deferred, deferred_units;    /* waiting tasks that may not start yet; units that they ask for */
  uint64_t changes_in_vain;            /* of hosts, since anything else happened */
  uint64_t timers_in_vain;             /* with nothing running or to come, since anything else happened */
  uint64_t stops_in_vain, stops_since; /* of tasks with nothing saved, since this many had ended and come */
  int64_t overdue_units;               /* held by tasks that run past their expected end */
  hc_time overdue_at;                  /* when they are believed to end */

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
  uint64_t parts_wanted,
      parts_pending; /* a bit each: those of this run; those of these that can be pending */
  uint32_t heard;    /* of HC_HEARS: what any of those hears */
  const hc_event_type *const *event_types; /* by their places */
  struct { /* if it wants to hear of a phase in one go: what is still to be told. Empty between phases */
    bool is_wanted, early;
    uint32_t queue, what; /* of hc_why_bit */
  } gathered;
  hc_view view;
  hc_view glance; /* what `look` answers with */
  uint64_t commits;
  /* [units] number of the commit that last started something there; NULL: it is not asked for */
  uint64_t *last_start;
  hc_plan plan;
  hc_plan loaded;     /* a plan that comes back from plan_load */
  hc_outside outside; /* a plan that is to come from the caller of the run */
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
  void *model_ended; /* what model.c is told at an instant: not scratch, for a decision may come between */
  size_t model_ended_cap;

  hc_rates_told rates_told;
  hc_observers observers;
  hc_counters counters;
  hc_store *store;
  hc_time unix_zero; /* Unix time of the origin, s; HC_UNKNOWN */
  int32_t zone_offset;
  hc_error *error; /* of the call at hand, for services that cannot take one */

  /* hosts that differ in more than amounts: work.c, hold.c, load.c */
  bool has_speeds; /* some host's speed is not 1 */
  /* a start decides how long a task runs: has_speeds, or a policy paces, or tasks are molded */
  bool stretches;
  bool cuts;        /* a start may cut a task's limit: its policy declares HC_CUTS_LIMITS */
  double fastest;   /* the greatest speed of any host */
  bool blind;       /* choices leave local load out */
  struct hc_asked { /* choices are about these hosts, at another time, without load; NULL: the cell's */
    hc_hosts *hosts;
    uint64_t stamp;
  } asked;
  hc_time spare_estimate; /* choices leave out hosts promised before a task so long ends; HC_UNKNOWN: none */
  uint32_t policy_flags;
  hc_hosts_gate gate;
  const hc_eligibility_type *eligibility; /* NULL: every host may be used */
  hc_policy *eligibility_state;
  hc_loads *loads;                        /* NULL: no host has local load */
  struct hc_watts *watts;                 /* NULL: the run says nothing of power */
  const struct hc_model_type *model_type; /* NULL: every task is a fixed delay. See model.c */
  struct hc_model *model;
  const struct hc_book *book; /* tasks keep their profiles; NULL: they have lengths */
  const struct hc_book *laws; /* how laws of speed-up are read */
  hc_event_handle model_event;
  hc_time model_at;         /* of that event; HC_NEVER: there is none */
  double admits_up_to;      /* this part of a host that is really used; 0: use does not count. overcommit.c */
  hc_resizes *resizes;      /* NULL: no task so far changes what it holds */
  hc_points *points;        /* NULL: no task of a profile may have another size. points.c */
  uint32_t is_resizing;     /* 1: what is told of claims just now is such a change */
  hc_past *past;            /* [units]; NULL: not counted */
  struct hc_powers *powers; /* power.c; NULL: no plan switches hosts */
  struct hc_incidents *incidents; /* incidents.c; NULL: none was said */
  struct hc_slowdowns *slowdowns; /* slowdowns.c; NULL: there are none */
  hc_shapes shapes;         /* demands that have failed */
  hc_reserve_book *reserve;
  hc_advances *advance;            /* NULL: there are no advance reservations */
  hc_workflow_told *workflow_told; /* NULL: no metric counts workflows */
  hc_conflicts *conflicts;         /* NULL: they are counted, and not told one by one */
  hc_changes *changes;             /* of the policy; NULL: there are none */
  hc_time change_at;               /* when the next one is due; HC_NEVER */
  bool keeps_all; /* what any policy could want is kept from the beginning on: one may come to want it */
  struct {        /* that forks are given, while they run: fair.c */
    hc_arrival *items;
    size_t count, cap;
  } lent;
  size_t lent_next; /* of a fork: of these */
  const struct hc_fork_calls *forks;
  hc_fair *fair; /* fair starts: of a run that seeks them, and of its forks; NULL */

  uint64_t explained;  /* serial asked about, UINT64_MAX: none */
  bool explains_waits; /* and not how it runs */
  void (*explain)(void *ctx, const hc_why_record *w);
  void *explain_ctx;

  struct { /* who steps through the run; NULL */
    void (*each)(void *ctx, const hc_happening *h);
    void *ctx;
  } watch;

  volatile int cancelled;
  bool finished;
  /* what the first failure was: a run that failed cannot go on. Services that return no code set it. */
  hc_rc failed;
  hc_noted noted; /* of the task that was asked about: read by explanations alone */
};

/* How a run is made and carried on from within another: set at birth. */
typedef struct hc_fork_calls {
  hc_rc (*make)(const hc_allocator *a, hc_config *c, hc_store *store, const hc_replay *replay, hc_run **out,
                hc_error *e);
  hc_rc (*advance)(hc_run *r, hc_time until, uint64_t instants, hc_error *e);
  void (*free)(hc_run *r);
} hc_fork_calls;

struct hc_run {
  hc_engine engine;
  hc_world *world; /* carried out in place of the engine: see closed.h; NULL */
};

static inline hc_live *hc_live_of(hc_engine *e, hc_task t)
{
  return &e->tasks.live[t];
}
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

#endif
