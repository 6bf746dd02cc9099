/* yt_stopping.c -- tasks that are stopped for operations that starve, and for limits: see
 * policy/share/yt_stopping.h. */
#include "policy/share/yt_stopping.h"

#include "base/state.h"
#include "base/util.h"

/* An offer of one host, while it is decided on. */
typedef struct place {
  hc_view *view;
  hc_plan *plan;
  uint32_t host;
} place;

/* The stage of one host, while it lasts. */
typedef struct stage {
  const hc_yt_stopping *self;
  hc_time now;
  bool is_bad; /* for those who starve badly */
} stage;

/* Is this pool in, or is it, the other? */
static bool is_inside(const hc_yt *y, uint32_t pool, uint32_t other)
{
  while (pool > other) pool = y->pools[pool].parent; /* parents have lower numbers */
  return pool == other;
}

/* Who starves is not robbed; and what is in a pool that is short itself goes to others in that pool only. */
static bool is_protected(void *ctx, uint32_t victim, uint32_t taker)
{
  const stage *x = ctx;
  const hc_yt *y = x->self->y;
  const double content = x->is_bad ? x->self->o.badly_content : x->self->o.content;
  if (hc_yt_hunger(y, victim, x->now) != HC_POOL_FED) return true;
  for (uint32_t p = y->ops[victim].pool; p > 0; p = y->pools[p].parent) {
    const bool is_short =
        hc_yt_pool_hunger(y, p, x->now) != HC_POOL_FED || y->pools[p].satisfaction < content;
    if (is_short && (taker == HC_NO_RUNNER || !is_inside(y, y->ops[taker].pool, p))) return true;
  }
  return false;
}

static hc_task task_for(void *ctx, uint32_t op, const int64_t *room)
{
  const hc_yt_stopping *self = ((const stage *)ctx)->self;
  const uint32_t at = hc_yt_first(self->y, op, room, UINT64_MAX, self->o.head);
  const hc_yt_shape *s = at == HC_YT_NONE ? NULL : &self->y->ops[op].shapes[at];
  return s ? s->line[s->first].task : HC_NO_TASK;
}

/* Those who starve at least so much and wait, the least satisfied first. */
static hc_rc find_takers(hc_yt_stopping *self, hc_pool_hunger least, hc_time now, size_t *count)
{
  const hc_yt *y = self->y;
  size_t n = 0;
  TRY(hc_yt_sort(self->y));
  TRY(hc_reserve(self->allocator, (void **)&self->takers, &self->taker_cap, y->line_count,
                 sizeof *self->takers));
  for (size_t i = 0; i < y->line_count; i++)
    if (y->ops[y->line[i]].waiting > 0 && hc_yt_hunger_above(y, y->line[i], now) >= least)
      self->takers[n++] = y->line[i];
  *count = n;
  return 0;
}

/* Make room for one task of an operation that starves. @param looked out: there was one @return 1: it was
 * started; 0; or an error */
static hc_rc feed(hc_yt_stopping *self, const place *f, bool is_bad, bool *looked)
{
  stage ctx = {.self = self, .now = self->services->now(f->view), .is_bad = is_bad};
  hc_preempting_stage x = {.host = f->host,
                           .least = is_bad ? HC_STOPS_AGGRESSIVELY : HC_STOPS_FREELY,
                           .ctx = &ctx,
                           .is_protected = is_protected,
                           .task = task_for};
  TRY(find_takers(self, is_bad ? HC_POOL_STARVING_BADLY : HC_POOL_STARVING, ctx.now, &x.taker_count));
  if (x.taker_count == 0) return 0;
  *looked = true;
  x.takers = self->takers;
  return hc_preempting_run(&self->books, self->services, f->view, f->plan, &x, NULL, NULL);
}

static bool is_over_limit(const hc_yt *y, uint32_t op)
{
  for (uint32_t p = y->ops[op].pool; p > 0; p = y->pools[p].parent)
    for (uint32_t d = 0; d < y->dims; d++)
      if (y->pools[p].limit[d] != INT64_MAX && y->pools[p].used[d] > y->pools[p].limit[d]) return true;
  return false;
}

/* Of the tasks on the host whose pools are over a limit, the newest goes, until none is. */
static hc_rc trim(hc_yt_stopping *self, const place *f)
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
    for (uint32_t d = 0; d < y->dims; d++)
      if (y->pools[p].limit[d] != INT64_MAX && y->pools[p].used[d] > y->pools[p].limit[d]) return true;
  return false;
}

hc_rc hc_yt_stop_for(hc_yt_stopping *self, hc_view *v, hc_plan *p, uint32_t host)
{
  const place f = {v, p, host};
  const hc_time now = self->services->now(v);
  const bool trims = self->y->has_limits && any_over_limit(self->y);
  bool looked = trims;
  hc_rc rc = 0;
  if (!trims && hc_yt_hungry_at(self->y) > now) return 0;
  TRY(hc_reserve(self->allocator, (void **)&self->tried, &self->tried_cap, host + 1, sizeof *self->tried));
  while (self->tried_count <= host) self->tried[self->tried_count++] = HC_UNKNOWN;
  if (self->tried[host] != HC_UNKNOWN && now - self->tried[host] < self->o.backoff) return 0;
  if (self->o.badly) rc = feed(self, &f, true, &looked);
  if (rc == 0) rc = feed(self, &f, false, &looked);
  if (rc < 0) return rc;
  if (looked) self->tried[host] = now;
  self->n.preempting += (uint64_t)rc;
  return self->y->has_limits ? trim(self, &f) : 0;
}

hc_time hc_yt_stopping_presses(const hc_yt_stopping *self, hc_time now, uint32_t host)
{
  const hc_yt *y = self->y;
  hc_time at = y->has_limits && any_over_limit(y) ? now : hc_yt_hungry_at(y);
  if (host < self->tried_count && self->tried[host] != HC_UNKNOWN)
    at = HC_MAX(at, hc_time_add(self->tried[host], self->o.backoff));
  return at;
}

void hc_yt_stopping_init(hc_yt_stopping *self, const hc_policy_context *c, hc_yt *y,
                         const hc_yt_stopping_options *o, const hc_preempting_options *books)
{
  *self = (hc_yt_stopping){.allocator = c->allocator, .services = c->services, .y = y, .o = *o};
  hc_preempting_init(&self->books, c->allocator, books);
}

hc_rc hc_yt_stopping_visit(hc_yt_stopping *self, hc_visitor *v)
{
  HC_VISIT(v, self->n);
  HC_VISIT_ARRAY(v, self->tried, self->tried_count, self->tried_cap);
  return hc_preempting_visit(&self->books, v);
}

void hc_yt_stopping_fini(hc_yt_stopping *self)
{
  if (!self->allocator) return;
  hc_preempting_fini(&self->books);
  hc_free(self->allocator, self->tried, self->tried_cap * sizeof *self->tried);
  hc_free(self->allocator, self->takers, self->taker_cap * sizeof *self->takers);
}
