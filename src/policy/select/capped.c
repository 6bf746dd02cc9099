/* capped.c -- start tasks in order as long as what the machine, parts of it and users draw keeps caps:
 * fast if it can be, slowly else.
 *
 * A task that fits starts on hosts that draw more from then on. Should the machine then draw more than
 * `watts`, its hosts are put into slower states of power, the fastest that keeps the cap; those on which
 * other tasks run stay as they are, for these were promised their speed when they started. If no state
 * keeps it the task waits, and so do those behind it, unless `pass` lets them try. Hosts that are given
 * back draw less at once, and are at their fastest again when the next task starts on them.
 *
 * The machine's draw is the sum over hosts by the run's `power`, each at the share of its cores, memory
 * and GPUs that tasks hold; that of a group of hosts the same over them. A host that is not there counts
 * as idle, so that its return breaks no cap. So each cap holds at each instant; of tasks that compute
 * less than they hold more is kept free than is needed. What tasks of a user (group, queue) draw is what
 * they add to what their hosts draw idle: with power in proportion to the load, which such caps need,
 * that is the same whatever is beside them.
 *
 * Where the placement's hosts would break a cap of hosts with each state, those that are not under it
 * are tried, the first that there is room on.
 *
 * With `raise`, running tasks are sped up again when those that wait have had their turn: in the order
 * in which they are believed to end, each whose hosts are its own, to the fastest state with which all
 * caps are kept.
 *
 * Cost: O(hosts x caps) a decision, O(hosts of the task x states x caps) a start, with caps of users
 * O(running) in addition. Source: Etinski, Corbalan, Labarta and Valero, Optimizing job performance
 * under a given power constraint in HPC centers, IGCC 2010, doi:10.1109/GREENCOMP.2010.5598303 (a job
 * runs at the highest frequency that the power budget allows). */
#include "base/state.h"
#include "base/util.h"
#include "policy/birth.h"
#include "policy/caps.h"

typedef struct options {
  double watts;
  hc_list hosts, users, groups, queues;
  bool slow, pass, raise;
} options;

struct hc_policy {
  hc_select_base base;
  const options *o;
  const hc_cell_spec *cell;
  double (*watts)(const void *ctx, uint32_t host, uint32_t code, const double *loads);
  double (*speed)(const void *ctx, uint32_t host, uint32_t pstate);
  const void *ctx;
  uint32_t *fast;   /* [class][HC_POWER_STATES] numbers of its states, the fastest first */
  uint32_t *states; /* [class] how many */
  hc_caps caps;     /* of the machine and of hosts first: [wide] */
  size_t wide;
  double *drawn; /* [wide] W, of a decision */
};

/* What a task holds, or would. */
typedef struct claim {
  const hc_holding *on; /* [count] */
  size_t count;
  double *was; /* [count] W that each of its hosts drew before */
} claim;

static const double no_load[HC_POWER_PARTS];

static uint32_t flags(const void *opts)
{
  const options *o = opts;
  /* nothing may start a task beside it: no rule, and no other scheduler */
  return HC_IGNORES_TIME | HC_BINDS_ITSELF | HC_BOUNDS_DRAW | HC_MAY_POWER |
         (o->slow ? HC_SETS_RATES | HC_SETS_PSTATES : 0) |
         (o->groups.count + o->queues.count > 0 ? HC_ASKS_JOBS : 0) |
         (o->hosts.count > 0 ? HC_PLACES_HOSTS : 0);
}

/* ---- birth ---- */

static void fini(hc_policy *self)
{
  const hc_allocator *a = self->base.allocator;
  const size_t classes = self->cell ? self->cell->class_count : 0;
  hc_free(a, self->fast, classes * HC_POWER_STATES * sizeof *self->fast);
  hc_free(a, self->states, classes * sizeof *self->states);
  if (self->drawn) hc_free(a, self->drawn, HC_MAX(self->wide, 1) * sizeof *self->drawn);
  hc_caps_fini(&self->caps);
  hc_select_free(self);
}

