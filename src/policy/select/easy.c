/* easy.c -- EASY backfilling, with every knob that published simulators turn differently.
 *
 * The head of the queue gets a reservation at the earliest time at which enough processors will be free,
 * believing the estimates: the *shadow time*. A later task may jump ahead only if it cannot delay that
 * reservation: it either ends by the shadow time, or takes no more than the *extra* processors, those that
 * the head will leave over then.
 *
 * `depth: k` protects the first k tasks that do not fit, `depth: 0` all of them; a candidate must then fit
 * under all reservations at once. `relax: w` lets the head be delayed by w times the wait that its first
 * reservation gave it (Ward, Mahood and West 2002): the same rule with a later shadow time, because the cell
 * only gets freer.
 *
 * A task that may not start yet (schedule_after) is held out of sight until its time: EASY promises one
 * start, and a task that may not start cannot be the head whose waiting that promise ends. With `ahead: true`
 * it is seen, and gets a reservation of its own, at its time or later, as soon as all before it have started
 * or have one; the head is the first that may start and cannot without delaying those, and has its
 * reservation beside theirs. It would be wrong to let the deferred task be the head: it would use up the one
 * reservation there is, for as long as its time is away, and any task that waits behind it could be passed
 * for ever meanwhile. On a cell of hosts these reservations hold named hosts, as those of conservative.c do.
 *
 * Where sizes of tasks are settled (`mold` of batch) the head is asked about at each decision, and promised a
 * start in the size that it got; those behind it are asked about among the sizes that could start now.
 *
 * We do not keep reservations of tasks that are not among the first k: that is conservative.c. Ties in the
 * order go to the lower serial. Cost, depth 1: O(log running) for the shadow, O(log queued) for each
 * candidate found, and once more to find that there is none. Source: Lifka, JSSPP 1995,
 * doi:10.1007/3-540-60153-8_35; Mu'alem and Feitelson, IEEE TPDS 12(6), 2001, doi:10.1109/71.932708. */
#include "base/state.h"
#include "base/util.h"
#include "policy/birth.h"

enum { WINDOW_INCLUSIVE, WINDOW_STRICT };
enum { RESERVE_ROOM, RESERVE_HOSTS };
enum { RETRY_ALWAYS, RETRY_AT_RESERVATION, RETRY_AFTER_RESERVATION };

typedef struct options {
  int64_t depth;
  int window, retry, reserve;
  bool extra, sticky, protect, ahead;
  double relax;
  hc_chosen candidates;
} options;

struct hc_policy {
  hc_select_base base;
  options o;
  /* state */
  uint64_t head;    /* serial of the task whose reservation is remembered, plus 1; 0: none */
  hc_time promised; /* sticky: its reservation */
  hc_time latest;   /* relaxed: the latest start that is tolerated */
  hc_time wake_at;  /* retry at_reservation: the timer that is set */
};

/* Where nothing is protected there is nothing to promise. */
static bool plans_ahead(const options *o)
{
  return o->ahead && o->protect;
}

static uint32_t flags(const void *opts)
{
  const options *o = opts;
  uint32_t always = HC_NEEDS_ESTIMATE | HC_NEEDS_TIMELINE | HC_MAKES_RESERVATIONS;
  if (o->retry != RETRY_ALWAYS || o->sticky || o->relax > 0) always |= HC_BINDS_ITSELF;
  return always | (plans_ahead(opts) ? HC_PLANS_AHEAD : HC_ASKS_HARMLESS);
}

static const hc_chosen *candidates(const void *opts)
{
  const options *o = opts;
  return o->candidates.type ? &o->candidates : NULL;
}

static hc_rc init(const hc_policy_context *c, const void *opts, hc_policy **out, hc_error *e)
{
  const options *o = opts;
  if (c->cell && c->cell->granularity == HC_CELL_HOSTS && plans_ahead(o) && o->window == WINDOW_STRICT)
    return hc_fail(e, HC_EUNSUPPORTED, "select easy", 0, 0,
                   "`ahead` on a cell of hosts promises hosts until the very moment at which a task starts: "
                   "leave out `window: strict`, or `ahead`");
  TRY(hc_select_new(c, sizeof **out, out));
  (*out)->o = *o;
  (*out)->wake_at = HC_NEVER;
  return 0;
}

/* With `window: strict`, a task that ends exactly when a reservation begins is in its way. */
static hc_time margin(const hc_policy *self)
{
  return self->o.window == WINDOW_STRICT ? 1 : 0;
}

static bool harmless(const hc_policy *self, const hc_view *v, hc_task t)
{
  return self->base.s->harmless_for(v, t, margin(self));
}

