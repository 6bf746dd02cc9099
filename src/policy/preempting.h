/* preempting.h -- which tasks may be stopped for which others: books of running tasks, and the stage that
 * makes room on a host.
 *
 * A member is what shares: a user, or an operation. Of each member the running tasks are known in the
 * order in which they started (then by serial), and of each host the tasks on it. A member's fair share
 * divides its tasks into three classes: walking from the oldest, a task is never stopped while what stands
 * before it is strictly below `aggressive_threshold` times the fair share, stopped only aggressively while
 * that is strictly below `threshold` times it, and freely beyond. So the task that crosses a bound belongs to
 * the safer class. Dimensions in which the fair share covers the demand are blocked and do not count: a
 * member that is due all it wants has nothing to be stopped.
 *
 * The stage is one host's: what is free on it, and what could be stopped on it, is offered to the members who
 * starve, in their order; then as many tasks are stopped as that one task needs, the class that may be
 * stopped most freely first.
 *
 * Cost: a start or an end O(dimensions log (tasks of the member)); a stage follows the tasks on its host, and
 * for each member among them whose tasks or share have changed O(dimensions log). Amounts are whole numbers,
 * so books that hold the same are the same however they came about. On a cell of processors there is one
 * host, number 0: the cell.
 *
 * Use: `hear` from hc_policy_type.on_task_event (ALLOCATED, RELEASED); `due` when fair shares are computed
 * anew; `run` in a decision. Source: the scheduler of YTsaurus; the order of victims and the thresholds are
 * its. */
#ifndef HC_POLICY_PREEMPTING_H
#define HC_POLICY_PREEMPTING_H

#include "base/mem.h"
#include "hindcast/view.h"

#define HC_NO_RUNNER UINT32_MAX

/* Safest first. */
typedef enum hc_stop_class { HC_STOPS_NEVER, HC_STOPS_AGGRESSIVELY, HC_STOPS_FREELY } hc_stop_class;

/* Within a class: the task that started last, or first; which loses least (the dominant share of what it
 * holds x the time since its work was last saved); whose member is most above its fair share (max_r usage_r /
 * fair_r), then the newest. */
#define HC_VICTIMS "newest|oldest|least_lost|most_over_share" /* in the order of hc_victims */
typedef enum hc_victims {
  HC_VICTIMS_NEWEST,
  HC_VICTIMS_OLDEST,
  HC_VICTIMS_LEAST_LOST,
  HC_VICTIMS_MOST_OVER_SHARE
} hc_victims;

typedef struct hc_preempting_options {
  double aggressive_threshold, threshold; /* of the fair share; YT: 0.2 and 1 */
  hc_time backoff;                        /* a host's tasks are stopped at most once in so long; YT: 5 s */
  hc_stopping stopping;                   /* how */
  hc_victims victims;
  bool fewest; /* once the task fits, let those go on that prove not to be needed, the last chosen first */
} hc_preempting_options;

/* What a task holds on a host. */
typedef struct hc_piece {
  uint32_t runner; /* whose; HC_NO_RUNNER: the place is free */
  uint32_t host;
  uint32_t next;  /* of the same runner, or of the free ones */
  uint32_t place; /* in its host's list */
  int64_t amount[HC_DIMENSIONS];
} hc_piece;

/* A task that runs: a node of its member's tree. */
typedef struct hc_runner {
  uint64_t serial;
  hc_time started;
  hc_task task;
  uint32_t member, pieces;
  uint32_t left, right; /* HC_NO_RUNNER: none */
  uint32_t padding;
  int64_t priority;
  int64_t amount[HC_DIMENSIONS]; /* of the cell in all */
  int64_t sum[HC_DIMENSIONS];    /* of it and of all below it in the tree */
} hc_runner;

/* Where a class begins: at the task of this start and serial, and with all after it. */
typedef struct hc_class_bound {
  hc_time started; /* HC_NEVER: nowhere */
  uint64_t serial;
} hc_class_bound;

typedef struct hc_preempting_member {
  uint32_t root;
  bool is_known, is_old;                             /* is_old: the bounds below are not those of now */
  double fair[HC_DIMENSIONS], demand[HC_DIMENSIONS]; /* amounts */
  hc_class_bound aggressively, freely;
} hc_preempting_member;

typedef struct hc_preempting_host {
  uint32_t *pieces;
  size_t count, cap;
  hc_time stopped; /* when tasks were last stopped on it; HC_UNKNOWN: never */
} hc_preempting_host;