/* The states of a class by how fast they are; of equals the first. */
static void sort_states(hc_policy *self, uint32_t class_, uint32_t host)
{
  uint32_t *fast = &self->fast[(size_t)class_ * HC_POWER_STATES], n = 0;
  for (uint32_t k = 0; k < HC_POWER_STATES && self->speed(self->ctx, host, k) > 0; k++, n++) {
    uint32_t at = n;
    for (; at > 0 && self->speed(self->ctx, host, fast[at - 1]) < self->speed(self->ctx, host, k); at--)
      fast[at] = fast[at - 1];
    fast[at] = k;
  }
  self->states[class_] = n;
}

static double idle_of(const hc_policy *self, const hc_cap *cap)
{
  double sum = 0;
  for (uint32_t h = 0; h < self->cell->units; h++)
    if (hc_cap_has(cap, h)) sum += self->watts(self->ctx, h, HC_POWER_ON, no_load);
  return sum;
}

static uint32_t code_of(uint32_t pstate)
{
  return pstate < HC_POWER_STATES ? hc_power_at(pstate) : HC_POWER_ON;
}

/* A host that draws less at more load would draw more when a task ends there. */
static bool falls(const hc_policy *self, uint32_t host, uint32_t pstate, int part)
{
  enum { STEPS = 4096 };
  double loads[HC_POWER_PARTS] = {0}, before = self->watts(self->ctx, host, code_of(pstate), loads);
  for (int i = 1; i <= STEPS; i++) {
    loads[part] = (double)i / STEPS;
    const double now = self->watts(self->ctx, host, code_of(pstate), loads);
    if (now < before * (1 - 1e-12)) return true;
    before = now;
  }
  return false;
}

static hc_rc check_falls(const hc_policy *self, uint32_t host, hc_error *e)
{
  const uint32_t states = self->states[self->cell->class_of[host]];
  for (uint32_t k = 0; k <= states; k++) /* the last: as it begins */
    for (int p = 0; p < HC_POWER_PARTS; p++) {
      if (!falls(self, host, k < states ? k : HC_POWER_STATES, p)) continue;
      return hc_fail(e, HC_EUNSUPPORTED, "select capped", 0, 0,
                     "host %u draws less at some load than at a lower one, so that it would draw more when "
                     "a task ends there: a cap needs `power` that does not fall",
                     host);
    }
  return 0;
}

/* W that a part of a host draws with all of it in use, beyond none. */
static double slope(const hc_policy *self, uint32_t host, uint32_t pstate, int part)
{
  double loads[HC_POWER_PARTS] = {0};
  loads[part] = 1;
  return self->watts(self->ctx, host, code_of(pstate), loads) -
         self->watts(self->ctx, host, code_of(pstate), no_load);
}

/* Where power is no straight line from idle, what a task adds depends on what is beside it. */
static hc_rc check_line(const hc_policy *self, uint32_t host, hc_error *e)
{
  enum { STEPS = 64 };
  const uint32_t states = HC_MAX(self->states[self->cell->class_of[host]], 1);
  for (uint32_t k = 0; k < states; k++)
    for (int p = 0; p < HC_POWER_PARTS; p++)
      for (int i = 1; i <= STEPS; i++) {
        const uint32_t pstate = self->states[self->cell->class_of[host]] > 0 ? k : HC_POWER_STATES;
        double loads[HC_POWER_PARTS] = {0};
        loads[p] = (double)i / STEPS;
        const double idle = self->watts(self->ctx, host, code_of(pstate), no_load);
        const double line = idle + slope(self, host, pstate, p) * loads[p];
        const double over = self->watts(self->ctx, host, code_of(pstate), loads) - line;
        if (over > line * 1e-9 || over < -line * 1e-9)
          return hc_fail(
              e, HC_EUNSUPPORTED, "select capped", 0, 0,
              "what host %u draws is not in proportion to its load, so that what a task adds depends on "
              "what is beside it: caps of users, groups and queues need `power` such as linear, or states",
              host);
      }
  return 0;
}

static hc_rc check_idle(const hc_policy *self, const hc_cap *cap, hc_error *e)
{
  const double idle = idle_of(self, cap);
  if (idle <= cap->watts) return 0;
  if (!cap->name)
    return hc_fail(e, HC_EUSAGE, "select capped", 0, 0,
                   "the hosts draw %g W when all are idle, and the cap (`watts`) is %g W: no task could ever "
                   "start",
                   idle, cap->watts);
  return hc_fail(
      e, HC_EUSAGE, "select capped", 0, 0,
      "the hosts of %.*s draw %g W when all are idle, and their cap is %g W: no task could ever start "
      "there",
      (int)cap->length, cap->name, idle, cap->watts);
}

