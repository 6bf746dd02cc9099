/* slack.c -- slack-based backfilling: every task is promised a start, and may be delayed past its plan, but
 * never past its promise.
 *
 * When a task is first seen it gets the start that a conservative plan gives it, plus its slack: `factor`
 * times its estimate. From then on a later task may jump ahead, even where that moves the plan of others, as
 * long as a conservative plan made after the jump still starts every task by its promise. With `factor: 0`
 * this is conservative backfilling; with a great factor nothing is protected. A task that may not start yet
 * (schedule_after) is promised its start when it is submitted.
 *
 * We keep to the cheap heuristic of the paper (queue order, first improvement), not its search over
 * prices. Only the first `depth` tasks are promised anything and can be delayed by no other; the rest wait
 * for their turn. Cost: O(candidates x depth x log running) a decision. Source: Talby and Feitelson,
 * IPPS/SPDP 1999, doi:10.1109/IPPS.1999.760517. */
#include "base/state.h"
#include "base/util.h"
#include "policy/birth.h"

typedef struct options {
  double factor;
  int64_t depth;
  bool ahead;
} options;

typedef struct promise {
  uint64_t serial;
  hc_time latest;
  hc_task task; /* its slot: another's once it is gone */
  uint32_t padding;
} promise;

struct hc_policy {
  hc_select_base base;
  options o;
  promise *promises; /* state: ascending by serial, of waiting tasks */
  size_t count, cap;
  hc_time wake_at;
};

static uint32_t flags(const void *opts)
{
  const uint32_t always = HC_NEEDS_ESTIMATE | HC_NEEDS_TIMELINE | HC_MAKES_RESERVATIONS | HC_BINDS_ITSELF;
  return ((const options *)opts)->ahead ? always | HC_PLANS_AHEAD : always;
}

static hc_rc init(const hc_policy_context *c, const void *opts, hc_policy **out, hc_error *e)
{
  HC_UNUSED(e);
  TRY(hc_select_new(c, sizeof **out, out));
  (*out)->o = *(const options *)opts;
  (*out)->wake_at = HC_NEVER;
  return 0;
}

/* ---- promises ---- */

static size_t position(const hc_policy *self, uint64_t serial)
{
  size_t low = 0, high = self->count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (self->promises[middle].serial < serial) low = middle + 1;
    else high = middle;
  }
  return low;
}

static hc_time promised(const hc_policy *self, uint64_t serial)
{
  size_t i = position(self, serial);
  return i < self->count && self->promises[i].serial == serial ? self->promises[i].latest : HC_UNKNOWN;
}

static hc_rc promise_new(hc_policy *self, uint64_t serial, hc_task t, hc_time latest)
{
  size_t i = position(self, serial);
  TRY(hc_reserve(self->base.allocator, (void **)&self->promises, &self->cap, self->count + 1,
                 sizeof(promise)));
  for (size_t k = self->count; k > i; k--) self->promises[k] = self->promises[k - 1];
  self->promises[i] = (promise){.serial = serial, .latest = latest, .task = t};
  self->count++;
  return 0;
}

static void promise_drop(hc_policy *self, uint64_t serial)
{
  size_t i = position(self, serial);
  if (i >= self->count || self->promises[i].serial != serial) return;
  self->count--;
  for (size_t k = i; k < self->count; k++) self->promises[k] = self->promises[k + 1];
}

/* Forget tasks that wait no more: one that was withdrawn, rejected, or given up leaves without a start. */
static void forget_gone(hc_policy *self, const hc_view *v)
{
  const hc_services *s = self->base.s;
  size_t kept = 0;
  for (size_t i = 0; i < self->count; i++) {
    const promise p = self->promises[i];
    if (s->serial(v, p.task) == p.serial && s->waits(v, p.task)) self->promises[kept++] = p;
  }
  self->count = kept;
}

static hc_rc start(hc_policy *self, hc_view *v, hc_plan *p, hc_task t)
{
  promise_drop(self, self->base.s->serial(v, t));
  return self->base.s->start(p, t, NULL, 0);
}

/* ---- plans ---- */

/* A conservative plan of the first tasks, `skip` being reserved already. @return false if it breaks a
 * promise. */
static hc_rc replan(hc_policy *self, hc_view *v, hc_plan *p, hc_task skip, bool *kept)
{
  const hc_services *s = self->base.s;
  hc_cursor at = {0};
  int64_t seen = 0;
  *kept = true;
  for (hc_task t; seen < self->o.depth && (t = s->next(v, HC_LIST_QUEUE, &at, NULL)) != HC_NO_TASK; seen++) {
    hc_time when, latest = promised(self, s->serial(v, t));
    if (t == skip) continue;
    when = s->earliest(v, t, s->now(v)).at;
    if (latest != HC_UNKNOWN && when > latest) {
      if (skip == s->asked(v)) s->note(v, skip, HC_NOTE_MOVES, t, latest, when);
      *kept = false;
      return 0;
    }
    if (when != HC_NEVER) TRY(s->reserve(p, t, when));
  }
  return 0;
}

