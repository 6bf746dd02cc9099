/* action.h -- what a plan is made of: actions, each of one type, each type one file in actions/ and one line
 * in actions.def.
 *
 * A policy calls a service, which checks what is asked for and adds an action to the plan (plan.h); that
 * applies it to the cell and the queues at once. From then on it is undone, or it happens:
 *
 *   apply     take effect on the cell and the queues, where everything that is asked sees it
 *   undo      the exact reverse, also of what apply did to reservations (tests/property/test_view_undone.c)
 *   recheck   before it is applied once more, to a cell that has gone on while the plan was thought about
 *   happened  the plan is committed: tasks run, ends become events, metrics and the store are told
 *
 * The engine reaches them through its table (hc_engine.actions) and nothing else, so that a plan knows no
 * action and an action may use all that is below plans. */
#ifndef HC_ENGINE_ACTION_H
#define HC_ENGINE_ACTION_H

#include "hindcast/architecture.h"

typedef struct hc_action {
  uint64_t serial;
  /* RESERVE, WAKE, WARN: when; RATE: the rate from now on; RESIZE: the size; REPORT: what it is told by */
  hc_time at;
  hc_time was; /* the reservation before it: for undoing */
  /* PREEMPT, WARN: of hc_stopping; RATE, RESIZE: what was before `at` is in `every`; RESIZE: the rate before
     in `overhead`; REPORT: in `every`, whether with what hosts have drawn */
  hc_time every, overhead;
  hc_time pause; /* RESIZE: its task does nothing for so long */
  uint32_t kind, task;
  uint32_t grants, grant_count; /* START, PREEMPT, RESERVE, RESIZE, POWER: in the plan's grants */
  /* START: 1 + the set that it is said to be in, 0: none; PREEMPT, WARN: hc_stop; RATE: set, suspend or
     resume; RESIZE: how many of the grants are those before; POWER: the state that its host comes into, and
     the one before; POWER, PSTATE, REPORT: HC_ACTION_JOINED */
  uint32_t how;
  uint32_t was_grants, was_count; /* the hosts that the reservation before it stood on */
  uint32_t is_forced;             /* not of the plan: PREEMPT for the sake of the start behind it */
} hc_action;

typedef struct hc_action_type {
  const char *name;
  bool has_former; /* the last `how` of its grants are what its task held before */
  bool may_join;   /* its `how` has room for HC_ACTION_JOINED */
  bool of_hosts;   /* about a host: only cells of hosts have it, and its policy hears of it without a task */
  bool is_a_clock; /* nothing happens to a task or a host by it: figures do not reach to it (observe.h) */
  /** These three are NULL of an action of which nothing shows on the view.
   *  @return 0; HC_ECONFLICT: it cannot be, and everything is as it was; or an error that ends the run. */
  hc_rc (*apply)(hc_engine *e, const hc_plan *p, const hc_action *a);
  hc_rc (*undo)(hc_engine *e, const hc_plan *p, const hc_action *a);
  /** Its task is there and is the one that it was about. It may move `at`, which has passed meanwhile.
   *  @return 0: apply it; HC_ECONFLICT */
  hc_rc (*recheck)(hc_engine *e, const hc_plan *p, hc_action *a);
  hc_rc (*happened)(hc_engine *e, const hc_plan *p, const hc_action *a,
                    hc_error *error); /* NULL: nothing more */
} hc_action_type;

static inline hc_rc hc_action_apply(const hc_action_type *type, hc_engine *e, const hc_plan *p,
                                    const hc_action *a)
{
  return type->apply ? type->apply(e, p, a) : 0;
}
static inline hc_rc hc_action_undo(const hc_action_type *type, hc_engine *e, const hc_plan *p,
                                   const hc_action *a)
{
  return type->undo ? type->undo(e, p, a) : 0;
}

/* In `how`, of a type that may_join: it goes with the action before it. */
#define HC_ACTION_JOINED (UINT32_C(1) << 31)

/* hc_action.kind of starts: the first line of actions.def. */
enum { HC_ACTION_START };

extern const hc_action_type *const hc_action_table[]; /* actions.c; only the birth of a run names it */
extern const uint32_t hc_action_count;
#define HC_ACTION(name) extern const hc_action_type hc_action_##name;
#include "engine/actions.def"
#undef HC_ACTION

#endif
