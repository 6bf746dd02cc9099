/* yt.c -- YTsaurus's scheduler: operations in a tree of pools, vector fair shares, packing by refusal.
 *
 * Hosts are offered as they report. At each offer the operation that is least satisfied, of those that have a
 * task which fits, tries to start one, if its pools' limits allow it and the operation does not refuse the
 * host for a better one; if it starts, those who refused are asked again, since less is left. So until none
 * can, or wants. If all who could refused and nothing was started, the first of them starts one task all the
 * same.
 *
 * Fair shares are those of the last tick (policy/share/yt.h); satisfaction follows each start. The books are
 * exact: YTsaurus's own lag behind by up to 100 ms. Sources: the scheduler of YTsaurus and its simulator; the
 * thesis on packing in it. */
#include <stdio.h>
#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "hindcast/sharing.h"
#include "policy/share/yt.h"
#include "policy/share/yt_stopping.h"

#define JOB_NUMBER ((INT64_C(1) << 56) - 1) /* of a job's name: the rest is its source */

enum { OPERATION_JOB, OPERATION_USER };
enum { TASK_FIRST_FIT, TASK_HEAD };
enum { FALLBACK_NOTHING_STARTED, FALLBACK_ALL_REFUSED, FALLBACK_NONE };

enum { PREEMPTION_NONE, PREEMPTION_NORMAL };

typedef struct options {
  int operation, task, fallback, preemption, victims;
  hc_time update, starving_after, badly_after, backoff;
  double tolerance, threshold, bad_threshold, content, badly_content;
  bool caps, priorities;
  const char *main, *pools_file, *pool_tree;
  hc_list pools, weights;
  hc_chosen accept, eligibility;
} options;

/* Why an operation that waits was passed over at an offer. */
#define REASONS(X) \
  X(NO_FIT, "no_fit", "none of its tasks fits") \
  X(LIMITS, "limits", "a pool has its limit") \
  X(PACKING, "packing", "it refused")

enum {
#define X(name, word, text) REASON_##name,
  REASONS(X)
#undef X
      REASON_COUNT
};

typedef struct counts {
  uint64_t offers, starts, fallbacks, passed[REASON_COUNT];
} counts;

/* An operation at an offer. */
typedef struct candidate {
  uint32_t op;
  int out; /* -1: it may try; else why it may not */
} candidate;

struct hc_policy {
  const hc_allocator *allocator;
  const hc_services *services;
  const options *o;
  const hc_accept_type *accept_type;
  hc_policy *accept;
  hc_yt y;
  hc_yt_stopping stopping; /* if it preempts */
  uint64_t number;         /* of the offer */
  candidate *candidates;   /* by satisfaction */
  size_t count, cap;
  counts counts;
};

/* An offer of one host, while it is decided on. */
typedef struct offer {
  hc_policy *self;
  hc_view *view;
  hc_plan *plan;
  uint32_t host;
  int64_t free[HC_DIMENSIONS];
  size_t started, refused;
} offer;

typedef enum turn { TURN_STARTED, TURN_OUT } turn;

/* ---- candidates ---- */

static bool look(offer *f)
{
  const hc_policy *self = f->self;
  const int64_t *free = self->services->host_free(f->view, f->host, NULL);
  if (!free) return false;
  memcpy(f->free, free, self->y.dims * sizeof *free);
  return true;
}

static bool holds(const hc_yt *y, const int64_t *need, const int64_t *free)
{
  for (uint32_t d = 0; d < y->dims; d++)
    if (need[d] > free[d]) return false;
  return true;
}

/* Those who may have a task that fits, in their order. */
static hc_rc gather(offer *f)
{
  hc_policy *self = f->self;
  hc_yt *y = &self->y;
  size_t waiting = 0;
  TRY(hc_yt_sort(y));
  self->count = 0;
  TRY(hc_reserve(self->allocator, (void **)&self->candidates, &self->cap, y->line_count,
                 sizeof *self->candidates));
  for (size_t i = 0; i < y->line_count; i++) {
    const hc_yt_operation *o = &y->ops[y->line[i]];
    if (o->waiting == 0) continue;
    waiting++;
    if (holds(y, o->least, f->free)) self->candidates[self->count++] = (candidate){y->line[i], -1};
  }
  if (self->count == 0) return 0; /* nothing to say of an offer that none can use */
  self->counts.offers++;
  self->counts.passed[REASON_NO_FIT] += waiting - self->count;
  return 0;
}

