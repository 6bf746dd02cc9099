/* sleeping.c -- another policy, on hosts that are switched off when they have been idle for a while and on
 * when the first queued task needs them.
 *
 * The policy that it is put around decides as ever, on the hosts that are on. If after that the first task of
 * the queue that may start does not fit, hosts that are off are switched on, the lowest first, until there is
 * room for it on those that are on and those that start, by amounts; where more than amounts decides, one
 * more whenever none starts. While a task waits no host is switched off. Else each goes off that has been
 * idle for `idle_after`, but for the lowest `keep` of those that are idle, which the next task may have at
 * once. Both take their time: a host that stops, or starts, runs nothing.
 *
 * What is saved is up to `idle_after` against how long tasks wait for hosts to start: a question for a
 * study. No power is computed here. The other policy keeps no books of tasks (fair, yt and gang do), and does
 * not promise hosts ahead. Cost: O(hosts) a decision. Source for time-outs: Benini, Bogliolo and De Micheli,
 * IEEE TVLSI 8(3), 2000, pp. 299-316. */
#include "base/state.h"
#include "base/util.h"
#include "policy/around.h"

typedef struct options {
  hc_around_options around;
  hc_time idle_after, off, on;
  int64_t keep;
} options;

typedef struct sleeper {
  hc_policy around;
  const options *o;
  const hc_cell_spec *cell;
  hc_time *idle_since; /* [units]; HC_NEVER: it is not idle, or not on */
  hc_time armed;       /* the last wake-up that was asked for */
} sleeper;

/* Nothing is on it. */
static bool is_idle(const hc_services *s, hc_view *v, uint32_t host)
{
  const int64_t *has, *free = s->host_free(v, host, &has);
  bool any = false;
  for (uint32_t d = 0; d < s->dimensions(v); d++) {
    if (free[d] != has[d]) return false;
    any |= has[d] > 0;
  }
  return any && s->powered(v, host) == HC_POWER_ON;
}

static void watch(sleeper *self, hc_view *v)
{
  const hc_services *s = self->around.s;
  for (uint32_t h = 0; h < self->cell->units; h++) {
    if (!is_idle(s, v, h)) self->idle_since[h] = HC_NEVER;
    else if (self->idle_since[h] == HC_NEVER) self->idle_since[h] = s->now(v);
  }
}

/* ---- on ---- */

/* How many slots of a task fit into these amounts; of one that names none, one into an idle host. */
static int64_t room_in(const hc_services *s, hc_view *v, hc_task t, const int64_t *free, bool idle)
{
  int64_t n = INT64_MAX;
  for (uint32_t d = 0; d < s->dimensions(v); d++) {
    const int64_t need = s->demand(v, t, d);
    if (need > 0) n = HC_MIN(n, HC_MAX(free[d], 0) / need);
  }
  return n == INT64_MAX ? idle : n;
}

/* The same of a host that is not on yet. */
static int64_t room_of(const sleeper *self, hc_view *v, hc_task t, uint32_t host)
{
  const hc_services *s = self->around.s;
  const int64_t *capacity = self->cell->classes[self->cell->class_of[host]].capacity;
  int64_t has[HC_DIMENSIONS];
  for (uint32_t d = 0; d < s->dimensions(v); d++) has[d] = capacity[s->dimension_id(v, d)];
  return room_in(s, v, t, has, true);
}

/* The first that waits and may start. */
static hc_task first(const hc_services *s, hc_view *v)
{
  hc_cursor at = {0};
  hc_task t;
  do t = s->next(v, HC_LIST_QUEUE, &at, NULL);
  while (t != HC_NO_TASK && s->not_before(v, t) > s->now(v));
  return t;
}

static hc_rc wake_hosts(const sleeper *self, hc_view *v, hc_plan *p, hc_task head)
{
  const hc_services *s = self->around.s;
  int64_t missing = s->slots(v, head);
  uint32_t starting = 0;
  for (uint32_t h = 0; h < self->cell->units && missing > 0; h++) {
    const hc_power_state state = s->powered(v, h);
    if (state == HC_POWER_STARTING) missing -= HC_MIN(room_of(self, v, head, h), missing);
    if (state == HC_POWER_ON)
      missing -= HC_MIN(room_in(s, v, head, s->host_free(v, h, NULL), is_idle(s, v, h)), missing);
  }
  for (uint32_t h = 0; h < self->cell->units; h++) starting += s->powered(v, h) == HC_POWER_STARTING;
  if (missing <= 0 && starting == 0) missing = 1;
  for (uint32_t h = 0; h < self->cell->units && missing > 0; h++) {
    const hc_power_state state = s->powered(v, h);
    const int64_t room = room_of(self, v, head, h);
    if ((state != HC_POWER_OFF && state != HC_POWER_STOPPING) || room <= 0) continue;
    TRY(s->power(p, h, true, self->o->on));
    missing -= HC_MIN(room, missing);
  }
  return 0;
}

/* ---- off ---- */

