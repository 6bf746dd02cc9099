/* schedulers.c -- schedulers with a queue of jobs each: see schedulers.h. */
#include "architecture/scheduler/schedulers.h"

#include <stdio.h>
#include <string.h>

#include "architecture/acts.h"
#include "architecture/scheduler/partitions.h"
#include "base/blame.h"
#include "base/slots.h"
#include "base/state.h"
#include "base/util.h"
#include "base/variates.h"

/* Timers: below this a decision ends; from it on, a job that backed off at a scheduler is back. */
#define REST_TIMER UINT32_C(1000)
#define PREFILL_TIMER UINT32_C(999) /* between the two: what ran before the beginning gets its place */

#define LONGEST_DECISION (36500 * HC_DAY) /* a hundred years: what is drawn has no end, and a time has */

/* ---- lines ---- */

static void join(hc_schedulers *all, hc_job_queue *l, uint32_t j)
{
  all->jobs[j].next = HC_NO_JOB;
  all->jobs[j].prev = l->count == 0 ? HC_NO_JOB : l->last;
  if (l->count == 0) l->first = j;
  else all->jobs[l->last].next = j;
  l->last = j;
  l->count++;
}

uint32_t hc_schedulers_next_job(hc_schedulers *all, hc_job_queue *q)
{
  const uint32_t j = q->first;
  q->first = all->jobs[j].next;
  q->count--;
  if (q->count > 0) all->jobs[q->first].prev = HC_NO_JOB;
  return j;
}

static void leave(hc_schedulers *all, hc_job_queue *q, uint32_t j)
{
  const hc_queued_job *x = &all->jobs[j];
  if (x->prev == HC_NO_JOB) q->first = x->next;
  else all->jobs[x->prev].next = x->next;
  if (x->next == HC_NO_JOB) q->last = x->prev;
  else all->jobs[x->next].prev = x->prev;
  q->count--;
}

/* Those that rest stand in the order in which they are back. Mostly all rest equally long, and the last is
 * the last. */
static hc_rc rest(hc_schedulers *all, uint32_t scheduler, uint32_t j, hc_time until)
{
  hc_job_queue *l = &all->one[scheduler].resting;
  hc_queued_job *x = &all->jobs[j];
  x->state = HC_JOB_BACKS_OFF;
  x->ready = until;
  if (l->count == 0 || all->jobs[l->last].ready <= until) {
    join(all, l, j);
  } else {
    uint32_t *at = &l->first;
    while (all->jobs[*at].ready <= until) at = &all->jobs[*at].next;
    x->next = *at;
    *at = j;
    l->count++;
  }
  return all->c.services->timer(all->c.engine, until, REST_TIMER + scheduler);
}

static void enqueue_job(hc_schedulers *all, uint32_t j)
{
  all->jobs[j].state = HC_JOB_QUEUED;
  all->jobs[j].ready = all->c.services->now(all->c.engine);
  join(all, &all->one[all->jobs[j].scheduler].waiting, j);
}

/* Has it an order of its own? Else its jobs come as they came. */
static bool is_sorted(const hc_schedulers *all, const hc_scheduler *x)
{
  return x->staging != all->staging;
}

/* ---- which scheduler ---- */

static uint32_t scheduler_of(hc_schedulers *all, uint32_t kind, int64_t job, uint64_t serial)
{
  const uint32_t n = all->is_one_server ? 1 : all->first[kind + 1] - all->first[kind];
  hc_draws draws = {0, 0, job >= 0 ? (uint64_t)job : serial, HC_PURPOSE_THINK, 0};
  if (n == 1) return all->is_one_server ? 0 : all->first[kind];
  if (all->o->spread == HC_SPREAD_ROUND_ROBIN) return all->first[kind] + (uint32_t)(all->turn[kind]++ % n);
  return all->first[kind] + (uint32_t)hc_random_below(&draws, n);
}

/* ---- jobs ---- */

static hc_rc new_job(hc_schedulers *all, uint32_t *out)
{
  return HC_SLOT_TAKE(all->c.allocator, hc_queued_job, next, all->jobs, all->job_count, all->job_cap,
                      all->vacant, out);
}

void hc_schedulers_drop_job(hc_schedulers *all, uint32_t j)
{
  all->one[all->jobs[j].scheduler].jobs--;
  if (all->jobs[j].job >= 0) hc_map_remove(&all->of_job, (uint64_t)all->jobs[j].job);
  all->jobs[j] = (hc_queued_job){.state = HC_JOB_FREE};
  HC_SLOT_GIVE(hc_queued_job, next, all->jobs, all->vacant, j);
  all->in_hand--;
}