/* Candidate `at` has started a task: it moves to where it stands now. */
static void move_on(hc_policy *self, size_t at)
{
  const candidate x = self->candidates[at];
  for (; at + 1 < self->count && hc_yt_is_before(&self->y, self->candidates[at + 1].op, x.op); at++)
    self->candidates[at] = self->candidates[at + 1];
  for (; at > 0 && hc_yt_is_before(&self->y, x.op, self->candidates[at - 1].op); at--)
    self->candidates[at] = self->candidates[at - 1];
  self->candidates[at] = x;
}

/* ---- a turn ---- */

static turn pass(hc_policy *self, candidate *c, int why)
{
  c->out = why;
  self->counts.passed[why]++;
  return TURN_OUT;
}

/* Start the first task of a shape, if its operation wants it there. @return a turn, HC_EPOLICY: it cannot; or an error */
static hc_rc start(offer *f, candidate *c, hc_yt_shape *s, bool asks)
{
  hc_policy *self = f->self;
  const hc_range one = {f->host, 1};
  const hc_task task = s->line[s->first].task;
  int64_t need[HC_DIMENSIONS], free[HC_DIMENSIONS];
  hc_offer o = {.user = c->op, .host = f->host, .dimensions = self->y.dims, .which = self->y.which};
  hc_rc rc;
  o.view = f->view;
  o.task = task;
  o.now = self->services->now(f->view);
  o.is_forced = !asks;
  o.capacity = self->y.capacity;
  o.need = memcpy(need, s->need, self->y.dims * sizeof *need);
  o.free = memcpy(free, f->free, self->y.dims * sizeof *free);
  if (asks && self->accept_type->accepts) {
    if (!self->services->fits(f->view, task))
      return HC_EPOLICY; /* nobody is asked about what it cannot use */
    if (!self->accept_type->accepts(self->accept, &o)) {
      if (self->services->explaining(f->view))
        self->services->explain(f->view, task,
                                "its operation refuses host %u: better ones were offered lately", f->host);
      f->refused++;
      rc = self->accept_type->noted ? self->accept_type->noted(self->accept, &o, false) : 0;
      return rc < 0 ? rc : (hc_rc)pass(self, c, REASON_PACKING);
    }
  }
  rc = self->services->start(f->plan, task, &one, 1);
  if (rc == 0 && self->accept_type->noted) rc = self->accept_type->noted(self->accept, &o, true);
  return rc < 0 ? rc : TURN_STARTED;
}

/* The first of its tasks that fits and may be started. @return a turn, or an error */
static hc_rc take_turn(offer *f, candidate *c, bool asks)
{
  hc_policy *self = f->self;
  hc_yt *y = &self->y;
  for (;;) {
    const uint32_t at = hc_yt_first(y, c->op, f->free, self->number, self->o->task == TASK_HEAD);
    hc_yt_shape *s;
    hc_rc rc;
    if (at == HC_YT_NONE) return (hc_rc)pass(self, c, REASON_NO_FIT);
    s = &y->ops[c->op].shapes[at];
    if (!hc_yt_allows(y, c->op, s)) return (hc_rc)pass(self, c, REASON_LIMITS);
    rc = start(f, c, s, asks);
    if (rc != HC_EPOLICY) return rc;
    y->ops[c->op].shapes[at].tried = self->number; /* its slots or its rules do not fit there */
  }
}

/* Candidate `at` has started: less is left, for which those who refused are asked again. */
static void ask_again(offer *f, size_t at)
{
  hc_policy *self = f->self;
  (void)look(f);
  move_on(self, at);
  for (size_t i = 0; i < self->count; i++)
    if (self->candidates[i].out == REASON_PACKING) self->candidates[i].out = -1;
  f->started++;
  f->refused = 0;
  self->counts.starts++;
}

static hc_rc regular(offer *f)
{
  hc_policy *self = f->self;
  size_t i = 0;
  while (i < self->count) {
    hc_rc rc;
    if (self->candidates[i].out >= 0) {
      i++;
      continue;
    }
    rc = take_turn(f, &self->candidates[i], true);
    if (rc < 0) return rc;
    if (rc != TURN_STARTED) continue;
    ask_again(f, i);
    i = 0;
  }
  return 0;
}

