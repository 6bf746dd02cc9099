/* desks.h -- schedulers that each take one job after another, think about it, and try to start what is left of it.
 *
 * What architectures with several schedulers have in common: which scheduler a job goes to, its line of jobs, the task by
 * task return of what could not start, retries and giving up, and what is counted of all that. What they differ in, when a
 * decision is made and on what view, is theirs: they call `hc_desks_begin` to learn whom to serve and
 * `hc_desks_done` when an attempt is over.
 *
 *   a task arrives  ->  it stands in the lobby, and its job in the line of one desk
 *   begin           ->  the first job's tasks move from the lobby into the desk's queue; the scheduler thinks
 *   (the architecture opens a view on that queue, which shows this job alone, lets the policy decide, commits)
 *   done            ->  what did not start returns to the lobby; its job joins the line again after `retry`
 *
 * A job is what a source calls one; a task without a job is a job of its own. Tasks that arrive later join their job. */
#ifndef HC_ARCHITECTURE_DESKS_H
#define HC_ARCHITECTURE_DESKS_H

#include "architecture/desk_counts.h"
#include "architecture/desk_hosts.h"
#include "architecture/desk_limits.h"
#include "architecture/desk_mold.h"
#include "architecture/scheduler.h"
#include "base/expr.h"
#include "base/mem.h"
#include "hindcast/architecture.h"

#define HC_NO_WORK UINT32_MAX
#define HC_SPREADS "round_robin|hash" /* in the order of hc_spread */
typedef enum hc_spread { HC_SPREAD_ROUND_ROBIN, HC_SPREAD_HASH } hc_spread;

typedef struct hc_desks_options {
  hc_list schedulers; /* hc_chosen, whose options are hc_scheduler_options */
  int spread;         /* hc_spread */
  hc_time retry;
  int64_t attempts, attempts_in_vain; /* then it is given up; in vain: not one of its tasks has started */
  hc_chosen prefill_place;            /* no type: the run's */
  double prefill_share;
} hc_desks_options;

/* Rows that every architecture of desks has in its table of parameters. */
#define HC_DESKS_PARAMS(options, member) \
  HC_PARAM_AS(COMPONENTS, "schedulers", options, member.schedulers, HC_KIND_SCHEDULER, NULL, \
              "The schedulers, the first that takes a task before the others (`hindcast describe " \
              "scheduler`). Not given: one, of all tasks."), \
      HC_PARAM_AS( \
          CHOICE, "spread", options, member.spread, HC_SPREADS, "hash", \
          "Which of several schedulers that are alike gets a job: each in turn, or by a hash of the " \
          "job's number."), \
      HC_PARAM_AS(TIME, "retry", options, member.retry, "s", "1s", 0, 1e9, \
                  "A job of which something is left joins the end of its line so much later."), \
      HC_PARAM_AS(INT, "attempts", options, member.attempts, "attempts", "1000", 1, 1e9, \
                  "After so many the rest of a job is given up: its tasks are rejected."), \
      HC_PARAM_AS(COMPONENT, "prefill_place", options, member.prefill_place, HC_KIND_PLACE, NULL, \
                  "Which hosts tasks get that ran before the beginning (a source or transform marks them): " \
                  "they start when they arrive, nobody thinks about them. Not given: what the run's policy " \
                  "says."), \
      HC_PARAM_AS(REAL, "prefill_share", options, member.prefill_share, "1", "1", 0, 1, \
                  "Such a task that would take them past this share of the cell, in any dimension, is " \
                  "rejected."), \
      HC_PARAM_AS(INT, "attempts_in_vain", options, member.attempts_in_vain, "attempts", "100", 1, 1e9, \
                  "After so many a job of which not one task has started is given up.")

/* A job of which something has not started. */
typedef struct hc_work {
  int64_t job; /* -1: one task that has none */
  uint64_t first_serial;
  hc_time submitted, ready; /* its first task's arrival; since when it stands in the line */
  uint32_t first, last;     /* of its tasks, a chain through `links` */
  uint32_t count;           /* of them */
  uint32_t attempts, desk;
  uint32_t next;       /* in a line, among those that rest, or free */
  uint32_t state;      /* hc_work_state */
  uint32_t kind;       /* place in the list of schedulers */
  bool has_started;    /* some task has */
  bool after_conflict; /* something was refused at the last attempt */
  bool was_molded;     /* and did not start so */
  uint8_t padding[1];
} hc_work;

