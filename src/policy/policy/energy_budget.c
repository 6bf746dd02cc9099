/* energy_budget.c -- EASY backfilling under a budget of energy that accrues evenly over a period.
 *
 * From `begin` on the machine may draw budget / period for each second, and what it does not draw it may
 * draw later: up to any time within the period, no more than has accrued. Idle processors draw, too. A task
 * starts if its processors are free and, by the estimates of all that runs, what has accrued covers what is
 * drawn at every time until all have ended: as no task runs past its estimate (`overrun: run_on` and
 * predictors are refused), the budget holds at every instant. After the period there is none.
 *
 * The first task that cannot start is promised the earliest time at which it could, by processors and by
 * energy. A later task may start before it if the first could still start at that time: so it takes neither
 * its processors nor its energy. Delaying a task by d leaves what it draws in d more at every time before
 * its end, and no less after it: so that whether it may start is monotone in time, and the earliest is found
 * by halving. Where tasks end early the promise is made anew.
 *
 * What is drawn is that of the run's `power` on a cell that counts processors: `idle`, or `peak` of one that
 * a task holds. Books are kept of what tasks take and give back, so that they are exact between decisions;
 * so it is the only scheduler (HC_GOES_BY_BOOKS).
 * Cost: O(running) for each queued task, 60 times that for the first. Source: Dutot, Georgiou, Glesser,
 * Lefevre, Poquet and Rais, Towards energy budget control in HPC, CCGRID 2017 (energyBud). */
#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "hindcast/policy.h"

typedef struct options {
  hc_chosen order;
  double budget;
  hc_time begin, period;
} options;

typedef struct claim {
  hc_time end; /* by its estimate */
  int64_t units;
} claim;

struct hc_policy {
  const hc_services *s;
  const hc_allocator *allocator;
  const options *o;
  double idle, more; /* W of the machine; of a processor that is busy, beside that */
  claim *claims;     /* [count] of what runs, by its end */
  size_t count, cap;
  /* state */
  int64_t held;  /* processors, by tasks */
  double drawn;  /* J since `begin`, up to `since` */
  hc_time since; /* HC_UNKNOWN: nothing has happened */
  hc_time armed; /* the last wake-up that was asked for */
};

static uint32_t flags(const void *opts)
{
  const options *o = opts;
  const hc_order_type *order = (const hc_order_type *)o->order.type;
  return HC_NEEDS_ESTIMATE | HC_NEEDS_TIMELINE | HC_GOES_BY_BOOKS | HC_BOUNDS_DRAW |
         (order->flags ? order->flags(o->order.options) : 0);
}

static void parts(const void *opts, hc_policy_parts *out)
{
  out->order = &((const options *)opts)->order;
}

/* ---- birth ---- */

static void fini(hc_policy *self)
{
  hc_free(self->allocator, self->claims, self->cap * sizeof *self->claims);
  hc_free(self->allocator, self, sizeof *self);
}

#define WRONG(rc, ...) hc_fail(e, rc, "policy energy_budget", 0, 0, __VA_ARGS__)

static double seconds(hc_time t)
{
  return (double)t / 1e9;
}

static hc_rc check(const hc_policy_context *c, const options *o, hc_error *e)
{
  if (!c->cell || c->cell->granularity == HC_CELL_HOSTS)
    return WRONG(HC_EUNSUPPORTED,
                 "what a task draws is known by its processors alone, and this cell has hosts: use a "
                 "cell that counts processors, or the selector capped");
  if (!c->watts)
    return WRONG(HC_EUSAGE,
                 "nothing says what processors draw: add `power`, such as `power: {use: linear, idle: 100, "
                 "peak: 200}`");
  if (!(o->budget > 0) || o->period <= 0)
    return WRONG(HC_EUSAGE, "give `budget`, in J, and `period`, in which it accrues, both above 0");
  return 0;
}

static hc_rc init(const hc_policy_context *c, const void *opts, hc_policy **out, hc_error *e)
{
  const options *o = opts;
  TRY(check(c, o, e));
  hc_policy *self = hc_alloc(c->allocator, sizeof *self);
  if (!self) return HC_ENOMEM;
  *self = (hc_policy){
      .s = c->services, .allocator = c->allocator, .o = o, .since = HC_UNKNOWN, .armed = HC_UNKNOWN};
  *out = self;
  const double one = c->watts(c->watts_ctx, 0, HC_POWER_ON, (const double[HC_POWER_PARTS]){0});
  self->idle = one * (double)c->cell->units;
  self->more = c->watts(c->watts_ctx, 0, HC_POWER_ON, (const double[HC_POWER_PARTS]){1}) - one;
  const double rate = o->budget / seconds(o->period);
  if (self->idle <= rate) return 0;
  return WRONG(HC_EUSAGE,
               "idle processors draw %g W, and the budget accrues by %g W: no task could ever start",
               self->idle, rate);
}