/* At the end of the chain of a job. */
static void append(hc_schedulers *all, uint32_t j, hc_task t, uint64_t serial)
{
  hc_queued_job *x = &all->jobs[j];
  const hc_task last = x->count == 0 ? HC_NO_TASK : x->last;
  all->links[t] = (hc_task_link){.serial = serial, .next = HC_NO_TASK, .prev = last, .job = j};
  if (last == HC_NO_TASK) x->first = t;
  else all->links[last].next = t;
  x->last = t;
  x->count++;
}

/* A task whose slot is used again has left: so it leaves the chain of its job. */
static void unlink_task(hc_schedulers *all, hc_task t)
{
  hc_task_link *link = &all->links[t];
  if (link->job == HC_NO_JOB) return;
  hc_queued_job *x = &all->jobs[link->job];
  if (link->prev == HC_NO_TASK) x->first = link->next;
  else all->links[link->prev].next = link->next;
  if (link->next == HC_NO_TASK) x->last = link->prev;
  else all->links[link->next].prev = link->prev;
  x->count--;
  link->job = HC_NO_JOB;
}

/* A scheduler that decides by passes counts tasks, and follows no chain. */
static hc_rc link_task(hc_schedulers *all, uint32_t j, hc_task t, uint64_t serial)
{
  TRY(hc_reserve(all->c.allocator, (void **)&all->links, &all->link_cap, (size_t)t + 1, sizeof *all->links));
  while (all->link_count <= t) all->links[all->link_count++] = (hc_task_link){.job = HC_NO_JOB};
  if (!all->by_pass) unlink_task(all, t);
  append(all, j, t, serial);
  return 0;
}

/* No scheduler takes it: that is said as soon as the first such task comes. */
static hc_rc no_taker(const hc_schedulers *all, hc_task t, hc_error *e)
{
  const hc_view *v = all->c.services->task_view(all->c.engine);
  return hc_fail(e, HC_EUSAGE, "architecture", 0, 0,
                 "no scheduler takes task %llu (user %lld, priority %lld): give the last scheduler of the "
                 "list no `takes`",
                 (unsigned long long)all->ask->serial(v, t), (long long)all->ask->user(v, t),
                 (long long)all->ask->priority(v, t));
}

static hc_rc open_job(hc_schedulers *all, hc_task t, int64_t job, uint64_t serial, uint32_t *out, hc_error *e)
{
  const uint32_t kind = hc_schedulers_kind_of(all, t);
  if (kind == HC_NO_SCHEDULER) return no_taker(all, t, e);
  TRY(new_job(all, out));
  if (job >= 0) TRY(hc_map_set(&all->of_job, (uint64_t)job, *out));
  all->jobs[*out] = (hc_queued_job){.job = job,
                                    .first_serial = serial,
                                    .submitted = all->c.services->now(all->c.engine),
                                    .kind = kind,
                                    .scheduler = scheduler_of(all, kind, job, serial)};
  all->counts[kind].jobs++;
  all->counts[kind].offered += (double)all->kinds[kind]->think_job;
  all->newest = all->jobs[*out].scheduler;
  all->one[all->newest].jobs++;
  all->in_hand++;
  enqueue_job(all, *out);
  return 0;
}

/* Where a task of a job waits: what is not queued may not be seen by the order. */
static uint32_t queue_for(const hc_schedulers *all, const hc_queued_job *j)
{
  const hc_scheduler *x = &all->one[j->scheduler];
  if (all->by_pass) return x->queue;
  return j->state == HC_JOB_QUEUED ? x->staging : all->staging;
}

/* File a task under its job, and put it into the queue where it waits. */
static hc_rc file(hc_schedulers *all, hc_task t, hc_error *e)
{
  const hc_view *v = all->c.services->task_view(all->c.engine);
  const int64_t job = all->ask->job(v, t);
  const uint64_t serial = all->ask->serial(v, t);
  uint32_t j = job >= 0 ? hc_map_get(&all->of_job, (uint64_t)job) : HC_NO_JOB;
  if (j == HC_NO_JOB) TRY(open_job(all, t, job, serial, &j, e));
  TRY(link_task(all, j, t, serial));
  all->counts[all->jobs[j].kind].offered += (double)all->kinds[all->jobs[j].kind]->think_task;
  if (all->by_pass) all->one[all->jobs[j].scheduler].pass.why |= HC_WHY_ARRIVAL;
  return all->c.services->enqueue(all->c.engine, queue_for(all, &all->jobs[j]), t);
}

/* The first task of a queue. */
static hc_rc first_in(const hc_schedulers *all, uint32_t queue, hc_task *t)
{
  const hc_engine_services *s = all->c.services;
  hc_cursor at = {0};
  hc_view *v;
  hc_plan *p;
  TRY(s->view_open(all->c.engine, queue, NULL, 0, &v, &p));
  *t = all->ask->next(v, HC_LIST_QUEUE, &at, NULL);
  return s->view_close(all->c.engine, v, false);
}