static hc_rc stop_hosts(sleeper *self, hc_view *v, hc_plan *p)
{
  const hc_services *s = self->around.s;
  const hc_time now = s->now(v);
  hc_time next = HC_NEVER;
  int64_t kept = 0;
  for (uint32_t h = 0; h < self->cell->units; h++) {
    if (self->idle_since[h] == HC_NEVER || kept++ < self->o->keep) continue;
    const hc_time due = hc_time_add(self->idle_since[h], self->o->idle_after);
    const hc_rc rc = due <= now ? s->power(p, h, false, self->o->off) : 0;
    if (rc < 0 && rc != HC_EPOLICY) return rc;
    if (due > now) next = HC_MIN(next, due);
  }
  if (next == HC_NEVER || next == self->armed) return 0;
  self->armed = next;
  return s->wake(p, next);
}

/* ---- the policy ---- */

static hc_rc decide(hc_policy *base, hc_view *v, hc_plan *p, const hc_why *why)
{
  sleeper *self = (sleeper *)base;
  const hc_services *s = base->s;
  if (s->queued(v) > 0) TRY(hc_around_decide(base, v, p, why));
  const hc_task head = first(s, v);
  watch(self, v);
  if (head == HC_NO_TASK) return stop_hosts(self, v, p);
  return s->fits(v, head) ? 0 : wake_hosts(self, v, p, head);
}

static uint32_t flags(const void *opts)
{
  return (hc_around_flags(opts) | HC_MAY_POWER) & ~(uint32_t)HC_HEAD_ONLY;
}

/* One that bounds what hosts draw counts those that it does not use as idle. */
static hc_rc check_draw(const hc_policy_context *c, const void *opts, hc_error *e)
{
  static const double none[HC_POWER_PARTS];
  if (!(hc_around_flags(opts) & HC_BOUNDS_DRAW) || !c->watts) return 0;
  for (uint32_t h = 0; h < c->cell->units; h++) {
    const double idle = c->watts(c->watts_ctx, h, HC_POWER_ON, none);
    const double most = HC_MAX(c->watts(c->watts_ctx, h, HC_POWER_STOPPING, none),
                               c->watts(c->watts_ctx, h, HC_POWER_STARTING, none));
    if (most > idle)
      return hc_fail(e, HC_EUNSUPPORTED, "policy sleeping", 0, 0,
                     "a host that is switched draws %g W, and %g W when it is idle, for which the cap of the "
                     "policy within counts it: leave out the cap, or sleeping",
                     most, idle);
  }
  return 0;
}

static hc_rc init(const hc_policy_context *c, const void *opts, hc_policy **out, hc_error *e)
{
  const uint32_t within = hc_around_flags(opts);
  if ((within & HC_MAY_POWER) && (within & HC_GOES_BY_BOOKS))
    return hc_fail(e, HC_EUNSUPPORTED, "policy sleeping", 0, 0,
                   "the policy within switches hosts off and on itself: use it alone");
  TRY(check_draw(c, opts, e));
  TRY(hc_around_init(c, opts, "sleeping", sizeof(sleeper), out, e));
  sleeper *self = (sleeper *)*out;
  self->o = opts;
  self->cell = c->cell;
  self->armed = HC_UNKNOWN;
  self->idle_since = hc_alloc(c->allocator, c->cell->units * sizeof *self->idle_since);
  if (!self->idle_since) return HC_ENOMEM;
  for (uint32_t h = 0; h < c->cell->units; h++) self->idle_since[h] = HC_NEVER;
  return 0;
}

static hc_rc visit(hc_policy *base, hc_visitor *v)
{
  sleeper *self = (sleeper *)base;
  HC_VISIT(v, self->armed);
  TRY(hc_visit_bytes(v, self->idle_since, self->cell->units * sizeof *self->idle_since));
  return hc_around_visit(base, v);
}

static void fini(hc_policy *base)
{
  sleeper *self = (sleeper *)base;
  if (self->idle_since)
    hc_free(base->allocator, self->idle_since, self->cell->units * sizeof *self->idle_since);
  hc_around_fini(base);
}

static const hc_param params[] = {
    HC_AROUND_PARAM(options, around.policy),
    HC_PARAM(TIME, options, idle_after, "s", "10m", 0, 1e9,
             "How long a host is idle before it is switched off."),
    HC_PARAM(TIME, options, off, "s", "1m", 0, 1e9, "How long it takes to switch a host off."),
    HC_PARAM(TIME, options, on, "s", "3m", 0, 1e9, "How long it takes to switch a host on."),
    HC_PARAM(INT, options, keep, "hosts", "0", 0, 1e9,
             "Number of idle hosts that stay on, the lowest by number, so that tasks that arrive find these "
             "at once."),
    {0}};

const hc_policy_type hc_policy_sleeping = {
    .component = {HC_COMPONENT_HEAD(hc_policy_type, HC_KIND_POLICY), .name = "sleeping",
                  .summary = "another policy, on hosts that are switched off while they are idle",
                  .detail =
                      "A host that has been idle for `idle_after` while no task waits is switched off. When "
                      "the first task of the queue does not fit, as many hosts are switched on as it needs. "
                      "In the result both show as hosts that go away and return.",
                  .source = "Benini, Bogliolo and De Micheli, IEEE TVLSI 8(3), 2000 (time-outs)",
                  .params = params, .options_size = sizeof(options)},
    .flags = flags,
    .parts = hc_around_parts,
    .init = init,
    .decide = decide,
    .outcome = hc_around_outcome,
    .visit = visit,
    .fini = fini,
    .finish = hc_around_finish,
};
