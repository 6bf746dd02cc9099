/* starving.c -- users that have long had less than a fair share take room from those that have more.
 *
 * A user's fair share is the weighted DRF fill of the cell with demands as caps: what it uses and what its
 * waiting tasks ask for, scaled down until all fit. It is computed anew at whole multiples of `update`, from
 * what held before that time, and only if something has changed since; so it does not matter when it is
 * looked at. A user is below its share if min(tolerance x share, demand) is above what it uses in each
 * dimension that is not blocked (share >= demand), or in one if all are; with tolerance 1 if its whole demand
 * is within its share. Below for more than `timeout` it starves.
 *
 * On a host that is offered, what is free and what may be stopped there is offered to those who starve, in
 * the order of their turns: see preempting.h. A user that starves, and is still below its share at that
 * moment, has no task stopped. First those who starve aggressively, if that is switched on, then the others;
 * the first task that starts ends it. With a grace, what was promised in this way counts as used until the
 * grace is over, or one user's hunger would clear many hosts.
 *
 * Source: YTsaurus's scheduler: the values of the parameters are its defaults. There, the share is that of a
 * tree of pools. */
#include <string.h>

#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "hindcast/sharing.h"
#include "policy/preempt_how.h"
#include "policy/share/fair.h"
#include "policy/share/pools.h"

typedef struct options {
  hc_time timeout, aggressive_timeout, update;
  double tolerance, threshold, aggressive_threshold;
  int victims;
  hc_preempt_how how;
} options;

typedef struct member {
  double fair[HC_DIMENSIONS], demand[HC_DIMENSIONS]; /* amounts, as at the last update */
  hc_time since;                                     /* below its share; HC_NEVER: it is not */
} member;

/* Room that is made, with a grace. */
typedef struct promise {
  hc_time until;
  uint64_t member;
  int64_t amount[HC_DIMENSIONS];
} promise;

struct hc_policy {
  const hc_allocator *allocator;
  const hc_services *services;
  const options *o;
  hc_preempt_asks asks;
  hc_preempting books;
  member *members;
  size_t member_count, member_cap;
  promise *promises;
  size_t promise_count, promise_cap;
  hc_time changed;  /* when something did, that no update has seen; HC_NEVER: nothing */
  hc_time earliest; /* `since` of the user that has been below longest; HC_NEVER */
  uint32_t *takers; /* scratch */
  size_t taker_count, taker_cap;
  double *demand, *weight, *tasks; /* scratch of the fill */
  size_t demand_cap, weight_cap, tasks_cap;
};

/* ---- fair shares ---- */

/* When what changed at `t` is first looked at: what happens at the very time of an update is not seen by it.
 */
static hc_time update_after(const hc_policy *self, hc_time t)
{
  const hc_time period = self->o->update;
  return period == 0 ? t : hc_time_add(t - t % period, period);
}

static hc_rc make_room(hc_policy *self, uint32_t users, uint32_t dims)
{
  const hc_allocator *a = self->allocator;
  TRY(hc_reserve(a, (void **)&self->members, &self->member_cap, users, sizeof *self->members));
  while (self->member_count < users) self->members[self->member_count++] = (member){.since = HC_NEVER};
  TRY(hc_reserve(a, (void **)&self->demand, &self->demand_cap, (size_t)users * dims, sizeof *self->demand));
  TRY(hc_reserve(a, (void **)&self->weight, &self->weight_cap, (size_t)users * 2, sizeof *self->weight));
  return hc_reserve(a, (void **)&self->tasks, &self->tasks_cap, users, sizeof *self->tasks);
}

static double tolerance_of(const hc_policy *self, const member *m, uint32_t dims)
{
  for (uint32_t d = 0; d < dims; d++)
    if (m->demand[d] > m->fair[d]) return self->o->tolerance;
  return 1;
}

static bool is_below(const hc_policy *self, const member *m, const double *usage)
{
  const uint32_t dims = self->asks.dimensions(self->asks.ctx);
  return hc_pool_is_below(dims, m->fair, usage, m->demand, tolerance_of(self, m, dims));
}

