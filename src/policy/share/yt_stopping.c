/* yt_stopping.c -- tasks that are stopped for operations that starve, and for limits: see
 * policy/share/yt_stopping.h. */
#include "policy/share/yt_stopping.h"

#include "base/state.h"
#include "base/util.h"
#include "policy/preempting.h"
#include "policy/share/yt_modules.h"

struct hc_policy {
  const hc_allocator *allocator;
  const hc_services *services;
  hc_yt_stopping_options o;
  hc_yt *y;
  hc_preempting books;
  hc_time *tried; /* [tried_count] by host: when it was last looked at for one that starves; HC_UNKNOWN */
  size_t tried_count, tried_cap;
  uint32_t *takers; /* scratch */
  size_t taker_cap;
  struct {
    uint64_t preempting, over_limits; /* tasks started by stopping others; stopped for a limit */
    uint64_t told;                    /* to go, of graceful pools */
    uint64_t moved;                   /* stopped where their operation is bound to another module, or none */
  } n;
};

/* An offer of one host, while it is decided on. */
typedef struct place {
  hc_view *view;
  hc_plan *plan;
  uint32_t host;
} place;

/* The stage of one host, while it lasts. */
typedef struct stage {
  const hc_policy *self;
  hc_time now;
  uint32_t host;
  hc_pool_hunger least; /* for those that starve at least so much */
} stage;

/* Is this pool in, or is it, the other? */
static bool is_inside(const hc_yt *y, uint32_t pool, uint32_t other)
{
  while (pool > other) pool = y->turns->pools.parent[pool]; /* parents have lower numbers */
  return pool == other;
}

static bool is_protected(void *ctx, uint32_t victim, uint32_t taker)
{
  const stage *x = ctx;
  const hc_yt *y = x->self->y;
  const bool is_bad = x->least == HC_POOL_STARVING_BADLY;
  const double content = is_bad ? x->self->o.bad_content : x->self->o.content;
  if (y->ops[victim].is_graceful || hc_yt_hunger(y, victim, x->now) != HC_POOL_FED) return true;
  for (uint32_t p = y->ops[victim].pool; p > 0; p = y->turns->pools.parent[p]) {
    const bool is_short =
        hc_yt_pool_hunger(y, p, x->now) != HC_POOL_FED || y->pools[p].satisfaction < content;
    if (is_short && (taker == HC_NO_RUNNER || !is_inside(y, y->ops[taker].pool, p))) return true;
  }
  return false;
}

static hc_task task_for(void *ctx, uint32_t op, const int64_t *room)
{
  const hc_policy *self = ((const stage *)ctx)->self;
  const hc_books *b = &self->y->turns->books;
  const uint32_t at = hc_turns_first(self->y->turns, op, self->o.head ? NULL : room, UINT64_MAX);
  const hc_shape *s = at == HC_MAP_NONE ? NULL : &b->shapes[at];
  for (uint32_t d = 0; s && d < b->dims; d++)
    if (s->need[d] > room[d]) return HC_NO_TASK;
  return s ? s->heap[0].task : HC_NO_TASK;
}

/* Those that starve at least so much and have a queued task, the least satisfied first. */
static hc_rc find_takers(hc_policy *self, const stage *x, size_t *count)
{
  hc_ranking *r = &self->y->turns->ranking;
  *count = 0;
  TRY(hc_ranking_sort(r));
  TRY(hc_reserve(self->allocator, (void **)&self->takers, &self->taker_cap, r->count, sizeof *self->takers));
  for (size_t i = 0; i < r->count; i++)
    if (hc_yt_hunger_above(self->y, r->order[i], x->now) >= x->least &&
        hc_yt_admits(self->y, r->order[i], x->host))
      self->takers[(*count)++] = r->order[i];
  return 0;
}

/* Make room for one task of an operation that starves. @param looked out: there was one @return 1: it was
 * started; 0; or an error */
static hc_rc feed(hc_policy *self, const place *f, hc_pool_hunger least, bool *looked)
{
  stage ctx = {.self = self, .now = self->services->now(f->view), .host = f->host, .least = least};
  hc_preempting_stage x = {.host = f->host,
                           .least = least == HC_POOL_STARVING_BADLY ? HC_STOPS_AGGRESSIVELY : HC_STOPS_FREELY,
                           .ctx = &ctx,
                           .is_protected = is_protected,
                           .task = task_for};
  TRY(find_takers(self, &ctx, &x.taker_count));
  if (x.taker_count == 0) return 0;
  *looked = true;
  x.takers = self->takers;
  return hc_preempting_run(&self->books, self->services, f->view, f->plan, &x, NULL, NULL);
}