hc_rc hc_schedulers_collect(hc_schedulers *all, hc_error *e)
{
  for (uint32_t i = 0; i < all->count && !all->by_pass; i++)
    while (all->one[i].at == HC_NO_JOB && all->c.services->queued(all->c.engine, all->one[i].queue) > 0) {
      hc_task t;
      TRY(first_in(all, all->one[i].queue, &t));
      TRY(file(all, t, e));
    }
  while (all->prefill != HC_NO_QUEUE && all->c.services->queued(all->c.engine, all->prefill) > 0) {
    hc_task t;
    TRY(first_in(all, all->prefill, &t));
    TRY(file(all, t, e));
  }
  return 0;
}

/* ---- an attempt ---- */

/* Keep those of a job's tasks that still wait, in their order, and put them into a queue. */
static hc_rc gather(hc_schedulers *all, hc_queued_job *j, uint32_t queue)
{
  const hc_view *v = all->c.services->task_view(all->c.engine);
  for (uint32_t t = j->first, i = 0, n = j->count, next; i < n; i++, t = next) {
    next = all->links[t].next;
    if (all->ask->waits(v, t) && all->ask->serial(v, t) == all->links[t].serial)
      TRY(all->c.services->enqueue(all->c.engine, queue, t));
    else unlink_task(all, t);
  }
  return 0;
}

static hc_time times(hc_time t, uint32_t n)
{
  hc_time out;
  return __builtin_mul_overflow(t, (hc_time)n, &out) ? HC_NEVER : out;
}

static hc_time thinks(const hc_schedulers *all, const hc_scheduler *x, uint32_t kind, uint32_t tasks)
{
  const hc_scheduler_options *o = all->kinds[kind];
  const hc_policy_context *c = all->c.policy_context;
  const hc_time mean = hc_time_add(o->think_job, times(o->think_task, tasks));
  hc_draws draws = {c->seed, c->replication, (uint64_t)(x - all->one), HC_PURPOSE_THINK, x->decisions << 8};
  hc_variate law;
  if (o->think_law == HC_THINK_FIXED || mean == 0) return mean;
  (void)hc_variate_fit(&law, o->think_law == HC_THINK_EXPONENTIAL ? HC_SHAPE_EXPONENTIAL : HC_SHAPE_LOGNORMAL,
                       (double)mean, o->think_cv);
  return (hc_time)HC_MIN(hc_variate_draw(&law, &draws), (double)LONGEST_DECISION);
}

void hc_schedulers_think(hc_schedulers *all, uint32_t scheduler, uint32_t kind, uint32_t tasks)
{
  hc_scheduler *x = &all->one[scheduler];
  x->since = all->c.services->now(all->c.engine);
  x->until = hc_time_add(x->since, thinks(all, x, kind, tasks));
  x->decisions++;
}

/* The next job of a scheduler: the first that came, or the one whose task its order puts first. Jobs of
 * which no task is left are dropped where they stand first, or where none has any. */
static uint32_t next_job(hc_schedulers *all, hc_scheduler *x)
{
  const hc_task t = is_sorted(all, x) ? all->c.services->first(all->c.engine, x->staging) : HC_NO_TASK;
  if (t == HC_NO_TASK) return hc_schedulers_next_job(all, &x->waiting);
  leave(all, &x->waiting, all->links[t].job);
  return all->links[t].job;
}

hc_rc hc_schedulers_begin(hc_schedulers *all, uint32_t scheduler)
{
  hc_scheduler *x = &all->one[scheduler];
  const hc_time now = all->c.services->now(all->c.engine);
  if (all->by_pass) return hc_pass_begin(all, scheduler);
  while (x->at == HC_NO_JOB && x->waiting.count > 0) {
    const uint32_t at = next_job(all, x);
    hc_queued_job *j = &all->jobs[at];
    TRY(gather(all, j, x->queue));
    if (j->count == 0) { /* its tasks were taken away */
      hc_schedulers_drop_job(all, at);
      continue;
    }
    if (j->attempts == 0) TRY(hc_scheduler_counts_first(&all->counts[j->kind], now, now - j->submitted));
    j->state = HC_JOB_IN_DECISION;
    x->at = at;
    hc_schedulers_think(all, scheduler, j->kind, j->count);
    TRY(hc_schedulers_mold(all, scheduler));
    return 1;
  }
  return 0;
}

/* What could not start in so many attempts is not tried again. No policy planned that: the view is of a queue
 * of none. */