/* Those who could refused: the first of them starts one whether it wants it or not. */
static hc_rc insist(offer *f)
{
  hc_policy *self = f->self;
  if (f->refused == 0 || self->o->fallback == FALLBACK_NONE) return 0;
  if (self->o->fallback == FALLBACK_NOTHING_STARTED && f->started > 0) return 0;
  for (size_t i = 0; i < self->count; i++) {
    hc_rc rc;
    if (self->candidates[i].out != REASON_PACKING) continue;
    rc = take_turn(f, &self->candidates[i], false);
    if (rc < 0) return rc;
    if (rc != TURN_STARTED) continue;
    self->counts.starts++;
    self->counts.fallbacks++;
    f->started++;
    return 0;
  }
  return 0;
}

/* ---- offers ---- */

static hc_rc offer_host(hc_policy *self, hc_view *v, hc_plan *p, uint32_t host)
{
  offer f = {.self = self, .view = v, .plan = p, .host = host};
  if (!look(&f)) return 0;
  self->number++;
  TRY(gather(&f));
  TRY(regular(&f));
  TRY(insist(&f));
  return self->o->preemption == PREEMPTION_NONE ? 0 : hc_yt_stop_for(&self->stopping, v, p, host);
}

static hc_time next_preemption(hc_policy *self, hc_time now, uint32_t host)
{
  return self->o->preemption == PREEMPTION_NONE ? HC_NEVER
                                                : hc_yt_stopping_presses(&self->stopping, now, host);
}

static hc_rc decide(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  const hc_range *hosts;
  const size_t n = self->services->scope(v, &hosts);
  const hc_time now = self->services->now(v);
  HC_UNUSED(why);
  if (self->y.is_broken) return HC_ENOMEM;
  if (self->y.dims == 0) return 0; /* nobody has come yet */
  TRY(hc_yt_advance(&self->y, now, true));
  for (size_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < hosts[i].count; k++) TRY(offer_host(self, v, p, hosts[i].first + k));
  return 0;
}

static hc_rc on_task_event(hc_policy *self, const hc_view *v, hc_task_event what, hc_task t,
                           const int64_t *amounts)
{
  uint32_t op;
  TRY(hc_yt_hear(&self->y, v, what, t, amounts, &op));
  if (self->accept_type->on_task_event) TRY(self->accept_type->on_task_event(self->accept, v, what, t, op));
  if (self->o->preemption == PREEMPTION_NONE) return 0;
  return hc_preempting_hear(&self->stopping.books, self->services, v, what, t, op, amounts);
}

static hc_rc cell_changed(hc_policy *self, const hc_view *v)
{
  const hc_time now = self->services->now(v);
  if (self->y.dims == 0) return 0; /* whoever comes first looks at it */
  TRY(hc_yt_advance(&self->y, now, false));
  return hc_yt_look_at_cell(&self->y, v, now);
}

/* ---- the result ---- */

static hc_rc pool_figures(const hc_yt *y, uint32_t pool, hc_findings *out)
{
  const hc_pool *x = hc_pools_at(&y->tree, pool);
  char name[64];
  for (uint32_t d = 0; d < y->dims; d++) {
    const char *dimension = hc_lexicon_dimension_name(y->lexicon, y->which[d]);
    (void)snprintf(name, sizeof name, "fair_%.40s", dimension);
    TRY(hc_find_cell(out, "yt_pools", pool, name, "1", x->fair[d]));
    (void)snprintf(name, sizeof name, "usage_%.40s", dimension);
    TRY(hc_find_cell(out, "yt_pools", pool, name, "1", (double)y->pools[pool].used[d] * y->part[d]));
  }
  return 0;
}

static hc_rc operation_figures(const hc_yt *y, const hc_yt_operation *o, hc_findings *out)
{
  const hc_pool *x = hc_pools_at(&y->tree, o->node);
  const int64_t key = o->job >= 0 ? o->job & JOB_NUMBER : o->user;
  char name[64];
  for (uint32_t d = 0; d < y->dims; d++) {
    const char *dimension = hc_lexicon_dimension_name(y->lexicon, y->which[d]);
    (void)snprintf(name, sizeof name, "fair_%.40s", dimension);
    TRY(hc_find_cell(out, "yt_operations", key, name, "1", x->fair[d]));
    (void)snprintf(name, sizeof name, "usage_%.40s", dimension);
    TRY(hc_find_cell(out, "yt_operations", key, name, "1", (double)o->used[d] * y->part[d]));
  }
  return 0;
}