/* ---- what was drawn ---- */

static void advance(hc_policy *self, hc_time now)
{
  const hc_time from = HC_MAX(self->since, self->o->begin);
  if (self->since == HC_UNKNOWN) self->drawn += self->idle * seconds(HC_MAX(now - self->o->begin, 0));
  else if (now > from) self->drawn += (self->idle + self->more * (double)self->held) * seconds(now - from);
  self->since = now;
}

static hc_rc on_task_event(hc_policy *self, const hc_view *v, hc_task_event what, hc_task t,
                           const int64_t *amounts)
{
  HC_UNUSED(t);
  if (what != HC_TASK_EVENT_ALLOCATED && what != HC_TASK_EVENT_RELEASED) return 0;
  advance(self, self->s->now(v));
  self->held += what == HC_TASK_EVENT_ALLOCATED ? amounts[0] : -amounts[0];
  return 0;
}

/* ---- what will be ---- */

static hc_time period_end(const hc_policy *self)
{
  return hc_time_add(self->o->begin, self->o->period);
}

/* In J; below what doubles lose it is none. */
static bool is_covered(const hc_policy *self, hc_time at, double drawn)
{
  if (at <= self->o->begin || at > period_end(self)) return true;
  return drawn <= self->o->budget * (seconds(at - self->o->begin) / seconds(self->o->period) + 1e-12);
}

static int64_t held_by_claims(const hc_policy *self)
{
  int64_t sum = 0;
  for (size_t i = 0; i < self->count; i++) sum += self->claims[i].units;
  return sum;
}

/* What is drawn from one time to another by so many processors, within the period. */
static double drawn_in(const hc_policy *self, hc_time from, hc_time to, double units)
{
  from = HC_MAX(from, self->o->begin);
  to = HC_MIN(to, period_end(self));
  return to > from ? (self->idle + self->more * units) * seconds(to - from) : 0;
}

/* Could so many processors be held from `at` on for so long, beside all claims, whose ends are in order? */
static bool could(const hc_policy *self, hc_time now, hc_time at, hc_time length, int64_t units,
                  int64_t capacity)
{
  const hc_time end = hc_time_add(at, length), stop = period_end(self);
  int64_t others = held_by_claims(self);
  double drawn = self->drawn;
  hc_time t = now;
  bool has_room = false;
  for (size_t i = 0; t < stop || !has_room;) {
    const hc_time next_end = i < self->count ? self->claims[i].end : HC_NEVER;
    hc_time next = HC_MIN(next_end, stop > t ? stop : HC_NEVER);
    if (at > t) next = HC_MIN(next, at);
    else if (end > t) next = HC_MIN(next, end);
    if (!has_room && t >= at) {
      if (others + units > capacity) return false;
      has_room = true;
    }
    if (next == HC_NEVER) break;
    drawn += drawn_in(self, t, next, (double)others + (t >= at && t < end ? (double)units : 0));
    if (!is_covered(self, next, drawn)) return false;
    for (t = next; i < self->count && self->claims[i].end <= t; i++) others -= self->claims[i].units;
  }
  return has_room || others + units <= capacity;
}

