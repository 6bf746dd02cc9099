/* monolithic.c -- one scheduler, one queue, the whole cell: what a batch system has.
 *
 * When it decides is a set: once at the end of an instant in which something happened (`instant`), after
 * each event by itself (`per_event`), by its own clock (`period`), or any mix. Which events count is another
 * set (`triggers`). Published simulators differ exactly here, and their schedules with them.
 *
 * The clock ticks at whole multiples of the period, and only while a task waits: cost follows work. A task
 * that arrives exactly at a tick is seen by it, whether or not another kept the clock going. With `think`,
 * the decision is made at once on what is seen then, and carried out that much later, on whatever the cell
 * has become; no second decision is begun meanwhile, and what happens meanwhile is decided on right after.
 *
 * With `apart`, a call that comes sooner than that after the last one, or after the beginning of the run, is
 * passed over: nothing is decided, and what waits does so until another call comes. What has happened is
 * told at that one. A call counts as one though nothing waits, and so do the clock's ticks meanwhile, which
 * are worked out and not carried out. That is ElastiSim's min_scheduling_interval.
 *
 * What ran before the run begins (HC_SPEC_PREFILL) gets its place when all of its instant have arrived,
 * before any decision: the policy hears that it was queued and holds what it holds. One that finds no room
 * is rejected. */
#include "base/blame.h"
#include "base/state.h"
#include "base/util.h"
#include "hindcast/architecture.h"

enum { CALL_INSTANT, CALL_PER_EVENT, CALL_PERIOD };
enum { TRIGGER_ARRIVAL, TRIGGER_END, TRIGGER_CELL };
#define ALL_TRIGGERS ((uint32_t)HC_WHY_ARRIVAL | HC_WHY_END | HC_WHY_CELL)
enum { TIMER_PERIOD = 1, TIMER_DECISION = 2, TIMER_PREFILL = 3 };

typedef struct options {
  hc_list call;     /* int */
  hc_list triggers; /* int */
  hc_time period, think, apart;
} options;

struct hc_architecture {
  hc_architecture_context c;
  const hc_policy_type *type;
  hc_policy *policy;
  uint32_t queue;
  bool instant, per_event;
  bool always;       /* the policy sets rates: there is something to decide though no task waits */
  bool asks_thought; /* the policy says how long it has thought, beside `think` */
  uint32_t triggers; /* of hc_why_bit */
  hc_time period, think, apart;
  /* state */
  uint32_t why;      /* what has happened since the last decision */
  uint32_t early;    /* an end among it was early */
  uint32_t armed;    /* the period's timer is set */
  uint32_t thinking; /* a plan waits for its decision to end */
  uint32_t prefills; /* tasks that ran before have arrived, and get their places at this instant */
  uint32_t unused;
  hc_time ticked; /* the last tick of the clock */
  hc_time called; /* with apart: the last call that was not passed over, or 0 */
  uint32_t passed, passed_early; /* what was: as why and early */
  void *kept;
  size_t kept_size, kept_cap;
};

static hc_rc set_clock(hc_architecture *self)
{
  const hc_engine_services *s = self->c.services;
  hc_time now, next;
  if (self->armed || s->queued(self->c.engine, self->queue) == 0) return 0;
  now = s->now(self->c.engine);
  next = now - now % self->period;
  if (next < now || next == self->ticked) next = hc_time_add(next, self->period);
  self->armed = 1;
  return s->timer(self->c.engine, next, TIMER_PERIOD);
}

static inline hc_rc arm(hc_architecture *self)
{
  return self->period > 0 ? set_clock(self) : 0;
}

/* Keep the plan as bytes, close the view (which undoes it), and commit when the decision is over. */
static hc_rc begin_decision(hc_architecture *self, hc_view *v, const hc_plan *p, hc_time takes)
{
  const hc_engine_services *s = self->c.services;
  TRY(s->plan_save(self->c.engine, p, &self->kept, &self->kept_size));
  self->kept_cap = self->kept_size;
  self->thinking = 1;
  TRY(s->view_close(self->c.engine, v, false));
  return s->timer(self->c.engine, hc_time_add(s->now(self->c.engine), takes), TIMER_DECISION);
}

static hc_time thought_of(const hc_architecture *self)
{
  return self->asks_thought ? hc_time_add(self->think, self->type->thought(self->policy)) : self->think;
}

