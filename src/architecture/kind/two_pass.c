/* two_pass.c -- one queue, two passes over it, each with a clock of its own: Slurm's main scheduler and its
 * backfill.
 *
 * The main pass is short and comes often: it starts tasks in the order of the queue until one does not fit
 * (`main`, blocking unless said otherwise), at the end of every instant in which something happened, or
 * every `main_interval`. The backfill pass plans and is dear: it comes every `backfill_interval`, looks at
 * the first `max_jobs` tasks of the queue, and may start tasks past those that wait. It is the run's policy,
 * whose order is the queue's; so `policy: priority+easy` is EASY at each tick, and head after head in
 * between.
 *
 *   clocks      tick at whole multiples of their interval, while tasks are queued: cost follows work
 *   both due    the main pass first, the backfill pass on what it leaves
 * promises    made by the backfill pass; the main pass starts heads whether or not that breaks one, as
 * Slurm's does:
 *               heads are what promises protect
 *
 * A wake that the backfill policy wishes for waits for the next tick. Neither pass takes time; nothing is
 * refused. We do not model that Slurm's backfill yields its locks in the middle of a pass. Cost: that of the
 * two policies, and O(max_jobs / 31) a backfill pass to find where its part of the queue ends. Source:
 * Slurm's sched.conf parameters sched_interval, bf_interval and bf_max_job_test (slurm.conf,
 * SchedulerParameters); Jette and Wickberg, JSSPP 2023, doi:10.1007/978-3-031-43943-8_1. */
#include "base/blame.h"
#include "base/state.h"
#include "base/util.h"
#include "hindcast/architecture.h"

enum { MAIN, BACKFILL, PASSES };

typedef struct options {
  hc_chosen main;
  hc_time interval[PASSES]; /* MAIN: 0: at the end of each instant in which something happened */
  int64_t max_jobs;
} options;

/* One of the two. */
typedef struct pass {
  const hc_policy_type *type;
  hc_policy *policy;
  hc_time interval;
  size_t most; /* tasks that it is shown; 0: all */
  /* state */
  hc_time ticked;  /* the last tick of its clock */
  uint32_t armed;  /* the clock is set */
  uint32_t is_due; /* it ticked in this round */
  uint32_t why;    /* what has happened since its last decision */
  uint32_t early;  /* an end among it was early */
} pass;

struct hc_architecture {
  hc_architecture_context c;
  uint32_t queue;
  pass passes[PASSES];
  uint32_t at; /* the pass whose plan is to come from outside, if it is one that stops the run */
};

/* ---- clocks ---- */

static hc_rc set_clock(hc_architecture *self, uint32_t which)
{
  const hc_engine_services *s = self->c.services;
  pass *x = &self->passes[which];
  hc_time now, next;
  if (x->interval == 0 || x->armed || s->queued(self->c.engine, self->queue) == 0) return 0;
  now = s->now(self->c.engine);
  next = now - now % x->interval;
  if (next < now || next == x->ticked) next = hc_time_add(next, x->interval);
  x->armed = 1;
  return s->timer(self->c.engine, next, which);
}

static hc_rc set_clocks(hc_architecture *self)
{
  TRY(set_clock(self, MAIN));
  return set_clock(self, BACKFILL);
}

static hc_rc on_signal(hc_architecture *self, const hc_signal *sig, hc_error *e)
{
  HC_UNUSED(e);
  if (sig->what == HC_WHY_ARRIVAL && sig->task != HC_NO_TASK)
    TRY(self->c.services->enqueue(self->c.engine, self->queue, sig->task));
  if (sig->what == HC_WHY_TIMER && sig->timer < PASSES) {
    pass *x = &self->passes[sig->timer];
    x->armed = 0;
    x->is_due = 1;
    x->ticked = self->c.services->now(self->c.engine);
    return 0;
  }
  if (sig->what == HC_WHY_TIMER) return 0; /* a wake waits for the next tick */
  for (uint32_t i = 0; i < PASSES; i++) {
    self->passes[i].why |= sig->what;
    self->passes[i].early |= sig->early;
  }
  return set_clocks(self);
}

static bool gathers(const hc_architecture *self, uint32_t *queue)
{
  *queue = self->queue;
  return true;
}