static hc_rc give_up(hc_schedulers *all, hc_queued_job *j, hc_error *e)
{
  const hc_engine_services *s = all->c.services;
  char reason[80];
  hc_view *v;
  hc_plan *p;
  (void)snprintf(reason, sizeof reason, "given up by its scheduler after %u attempts%s", j->attempts,
                 j->has_started ? "" : ", all in vain");
  TRY(s->view_open(all->c.engine, all->staging, NULL, 0, &v, &p));
  for (uint32_t t = j->first, i = 0; i < j->count; i++, t = all->links[t].next)
    TRY(all->ask->reject(p, t, reason));
  TRY(s->view_close(all->c.engine, v, true));
  all->counts[j->kind].jobs_given_up++;
  all->counts[j->kind].tasks_given_up += j->count;
  while (j->count > 0) unlink_task(all, j->first);
  return s->commit(all->c.engine, p, HC_COMMIT_NOW, e);
}

hc_rc hc_schedulers_count(hc_schedulers *all, const hc_scheduler *x, uint32_t kind, bool again,
                          const hc_attempt *a)
{
  hc_scheduler_counts *c = &all->counts[kind];
  const hc_time now = all->c.services->now(all->c.engine);
  const hc_decision_outcome what = a->wasted                  ? HC_DECISION_WASTED
                                   : a->planned == a->limited ? HC_DECISION_VAIN
                                                              : HC_DECISION_USEFUL;
  c->tasks_started += a->planned - a->refused - a->limited;
  c->tasks_refused += a->refused;
  if (again) c->after_conflicts += now - x->since;
  return hc_scheduler_counts_decision(c, x->since, now, what);
}

/* An attempt has left something of the job: it rests, or is given up. */
static hc_rc return_rest(hc_schedulers *all, uint32_t scheduler, uint32_t at, hc_time pause, hc_error *e)
{
  hc_queued_job *j = &all->jobs[at];
  const bool vain = j->attempts >= all->o->attempts_in_vain && !j->has_started;
  if (j->attempts >= all->o->attempts || vain) {
    TRY(give_up(all, j, e));
    hc_schedulers_drop_job(all, at);
    return 0;
  }
  TRY(gather(all, j, all->staging));
  return rest(all, scheduler, at, hc_time_add(all->c.services->now(all->c.engine), pause));
}

hc_rc hc_schedulers_done(hc_schedulers *all, uint32_t scheduler, const hc_attempt *a, hc_error *e)
{
  hc_scheduler *x = &all->one[scheduler];
  const uint32_t at = x->at;
  hc_queued_job *j;
  if (all->by_pass) return hc_pass_done(all, scheduler, a);
  j = &all->jobs[at];
  j->attempts++;
  j->has_started |= a->planned > a->refused + a->limited;
  TRY(hc_schedulers_count(all, x, j->kind, j->after_conflict, a));
  TRY(hc_schedulers_molded(all, scheduler));
  j->after_conflict = a->wasted;
  x->at = HC_NO_JOB;
  TRY(gather(all, j, x->queue));
  if (j->count > 0) {
    TRY(return_rest(all, scheduler, at, all->o->retry, e));
  } else {
    TRY(hc_scheduler_counts_job(&all->counts[j->kind], all->c.services->now(all->c.engine) - j->submitted,
                                j->attempts));
    hc_schedulers_drop_job(all, at);
  }
  return all->preempts ? hc_schedulers_collect(all, e) : 0;
}

hc_rc hc_schedulers_back_off(hc_schedulers *all, uint32_t scheduler, hc_time back_off, hc_error *e)
{
  hc_scheduler *x = &all->one[scheduler];
  const uint32_t at = x->at;
  all->jobs[at].attempts++;
  x->at = HC_NO_JOB;
  TRY(gather(all, &all->jobs[at], x->queue));
  return return_rest(all, scheduler, at, back_off, e);
}

void hc_schedulers_forget(hc_schedulers *all, uint32_t scheduler)
{
  hc_scheduler *x = &all->one[scheduler];
  hc_free(all->c.allocator, x->plan, x->plan_cap);
  x->plan = NULL;
  x->plan_size = x->plan_cap = 0;
}

void hc_schedulers_think_again(hc_schedulers *all, uint32_t scheduler)
{
  const hc_queued_job *j = &all->jobs[all->one[scheduler].at];
  hc_schedulers_think(all, scheduler, j->kind, j->count);
}

/* Leave out of a scope what the scheduler never uses. @return false: that leaves nothing. */
static bool narrow(hc_schedulers *all, uint32_t scheduler, const hc_range **scope, size_t *count, hc_rc *rc)
{
  const hc_scheduler_hosts *h =
      &all->hosts[all->is_one_server && !all->by_pass ? all->jobs[all->one[scheduler].at].kind : scheduler];
  if (!h->ranges) return true;
  if (*count == 0) {
    *scope = h->ranges;
    *count = h->count;
    return true;
  }
  *rc =
      hc_reserve(all->c.allocator, (void **)&all->both, &all->both_cap, *count + h->count, sizeof *all->both);
  if (*rc < 0) return false;
  *count = hc_scheduler_hosts_both(h, *scope, *count, all->both);
  *scope = all->both;
  return *count > 0;
}

