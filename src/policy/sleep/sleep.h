/* sleep.h -- which hosts sleep: what a strategy of the policy energy_bf sees, and what it is made of.
 *
 * A strategy is one file with an hc_sleep_strategy and a line in strategies.def. At each decision the
 * policy lays down what is known (`base`: what runs until its expected end, what stops, sleeps and
 * starts) and the queue (`jobs`); the strategy makes `plan` of it, in which tasks have their hosts and
 * hosts sleep and are woken. What begins in `plan` now the policy carries out; the rest is planned anew
 * at the next decision.
 *
 * Tasks have hosts whole, as many as their slots fill, the lowest that are idle for as long as the task
 * is believed to run. A host that sleeps is woken, just in time, for a task that fits on those that are
 * awake at no time at all. */
#ifndef HC_POLICY_SLEEP_SLEEP_H
#define HC_POLICY_SLEEP_SLEEP_H

#include "hindcast/policy.h"
#include "policy/sleep/outlook.h"

enum { HC_SLEEP_PLAN_ALL, HC_SLEEP_PLAN_FIRST };
enum { HC_SLEEP_TIMES, HC_SLEEP_PLUS };

typedef struct hc_sleep_options {
  hc_chosen order;
  int sleep, plan, grow;
  hc_time off, on, least, idle_after, period, busy; /* `least`: HC_UNKNOWN: by what hosts draw */
  double slowdown, share, step;
  bool at_events;
} hc_sleep_options;

/* A queued task. */
typedef struct hc_sleep_job {
  hc_task task;
  int64_t slots;
  int64_t hosts; /* that it fills, of the class that has most room for it */
  hc_time length, submitted;
  hc_time start; /* in the last plan that was made; HC_NEVER: it is not planned */
} hc_sleep_job;

/* A running task. */
typedef struct hc_sleep_ran {
  hc_time submitted, start, end;
} hc_sleep_ran;

typedef struct hc_sleep {
  const hc_services *s;
  hc_view *v;
  const hc_sleep_options *o;
  const hc_cell_spec *cell;
  const hc_allocator *allocator;
  double *watts;  /* [HC_USE_COUNT][hosts], a task on all cores; NULL: the run says nothing of power */
  hc_time *least; /* [hosts] how long it sleeps at least */
  hc_outlook base, plan, other; /* `other`: for a plan that is compared */
  hc_sleep_job *jobs;           /* [count] in the order of the queue */
  size_t count, job_cap;
  int64_t *rooms; /* [count][classes] slots of each that an empty host of a class has room for */
  size_t room_cap;
  hc_sleep_ran *ran; /* [ran_count] */
  size_t ran_count, ran_cap;
  uint64_t *some, *more; /* [words] sets for scratch */
  uint32_t *given;       /* [hosts] number of the job that starts there now by the last plan, plus 1 */
  hc_time now;
  bool is_stage;  /* `period` has passed since the last one */
  uint32_t woken; /* hosts, for tasks, by the last plan */
  /* state */
  hc_time *until;      /* [hosts] when it has stopped, or started, last */
  hc_time *idle_since; /* [hosts] HC_NEVER: it is not idle */
  struct hc_sleep_state {
    hc_time armed, next_stage;
    hc_time llh_at;
    double llh, integral, before; /* of the horizon of load, s and s x s; `before`: of the last period */
    int64_t woken, sedated;       /* hosts, since the last stage */
    int64_t by_inertia;           /* hosts that sleep for it */
    uint64_t stages, sedates;     /* 1: the last step was to have hosts sleep */
  } state;
} hc_sleep;

typedef struct hc_sleep_strategy {
  const char *name;
  uint32_t uses; /* which options: of hc_sleep_use */
  bool draws;    /* it needs to know what hosts draw */
  bool all;      /* it compares plans of all tasks: `plan: all` */
  hc_rc (*decide)(hc_sleep *x);
} hc_sleep_strategy;

enum {
  HC_SLEEP_IDLE = 1,
  HC_SLEEP_STAGES = 2,
  HC_SLEEP_SLOWDOWN = 4,
  HC_SLEEP_GROWTH = 8,
  HC_SLEEP_SHARE = 16
};

/* ---- what strategies are made of: sleep.c ---- */

/** Put the queue into an outlook. Hosts are woken for what fits on those that are awake at no time, and
 *  up to `others` of them also for tasks that start earlier so. @return 0 or HC_ENOMEM */
hc_rc hc_sleep_put_jobs(hc_sleep *x, hc_outlook *o, int64_t others);
/** It stops, sleeps as long as it must, and goes on to sleep. @return 0 or HC_ENOMEM */
hc_rc hc_sleep_sedate(hc_sleep *x, hc_outlook *o, uint32_t host, hc_time at);
hc_rc hc_sleep_wake(hc_sleep *x, hc_outlook *o, uint32_t host, hc_time at);
/** Let up to `n` of the lowest hosts sleep from now on that are idle from now on for ever. @return how
 *  many, HC_ENOMEM */
int64_t hc_sleep_sedate_some(hc_sleep *x, hc_outlook *o, int64_t n);
/** Wake up to `n` of the lowest that may be woken now. @return how many, HC_ENOMEM */
int64_t hc_sleep_wake_some(hc_sleep *x, hc_outlook *o, int64_t n);
/** In `plan`, let those sleep that have been idle for `idle_after`, the lowest first, as long as as many
 *  stay awake as the first queued task wants; none while any host starts. @return how many, HC_ENOMEM */
int64_t hc_sleep_sedate_idle(hc_sleep *x);
/** Hosts that are awake or start, by what is known; that stop or sleep. */
int64_t hc_sleep_awake(const hc_sleep *x);
int64_t hc_sleep_asleep(const hc_sleep *x);
/** Hosts that the first queued task fills; 0: none waits. */
int64_t hc_sleep_first(const hc_sleep *x);
/** Mean of (wait + run) / run of all that run and all that are planned, by estimates. */
double hc_sleep_slowdown(const hc_sleep *x);
/** J that all hosts draw up to a time, if they sleep from when nothing is planned on them any more. */
double hc_sleep_energy(const hc_sleep *x, const hc_outlook *o, hc_time until);

#define HC_SLEEP(name) extern const hc_sleep_strategy hc_sleep_##name;
#include "policy/sleep/strategies.def"
#undef HC_SLEEP

#endif
