/* schedulers.h -- schedulers that each think about one job after another, or about all that they have queued.
 *
 * What architectures with several schedulers have in common: which scheduler a job goes to, its queue of
 * jobs and their order, the task by task return of what could not start, retries and giving up, and what is
 * counted of all that. What they differ in, when a decision is made and on what view, is theirs: they call
 * `hc_schedulers_begin` to learn which scheduler thinks and `hc_schedulers_done` when an attempt is over.
 *
 *   decision: job
 *   a task arrives  ->  it enters a staging queue, and its job the queue of one scheduler
 *   begin           ->  the next job's tasks move from staging into the scheduler's queue; it thinks
 * (the architecture opens a view on that queue, which shows this job alone, lets the policy decide, commits)
 *   done            ->  what did not start returns to staging; its job is queued again after `retry`
 *
 * The next job is the first that came, or, if the policy has an order of its own, the one whose task is
 * first in it.
 *
 *   decision: pass (pass.c)
 *   a task arrives  ->  it enters the queue of its job's scheduler
 * begin           ->  something has happened that concerns the scheduler: it thinks about all that is queued
 * done            ->  what started is counted; a conflict, or what happened meanwhile, calls for the next
 * pass
 *
 * A pass is what a batch scheduler does: with one scheduler that thinks for no time it is the architecture
 * monolithic. What takes no time is decided and committed at once. A job is what a source calls one; a task
 * without a job is a job of its own. Tasks that arrive later join their job. */
#ifndef HC_ARCHITECTURE_SCHEDULER_SCHEDULERS_H
#define HC_ARCHITECTURE_SCHEDULER_SCHEDULERS_H

#include "architecture/scheduler/counts.h"
#include "architecture/scheduler/hosts.h"
#include "architecture/scheduler/limits.h"
#include "architecture/scheduler/mold.h"
#include "architecture/scheduler/options.h"
#include "architecture/scheduler/usage.h"
#include "base/expr.h"
#include "base/mem.h"

#define HC_NO_JOB UINT32_MAX
#define HC_NO_SCHEDULER UINT32_MAX
#define HC_NO_QUEUE UINT32_MAX
#define HC_DECISIONS "job|pass" /* in the order of hc_decision */
typedef enum hc_decision { HC_DECISION_JOB, HC_DECISION_PASS } hc_decision;
#define HC_SPREADS "round_robin|hash" /* in the order of hc_job_spread */
typedef enum hc_job_spread { HC_SPREAD_ROUND_ROBIN, HC_SPREAD_HASH } hc_job_spread;

typedef struct hc_schedulers_options {
  hc_list list; /* hc_chosen, whose options are hc_scheduler_options */
  int spread;   /* hc_job_spread */
  int decision; /* hc_decision */
  hc_time retry;
  int64_t attempts, attempts_in_vain; /* then it is given up; in vain: not one of its tasks has started */
  hc_chosen prefill_place;            /* no type: the run's */
  double prefill_share;
} hc_schedulers_options;

typedef enum hc_job_state { HC_JOB_FREE, HC_JOB_QUEUED, HC_JOB_IN_DECISION, HC_JOB_BACKS_OFF } hc_job_state;

/* A job of which something has not started. */
typedef struct hc_queued_job {
  int64_t job; /* -1: one task that has none */
  uint64_t first_serial;
  hc_time submitted, ready; /* its first task's arrival; since when it is queued */
  uint32_t first, last;     /* of its tasks, a chain through `links` */
  uint32_t count;           /* of them */
  uint32_t attempts, scheduler;
  uint32_t next, prev; /* in a queue, among those that back off (no prev), or free */
  uint32_t state;      /* hc_job_state */
  uint32_t kind;       /* place in the list of schedulers */
  bool has_started;    /* some task has */
  bool after_conflict; /* something was refused at the last attempt */
  bool was_molded;     /* and did not start so */
  uint8_t padding[9];
} hc_queued_job;
_Static_assert(sizeof(hc_queued_job) == 80, "saved and hashed as it is: no byte of it is the compiler's");

