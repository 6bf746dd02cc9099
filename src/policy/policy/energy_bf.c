/* energy_bf.c -- backfilling in which hosts that nothing is planned on sleep: batsched's energy
 * policies, a strategy each.
 *
 * At each decision all is planned anew: each queued task, in order, gets the lowest hosts at the
 * earliest time at which enough are idle for as long as it is believed to run (`plan: first`: only the
 * first that cannot start now, and those behind it that can), a host that sleeps is woken for it if the
 * others will never do, and a strategy (policy/sleep) says which hosts sleep. What begins now is carried
 * out. Between two of these a host sleeps at least as long as it takes until that has saved what
 * switching it off and on costs.
 *
 * A task has its hosts whole. Where more than amounts decides (features, zones, licences) and a task
 * whose turn it is may not start on its hosts, it starts where the placement finds room among those that
 * are awake; if there is none, no host goes to sleep, and one more is woken whenever none starts.
 *
 * Cost a decision: O(queued x pieces of the plan x hosts / 64), for `dichotomy` log hosts times that.
 * Source: energy_bf, energy_bf_dicho, energy_bf_idle_sleeper, energy_bf_monitoring_inertial and
 * energy_bf_subpart_sleeper of batsched 1.4; Poquet, Simulation approach for resource management,
 * thesis, Grenoble 2017. */
#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "policy/sleep/sleep.h"

struct hc_policy {
  hc_sleep x;
  const hc_sleep_strategy *strategy;
  hc_host_room *dealt; /* [hosts] of a start */
};

static const hc_sleep_strategy *const strategies[] = {
#define HC_SLEEP(name) &hc_sleep_##name,
#include "policy/sleep/strategies.def"
#undef HC_SLEEP
};

static uint32_t flags(const void *opts)
{
  const hc_sleep_options *o = opts;
  const hc_order_type *order = (const hc_order_type *)o->order.type;
  return HC_NEEDS_ESTIMATE | HC_NEEDS_TIMELINE | HC_MAY_POWER | HC_PLACES_HOSTS | HC_GOES_BY_BOOKS |
         HC_TIME_DEPENDENT | (order->flags ? order->flags(o->order.options) : 0);
}

static void parts(const void *opts, hc_policy_parts *out)
{
  out->order = &((const hc_sleep_options *)opts)->order;
}

/* ---- birth ---- */

#define WRONG(rc, ...) hc_fail(e, rc, "policy energy_bf", 0, 0, __VA_ARGS__)

/* An option that is not as by default, and that this strategy does not read. */
static hc_rc check_uses(const hc_sleep_options *o, const hc_sleep_strategy *s, hc_error *e)
{
  const struct {
    uint32_t use;
    bool is_said;
    const char *name;
  } table[] = {{HC_SLEEP_IDLE, o->idle_after != 600 * HC_SECOND, "idle_after"},
               {HC_SLEEP_STAGES, o->period != 600 * HC_SECOND, "period"},
               {HC_SLEEP_STAGES, o->at_events, "at_events"},
               {HC_SLEEP_SLOWDOWN, o->slowdown != 1.5, "slowdown"},
               {HC_SLEEP_GROWTH, o->grow != HC_SLEEP_TIMES, "grow"},
               {HC_SLEEP_GROWTH, o->step != 2, "step"},
               {HC_SLEEP_GROWTH, o->busy != 0, "busy"},
               {HC_SLEEP_SHARE, o->share != 0.5, "share"}};
  for (size_t i = 0; i < HC_ARRAY_LEN(table); i++)
    if (table[i].is_said && !(s->uses & table[i].use))
      return WRONG(HC_EUSAGE, "`%s` means nothing with `sleep: %s`: leave it out", table[i].name, s->name);
  if (s->all && o->plan == HC_SLEEP_PLAN_FIRST)
    return WRONG(HC_EUSAGE, "`sleep: %s` compares plans of all queued tasks: leave out `plan: first`",
                 s->name);
  return 0;
}