typedef struct hc_task_link {
  uint64_t serial;
  uint32_t next, padding;
} hc_task_link;

typedef struct hc_works_line {
  uint32_t first, last, count;
} hc_works_line;

typedef struct hc_desk {
  const hc_scheduler_options *o;
  uint32_t queue; /* the engine's, in which the tasks stand that it thinks about */
  const hc_policy_type *type;
  hc_policy *policy;
  hc_works_line line, resting; /* resting: until `ready` */
  uint32_t at;                 /* the job that it thinks about, or HC_NO_WORK */
  hc_time since, until;        /* it thinks */
  uint64_t thoughts;
  double speed_up; /* of the job that it thinks about, if it starts; 0: it is not moldable */
  hc_desk_limits limits;
  void *plan; /* the architecture's: a plan that waits for its time */
  size_t plan_size, plan_cap;
} hc_desk;

/* Who sends jobs to schedulers, in place of what these take. @return its place in the list; HC_NO_WORK: nobody takes it */
typedef struct hc_desk_router {
  uint32_t (*route)(void *self, hc_task t); /* NULL: the first that takes it */
  void *self;
} hc_desk_router;

typedef struct hc_desks {
  hc_architecture_context c;
  const hc_desks_options *o;
  hc_desk_router router;
  const hc_services *ask; /* questions about tasks, with c.services->look */
  hc_arena build;
  uint32_t lobby;
  hc_desk *desks;
  uint32_t count;
  const hc_scheduler_options **kinds; /* [kind_count] */
  hc_expr **takes;                    /* [kind_count] NULL: everything */
  hc_expr **wholes;                   /* [kind_count] all_or_nothing; NULL: as the architecture says */
  hc_expr **gangs;                    /* [kind_count] NULL: none */
  uint32_t *first;                    /* [kind_count + 1] of its desks */
  uint64_t *turn;                     /* [kind_count] ROUND_ROBIN */
  uint32_t kind_count;
  uint32_t offers; /* HC_WHY_OFFER: the hosts of a decision are an offer; else 0 */
  hc_map of_job;   /* job -> work */
  hc_work *works;
  size_t work_count, work_cap;
  uint32_t vacant;
  hc_task_link *links; /* by task */
  size_t link_count, link_cap;
  uint32_t newest;             /* desk that got the last job that came; not kept */
  uint64_t in_hand;            /* jobs that wait, rest or are thought about */
  bool has_one_desk, preempts; /* preempts: somebody does */
  hc_desk_counts *counts;      /* [kind_count] */
  hc_desk_mold *molds;         /* [kind_count] */
  hc_desk_hosts *hosts;        /* [desks or, with one, kinds] */
  hc_range *both;              /* scratch */
  size_t both_cap;
  uint32_t prefill; /* the queue of what ran before the beginning, or HC_NO_WORK: nothing has */
  uint64_t prefilled, not_prefilled;   /* tasks */
  int64_t prefill_held[HC_DIMENSIONS]; /* by the cell's own dimensions */
} hc_desks;

/* What became of an attempt: `planned` starts were wished, of which `refused` were conflicts. */
typedef struct hc_attempt {
  size_t planned, refused;
  size_t limited; /* starts that would have broken a limit of the scheduler: neither started nor a conflict */
  bool wasted;    /* it counts as wasted: something was refused */
} hc_attempt;

/* @param has_one_desk all jobs stand in one line: the schedulers are kinds of jobs, and one server thinks about them all.
 * @param router {0}: the first of the list that takes a task gets it
 * @return 0, HC_EUSAGE (with the scheduler's name and what to do), HC_ENOMEM. */
hc_rc hc_desks_init_routed(hc_desks *d, const hc_architecture_context *c, const hc_desks_options *o,
                           bool has_one_desk, hc_desk_router router, hc_error *e);
static inline hc_rc hc_desks_init(hc_desks *d, const hc_architecture_context *c, const hc_desks_options *o,
                                  bool has_one_desk, hc_error *e)
{
  return hc_desks_init_routed(d, c, o, has_one_desk, (hc_desk_router){0}, e);
}
/* Does a scheduler of the list take such a task? */
bool hc_desks_takes(const hc_desks *d, uint32_t kind, hc_task t);
void hc_desks_fini(hc_desks *d);
/* A task that was stopped, or lost its host, stands in the queue of the desk that had started it: file it anew. To be
 * called when hosts changed or somebody preempts. Cost: O(desks). */
