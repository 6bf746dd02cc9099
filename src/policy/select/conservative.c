/* conservative.c -- conservative backfilling: every waiting task has a reservation, and none is delayed by a
 * later one.
 *
 * What happens when a task ends early, and the future gets better, is where published versions part:
 *
 *   replan: full      the whole plan is made anew, in queue order
 *   replan: always    the same at every decision, not only when the future got better: where a task is
 *                     believed to run differently long once it has started (CQSim), every start changes the
 *                     future
 *   replan: compress  one task after the other, in queue order, gives up its reservation and takes the
 *                     earliest one that all others, at their places, allow; it never moves back (pyss, Alea)
 *   replan: none      reservations stay; holes are used by new arrivals only
 *
 * A plan only changes when something unforeseen happens: an early end, an arrival that the order puts in the
 * middle, or a thought after which part of it cannot be carried out. A start that comes later takes the
 * reservation from what was to follow it; then, under every `replan`, the whole plan is made anew in queue
 * order, lest a later task pass the one that lost its own. Otherwise new tasks are added to the plan and
 * those whose time has come start. We do not bound the number of reservations: `easy` with `depth: k` does.
 *
 * A task that may not start yet (schedule_after) is planned like any other, from its submission on:
 * `earliest` is not before its time.
 *
 * Where sizes of tasks are settled (`mold` of batch) a task is asked about when it is planned, and promised
 * its start in the size that it got; planned anew, it may get another.
 *
 * On a cell of hosts a reservation holds amounts on named hosts for as long as the task is believed to run,
 * and a task whose time has come starts there (engine/future.c). The rules are the same.
 *
 * Cost: an arrival O(log), an early end O(queued x log); on hosts a question looks at what runs and is
 * promised (engine/future_find.c). Source: Mu'alem and Feitelson, IEEE TPDS 12(6), 2001,
 * doi:10.1109/71.932708, section 2. */
#include "base/state.h"
#include "base/util.h"
#include "policy/birth.h"

enum { REPLAN_FULL, REPLAN_ALWAYS, REPLAN_COMPRESS, REPLAN_NONE };

typedef struct options {
  int replan;
  bool ahead;
} options;

struct hc_policy {
  hc_select_base base;
  int replan;
  hc_time wake_at; /* state: the timer that is set */
};

static uint32_t flags(const void *opts)
{
  const uint32_t always = HC_NEEDS_ESTIMATE | HC_NEEDS_TIMELINE | HC_MAKES_RESERVATIONS;
  return ((const options *)opts)->ahead ? always | HC_PLANS_AHEAD : always;
}

static hc_rc init(const hc_policy_context *c, const void *opts, hc_policy **out, hc_error *e)
{
  HC_UNUSED(e);
  TRY(hc_select_new(c, sizeof **out, out));
  (*out)->replan = ((const options *)opts)->replan;
  (*out)->wake_at = HC_NEVER;
  return 0;
}

/* Start the task if its time is now, else promise it the earliest start that there is. */
static hc_rc plan_one(hc_policy *self, hc_view *v, hc_plan *p, hc_task t, hc_time *next)
{
  const hc_services *s = self->base.s;
  TRY(hc_select_size(self, v, p, t));
  hc_time at = s->earliest(v, t, s->now(v)).at;
  /* At its expected end a task may still hold its processors: its own end is a later event of this
   * instant. */
  if (at == s->now(v) && s->fits(v, t)) return s->start(p, t, NULL, 0);
  if (at != HC_NEVER) TRY(s->reserve(p, t, at));
  *next = HC_MIN(*next, at);
  return 0;
}

/* Does any task from the cursor on have a reservation? `new_first`: one behind a task that has none. */
static bool is_before_planned(const hc_policy *self, hc_view *v, hc_cursor at, bool new_first)
{
  const hc_services *s = self->base.s;
  for (hc_task t; (t = s->next(v, HC_LIST_QUEUE, &at, NULL)) != HC_NO_TASK;) {
    const bool is_planned = s->reserved(v, t) != HC_NEVER;
    if (is_planned && !new_first) return true;
    new_first &= is_planned;
  }
  return false;
}

/* Walk the queue: tasks whose time has come start, tasks without a reservation get one. `*stale`: a
 * reservation was missed, or a task without one stands before one that has: the plan is not of this order
 * any more. Then nothing has been changed yet that a full replan would not change too: a task starts only
 * where no task without a reservation stands before one that has. An order that changes with time may have
 * put those that are planned in another order since, so that this is known before the first start, and not
 * when the walk gets there. @param refused something planned could not be carried out: a task without a
 * reservation may be one that has lost it, and not a new one */
static hc_rc extend(hc_policy *self, hc_view *v, hc_plan *p, bool refused, hc_time *next, bool *stale)
{
  const hc_services *s = self->base.s;
  const bool is_full = self->replan == REPLAN_FULL || refused;
  hc_cursor at = {0};
  bool new_seen = false, is_known = !is_full; /* that the plan is of this order */
  for (hc_task t; (t = s->next(v, HC_LIST_QUEUE, &at, NULL)) != HC_NO_TASK;) {
    hc_time reserved = s->reserved(v, t);
    if (reserved == HC_NEVER) {
      if (!new_seen && is_full && is_before_planned(self, v, at, false)) {
        *stale = true;
        return 0;
      }
      new_seen = true;
      TRY(plan_one(self, v, p, t, next));
    } else if (reserved < s->now(v)) {
      *stale = true;
      return 0;
    } else if (reserved == s->now(v)) {
      /* what should have ended by now has not, or not yet */
      if (!s->fits(v, t) || (!is_known && is_before_planned(self, v, at, true))) {
        *stale = true;
        return 0;
      }
      is_known = true;
      TRY(s->start(p, t, NULL, 0));
    } else {
      *next = HC_MIN(*next, reserved);
    }
  }
  return 0;
}