/* The last call before `now` that is not passed over: one that was made, or a tick while nothing waited. */
static hc_time last_call(const hc_architecture *self, hc_time now)
{
  const hc_time from = hc_time_add(self->called, self->apart), p = self->period;
  if (p == 0) return self->called;
  const hc_time first = (from / p + (from % p > 0)) * p;
  const hc_time step = (self->apart / p + (self->apart % p > 0)) * p;
  return first >= now ? self->called : first + (now - 1 - first) / step * step;
}

/* Is the call of now passed over? What it is about is told at the next one that is not. */
static bool passes_over(hc_architecture *self, hc_time now)
{
  const bool is_soon = now - last_call(self, now) < self->apart;
  if (is_soon) {
    self->passed |= self->why;
    self->passed_early |= self->early;
    self->why = self->early = 0;
    return true;
  }
  self->called = now;
  self->why |= self->passed;
  self->early |= self->passed_early;
  self->passed = self->passed_early = 0;
  return false;
}

static hc_rc decide_now(hc_architecture *self, const hc_why *given, hc_error *e)
{
  const hc_engine_services *s = self->c.services;
  hc_view *v;
  hc_plan *p;
  hc_why own = *given;
  const hc_why *why = &own;
  hc_rc rc;
  const hc_time called = self->called;
  if (self->thinking) return 0;
  if (self->apart > 0) {
    if (passes_over(self, s->now(self->c.engine))) return arm(self);
    own.bits |= self->why;
    own.early_end |= self->early != 0;
  }
  const uint32_t bits = self->why, early = self->early;
  self->why = self->early = 0;
  if (s->queued(self->c.engine, self->queue) == 0 && !self->always && !self->type->moves_tasks) return 0;
  TRY(s->view_open(self->c.engine, self->queue, NULL, 0, &v, &p));
  rc = s->decide(self->c.engine, 0, self->policy, v, p, why, e);
  if (rc > 0) { /* it is called again, with a plan from outside */
    self->why = bits;
    self->early = early;
    self->called = called;
  }
  if (rc != 0) return rc;
  const hc_time takes = thought_of(self);
  if (takes > 0) return begin_decision(self, v, p, takes);
  TRY(s->view_close(self->c.engine, v, true));
  rc = s->commit(self->c.engine, p, HC_COMMIT_NOW, e);
  return rc < 0 ? rc : arm(self);
}

static hc_rc end_decision(hc_architecture *self, hc_error *e)
{
  const hc_engine_services *s = self->c.services;
  hc_plan *p;
  hc_rc rc = s->plan_load(self->c.engine, self->kept, self->kept_size, &p);
  if (rc == 0) rc = s->commit(self->c.engine, p, HC_COMMIT_CHECKED, e);
  (void)self->c.allocator->resize(self->c.allocator->ctx, self->kept, self->kept_cap, 0);
  self->kept = NULL;
  self->kept_size = self->kept_cap = 0;
  self->thinking = 0;
  if (rc < 0) return rc;
  if (rc > 0) self->why |= HC_WHY_CONFLICT;
  /* What happened during the decision wants a decision too, unless the clock alone calls for them. */
  else if (self->why != 0 && (self->instant || self->per_event)) self->why |= HC_WHY_TIMER;
  return arm(self);
}

/* ---- what ran before the run begins ---- */

/* Tasks that ran before and arrived now. Others of them have lost their hosts since, and are like any other. */
static hc_rc place_prefills(const hc_services *ask, hc_view *v, hc_plan *p)
{
  hc_cursor at = {0};
  hc_task t;
  while ((t = ask->next(v, HC_LIST_QUEUE, &at, NULL)) != HC_NO_TASK) {
    if (!ask->prefilled(v, t) || ask->submitted(v, t) != ask->now(v)) continue;
    if (ask->fits(v, t)) TRY(ask->start(p, t, NULL, 0));
    else TRY(ask->reject(p, t, "no room for what ran before the beginning"));
  }
  return 0;
}