/* Plans are taken back before the decision is over: so it is said here what they promise. */
static void explain_promise(const hc_policy *self, const hc_view *v, hc_task t, hc_time when)
{
  const hc_services *s = self->base.s;
  if (when == HC_NEVER) return;
  s->note(v, t, HC_NOTE_PROMISE, HC_NO_TASK, when, 0);
  s->note(v, t, HC_NOTE_DEADLINE, HC_NO_TASK, promised(self, s->serial(v, t)), 0);
}

/* The plan of now, in queue order: what it starts at once starts; who is new gets a promise. */
static hc_rc first_plan(hc_policy *self, hc_view *v, hc_plan *p, hc_time *next)
{
  const hc_services *s = self->base.s;
  hc_cursor at = {0};
  int64_t seen = 0;
  TRY(s->unreserve_all(p));
  for (hc_task t; seen < self->o.depth && (t = s->next(v, HC_LIST_QUEUE, &at, NULL)) != HC_NO_TASK; seen++) {
    hc_time when = s->earliest(v, t, s->now(v)).at, estimate = s->estimate(v, t);
    if (when == s->now(v) && s->fits(v, t)) {
      TRY(start(self, v, p, t));
      continue;
    }
    if (promised(self, s->serial(v, t)) == HC_UNKNOWN) {
      double slack = estimate == HC_NEVER ? 0 : self->o.factor * (double)estimate;
      TRY(promise_new(self, s->serial(v, t), t, hc_time_add(when, slack < 9e18 ? (hc_time)slack : HC_NEVER)));
    }
    if (when != HC_NEVER) TRY(s->reserve(p, t, when));
    *next = HC_MIN(*next, when);
    if (s->asked(v) != HC_NO_TASK) explain_promise(self, v, t, when);
  }
  return 0;
}

/* The same of the plan that follows a jump, which stands on the timeline. */
static void explain_plan(const hc_policy *self, const hc_view *v, hc_task skip)
{
  const hc_services *s = self->base.s;
  hc_cursor at = {0};
  int64_t seen = 0;
  s->note(v, skip, HC_NOTE_NONE, HC_NO_TASK, 0, 0);
  for (hc_task t; seen < self->o.depth && (t = s->next(v, HC_LIST_QUEUE, &at, NULL)) != HC_NO_TASK; seen++)
    if (t != skip) explain_promise(self, v, t, s->reserved(v, t));
}

static hc_rc decide(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  const hc_services *s = self->base.s;
  hc_cursor at = {0};
  hc_time next = HC_NEVER;
  bool kept;
  HC_UNUSED(why);
  forget_gone(self, v);
  TRY(first_plan(self, v, p, &next));
  while (self->o.factor > 0) {
    hc_filter fits = {.max_units = s->free_units(v), .max_estimate = HC_NEVER};
    hc_task t = s->next(v, HC_LIST_QUEUE, &at, &fits);
    if (t == HC_NO_TASK) break;
    TRY(s->unreserve_all(p));
    if (!s->fits(v, t)) continue; /* where places matter, enough free is not enough */
    TRY(s->reserve(p, t, s->now(v)));
    TRY(replan(self, v, p, t, &kept));
    if (kept && s->asked(v) != HC_NO_TASK) explain_plan(self, v, t);
    if (kept) TRY(start(self, v, p, t));
  }
  TRY(s->unreserve_all(p));
  if (next == HC_NEVER || next == self->wake_at) return 0;
  self->wake_at = next;
  return s->wake(p, next);
}

static hc_rc visit(hc_policy *self, hc_visitor *v)
{
  HC_VISIT_ARRAY(v, self->promises, self->count, self->cap);
  HC_VISIT(v, self->wake_at);
  return 0;
}

static void fini(hc_policy *self)
{
  hc_free(self->base.allocator, self->promises, self->cap * sizeof *self->promises);
  hc_select_free(self);
}

static const hc_param params[] = {
    HC_PARAM(REAL, options, factor, "1", "3", 0, 1e9, "Slack of a task, in multiples of its estimate."),
    HC_PARAM(INT, options, depth, "tasks", "200", 1, 1e6,
             "How many tasks, from the head of the queue, hold promises."),
    HC_PARAM(BOOL, options, ahead, "true",
             "Does a task that may not start yet (schedule_after) get its promise at its submission? false: "
             "it is hidden until its time."),
    {0}};

const hc_select_type hc_select_slack = {
    .component =
        {HC_COMPONENT_HEAD(hc_select_type, HC_KIND_SELECT), .name = "slack",
         .summary = "slack-based backfilling: no task starts later than promised, but promises have slack",
         .detail =
             "promise = start in a conservative plan when the task is first seen + factor x estimate; a task "
             "with schedule_after is seen as soon as it is submitted. On a cell of hosts plans name hosts, "
             "as those of conservative do.",
         .source = "Talby and Feitelson 1999, doi:10.1109/IPPS.1999.760517", .params = params,
         .options_size = sizeof(options)},
    .flags = flags,
    .init = init,
    .decide = decide,
    .visit = visit,
    .fini = fini,
};
