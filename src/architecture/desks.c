/* desks.c -- schedulers with a line of jobs each: see desks.h. */
#include "architecture/desks.h"

#include <stdio.h>
#include <string.h>

#include "architecture/acts.h"
#include "base/state.h"
#include "base/util.h"
#include "base/variates.h"

typedef enum hc_work_state { WORK_FREE, WORK_IN_LINE, WORK_AT_DESK, WORK_RESTS } hc_work_state;

/* Timers: below this a desk's thought ends; from it on, one that rests at a desk is back. */
#define REST_TIMER UINT32_C(1000)
#define PREFILL_TIMER UINT32_C(999) /* between the two: what ran before the beginning gets its place */

#define LONGEST_THOUGHT (36500 * HC_DAY) /* a hundred years: what is drawn has no end, and a time has */

/* ---- lines ---- */

static void join(hc_desks *d, hc_works_line *l, uint32_t w)
{
  d->works[w].next = HC_NO_WORK;
  if (l->count == 0) l->first = w;
  else d->works[l->last].next = w;
  l->last = w;
  l->count++;
}

static uint32_t leave_first(hc_desks *d, hc_works_line *l)
{
  const uint32_t w = l->first;
  l->first = d->works[w].next;
  l->count--;
  return w;
}

/* Those that rest stand in the order in which they are back. Mostly all rest equally long, and the last is the last. */
static hc_rc rest(hc_desks *d, uint32_t desk, uint32_t w, hc_time until)
{
  hc_works_line *l = &d->desks[desk].resting;
  hc_work *x = &d->works[w];
  x->state = WORK_RESTS;
  x->ready = until;
  if (l->count == 0 || d->works[l->last].ready <= until) {
    join(d, l, w);
  } else {
    uint32_t *at = &l->first;
    while (d->works[*at].ready <= until) at = &d->works[*at].next;
    x->next = *at;
    *at = w;
    l->count++;
  }
  return d->c.services->timer(d->c.engine, until, REST_TIMER + desk);
}

static void stand_in_line(hc_desks *d, uint32_t w)
{
  d->works[w].state = WORK_IN_LINE;
  d->works[w].ready = d->c.services->now(d->c.engine);
  join(d, &d->desks[d->works[w].desk].line, w);
}

/* ---- which scheduler ---- */

static uint32_t desk_of(hc_desks *d, uint32_t kind, int64_t job, uint64_t serial)
{
  const uint32_t n = d->has_one_desk ? 1 : d->first[kind + 1] - d->first[kind];
  hc_draws draws = {0, 0, job >= 0 ? (uint64_t)job : serial, HC_PURPOSE_THINK, 0};
  if (n == 1) return d->has_one_desk ? 0 : d->first[kind];
  if (d->o->spread == HC_SPREAD_ROUND_ROBIN) return d->first[kind] + (uint32_t)(d->turn[kind]++ % n);
  return d->first[kind] + (uint32_t)hc_random_below(&draws, n);
}

/* ---- jobs ---- */

static hc_rc new_work(hc_desks *d, uint32_t *out)
{
  if (d->vacant != HC_NO_WORK) {
    *out = d->vacant;
    d->vacant = d->works[*out].next;
    return 0;
  }
  if (d->work_count >= HC_NO_WORK) return HC_ELIMIT;
  TRY(hc_reserve(d->c.allocator, (void **)&d->works, &d->work_cap, d->work_count + 1, sizeof *d->works));
  *out = (uint32_t)d->work_count++;
  return 0;
}

static void drop_work(hc_desks *d, uint32_t w)
{
  if (d->works[w].job >= 0) hc_map_remove(&d->of_job, (uint64_t)d->works[w].job);
  d->works[w] = (hc_work){.state = WORK_FREE, .next = d->vacant};
  d->vacant = w;
  d->in_hand--;
}

static hc_rc link_task(hc_desks *d, uint32_t w, hc_task t, uint64_t serial)
{
  hc_work *x = &d->works[w];
  TRY(hc_reserve(d->c.allocator, (void **)&d->links, &d->link_cap, (size_t)t + 1, sizeof *d->links));
  while (d->link_count <= t) d->links[d->link_count++] = (hc_task_link){0};
  d->links[t] = (hc_task_link){.serial = serial, .next = HC_NO_TASK};
  if (x->count == 0) x->first = t;
  else d->links[x->last].next = t;
  x->last = t;
  x->count++;
  return 0;
}