static hc_rc check(const hc_policy *self, hc_error *e)
{
  for (uint32_t h = 0; h < self->cell->units; h++) {
    if (h > 0 && self->cell->class_of[h] == self->cell->class_of[h - 1]) continue;
    TRY(check_falls(self, h, e));
    if (self->caps.count > self->wide) TRY(check_line(self, h, e));
  }
  for (size_t i = 0; i < self->wide; i++) TRY(check_idle(self, &self->caps.all[i], e));
  return 0;
}

static hc_rc read_caps(hc_policy *self, const hc_policy_context *c, hc_error *e)
{
  const options *o = self->o;
  hc_caps_init(&self->caps, c);
  if (o->watts > 0) TRY(hc_caps_add_machine(&self->caps, o->watts));
  TRY(hc_caps_read(&self->caps, HC_CAP_HOSTS, &o->hosts, e));
  self->wide = self->caps.count;
  TRY(hc_caps_read(&self->caps, HC_CAP_USER, &o->users, e));
  TRY(hc_caps_read(&self->caps, HC_CAP_GROUP, &o->groups, e));
  TRY(hc_caps_read(&self->caps, HC_CAP_QUEUE, &o->queues, e));
  if (self->caps.count == 0)
    return hc_fail(e, HC_EUSAGE, "select capped", 0, 0,
                   "nothing is capped: give `watts` of the machine, or caps of `hosts`, `users`, `groups` or "
                   "`queues`");
  if (o->raise && !o->slow)
    return hc_fail(
        e, HC_EUSAGE, "select capped", 0, 0,
        "`raise` speeds up what was slowed down, and `slow: false` slows nothing down: leave one out");
  self->drawn = hc_alloc(c->allocator, HC_MAX(self->wide, 1) * sizeof *self->drawn);
  return self->drawn ? 0 : HC_ENOMEM;
}

static hc_rc init(const hc_policy_context *c, const void *opts, hc_policy **out, hc_error *e)
{
  if (!c->cell || c->cell->granularity != HC_CELL_HOSTS)
    return hc_fail(e, HC_EUNSUPPORTED, "select capped", 0, 0,
                   "a cap is kept host by host, and this cell has none: use `cell: {use: hosts, ...}`");
  if (!c->watts)
    return hc_fail(e, HC_EUSAGE, "select capped", 0, 0,
                   "nothing says what hosts draw: add `power`, such as `power: {use: linear, idle: 100, "
                   "peak: 200}`");
  TRY(hc_select_new(c, sizeof(hc_policy), out));
  hc_policy *self = *out;
  self->o = opts;
  self->cell = c->cell;
  self->watts = c->watts;
  self->speed = c->pstate_speed;
  self->ctx = c->watts_ctx;
  self->fast = hc_alloc(c->allocator, self->cell->class_count * HC_POWER_STATES * sizeof *self->fast);
  self->states = hc_alloc(c->allocator, self->cell->class_count * sizeof *self->states);
  if (!self->fast || !self->states) return HC_ENOMEM;
  for (uint32_t h = 0; h < self->cell->units && self->o->slow; h++)
    if (self->states[self->cell->class_of[h]] == 0) sort_states(self, self->cell->class_of[h], h);
  TRY(read_caps(self, c, e));
  return check(self, e);
}

/* ---- what is drawn ---- */

static const int dimension_of[HC_POWER_PARTS] = {HC_DIM_CPU, HC_DIM_MEMORY, HC_DIM_GPU};

/* Shares that tasks hold; a host that is not there has none.
 * @param without  NULL, or what one of them holds there, which is left out */
