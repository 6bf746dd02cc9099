/* batch.c -- a batch policy by composition: an order, a selector, a placement.
 *
 * `sjf + easy + best_fit` is a configuration, not a file. The architecture sorts the queue by the order,
 * the engine places by the placement, and the selector, which is all that is called here, says how far to
 * look past a task that does not fit. A rule of preemption is asked before the selector, and starts the tasks
 * that stop others. */
#include "base/blame.h"
#include "base/util.h"
#include "hindcast/policy.h"
#include "hindcast/sharing.h"

typedef struct options {
  hc_chosen order, select, place, eligibility, preempt, mold;
} options;

struct hc_policy {
  const hc_allocator *allocator;
  const hc_select_type *type;
  hc_policy *select;
  const hc_preempt_type *stops; /* NULL: no running task is stopped */
  hc_policy *rule;
  bool promises;
};

static uint32_t selects_flags(const options *o)
{
  const hc_select_type *s = (const hc_select_type *)o->select.type;
  return s->flags ? s->flags(o->select.options) : 0;
}

static bool follows(const void *opts)
{
  return ((const hc_preempt_type *)((const options *)opts)->preempt.type)->run_queue != NULL;
}

/* Which of the sizes of a task is best is a question of how long it is in each. What failed in one size may
 * fit in another. */
static uint32_t molds_too(const options *o, uint32_t flags)
{
  const hc_mold_type *how = (const hc_mold_type *)o->mold.type;
  if (!how) return flags;
  flags &= ~(uint32_t)(HC_IGNORES_TIME | HC_ASKS_FITS | HC_HEAD_ONLY);
  return flags | HC_MOLDS | HC_NEEDS_ESTIMATE | (how->asks_starts ? (uint32_t)HC_NEEDS_TIMELINE : 0);
}

static uint32_t flags(const void *opts)
{
  const options *o = opts;
  const hc_order_type *r = (const hc_order_type *)o->order.type;
  uint32_t selects = molds_too(o, selects_flags(o) & ~(uint32_t)HC_BINDS_ITSELF);
  const uint32_t sorts = r->flags ? r->flags(o->order.options) : 0;
  if (follows(o)) selects = (selects & ~(uint32_t)HC_HEAD_ONLY) | HC_MAY_PREEMPT;
  /* Time is ignored only if both do. */
  return (sorts & HC_NEEDS_ESTIMATE ? selects & ~(uint32_t)HC_IGNORES_TIME : selects) | sorts;
}

static void parts(const void *opts, hc_policy_parts *out)
{
  const options *o = opts;
  const hc_select_type *s = (const hc_select_type *)o->select.type;
  out->order = &o->order;
  out->place = &o->place;
  out->eligibility = &o->eligibility;
  out->candidates = s->candidates ? s->candidates(o->select.options) : NULL;
}

/* A rule that says what tasks of a queue may stop; others compare shares, which a queue has not. */
static hc_rc open_rule(hc_policy *self, const hc_policy_context *c, const options *o, hc_error *e)
{
  const hc_preempt_type *t = (const hc_preempt_type *)o->preempt.type;
  const uint32_t flags = selects_flags(o);
  if (!t->run && !t->run_queue) return 0;
  if (!t->run_queue)
    return hc_fail(
        e, HC_EUNSUPPORTED, "policy batch", 0, 0,
        "preempt: %s compares users' shares, and a batch queue has none: use preempt: priority, or policy: "
        "fair",
        t->component.name);
  if (flags & HC_BINDS_ITSELF)
    return hc_fail(
        e, HC_EUNSUPPORTED, "policy batch", 0, 0,
        "select: %s, with these options, keeps what it has promised before, and a task that stops "
        "others takes that promise's room: use another selector, such as easy with `retry: always` "
        "and `sticky: false`, or conservative; or leave `preempt` out",
        o->select.type->name);
  self->promises = (flags & HC_MAKES_RESERVATIONS) != 0;
  self->stops = t;
  return hc_blame(&t->component, t->init(c, o->preempt.options, NULL, &self->rule, e), e);
}