/* By slot: a task that is withdrawn leaves its link behind, until its job is gathered or its slot is used
 * again. */
typedef struct hc_task_link {
  uint64_t serial;
  uint32_t next, prev; /* in the chain of its job; HC_NO_TASK: none */
  uint32_t job;        /* its place in `jobs`, or HC_NO_JOB: it is in no chain */
  uint32_t padding;
} hc_task_link;

typedef struct hc_job_queue {
  uint32_t first, last, count;
} hc_job_queue;

/* A start that a plan wishes. */
typedef struct hc_pass_start {
  uint64_t serial;
  hc_task task;
  uint32_t padding;
} hc_pass_start;

/* What a scheduler that decides by passes keeps beside. */
typedef struct hc_pass {
  hc_usage_of usage; /* of its tasks */
  uint64_t seen;     /* how many ran when it looked last */
  uint32_t why;      /* what has happened since its last pass began */
  uint32_t early;    /* a task ended early among it */
  uint32_t now;      /* what the pass under way was called for */
  uint32_t now_early;
  uint32_t is_on; /* a pass is under way */
  uint32_t padding;
  hc_pass_start *starts; /* [start_count] */
  size_t start_count, start_cap;
} hc_pass;

typedef struct hc_scheduler {
  const hc_scheduler_options *o;
  uint32_t queue;   /* the engine's, in which the tasks stand that it thinks about */
  uint32_t staging; /* the engine's, in which those of its other jobs stand: its own in its order, or all's */
  const hc_policy_type *type;
  hc_policy *policy;
  hc_job_queue waiting, resting; /* resting: until `ready` */
  uint32_t at;                   /* the job that it thinks about, or HC_NO_JOB */
  hc_time since, until;          /* it thinks */
  uint64_t decisions;
  double speed_up; /* of the job that it thinks about, if it starts; 0: it is not moldable */
  hc_scheduler_limits limits;
  void *plan; /* the architecture's: a plan that waits for its time */
  size_t plan_size, plan_cap;
  uint64_t jobs; /* that are queued, back off or are thought about */
  hc_pass pass;
} hc_scheduler;

/* Who sends jobs to schedulers, in place of what these take. @return its place in the list; HC_NO_SCHEDULER:
 * none takes it */
typedef struct hc_job_router {
  uint32_t (*route)(void *self, hc_task t); /* NULL: the first that takes it */
  void *self;
} hc_job_router;

typedef struct hc_schedulers {
  hc_architecture_context c;
  const hc_schedulers_options *o;
  hc_job_router router;
  const hc_services *ask; /* questions about tasks, with c.services->task_view */
  hc_arena build;
  uint32_t staging;
  hc_scheduler *one;
  uint32_t count;
  const hc_scheduler_options **kinds; /* [kind_count] */
  hc_expr **takes;                    /* [kind_count] NULL: everything */
  hc_expr **wholes;                   /* [kind_count] all_or_nothing; NULL: as the architecture says */
  hc_expr **gangs;                    /* [kind_count] NULL: none */
  uint32_t *first;                    /* [kind_count + 1] of its schedulers */
  uint64_t *turn;                     /* [kind_count] ROUND_ROBIN */
  uint32_t kind_count;
  uint32_t offers; /* HC_WHY_OFFER: the hosts of a decision are an offer; else 0 */
  hc_map of_job;   /* job -> its place in `jobs` */
  hc_queued_job *jobs;
  size_t job_count, job_cap;
  uint32_t vacant;
  hc_task_link *links; /* by task */
  size_t link_count, link_cap;
  uint32_t newest;              /* scheduler that got the last job that came; not kept */
  uint32_t asked;               /* whose plan is to come from outside, if the run has stopped for that */
  uint32_t is_deciding;         /* ... in the phase of decisions, and not as its decision ended */
  uint64_t in_hand;             /* jobs that wait, rest or are thought about */
  bool is_one_server, preempts; /* preempts: some scheduler does */
  bool by_pass;                 /* decision: pass */
  struct hc_partition *parts;  /* [kind_count] the hosts of each, where each has its own; NULL: all see all */
  hc_scheduler_counts *counts; /* [kind_count] */
  hc_scheduler_mold *molds;    /* [kind_count] */
  hc_scheduler_hosts *hosts;   /* [schedulers or, with one, kinds] */
  hc_range *both;              /* scratch */
  size_t both_cap;
  uint32_t prefill; /* the queue of what ran before the beginning, or HC_NO_QUEUE: nothing has */
  uint64_t prefilled, not_prefilled;   /* tasks */
  int64_t prefill_held[HC_DIMENSIONS]; /* by the cell's own dimensions */
} hc_schedulers;