static void loads_of(const hc_policy *self, hc_view *v, uint32_t host, const hc_holding *without,
                     double *loads)
{
  const hc_services *s = self->base.s;
  const int64_t *has, *free = s->host_free(v, host, &has);
  const int64_t *declared = self->cell->classes[self->cell->class_of[host]].capacity;
  for (int p = 0; p < HC_POWER_PARTS; p++) loads[p] = 0;
  for (uint32_t d = 0; d < s->dimensions(v); d++)
    for (int p = 0; p < HC_POWER_PARTS; p++)
      if (s->dimension_id(v, d) == (uint32_t)dimension_of[p] && declared[dimension_of[p]] > 0) {
        const int64_t held = has[d] - free[d] - (without ? without->amount[d] : 0);
        loads[p] = HC_MIN(HC_MAX((double)held / (double)declared[dimension_of[p]], 0), 1.0);
      }
}

/* @param pstate  HC_POWER_STATES: the one that it began in */
static double draws_in(const hc_policy *self, hc_view *v, uint32_t host, uint32_t pstate)
{
  double loads[HC_POWER_PARTS];
  loads_of(self, v, host, NULL, loads);
  return self->watts(self->ctx, host, code_of(pstate), loads);
}

/* What a host drew before a task started there. */
static double drew(const hc_policy *self, hc_view *v, const hc_holding *started)
{
  double loads[HC_POWER_PARTS];
  loads_of(self, v, started->host, started, loads);
  return self->watts(self->ctx, started->host, code_of(self->base.s->pstate_of(v, started->host)), loads);
}

static double draws(const hc_policy *self, hc_view *v, uint32_t host)
{
  return draws_in(self, v, host, self->base.s->pstate_of(v, host));
}

static void add_up(const hc_policy *self, hc_view *v)
{
  for (size_t i = 0; i < self->wide; i++) self->drawn[i] = 0;
  for (uint32_t h = 0; h < self->cell->units; h++) {
    const double watts = draws(self, v, h);
    for (size_t i = 0; i < self->wide; i++)
      if (hc_cap_has(&self->caps.all[i], h)) self->drawn[i] += watts;
  }
}

/* ---- a start ---- */

/* A host on which the task alone is. */
static bool is_its_own(const hc_policy *self, hc_view *v, const hc_holding *on)
{
  const hc_services *s = self->base.s;
  const int64_t *has, *free = s->host_free(v, on->host, &has);
  for (uint32_t d = 0; d < s->dimensions(v); d++)
    if (!s->is_shared(v, d) && has[d] - free[d] != on->amount[d]) return false;
  return true;
}

/* The state of a host at which it is the level-th fastest; its slowest if it has fewer. */
static uint32_t state_at(const hc_policy *self, uint32_t host, uint32_t level)
{
  const uint32_t class_ = self->cell->class_of[host], n = self->states[class_];
  return n > 0 ? self->fast[(size_t)class_ * HC_POWER_STATES + HC_MIN(level, n - 1)] : HC_POWER_STATES;
}

/* The state of one of a task's hosts at a level: where it is not its own it stays as it is. */
static uint32_t would_be(const hc_policy *self, hc_view *v, const hc_holding *on, uint32_t level)
{
  return is_its_own(self, v, on) ? state_at(self, on->host, level) : self->base.s->pstate_of(v, on->host);
}

/* What all of a cap's hosts would draw if the task had this level. */
static double would_draw(const hc_policy *self, hc_view *v, size_t cap, const claim *t, uint32_t level)
{
  const hc_cap *x = &self->caps.all[cap];
  double others = self->drawn[cap], sum = 0;
  for (size_t i = 0; i < t->count; i++)
    if (hc_cap_has(x, t->on[i].host)) others -= t->was[i];
  for (size_t i = 0; i < t->count; i++)
    if (hc_cap_has(x, t->on[i].host))
      sum += draws_in(self, v, t->on[i].host, would_be(self, v, &t->on[i], level));
  return others + sum;
}

static uint32_t levels_of(const hc_policy *self, const hc_holding *on, size_t count)
{
  uint32_t most = 1;
  for (size_t i = 0; i < count; i++) most = HC_MAX(most, self->states[self->cell->class_of[on[i].host]]);
  return most;
}