static bool is_thinking(const hc_architecture *self)
{
  return self->passes[MAIN].why != 0 || self->passes[BACKFILL].why != 0;
}

/* ---- a pass ---- */

static hc_rc decide_on(hc_architecture *self, uint32_t which, hc_error *e)
{
  const hc_engine_services *s = self->c.services;
  pass *x = &self->passes[which];
  const pass was = *x;
  const hc_why why = {.bits = x->why | (x->interval > 0 ? HC_WHY_PERIOD : 0u),
                      .task = HC_NO_TASK,
                      .early_end = x->early != 0};
  hc_view *v;
  hc_plan *p;
  hc_rc rc;
  x->why = x->early = x->is_due = 0;
  if (s->queued(self->c.engine, self->queue) == 0) return 0;
  TRY(s->view_open(self->c.engine, self->queue, NULL, 0, &v, &p));
  if (x->most > 0) s->view_limit(v, x->most);
  rc = s->decide(self->c.engine, which, x->policy, v, p, &why, e);
  if (rc > 0) *x = was;
  if (rc != 0) return rc;
  TRY(s->view_close(self->c.engine, v, true));
  rc = s->commit(self->c.engine, p, HC_COMMIT_NOW, e);
  return rc < 0 ? rc : 0;
}

static hc_rc decide_from(hc_architecture *self, uint32_t from, hc_error *e)
{
  for (self->at = from; self->at < PASSES; self->at++) {
    const pass *x = &self->passes[self->at];
    const hc_rc rc = (x->interval > 0 ? x->is_due : x->why != 0) ? decide_on(self, self->at, e) : 0;
    if (rc != 0) return rc;
  }
  return set_clocks(self);
}

static hc_rc decide(hc_architecture *self, hc_error *e)
{
  return decide_from(self, MAIN, e);
}

static hc_rc go_on(hc_architecture *self, hc_error *e)
{
  return decide_from(self, self->at, e);
}

/* ---- life ---- */

/* The main pass may not plan: the two would take back each other's promises. Its order and placement are the
   queue's. */
static hc_rc check_main(const hc_chosen *policy, const hc_policy_type *t, const hc_allocator *a, hc_error *e)
{
  const uint32_t flags = hc_policy_flags(t, policy->options, a);
  const uint32_t never = HC_MAKES_RESERVATIONS | HC_NEEDS_TIMELINE | HC_SHARES | HC_SETS_RATES |
                         HC_MAY_PREEMPT | HC_NEEDS_SCOPE | HC_PACES;
  hc_policy_parts parts = {0};
  const hc_order_type *order;
  if (flags & never)
    return hc_fail(
        e, HC_EUNSUPPORTED, "architecture two_pass", 0, 0,
        "`main: %s` cannot be the main pass, since it plans, shares or stops: make it the run's `policy`, "
        "which is the backfill pass, and let `main` be blocking or scan",
        t->component.name);
  if (t->parts) t->parts(policy->options, &parts);
  order = parts.order ? (const hc_order_type *)parts.order->type : NULL;
  if (!order || (order->flags && (order->flags(parts.order->options) & HC_BY_SUBMISSION))) return 0;
  return hc_fail(
      e, HC_EUSAGE, "architecture two_pass", 0, 0,
      "`main` names the order %s, and the queue has one, that of the run's `policy`: name it there",
      order->component.name);
}

static hc_rc open_pass(hc_architecture *self, uint32_t which, const hc_chosen *chosen, hc_error *e)
{
  pass *x = &self->passes[which];
  const hc_policy_context *context;
  x->type = (const hc_policy_type *)chosen->type;
  if (which == MAIN) TRY(check_main(chosen, x->type, self->c.allocator, e));
  TRY(self->c.services->policy_context(self->c.engine, self->queue, which == MAIN ? "main" : "backfill",
                                       chosen, &context));
  if (!x->type->init) return 0;
  return hc_blame(&x->type->component, x->type->init(context, chosen->options, &x->policy, e), e);
}