static hc_rc prefill(hc_architecture *self, hc_error *e)
{
  const hc_engine_services *s = self->c.services;
  hc_view *v;
  hc_plan *p;
  self->prefills = 0;
  TRY(s->withdraw_others(self->c.engine, UINT32_MAX)); /* no promise stands in their way */
  TRY(s->view_open(self->c.engine, self->queue, NULL, 0, &v, &p));
  const hc_rc rc = place_prefills(self->c.policy_context->services, v, p);
  TRY(s->view_close(self->c.engine, v, rc >= 0));
  if (rc < 0)
    return hc_fail(e, rc, "architecture", 0, 0, "a task that ran before the beginning: %s", hc_rc_text(rc));
  return s->commit(self->c.engine, p, HC_COMMIT_NOW, e);
}

static bool ran_before(const hc_architecture *self, hc_task t)
{
  const hc_engine_services *s = self->c.services;
  return self->c.policy_context->services->prefilled(s->task_view(self->c.engine), t);
}

static hc_rc expect_prefill(hc_architecture *self)
{
  const hc_engine_services *s = self->c.services;
  if (self->prefills++ > 0) return 0;
  return s->timer(self->c.engine, s->now(self->c.engine), TIMER_PREFILL);
}

/* In the midst of an event there is no stopping. */
static hc_rc never_outside(hc_error *e)
{
  return hc_fail(
      e, HC_EUNSUPPORTED, "architecture monolithic", 0, 0,
      "with `call: per_event` a policy decides in the midst of an event, where no plan can come from "
      "outside: use `call: instant` or `call: period`");
}

/* What is not of every task. */
static __attribute__((noinline)) hc_rc on_rare_signal(hc_architecture *self, const hc_signal *sig,
                                                      hc_error *e)
{
  const bool is_due = sig->what == HC_WHY_TIMER && sig->timer == HC_TIMER_DUE;
  const uint32_t what = is_due ? HC_WHY_ARRIVAL : sig->what; /* but that it stands in the queue already */
  if (sig->what == HC_WHY_TIMER && sig->timer == TIMER_PERIOD) {
    self->armed = 0;
    self->ticked = self->c.services->now(self->c.engine);
    if (!self->thinking) self->why |= HC_WHY_PERIOD;
    return 0;
  }
  if (sig->what == HC_WHY_TIMER && sig->timer == TIMER_DECISION) return end_decision(self, e);
  if (sig->what == HC_WHY_TIMER && sig->timer == TIMER_PREFILL) return prefill(self, e);
  self->early |= sig->early;
  if (what != HC_WHY_TIMER && !(self->triggers & what)) return arm(self);
  self->why |= what;
  if (!self->per_event) return arm(self);
  const hc_rc rc =
      decide_now(self, &(hc_why){.bits = what, .task = sig->task, .early_end = self->early != 0}, e);
  return rc > 0 ? never_outside(e) : rc;
}

static hc_rc on_signal(hc_architecture *self, const hc_signal *sig, hc_error *e)
{
  if (sig->what == HC_WHY_ARRIVAL && sig->task != HC_NO_TASK) {
    TRY(self->c.services->enqueue(self->c.engine, self->queue, sig->task));
    if (ran_before(self, sig->task)) return expect_prefill(self);
  }
  if (sig->what == HC_WHY_TIMER || self->per_event || self->period > 0) return on_rare_signal(self, sig, e);
  self->early |= sig->early;
  if (self->triggers & sig->what) self->why |= sig->what;
  return 0;
}

/* With neither a clock nor a decision for each event a signal only sets bits: one for all says as much. */
static bool gathers(const hc_architecture *self, uint32_t *queue)
{
  *queue = self->queue;
  return !self->per_event && self->period == 0;
}

/* While it thinks about what will start nothing, what could start waits. */
static bool is_memoryless(const hc_architecture *self)
{
  return self->think == 0 && !self->asks_thought && self->apart == 0;
}

/* What has happened since the last decision waits for the clock. */
static bool is_thinking(const hc_architecture *self)
{
  return self->thinking || self->why != 0 || self->passed != 0;
}

static hc_rc decide(hc_architecture *self, hc_error *e)
{
  uint32_t own = HC_WHY_PERIOD | HC_WHY_TIMER | HC_WHY_CONFLICT;
  if (!(self->why & own) && (!self->instant || self->why == 0)) return 0;
  return decide_now(self, &(hc_why){.bits = self->why, .task = HC_NO_TASK, .early_end = self->early != 0}, e);
}