/* What a policy is told of why it is called. */
static hc_why why_now(const hc_schedulers *all, const hc_scheduler *x)
{
  if (all->by_pass)
    return (hc_why){.bits = x->pass.now, .task = HC_NO_TASK, .early_end = x->pass.now_early != 0};
  return (hc_why){.bits =
                      HC_WHY_TIMER | all->offers | (all->jobs[x->at].after_conflict ? HC_WHY_CONFLICT : 0u),
                  .task = HC_NO_TASK};
}

/* Where hosts are shared a scheduler knows its own promises alone. */
static hc_rc forget_others(hc_schedulers *all, const hc_scheduler *x)
{
  if (!all->by_pass || all->parts || all->count == 1) return 0;
  return all->c.services->withdraw_others(all->c.engine, x->queue);
}

/* Is it a gang's that has not all of it? */
static bool falls_short(const hc_schedulers *all, const hc_scheduler *x, size_t planned)
{
  return !all->by_pass && planned < all->jobs[x->at].count && hc_schedulers_is_gang(all, &all->jobs[x->at]);
}

hc_rc hc_schedulers_decide(hc_schedulers *all, uint32_t scheduler, const hc_range *scope, size_t scope_count,
                           bool keep, hc_attempt *a, hc_error *e)
{
  const hc_engine_services *s = all->c.services;
  hc_scheduler *x = &all->one[scheduler];
  const hc_why why = why_now(all, x);
  hc_view *v;
  hc_plan *p;
  hc_rc rc = 0;
  const bool has_hosts = narrow(all, scheduler, &scope, &scope_count, &rc);
  if (rc < 0) return rc;
  TRY(forget_others(all, x));
  TRY(s->view_open(all->c.engine, x->queue, scope, scope_count, &v, &p));
  if (has_hosts) rc = s->decide(all->c.engine, scheduler, x->policy, v, p, &why, e);
  if (rc > 0) all->asked = scheduler;
  if (rc != 0) return rc;
  if (all->by_pass) TRY(hc_pass_plan(all, scheduler, p));
  *a = (hc_attempt){.planned = all->by_pass ? x->pass.start_count : s->planned(p)};
  hc_schedulers_forget(all, scheduler);
  if (falls_short(all, x, a->planned)) {
    *a = (hc_attempt){0}; /* it cannot start whole, and so it does not wish to */
    return s->view_close(all->c.engine, v, false);
  }
  if (!keep || x->limits.is_on) {
    TRY(s->plan_save(all->c.engine, p, &x->plan, &x->plan_size));
    x->plan_cap = x->plan_size;
    TRY(s->view_close(all->c.engine, v, false));
    return keep ? hc_schedulers_commit(all, scheduler, HC_COMMIT_CHECKED, a, e) : 0;
  }
  TRY(s->view_close(all->c.engine, v, true));
  TRY(s->commit(all->c.engine, p, HC_COMMIT_NOW, e));
  return all->by_pass ? hc_pass_settle(all, scheduler, false, a) : 0;
}

static bool may_not(void *ctx, hc_task t)
{
  HC_UNUSED(ctx);
  HC_UNUSED(t);
  return false;
}

hc_rc hc_schedulers_commit(hc_schedulers *all, uint32_t scheduler, hc_commit_mode mode, hc_attempt *a,
                           hc_error *e)
{
  const hc_engine_services *s = all->c.services;
  hc_scheduler *x = &all->one[scheduler];
  hc_plan *p;
  hc_rc rc = 0;
  *a = (hc_attempt){0};
  if (!x->plan) return 0;
  TRY(forget_others(all, x));
  rc = s->plan_load(all->c.engine, x->plan, x->plan_size, &p);
  mode = hc_schedulers_mode_of(all, scheduler, mode);
  if (rc == 0) {
    a->planned = all->by_pass ? x->pass.start_count : s->planned(p);
    if (x->limits.is_on) a->limited = hc_scheduler_limits_sift(&x->limits, &all->c, p);
    if (a->limited > 0 && (mode & HC_COMMIT_ALL_OR_NONE)) {
      (void)s->plan_sift(all->c.engine, p, may_not, NULL); /* the policy hears of the rest, too */
      a->limited = a->planned;
    } else {
      rc = s->commit(all->c.engine, p, mode, e);
    }
  }
  hc_schedulers_forget(all, scheduler);
  if (rc < 0) return rc;
  if (all->by_pass) return hc_pass_settle(all, scheduler, rc > 0, a);
  a->wasted = rc > 0;
  a->refused = rc > 0 && (mode & HC_COMMIT_ALL_OR_NONE) ? a->planned - a->limited : (size_t)rc;
  return 0;
}

/* ---- timers ---- */

hc_rc hc_schedulers_timer(hc_schedulers *all, uint32_t scheduler)
{
  return all->c.services->timer(all->c.engine, all->one[scheduler].until, scheduler);
}