/* Nobody takes it: that is said as soon as the first such task comes. */
static hc_rc nobody_takes(const hc_desks *d, hc_task t, hc_error *e)
{
  const hc_view *v = d->c.services->look(d->c.engine);
  return hc_fail(e, HC_EUSAGE, "architecture", 0, 0,
                 "no scheduler takes task %llu (user %lld, priority %lld): give the last scheduler of the "
                 "list no `takes`",
                 (unsigned long long)d->ask->serial(v, t), (long long)d->ask->user(v, t),
                 (long long)d->ask->priority(v, t));
}

static hc_rc open_work(hc_desks *d, hc_task t, int64_t job, uint64_t serial, uint32_t *out, hc_error *e)
{
  const uint32_t kind = hc_desks_kind_of(d, t);
  if (kind == HC_NO_WORK) return nobody_takes(d, t, e);
  TRY(new_work(d, out));
  if (job >= 0) TRY(hc_map_set(&d->of_job, (uint64_t)job, *out));
  d->works[*out] = (hc_work){.job = job,
                             .first_serial = serial,
                             .submitted = d->c.services->now(d->c.engine),
                             .kind = kind,
                             .desk = desk_of(d, kind, job, serial)};
  d->counts[kind].jobs++;
  d->counts[kind].offered += (double)d->kinds[kind]->think_job;
  d->newest = d->works[*out].desk;
  d->in_hand++;
  stand_in_line(d, *out);
  return 0;
}

/* File a task under its job, and put it into the lobby. */
static hc_rc file(hc_desks *d, hc_task t, hc_error *e)
{
  const hc_view *v = d->c.services->look(d->c.engine);
  const int64_t job = d->ask->job(v, t);
  const uint64_t serial = d->ask->serial(v, t);
  uint32_t w = job >= 0 ? hc_map_get(&d->of_job, (uint64_t)job) : HC_NO_WORK;
  if (w == HC_NO_WORK) TRY(open_work(d, t, job, serial, &w, e));
  TRY(link_task(d, w, t, serial));
  d->counts[d->works[w].kind].offered += (double)d->kinds[d->works[w].kind]->think_task;
  return d->c.services->enqueue(d->c.engine, d->lobby, t);
}

/* The first task of a queue. */
static hc_rc first_in(const hc_desks *d, uint32_t queue, hc_task *t)
{
  const hc_engine_services *s = d->c.services;
  hc_cursor at = {0};
  hc_view *v;
  hc_plan *p;
  TRY(s->view_open(d->c.engine, queue, NULL, 0, &v, &p));
  *t = d->ask->next(v, HC_LIST_QUEUE, &at, NULL);
  return s->view_close(d->c.engine, v, false);
}

hc_rc hc_desks_collect(hc_desks *d, hc_error *e)
{
  for (uint32_t i = 0; i < d->count; i++)
    while (d->desks[i].at == HC_NO_WORK && d->c.services->queued(d->c.engine, d->desks[i].queue) > 0) {
      hc_task t;
      TRY(first_in(d, d->desks[i].queue, &t));
      TRY(file(d, t, e));
    }
  while (d->prefill != HC_NO_WORK && d->c.services->queued(d->c.engine, d->prefill) > 0) {
    hc_task t;
    TRY(first_in(d, d->prefill, &t));
    TRY(file(d, t, e));
  }
  return 0;
}

/* ---- an attempt ---- */

/* Keep those of a job's tasks that still wait, in their order, and put them into a queue. */
static hc_rc gather(hc_desks *d, hc_work *w, uint32_t queue)
{
  const hc_view *v = d->c.services->look(d->c.engine);
  uint32_t last = HC_NO_TASK, kept = 0;
  for (uint32_t t = w->first, i = 0, n = w->count; i < n; i++) {
    const uint32_t next = d->links[t].next;
    if (d->ask->waits(v, t) && d->ask->serial(v, t) == d->links[t].serial) {
      TRY(d->c.services->enqueue(d->c.engine, queue, t));
      if (kept++ == 0) w->first = t;
      else d->links[last].next = t;
      last = t;
    }
    t = next;
  }
  w->last = last;
  w->count = kept;
  return 0;
}