static hc_rc init(const hc_architecture_context *c, const void *opts, hc_architecture **out, hc_error *e)
{
  const options *o = opts;
  const hc_policy_type *type = (const hc_policy_type *)c->policy.type;
  hc_architecture *self = c->allocator->resize(c->allocator->ctx, NULL, 0, sizeof *self);
  hc_policy_parts parts = {0};
  if (!self) return HC_ENOMEM;
  *self = (hc_architecture){.c = *c};
  *out = self;
  for (uint32_t i = 0; i < PASSES; i++)
    self->passes[i] = (pass){.interval = o->interval[i], .ticked = HC_UNKNOWN};
  self->passes[BACKFILL].most = (size_t)o->max_jobs;
  if (type->parts) type->parts(c->policy.options, &parts);
  TRY(c->services->queue_new(c->engine, parts.order, parts.candidates, &self->queue));
  TRY(open_pass(self, MAIN, &o->main, e));
  TRY(open_pass(self, BACKFILL, &c->policy, e));
  c->services->follow(c->engine, self->queue, type, self->passes[BACKFILL].policy);
  return 0;
}

static hc_rc visit(hc_architecture *self, hc_visitor *v)
{
  HC_VISIT(v, self->at);
  for (uint32_t i = 0; i < PASSES; i++) {
    pass *x = &self->passes[i];
    HC_VISIT(v, x->ticked);
    HC_VISIT(v, x->armed);
    HC_VISIT(v, x->is_due);
    HC_VISIT(v, x->why);
    HC_VISIT(v, x->early);
    if (x->type->visit) TRY(x->type->visit(x->policy, v));
  }
  return 0;
}

static void fini(hc_architecture *self)
{
  for (uint32_t i = 0; i < PASSES; i++)
    if (self->passes[i].policy && self->passes[i].type->fini)
      self->passes[i].type->fini(self->passes[i].policy);
  (void)self->c.allocator->resize(self->c.allocator->ctx, self, sizeof *self, 0);
}

static hc_rc finish(hc_architecture *self, hc_findings *f)
{
  return self->passes[BACKFILL].type->finish
             ? self->passes[BACKFILL].type->finish(self->passes[BACKFILL].policy, f)
             : 0;
}

static const hc_param params[] = {
    HC_PARAM(COMPONENT, options, main, HC_KIND_POLICY, "blocking",
             "How the main pass looks at the queue: blocking starts tasks in order until one does not fit, "
             "scan starts every task that fits. Its order and placement are those of the run's `policy`, "
             "which is the backfill pass."),
    HC_PARAM_AS(TIME, "main_interval", options, interval[MAIN], "s", "0", 0, 1e9,
                "Interval of the main pass, which comes at whole multiples of it. 0: it comes at the end of "
                "every instant in which tasks arrived or ended or hosts changed."),
    HC_PARAM_AS(TIME, "backfill_interval", options, interval[BACKFILL], "s", "30s", 1e-9, 1e9,
                "Interval of the backfill pass, which comes at whole multiples of it."),
    HC_PARAM(INT, options, max_jobs, "tasks", "0", 0, 1e9,
             "Number of tasks at the head of the queue that a backfill pass looks at. 0: all of them."),
    {0}};

const hc_architecture_type hc_architecture_two_pass = {
    .component =
        {HC_COMPONENT_HEAD(hc_architecture_type, HC_KIND_ARCHITECTURE), .name = "two_pass",
         .summary = "one queue with a main pass and a backfill pass, each with its own clock: Slurm",
         .detail =
             "The main pass starts tasks from the head of the queue, at events or by a clock; the backfill "
             "pass is the run's policy (easy, conservative, slack ...), by a slower clock, over the first "
             "`max_jobs` tasks. Slurm's defaults are near main_interval: 0, backfill_interval: 30s, "
             "max_jobs: 500.",
         .source = "slurm.conf, SchedulerParameters: sched_interval, bf_interval, bf_max_job_test; Jette and "
                   "Wickberg, JSSPP 2023, doi:10.1007/978-3-031-43943-8_1",
         .params = params, .options_size = sizeof(options)},
    .init = init,
    .signal = on_signal,
    .decide = decide,
    .visit = visit,
    .is_thinking = is_thinking,
    .fini = fini,
    .finish = finish,
    .gathers = gathers,
    .go_on = go_on,
};