/* Jobs that have backed off for long enough are queued again: where an order sorts them, their tasks are,
   too. */
static hc_rc end_back_off(hc_schedulers *all, uint32_t scheduler)
{
  hc_scheduler *x = &all->one[scheduler];
  const hc_time now = all->c.services->now(all->c.engine);
  while (x->resting.count > 0 && all->jobs[x->resting.first].ready <= now) {
    const uint32_t j = hc_schedulers_next_job(all, &x->resting);
    if (is_sorted(all, x)) TRY(gather(all, &all->jobs[j], x->staging));
    enqueue_job(all, j);
  }
  return 0;
}

/* It gets its place when all of this moment have arrived. */
static hc_rc expect_prefill(hc_schedulers *all, hc_task t)
{
  const hc_engine_services *s = all->c.services;
  if (s->queued(all->c.engine, all->prefill) == 0)
    TRY(s->timer(all->c.engine, s->now(all->c.engine), PREFILL_TIMER));
  return s->enqueue(all->c.engine, all->prefill, t);
}

hc_rc hc_schedulers_signal(hc_schedulers *all, const hc_signal *sig, uint32_t *scheduler, hc_error *e)
{
  *scheduler = HC_NO_SCHEDULER;
  if (all->by_pass && (sig->what != HC_WHY_TIMER || sig->timer == HC_TIMER_WAKE)) hc_pass_note(all, sig);
  if (sig->what == HC_WHY_ARRIVAL) {
    if (all->ask->prefilled(all->c.services->task_view(all->c.engine), sig->task))
      return expect_prefill(all, sig->task);
    return file(all, sig->task, e);
  }
  if (sig->what == HC_WHY_CELL) return hc_schedulers_collect(all, e);
  if (sig->what != HC_WHY_TIMER) return 0;
  if (sig->timer == PREFILL_TIMER) return hc_schedulers_prefill(all, e);
  if (sig->timer < all->count) *scheduler = sig->timer;
  else if (sig->timer >= REST_TIMER && sig->timer - REST_TIMER < all->count)
    return end_back_off(all, sig->timer - REST_TIMER);
  return 0;
}

/* ---- life ---- */

/* A scheduler's own policy may not need more of the run than the run's policy made it keep. */
static hc_rc check_policy(const hc_schedulers *all, const hc_scheduler *x, const hc_chosen *own, hc_error *e)
{
  hc_policy_parts parts = {0};
  char why[256];
  const hc_policy_type *run = (const hc_policy_type *)all->c.policy.type;
  const uint32_t has = hc_policy_flags(run, all->c.policy.options, all->c.allocator);
  const uint32_t wants = hc_policy_flags(x->type, own->options, all->c.allocator);
  const uint32_t plans = HC_NEEDS_ESTIMATE | HC_NEEDS_TIMELINE | HC_MAKES_RESERVATIONS | HC_ASKS_HARMLESS;
  if (hc_acts_not(hc_schedulers_reach_of(all->o), own, all->c.allocator, why, sizeof why))
    return hc_schedulers_complain(x->o->name, e, why);
  if (x->type->parts) x->type->parts(own->options, &parts);
  if (parts.place && parts.place->type && strcmp(parts.place->type->name, "first_fit") != 0)
    return hc_schedulers_complain(
        x->o->name, e,
        "a placement that its `policy` names cannot act: name it beside the policy, as in `{policy: scan, "
        "place: best_fit}`");
  if (!(wants & plans & ~has)) return 0;
  return hc_schedulers_complain(
      x->o->name, e,
      "its policy looks ahead in time, and the run's does not: make the policy that plans the run's");
}

/* The hosts that a scheduler never uses. @param i its place in all->hosts */
static hc_rc draw_blacklist(hc_schedulers *all, uint32_t i, const hc_scheduler_options *o, hc_error *e)
{
  const hc_policy_context *c = all->c.policy_context;
  const uint32_t hosts = all->c.services->hosts(all->c.engine);
  all->hosts[i] = (hc_scheduler_hosts){0};
  if (o->blacklist <= 0) return 0;
  if (hosts == 0)
    return hc_schedulers_complain(
        o->name, e,
        "a `blacklist` is of hosts, and this cell has none: use `cell: {use: hosts, ...}`, or "
        "leave it out");
  return hc_scheduler_hosts_draw(&all->hosts[i], &all->build, all->c.allocator, hosts, o->blacklist,
                                 (hc_draws){c->seed, c->replication, i, HC_PURPOSE_BLACKLIST, 0});
}

static hc_rc check_preempts(hc_schedulers *all, const hc_scheduler_options *o, hc_error *e)
{
  all->preempts |= o->preempts;
  if (!o->preempts || all->c.services->hosts(all->c.engine) > 0) return 0;
  return hc_schedulers_complain(
      o->name, e,
      "it `preempts` on hosts, and this cell has none: use `cell: {use: hosts, ...}`, or leave it out");
}