static hc_time times(hc_time t, uint32_t n)
{
  hc_time out;
  return __builtin_mul_overflow(t, (hc_time)n, &out) ? HC_NEVER : out;
}

static hc_time thinks(const hc_desks *d, const hc_desk *x, uint32_t kind, uint32_t tasks)
{
  const hc_scheduler_options *o = d->kinds[kind];
  const hc_policy_context *c = d->c.policy_context;
  const hc_time mean = hc_time_add(o->think_job, times(o->think_task, tasks));
  hc_draws draws = {c->seed, c->replication, (uint64_t)(x - d->desks), HC_PURPOSE_THINK, x->thoughts << 8};
  hc_variate law;
  if (o->think_law == HC_THINK_FIXED || mean == 0) return mean;
  (void)hc_variate_fit(&law, o->think_law == HC_THINK_EXPONENTIAL ? HC_SHAPE_EXPONENTIAL : HC_SHAPE_LOGNORMAL,
                       (double)mean, o->think_cv);
  return (hc_time)HC_MIN(hc_variate_draw(&law, &draws), (double)LONGEST_THOUGHT);
}

hc_rc hc_desks_begin(hc_desks *d, uint32_t desk)
{
  hc_desk *x = &d->desks[desk];
  const hc_time now = d->c.services->now(d->c.engine);
  while (x->at == HC_NO_WORK && x->line.count > 0) {
    const uint32_t at = leave_first(d, &x->line);
    hc_work *w = &d->works[at];
    TRY(gather(d, w, x->queue));
    if (w->count == 0) { /* its tasks were taken away */
      drop_work(d, at);
      continue;
    }
    if (w->attempts == 0) TRY(hc_desk_counts_first(&d->counts[w->kind], now, now - w->submitted));
    w->state = WORK_AT_DESK;
    x->at = at;
    x->since = now;
    x->until = hc_time_add(now, thinks(d, x, w->kind, w->count));
    x->thoughts++;
    TRY(hc_desks_mold(d, desk));
    return 1;
  }
  return 0;
}

/* What could not start in so many attempts is not tried again. No policy planned that: the view is of a queue of none. */
static hc_rc give_up(hc_desks *d, hc_work *w, hc_error *e)
{
  const hc_engine_services *s = d->c.services;
  char reason[80];
  hc_view *v;
  hc_plan *p;
  (void)snprintf(reason, sizeof reason, "given up by its scheduler after %u attempts%s", w->attempts,
                 w->has_started ? "" : ", all in vain");
  TRY(s->view_open(d->c.engine, d->lobby, NULL, 0, &v, &p));
  for (uint32_t t = w->first, i = 0; i < w->count; i++, t = d->links[t].next)
    TRY(d->ask->reject(p, t, reason));
  TRY(s->view_close(d->c.engine, v, true));
  d->counts[w->kind].jobs_given_up++;
  d->counts[w->kind].tasks_given_up += w->count;
  w->count = 0;
  return s->commit(d->c.engine, p, HC_COMMIT_NOW, e);
}

static hc_rc count_attempt(hc_desks *d, const hc_desk *x, const hc_work *w, const hc_attempt *a)
{
  hc_desk_counts *c = &d->counts[w->kind];
  const hc_time now = d->c.services->now(d->c.engine);
  const hc_thought what = a->wasted                  ? HC_THOUGHT_WASTED
                          : a->planned == a->limited ? HC_THOUGHT_VAIN
                                                     : HC_THOUGHT_USEFUL;
  c->tasks_started += a->planned - a->refused - a->limited;
  c->tasks_refused += a->refused;
  if (w->after_conflict) c->after_conflicts += now - x->since;
  return hc_desk_counts_thought(c, x->since, now, what);
}

