/* pass.c -- a scheduler that thinks about all that it has queued, and not about one job: see schedulers.h.
 *
 * A pass begins at the end of an instant in which something happened that concerns the scheduler: a task of
 * its came, or ended, or, where all schedulers see all hosts, any did; the cell changed; its policy asked to
 * be woken; the last pass found a conflict. What happens while it thinks calls for the next one. These are
 * the rules of the architecture monolithic, so that one scheduler without a time of thinking is that one,
 * start by start.
 *
 * Which tasks of a cell of one's own have ended is told by what the scheduler's tasks hold. An end that no
 * scheduler's tasks explain (of a task that ran before the beginning) concerns all.
 *
 * Promises are private: a policy knows the reservations of its own queue alone. Where schedulers share hosts
 * a promise holds until another one decides or commits, and is made anew at the next pass, since the others
 * do not heed it. Cost beside the policy's: O(starts) a pass; jobs whose tasks left without a start are
 * swept out when they are more than the rest. */
#include "architecture/scheduler/partitions.h"
#include "base/state.h"
#include "base/util.h"

/* ---- what cannot be ---- */

hc_rc hc_pass_check(const hc_schedulers *all, hc_error *e)
{
  if (all->is_one_server && all->kind_count > 1)
    return hc_fail(e, HC_EUSAGE, "architecture", 0, 0,
                   "a pass is about all kinds of jobs at once, and these think differently long: leave out "
                   "`decision: pass`, or list one scheduler");
  for (uint32_t k = 0; k < all->kind_count; k++) {
    const hc_scheduler_options *o = all->kinds[k];
    if (o->gang || o->all_or_nothing || o->mold.type || o->max_jobs > 0)
      return hc_schedulers_complain(
          o->name, e,
          "`gang`, `all_or_nothing`, `mold` and `max_jobs` are about one job, and a pass is about all: "
          "leave them out, or use `decision: job`");
  }
  return 0;
}

hc_rc hc_schedulers_refuse_pass(const hc_schedulers *all, const char *why, hc_error *e)
{
  if (!all->by_pass) return 0;
  return hc_fail(e, HC_EUNSUPPORTED, "architecture", 0, 0,
                 "%s: leave out `decision: pass`, or use the architecture shared_state", why);
}

hc_reach hc_schedulers_reach_of(const void *options)
{
  const hc_schedulers_options *o = options;
  return o->decision == HC_DECISION_PASS ? HC_REACH_QUEUE : HC_REACH_JOB;
}

/* ---- what calls for a pass ---- */

static void call(hc_schedulers *all, uint32_t from, uint32_t to, const hc_signal *sig)
{
  for (uint32_t i = from; i < to; i++) {
    all->one[i].pass.why |= sig->what;
    all->one[i].pass.early |= sig->early;
  }
}

/* Has a task of one of them given back what it held since they looked last? */
static bool has_ended(hc_schedulers *all, uint32_t from, uint32_t to)
{
  bool has = false;
  for (uint32_t i = from; i < to; i++) {
    hc_pass *x = &all->one[i].pass;
    has |= x->usage.tasks < x->seen;
    x->seen = x->usage.tasks;
  }
  return has;
}

void hc_pass_note(hc_schedulers *all, const hc_signal *sig)
{
  bool any = false;
  if (sig->what == HC_WHY_ARRIVAL) return; /* whose job it is of is called when it is filed */
  for (uint32_t k = 0; sig->what == HC_WHY_END && all->parts && k < all->kind_count; k++) {
    const uint32_t from = all->first[k], to = all->first[k + 1];
    if (!has_ended(all, from, to)) continue;
    call(all, from, to, sig);
    any = true;
  }
  if (!any) call(all, 0, all->count, sig);
}

/* ---- jobs ---- */

/* Drop the jobs of which no task is queued any more. */
static hc_rc sweep(hc_schedulers *all, hc_scheduler *x)
{
  const hc_engine_services *s = all->c.services;
  const uint32_t which = (uint32_t)(x - all->one);
  hc_cursor at = {0};
  hc_view *v;
  hc_plan *p;
  for (size_t j = 0; j < all->job_count; j++)
    if (all->jobs[j].state != HC_JOB_FREE && all->jobs[j].scheduler == which) all->jobs[j].count = 0;
  TRY(s->view_open(all->c.engine, x->queue, NULL, 0, &v, &p));
  for (hc_task t; (t = all->ask->next(v, HC_LIST_QUEUE, &at, NULL)) != HC_NO_TASK;)
    if (t < all->link_count && all->links[t].job != HC_NO_JOB) all->jobs[all->links[t].job].count++;
  TRY(s->view_close(all->c.engine, v, false));
  for (uint32_t j = 0; j < all->job_count; j++)
    if (all->jobs[j].state != HC_JOB_FREE && all->jobs[j].scheduler == which && all->jobs[j].count == 0)
      hc_schedulers_drop_job(all, j);
  return 0;
}