static hc_rc finish(hc_policy *self, hc_findings *out)
{
  const counts *n = &self->counts;
  const hc_yt *y = &self->y;
  static const char *const passed[] = {
#define X(name, word, text) "yt_passed_" word,
      REASONS(X)
#undef X
  };
  TRY(hc_find_count(out, "yt_offers", "offers", (int64_t)n->offers));
  TRY(hc_find_count(out, "yt_starts", "tasks", (int64_t)n->starts));
  TRY(hc_find_count(out, "yt_fallbacks", "tasks", (int64_t)n->fallbacks));
  TRY(hc_find_count(out, "yt_preempting", "tasks", (int64_t)self->stopping.n.preempting));
  TRY(hc_find_count(out, "yt_preempted", "tasks",
                    (int64_t)(self->stopping.books.stopped + self->stopping.n.over_limits)));
  TRY(hc_find_count(out, "yt_updates", "updates", (int64_t)y->updates));
  for (int i = 0; i < REASON_COUNT; i++)
    TRY(hc_find_count(out, passed[i], "operations", (int64_t)n->passed[i]));
  for (uint32_t i = 0; i < y->pool_count && y->dims > 0; i++) TRY(pool_figures(y, i, out));
  for (uint32_t i = 0; i < y->op_count; i++)
    if (y->ops[i].is_here && y->ops[i].node != HC_POOL_NONE) TRY(operation_figures(y, &y->ops[i], out));
  return self->accept_type->finish ? self->accept_type->finish(self->accept, out) : 0;
}

static hc_rc note(const hc_policy *self, hc_buffer *out)
{
  hc_dues_note(&self->y.dues, out);
  return out->failed ? HC_ENOMEM : 0;
}

/* ---- life ---- */

static uint32_t flags(const void *opts)
{
  const options *o = opts;
  const hc_accept_type *accept = (const hc_accept_type *)o->accept.type;
  const uint32_t more = accept->flags ? accept->flags(o->accept.options) : 0;
  return more | HC_SHARES | HC_NEEDS_SCOPE | HC_ASKS_JOBS | HC_TIME_DEPENDENT |
         (o->preemption == PREEMPTION_NONE ? 0 : HC_MAY_PREEMPT);
}

static void parts(const void *opts, hc_policy_parts *out)
{
  const options *o = opts;
  out->eligibility = &o->eligibility;
}

static void gone(void *ctx, uint32_t op)
{
  hc_policy *self = ctx;
  if (self->accept_type->forget) self->accept_type->forget(self->accept, op);
}

/* What it is due, for the classes of its tasks. */
static hc_rc due(void *ctx, uint32_t op, const double *fair, const double *demand)
{
  hc_policy *self = ctx;
  const hc_yt *y = &self->y;
  double most[HC_DIMENSIONS], wants[HC_DIMENSIONS];
  if (self->stopping.books.dims == 0) self->stopping.books.dims = y->dims;
  for (uint32_t d = 0; d < y->dims; d++) {
    most[d] = fair[d] * (double)y->capacity[d];
    wants[d] = demand[d] * (double)y->capacity[d];
  }
  return hc_preempting_due(&self->stopping.books, op, most, wants);
}