static bool has(const hc_list *l, int what)
{
  const int *items = l->items;
  for (size_t i = 0; i < l->count; i++)
    if (items[i] == what) return true;
  return false;
}

/* Books are of the time at which they are made: a plan that is carried out later is not what they say, and of
 * what no decision is made for they never hear. */
static hc_rc check_books(const hc_architecture *self, hc_error *e)
{
  const bool is_called_otherwise = !self->instant || self->per_event || self->period > 0;
  const char *name = self->type->component.name;
  if (is_called_otherwise && !self->type->plans_anew)
    return hc_fail(e, HC_EUNSUPPORTED, "architecture monolithic", 0, 0,
                   "the policy %s has clocks of its own: it needs `call: instant` alone", name);
  if (self->think == 0 && self->apart == 0 && self->triggers == ALL_TRIGGERS) return 0;
  return hc_fail(
      e, HC_EUNSUPPORTED, "architecture monolithic", 0, 0,
      "the policy %s goes by books of its own: it needs all `triggers`, and neither `think`, with which "
      "its plan would be carried out later than it has written down, nor `apart`, which passes over "
      "calls that it has asked for",
      name);
}

static hc_rc init(const hc_architecture_context *c, const void *opts, hc_architecture **out, hc_error *e)
{
  const options *o = opts;
  const hc_policy_type *type = (const hc_policy_type *)c->policy.type;
  hc_architecture *self = c->allocator->resize(c->allocator->ctx, NULL, 0, sizeof *self);
  const hc_policy_context *context;
  hc_policy_parts parts = {0};
  if (!self) return HC_ENOMEM;
  *self = (hc_architecture){
      .c = *c, .type = type, .think = o->think, .apart = o->apart, .ticked = HC_UNKNOWN};
  *out = self;
  self->instant = has(&o->call, CALL_INSTANT);
  self->per_event = has(&o->call, CALL_PER_EVENT);
  self->period = has(&o->call, CALL_PERIOD) ? o->period : 0;
  self->triggers = (has(&o->triggers, TRIGGER_ARRIVAL) ? HC_WHY_ARRIVAL : 0u) |
                   (has(&o->triggers, TRIGGER_END) ? HC_WHY_END : 0u) |
                   (has(&o->triggers, TRIGGER_CELL) ? HC_WHY_CELL : 0u);
  if (self->period == 0 && has(&o->call, CALL_PERIOD))
    return hc_fail(e, HC_EUSAGE, "architecture monolithic", 0, 0,
                   "call: period needs a period; add `period: 30s` (or another time) to the architecture");
  const uint32_t flags = hc_policy_flags(type, c->policy.options, c->allocator);
  const bool sets_rates = (flags & HC_SETS_RATES) != 0;
  self->always = sets_rates || (flags & (HC_MAY_RESIZE | HC_MAY_POWER));
  if (sets_rates && (!self->instant || self->period > 0 || self->apart > 0))
    return hc_fail(e, HC_EUNSUPPORTED, "architecture monolithic", 0, 0,
                   "the policy %s suspends tasks, or sets their rates, at instants of its own: it needs "
                   "`call: instant` alone, and no `apart`",
                   type->component.name);
  self->asks_thought = type->thinks && type->thinks(c->policy.options);
  if (self->always && (self->think > 0 || self->asks_thought) && hc_policy_follows(type, c->policy.options))
    return hc_fail(
        e, HC_EUNSUPPORTED, "architecture monolithic", 0, 0,
        "the policy %s counts what its plans do at once, which a thought undoes: it allows no `think`",
        type->component.name);
  if (flags & HC_GOES_BY_BOOKS) TRY(check_books(self, e));
  if (type->decides_points && (!self->instant || self->per_event || self->period > 0 || self->think > 0 ||
                               self->apart > 0 || self->triggers != ALL_TRIGGERS))
    return hc_fail(e, HC_EUNSUPPORTED, "architecture monolithic", 0, 0,
                   "the policy %s is called at scheduling points and has clocks of its own: it needs `call: "
                   "instant` alone, all `triggers`, and neither `think` nor `apart`",
                   type->component.name);
  if (self->per_event && (flags & HC_DECIDED_OUTSIDE)) return never_outside(e);
  if (type->parts) type->parts(c->policy.options, &parts);
  TRY(c->services->queue_new(c->engine, parts.order, parts.candidates, &self->queue));
  TRY(c->services->policy_context(c->engine, self->queue, "", &c->policy, &context));
  if (type->init)
    TRY(hc_blame(&type->component, type->init(context, c->policy.options, &self->policy, e), e));
  c->services->follow(c->engine, self->queue, type, self->policy);
  return 0;
}