hc_rc hc_desks_collect(hc_desks *d, hc_error *e);

/* What expressions over a task read. @param values out: [HC_DESKS_VARIABLES] */
#define HC_DESKS_VARIABLES 10
void hc_desks_look(const hc_desks *d, hc_task t, double *values);
/* Refuse schedulers that mold, where they do not see the cell when they begin to think. @return 0 or HC_EUSAGE */
hc_rc hc_desks_never_mold(const hc_desks *d, const char *why, hc_error *e);
/* A thought begins: how wide its job may start; and it is over. */
hc_rc hc_desks_mold(hc_desks *d, uint32_t desk);
hc_rc hc_desks_molded(hc_desks *d, uint32_t desk);
/* If the desk is free and somebody stands in its line: take the first job, move its tasks to the desk's queue, and
 * think. @return 1 if it did: `until` says how long; 0; or an error. */
hc_rc hc_desks_begin(hc_desks *d, uint32_t desk);
/* The attempt is over: count it, let the rest of the job return, or give it up. */
hc_rc hc_desks_done(hc_desks *d, uint32_t desk, const hc_attempt *a, hc_error *e);
/* Let the desk's policy decide on its queue. @param keep the plan is committed at once, else it is kept in desk->plan.
 * @param a out: how many starts it wished; what became of them is known with `keep` alone. */
hc_rc hc_desks_decide(hc_desks *d, uint32_t desk, const hc_range *scope, size_t scope_count, bool keep,
                      hc_attempt *a, hc_error *e);
/* Think anew about the same job: it has not been decided on what it was first shown. */
void hc_desks_think_again(hc_desks *d, uint32_t desk);
/* Forget the plan that was kept. */
void hc_desks_forget(hc_desks *d, uint32_t desk);
/* Let the job stand back for a time: an attempt without a thought. */
hc_rc hc_desks_stand_back(hc_desks *d, uint32_t desk, hc_time back_off, hc_error *e);
/* Commit the plan that was kept. */
hc_rc hc_desks_commit(hc_desks *d, uint32_t desk, hc_commit_mode mode, hc_attempt *a, hc_error *e);

/* ---- desk_kinds.c ---- */

/* Read the records of the schedulers. @return 0, HC_EUSAGE (with the scheduler's name and what to do), HC_ENOMEM. */
hc_rc hc_desks_read_kinds(hc_desks *d, hc_error *e);
hc_rc hc_desks_complain(const char *name, hc_error *e, const char *text);
/* For an architecture in which `hosts` of a scheduler, or more of what it may say than whose jobs it takes and how long it thinks,
 * mean nothing: HC_EUSAGE if somebody says it. */
hc_rc hc_desks_refuse_hosts(const hc_desks *d, hc_error *e);
hc_rc hc_desks_refuse_plans(const hc_desks *d, hc_error *e);
/* The first scheduler of the list that takes a task, or HC_NO_WORK. */
uint32_t hc_desks_kind_of(const hc_desks *d, hc_task t);
/* Does the job start whole or not at all, by what its scheduler says of the first of its tasks that waits? */
bool hc_desks_is_gang(const hc_desks *d, const hc_work *w);
/* How an attempt at it is committed. @param mode as the architecture says */
hc_commit_mode hc_desks_mode_of(const hc_desks *d, const hc_work *w, hc_commit_mode mode);

/* ---- what happens ---- */

/* What every architecture of desks does with a signal. @param desk out: whose thought ends now, or HC_NO_WORK. */
hc_rc hc_desks_hear(hc_desks *d, const hc_signal *sig, uint32_t *desk, hc_error *e);
/* Arm the end of a desk's thought. */
hc_rc hc_desks_timer(hc_desks *d, uint32_t desk);