static hc_rc init(const hc_policy_context *c, const void *opts, hc_policy **out, hc_error *e)
{
  const options *o = opts;
  const hc_yt_options y = {.update = o->update,
                           .by_user = o->operation == OPERATION_USER,
                           .by_priority = o->priorities,
                           .caps = o->caps,
                           .main = o->main,
                           .pools = &o->pools,
                           .pools_file = o->pools_file,
                           .pool_tree = o->pool_tree,
                           .weights = &o->weights,
                           .tolerance = o->tolerance,
                           .starving_after = o->starving_after,
                           .badly_after = o->badly_after};
  const hc_yt_stopping_options stopping = {.backoff = o->backoff,
                                           .badly = o->badly_after != HC_NEVER,
                                           .head = o->task == TASK_HEAD,
                                           .content = o->content,
                                           .badly_content = o->badly_content};
  const hc_preempting_options books = {.aggressive_threshold = o->bad_threshold,
                                       .threshold = o->threshold,
                                       .stopping = {.how = HC_STOP_REQUEUE},
                                       .victims = (hc_victims)o->victims};
  hc_policy *self = hc_alloc(c->allocator, sizeof *self);
  if (!self) return HC_ENOMEM;
  self->allocator = c->allocator;
  self->services = c->services;
  self->o = o;
  self->accept_type = (const hc_accept_type *)o->accept.type;
  *out = self;
  hc_yt_stopping_init(&self->stopping, c, &self->y, &stopping, &books);
  if (self->accept_type->pace)
    return hc_fail(
        e, HC_EUNSUPPORTED, "policy yt", 0, 0,
        "under %s tasks run longer on some hosts than on others, which yt does not do: use the policy fair",
        o->accept.type->name);
  TRY(hc_yt_init(&self->y, c, &y, e));
  self->y.gone = gone;
  self->y.due = o->preemption == PREEMPTION_NONE ? NULL : due;
  self->y.ctx = self;
  return self->accept_type->init ? self->accept_type->init(c, o->accept.options, &self->accept, e) : 0;
}

static hc_rc visit(hc_policy *self, hc_visitor *v)
{
  HC_VISIT(v, self->counts);
  TRY(hc_yt_visit(&self->y, v));
  if (self->o->preemption != PREEMPTION_NONE) TRY(hc_yt_stopping_visit(&self->stopping, v));
  return self->accept_type->visit ? self->accept_type->visit(self->accept, v) : 0;
}

static void fini(hc_policy *self)
{
  if (self->accept && self->accept_type->fini) self->accept_type->fini(self->accept);
  hc_yt_fini(&self->y);
  hc_yt_stopping_fini(&self->stopping);
  hc_free(self->allocator, self->candidates, self->cap * sizeof *self->candidates);
  hc_free(self->allocator, self, sizeof *self);
}

static const hc_param params[] = {
    HC_PARAM(CHOICE, options, operation, "job|user", "job",
             "Who shares. job: each job, as an operation is one; a task of no job is one by itself. user: "
             "all tasks of a user."),
    HC_PARAM(COMPONENTS, options, pools, HC_KIND_POOL, NULL,
             "The tree of pools: [{name: research, weight: 2, strong: [cpu=30%], users: [ann, ben]}]. "
             "Operations of no declared pool are children of the root."),
    HC_PARAM(TEXT, options, pools_file, NULL,
             "Path of pools as YTsaurus's simulator has them, YSON or JSON: they stand before `pools`."),
    HC_PARAM(TEXT, options, pool_tree, NULL,
             "Which of the trees of pools_file. Default: the file is one tree."),
    HC_PARAM(TEXTS, options, weights, NULL,
             "Weights of users' operations: [17=2, ann=0.5]; others have weight 1."),
    HC_PARAM(BOOL, options, priorities, "false",
             "An operation's weight is also multiplied by the priority of its first task, if that is above "
             "0."),
    HC_PARAM(TEXT, options, main, "cpu",
             "The main dimension: guarantees that say nothing of another follow it."),
    HC_PARAM(TIME, options, update, "s", "200ms", 0, 1e6,
             "How often fair shares are computed, at multiples of this; 0: whenever a host is offered and "
             "anything changed."),
    HC_PARAM(BOOL, options, caps, "true",
             "An operation is due at most what could run of its tasks on the empty cell, host by host."),
    HC_PARAM(REAL, options, tolerance, "1", "0.8", 0, 1,
             "An operation or a pool is below its fair share if it holds less than this part of it."),
    HC_PARAM(TIME, options, starving_after, "s", "30s", 0, 1e9,
             "It starves when it has been below for longer than this."),
    HC_PARAM(TIME, options, badly_after, "s", "never", 0, 1e10,
             "It starves badly (aggressively) when it has been below for longer than this; YTsaurus, where "
             "it is switched on: 2m."),
    HC_PARAM(CHOICE, options, preemption, "none|normal", "normal",
             "normal: for an operation that starves, or is in a pool that does, tasks of others are "
             "stopped, at most one task's room at an offer; what they did is lost. For those who starve "
             "badly (badly_after) more may be stopped."),
    HC_PARAM(TIME, options, backoff, "s", "5s", 0, 1e9, "How long a host is then left alone."),
    HC_PARAM(REAL, options, threshold, "1", "1", 0, 1e6,
             "Tasks of an operation may be stopped that started when it held this part of its fair share."),
    HC_PARAM(REAL, options, bad_threshold, "1", "0.2", 0, 1e6,
             "The part of its fair share that an operation keeps, as `threshold` says, where room is made "
             "for those who starve badly."),
    HC_PARAM(REAL, options, content, "1", "1", 0, 1e6,
             "Tasks in a pool whose satisfaction is below this, or that starves, are stopped for others in "
             "that pool only."),
    HC_PARAM(REAL, options, badly_content, "1", "0.2", 0, 1e6,
             "As `content`, where room is made for those who starve badly."),
    HC_PARAM(CHOICE, options, victims, HC_VICTIMS, "newest",
             "Of tasks of one class, who is stopped first: newest, the last that started, as YTsaurus; "
             "oldest; least_lost: the dominant share of what it holds x the time that it ran; "
             "most_over_share: whose operation is most above its fair share."),
    HC_PARAM(CHOICE, options, task, "first_fit|head", "first_fit",
             "What an operation starts: the first of its tasks that fits, or only its first task, as in "
             "YTsaurus's simulator."),
    HC_PARAM(COMPONENT, options, accept, HC_KIND_ACCEPT, "always",
             "What an operation says to a host on which its task fits: `refusal` is packing. Each has a "
             "memory of its own."),
    HC_PARAM(CHOICE, options, fallback, "nothing_started|all_refused|none", "nothing_started",
             "If those who could start a task have refused, the first of them starts one all the same. "
             "nothing_started: only if nothing was started at this offer, as YTsaurus; all_refused: also "
             "else, as the thesis says; none: never."),
    HC_PARAM(COMPONENT, options, eligibility, HC_KIND_ELIGIBILITY, "always",
             "Which hosts may be used now, by what they are and how loaded they are."),
    {0}};