/* A pass sees these jobs for the first time. `attempts` is the number of the first pass here. */
static hc_rc see_new(hc_schedulers *all, hc_scheduler *x)
{
  const hc_time now = all->c.services->now(all->c.engine);
  while (x->waiting.count > 0) {
    hc_queued_job *j = &all->jobs[hc_schedulers_next_job(all, &x->waiting)];
    j->state = HC_JOB_IN_DECISION;
    j->attempts = (uint32_t)x->decisions;
    TRY(hc_scheduler_counts_first(&all->counts[j->kind], now, now - j->submitted));
  }
  return 0;
}

hc_rc hc_pass_begin(hc_schedulers *all, uint32_t scheduler)
{
  hc_scheduler *x = &all->one[scheduler];
  const size_t queued = all->c.services->queued(all->c.engine, x->queue);
  if (x->pass.is_on || x->pass.why == 0) return 0;
  x->pass.now = x->pass.why;
  x->pass.now_early = x->pass.early;
  x->pass.why = x->pass.early = 0;
  if (queued == 0) return 0;
  x->pass.is_on = 1;
  TRY(see_new(all, x));
  if (x->jobs > 2 * queued + 64) TRY(sweep(all, x));
  hc_schedulers_think(all, scheduler, hc_scheduler_entry(all, scheduler),
                      (uint32_t)HC_MIN(queued, UINT32_MAX));
  return 1;
}

/* ---- its plan ---- */

hc_rc hc_pass_plan(hc_schedulers *all, uint32_t scheduler, const hc_plan *p)
{
  const hc_engine_services *s = all->c.services;
  const hc_view *v = s->task_view(all->c.engine);
  hc_pass *x = &all->one[scheduler].pass;
  const size_t n = s->planned(p);
  TRY(see_new(all, &all->one[scheduler])); /* what came while it thought */
  x->start_count = 0;
  TRY(hc_reserve(all->c.allocator, (void **)&x->starts, &x->start_cap, n, sizeof *x->starts));
  for (size_t k = 0; k < n; k++) {
    const hc_task t = s->plan_start(p, k);
    if (t != HC_NO_TASK) x->starts[x->start_count++] = (hc_pass_start){all->ask->serial(v, t), t, 0};
  }
  return 0;
}

/* A task has started: its job may be whole now. */
static hc_rc count_start(hc_schedulers *all, const hc_scheduler *x, hc_task t, uint64_t serial)
{
  hc_task_link *link = &all->links[t];
  hc_queued_job *j;
  if (t >= all->link_count || link->serial != serial || link->job == HC_NO_JOB) return 0; /* once stopped */
  j = &all->jobs[link->job];
  const uint32_t at = link->job;
  link->job = HC_NO_JOB;
  if (--j->count > 0) return 0;
  TRY(hc_scheduler_counts_job(&all->counts[j->kind], all->c.services->now(all->c.engine) - j->submitted,
                              (uint32_t)x->decisions - j->attempts));
  hc_schedulers_drop_job(all, at);
  return 0;
}

hc_rc hc_pass_settle(hc_schedulers *all, uint32_t scheduler, bool conflict, hc_attempt *a)
{
  const hc_view *v = all->c.services->task_view(all->c.engine);
  hc_scheduler *x = &all->one[scheduler];
  size_t started = 0;
  for (size_t i = 0; i < x->pass.start_count; i++) {
    const hc_pass_start *s = &x->pass.starts[i];
    if (all->ask->serial(v, s->task) != s->serial || all->ask->waits(v, s->task) ||
        all->ask->started(v, s->task) == HC_UNKNOWN)
      continue;
    started++;
    TRY(count_start(all, x, s->task, s->serial));
  }
  a->refused = x->pass.start_count - started - a->limited;
  a->wasted = a->refused > 0;
  if (conflict) x->pass.why |= HC_WHY_CONFLICT;
  else if (x->pass.why != 0) x->pass.why |= HC_WHY_TIMER;
  x->pass.start_count = 0;
  x->pass.seen = x->pass.usage.tasks;
  return 0;
}

hc_rc hc_pass_done(hc_schedulers *all, uint32_t scheduler, const hc_attempt *a)
{
  hc_scheduler *x = &all->one[scheduler];
  x->pass.is_on = 0;
  return hc_schedulers_count(all, x, hc_scheduler_entry(all, scheduler), (x->pass.now & HC_WHY_CONFLICT) != 0,
                             a);
}

/* ---- life ---- */

hc_rc hc_pass_visit(hc_pass *x, hc_visitor *v)
{
  HC_VISIT(v, x->usage.used);
  HC_VISIT(v, x->usage.tasks);
  HC_VISIT(v, x->seen);
  HC_VISIT(v, x->why);
  HC_VISIT(v, x->early);
  HC_VISIT(v, x->now);
  HC_VISIT(v, x->now_early);
  HC_VISIT(v, x->is_on);
  HC_VISIT_ARRAY(v, x->starts, x->start_count, x->start_cap);
  return 0;
}

void hc_pass_fini(hc_schedulers *all, hc_pass *x)
{
  hc_free(all->c.allocator, x->starts, x->start_cap * sizeof *x->starts);
}