/* ---- the head ---- */

static hc_rc reserve(const hc_policy *self, hc_plan *p, hc_task t, hc_time at)
{
  const hc_services *s = self->base.s;
  return self->o.reserve == RESERVE_HOSTS ? s->reserve_hosts(p, t, at) : s->reserve(p, t, at);
}

/* A task whose time has not come is promised the earliest start that there is. @return 1; 0: it may start
 * now */
static hc_rc defer(const hc_policy *self, hc_view *v, hc_plan *p, hc_task t)
{
  const hc_services *s = self->base.s;
  hc_time at;
  if (!plans_ahead(&self->o) || s->not_before(v, t) <= s->now(v)) return 0;
  at = s->earliest(v, t, s->now(v)).at;
  if (at != HC_NEVER) TRY(reserve(self, p, t, at));
  return 1;
}

/* Start tasks in order until one does not fit, or, having a sticky reservation, has to wait for its time.
 * Those who may not start yet are passed, and tasks behind them must not delay them. */
static hc_rc start_heads(hc_policy *self, hc_view *v, hc_plan *p, hc_cursor *at, hc_task *blocked)
{
  const hc_services *s = self->base.s;
  bool passed = false;
  for (;;) {
    hc_task t = s->next(v, HC_LIST_QUEUE, at, NULL);
    const hc_rc rc = t == HC_NO_TASK ? 0 : defer(self, v, p, t);
    if (rc < 0) return rc;
    passed |= rc == 1;
    if (rc == 1) continue;
    bool waits = t != HC_NO_TASK && self->o.retry != RETRY_ALWAYS && self->head == s->serial(v, t) + 1 &&
                 self->promised > s->now(v);
    *blocked = t;
    if (t != HC_NO_TASK && !waits) TRY(hc_select_size(self, v, p, t));
    if (t == HC_NO_TASK || waits || !s->fits(v, t) || (passed && !harmless(self, v, t))) return 0;
    TRY(s->start(p, t, NULL, 0));
  }
}

/* The shadow time and the extra processors of the first blocked task, under the knobs. */
static hc_slot shadow_of(hc_policy *self, hc_view *v, hc_task head)
{
  const hc_services *s = self->base.s;
  hc_slot slot = s->earliest(v, head, s->now(v));
  bool known = self->head == s->serial(v, head) + 1;
  if (!known) {
    double wait = slot.at == HC_NEVER ? 0 : (double)(slot.at - s->submitted(v, head));
    self->head = s->serial(v, head) + 1;
    self->promised = slot.at;
    self->latest = slot.at == HC_NEVER ? HC_NEVER : hc_time_add(slot.at, (hc_time)(self->o.relax * wait));
  }
  if (self->o.sticky && known && self->promised >= s->now(v))
    slot.at = self->promised; /* one that was missed is void */
  if (self->o.relax > 0 && self->latest > slot.at) slot.at = self->latest;
  if (slot.at == HC_NEVER) return slot;
  slot.spare = s->least_free(v, slot.at, slot.at) - s->units(v, head);
  return slot;
}

/* ---- candidates ---- */

static hc_filter filter_of(const hc_policy *self, const hc_view *v, hc_slot shadow)
{
  hc_filter f = {.max_units = self->base.s->free_units(v), .max_estimate = HC_NEVER};
  if (!self->o.protect || shadow.at == HC_NEVER) return f;
  f.max_estimate = shadow.at - self->base.s->now(v) - margin(self);
  f.or_units = self->o.extra && shadow.spare > 0 ? shadow.spare : 0;
  return f;
}

/* With more than one reservation, or where places matter, passing the first shadow is necessary but not
 * enough. */
static bool may_start(const hc_policy *self, const hc_view *v, hc_task t, bool counting_is_enough)
{
  if (counting_is_enough) return true;
  return self->base.s->fits(v, t) && (!self->o.protect || harmless(self, v, t));
}

/* What stands in the way of the task that was asked about: with one reservation on counted processors
 * nothing but this selector knows it. Elsewhere reservations are on the timeline, and are seen there. */
static void explain_refusal(const hc_policy *self, const hc_view *v, hc_task head, hc_slot shadow)
{
  const hc_services *s = self->base.s;
  const hc_task t = s->asked(v);
  if (t == HC_NO_TASK || shadow.at == HC_NEVER) return;
  s->note(v, head, HC_NOTE_PROMISE, HC_NO_TASK, shadow.at, shadow.spare);
  if (t == head || !self->o.protect || s->units(v, t) > s->free_units(v) ||
      s->estimate(v, t) < shadow.at - s->now(v))
    return;
  const bool is_room = s->units(v, t) <= shadow.spare || s->estimate(v, t) == shadow.at - s->now(v);
  s->note(v, t, is_room ? HC_NOTE_CROSSES : HC_NOTE_DELAYS, head, shadow.at, shadow.spare);
}