/* @param on  as `held` lent it: copied, since a plan that is touched takes it back */
static hc_rc set_level(const hc_policy *self, hc_view *v, hc_plan *p, hc_task t, uint32_t level)
{
  const hc_services *s = self->base.s;
  const hc_holding *on;
  const size_t count = s->held(v, t, &on);
  for (size_t i = 0; i < count; i++) {
    TRY(s->held(v, t, &on) == count ? 0 : HC_EPOLICY);
    const uint32_t host = on[i].host, state = state_at(self, host, level);
    if (state < HC_POWER_STATES && is_its_own(self, v, &on[i])) TRY(s->pstate(p, host, state));
  }
  return 0;
}

/* What a task adds to what its hosts draw idle. */
static double adds(const hc_policy *self, hc_view *v, const hc_holding *on, uint32_t pstate)
{
  const hc_services *s = self->base.s;
  const int64_t *declared = self->cell->classes[self->cell->class_of[on->host]].capacity;
  double sum = 0;
  for (uint32_t d = 0; d < s->dimensions(v); d++)
    for (int p = 0; p < HC_POWER_PARTS; p++)
      if (s->dimension_id(v, d) == (uint32_t)dimension_of[p] && declared[dimension_of[p]] > 0)
        sum += slope(self, on->host, pstate, p) * ((double)on->amount[d] / (double)declared[dimension_of[p]]);
  return sum;
}

static int64_t owner(const hc_policy *self, hc_view *v, hc_task t, hc_cap_of of)
{
  const hc_services *s = self->base.s;
  return of == HC_CAP_USER ? s->user(v, t) : of == HC_CAP_GROUP ? s->group(v, t) : s->queue(v, t);
}

/* What all other running tasks of the same owner add. */
static double others_add(const hc_policy *self, hc_view *v, hc_task t, hc_cap_of of)
{
  const hc_services *s = self->base.s;
  const int64_t whose = owner(self, v, t, of);
  const hc_task *running;
  const size_t n = s->running(v, &running);
  double sum = 0;
  for (size_t i = 0; i < n; i++) {
    const hc_holding *on;
    if (running[i] == t || owner(self, v, running[i], of) != whose) continue;
    const size_t count = s->held(v, running[i], &on);
    for (size_t k = 0; k < count; k++) sum += adds(self, v, &on[k], s->pstate_of(v, on[k].host));
  }
  return sum;
}

/* Of sums of doubles. */
static bool is_over(double watts, const hc_cap *cap)
{
  return watts > cap->watts * (1 + 1e-12);
}

/* The first cap that the task would break at a level; NULL: none. */
static const hc_cap *broken(const hc_policy *self, hc_view *v, hc_task t, const claim *h, uint32_t level)
{
  for (size_t i = 0; i < self->wide; i++)
    if (is_over(would_draw(self, v, i, h, level), &self->caps.all[i])) return &self->caps.all[i];
  const hc_list *said[] = {&self->o->users, &self->o->groups, &self->o->queues};
  for (int of = 0; of < HC_CAP_HOSTS; of++) {
    if (said[of]->count == 0) continue;
    const hc_cap *cap = hc_caps_of(&self->caps, (hc_cap_of)of, owner(self, v, t, (hc_cap_of)of));
    if (!cap) continue;
    double sum = others_add(self, v, t, (hc_cap_of)of);
    for (size_t i = 0; i < h->count; i++)
      sum += adds(self, v, &h->on[i], would_be(self, v, &h->on[i], level));
    if (is_over(sum, cap)) return cap;
  }
  return NULL;
}

/* A copy of what it holds: what `held` lends is taken back by the next question. */
static hc_rc hold(const hc_policy *self, hc_view *v, hc_task t, claim *out)
{
  const hc_services *s = self->base.s;
  const hc_holding *on;
  out->count = s->held(v, t, &on);
  hc_holding *mine = s->scratch(v, out->count * sizeof *mine + 1);
  out->was = s->scratch(v, out->count * sizeof *out->was + 1);
  if (!mine || !out->was) return HC_ENOMEM;
  for (size_t i = 0; i < out->count; i++) mine[i] = on[i];
  out->on = mine;
  return 0;
}

/* From now on it has this level. */
static hc_rc settle(hc_policy *self, hc_view *v, hc_plan *p, hc_task t, const claim *h, uint32_t level)
{
  for (size_t i = 0; i < self->wide; i++) self->drawn[i] = would_draw(self, v, i, h, level);
  return set_level(self, v, p, t, level);
}