/* An attempt has left something of the job: it rests, or is given up. */
static hc_rc return_rest(hc_desks *d, uint32_t desk, uint32_t at, hc_time pause, hc_error *e)
{
  hc_work *w = &d->works[at];
  const bool vain = w->attempts >= d->o->attempts_in_vain && !w->has_started;
  if (w->attempts >= d->o->attempts || vain) {
    TRY(give_up(d, w, e));
    drop_work(d, at);
    return 0;
  }
  TRY(gather(d, w, d->lobby));
  return rest(d, desk, at, hc_time_add(d->c.services->now(d->c.engine), pause));
}

hc_rc hc_desks_done(hc_desks *d, uint32_t desk, const hc_attempt *a, hc_error *e)
{
  hc_desk *x = &d->desks[desk];
  const uint32_t at = x->at;
  hc_work *w = &d->works[at];
  w->attempts++;
  w->has_started |= a->planned > a->refused + a->limited;
  TRY(count_attempt(d, x, w, a));
  TRY(hc_desks_molded(d, desk));
  w->after_conflict = a->wasted;
  x->at = HC_NO_WORK;
  TRY(gather(d, w, x->queue));
  if (w->count > 0) {
    TRY(return_rest(d, desk, at, d->o->retry, e));
  } else {
    TRY(hc_desk_counts_job(&d->counts[w->kind], d->c.services->now(d->c.engine) - w->submitted, w->attempts));
    drop_work(d, at);
  }
  return d->preempts ? hc_desks_collect(d, e) : 0;
}

hc_rc hc_desks_stand_back(hc_desks *d, uint32_t desk, hc_time back_off, hc_error *e)
{
  hc_desk *x = &d->desks[desk];
  const uint32_t at = x->at;
  d->works[at].attempts++;
  x->at = HC_NO_WORK;
  TRY(gather(d, &d->works[at], x->queue));
  return return_rest(d, desk, at, back_off, e);
}

void hc_desks_forget(hc_desks *d, uint32_t desk)
{
  hc_desk *x = &d->desks[desk];
  hc_free(d->c.allocator, x->plan, x->plan_cap);
  x->plan = NULL;
  x->plan_size = x->plan_cap = 0;
}

void hc_desks_think_again(hc_desks *d, uint32_t desk)
{
  hc_desk *x = &d->desks[desk];
  const hc_work *w = &d->works[x->at];
  x->since = d->c.services->now(d->c.engine);
  x->until = hc_time_add(x->since, thinks(d, x, w->kind, w->count));
  x->thoughts++;
}

/* Leave out of a scope what the scheduler never uses. @return false: that leaves nothing. */
static bool narrow(hc_desks *d, uint32_t desk, const hc_range **scope, size_t *count, hc_rc *rc)
{
  const hc_desk_hosts *h = &d->hosts[d->has_one_desk ? d->works[d->desks[desk].at].kind : desk];
  if (!h->ranges) return true;
  if (*count == 0) {
    *scope = h->ranges;
    *count = h->count;
    return true;
  }
  *rc = hc_reserve(d->c.allocator, (void **)&d->both, &d->both_cap, *count + h->count, sizeof *d->both);
  if (*rc < 0) return false;
  *count = hc_desk_hosts_both(h, *scope, *count, d->both);
  *scope = d->both;
  return *count > 0;
}

hc_rc hc_desks_decide(hc_desks *d, uint32_t desk, const hc_range *scope, size_t scope_count, bool keep,
                      hc_attempt *a, hc_error *e)
{
  const hc_engine_services *s = d->c.services;
  hc_desk *x = &d->desks[desk];
  const hc_why why = {.bits =
                          HC_WHY_TIMER | d->offers | (d->works[x->at].after_conflict ? HC_WHY_CONFLICT : 0u),
                      .task = HC_NO_TASK};
  hc_view *v;
  hc_plan *p;
  hc_rc rc = 0;
  const bool has_hosts = narrow(d, desk, &scope, &scope_count, &rc);
  if (rc < 0) return rc;
  TRY(s->view_open(d->c.engine, x->queue, scope, scope_count, &v, &p));
  if (has_hosts) rc = x->type->decide(x->policy, v, p, &why);
  if (rc < 0) {
    (void)s->view_close(d->c.engine, v, false);
    return hc_fail(e, rc, x->type->component.name, 0, 0, "the policy failed: %s", hc_rc_text(rc));
  }
  *a = (hc_attempt){.planned = s->planned(p)};
  hc_desks_forget(d, desk);
  if (a->planned < d->works[x->at].count && hc_desks_is_gang(d, &d->works[x->at])) {
    *a = (hc_attempt){0}; /* it cannot start whole, and so it does not wish to */
    return s->view_close(d->c.engine, v, false);
  }
  if (!keep || x->limits.is_on) {
    TRY(s->plan_save(d->c.engine, p, &x->plan, &x->plan_size));
    x->plan_cap = x->plan_size;
    TRY(s->view_close(d->c.engine, v, false));
    return keep ? hc_desks_commit(d, desk, HC_COMMIT_CHECKED, a, e) : 0;
  }
  TRY(s->view_close(d->c.engine, v, true));
  return s->commit(d->c.engine, p, HC_COMMIT_NOW, e);
}