static hc_rc fill(hc_policy *self, uint32_t users, uint32_t dims)
{
  const hc_preempt_asks *asks = &self->asks;
  double capacity[HC_DIMENSIONS], *most = self->weight + users;
  const hc_fair_problem problem = {.users = users,
                                   .dims = dims,
                                   .capacity = capacity,
                                   .demand = self->demand,
                                   .weight = self->weight,
                                   .most = most};
  for (uint32_t d = 0; d < dims; d++) capacity[d] = (double)asks->capacity(asks->ctx, d);
  for (uint32_t i = 0; i < users; i++) {
    hc_preempt_member m;
    asks->member(asks->ctx, i, &m);
    self->weight[i] = m.weight;
    most[i] = 1;
    for (uint32_t d = 0; d < dims; d++)
      self->demand[(size_t)i * dims + d] = (double)m.used[d] + (double)m.wanted[d];
  }
  return hc_fair_drf(self->allocator, &problem, self->tasks, NULL);
}

/* @param at the time of the update. After an error it can be made again: what has changed is still to be
 * seen. */
static hc_rc update(hc_policy *self, hc_time at)
{
  const hc_preempt_asks *asks = &self->asks;
  const uint32_t users = asks->count(asks->ctx), dims = asks->dimensions(asks->ctx);
  hc_time earliest = HC_NEVER;
  TRY(make_room(self, users, dims));
  TRY(fill(self, users, dims));
  for (uint32_t i = 0; i < users; i++) {
    member *m = &self->members[i];
    const double part = self->tasks[i] > 1 - 1e-9 ? 1 : self->tasks[i];
    double usage[HC_DIMENSIONS];
    hc_preempt_member user;
    asks->member(asks->ctx, i, &user);
    for (uint32_t d = 0; d < dims; d++) {
      m->demand[d] = self->demand[(size_t)i * dims + d];
      m->fair[d] = part * m->demand[d];
      usage[d] = (double)user.used[d];
    }
    TRY(hc_preempting_due(&self->books, i, m->fair, m->demand));
    if (user.waiting == 0 || !is_below(self, m, usage)) m->since = HC_NEVER;
    else if (m->since == HC_NEVER) m->since = at;
    earliest = HC_MIN(earliest, m->since);
  }
  self->changed = HC_NEVER;
  self->earliest = earliest;
  return 0;
}

static hc_rc advance_to(hc_policy *self, hc_time now)
{
  hc_time at;
  if (self->changed == HC_NEVER || self->asks.dimensions(self->asks.ctx) == 0) return 0;
  at = update_after(self, self->changed);
  return at <= now && (self->o->update > 0 || at < now) ? update(self, at) : 0;
}

static hc_rc on_task_event(hc_policy *self, const hc_view *v, hc_task_event what, hc_task t, uint32_t user,
                           const int64_t *amounts)
{
  if (self->changed == HC_NEVER) self->changed = self->services->now(v);
  return hc_preempting_hear(&self->books, self->services, v, what, t, user, amounts);
}

/* ---- which users starve ---- */

static void drop_promises(hc_policy *self, hc_time now)
{
  size_t kept = 0;
  for (size_t i = 0; i < self->promise_count; i++)
    if (self->promises[i].until > now) self->promises[kept++] = self->promises[i];
  self->promise_count = kept;
}

/* What it has now, and has been promised. */
static void usage_of(const hc_policy *self, uint32_t user, double *usage)
{
  const uint32_t dims = self->asks.dimensions(self->asks.ctx);
  hc_preempt_member m;
  self->asks.member(self->asks.ctx, user, &m);
  for (uint32_t d = 0; d < dims; d++) usage[d] = (double)m.used[d];
  for (size_t i = 0; i < self->promise_count; i++)
    for (uint32_t d = 0; self->promises[i].member == user && d < dims; d++)
      usage[d] += (double)self->promises[i].amount[d];
}

static hc_pool_hunger hunger_of(const hc_policy *self, uint32_t user, hc_time now)
{
  const options *o = self->o;
  if (user >= self->member_count) return HC_POOL_FED;
  return hc_pool_starves(self->members[user].since, now, o->timeout,
                         o->aggressive_timeout > 0 ? o->aggressive_timeout : HC_NEVER);
}

static bool is_protected(void *ctx, uint32_t user, uint32_t taker)
{
  const hc_policy *self = ctx;
  HC_UNUSED(taker);
  for (size_t i = 0; i < self->taker_count; i++)
    if (self->takers[i] == user) return true;
  return false;
}

static hc_task task_of(void *ctx, uint32_t user, const int64_t *room)
{
  const hc_policy *self = ctx;
  return self->asks.first(self->asks.ctx, user, room);
}

static bool goes_first(const hc_policy *self, uint32_t x, uint32_t y, hc_time now)
{
  const hc_pool_hunger hx = hunger_of(self, x, now), hy = hunger_of(self, y, now);
  return hx != hy ? hx > hy : self->asks.before(self->asks.ctx, x, y);
}