/* The earliest start of a task beside all claims; HC_NEVER: none. */
static hc_time earliest(const hc_policy *self, hc_time now, hc_time length, int64_t units, int64_t capacity)
{
  hc_time low = now, high = HC_MAX(period_end(self), now);
  if (self->count > 0) high = HC_MAX(high, self->claims[self->count - 1].end);
  if (high == HC_NEVER || !could(self, now, high, length, units, capacity)) return HC_NEVER;
  while (low < high) {
    const hc_time middle = low + (high - low) / 2;
    if (could(self, now, middle, length, units, capacity)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/* ---- deciding ---- */

static hc_rc insert(hc_policy *self, hc_time end, int64_t units)
{
  TRY(hc_reserve(self->allocator, (void **)&self->claims, &self->cap, self->count + 1, sizeof *self->claims));
  size_t at = self->count++;
  for (; at > 0 && self->claims[at - 1].end > end; at--) self->claims[at] = self->claims[at - 1];
  self->claims[at] = (claim){.end = end, .units = units};
  return 0;
}

static void take_out(hc_policy *self, hc_time end, int64_t units)
{
  size_t at = 0;
  while (self->claims[at].end != end || self->claims[at].units != units) at++;
  for (self->count--; at < self->count; at++) self->claims[at] = self->claims[at + 1];
}

static hc_rc read_claims(hc_policy *self, hc_view *v)
{
  const hc_services *s = self->s;
  const hc_task *running;
  const size_t n = s->running(v, &running);
  self->count = 0;
  for (size_t i = 0; i < n; i++) TRY(insert(self, s->expected_end(v, running[i]), s->units(v, running[i])));
  return 0;
}

/* Start it if it can be. @param first  HC_NO_TASK, or the task that must be able to start at `promised` all
 * the same. @return 1, 0 or an error */
static hc_rc start(hc_policy *self, hc_view *v, hc_plan *p, hc_task t, hc_task first, hc_time promised)
{
  const hc_services *s = self->s;
  const hc_time now = s->now(v), length = s->estimate(v, t), end = hc_time_add(now, length);
  const int64_t units = s->units(v, t), capacity = s->capacity(v, 0);
  if (!s->fits(v, t) || !could(self, now, now, length, units, capacity)) return 0;
  TRY(insert(self, end, units));
  const bool is_harmless = first == HC_NO_TASK || promised == HC_NEVER ||
                           could(self, now, promised, s->estimate(v, first), s->units(v, first), capacity);
  if (is_harmless) {
    TRY(s->start(p, t, NULL, 0));
    return 1;
  }
  take_out(self, end, units);
  return 0;
}

/* Nothing else may happen at the time at which enough has accrued. */
static hc_rc wake(hc_policy *self, hc_plan *p, hc_time now, hc_time at)
{
  if (at == HC_NEVER || at <= now || at == self->armed) return 0;
  self->armed = at;
  return self->s->wake(p, at);
}

static hc_rc decide(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  const hc_services *s = self->s;
  const hc_time now = s->now(v);
  hc_task t, first = HC_NO_TASK;
  hc_time promised = HC_NEVER;
  hc_cursor at = {0};
  HC_UNUSED(why);
  advance(self, now);
  TRY(read_claims(self, v));
  while ((t = s->next(v, HC_LIST_QUEUE, &at, NULL)) != HC_NO_TASK) {
    hc_rc rc;
    TRY(rc = start(self, v, p, t, first, promised));
    if (rc == 1 || first != HC_NO_TASK) continue;
    first = t;
    promised = earliest(self, now, s->estimate(v, t), s->units(v, t), s->capacity(v, 0));
    if (promised != HC_NEVER) s->note(v, t, HC_NOTE_PROMISE, HC_NO_TASK, promised, 0);
    TRY(wake(self, p, now, promised));
  }
  return 0;
}

static hc_rc visit(hc_policy *self, hc_visitor *v)
{
  HC_VISIT(v, self->held);
  HC_VISIT(v, self->drawn);
  HC_VISIT(v, self->since);
  HC_VISIT(v, self->armed);
  return 0;
}

static const hc_param params[] = {
    HC_PARAM(COMPONENT, options, order, HC_KIND_ORDER, "fcfs", "How the queue is sorted."),
    HC_PARAM(REAL, options, budget, "J", "0", 0, 1e18,
             "Energy that the machine may draw in the period, idle processors included. Required."),
    HC_PARAM(TIME, options, period, "s", "1d", 0, 9e9,
             "How long it takes until the whole budget has accrued."),
    HC_PARAM(TIME, options, begin, "s", "0", 0, 9e9, "When the period begins, since the run's origin."),
    {0}};

const hc_policy_type hc_policy_energy_budget = {
    .component =
        {HC_COMPONENT_HEAD(hc_policy_type, HC_KIND_POLICY), .name = "energy_budget",
         .summary = "EASY backfilling under a budget of energy that accrues over a period",
         .detail =
             "The energy that the machine has drawn since `begin` never exceeds what has accrued, budget / "
             "period for each second, by the run's `power` and the estimates of tasks; tasks that would draw "
             "more wait. The first queued task is promised the earliest time at which it has its processors "
             "and its energy, and later ones start only if it can still start then. Energy that is not drawn "
             "stays for later in the period; after the period there is no bound. For cells that count "
             "processors.",
         .source = "Dutot, Georgiou, Glesser, Lefevre, Poquet and Rais, CCGRID 2017", .params = params,
         .options_size = sizeof(options)},
    .flags = flags,
    .parts = parts,
    .init = init,
    .decide = decide,
    .visit = visit,
    .fini = fini,
    .on_task_event = on_task_event,
};
