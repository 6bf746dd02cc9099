/* work.h -- the work of live tasks: who has a record of it (execution/work.h), when their attempts begin and
 * end, how wide they start. See work.c. */
#ifndef HC_ENGINE_WORK_H
#define HC_ENGINE_WORK_H

#include "engine/state.h"
#include "engine/tasks.h"
#include "execution/marks.h"
#include "execution/work.h"

#define HC_NO_WORK UINT32_MAX

/* What tasks have that are more than a fixed delay, or were told to stop. */
typedef struct hc_attempt {
  hc_work work;
  hc_time leaves;           /* told: when it is stopped */
  hc_stopping notice;       /* how */
  uint64_t told;            /* which of hc_engine.rates_told, + 1; 0: none */
  hc_marks marks;           /* checkpoints that it writes by itself; every 0: none */
  hc_time read, local_read; /* what going on from a global or local one takes */
  hc_time phase;            /* where among its marks the attempt began */
  hc_time stands; /* since when it does nothing, with its host, and nothing knows of it; HC_NEVER: it does */
  hc_time cut;    /* its plan starts it with this limit; 0: with its own */
  struct {
    hc_time run, estimate, limit; /* as they are without the cut; run HC_UNKNOWN: it is not cut */
    uint64_t is_killed;           /* its end would be its limit's doing all the same: 0 or 1 */
  } uncut;
  struct {         /* what it asks for by itself, if a plan has settled another size (moldable.c) */
    uint32_t size; /* 0: it has its own */
    uint32_t most; /* of what it offers, the largest that the cell could ever hold; 0: not asked */
    hc_time run, estimate, running_estimate, limit;
    uint64_t is_killed; /* 0 or 1 */
  } own;
} hc_attempt;

extern const hc_attempt hc_attempt_plain;

/** @return its own, or what a fixed delay has: borrowed until the next task gets one. */
static inline const hc_attempt *hc_attempt_of(const hc_engine *e, hc_task t)
{
  const hc_works *ws = &e->tasks.works;
  return ws->of && ws->of[t] != HC_NO_WORK ? &ws->items[ws->of[t]] : &hc_attempt_plain;
}
static inline const hc_work *hc_work_of(const hc_engine *e, hc_task t)
{
  return &hc_attempt_of(e, t)->work;
}
/** The same, made if there is none. NULL: HC_ENOMEM. @return valid until the next task gets one */
hc_attempt *hc_attempt_need(hc_engine *e, hc_task t);
void hc_attempt_drop(hc_engine *e, hc_task t);
hc_rc hc_attempts_grow(hc_engine *e, size_t count);
hc_rc hc_attempts_visit(hc_engine *e, hc_visitor *v);
hc_rc hc_attempt_hash(hc_engine *e, hc_task t, hc_visitor *v);
void hc_attempts_fini(hc_engine *e);

/** How fast hosts are. */
void hc_work_open(hc_engine *e);
/** It starts there; only if e->stretches. @param pace so many times as long. @return 0 or HC_ENOMEM */
hc_rc hc_work_start(hc_engine *e, hc_task t, const hc_grant *grants, size_t count);
/** A plan's start is to take so many times as long: before it. @return 0 or HC_ENOMEM */
hc_rc hc_work_pace(hc_engine *e, hc_task t, double pace);
/** It does so no more: its times are those of speed 1 again. */
void hc_work_unstart(hc_engine *e, hc_task t);
/** A plan's start is with a limit of its own, or 0: before it; only if e->cuts. @return 0 or HC_ENOMEM */
hc_rc hc_work_limit(hc_engine *e, hc_task t, hc_time limit);
/** It starts with that limit; it was only tried, or waits again: it has its own. */
void hc_work_cut(hc_engine *e, hc_task t);
void hc_work_uncut(hc_engine *e, hc_task t);
/** It waits again: its next attempt has done nothing yet, at its own rate, in its own size. */
void hc_work_anew(hc_engine *e, hc_task t);
/** How long an attempt has worked, at its own rate, in whole ns. */
hc_time hc_work_so_far(const hc_engine *e, hc_task t);
/** What its attempts do in all, at speed 1. */
static inline hc_time hc_work_run(const hc_engine *e, hc_task t)
{
  const hc_work *w = hc_work_of(e, t);
  return w->run == HC_UNKNOWN ? e->tasks.live[t].run : w->run;
}
/** What a record says of its size: the mean over its last attempt, if it changed in that. */
int64_t hc_work_units(const hc_engine *e, hc_task t);
/** What a record says of its run or estimate. */
hc_time hc_work_in_all(const hc_engine *e, hc_task t, hc_time left);
/** A task's speed on these hosts: that of the slowest of them, by what being on them all slows. */
double hc_work_speed(const hc_engine *e, hc_task t, const hc_grant *grants, size_t count);
hc_time hc_work_on(const hc_engine *e, hc_task t, hc_time nominal, const hc_grant *grants, size_t count);
/** The least that a task may believe to run, on the fastest host there is: for filters. */
static inline hc_time hc_least_estimate(const hc_engine *e, hc_task t)
{
  return e->has_speeds ? hc_work_length(hc_estimate_of(e, t), e->fastest) : hc_estimate_of(e, t);
}

/* mold.c -- tasks that start with more slots than they ask for */
hc_rc hc_mold_open(hc_engine *e);
hc_rc hc_mold(hc_engine *e, hc_task t, const hc_chosen *mold, double useful, const hc_range *scope,
              size_t scope_count, double *speed_up);
/** work.c: how many times as many slots it has, or will ask for; 1 if it was not molded. */
double hc_mold_speed_up(const hc_engine *e, hc_task t);
void hc_mold_reset(hc_engine *e, hc_task t); /* it is in no queue: its own size again */
/** When a running task is expected to end, by its estimate and the rate that is set. */
hc_time hc_expected_end(const hc_engine *e, const hc_live *t);

#endif