/* What became of an attempt: `planned` starts were wished, of which `refused` were conflicts. */
typedef struct hc_attempt {
  size_t planned, refused;
  size_t limited; /* starts that would have broken a limit of the scheduler: neither started nor a conflict */
  bool wasted;    /* it counts as wasted: something was refused */
} hc_attempt;

/* @param is_one_server all jobs stand in one queue: the schedulers are kinds of jobs, and one server thinks
 * about them all.
 * @param router {0}: the first of the list that takes a task gets it
 * @return 0, HC_EUSAGE (with the scheduler's name and what to do), HC_ENOMEM. */
hc_rc hc_schedulers_init_routed(hc_schedulers *all, const hc_architecture_context *c,
                                const hc_schedulers_options *o, bool is_one_server, hc_job_router router,
                                hc_error *e);
static inline hc_rc hc_schedulers_init(hc_schedulers *all, const hc_architecture_context *c,
                                       const hc_schedulers_options *o, bool is_one_server, hc_error *e)
{
  return hc_schedulers_init_routed(all, c, o, is_one_server, (hc_job_router){0}, e);
}
/* Does a scheduler of the list take such a task? */
bool hc_schedulers_takes(const hc_schedulers *all, uint32_t kind, hc_task t);
void hc_schedulers_fini(hc_schedulers *all);
/* A task that was stopped, or lost its host, stands in the queue of the scheduler that had started it: file
 * it anew. To be called when hosts changed or tasks are preempted. Cost: O(schedulers). */
hc_rc hc_schedulers_collect(hc_schedulers *all, hc_error *e);

/* What expressions over a task read. @param values out: [HC_SCHEDULERS_VARIABLES] */
#define HC_SCHEDULERS_VARIABLES 10
void hc_schedulers_variables(const hc_schedulers *all, hc_task t, double *values);
/* The value of one, which may compare with names. @param values of `t` */
double hc_schedulers_value(const hc_schedulers *all, const hc_expr *x, hc_task t, const double *values);
bool hc_schedulers_has_name(size_t variable);
/* Refuse schedulers that mold, where they do not see the cell when they begin to think. @return 0 or
 * HC_EUSAGE */
hc_rc hc_schedulers_never_mold(const hc_schedulers *all, const char *why, hc_error *e);
/* A decision begins: how wide its job may start; and it is over. */
hc_rc hc_schedulers_mold(hc_schedulers *all, uint32_t scheduler);
hc_rc hc_schedulers_molded(hc_schedulers *all, uint32_t scheduler);
/* If the scheduler is free and a job is queued there: take the first job, move its tasks to the scheduler's
 * queue, and think. @return 1 if it did: `until` says how long; 0; or an error. */
hc_rc hc_schedulers_begin(hc_schedulers *all, uint32_t scheduler);
/* The attempt is over: count it, let the rest of the job return, or give it up. */
hc_rc hc_schedulers_done(hc_schedulers *all, uint32_t scheduler, const hc_attempt *a, hc_error *e);
/* Let the scheduler's policy decide on its queue. @param keep the plan is committed at once, else it is kept
 * in scheduler->plan.
 * @param a out: how many starts it wished; what became of them is known with `keep` alone.
 * @return 0, an error, or 1: its plan is to come from outside, and this is to be called again then */
