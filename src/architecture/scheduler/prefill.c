/* prefill.c -- what ran before the beginning gets its place: no decision, no queue, no count among a
 * scheduler's jobs.
 *
 * Such a task starts at the moment of its arrival, in the order of arrival, each on what those before it have
 * left. One that finds no room, or would take them all past `prefill_share` of the cell in any dimension, is
 * rejected: the others go on. One that loses its host later is a task like any other. Source: the prefill of
 * the Omega paper's simulators (EuroSys 2013). */
#include "architecture/scheduler/schedulers.h"
#include "base/util.h"

/* Would it take what ran before past its share? Else it is counted in. */
static bool passes_share(hc_schedulers *all, const hc_view *v, hc_task t)
{
  const hc_services *s = all->ask;
  const uint32_t n = s->dimensions(v);
  int64_t after[HC_DIMENSIONS];
  for (uint32_t i = 0; i < n; i++) {
    const int64_t slots = s->slots(v, t) > 0 ? s->slots(v, t) : s->units(v, t);
    if (__builtin_mul_overflow(s->demand(v, t, i), slots, &after[i]) ||
        __builtin_add_overflow(after[i], all->prefill_held[i], &after[i]))
      return true;
    if ((double)after[i] > all->o->prefill_share * (double)s->capacity(v, i)) return true;
  }
  for (uint32_t i = 0; i < n; i++) all->prefill_held[i] = after[i];
  return false;
}

static hc_rc place(hc_schedulers *all, hc_view *v, hc_plan *p, hc_task t)
{
  if (all->ask->fits(v, t) && !passes_share(all, v, t)) {
    all->prefilled++;
    return all->ask->start(p, t, NULL, 0);
  }
  all->not_prefilled++;
  return all->ask->reject(p, t, "no room for what ran before the beginning");
}

hc_rc hc_schedulers_prefill(hc_schedulers *all, hc_error *e)
{
  const hc_engine_services *s = all->c.services;
  hc_cursor at = {0};
  hc_rc rc = 0;
  hc_task t;
  hc_view *v;
  hc_plan *p;
  TRY(s->view_open(all->c.engine, all->prefill, NULL, 0, &v, &p));
  while (rc >= 0 && (t = all->ask->next(v, HC_LIST_QUEUE, &at, NULL)) != HC_NO_TASK) rc = place(all, v, p, t);
  if (rc < 0) {
    (void)s->view_close(all->c.engine, v, false);
    return hc_fail(e, rc, "architecture", 0, 0, "a task that ran before the beginning: %s", hc_rc_text(rc));
  }
  TRY(s->view_close(all->c.engine, v, true));
  return s->commit(all->c.engine, p, HC_COMMIT_NOW, e);
}