static void explain(const hc_policy *self, hc_view *v, hc_task t, const hc_cap *cap)
{
  const hc_services *s = self->base.s;
  if (!cap->name) s->explain(v, t, "would have the machine draw more than its cap of %g W", cap->watts);
  else if (cap->of == HC_CAP_HOSTS)
    s->explain(v, t, "would have the hosts of %.*s draw more than their cap of %g W", (int)cap->length,
               cap->name, cap->watts);
  else
    s->explain(v, t, "would have tasks of its %s draw more than the cap of %g W",
               cap->of == HC_CAP_USER    ? "user"
               : cap->of == HC_CAP_GROUP ? "group"
                                         : "queue",
               cap->watts);
}

/* It has started on hosts: at which level is every cap kept? @param cap  out: one that would be broken
 * at each @return 1; 0: at none, and its start is taken back */
static hc_rc try_levels(hc_policy *self, hc_view *v, hc_plan *p, hc_task t, const hc_plan_mark *mark,
                        const hc_cap **cap)
{
  claim h;
  TRY(hold(self, v, t, &h));
  for (size_t i = 0; i < h.count; i++) h.was[i] = drew(self, v, &h.on[i]);
  const uint32_t levels = levels_of(self, h.on, h.count);
  for (uint32_t level = 0; level < levels; level++) {
    *cap = broken(self, v, t, &h, level);
    if (*cap) continue;
    TRY(settle(self, v, p, t, &h, level));
    return 1;
  }
  TRY(self->base.s->take_back(p, mark));
  return 0;
}

/* The hosts that are under none of the caps that it would have broken. @return how many ranges */
static size_t outside(const hc_policy *self, const uint64_t *within, hc_range *out)
{
  size_t n = 0;
  for (uint32_t h = 0; h < self->cell->units; h++) {
    if (within[h / 64] >> (h % 64) & 1) continue;
    if (n > 0 && out[n - 1].first + out[n - 1].count == h) out[n - 1].count++;
    else out[n++] = (hc_range){h, 1};
  }
  return n;
}

/* Start it so that every cap is kept: where the placement has it, or where that would break a cap of
 * hosts on the first that are not under that one. @return 1; 0: it cannot be, and has not started */
static hc_rc start(hc_policy *self, hc_view *v, hc_plan *p, hc_task t)
{
  const hc_services *s = self->base.s;
  const hc_plan_mark mark = s->mark(p);
  const hc_cap *cap = NULL;
  TRY(s->start(p, t, NULL, 0));
  hc_rc rc = try_levels(self, v, p, t, &mark, &cap);
  if (rc != 0) return rc;
  uint64_t *within = s->scratch(v, self->caps.words * sizeof *within);
  hc_range *ranges = s->scratch(v, self->cell->units * sizeof *ranges);
  if (!within || !ranges) return HC_ENOMEM;
  for (size_t i = 0; i < self->wide && cap->of == HC_CAP_HOSTS && cap->name; i++) {
    for (size_t w = 0; w < self->caps.words; w++) within[w] |= cap->hosts[w];
    const size_t n = outside(self, within, ranges);
    rc = n > 0 ? s->start(p, t, ranges, n) : HC_EPOLICY;
    if (rc == HC_EPOLICY) break;
    TRY(rc);
    TRY(rc = try_levels(self, v, p, t, &mark, &cap));
    if (rc == 1) return 1;
  }
  explain(self, v, t, cap);
  return 0;
}

/* ---- those that run ---- */

/* The level that all hosts of a task are at. @return HC_POWER_STATES: some are not its own, or they differ */
static uint32_t level_of(const hc_policy *self, hc_view *v, const claim *h)
{
  const uint32_t levels = levels_of(self, h->on, h->count);
  for (uint32_t level = 0; level < levels; level++) {
    bool all = true;
    for (size_t i = 0; i < h->count && all; i++) {
      const uint32_t now = self->base.s->pstate_of(v, h->on[i].host),
                     state = state_at(self, h->on[i].host, level);
      const bool is_first = now == HC_POWER_STATES && self->speed(self->ctx, h->on[i].host, state) == 1;
      all = is_its_own(self, v, &h->on[i]) && (now == state || is_first);
    }
    if (all) return level;
  }
  return HC_POWER_STATES;
}