static bool may_not(void *ctx, hc_task t)
{
  HC_UNUSED(ctx);
  HC_UNUSED(t);
  return false;
}

hc_rc hc_desks_commit(hc_desks *d, uint32_t desk, hc_commit_mode mode, hc_attempt *a, hc_error *e)
{
  const hc_engine_services *s = d->c.services;
  hc_desk *x = &d->desks[desk];
  hc_plan *p;
  hc_rc rc = 0;
  *a = (hc_attempt){0};
  if (!x->plan) return 0;
  rc = s->plan_load(d->c.engine, x->plan, x->plan_size, &p);
  mode = hc_desks_mode_of(d, &d->works[x->at], mode);
  if (rc == 0) {
    a->planned = s->planned(p);
    if (x->limits.is_on) a->limited = hc_desk_limits_sift(&x->limits, &d->c, p);
    if (a->limited > 0 && (mode & HC_COMMIT_ALL_OR_NONE)) {
      (void)s->plan_sift(d->c.engine, p, may_not, NULL); /* the policy hears of the rest, too */
      a->limited = a->planned;
    } else {
      rc = s->commit(d->c.engine, p, mode, e);
    }
  }
  hc_desks_forget(d, desk);
  if (rc < 0) return rc;
  a->wasted = rc > 0;
  a->refused = rc > 0 && (mode & HC_COMMIT_ALL_OR_NONE) ? a->planned - a->limited : (size_t)rc;
  return 0;
}

/* ---- timers ---- */

hc_rc hc_desks_timer(hc_desks *d, uint32_t desk)
{
  return d->c.services->timer(d->c.engine, d->desks[desk].until, desk);
}

static void heard_rest(hc_desks *d, uint32_t desk)
{
  hc_works_line *l = &d->desks[desk].resting;
  const hc_time now = d->c.services->now(d->c.engine);
  while (l->count > 0 && d->works[l->first].ready <= now) stand_in_line(d, leave_first(d, l));
}

/* It gets its place when all of this moment have arrived. */
static hc_rc expect_prefill(hc_desks *d, hc_task t)
{
  const hc_engine_services *s = d->c.services;
  if (s->queued(d->c.engine, d->prefill) == 0) TRY(s->timer(d->c.engine, s->now(d->c.engine), PREFILL_TIMER));
  return s->enqueue(d->c.engine, d->prefill, t);
}

hc_rc hc_desks_hear(hc_desks *d, const hc_signal *sig, uint32_t *desk, hc_error *e)
{
  *desk = HC_NO_WORK;
  if (sig->what == HC_WHY_ARRIVAL) {
    if (d->ask->prefilled(d->c.services->look(d->c.engine), sig->task)) return expect_prefill(d, sig->task);
    return file(d, sig->task, e);
  }
  if (sig->what == HC_WHY_CELL) return hc_desks_collect(d, e);
  if (sig->what != HC_WHY_TIMER) return 0;
  if (sig->timer == PREFILL_TIMER) return hc_desks_prefill(d, e);
  if (sig->timer < d->count) *desk = sig->timer;
  else if (sig->timer >= REST_TIMER && sig->timer - REST_TIMER < d->count)
    heard_rest(d, sig->timer - REST_TIMER);
  return 0;
}