typedef struct hc_preempting {
  const hc_allocator *allocator;
  hc_preempting_options o;
  uint32_t dims;
  hc_map index; /* serial -> runner */
  hc_runner *runners;
  size_t runner_count, runner_cap;
  uint32_t vacant; /* first of the free ones, by `left` */
  hc_piece *pieces;
  size_t piece_count, piece_cap;
  uint32_t vacant_piece;
  hc_preempting_member *members;
  size_t member_count, member_cap;
  hc_preempting_host *hosts;
  size_t host_count, host_cap;
  struct hc_victim *victims; /* scratch */
  size_t victim_cap;
  hc_task *tasks; /* scratch */
  size_t task_cap;
  uint64_t stages, in_vain,
      stopped; /* counts: stages that had a taker, those in which none could start, tasks stopped */
} hc_preempting;

void hc_preempting_init(hc_preempting *p, const hc_allocator *a, const hc_preempting_options *o);
void hc_preempting_fini(hc_preempting *p);
/* State: what runs, what is due, when hosts were last looked at. */
hc_rc hc_preempting_visit(hc_preempting *p, hc_visitor *v);

/* From hc_policy_type.on_task_event; other than ALLOCATED and RELEASED it is not concerned. @param amounts as
 * there. @return 0 or an error that ends the run. */
hc_rc hc_preempting_hear(hc_preempting *p, const hc_services *s, const hc_view *v, hc_task_event what,
                         hc_task t, uint32_t member, const int64_t *amounts);
/* A member's fair share and demand (which counts what it uses), as amounts of the cell; after something, no
 * matter what, has been heard, so that the dimensions are known. Until it is told nothing of it is stopped.
 * @param fair, demand [dims]. @return 0 or HC_ENOMEM. */
hc_rc hc_preempting_due(hc_preempting *p, uint32_t member, const double *fair, const double *demand);
/* What a member's running tasks hold, [dims]; NULL: nothing runs. */
const int64_t *hc_preempting_usage(const hc_preempting *p, uint32_t member);
/* The class of a task that runs, by its serial. HC_STOPS_NEVER also for one that does not. */
hc_stop_class hc_preempting_class(hc_preempting *p, uint64_t serial);
/* When tasks on this host may be stopped again: HC_UNKNOWN (long ago) if none ever were. */
hc_time hc_preempting_ready(const hc_preempting *p, uint32_t host);

/* Which tasks may be stopped on a host, and for which members. */
typedef struct hc_preempting_stage {
  uint32_t host;
  hc_stop_class least; /* tasks of this class and of those stopped more freely */
  void *ctx;
  /* May a running task of this member be stopped for `taker`? HC_NO_RUNNER: for any at all (then a yes to
   * one taker is no breach, and a no holds for all). NULL: no member is protected. A member's own tasks are
   * never stopped for it. */
  bool (*is_protected)(void *ctx, uint32_t member, uint32_t taker);
  /* Instead of classes: may this running task be stopped for the task, and which is first among them: less is
   * first, then the newest. NULL: by classes and the order of `victims`. */
  bool (*may_stop)(void *ctx, const hc_runner *victim, hc_task taker);
  int64_t (*rank)(void *ctx, const hc_runner *victim);
  /* stage: the members who may take, in their order, and the first task of each that needs at most `room`
   * [dims] on this host in all, or HC_NO_TASK. */
  const uint32_t *takers;
  size_t taker_count;
  hc_task (*task)(void *ctx, uint32_t member, const int64_t *room);
} hc_preempting_stage;

/* Sum of what could be stopped on the host for a taker (HC_NO_RUNNER: for any). @param out [dims],
 * zeroed and filled */
hc_rc hc_preempting_discount(hc_preempting *p, const hc_services *s, const hc_view *v,
                             const hc_preempting_stage *x, uint32_t taker, int64_t *out);
/* Make room on the host for this task, and start it there (or, with a grace, tell those who have to go, and
 * start nothing: when they are gone the member whose turn it is has the room). No task is stopped unless the
 * task will then fit, placement, features and devices included. While a task on the host has been told to go,
 * no other is.
 * @return 1: it was done; 0: it cannot be; or an error. Cost: O(tasks on the host log, and one question of
 * fitting for each victim beyond those that the amounts ask for). */
hc_rc hc_preempting_make_room(hc_preempting *p, const hc_services *s, hc_view *v, hc_plan *plan,
                              const hc_preempting_stage *x, uint32_t taker, hc_task task);
/* The whole stage: not within `backoff` of the last time that tasks were stopped on the host; the takers in
 * their order; at most one task. @param taker, task out: whose and which, if it was done; may be NULL.
 * @return as make_room. */
hc_rc hc_preempting_run(hc_preempting *p, const hc_services *s, hc_view *v, hc_plan *plan,
                        const hc_preempting_stage *x, uint32_t *taker, hc_task *task);

#endif