/* Where the cell is full nothing is planned, and the head's promise is worked out for the explanation alone.
 * */
static void explain_full(const hc_policy *self, const hc_view *v, hc_task head)
{
  const hc_services *s = self->base.s;
  hc_slot slot;
  if (s->asked(v) == HC_NO_TASK) return;
  slot = s->earliest(v, head, s->now(v));
  if (slot.at != HC_NEVER) s->note(v, head, HC_NOTE_PROMISE, HC_NO_TASK, slot.at, slot.spare);
}

/* Among the sizes that could start now and delay no promise, where promises are kept. One that is promised a
 * start keeps the size that it has. @return 0 or HC_ENOMEM */
static hc_rc mold_now(hc_policy *self, hc_view *v, hc_plan *p, hc_task t)
{
  const hc_molding_when when = self->o.protect ? HC_MOLDING_HARMLESS : HC_MOLDING_NOW;
  return hc_molding_choose(&self->base.molding, v, p, t, when, margin(self));
}

static hc_rc backfill(hc_policy *self, hc_view *v, hc_plan *p, hc_cursor behind_head, hc_task head,
                      hc_slot shadow, bool counting_is_enough)
{
  const hc_services *s = self->base.s;
  hc_list_id list = self->o.candidates.type ? HC_LIST_CANDIDATES : HC_LIST_QUEUE;
  hc_cursor at = list == HC_LIST_QUEUE ? behind_head : (hc_cursor){0};
  const bool molds = hc_select_molds(self);
  for (;;) {
    hc_filter f = filter_of(self, v, shadow);
    hc_task t = s->next(v, list, &at, molds ? NULL : &f); /* in another size it might pass */
    if (t == HC_NO_TASK) break;
    if (molds && t != head) TRY(mold_now(self, v, p, t));
    if (t == head || !may_start(self, v, t, counting_is_enough)) continue;
    /* Who ends at the shadow time is gone by then, even where `strict` lets it start on extra processors
     * only. */
    const bool is_late =
        counting_is_enough && shadow.at != HC_NEVER && s->estimate(v, t) > shadow.at - s->now(v);
    if (is_late) shadow.spare -= s->units(v, t);
    TRY(s->start(p, t, NULL, 0));
    /* How long it runs depends on the hosts that it got. */
    if (!counting_is_enough && shadow.at != HC_NEVER && s->expected_end(v, t) > shadow.at)
      shadow.spare -= s->units(v, t);
  }
  if (counting_is_enough) explain_refusal(self, v, head, shadow);
  return 0;
}

/* ---- reservations of the others ---- */

/* Reserve the first `depth` tasks from the blocked head on, each at its earliest. What fits at once starts,
 * if it delays none of those before it: where places matter its earliest start does not know of them, and one
 * that would delay them goes without a reservation, since it cannot be said when it would not. */
static hc_rc reserve_all(hc_policy *self, hc_view *v, hc_plan *p, hc_task head, hc_cursor at, hc_slot shadow)
{
  const hc_services *s = self->base.s;
  int64_t left = self->o.depth == 0 ? INT64_MAX : self->o.depth - 1;
  if (shadow.at != HC_NEVER) TRY(reserve(self, p, head, shadow.at));
  while (left > 0) {
    hc_task t = s->next(v, HC_LIST_QUEUE, &at, NULL);
    hc_slot slot;
    hc_rc rc;
    if (t == HC_NO_TASK) return 0;
    if ((rc = defer(self, v, p, t)) < 0) return rc;
    if (rc == 1) continue;
    TRY(hc_select_size(self, v, p, t));
    slot = s->earliest(v, t, s->now(v));
    const bool fits = slot.at == s->now(v) && s->fits(v, t);
    if (fits && (!s->places_matter(v) || !self->o.protect || harmless(self, v, t))) {
      TRY(s->start(p, t, NULL, 0));
      continue;
    }
    if (slot.at != HC_NEVER && !fits) TRY(reserve(self, p, t, slot.at));
    left--;
  }
  return 0;
}

/* Nothing is free, and every queued task needs some of it. */
static bool is_full(const hc_policy *self, const hc_view *v)
{
  const hc_services *s = self->base.s;
  const hc_filter nothing = {.max_units = 0, .max_estimate = HC_NEVER};
  hc_cursor at = {0};
  if (s->free_units(v) > 0) return false;
  return !s->places_matter(v) || s->next(v, HC_LIST_QUEUE, &at, &nothing) == HC_NO_TASK;
}