static hc_rc open_mold(hc_policy *self, const options *o, hc_error *e)
{
  const char *name = o->select.type->name;
  if (!o->mold.type) return 0;
  if (!self->type->mold)
    return hc_fail(
        e, HC_EUNSUPPORTED, "policy batch", 0, 0,
        "select: %s plans tasks in the sizes that they ask for, and settles none: use select blocking, "
        "scan, easy or conservative, or leave out `mold`",
        name);
  if (selects_flags(o) & HC_BINDS_ITSELF)
    return hc_fail(
        e, HC_EUNSUPPORTED, "policy batch", 0, 0,
        "select: %s, with these options, keeps what it has promised before, in the size that the task "
        "had then: leave out `sticky`, `relax` and `retry`, or `mold`",
        name);
  if (self->rule)
    return hc_fail(e, HC_EUNSUPPORTED, "policy batch", 0, 0,
                   "preempt: %s makes room for tasks in the sizes that they ask for: leave out `preempt`, or "
                   "`mold`",
                   o->preempt.type->name);
  self->type->mold(self->select, &o->mold);
  return 0;
}

static hc_rc init(const hc_policy_context *c, const void *opts, hc_policy **out, hc_error *e)
{
  const options *o = opts;
  hc_policy *self = c->allocator->resize(c->allocator->ctx, NULL, 0, sizeof *self);
  if (!self) return HC_ENOMEM;
  *self = (hc_policy){.allocator = c->allocator, .type = (const hc_select_type *)o->select.type};
  *out = self;
  TRY(open_rule(self, c, o, e));
  if (self->type->init)
    TRY(hc_blame(&self->type->component, self->type->init(c, o->select.options, &self->select, e), e));
  return open_mold(self, o, e);
}

static hc_rc on_task_event(hc_policy *self, const hc_view *v, hc_task_event what, hc_task t,
                           const int64_t *amounts)
{
  return self->rule ? self->stops->on_task_event(self->rule, v, what, t, 0, amounts) : 0;
}

static hc_rc decide(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  hc_rc stopped = 0;
  if (self->rule) TRY(stopped = self->stops->run_queue(self->rule, v, p, self->promises));
  /* Promises are made when those that were stopped wait as well: else they would come last. */
  if (stopped == 2 || (stopped == 1 && self->promises)) return 0;
  return self->type->decide(self->select, v, p, why);
}

static hc_rc visit(hc_policy *self, hc_visitor *v)
{
  if (self->rule) TRY(self->stops->visit(self->rule, v));
  return self->type->visit ? self->type->visit(self->select, v) : 0;
}

static void fini(hc_policy *self)
{
  if (self->select && self->type->fini) self->type->fini(self->select);
  if (self->rule) self->stops->fini(self->rule);
  (void)self->allocator->resize(self->allocator->ctx, self, sizeof *self, 0);
}

static const hc_param params[] = {
    HC_PARAM(COMPONENT, options, order, HC_KIND_ORDER, "fcfs", "How the queue is sorted."),
    HC_PARAM(COMPONENT, options, select, HC_KIND_SELECT, "blocking",
             "How far to look past a task that does not fit."),
    HC_PARAM(COMPONENT, options, place, HC_KIND_PLACE, "first_fit",
             "Which processors a task gets. On a cell that only counts processors it changes nothing."),
    HC_PARAM(COMPONENT, options, eligibility, HC_KIND_ELIGIBILITY, "always",
             "Which hosts may be used now, by their attributes and their load."),
    HC_PARAM(COMPONENT, options, preempt, HC_KIND_PREEMPT, "none",
             "Which running tasks are stopped for waiting ones, before the selector decides: none, or those "
             "of lower `priority`."),
    HC_PARAM(
        COMPONENT, options, mold, HC_KIND_MOLD, NULL,
        "Which of its sizes a moldable task starts with; with the selectors blocking, scan, easy and "
        "conservative. Default: the size that it asks for."),
    {0}};

const hc_policy_type hc_policy_batch = {
    .component = {HC_COMPONENT_HEAD(hc_policy_type, HC_KIND_POLICY), .name = "batch",
                  .summary = "a batch policy made of an order, a selector and a placement",
                  .detail = "Written short as `order+select+place`, each part optional: `sjf+easy+best_fit`. "
                            "A task that may not start yet (schedule_after) is hidden from the policy until "
                            "its time, unless the selector plans ahead (`ahead` of conservative, slack and "
                            "easy).",
                  .params = params, .options_size = sizeof(options)},
    .flags = flags,
    .parts = parts,
    .init = init,
    .decide = decide,
    .visit = visit,
    .fini = fini,
    .on_task_event = on_task_event,
    .follows = follows,
};
