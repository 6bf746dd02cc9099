/* all_of.c -- several controllers at once: an offer is taken if each of them takes it, asked in their order.
 *
 * The first that refuses ends it and hears that it did; the others hear nothing, as though the offer had
 * failed an earlier check. So a controller of packing behind one of locality remembers only hosts that were
 * near enough. When the task starts all of them hear it. Paces multiply. Cost: theirs. */
#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "hindcast/sharing.h"

typedef struct options {
  hc_list of; /* hc_chosen */
} options;

typedef struct part {
  const hc_accept_type *type;
  hc_policy *self;
} part;

struct hc_policy {
  const hc_allocator *allocator;
  part *parts; /* [count] */
  size_t count, refuser;
};

static bool accepts(hc_policy *self, const hc_offer *o)
{
  for (size_t i = 0; i < self->count; i++) {
    const part *p = &self->parts[i];
    if (!p->type->accepts || p->type->accepts(p->self, o)) continue;
    self->refuser = i;
    return false;
  }
  return true;
}

static hc_rc noted(hc_policy *self, const hc_offer *o, bool started)
{
  for (size_t i = 0; i < self->count; i++) {
    const part *p = &self->parts[i];
    if (p->type->noted && (started || i == self->refuser)) TRY(p->type->noted(p->self, o, started));
  }
  return 0;
}

static double pace(hc_policy *self, const hc_offer *o)
{
  double x = 1;
  for (size_t i = 0; i < self->count; i++)
    if (self->parts[i].type->pace) x *= self->parts[i].type->pace(self->parts[i].self, o);
  return x;
}

static hc_rc on_task_event(hc_policy *self, const hc_view *v, hc_task_event what, hc_task t, uint32_t user)
{
  for (size_t i = 0; i < self->count; i++)
    if (self->parts[i].type->on_task_event)
      TRY(self->parts[i].type->on_task_event(self->parts[i].self, v, what, t, user));
  return 0;
}

static void forget(hc_policy *self, uint32_t user)
{
  for (size_t i = 0; i < self->count; i++)
    if (self->parts[i].type->forget) self->parts[i].type->forget(self->parts[i].self, user);
}

static uint32_t flags(const void *opts)
{
  const hc_list *of = &((const options *)opts)->of;
  uint32_t out = 0;
  for (size_t i = 0; i < of->count; i++) {
    const hc_chosen *c = (const hc_chosen *)of->items + i;
    const hc_accept_type *t = (const hc_accept_type *)c->type;
    if (t->flags) out |= t->flags(c->options);
  }
  return out;
}

static hc_rc init(const hc_policy_context *c, const void *opts, hc_policy **out, hc_error *e)
{
  const hc_list *of = &((const options *)opts)->of;
  hc_policy *self = hc_alloc(c->allocator, sizeof *self);
  if (!self) return HC_ENOMEM;
  self->allocator = c->allocator;
  *out = self;
  if (of->count == 0)
    return hc_fail(
        e, HC_EUSAGE, "accept all_of", 0, 0,
        "there is no accept component in it: name them, as in of: [locality, refusal], or use always");
  self->parts = hc_alloc(c->allocator, of->count * sizeof *self->parts);
  if (!self->parts) return HC_ENOMEM;
  self->count = of->count;
  for (size_t i = 0; i < of->count; i++) {
    const hc_chosen *chosen = (const hc_chosen *)of->items + i;
    self->parts[i].type = (const hc_accept_type *)chosen->type;
    if (self->parts[i].type->init)
      TRY(self->parts[i].type->init(c, chosen->options, &self->parts[i].self, e));
  }
  return 0;
}

static hc_rc visit(hc_policy *self, hc_visitor *v)
{
  for (size_t i = 0; i < self->count; i++)
    if (self->parts[i].type->visit) TRY(self->parts[i].type->visit(self->parts[i].self, v));
  return 0;
}

static hc_rc finish(hc_policy *self, hc_findings *f)
{
  for (size_t i = 0; i < self->count; i++)
    if (self->parts[i].type->finish) TRY(self->parts[i].type->finish(self->parts[i].self, f));
  return 0;
}

static void fini(hc_policy *self)
{
  for (size_t i = 0; i < self->count; i++)
    if (self->parts[i].self && self->parts[i].type->fini) self->parts[i].type->fini(self->parts[i].self);
  hc_free(self->allocator, self->parts, self->count * sizeof *self->parts);
  hc_free(self->allocator, self, sizeof *self);
}

static const hc_param params[] = {
    HC_PARAM(COMPONENTS, options, of, HC_KIND_ACCEPT, NULL,
             "The controllers that must all take an offer, in the order in which they are asked: "
             "[locality, {use: refusal, window: 15}]."),
    {0}};

const hc_accept_type hc_accept_all_of = {
    .component =
        {HC_COMPONENT_HEAD(hc_accept_type, HC_KIND_ACCEPT), .name = "all_of",
         .summary = "takes an offer if each of several does",
         .detail =
             "They are asked in order. Only the first one that refuses is told of the refusal; all are told "
             "when a task starts.",
         .params = params, .options_size = sizeof(options)},
    .flags = flags,
    .init = init,
    .accepts = accepts,
    .noted = noted,
    .forget = forget,
    .visit = visit,
    .fini = fini,
    .finish = finish,
    .on_task_event = on_task_event,
    .pace = pace,
};