static hc_rc speed_up(hc_policy *self, hc_view *v, hc_plan *p, hc_task t)
{
  claim h;
  TRY(hold(self, v, t, &h));
  const uint32_t now = level_of(self, v, &h);
  for (size_t i = 0; i < h.count; i++) h.was[i] = draws(self, v, h.on[i].host);
  for (uint32_t level = 0; now < HC_POWER_STATES && level < now; level++)
    if (!broken(self, v, t, &h, level)) return settle(self, v, p, t, &h, level);
  return 0;
}

static hc_rc speed_up_all(hc_policy *self, hc_view *v, hc_plan *p)
{
  const hc_task *running;
  const size_t n = self->base.s->running(v, &running);
  hc_task *all = self->base.s->scratch(v, n * sizeof *all + 1);
  if (!all) return HC_ENOMEM;
  for (size_t i = 0; i < n; i++) all[i] = running[i];
  for (size_t i = 0; i < n; i++) TRY(speed_up(self, v, p, all[i]));
  return 0;
}

static hc_rc start_all(hc_policy *self, hc_view *v, hc_plan *p)
{
  const hc_services *s = self->base.s;
  hc_cursor at = {0};
  hc_task t;
  while ((t = s->next(v, HC_LIST_QUEUE, &at, NULL)) != HC_NO_TASK) {
    hc_rc rc = 0;
    if (s->fits(v, t)) TRY(rc = start(self, v, p, t));
    if (rc == 0 && !self->o->pass) return 0;
  }
  return 0;
}

static hc_rc decide(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  HC_UNUSED(why);
  add_up(self, v);
  TRY(start_all(self, v, p));
  return self->o->raise ? speed_up_all(self, v, p) : 0;
}

static const hc_param params[] = {
    HC_PARAM(REAL, options, watts, "W", NULL, 0, 1e15,
             "Cap of what all hosts draw together, by the run's `power`. 0: none, if other caps are given."),
    HC_PARAM(TEXTS, options, hosts, NULL,
             "Caps of parts of the machine, [NAME=W]: of a zone, a class or a set of hosts, or of hosts by "
             "their names, as `h[0-7]`. Default: none."),
    HC_PARAM(TEXTS, options, users, NULL,
             "Caps of users, [USER=W], on what all tasks of a user add to what their hosts draw idle. A user "
             "goes by the name that the source has, else by a number; * stands for each that is not named. "
             "Default: none."),
    HC_PARAM(TEXTS, options, groups, NULL, "Caps of groups (accounts), [GROUP=W]. Default: none."),
    HC_PARAM(TEXTS, options, queues, NULL, "Caps of queues, [QUEUE=W]. Default: none."),
    HC_PARAM(BOOL, options, slow, "true",
             "May hosts be put into a slower state of power (`power: {use: states, speeds: ...}`) so that a "
             "task can start? false: it waits."),
    HC_PARAM(BOOL, options, pass, "true", "May tasks behind one that has to wait start before it?"),
    HC_PARAM(
        BOOL, options, raise, "false",
        "Are hosts of running tasks put into faster states again when there is room below the caps, after "
        "queued tasks had their turn?"),
    {0}};

const hc_select_type hc_select_capped = {
    .component =
        {HC_COMPONENT_HEAD(hc_select_type, HC_KIND_SELECT), .name = "capped",
         .summary = "start tasks that fit under caps of power, at lower speed if need be",
         .detail =
             "A task that fits starts at the fastest state of power of its hosts with which the machine "
             "draws no more than `watts` and every other cap is kept; hosts that it shares with other tasks "
             "keep their states. If there is no such state the task waits. Hosts draw what the run's `power` "
             "says for the cores that tasks hold there; hosts that are away count as idle. On hosts without "
             "states of power the caps only delay tasks, as a licence of watts does (the transform needs).",
         .source = "Etinski, Corbalan, Labarta and Valero, IGCC 2010, doi:10.1109/GREENCOMP.2010.5598303",
         .params = params, .options_size = sizeof(options)},
    .flags = flags,
    .init = init,
    .decide = decide,
    .fini = fini,
};