/* How long a host sleeps until that has saved what it costs to switch it off and on. */
static hc_time saved_after(const hc_sleep *x, uint32_t h)
{
  const uint32_t n = x->cell->units;
  const double idle = x->watts[HC_USE_IDLE * n + h], asleep = x->watts[HC_USE_WAKABLE * n + h];
  const double off = (double)x->o->off / 1e9, on = (double)x->o->on / 1e9;
  const double more =
      (x->watts[HC_USE_STOPPING * n + h] - idle) * off + (x->watts[HC_USE_STARTING * n + h] - idle) * on;
  if (!(more > 0)) return 0;
  if (!(idle > asleep) || more / (idle - asleep) > 1e9) return (hc_time)1e18;
  return (hc_time)(more / (idle - asleep) * 1e9 + 0.5);
}

static hc_rc read_watts(hc_policy *self, const hc_policy_context *c)
{
  static const double none[HC_POWER_PARTS], all[HC_POWER_PARTS] = {1, 1, 1};
  static const hc_power_state state_of[HC_USE_COUNT] = {HC_POWER_ON,  HC_POWER_ON,  HC_POWER_STOPPING,
                                                        HC_POWER_OFF, HC_POWER_OFF, HC_POWER_STARTING};
  hc_sleep *x = &self->x;
  const uint32_t n = c->cell->units;
  if (c->watts) {
    x->watts = hc_alloc(c->allocator, (size_t)n * HC_USE_COUNT * sizeof *x->watts);
    if (!x->watts) return HC_ENOMEM;
  }
  for (size_t u = 0; x->watts && u < HC_USE_COUNT; u++)
    for (uint32_t h = 0; h < n; h++)
      x->watts[u * n + h] = c->watts(c->watts_ctx, h, state_of[u], u == HC_USE_TASK ? all : none);
  for (uint32_t h = 0; h < n; h++)
    x->least[h] = x->o->least != HC_UNKNOWN ? x->o->least : x->watts ? saved_after(x, h) : 0;
  return 0;
}

static hc_rc make(hc_policy *self, const hc_policy_context *c)
{
  hc_sleep *x = &self->x;
  const hc_allocator *a = c->allocator;
  const uint32_t n = c->cell->units;
  hc_outlook_init(&x->base, a, n);
  hc_outlook_init(&x->plan, a, n);
  hc_outlook_init(&x->other, a, n);
  x->some = hc_alloc(a, x->base.words * sizeof *x->some);
  x->more = hc_alloc(a, x->base.words * sizeof *x->more);
  x->given = hc_alloc(a, n * sizeof *x->given);
  x->least = hc_alloc(a, n * sizeof *x->least);
  x->until = hc_alloc(a, n * sizeof *x->until);
  x->idle_since = hc_alloc(a, n * sizeof *x->idle_since);
  self->dealt = hc_alloc(a, n * sizeof *self->dealt);
  if (!x->some || !x->more || !x->given || !x->least || !x->until || !x->idle_since || !self->dealt)
    return HC_ENOMEM;
  for (uint32_t h = 0; h < n; h++) x->idle_since[h] = HC_NEVER;
  x->state.armed = HC_UNKNOWN;
  x->state.next_stage = HC_UNKNOWN;
  return read_watts(self, c);
}

static hc_rc init(const hc_policy_context *c, const void *opts, hc_policy **out, hc_error *e)
{
  const hc_sleep_options *o = opts;
  const hc_sleep_strategy *strategy = strategies[o->sleep];
  if (!c->cell || c->cell->granularity != HC_CELL_HOSTS)
    return WRONG(HC_EUNSUPPORTED, "hosts are switched off and on one by one, and this cell has none: use "
                                  "`cell: {use: hosts, ...}`");
  TRY(check_uses(o, strategy, e));
  if (strategy->draws && !c->watts)
    return WRONG(HC_EUSAGE,
                 "`sleep: %s` compares what plans draw, and nothing says what hosts do: add `power`, such as "
                 "`power: {use: linear, idle: 100, peak: 200, off: 10}`",
                 strategy->name);
  hc_policy *self = hc_alloc(c->allocator, sizeof *self);
  if (!self) return HC_ENOMEM;
  self->x = (hc_sleep){.s = c->services, .o = o, .cell = c->cell, .allocator = c->allocator};
  self->strategy = strategy;
  *out = self;
  return make(self, c);
}