/* Those who starve and are still below their shares, in the order of their turns; those who starve badly in
 * front. */
static hc_rc gather(hc_policy *self, hc_time now, size_t *badly)
{
  const uint32_t users = self->asks.count(self->asks.ctx);
  *badly = self->taker_count = 0;
  TRY(hc_reserve(self->allocator, (void **)&self->takers, &self->taker_cap, users, sizeof *self->takers));
  for (uint32_t i = 0; i < users; i++) {
    const hc_pool_hunger hunger = hunger_of(self, i, now);
    double usage[HC_DIMENSIONS];
    size_t at = self->taker_count;
    if (hunger == HC_POOL_FED) continue;
    usage_of(self, i, usage);
    if (!is_below(self, &self->members[i], usage)) continue;
    for (; at > 0 && goes_first(self, i, self->takers[at - 1], now); at--)
      self->takers[at] = self->takers[at - 1];
    self->takers[at] = i;
    self->taker_count++;
    *badly += hunger == HC_POOL_STARVING_BADLY;
  }
  return 0;
}

/* With a grace the room belongs to a user before it is there. */
static hc_rc promise_room(hc_policy *self, hc_view *v, uint32_t user, hc_task t)
{
  const hc_services *s = self->services;
  promise *p;
  TRY(hc_reserve(self->allocator, (void **)&self->promises, &self->promise_cap, self->promise_count + 1,
                 sizeof *self->promises));
  p = &self->promises[self->promise_count++];
  *p = (promise){.until = hc_time_add(s->now(v), self->o->how.grace), .member = user};
  for (uint32_t d = 0; d < s->dimensions(v); d++) p->amount[d] = HC_MAX(s->demand(v, t, d), 0);
  return 0;
}

static hc_rc stage(hc_policy *self, hc_view *v, hc_plan *p, uint32_t host, hc_stop_class least,
                   const uint32_t *takers, size_t count)
{
  const hc_preempting_stage x = {.host = host,
                                 .least = least,
                                 .ctx = self,
                                 .is_protected = is_protected,
                                 .takers = takers,
                                 .taker_count = count,
                                 .task = task_of};
  uint32_t taker;
  hc_task task;
  hc_rc rc = hc_preempting_run(&self->books, self->services, v, p, &x, &taker, &task);
  if (rc == 1 && self->o->how.grace > 0) TRY(promise_room(self, v, taker, task));
  return rc;
}

static hc_rc run(hc_policy *self, hc_view *v, hc_plan *p, uint32_t host)
{
  const hc_time now = self->services->now(v);
  size_t badly;
  hc_rc rc = 0;
  if (self->changed != HC_NEVER && self->o->update == 0) TRY(update(self, now));
  if (self->earliest == HC_NEVER || now <= hc_time_add(self->earliest, self->o->timeout)) return 0;
  drop_promises(self, now);
  TRY(gather(self, now, &badly));
  if (badly > 0) rc = stage(self, v, p, host, HC_STOPS_AGGRESSIVELY, self->takers, badly);
  if (rc == 0) rc = stage(self, v, p, host, HC_STOPS_FREELY, self->takers, self->taker_count);
  return rc;
}

/* No user can starve before it has been below its share for `timeout`: since some update, or one that is
 * still to come. */
static hc_time next_preemption(hc_policy *self, hc_time now, uint32_t host)
{
  hc_time since = self->earliest, at, ready;
  HC_UNUSED(now);
  if (self->changed != HC_NEVER) since = HC_MIN(since, update_after(self, self->changed));
  if (since == HC_NEVER) return HC_NEVER;
  at = hc_time_add(hc_time_add(since, self->o->timeout), 1);
  ready = host == HC_NO_HOST ? HC_UNKNOWN : hc_preempting_ready(&self->books, host);
  return ready == HC_UNKNOWN ? at : HC_MAX(at, ready);
}

/* ---- life ---- */

