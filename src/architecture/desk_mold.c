/* desk_mold.c -- see desk_mold.h. */
#include "architecture/desk_mold.h"

#include <stdio.h>

#include "architecture/desks.h"
#include "base/state.h"
#include "base/util.h"

hc_rc hc_desk_mold_init(hc_desk_mold *m, const hc_architecture_context *c, hc_arena *build,
                        const hc_scheduler_options *o, const char *const *names, size_t count, hc_error *e)
{
  *m = (hc_desk_mold){.o = o};
  hc_quantile_init(&m->speed_ups, c->allocator);
  if (!o->mold.type) return 0;
  if (!o->activities)
    return hc_fail(
        e, HC_EUSAGE, "architecture", 0, 0,
        "scheduler %s: how many slots are of use to a job that it molds? write activities: \"4 * slots\", or "
        "what follows from the task",
        o->name);
  TRY(hc_expr_compile(build, o->activities, names, count, &m->activities, e));
  return c->services->molds(c->engine);
}

void hc_desk_mold_fini(hc_desk_mold *m)
{
  if (m->o) hc_quantile_fini(&m->speed_ups);
}

hc_rc hc_desk_mold_started(hc_desk_mold *m, double speed_up)
{
  m->sped_up += speed_up > 1;
  m->sum += speed_up;
  return hc_quantile_add(&m->speed_ups, &speed_up, 1);
}

static hc_rc find(const hc_desk_mold *m, hc_findings *f, const char *name, double value)
{
  char text[128];
  (void)snprintf(text, sizeof text, "%s_%s", name, m->o->name);
  return hc_find_real(f, text, "1", value);
}

hc_rc hc_desk_mold_find(const hc_desk_mold *m, hc_findings *f)
{
  static const int permille[] = {500, 800, 990};
  const double n = (double)m->speed_ups.n, none = (double)__builtin_nanf("");
  double values[HC_ARRAY_LEN(permille)];
  if (!m->activities) return 0;
  TRY(hc_quantile_get(&m->speed_ups, permille, HC_ARRAY_LEN(permille), values));
  TRY(find(m, f, "jobs_sped_up_share", n > 0 ? (double)m->sped_up / n : none));
  TRY(find(m, f, "speed_up_mean", n > 0 ? m->sum / n : none));
  TRY(find(m, f, "speed_up_p50", values[0]));
  TRY(find(m, f, "speed_up_p80", values[1]));
  return find(m, f, "speed_up_p99", values[2]);
}

hc_rc hc_desk_mold_visit(hc_desk_mold *m, hc_visitor *v)
{
  if (!m->activities) return 0;
  HC_VISIT(v, m->sped_up);
  HC_VISIT(v, m->sum);
  return hc_quantile_visit(&m->speed_ups, v);
}

/* ---- at a desk ---- */

hc_rc hc_desks_never_mold(const hc_desks *d, const char *why, hc_error *e)
{
  for (uint32_t k = 0; k < d->kind_count; k++)
    if (d->molds[k].activities)
      return hc_fail(
          e, HC_EUSAGE, "architecture", 0, 0,
          "scheduler %s: %s, so that it cannot mold jobs: leave out its `mold`, or use the architecture "
          "shared_state",
          d->kinds[k]->name, why);
  return 0;
}

/* A job of one task may be given more slots, but for the attempt after one at which it did not start with them. */
hc_rc hc_desks_mold(hc_desks *d, uint32_t desk)
{
  hc_desk *x = &d->desks[desk];
  hc_work *w = &d->works[x->at];
  const hc_desk_mold *m = &d->molds[w->kind];
  const hc_desk_hosts *h = &d->hosts[d->has_one_desk ? w->kind : desk];
  double values[HC_DESKS_VARIABLES];
  x->speed_up = 0;
  if (!m->activities || w->count != 1) return 0;
  hc_desks_look(d, w->first, values);
  TRY(d->c.services->mold(d->c.engine, w->first, w->was_molded ? NULL : &m->o->mold,
                          hc_expr_value(m->activities, values), h->ranges, h->count, &x->speed_up));
  w->was_molded = x->speed_up > 1;
  return 0;
}

/* It has started as it was molded, or has its own size again. */
hc_rc hc_desks_molded(hc_desks *d, uint32_t desk)
{
  hc_desk *x = &d->desks[desk];
  hc_work *w = &d->works[x->at];
  const hc_view *v = d->c.services->look(d->c.engine);
  if (x->speed_up == 0) return 0;
  if (d->ask->waits(v, w->first) && d->ask->serial(v, w->first) == d->links[w->first].serial)
    return d->c.services->mold(d->c.engine, w->first, NULL, 0, NULL, 0, &x->speed_up);
  return hc_desk_mold_started(&d->molds[w->kind], x->speed_up);
}