/* Does it sort jobs otherwise than they come? */
static bool sorts(const hc_chosen *order)
{
  const hc_order_type *t = order ? (const hc_order_type *)order->type : NULL;
  return t && !(t->flags && (t->flags(order->options) & HC_BY_SUBMISSION));
}

static hc_rc open_scheduler(hc_schedulers *all, const hc_scheduler_options *o, hc_scheduler *x, hc_error *e)
{
  const hc_engine_services *s = all->c.services;
  const hc_chosen *chosen = o->policy.type ? &o->policy : &all->c.policy;
  const hc_policy_context *context;
  hc_policy_parts parts = {0};
  *x = (hc_scheduler){.o = o, .at = HC_NO_JOB, .type = (const hc_policy_type *)chosen->type};
  if (o->policy.type) TRY(check_policy(all, x, chosen, e));
  TRY(check_preempts(all, o, e));
  if (x->type->parts) x->type->parts(chosen->options, &parts);
  TRY(s->queue_new(all->c.engine, parts.order, parts.candidates, &x->queue));
  TRY(s->queue_place(all->c.engine, x->queue, &o->place));
  x->staging = all->staging;
  if (!all->by_pass && sorts(parts.order)) TRY(s->queue_new(all->c.engine, parts.order, NULL, &x->staging));
  TRY(s->policy_context(all->c.engine, x->queue, o->name ? o->name : "", chosen, &context));
  if (x->type->init)
    TRY(hc_blame(&x->type->component, x->type->init(context, chosen->options, &x->policy, e), e));
  s->follow(all->c.engine, x->queue, x->type, x->policy);
  if (hc_scheduler_limits_has(o)) {
    x->limits.o = o;
    hc_scheduler_limits_follow(&x->limits, &all->c, x->queue, x->type, x->policy);
  }
  if (all->by_pass)
    hc_usage_of_follow(&x->pass.usage, all->ask, s, all->c.engine, x->queue, hc_scheduler_hearer(x),
                       hc_scheduler_hearing(x));
  return 0;
}

/* One server for all kinds: what is a scheduler's own elsewhere is shared here. */
static hc_rc check_one_server(const hc_schedulers *all, hc_error *e)
{
  for (uint32_t k = 0; k < all->kind_count; k++)
    if (all->kinds[k]->count > 1 || all->kinds[k]->policy.type || all->kinds[k]->place.type ||
        hc_scheduler_limits_has(all->kinds[k]))
      return hc_schedulers_complain(
          all->kinds[k]->name, e,
          "here one scheduler serves all kinds of jobs: leave out its `count`, `policy`, `place` and limits, "
          "or use "
          "the architecture shared_state or partitions");
  return 0;
}

hc_rc hc_schedulers_init_routed(hc_schedulers *all, const hc_architecture_context *c,
                                const hc_schedulers_options *o, bool is_one_server, hc_job_router router,
                                hc_error *e)
{
  uint32_t total;
  *all = (hc_schedulers){.c = *c,
                         .o = o,
                         .router = router,
                         .ask = c->policy_context->services,
                         .is_one_server = is_one_server,
                         .by_pass = o->decision == HC_DECISION_PASS,
                         .vacant = HC_NO_JOB,
                         .prefill = HC_NO_QUEUE};
  hc_arena_init(&all->build, c->allocator);
  hc_map_init(&all->of_job, c->allocator);
  TRY(hc_schedulers_read_kinds(all, e));
  if (is_one_server) TRY(check_one_server(all, e));
  if (all->by_pass) TRY(hc_pass_check(all, e));
  TRY(c->services->queue_new(c->engine, NULL, NULL, &all->staging));
  total = is_one_server ? 1 : all->first[all->kind_count];
  all->one = hc_arena_alloc(&all->build, total * sizeof *all->one);
  all->hosts = hc_arena_alloc(&all->build, HC_MAX(total, all->kind_count) * sizeof *all->hosts);
  if (!all->one || !all->hosts) return HC_ENOMEM;
  for (uint32_t k = 0; all->count < total; k++)
    for (uint32_t i = all->first[k]; i < all->first[k + 1] && all->count < total; i++) {
      all->count++; /* from here on it is fini's to clean up */
      TRY(open_scheduler(all, all->kinds[k], &all->one[i], e));
      if (!is_one_server) TRY(draw_blacklist(all, i, all->kinds[k], e));
    }
  for (uint32_t k = 0; is_one_server && k < all->kind_count; k++)
    TRY(draw_blacklist(all, k, all->kinds[k], e));
  TRY(c->services->queue_new(c->engine, NULL, NULL, &all->prefill));
  return c->services->queue_place(c->engine, all->prefill, &o->prefill_place);
}