/* ---- life ---- */

/* A scheduler's own policy may not need more of the run than the run's policy made it keep. */
static hc_rc check_policy(const hc_desks *d, const hc_desk *x, const hc_chosen *own, hc_error *e)
{
  hc_policy_parts parts = {0};
  char why[256];
  const hc_policy_type *run = (const hc_policy_type *)d->c.policy.type;
  const uint32_t has = run->flags ? run->flags(d->c.policy.options) : 0;
  const uint32_t wants = x->type->flags ? x->type->flags(own->options) : 0;
  const uint32_t plans = HC_NEEDS_ESTIMATE | HC_NEEDS_TIMELINE | HC_MAKES_RESERVATIONS | HC_ASKS_HARMLESS;
  if (hc_acts_not(HC_REACH_JOB, own, why, sizeof why)) return hc_desks_complain(x->o->name, e, why);
  if (x->type->parts) x->type->parts(own->options, &parts);
  if (parts.place && parts.place->type && strcmp(parts.place->type->name, "first_fit") != 0)
    return hc_desks_complain(
        x->o->name, e,
        "a placement that its `policy` names cannot act: name it beside the policy, as in `{policy: scan, place: best_fit}`");
  if (!(wants & plans & ~has)) return 0;
  return hc_desks_complain(
      x->o->name, e,
      "its policy looks ahead in time, and the run's does not: make the policy that plans the run's");
}

/* The hosts that a scheduler never uses. @param i its place in d->hosts */
static hc_rc draw_blacklist(hc_desks *d, uint32_t i, const hc_scheduler_options *o, hc_error *e)
{
  const hc_policy_context *c = d->c.policy_context;
  const uint32_t hosts = d->c.services->hosts(d->c.engine);
  d->hosts[i] = (hc_desk_hosts){0};
  if (o->blacklist <= 0) return 0;
  if (hosts == 0)
    return hc_desks_complain(
        o->name, e,
        "a `blacklist` is of hosts, and this cell has none: use `cell: {use: hosts, ...}`, or "
        "leave it out");
  return hc_desk_hosts_draw(&d->hosts[i], &d->build, d->c.allocator, hosts, o->blacklist,
                            (hc_draws){c->seed, c->replication, i, HC_PURPOSE_BLACKLIST, 0});
}

static hc_rc check_preempts(hc_desks *d, const hc_scheduler_options *o, hc_error *e)
{
  d->preempts |= o->preempts;
  if (!o->preempts || d->c.services->hosts(d->c.engine) > 0) return 0;
  return hc_desks_complain(
      o->name, e,
      "it `preempts` on hosts, and this cell has none: use `cell: {use: hosts, ...}`, or leave it out");
}

static hc_rc open_desk(hc_desks *d, const hc_scheduler_options *o, hc_desk *x, hc_error *e)
{
  const hc_engine_services *s = d->c.services;
  const hc_chosen *chosen = o->policy.type ? &o->policy : &d->c.policy;
  const hc_policy_context *context;
  hc_policy_parts parts = {0};
  *x = (hc_desk){.o = o, .at = HC_NO_WORK, .type = (const hc_policy_type *)chosen->type};
  if (o->policy.type) TRY(check_policy(d, x, chosen, e));
  TRY(check_preempts(d, o, e));
  if (x->type->parts) x->type->parts(chosen->options, &parts);
  TRY(s->queue_new(d->c.engine, parts.order, parts.candidates, &x->queue));
  TRY(s->queue_place(d->c.engine, x->queue, &o->place));
  TRY(s->policy_context(d->c.engine, x->queue, chosen, &context));
  if (x->type->init) TRY(x->type->init(context, chosen->options, &x->policy, e));
  s->follow(d->c.engine, x->queue, x->type, x->policy);
  if (!hc_desk_limits_has(o)) return 0;
  x->limits.o = o;
  hc_desk_limits_follow(&x->limits, &d->c, x->queue, x->type, x->policy);
  return 0;
}