/* What the task is about, for its tasks in `hc_desk.queue`. */
static inline const hc_work *hc_desks_at(const hc_desks *d, uint32_t desk)
{
  return d->desks[desk].at == HC_NO_WORK ? NULL : &d->works[d->desks[desk].at];
}
/* What hc_desks_finish finds, as figures are declared. */
#define HC_DESKS_DAYS " of the days of virtual time, the last by what the run had of it"
#define HC_DESKS_FIGURES \
  "prefill_tasks|tasks|none|tasks that ran before the beginning, and were given their place without a thought", \
      "prefill_rejected|tasks|lower|those for which there was no room, or that would have passed `prefill_share`", \
      "busyness_*|1|lower, usual|time of the scheduler's thoughts that are over / time; of several that are alike the mean", \
      "busyness_useful_*|1|higher, usual|the part of it after which nothing was refused and something started", \
      "busyness_wasted_*|1|lower, usual|the part of it after which something was refused: a conflict", \
      "busyness_offered_*|1|none, usual|what the jobs that came ask for, with one attempt each: sum of think_job + think_task x tasks / time", \
      "busyness_without_conflicts_*|1|lower, usual|without the decisions on jobs at whose last attempt something was refused", \
      "busyness_day_median_*|1|lower, usual|median" HC_DESKS_DAYS, \
      "busyness_day_mad_*|1|lower, usual|median distance from that median", \
      "conflict_fraction_*|1|lower, usual|decisions of which something was refused / decisions that started something and were not", \
      "conflict_fraction_day_median_*|1|lower, usual|median" HC_DESKS_DAYS, \
      "conflict_fraction_day_mad_*|1|lower, usual|median distance from that median", \
      "conflict_share_*|1|lower|decisions of which something was refused / decisions", \
      "task_conflict_share_*|1|lower|starts that were refused / starts that were tried", \
      "decisions_*|decisions|none|attempts at a job", \
      "decisions_vain_*|decisions|lower|attempts that found no place for any task", \
      "conflicts_*|decisions|lower|attempts of which something was refused", "jobs_*|jobs|none|jobs that came", \
      "jobs_started_*|jobs|higher|jobs of which all tasks have started", \
      "jobs_given_up_*|jobs|lower, usual|jobs whose rest was rejected after `attempts` or `attempts_in_vain`", \
      "tasks_given_up_*|tasks|lower|tasks of those that were rejected", \
      "limit_resources_*|tasks|none|starts that would have passed max_share, max_cpus or max_memory", \
      "limit_jobs_*|tasks|none|starts that would have passed max_jobs", \
      "limit_priority_*|tasks|none|starts of a priority that the scheduler may not use", \
      "jobs_sped_up_share_*|1|higher, usual|share of the jobs of one task that started with more slots than they asked for, with `mold`", \
      "speed_up_mean_*|1|higher, usual|slots with which they started / slots that they asked for: mean", \
      "speed_up_p50_*|1|higher|median of that", "speed_up_p80_*|1|higher|quantile 0.80 of that", \
      "speed_up_p99_*|1|higher|quantile 0.99 of that", \
      "jobs_within_*|1|higher|share of the jobs whose first attempt began within `objective` of their arrival", \
      "days_within_*|1|higher|share of the days, of those on which a first attempt began, whose mean wait for it was so", \
      "attempts_mean_*|attempts|lower|attempts of the jobs that have started", \
      "attempts_p50_*|attempts|lower|median of them", "attempts_p90_*|attempts|lower|quantile 0.90 of them", \
      "attempts_p99_*|attempts|lower|quantile 0.99 of them", \
      "wait_first_p50_*|s|lower|from a job's arrival to the beginning of its first attempt: median", \
      "wait_first_p90_*|s|lower|quantile 0.90 of that", "wait_first_p99_*|s|lower|quantile 0.99 of that", \
      "wait_first_mean_*|s|lower, usual|mean of that", \
      "wait_full_p50_*|s|lower|from a job's arrival to the start of its last task: median", \
      "wait_full_p90_*|s|lower|quantile 0.90 of that", "wait_full_p99_*|s|lower|quantile 0.99 of that", \
      "wait_full_mean_*|s|lower, usual|mean of that"
/* Tasks that ran before the beginning and have arrived: give each its place, or reject it. */
hc_rc hc_desks_prefill(hc_desks *d, hc_error *e);
hc_rc hc_desks_finish(hc_desks *d, hc_findings *f);
extern const char *const hc_desks_figures[];
hc_rc hc_desks_visit(hc_desks *d, hc_visitor *v);

/* For architectures whose state begins with its desks and has no more to save and to say. */
hc_rc hc_desks_kind_visit(hc_architecture *self, hc_visitor *v);
hc_rc hc_desks_kind_finish(hc_architecture *self, hc_findings *f);
/** What was given up. */
hc_rc hc_desks_kind_note(const hc_architecture *self, hc_buffer *out);
/** They decide when a job comes and when its time has come, not because hosts change. */
bool hc_desks_kind_is_memoryless(const hc_architecture *self);

#endif