static void fini(hc_policy *self)
{
  hc_sleep *x = &self->x;
  const hc_allocator *a = x->allocator;
  const uint32_t n = x->cell->units;
  hc_free(a, x->watts, x->watts ? (size_t)n * HC_USE_COUNT * sizeof *x->watts : 0);
  hc_free(a, x->some, x->base.words * sizeof *x->some);
  hc_free(a, x->more, x->base.words * sizeof *x->more);
  hc_free(a, x->given, n * sizeof *x->given);
  hc_free(a, x->least, n * sizeof *x->least);
  hc_free(a, x->until, n * sizeof *x->until);
  hc_free(a, x->idle_since, n * sizeof *x->idle_since);
  hc_free(a, self->dealt, n * sizeof *self->dealt);
  hc_free(a, x->jobs, x->job_cap * sizeof *x->jobs);
  hc_free(a, x->rooms, x->room_cap * sizeof *x->rooms);
  hc_free(a, x->ran, x->ran_cap * sizeof *x->ran);
  hc_outlook_fini(&x->base);
  hc_outlook_fini(&x->plan);
  hc_outlook_fini(&x->other);
  hc_free(a, self, sizeof *self);
}

/* ---- what is known ---- */

static hc_rc read_host(hc_sleep *x, hc_view *v, uint32_t h)
{
  const hc_services *s = x->s;
  const hc_time until = HC_MAX(x->until[h], x->now), may = hc_time_add(x->until[h], x->least[h]);
  switch (s->powered(v, h)) {
    case HC_POWER_ON:
      return s->takes_new(v, h) ? hc_outlook_use_one(&x->base, h, x->now, HC_NEVER, HC_USE_IDLE) : 0;
    case HC_POWER_STARTING:
      TRY(hc_outlook_use_one(&x->base, h, x->now, until, HC_USE_STARTING));
      return hc_outlook_use_one(&x->base, h, until, HC_NEVER, HC_USE_IDLE);
    case HC_POWER_STOPPING: TRY(hc_outlook_use_one(&x->base, h, x->now, until, HC_USE_STOPPING)); break;
    case HC_POWER_OFF: break;
  }
  TRY(hc_outlook_use_one(&x->base, h, until, HC_MAX(may, until), HC_USE_ASLEEP));
  return hc_outlook_use_one(&x->base, h, HC_MAX(may, until), HC_NEVER, HC_USE_WAKABLE);
}

/* Hosts of what runs, until its expected end. */
static hc_rc read_running(hc_sleep *x, hc_view *v)
{
  const hc_services *s = x->s;
  const hc_task *running;
  x->ran_count = s->running(v, &running);
  TRY(hc_reserve(x->allocator, (void **)&x->ran, &x->ran_cap, x->ran_count, sizeof *x->ran));
  for (size_t i = 0; i < x->ran_count; i++) {
    const hc_task t = running[i];
    const hc_holding *on;
    const hc_time end = HC_MAX(s->expected_end(v, t), x->now + 1);
    const size_t n = s->held(v, t, &on);
    x->ran[i] = (hc_sleep_ran){.submitted = s->submitted(v, t), .start = s->started(v, t), .end = end};
    for (size_t k = 0; k < n; k++) /* in the order of ends: of several tasks on a host the last counts */
      if (hc_outlook_is(&x->base, 0, HC_USE_IDLE, on[k].host) ||
          hc_outlook_is(&x->base, 0, HC_USE_TASK, on[k].host))
        TRY(hc_outlook_use_one(&x->base, on[k].host, x->now, end, HC_USE_TASK));
  }
  return 0;
}