static hc_rc decide(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  const hc_services *s = self->base.s;
  bool one = self->o.depth == 1 && !s->places_matter(v) && !plans_ahead(&self->o) && !hc_select_molds(self);
  hc_cursor at = {0};
  hc_task head;
  hc_slot shadow;
  HC_UNUSED(why);
  if (!one) TRY(s->unreserve_all(p));
  TRY(start_heads(self, v, p, &at, &head));
  if (head == HC_NO_TASK) return 0;
  if (!self->o.sticky && self->o.relax == 0 && is_full(self, v)) {
    explain_full(self, v, head);
    return 0; /* nothing can start: nothing to plan */
  }
  shadow = shadow_of(self, v, head);
  /* It is tried again at that time, though nothing else may happen then. */
  if (self->o.retry == RETRY_AT_RESERVATION && self->promised > s->now(v) && self->promised != HC_NEVER &&
      self->promised != self->wake_at) {
    self->wake_at = self->promised;
    TRY(s->wake(p, self->promised));
  }
  if (!one) TRY(reserve_all(self, v, p, head, at, shadow));
  return backfill(self, v, p, at, head, shadow, one);
}

static hc_rc visit(hc_policy *self, hc_visitor *v)
{
  HC_VISIT(v, self->head);
  HC_VISIT(v, self->promised);
  HC_VISIT(v, self->latest);
  HC_VISIT(v, self->wake_at);
  return 0;
}

static const hc_param params[] = {
    HC_PARAM(INT, options, depth, "tasks", "1", 0, 1e9,
             "Number of blocked tasks that get a reservation. 0: all of them."),
    HC_PARAM(CHOICE, options, window, "inclusive|strict", "inclusive",
             "May a backfilled task end exactly at the shadow time (inclusive), or must it end before "
             "(strict)?"),
    HC_PARAM(BOOL, options, extra, "true",
             "May a task that ends after the shadow time start on the extra processors?"),
    HC_PARAM(CHOICE, options, reserve, "room|hosts", "room",
             "What is reserved on a cell of hosts. room: that there is room for the task at that time, on "
             "whatever hosts the placement chooses then. hosts: the hosts that the placement would choose; "
             "other tasks may use these only until that time, and a task that runs longer gets other hosts, "
             "if there are enough."),
    HC_PARAM(BOOL, options, sticky, "false",
             "Keep the first reservation of a head instead of computing it anew at each decision."),
    HC_PARAM(
        BOOL, options, protect, "true",
        "Do backfilled tasks respect the reservation? false: every task that fits starts (as in AccaSim)."),
    HC_PARAM(BOOL, options, ahead, "false",
             "Is a task that may not start yet (schedule_after) known from its submission on, with a "
             "reservation at its time or later in addition to that of the head? false, or without `protect`: "
             "it is hidden until its time."),
    HC_PARAM(CHOICE, options, retry, "always|at_reservation|after_reservation", "always",
             "When the head may start. always: as soon as it fits. at_reservation: when its reservation is "
             "due. after_reservation: at the first event from then on; the reservation itself causes no "
             "decision (as in AccaSim)."),
    HC_PARAM(REAL, options, relax, "1", "0", 0, 1e6,
             "The head may be delayed by at most this multiple of its wait according to its first "
             "reservation."),
    HC_PARAM(COMPONENT, options, candidates, HC_KIND_ORDER, NULL,
             "Order in which tasks are tried for backfilling. Default: that of the queue."),
    {0}};

const hc_select_type hc_select_easy = {
    .component =
        {HC_COMPONENT_HEAD(hc_select_type, HC_KIND_SELECT), .name = "easy",
         .summary = "EASY backfilling: the head has a reservation that no task may delay",
         .detail = "shadow = earliest time at which the free processors suffice for the head of the queue, "
                   "by estimates; extra = processors free then - those of the head. A later task starts now "
                   "if it fits and (now + estimate <= shadow or processors <= extra); in the second case "
                   "extra shrinks by its processors. Where running tasks without estimates leave no such "
                   "time, the head has no reservation, and every task that fits starts.",
         .source = "Lifka 1995, doi:10.1007/3-540-60153-8_35; Mu'alem and Feitelson 2001, "
                   "doi:10.1109/71.932708; Ward, Mahood and West 2002 (relax), doi:10.1007/3-540-36180-4_6",
         .params = params, .options_size = sizeof(options)},
    .flags = flags,
    .candidates = candidates,
    .init = init,
    .decide = decide,
    .visit = visit,
    .fini = hc_select_free,
    .mold = hc_select_mold,
};