static const char *const figures[] = {
    "yt_offers|offers|none|hosts that were offered and on which a queued task could have fitted, by its amounts",
    "yt_starts|tasks|none|starts, of those that preemption made room for not counted",
    "yt_fallbacks|tasks|lower|of them, those that were started though their operations refused",
    "yt_passed_no_fit|operations|none|times that an operation was passed over at such an offer since none of its tasks fitted",
    "yt_passed_limits|operations|none|since a pool would have held more than its limit",
    "yt_passed_packing|operations|none|since it refused",
    "yt_preempting|tasks|none|starts that preemption made room for",
    "yt_preempted|tasks|lower|tasks that were stopped for them, or since their pools held more than their limits",
    "yt_updates|updates|none|ticks at which fair shares were computed",
    "yt_pools.fair_*|1|none|fair share of a pool at the last tick, by dimension; the key is its number in the list, 0 the root",
    "yt_pools.usage_*|1|none|what it held at the end",
    "yt_operations.fair_*|1|none|fair share of an operation at the last tick; the key is its job, or its user",
    "yt_operations.usage_*|1|none|what it held at the end",
    NULL};

const hc_policy_type hc_policy_yt = {
    .component =
        {HC_COMPONENT_HEAD(hc_policy_type, HC_KIND_POLICY), .figures = figures, .name = "yt",
         .summary =
             "YTsaurus's scheduler: vector fair shares of operations in a tree of pools, packing, preemption",
         .detail =
             "For the architecture heartbeat. At an offer the least satisfied operation that has a task which fits goes first; "
             "fair shares, satisfaction and starvation are those of docs/fair-shares.md. The thesis on packing is accept: {use: "
             "refusal, at_first: 5, window: 15, better: 2}, YTsaurus's default without packing accept: always. Guarantees that are "
             "more than there is are scaled. Not modelled: graceful preemption, priorities inferred from history, tags and "
             "GPU modules, the order of fifo pools at an offer (it is in the fair shares).",
         .source = "the scheduler of YTsaurus and its simulator; the thesis on packing in it",
         .params = params, .options_size = sizeof(options)},
    .flags = flags,
    .parts = parts,
    .init = init,
    .decide = decide,
    .visit = visit,
    .fini = fini,
    .on_task_event = on_task_event,
    .finish = finish,
    .note = note,
    .next_preemption = next_preemption,
    .cell_changed = cell_changed,
};