hc_rc hc_schedulers_decide(hc_schedulers *all, uint32_t scheduler, const hc_range *scope, size_t scope_count,
                           bool keep, hc_attempt *a, hc_error *e);
/* Think anew about the same job: it has not been decided on what it was first shown. */
void hc_schedulers_think_again(hc_schedulers *all, uint32_t scheduler);
/* Forget the plan that was kept. */
void hc_schedulers_forget(hc_schedulers *all, uint32_t scheduler);
/* Let the job stand back for a time: an attempt without a decision. */
hc_rc hc_schedulers_back_off(hc_schedulers *all, uint32_t scheduler, hc_time back_off, hc_error *e);
/* Commit the plan that was kept. */
hc_rc hc_schedulers_commit(hc_schedulers *all, uint32_t scheduler, hc_commit_mode mode, hc_attempt *a,
                           hc_error *e);

/* ---- pass.c ---- */

/* Whatever a scheduler's record says of single jobs means nothing to a pass. @return 0 or HC_EUSAGE */
hc_rc hc_pass_check(const hc_schedulers *all, hc_error *e);
/* What has happened, for every scheduler that it concerns. */
void hc_pass_note(hc_schedulers *all, const hc_signal *sig);
/* As hc_schedulers_begin. */
hc_rc hc_pass_begin(hc_schedulers *all, uint32_t scheduler);
/* Keep which tasks a plan starts. @return 0 or HC_ENOMEM */
hc_rc hc_pass_plan(hc_schedulers *all, uint32_t scheduler, const hc_plan *p);
/* The plan has been carried out: find what of it started. @param conflict something of it was refused
 * @param a in: planned, limited; out: refused, wasted @return 0 or HC_ENOMEM */
hc_rc hc_pass_settle(hc_schedulers *all, uint32_t scheduler, bool conflict, hc_attempt *a);
/* As hc_schedulers_done. */
hc_rc hc_pass_done(hc_schedulers *all, uint32_t scheduler, const hc_attempt *a);
hc_rc hc_pass_visit(hc_pass *x, hc_visitor *v);
void hc_pass_fini(hc_schedulers *all, hc_pass *x);
/* For an architecture in which a decision is about one job. @return 0 or HC_EUSAGE */
hc_rc hc_schedulers_refuse_pass(const hc_schedulers *all, const char *why, hc_error *e);
/* What of a policy acts, by the options. */
hc_reach hc_schedulers_reach_of(const void *options);

/* ---- jobs, for pass.c ---- */

/* Count an attempt that is over now. @param again it was called for by a conflict @return 0 or HC_ENOMEM */
hc_rc hc_schedulers_count(hc_schedulers *all, const hc_scheduler *x, uint32_t kind, bool again,
                          const hc_attempt *a);
void hc_schedulers_think(hc_schedulers *all, uint32_t scheduler, uint32_t kind, uint32_t tasks);
uint32_t hc_schedulers_next_job(hc_schedulers *all, hc_job_queue *q);
void hc_schedulers_drop_job(hc_schedulers *all, uint32_t job);

/* ---- kinds.c ---- */

/* Read the records of the schedulers. @return 0, HC_EUSAGE (with the scheduler's name and what to do),
 * HC_ENOMEM. */
hc_rc hc_schedulers_read_kinds(hc_schedulers *all, hc_error *e);
hc_rc hc_schedulers_complain(const char *name, hc_error *e, const char *text);
/* For an architecture in which `hosts` of a scheduler, or more of what it may say than whose jobs it takes
 * and how long it thinks, mean nothing: HC_EUSAGE if it is said. */
hc_rc hc_schedulers_refuse_hosts(const hc_schedulers *all, hc_error *e);
hc_rc hc_schedulers_refuse_plans(const hc_schedulers *all, hc_error *e);
/* The first scheduler of the list that takes a task, or HC_NO_SCHEDULER. */
uint32_t hc_schedulers_kind_of(const hc_schedulers *all, hc_task t);
/* Does the job start whole or not at all, by what its scheduler says of the first of its tasks that waits? */
bool hc_schedulers_is_gang(const hc_schedulers *all, const hc_queued_job *j);
/* How what it has thought about is committed. @param mode as the architecture says */
hc_commit_mode hc_schedulers_mode_of(const hc_schedulers *all, uint32_t scheduler, hc_commit_mode mode);