/* One server for all kinds: what is a scheduler's own elsewhere is nobody's here. */
static hc_rc check_one_desk(const hc_desks *d, hc_error *e)
{
  for (uint32_t k = 0; k < d->kind_count; k++)
    if (d->kinds[k]->count > 1 || d->kinds[k]->policy.type || d->kinds[k]->place.type ||
        hc_desk_limits_has(d->kinds[k]))
      return hc_desks_complain(
          d->kinds[k]->name, e,
          "here one scheduler serves all kinds of jobs: leave out its `count`, `policy`, `place` and limits, or use "
          "the architecture shared_state or partitions");
  return 0;
}

hc_rc hc_desks_init_routed(hc_desks *d, const hc_architecture_context *c, const hc_desks_options *o,
                           bool has_one_desk, hc_desk_router router, hc_error *e)
{
  uint32_t total;
  *d = (hc_desks){.c = *c,
                  .o = o,
                  .router = router,
                  .ask = c->policy_context->services,
                  .has_one_desk = has_one_desk,
                  .vacant = HC_NO_WORK,
                  .prefill = HC_NO_WORK};
  hc_arena_init(&d->build, c->allocator);
  hc_map_init(&d->of_job, c->allocator);
  TRY(hc_desks_read_kinds(d, e));
  if (has_one_desk) TRY(check_one_desk(d, e));
  TRY(c->services->queue_new(c->engine, NULL, NULL, &d->lobby));
  total = has_one_desk ? 1 : d->first[d->kind_count];
  d->desks = hc_arena_alloc(&d->build, total * sizeof *d->desks);
  d->hosts = hc_arena_alloc(&d->build, HC_MAX(total, d->kind_count) * sizeof *d->hosts);
  if (!d->desks || !d->hosts) return HC_ENOMEM;
  for (uint32_t k = 0; d->count < total; k++)
    for (uint32_t i = d->first[k]; i < d->first[k + 1] && d->count < total; i++) {
      d->count++; /* from here on it is fini's to clean up */
      TRY(open_desk(d, d->kinds[k], &d->desks[i], e));
      if (!has_one_desk) TRY(draw_blacklist(d, i, d->kinds[k], e));
    }
  for (uint32_t k = 0; has_one_desk && k < d->kind_count; k++) TRY(draw_blacklist(d, k, d->kinds[k], e));
  TRY(c->services->queue_new(c->engine, NULL, NULL, &d->prefill));
  return c->services->queue_place(c->engine, d->prefill, &o->prefill_place);
}

void hc_desks_fini(hc_desks *d)
{
  const hc_allocator *a = d->c.allocator;
  if (!a) return;
  for (uint32_t i = 0; i < d->count; i++) {
    if (d->desks[i].policy && d->desks[i].type->fini) d->desks[i].type->fini(d->desks[i].policy);
    hc_free(a, d->desks[i].plan, d->desks[i].plan_cap);
    hc_desk_limits_fini(&d->desks[i].limits);
  }
  for (uint32_t k = 0; d->counts && k < d->kind_count; k++) hc_desk_counts_fini(&d->counts[k]);
  for (uint32_t k = 0; d->molds && k < d->kind_count; k++) hc_desk_mold_fini(&d->molds[k]);
  hc_free(a, d->works, d->work_cap * sizeof *d->works);
  hc_free(a, d->links, d->link_cap * sizeof *d->links);
  hc_free(a, d->both, d->both_cap * sizeof *d->both);
  hc_map_fini(&d->of_job);
  hc_arena_fini(&d->build);
}

const char *const hc_desks_figures[] = {HC_DESKS_FIGURES, NULL};

/* Who broke what, of schedulers that have limits. */
static hc_rc find_limits(const hc_desks *d, uint32_t k, hc_findings *f)
{
  static const char *const names[] = {"limit_resources", "limit_jobs", "limit_priority"};
  for (int l = 0; !d->has_one_desk && hc_desk_limits_has(d->kinds[k]) && l < HC_LIMIT_KINDS; l++) {
    char name[128];
    uint64_t sum = 0;
    for (uint32_t i = d->first[k]; i < d->first[k + 1]; i++) sum += d->desks[i].limits.broken[l];
    (void)snprintf(name, sizeof name, "%s_%s", names[l], d->kinds[k]->name);
    TRY(hc_find_count(f, name, "tasks", (int64_t)sum));
  }
  return 0;
}