static void read_rooms(hc_sleep *x, hc_view *v, hc_sleep_job *j, int64_t *rooms)
{
  const hc_services *s = x->s;
  int64_t most = 1;
  hc_task_shape shape;
  s->shape(v, j->task, &shape);
  for (uint32_t k = 0; k < x->cell->class_count; k++) {
    int64_t room = shape.is_spread || shape.is_whole ? 1 : j->slots;
    for (uint32_t d = 0; d < s->dimensions(v); d++) {
      const int64_t need = s->is_shared(v, d) ? 0 : s->demand(v, j->task, d);
      if (need > 0) room = HC_MIN(room, x->cell->classes[k].capacity[s->dimension_id(v, d)] / need);
    }
    rooms[k] = room;
    most = HC_MAX(most, room);
  }
  j->hosts = (j->slots + most - 1) / most;
}

static hc_rc read_queue(hc_sleep *x, hc_view *v)
{
  const hc_services *s = x->s;
  const size_t most = s->queued(v);
  hc_cursor at = {0};
  hc_task t;
  TRY(hc_reserve(x->allocator, (void **)&x->jobs, &x->job_cap, most, sizeof *x->jobs));
  TRY(hc_reserve(x->allocator, (void **)&x->rooms, &x->room_cap, most * x->cell->class_count,
                 sizeof *x->rooms));
  for (x->count = 0; x->count < most && (t = s->next(v, HC_LIST_QUEUE, &at, NULL)) != HC_NO_TASK;
       x->count++) {
    hc_sleep_job *j = &x->jobs[x->count];
    *j = (hc_sleep_job){.task = t,
                        .slots = HC_MAX(s->slots(v, t), 1),
                        .length = HC_MAX(s->estimate(v, t), 1),
                        .submitted = s->submitted(v, t),
                        .start = HC_NEVER};
    read_rooms(x, v, j, &x->rooms[x->count * x->cell->class_count]);
  }
  return 0;
}

static hc_rc read_all(hc_policy *self, hc_view *v)
{
  hc_sleep *x = &self->x;
  x->v = v;
  x->now = x->s->now(v);
  TRY(hc_outlook_clear(&x->base, x->now));
  for (uint32_t h = 0; h < x->cell->units; h++) TRY(read_host(x, v, h));
  TRY(read_running(x, v));
  for (uint32_t h = 0; h < x->cell->units; h++) {
    if (!hc_outlook_is(&x->base, 0, HC_USE_IDLE, h)) x->idle_since[h] = HC_NEVER;
    else if (x->idle_since[h] == HC_NEVER) x->idle_since[h] = x->now;
  }
  return read_queue(x, v);
}

/* ---- what is carried out ---- */

static hc_rc start(hc_policy *self, hc_plan *p, size_t job)
{
  hc_sleep *x = &self->x;
  const int64_t *rooms = &x->rooms[job * x->cell->class_count];
  int64_t left = x->jobs[job].slots;
  size_t n = 0;
  for (uint32_t h = 0; h < x->cell->units && left > 0; h++) {
    if (x->given[h] != job + 1) continue;
    const int64_t slots = HC_MIN(rooms[x->cell->class_of[h]], left);
    self->dealt[n++] = (hc_host_room){.host = h, .slots = (uint32_t)slots};
    left -= slots;
  }
  const hc_rc rc = x->s->start_dealt(p, x->jobs[job].task, self->dealt, n);
  return rc == HC_EPOLICY ? x->s->start(p, x->jobs[job].task, NULL, 0) : rc;
}