static bool is_over_limit(const hc_yt *y, uint32_t op)
{
  for (uint32_t p = y->ops[op].pool; p > 0; p = y->turns->pools.parent[p])
    for (uint32_t d = 0; d < y->turns->books.dims; d++)
      if (y->pools[p].limit[d] != INT64_MAX && y->pools[p].used[d] > y->pools[p].limit[d]) return true;
  return false;
}

/* Of the tasks on the host whose pools are over a limit, the newest goes, until none is. */
static hc_rc trim(hc_policy *self, const place *f)
{
  hc_preempting *b = &self->books;
  while (f->host < b->host_count) {
    const hc_preempting_host *h = &b->hosts[f->host];
    const hc_runner *newest = NULL;
    for (size_t i = 0; i < h->count; i++) {
      const hc_runner *x = &b->runners[b->pieces[h->pieces[i]].runner];
      if (!is_over_limit(self->y, x->member) || self->services->leaves(f->view, x->task) != HC_NEVER)
        continue; /* it has only just been started */
      if (!newest || x->started > newest->started ||
          (x->started == newest->started && x->serial > newest->serial))
        newest = x;
    }
    if (!newest) return 0;
    TRY(self->services->stop(f->plan, newest->task, &b->o.stopping));
    self->n.over_limits++;
  }
  return 0;
}

static bool any_over_limit(const hc_yt *y)
{
  for (uint32_t p = 1; p < y->pool_count; p++)
    for (uint32_t d = 0; d < y->turns->books.dims; d++)
      if (y->pools[p].limit[d] != INT64_MAX && y->pools[p].used[d] > y->pools[p].limit[d]) return true;
  return false;
}

/* The next task on the host that is to be told; HC_NO_TASK. */
static hc_task to_tell(hc_policy *self, const hc_view *v, uint32_t host)
{
  hc_preempting *b = &self->books;
  for (size_t i = 0; host < b->host_count && i < b->hosts[host].count; i++) {
    const hc_runner *r = &b->runners[b->pieces[b->hosts[host].pieces[i]].runner];
    if (self->y->ops[r->member].is_graceful && self->services->leaves(v, r->task) == HC_NEVER &&
        hc_preempting_class(b, r->serial) == HC_STOPS_FREELY)
      return r->task;
  }
  return HC_NO_TASK;
}

static hc_rc tell(hc_policy *self, const place *f)
{
  const hc_stopping how = {.how = (hc_stop)self->o.on_grace, .grace = self->o.grace};
  for (hc_task t; (t = to_tell(self, f->view, f->host)) != HC_NO_TASK;) {
    TRY(self->services->stop(f->plan, t, &how));
    self->n.told++;
  }
  return 0;
}

/* The next task on the host whose operation moves; HC_NO_TASK. */
static hc_task to_move(const hc_policy *self, const hc_view *v, uint32_t host)
{
  const hc_preempting *b = &self->books;
  for (size_t i = 0; host < b->host_count && i < b->hosts[host].count; i++) {
    const hc_runner *r = &b->runners[b->pieces[b->hosts[host].pieces[i]].runner];
    if (hc_yt_is_moving(self->y, r->member) && self->services->leaves(v, r->task) == HC_NEVER) return r->task;
  }
  return HC_NO_TASK;
}

static hc_rc clear(hc_policy *self, const place *f)
{
  for (hc_task t; (t = to_move(self, f->view, f->host)) != HC_NO_TASK;) {
    TRY(self->services->stop(f->plan, t, &self->books.o.stopping));
    self->n.moved++;
  }
  return 0;
}

