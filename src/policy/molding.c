/* molding.c -- in which size a selector plans a moldable task.
 *
 * A selector calls this where it is about to ask when a task could start: the component sees the sizes that
 * the task offers, what is free and how many wait, and may ask about a start in each. What it says the task
 * asks for from then on (hc_services.mold), and all that the selector does next is about a task of that size.
 *
 * A task that has been promised a start was promised it in a size: it keeps that until it is planned anew.
 * Where a selector looks for what could start now, behind one that is protected, a size in which the task
 * could not is no answer: then it stays what it was. */
#include "policy/molding.h"

#include "base/mem.h"
#include "base/util.h"

typedef struct asking {
  hc_molding *m;
  hc_view *v;
  hc_task task;
  hc_molding_when when;
  hc_time longer;
} asking;

static bool now(const asking *a, int64_t size)
{
  const bool harmless = a->when == HC_MOLDING_HARMLESS;
  return a->m->s->fits_as(a->v, a->task, size, harmless, a->longer);
}

static hc_time starts(void *ctx, size_t i)
{
  const asking *a = ctx;
  const int64_t size = a->m->offers[i].size;
  const hc_time at = a->m->s->now(a->v);
  if (a->when == HC_MOLDING_AHEAD) return a->m->s->earliest_as(a->v, a->task, size, at).at;
  return now(a, size) ? at : HC_NEVER;
}

/* @return how many; 0: its size is what it is */
static hc_rc offers_of(hc_molding *m, const hc_view *v, hc_task t, size_t *asked, size_t *preferred,
                       size_t *n)
{
  *n = m->s->offers(v, t, m->offers, m->cap, asked, preferred);
  if (*n <= m->cap) return 0;
  TRY(hc_reserve(m->allocator, (void **)&m->offers, &m->cap, *n, sizeof *m->offers));
  *n = m->s->offers(v, t, m->offers, m->cap, asked, preferred);
  return 0;
}

static size_t choice_of(const hc_molding *m, const hc_mold_choice *q)
{
  const hc_mold_type *type = (const hc_mold_type *)m->how->type;
  const size_t i = type->choose ? type->choose(m->how->options, q) : hc_mold_allowed(m->how, q);
  return HC_MIN(i, q->count - 1);
}

static void explain(const hc_molding *m, const hc_view *v, hc_task t, int64_t was, const hc_mold_offer *o)
{
  const char *what = m->s->slots(v, t) > 0 ? "slots" : "processors";
  if (m->s->asked(v) != t) return;
  if (o->estimate == HC_NEVER)
    m->s->explain(v, t, "mold %s plans it with %lld %s in place of %lld", m->how->type->name,
                  (long long)o->size, what, (long long)was);
  else
    m->s->explain(v, t, "mold %s plans it with %lld %s in place of %lld: believed to run %lld s then",
                  m->how->type->name, (long long)o->size, what, (long long)was,
                  (long long)(o->estimate / HC_SECOND));
}

hc_rc hc_molding_choose(hc_molding *m, hc_view *v, hc_plan *p, hc_task t, hc_molding_when when,
                        hc_time longer)
{
  asking a = {.m = m, .v = v, .task = t, .when = when, .longer = longer};
  hc_mold_choice q = {.starts = starts, .ctx = &a};
  if (!m->how) return 0;
  TRY(offers_of(m, v, t, &q.asked, &q.preferred, &q.count));
  if (q.count == 0) return 0;
  q.offers = m->offers;
  q.free = m->s->free_units(v);
  q.capacity = m->s->capacity(v, 0);
  q.queued = m->s->queued(v);
  q.now = m->s->now(v);
  const hc_mold_offer *o = &m->offers[choice_of(m, &q)];
  const int64_t slots = m->s->slots(v, t), size = slots > 0 ? slots : m->s->units(v, t);
  if (o->size == size || (when != HC_MOLDING_AHEAD && !now(&a, o->size))) return 0;
  explain(m, v, t, size, o);
  const hc_rc rc = m->s->mold(p, t, o->size);
  return rc == HC_EPOLICY ? 0 : rc;
}

void hc_molding_fini(hc_molding *m)
{
  hc_free(m->allocator, m->offers, m->cap * sizeof *m->offers);
}