static hc_rc replan_all(hc_policy *self, hc_view *v, hc_plan *p, hc_time *next)
{
  const hc_services *s = self->base.s;
  hc_cursor at = {0};
  *next = HC_NEVER;
  TRY(s->unreserve_all(p));
  for (hc_task t; (t = s->next(v, HC_LIST_QUEUE, &at, NULL)) != HC_NO_TASK;)
    TRY(plan_one(self, v, p, t, next));
  return 0;
}

/* The same in two steps: heads that fit start, the rest is planned with what is believed of *waiting*
 * tasks, and only then do those whose time is now start. It differs where a task is believed to run longer
 * once it has started. It wakes for no reservation: what calls for a decision there is events alone. */
static hc_rc plan_then_start(hc_policy *self, hc_view *v, hc_plan *p)
{
  const hc_services *s = self->base.s;
  hc_cursor at = {0};
  hc_task t;
  TRY(s->unreserve_all(p));
  while ((t = s->next(v, HC_LIST_QUEUE, &at, NULL)) != HC_NO_TASK) {
    TRY(hc_select_size(self, v, p, t));
    if (!s->fits(v, t)) break;
    TRY(s->start(p, t, NULL, 0));
  }
  for (; t != HC_NO_TASK; t = s->next(v, HC_LIST_QUEUE, &at, NULL)) {
    TRY(hc_select_size(self, v, p, t));
    hc_time when = s->earliest(v, t, s->now(v)).at;
    if (when != HC_NEVER) TRY(s->reserve(p, t, when));
  }
  at = (hc_cursor){0};
  while ((t = s->next(v, HC_LIST_QUEUE, &at, NULL)) != HC_NO_TASK)
    if (s->reserved(v, t) == s->now(v) && s->fits(v, t)) TRY(s->start(p, t, NULL, 0));
  return 0;
}

static hc_rc compress(hc_policy *self, hc_view *v, hc_plan *p, hc_time *next)
{
  const hc_services *s = self->base.s;
  hc_cursor at = {0};
  *next = HC_NEVER;
  for (hc_task t; (t = s->next(v, HC_LIST_QUEUE, &at, NULL)) != HC_NO_TASK;) {
    TRY(s->unreserve(p, t));
    TRY(plan_one(self, v, p, t, next));
  }
  return 0;
}

static hc_rc decide(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  const hc_services *s = self->base.s;
  hc_time next = HC_NEVER;
  bool stale = false;
  if (why->early_end && self->replan == REPLAN_COMPRESS) {
    TRY(compress(self, v, p, &next));
  } else if (self->replan == REPLAN_ALWAYS) {
    return plan_then_start(self, v, p);
  } else if (why->early_end && self->replan == REPLAN_FULL) {
    TRY(replan_all(self, v, p, &next));
  } else {
    TRY(extend(self, v, p, (why->bits & HC_WHY_CONFLICT) != 0, &next, &stale));
    if (stale) TRY(replan_all(self, v, p, &next));
  }
  if (next == HC_NEVER || next == self->wake_at) return 0;
  self->wake_at = next; /* a reservation may come due when nothing ends */
  return s->wake(p, next);
}

static hc_rc visit(hc_policy *self, hc_visitor *v)
{
  HC_VISIT(v, self->wake_at);
  return 0;
}

static const hc_param params[] = {
    HC_PARAM(
        CHOICE, options, replan, "full|always|compress|none", "full",
        "What happens to reservations after an early end. full: all are computed anew, in queue order; also "
        "when the order puts an arrival before tasks that have one. always: the same, at every decision; a "
        "reservation itself causes no decision. compress: one task after the other, in queue order, moves to "
        "an earlier start. none: they are kept."),
    HC_PARAM(BOOL, options, ahead, "true",
             "Does a task that may not start yet (schedule_after) get its reservation at its submission? "
             "false: it is hidden until its time."),
    {0}};

const hc_select_type hc_select_conservative = {
    .component =
        {HC_COMPONENT_HEAD(hc_select_type, HC_KIND_SELECT), .name = "conservative",
         .summary = "conservative backfilling: every waiting task has a reservation",
         .detail =
             "Each task, in queue order, gets a reservation at the earliest time that the reservations "
             "before it allow, by estimates; a task with schedule_after gets one as soon as it is submitted. "
             "On a cell of hosts a reservation names hosts, for as long as the task is expected to run "
             "there. The reservation of a task whose estimate is 0 keeps nothing free. Cannot be combined "
             "with local load, nor with a criterion of eligibility.",
         .source = "Mu'alem and Feitelson 2001, doi:10.1109/71.932708", .params = params,
         .options_size = sizeof(options)},
    .flags = flags,
    .init = init,
    .decide = decide,
    .visit = visit,
    .fini = hc_select_free,
    .mold = hc_select_mold,
};