/* ---- what happens ---- */

/* What every architecture of several schedulers does with a signal. @param scheduler out: whose decision ends
 * now, or HC_NO_SCHEDULER. */
hc_rc hc_schedulers_signal(hc_schedulers *all, const hc_signal *sig, uint32_t *scheduler, hc_error *e);
/* Arm the end of a scheduler's decision. */
hc_rc hc_schedulers_timer(hc_schedulers *all, uint32_t scheduler);
/* Does the decision that has just begun take no time, so that it is made and committed at once? A pass alone
   does. */
static inline bool hc_schedulers_is_instant(const hc_schedulers *all, uint32_t scheduler)
{
  return all->by_pass && all->one[scheduler].until == all->one[scheduler].since;
}
/* What hears of the tasks of a scheduler's queue: its limits, or its policy. */
static inline const hc_policy_type *hc_scheduler_hearer(const hc_scheduler *x)
{
  return x->limits.is_on ? &x->limits.type : x->type;
}
static inline hc_policy *hc_scheduler_hearing(hc_scheduler *x)
{
  return x->limits.is_on ? (hc_policy *)(void *)&x->limits : x->policy;
}

/* What the task is about, for its tasks in `hc_scheduler.queue`. */
static inline const hc_queued_job *hc_schedulers_at(const hc_schedulers *all, uint32_t scheduler)
{
  return all->one[scheduler].at == HC_NO_JOB ? NULL : &all->jobs[all->one[scheduler].at];
}
/* Tasks that ran before the beginning and have arrived: give each its place, or reject it. */
hc_rc hc_schedulers_prefill(hc_schedulers *all, hc_error *e);
hc_rc hc_schedulers_finish(hc_schedulers *all, hc_findings *f);
extern const char *const hc_schedulers_figures[];
hc_rc hc_schedulers_visit(hc_schedulers *all, hc_visitor *v);

/* For architectures whose state begins with its schedulers and has no more to save and to say. Those that
 * decide at the end of the time of thinking, on the cell as it is then, so that nothing is ever refused,
 * have the first two in common. */
hc_rc hc_schedulers_kind_signal(hc_architecture *self, const hc_signal *sig, hc_error *e);
hc_rc hc_schedulers_kind_decide(hc_architecture *self, hc_error *e);
hc_rc hc_schedulers_kind_go_on(hc_architecture *self, hc_error *e);
hc_rc hc_schedulers_kind_visit(hc_architecture *self, hc_visitor *v);
hc_rc hc_schedulers_kind_finish(hc_architecture *self, hc_findings *f);
bool hc_schedulers_kind_is_thinking(const hc_architecture *self);
/** What was given up. */
hc_rc hc_schedulers_kind_note(const hc_architecture *self, hc_buffer *out);
/* Members of an architecture type that are alike where schedulers with queues of jobs decide. */
#define HC_SCHEDULERS_CALLS \
  .finish = hc_schedulers_kind_finish, .asks_jobs = true, .is_memoryless = hc_schedulers_kind_is_memoryless, \
  .reach = HC_REACH_JOB, .reach_of = hc_schedulers_reach_of, .note = hc_schedulers_kind_note, \
  .places_prefill = true, .is_thinking = hc_schedulers_kind_is_thinking
/* The same where they decide at the end of their time of thinking. */
#define HC_SCHEDULERS_CALLS_LATE \
  .signal = hc_schedulers_kind_signal, .decide = hc_schedulers_kind_decide, \
  .go_on = hc_schedulers_kind_go_on, HC_SCHEDULERS_CALLS

/** By jobs they decide when one comes and when its time has come, not because hosts change; by passes a
 * decision in vain matters if it takes time. */
bool hc_schedulers_kind_is_memoryless(const hc_architecture *self);

#endif