/* They are idle no more, also if it should end before the next decision. */
static void note_busy(hc_sleep *x, hc_task t)
{
  const hc_holding *on;
  const size_t n = x->s->held(x->v, t, &on);
  for (size_t i = 0; i < n; i++) x->idle_since[on[i].host] = HC_NEVER;
}

/* @return 1: a task that should start could not */
static hc_rc start_all(hc_policy *self, hc_plan *p)
{
  hc_rc refused = 0;
  for (size_t i = 0; i < self->x.count; i++) {
    if (self->x.jobs[i].start != self->x.now) continue;
    const hc_rc rc = start(self, p, i);
    if (rc < 0 && rc != HC_EPOLICY) return rc;
    if (rc == HC_EPOLICY) refused = 1;
    else note_busy(&self->x, self->x.jobs[i].task);
  }
  return refused;
}

static hc_rc switch_one(hc_sleep *x, hc_plan *p, uint32_t h, bool on)
{
  const hc_time takes = on ? x->o->on : x->o->off;
  const hc_rc rc = x->s->power(p, h, on, takes);
  if (rc == 0) x->until[h] = hc_time_add(x->now, takes);
  return rc == HC_EPOLICY ? 0 : rc;
}

static hc_rc switch_all(hc_sleep *x, hc_plan *p, bool refused)
{
  bool starts = false;
  for (uint32_t h = 0; h < x->cell->units; h++) {
    const hc_power_state state = x->s->powered(x->v, h);
    const bool stops = hc_outlook_is(&x->plan, 0, HC_USE_STOPPING, h);
    const bool wakes = hc_outlook_is(&x->plan, 0, HC_USE_STARTING, h);
    starts |= wakes || state == HC_POWER_STARTING;
    if (state == HC_POWER_ON && stops && !refused) TRY(switch_one(x, p, h, false));
    if ((state == HC_POWER_OFF || state == HC_POWER_STOPPING) && wakes) TRY(switch_one(x, p, h, true));
  }
  for (uint32_t h = 0; h < x->cell->units && refused && !starts; h++)
    if (hc_outlook_is(&x->base, 0, HC_USE_WAKABLE, h) && x->s->powered(x->v, h) == HC_POWER_OFF) {
      TRY(switch_one(x, p, h, true));
      starts = true;
    }
  return 0;
}

/* When a host is to be woken that may not be yet. All that tasks wait for is an event of its own. */
static hc_time next_wake(const hc_sleep *x)
{
  for (size_t k = 1; k < x->plan.count; k++) {
    const uint64_t *now = hc_outlook_set(&x->plan, k, HC_USE_STARTING);
    const uint64_t *before = hc_outlook_set(&x->plan, k - 1, HC_USE_STARTING);
    for (size_t w = 0; w < x->plan.words; w++)
      if (now[w] & ~before[w]) return x->plan.from[k];
  }
  return HC_NEVER;
}

/* Is a queued task planned for later, or a host about to be idle for long enough, or to be switched? */
static bool is_due(const hc_sleep *x)
{
  bool any = false;
  for (size_t i = 0; i < x->count && !any; i++)
    any = x->jobs[i].start != HC_NEVER && x->jobs[i].start > x->now;
  for (uint32_t h = 0; h < x->cell->units && !any; h++) {
    const bool was_idle = hc_outlook_is(&x->base, 0, HC_USE_IDLE, h);
    any = hc_outlook_is(&x->plan, 0, HC_USE_STOPPING, h) || hc_outlook_is(&x->plan, 0, HC_USE_STARTING, h) ||
          (was_idle && x->idle_since[h] != HC_NEVER &&
           hc_time_add(x->idle_since[h], x->o->idle_after) >= x->now);
  }
  return any;
}

/* The first stage at which something may change. While no task is there these are hosts that have been
 * idle for long enough, and what the strategy does of itself. Where all that wait fit at no time and none
 * runs, a stage that has switched no host is the last, until hosts change or a task arrives. */
