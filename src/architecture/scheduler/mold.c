/* mold.c -- see mold.h. */
#include "architecture/scheduler/mold.h"

#include <stdio.h>

#include "architecture/scheduler/schedulers.h"
#include "base/state.h"
#include "base/util.h"

hc_rc hc_scheduler_mold_init(hc_scheduler_mold *m, const hc_architecture_context *c, hc_arena *build,
                             const hc_scheduler_options *o, const char *const *names, size_t count,
                             hc_error *e)
{
  *m = (hc_scheduler_mold){.o = o};
  hc_counted_init(&m->speed_ups, c->allocator);
  if (!o->mold.type) return 0;
  if (!((const hc_mold_type *)o->mold.type)->allows)
    return hc_fail(
        e, HC_EUNSUPPORTED, "architecture", 0, 0,
        "scheduler %s: mold: %s chooses among sizes that tasks offer, and says not how many workers a "
        "job may have: use configured, max_parallelism, global_cap or relative_job_size",
        o->name, o->mold.type->name);
  if (!o->activities)
    return hc_fail(
        e, HC_EUSAGE, "architecture", 0, 0,
        "scheduler %s: how many slots are of use to a job that it molds? write activities: \"4 * slots\", or "
        "what follows from the task",
        o->name);
  TRY(hc_expr_compile_called(build, o->activities, names, count, hc_schedulers_has_name, &m->activities, e));
  return c->services->molds(c->engine);
}

void hc_scheduler_mold_fini(hc_scheduler_mold *m)
{
  if (m->o) hc_counted_fini(&m->speed_ups);
}

hc_rc hc_scheduler_mold_started(hc_scheduler_mold *m, double speed_up)
{
  m->sped_up += speed_up > 1;
  return hc_counted_add(&m->speed_ups, speed_up);
}

hc_rc hc_scheduler_mold_find(const hc_scheduler_mold *m, hc_findings *f)
{
  static const int permille[] = {500, 800, 990};
  const hc_counted *all = &m->speed_ups;
  char share[128], tail[100];
  if (!m->activities) return 0;
  (void)snprintf(tail, sizeof tail, "_%s", m->o->name);
  (void)snprintf(share, sizeof share, "jobs_sped_up_share%s", tail);
  const hc_counted_name name = {"speed_up", tail, "1", 1};
  TRY(hc_find_real(f, share, "1", hc_per((double)m->sped_up, (double)all->values.n)));
  TRY(hc_counted_find_mean(all, &name, f));
  return hc_counted_find_quantiles(all, &name, permille, HC_ARRAY_LEN(permille), f);
}

hc_rc hc_scheduler_mold_visit(hc_scheduler_mold *m, hc_visitor *v)
{
  if (!m->activities) return 0;
  HC_VISIT(v, m->sped_up);
  return hc_counted_visit(&m->speed_ups, v);
}

/* ---- at a scheduler ---- */

hc_rc hc_schedulers_never_mold(const hc_schedulers *all, const char *why, hc_error *e)
{
  for (uint32_t k = 0; k < all->kind_count; k++)
    if (all->molds[k].activities)
      return hc_fail(
          e, HC_EUSAGE, "architecture", 0, 0,
          "scheduler %s: %s, so that it cannot mold jobs: leave out its `mold`, or use the architecture "
          "shared_state",
          all->kinds[k]->name, why);
  return 0;
}

/* A job of one task may be given more slots, but for the attempt after one at which it did not start with
 * them. */
hc_rc hc_schedulers_mold(hc_schedulers *all, uint32_t scheduler)
{
  hc_scheduler *x = &all->one[scheduler];
  hc_queued_job *j = &all->jobs[x->at];
  const hc_scheduler_mold *m = &all->molds[j->kind];
  const hc_scheduler_hosts *h = &all->hosts[all->is_one_server ? j->kind : scheduler];
  double values[HC_SCHEDULERS_VARIABLES];
  x->speed_up = 0;
  if (!m->activities || j->count != 1) return 0;
  hc_schedulers_variables(all, j->first, values);
  TRY(all->c.services->mold(all->c.engine, j->first, j->was_molded ? NULL : &m->o->mold,
                            hc_schedulers_value(all, m->activities, j->first, values), h->ranges, h->count,
                            &x->speed_up));
  j->was_molded = x->speed_up > 1;
  return 0;
}

/* It has started as it was molded, or has its own size again. */
hc_rc hc_schedulers_molded(hc_schedulers *all, uint32_t scheduler)
{
  hc_scheduler *x = &all->one[scheduler];
  hc_queued_job *j = &all->jobs[x->at];
  const hc_view *v = all->c.services->task_view(all->c.engine);
  if (x->speed_up == 0 || j->count == 0) return 0; /* 0: it was withdrawn */
  if (all->ask->waits(v, j->first) && all->ask->serial(v, j->first) == all->links[j->first].serial)
    return all->c.services->mold(all->c.engine, j->first, NULL, 0, NULL, 0, &x->speed_up);
  return hc_scheduler_mold_started(&all->molds[j->kind], x->speed_up);
}