static hc_rc repolicy(hc_architecture *self, const hc_chosen *policy, hc_error *e)
{
  const hc_policy_context *context;
  if (self->policy && self->type->fini) self->type->fini(self->policy);
  self->policy = NULL;
  self->c.policy = *policy;
  TRY(self->c.services->policy_context(self->c.engine, self->queue, "", policy, &context));
  return self->type->init ? self->type->init(context, policy->options, &self->policy, e) : 0;
}

static hc_rc visit(hc_architecture *self, hc_visitor *v)
{
  HC_VISIT(v, self->why);
  HC_VISIT(v, self->early);
  HC_VISIT(v, self->armed);
  HC_VISIT(v, self->thinking);
  HC_VISIT(v, self->prefills);
  HC_VISIT(v, self->ticked);
  if (self->apart > 0) HC_VISIT(v, self->called);
  if (self->apart > 0) HC_VISIT(v, self->passed);
  if (self->apart > 0) HC_VISIT(v, self->passed_early);
  TRY(hc_visit_array(v, &self->kept, &self->kept_size, &self->kept_cap, 1));
  return self->type->visit ? self->type->visit(self->policy, v) : 0;
}

static void fini(hc_architecture *self)
{
  if (self->policy && self->type->fini) self->type->fini(self->policy);
  if (self->kept) (void)self->c.allocator->resize(self->c.allocator->ctx, self->kept, self->kept_cap, 0);
  (void)self->c.allocator->resize(self->c.allocator->ctx, self, sizeof *self, 0);
}

static hc_rc finish(hc_architecture *self, hc_findings *f)
{
  return self->type->finish ? self->type->finish(self->policy, f) : 0;
}

static const hc_param params[] = {
    HC_PARAM(CHOICES, options, call, "instant|per_event|period", "instant",
             "When to decide. instant: once at the end of each instant in which a trigger happened; "
             "per_event: after each event by itself; period: by a clock. They can be combined."),
    HC_PARAM(CHOICES, options, triggers, "arrival|end|cell", "[arrival, end, cell]",
             "Which events call for a decision: tasks that arrive, tasks that end, hosts that change."),
    HC_PARAM(TIME, options, period, "s", "30s", 1e-9, 1e9,
             "Period of the clock of `call: period`: it ticks at whole multiples of this time from the run's "
             "origin."),
    HC_PARAM(TIME, options, think, "s", "0", 0, 1e9,
             "How long a decision takes. It is made on the state at its start and carried out at its end; an "
             "action that no longer fits then is a conflict."),
    HC_PARAM(TIME, options, apart, "s", "0", 0, 1e9,
             "A call for a decision that comes sooner than this after the last one, or after the run's "
             "beginning, is ignored, as by ElastiSim's min_scheduling_interval: queued tasks wait until "
             "another call comes."),
    {0}};

const hc_architecture_type hc_architecture_monolithic = {
    .component =
        {HC_COMPONENT_HEAD(hc_architecture_type, HC_KIND_ARCHITECTURE), .name = "monolithic",
         .summary = "one scheduler, one queue, the whole cell",
         .detail = "One policy decides on everything. With `call: instant` it sees the events of an instant "
                   "together; with `per_event` one by one, as in pyss and CQSim. Only under this "
                   "architecture does a policy that plans ahead see tasks before they may start "
                   "(schedule_after).",
         .source = "Schwarzkopf et al., EuroSys 2013, doi:10.1145/2465351.2465386, section 3",
         .params = params, .options_size = sizeof(options)},
    .init = init,
    .signal = on_signal,
    .decide = decide,
    .visit = visit,
    .fini = fini,
    .finish = finish,
    .lets_rates = true,
    .lets_ahead = true,
    .gathers = gathers,
    .is_memoryless = is_memoryless,
    .is_thinking = is_thinking,
    .go_on = decide, /* what called for the decision is kept */
    .repolicy = repolicy,
    .places_prefill = true,
    .asks_thought = true,
};