static hc_time next_stage(const hc_policy *self)
{
  const hc_sleep *x = &self->x;
  const int64_t idle = hc_outlook_number(&x->plan, 0, HC_USE_IDLE);
  const bool goes_on = (self->strategy->uses & HC_SLEEP_GROWTH) && idle > 0;
  const bool is_beyond =
      (self->strategy->uses & HC_SLEEP_SHARE) && (double)idle > x->o->share * x->cell->units;
  hc_time due = HC_NEVER;
  if (x->count > 0 && x->ran_count == 0 && !goes_on && x->is_stage && !is_due(x)) return HC_NEVER;
  if (x->count > 0 || x->ran_count > 0 || goes_on || is_beyond) return x->state.next_stage;
  for (uint32_t h = 0; h < x->cell->units; h++)
    if (x->idle_since[h] != HC_NEVER && hc_outlook_is(&x->plan, 0, HC_USE_IDLE, h))
      due = HC_MIN(due, hc_time_add(x->idle_since[h], x->o->idle_after));
  if (due == HC_NEVER || due <= x->state.next_stage) return due == HC_NEVER ? due : x->state.next_stage;
  const hc_time periods = (due - x->state.next_stage - 1) / x->o->period + 1;
  return hc_time_add(x->state.next_stage, periods * x->o->period);
}

static hc_rc wake_up(hc_policy *self, hc_plan *p)
{
  hc_sleep *x = &self->x;
  hc_time next = next_wake(x);
  if (self->strategy->uses & HC_SLEEP_STAGES) next = HC_MIN(next, next_stage(self));
  if (next == HC_NEVER || next <= x->now || next == x->state.armed) return 0;
  x->state.armed = next;
  return x->s->wake(p, next);
}

static void explain(const hc_sleep *x)
{
  const hc_task asked = x->s->asked(x->v);
  for (size_t i = 0; asked != HC_NO_TASK && i < x->count; i++)
    if (x->jobs[i].start != HC_NEVER && x->jobs[i].start > x->now)
      x->s->note(x->v, x->jobs[i].task, HC_NOTE_PROMISE, HC_NO_TASK, x->jobs[i].start, 0);
}

/* Stages are so long after the first task. */
static void read_stage(hc_policy *self)
{
  hc_sleep *x = &self->x;
  x->is_stage = false;
  if (!(self->strategy->uses & HC_SLEEP_STAGES)) return;
  if (x->state.next_stage == HC_UNKNOWN) {
    x->state.llh_at = x->now;
    x->state.next_stage = hc_time_add(x->now, x->o->period);
  }
  if (x->state.next_stage > x->now) return;
  x->is_stage = true;
  const hc_time periods = (x->now - x->state.next_stage) / x->o->period + 1;
  x->state.next_stage = hc_time_add(x->state.next_stage, periods * x->o->period);
}

static hc_rc decide(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  HC_UNUSED(why);
  TRY(read_all(self, v));
  read_stage(self);
  TRY(self->strategy->decide(&self->x));
  const hc_rc refused = start_all(self, p);
  TRY(refused);
  TRY(switch_all(&self->x, p, refused == 1));
  explain(&self->x);
  return wake_up(self, p);
}

static hc_rc visit(hc_policy *self, hc_visitor *v)
{
  hc_sleep *x = &self->x;
  HC_VISIT(v, x->state);
  TRY(hc_visit_bytes(v, x->until, x->cell->units * sizeof *x->until));
  return hc_visit_bytes(v, x->idle_since, x->cell->units * sizeof *x->idle_since);
}