void hc_schedulers_fini(hc_schedulers *all)
{
  const hc_allocator *a = all->c.allocator;
  if (!a) return;
  for (uint32_t i = 0; i < all->count; i++) {
    if (all->one[i].policy && all->one[i].type->fini) all->one[i].type->fini(all->one[i].policy);
    hc_free(a, all->one[i].plan, all->one[i].plan_cap);
    hc_scheduler_limits_fini(&all->one[i].limits);
    hc_pass_fini(all, &all->one[i].pass);
  }
  for (uint32_t k = 0; all->counts && k < all->kind_count; k++) hc_scheduler_counts_fini(&all->counts[k]);
  for (uint32_t k = 0; all->molds && k < all->kind_count; k++) hc_scheduler_mold_fini(&all->molds[k]);
  hc_free(a, all->jobs, all->job_cap * sizeof *all->jobs);
  hc_free(a, all->links, all->link_cap * sizeof *all->links);
  hc_free(a, all->both, all->both_cap * sizeof *all->both);
  hc_map_fini(&all->of_job);
  hc_arena_fini(&all->build);
}

const char *const hc_schedulers_figures[] = {
#include "architecture/scheduler/figures.h"
    NULL};

/* Who broke what, of schedulers that have limits. */
static hc_rc find_limits(const hc_schedulers *all, uint32_t k, hc_findings *f)
{
  static const char *const names[] = {"limit_resources", "limit_jobs", "limit_priority"};
  for (int l = 0; !all->is_one_server && hc_scheduler_limits_has(all->kinds[k]) && l < HC_LIMIT_KINDS; l++) {
    char name[128];
    uint64_t sum = 0;
    for (uint32_t i = all->first[k]; i < all->first[k + 1]; i++) sum += all->one[i].limits.broken[l];
    (void)snprintf(name, sizeof name, "%s_%s", names[l], all->kinds[k]->name);
    TRY(hc_find_count(f, name, "tasks", (int64_t)sum));
  }
  return 0;
}

hc_rc hc_schedulers_finish(hc_schedulers *all, hc_findings *f)
{
  const hc_time span = all->c.services->now(all->c.engine);
  for (uint32_t k = 0; k < all->kind_count; k++)
    TRY(hc_scheduler_counts_find(&all->counts[k], all->kinds[k]->name, span, f));
  for (uint32_t k = 0; k < all->kind_count; k++) TRY(find_limits(all, k, f));
  for (uint32_t k = 0; k < all->kind_count; k++) TRY(hc_scheduler_mold_find(&all->molds[k], f));
  if (all->prefilled + all->not_prefilled > 0) {
    TRY(hc_find_count(f, "prefill_tasks", "tasks", (int64_t)all->prefilled));
    TRY(hc_find_count(f, "prefill_rejected", "tasks", (int64_t)all->not_prefilled));
  }
  if (all->count == 0 || !all->one[0].type->finish) return 0;
  return all->one[0].type->finish(all->one[0].policy, f);
}

static hc_rc visit_scheduler(hc_scheduler *x, hc_visitor *v)
{
  HC_VISIT(v, x->waiting);
  HC_VISIT(v, x->resting);
  HC_VISIT(v, x->at);
  HC_VISIT(v, x->since);
  HC_VISIT(v, x->until);
  HC_VISIT(v, x->decisions);
  HC_VISIT(v, x->speed_up);
  HC_VISIT(v, x->jobs);
  if (x->limits.is_on) TRY(hc_scheduler_limits_visit(&x->limits, v));
  TRY(hc_visit_array(v, &x->plan, &x->plan_size, &x->plan_cap, 1));
  return x->type->visit ? x->type->visit(x->policy, v) : 0;
}

hc_rc hc_schedulers_visit(hc_schedulers *all, hc_visitor *v)
{
  for (uint32_t i = 0; i < all->count; i++) {
    TRY(visit_scheduler(&all->one[i], v));
    if (all->by_pass) TRY(hc_pass_visit(&all->one[i].pass, v));
  }
  for (uint32_t k = 0; k < all->kind_count; k++) {
    HC_VISIT(v, all->turn[k]);
    TRY(hc_scheduler_counts_visit(&all->counts[k], v));
    TRY(hc_scheduler_mold_visit(&all->molds[k], v));
  }
  TRY(hc_map_visit(&all->of_job, v));
  HC_VISIT_ARRAY(v, all->jobs, all->job_count, all->job_cap);
  HC_VISIT_ARRAY(v, all->links, all->link_count, all->link_cap);
  HC_VISIT(v, all->vacant);
  HC_VISIT(v, all->asked);
  HC_VISIT(v, all->is_deciding);
  HC_VISIT(v, all->in_hand);
  HC_VISIT(v, all->prefilled);
  HC_VISIT(v, all->not_prefilled);
  HC_VISIT(v, all->prefill_held);
  return 0;
}
