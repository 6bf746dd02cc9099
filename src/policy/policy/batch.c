/* batch.c -- a batch policy by composition: an order, a selector, a placement.
 *
 * `sjf + easy + best_fit` is a configuration, not a file. The architecture sorts the queue by the order,
 * the engine places by the placement, and the selector, which is all that is called here, says how far to
 * look past a task that does not fit. */
#include "base/util.h"
#include "hindcast/policy.h"

typedef struct options {
  hc_chosen order, select, place, eligibility;
} options;

struct hc_policy {
  const hc_allocator *allocator;
  const hc_select_type *type;
  hc_policy *select;
};

static uint32_t flags(const void *opts)
{
  const options *o = opts;
  const hc_select_type *s = (const hc_select_type *)o->select.type;
  const hc_order_type *r = (const hc_order_type *)o->order.type;
  const uint32_t selects = s->flags ? s->flags(o->select.options) : 0;
  const uint32_t sorts = r->flags ? r->flags(o->order.options) : 0;
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

static hc_rc init(const hc_policy_context *c, const void *opts, hc_policy **out, hc_error *e)
{
  const options *o = opts;
  hc_policy *self = c->allocator->resize(c->allocator->ctx, NULL, 0, sizeof *self);
  if (!self) return HC_ENOMEM;
  *self = (hc_policy){.allocator = c->allocator, .type = (const hc_select_type *)o->select.type};
  *out = self;
  return self->type->init ? self->type->init(c, o->select.options, &self->select, e) : 0;
}

static hc_rc decide(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  return self->type->decide(self->select, v, p, why);
}

static hc_rc visit(hc_policy *self, hc_visitor *v)
{
  return self->type->visit ? self->type->visit(self->select, v) : 0;
}

static void fini(hc_policy *self)
{
  if (self->select && self->type->fini) self->type->fini(self->select);
  (void)self->allocator->resize(self->allocator->ctx, self, sizeof *self, 0);
}

static const hc_param params[] = {
    HC_PARAM(COMPONENT, options, order, HC_KIND_ORDER, "fcfs", "How the queue is sorted."),
    HC_PARAM(COMPONENT, options, select, HC_KIND_SELECT, "blocking",
             "How far to look past a task that does not fit."),
    HC_PARAM(COMPONENT, options, place, HC_KIND_PLACE, "first_fit",
             "Which processors a task gets. On a cell that only counts processors it changes nothing."),
    HC_PARAM(COMPONENT, options, eligibility, HC_KIND_ELIGIBILITY, "always",
             "Which hosts may be used now, by what they are and how loaded they are."),
    {0}};

const hc_policy_type hc_policy_batch = {
    .component = {HC_COMPONENT_HEAD(hc_policy_type, HC_KIND_POLICY), .name = "batch",
                  .summary = "a batch policy made of an order, a selector and a placement",
                  .detail = "Written short as `order+select+place`, each part optional: "
                            "`sjf+easy+best_fit`. A task that may not start yet (schedule_after) is held "
                            "out of sight until its time, unless the selector plans ahead (`ahead` of "
                            "conservative, slack and easy).",
                  .params = params, .options_size = sizeof(options)},
    .flags = flags,
    .parts = parts,
    .init = init,
    .decide = decide,
    .visit = visit,
    .fini = fini,
};