static const hc_param params[] = {
    HC_PARAM(COMPONENT, hc_sleep_options, order, HC_KIND_ORDER, "fcfs", "How the queue is sorted."),
    HC_PARAM(CHOICE, hc_sleep_options, sleep, "at_once|dichotomy|idle|inertia|part", "at_once",
             "Which hosts sleep. at_once: each as soon as no task is planned on it. dichotomy: the number of "
             "hosts that saves the most energy, as long as the expected mean slowdown is at most `slowdown` "
             "times that with all hosts awake. idle: hosts that have been idle for `idle_after`. inertia: "
             "more and more as long as the load falls; more and more are woken as long as it rises. part: "
             "all but a `share` of the machine."),
    HC_PARAM(CHOICE, hc_sleep_options, plan, "all|first", "all",
             "Which queued tasks are planned ahead. all: each, in the order of the queue, as conservative "
             "does. first: the first that cannot start now, as EASY does, and others start if they do not "
             "delay it."),
    HC_PARAM(TIME, hc_sleep_options, off, "s", "1m", 1e-3, 1e9, "How long it takes to switch a host off."),
    HC_PARAM(TIME, hc_sleep_options, on, "s", "3m", 1e-3, 1e9, "How long it takes to switch a host on."),
    HC_PARAM(TIME, hc_sleep_options, least, "s", NULL, 0, 1e9,
             "Least time that a host sleeps. Default: the time in which sleep saves what the host draws, by "
             "the run's `power`, for switching off and on, more than when idle; 0 without `power`."),
    HC_PARAM(TIME, hc_sleep_options, idle_after, "s", "10m", 0, 1e9,
             "With idle, inertia and part: how long a host is idle before it sleeps."),
    HC_PARAM(TIME, hc_sleep_options, period, "s", "10m", 1, 1e9,
             "With idle, inertia and part: time from one look at the hosts to the next."),
    HC_PARAM(BOOL, hc_sleep_options, at_events, "false",
             "With idle, inertia and part: may hosts that have been idle for long enough go to sleep at "
             "other decisions, too?"),
    HC_PARAM(REAL, hc_sleep_options, slowdown, "1", "1.5", 1, 1e6,
             "With dichotomy: greatest expected mean slowdown, as a multiple of that with all hosts awake."),
    HC_PARAM(CHOICE, hc_sleep_options, grow, "times|plus", "times",
             "With inertia: how many hosts are switched in a period, compared with the period before. times: "
             "`step` times as many. plus: `step` more."),
    HC_PARAM(REAL, hc_sleep_options, step, "1", "2", 0, 1e6,
             "With inertia: see `grow`; at least one host is switched."),
    HC_PARAM(TIME, hc_sleep_options, busy, "s", "0", 0, 1e9,
             "With inertia: hosts are woken in any case if, on average over a period, the queued work would "
             "take at least this time. 0: never for this reason."),
    HC_PARAM(REAL, hc_sleep_options, share, "1", "0.5", 0, 1,
             "With part: how much of the machine stays awake."),
    {0}};

const hc_policy_type hc_policy_energy_bf = {
    .component =
        {HC_COMPONENT_HEAD(hc_policy_type, HC_KIND_POLICY), .name = "energy_bf",
         .summary = "backfilling, in which hosts without planned tasks sleep, by one of five strategies",
         .detail =
             "Queued tasks are planned anew at each decision, by estimates, on the lowest hosts that are "
             "idle for as long as they run; tasks take whole hosts. A sleeping host is woken for a task that "
             "fits at no time on the hosts that are awake, and by the strategy (`sleep`). A host sleeps for "
             "at least the time (`least`) in which it saves the energy that switching it costs. A task that "
             "features, zones or licences keep from its planned hosts starts wherever else it fits; until it "
             "does, no host goes to sleep.",
         .source = "batsched 1.4: energy_bf (at_once), energy_bf_dicho (dichotomy), and with `plan: first` "
                   "energy_bf_idle_sleeper (idle), energy_bf_monitoring_inertial (inertia) and "
                   "energy_bf_subpart_sleeper (part)",
         .params = params, .options_size = sizeof(hc_sleep_options)},
    .flags = flags,
    .parts = parts,
    .init = init,
    .decide = decide,
    .visit = visit,
    .fini = fini,
    .plans_anew = true,
};