static hc_rc init(const hc_policy_context *c, const void *opts, const hc_preempt_asks *asks, hc_policy **out,
                  hc_error *e)
{
  const options *o = opts;
  const hc_preempting_options books = {.aggressive_threshold = o->aggressive_threshold,
                                       .threshold = o->threshold,
                                       .backoff = o->how.backoff,
                                       .stopping = hc_preempt_how_stopping(&o->how),
                                       .victims = (hc_victims)o->victims};
  hc_policy *self;
  TRY(hc_preempt_how_check(&o->how, "preempt starving", e));
  if (o->aggressive_threshold > o->threshold)
    return hc_fail(
        e, HC_EUSAGE, "preempt starving", 0, 0,
        "aggressive_threshold is above threshold, and a user that starves longer must not find less: set it "
        "to at most %g",
        o->threshold);
  if (o->aggressive_timeout > 0 && o->aggressive_timeout < o->timeout)
    return hc_fail(
        e, HC_EUSAGE, "preempt starving", 0, 0,
        "aggressive_timeout is shorter than timeout: set it to at least that, or to 0 to switch it off");
  self = hc_alloc(c->allocator, sizeof *self);
  if (!self) return HC_ENOMEM;
  self->allocator = c->allocator;
  self->services = c->services;
  self->o = o;
  self->asks = *asks;
  self->changed = self->earliest = HC_NEVER;
  hc_preempting_init(&self->books, c->allocator, &books);
  *out = self;
  return 0;
}

static hc_rc visit(hc_policy *self, hc_visitor *v)
{
  TRY(hc_preempting_visit(&self->books, v));
  HC_VISIT(v, self->changed);
  HC_VISIT(v, self->earliest);
  HC_VISIT_ARRAY(v, self->members, self->member_count, self->member_cap);
  HC_VISIT_ARRAY(v, self->promises, self->promise_count, self->promise_cap);
  return 0;
}

static void fini(hc_policy *self)
{
  const hc_allocator *a = self->allocator;
  hc_preempting_fini(&self->books);
  hc_free(a, self->members, self->member_cap * sizeof *self->members);
  hc_free(a, self->promises, self->promise_cap * sizeof *self->promises);
  hc_free(a, self->takers, self->taker_cap * sizeof *self->takers);
  hc_free(a, self->demand, self->demand_cap * sizeof *self->demand);
  hc_free(a, self->weight, self->weight_cap * sizeof *self->weight);
  hc_free(a, self->tasks, self->tasks_cap * sizeof *self->tasks);
  hc_free(a, self, sizeof *self);
}

static const hc_param params[] = {
    HC_PARAM(TIME, options, timeout, "s", "30s", 0, 1e9,
             "A user starves if it has been below its fair share for longer than this."),
    HC_PARAM(REAL, options, tolerance, "1", "0.8", 0, 1,
             "A user is below its fair share if it has less than this part of it; the part is 1 for a user "
             "whose whole demand is within its share."),
    HC_PARAM(TIME, options, aggressive_timeout, "s", "0", 0, 1e9,
             "A user that has been below its fair share for longer than this may take room from within other "
             "users' shares, down to aggressive_threshold. YTsaurus has 120s where it is switched on. 0: no "
             "user may."),
    HC_PARAM(REAL, options, threshold, "1", "1", 0, 1e6,
             "Tasks beyond this part of their user's fair share may be stopped for a user that starves."),
    HC_PARAM(REAL, options, aggressive_threshold, "1", "0.2", 0, 1e6,
             "Tasks beyond this part of their user's fair share may be stopped for a user that has starved "
             "for aggressive_timeout."),
    HC_PARAM(TIME, options, update, "s", "200ms", 0, 1e9,
             "How often fair shares are computed anew, if something has changed. 0: whenever they are "
             "needed."),
    HC_PARAM(CHOICE, options, victims, HC_VICTIMS, "newest",
             "Which task of a class is stopped first. newest: the last that started; oldest: the first that "
             "started; least_lost: the one with the least dominant share x time since its work was saved; "
             "most_over_share: one of the user that is most above its share."),
    HC_PREEMPT_HOW_PARAMS(options, how, "5s"),
    {0}};

const hc_preempt_type hc_preempt_starving = {
    .component =
        {HC_COMPONENT_HEAD(hc_preempt_type, HC_KIND_PREEMPT), .name = "starving",
         .summary = "users that have had less than their fair share for long take room from users that have "
                    "more",
         .detail =
             "The fair share of a user is the weighted DRF fill of the cell with demands as caps. Three "
             "classes of running tasks, by what the user holds in tasks that started earlier, in all "
             "dimensions in which the share is less than the demand: below aggressive_threshold x share a "
             "task is never stopped; below threshold x share it is stopped only for users that have starved "
             "for aggressive_timeout; else it is stopped for any user that starves. On an offered host at "
             "most one task starts in this way, and no more tasks are stopped than it needs, those of the "
             "last class first. Tasks of users that starve are not stopped.",
         .source = "the scheduler of YTsaurus", .params = params, .options_size = sizeof(options)},
    .init = init,
    .advance_to = advance_to,
    .on_task_event = on_task_event,
    .run = run,
    .next_preemption = next_preemption,
    .visit = visit,
    .fini = fini,
};