static hc_rc run(hc_policy *self, hc_view *v, hc_plan *p, uint32_t host)
{
  const place f = {v, p, host};
  const hc_time now = self->services->now(v);
  const bool trims = self->y->has_limits && any_over_limit(self->y);
  bool looked = trims;
  hc_rc rc = 0;
  if (self->y->has_graceful) TRY(tell(self, &f));
  if (self->y->modules && self->y->modules->moving > 0) TRY(clear(self, &f));
  if (!trims && hc_yt_hungry_at(self->y) > now) return 0;
  TRY(hc_reserve(self->allocator, (void **)&self->tried, &self->tried_cap, (size_t)host + 1,
                 sizeof *self->tried));
  while (self->tried_count <= host) self->tried[self->tried_count++] = HC_UNKNOWN;
  if (self->tried[host] != HC_UNKNOWN && now - self->tried[host] < self->o.backoff) return 0;
  if (self->o.badly) rc = feed(self, &f, HC_POOL_STARVING_BADLY, &looked);
  if (rc == 0) rc = feed(self, &f, HC_POOL_STARVING, &looked);
  if (rc < 0) return rc;
  if (looked) self->tried[host] = now;
  self->n.preempting += (uint64_t)rc;
  return self->y->has_limits ? trim(self, &f) : 0;
}

static hc_time next_preemption(hc_policy *self, hc_time now, uint32_t host)
{
  const hc_yt *y = self->y;
  hc_time at = y->has_limits && any_over_limit(y) ? now : hc_yt_hungry_at(y);
  if (host < self->tried_count && self->tried[host] != HC_UNKNOWN)
    at = HC_MAX(at, hc_time_add(self->tried[host], self->o.backoff));
  if (y->has_graceful) at = HC_MIN(at, hc_time_add(y->updated_at, HC_MAX(y->o.update, 1)));
  if (y->modules) at = HC_MIN(at, y->modules->moving > 0 ? now : hc_yt_next_tick(y));
  return at;
}

/* ---- what is heard ---- */

static hc_rc on_task_event(hc_policy *self, const hc_view *v, hc_task_event what, hc_task t, uint32_t op,
                           const int64_t *amounts)
{
  return hc_preempting_hear(&self->books, self->services, v, what, t, op, amounts);
}

/* At a tick: what an operation is due, for the classes of its tasks. */
static hc_rc due(void *ctx, uint32_t op, const double *fair, const double *demand)
{
  hc_policy *self = ctx;
  const hc_turns *t = self->y->turns;
  double most[HC_DIMENSIONS], wants[HC_DIMENSIONS];
  if (self->books.dims == 0) self->books.dims = t->books.dims;
  for (uint32_t d = 0; d < t->books.dims; d++) {
    most[d] = fair[d] * (double)t->capacity[d];
    wants[d] = demand[d] * (double)t->capacity[d];
  }
  return hc_preempting_due(&self->books, op, most, wants);
}

/* ---- life ---- */

static hc_rc init(const hc_policy_context *c, const void *opts, const hc_preempt_asks *asks, hc_policy **out,
                  hc_error *e)
{
  const hc_yt_stopping_options *o = opts;
  const hc_preempting_options books = {.aggressive_threshold = o->bad_threshold,
                                       .threshold = o->threshold,
                                       .stopping = {.how = HC_STOP_REQUEUE},
                                       .victims = (hc_victims)o->victims};
  hc_policy *self = hc_alloc(c->allocator, sizeof *self);
  HC_UNUSED(e);
  if (!self) return HC_ENOMEM;
  *self = (struct hc_policy){
      .allocator = c->allocator, .services = c->services, .o = *o, .y = ((hc_turns *)asks->ctx)->yt};
  hc_preempting_init(&self->books, c->allocator, &books);
  self->y->due = due;
  self->y->ctx = self;
  *out = self;
  return 0;
}

static hc_rc visit(hc_policy *self, hc_visitor *v)
{
  HC_VISIT(v, self->n);
  HC_VISIT_ARRAY(v, self->tried, self->tried_count, self->tried_cap);
  return hc_preempting_visit(&self->books, v);
}

static void fini(hc_policy *self)
{
  hc_preempting_fini(&self->books);
  hc_free(self->allocator, self->tried, self->tried_cap * sizeof *self->tried);
  hc_free(self->allocator, self->takers, self->taker_cap * sizeof *self->takers);
  hc_free(self->allocator, self, sizeof *self);
}

void hc_yt_stopping_counts(const hc_policy *self, uint64_t *preempting, uint64_t *preempted)
{
  *preempting = self ? self->n.preempting : 0;
  *preempted = self ? self->books.stopped + self->n.over_limits + self->n.told + self->n.moved : 0;
}

const hc_preempt_type hc_yt_stopping = {
    .component = {HC_COMPONENT_HEAD(hc_preempt_type, HC_KIND_PREEMPT), .name = "yt"},
    .init = init,
    .on_task_event = on_task_event,
    .run = run,
    .next_preemption = next_preemption,
    .visit = visit,
    .fini = fini,
};