hc_rc hc_desks_finish(hc_desks *d, hc_findings *f)
{
  const hc_time span = d->c.services->now(d->c.engine);
  for (uint32_t k = 0; k < d->kind_count; k++)
    TRY(hc_desk_counts_find(&d->counts[k], d->kinds[k]->name, span, f));
  for (uint32_t k = 0; k < d->kind_count; k++) TRY(find_limits(d, k, f));
  for (uint32_t k = 0; k < d->kind_count; k++) TRY(hc_desk_mold_find(&d->molds[k], f));
  if (d->prefilled + d->not_prefilled > 0) {
    TRY(hc_find_count(f, "prefill_tasks", "tasks", (int64_t)d->prefilled));
    TRY(hc_find_count(f, "prefill_rejected", "tasks", (int64_t)d->not_prefilled));
  }
  return d->count > 0 ? hc_policy_finish(d->desks[0].type, d->desks[0].policy, f) : 0;
}

static hc_rc visit_desk(hc_desk *x, hc_visitor *v)
{
  HC_VISIT(v, x->line);
  HC_VISIT(v, x->resting);
  HC_VISIT(v, x->at);
  HC_VISIT(v, x->since);
  HC_VISIT(v, x->until);
  HC_VISIT(v, x->thoughts);
  HC_VISIT(v, x->speed_up);
  if (x->limits.is_on) TRY(hc_desk_limits_visit(&x->limits, v));
  TRY(hc_visit_array(v, &x->plan, &x->plan_size, &x->plan_cap, 1));
  return x->type->visit ? x->type->visit(x->policy, v) : 0;
}

hc_rc hc_desks_visit(hc_desks *d, hc_visitor *v)
{
  for (uint32_t i = 0; i < d->count; i++) TRY(visit_desk(&d->desks[i], v));
  for (uint32_t k = 0; k < d->kind_count; k++) {
    HC_VISIT(v, d->turn[k]);
    TRY(hc_desk_counts_visit(&d->counts[k], v));
    TRY(hc_desk_mold_visit(&d->molds[k], v));
  }
  TRY(hc_map_visit(&d->of_job, v));
  HC_VISIT_ARRAY(v, d->works, d->work_count, d->work_cap);
  HC_VISIT_ARRAY(v, d->links, d->link_count, d->link_cap);
  HC_VISIT(v, d->vacant);
  HC_VISIT(v, d->in_hand);
  HC_VISIT(v, d->prefilled);
  HC_VISIT(v, d->not_prefilled);
  HC_VISIT(v, d->prefill_held);
  return 0;
}

/* ---- as an architecture ---- */

/* A pointer to a struct points at its first member. */
static hc_desks *desks_of(hc_architecture *self)
{
  return (hc_desks *)(void *)self;
}

hc_rc hc_desks_kind_visit(hc_architecture *self, hc_visitor *v)
{
  return hc_desks_visit(desks_of(self), v);
}

hc_rc hc_desks_kind_finish(hc_architecture *self, hc_findings *f)
{
  return hc_desks_finish(desks_of(self), f);
}

bool hc_desks_kind_is_memoryless(const hc_architecture *self)
{
  HC_UNUSED(self);
  return true;
}

hc_rc hc_desks_kind_note(const hc_architecture *self, hc_buffer *out)
{
  const hc_desks *d = (const hc_desks *)(const void *)self;
  uint64_t jobs = 0, tasks = 0;
  for (uint32_t k = 0; k < d->kind_count; k++) {
    jobs += d->counts[k].jobs_given_up;
    tasks += d->counts[k].tasks_given_up;
  }
  if (tasks == 0) return 0;
  hc_buffer_printf(
      out,
      "%llu task%s of %llu job%s given up by schedulers, not because they could never start: after %lld attempts "
      "all of which were in vain (attempts_in_vain), or after %lld in all (attempts)",
      (unsigned long long)tasks, tasks == 1 ? "" : "s", (unsigned long long)jobs,
      jobs == 1 ? " was" : "s were", (long long)d->o->attempts_in_vain, (long long)d->o->attempts);
  return out->failed ? HC_ENOMEM : 0;
}
