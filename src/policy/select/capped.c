/* capped.c -- start tasks in order as long as what the machine draws keeps a cap: fast if it can be, slowly
 * else.
 *
 * A task that fits starts on hosts that draw more from then on. Should the machine then draw more than
 * `watts`, its hosts are put into slower states of power, the fastest that keeps the cap; those on which
 * other tasks run stay as they are, for these were promised their speed when they started. If no state
 * keeps it the task waits, and so do those behind it, unless `pass` lets them try. Hosts that are given
 * back draw less at once, and are at their fastest again when the next task starts on them.
 *
 * The machine's draw is the sum over hosts by the run's `power`, each at the share of its cores, memory and
 * GPUs that tasks hold. A host that is not there counts as idle, so that its return breaks no cap. So the
 * cap holds at each instant; of tasks that compute less than they hold more is kept free than is needed. We
 * do not speed running tasks up again when others end.
 *
 * Cost: O(hosts) a decision, and O(hosts of the task x states) a start. Source: Etinski, Corbalan,
 * Labarta and Valero, Optimizing job performance under a given power constraint in HPC centers, IGCC
 * 2010, doi:10.1109/GREENCOMP.2010.5598303 (a job runs at the highest frequency that the power budget
 * allows). */
#include "base/state.h"
#include "base/util.h"
#include "policy/birth.h"

typedef struct options {
  double watts;
  bool slow, pass;
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
};

static const double no_load[HC_POWER_PARTS];

static uint32_t flags(const void *opts)
{
  const options *o = opts;
  /* nothing may start a task beside it: no rule, and no other scheduler */
  return HC_IGNORES_TIME | HC_BINDS_ITSELF | HC_BOUNDS_DRAW | HC_MAY_POWER |
         (o->slow ? HC_SETS_RATES | HC_SETS_PSTATES : 0);
}

/* ---- birth ---- */

static void fini(hc_policy *self)
{
  const hc_allocator *a = self->base.allocator;
  const size_t classes = self->cell ? self->cell->class_count : 0;
  hc_free(a, self->fast, classes * HC_POWER_STATES * sizeof *self->fast);
  hc_free(a, self->states, classes * sizeof *self->states);
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

static double idle_of(const hc_policy *self)
{
  double sum = 0;
  for (uint32_t h = 0; h < self->cell->units; h++) sum += self->watts(self->ctx, h, HC_POWER_ON, no_load);
  return sum;
}

/* A host that draws less at more load would draw more when a task ends there. */
static bool falls(const hc_policy *self, uint32_t host, int part)
{
  enum { STEPS = 4096 };
  double loads[HC_POWER_PARTS] = {0}, before = self->watts(self->ctx, host, HC_POWER_ON, loads);
  for (int i = 1; i <= STEPS; i++) {
    loads[part] = (double)i / STEPS;
    const double now = self->watts(self->ctx, host, HC_POWER_ON, loads);
    if (now < before * (1 - 1e-12)) return true;
    before = now;
  }
  return false;
}

static hc_rc check(const hc_policy *self, hc_error *e)
{
  const double idle = idle_of(self), cap = self->o->watts;
  for (uint32_t h = 0; h < self->cell->units; h++)
    for (int p = 0; p < HC_POWER_PARTS; p++)
      if ((h == 0 || self->cell->class_of[h] != self->cell->class_of[h - 1]) && falls(self, h, p))
        return hc_fail(e, HC_EUNSUPPORTED, "select capped", 0, 0,
                       "host %u draws less at some load than at a lower one, so that it would draw more when "
                       "a task ends there: a cap needs `power` that does not fall",
                       h);
  if (idle <= cap) return 0;
  return hc_fail(e, HC_EUSAGE, "select capped", 0, 0,
                 "the hosts draw %g W when all are idle, and the cap (`watts`) is %g W: no task could ever "
                 "start",
                 idle, cap);
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

static uint32_t code_of(uint32_t pstate)
{
  return pstate < HC_POWER_STATES ? hc_power_at(pstate) : HC_POWER_ON;
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

static double all_draw(const hc_policy *self, hc_view *v)
{
  double sum = 0;
  for (uint32_t h = 0; h < self->cell->units; h++) sum += draws(self, v, h);
  return sum;
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

/* What the task's hosts would draw at a level. */
static double would_draw(const hc_policy *self, hc_view *v, const hc_holding *on, size_t count,
                         uint32_t level)
{
  double sum = 0;
  for (size_t i = 0; i < count; i++) {
    const bool own = is_its_own(self, v, &on[i]);
    sum +=
        own ? draws_in(self, v, on[i].host, state_at(self, on[i].host, level)) : draws(self, v, on[i].host);
  }
  return sum;
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

/* Start it so that all draw no more than the cap. @param all  what they draw, before and after
 * @return 1; 0: it cannot be, and has not started */
static hc_rc start(const hc_policy *self, hc_view *v, hc_plan *p, hc_task t, double *all)
{
  const hc_services *s = self->base.s;
  const hc_plan_mark mark = s->mark(p);
  const hc_holding *on;
  TRY(s->start(p, t, NULL, 0));
  const size_t count = s->held(v, t, &on);
  double others = *all;
  for (size_t i = 0; i < count; i++) others -= drew(self, v, &on[i]);
  const uint32_t levels = levels_of(self, on, count);
  const double slack = self->o->watts * (1 + 1e-12); /* of sums of doubles */
  for (uint32_t level = 0; level < levels; level++) {
    const double draw = others + would_draw(self, v, on, count, level);
    if (draw > slack) continue;
    *all = draw;
    TRY(set_level(self, v, p, t, level));
    return 1;
  }
  TRY(s->take_back(p, &mark));
  s->explain(v, t, "would have the machine draw more than its cap of %g W", self->o->watts);
  return 0;
}

static hc_rc decide(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  const hc_services *s = self->base.s;
  hc_cursor at = {0};
  hc_task t;
  double all = all_draw(self, v);
  HC_UNUSED(why);
  while ((t = s->next(v, HC_LIST_QUEUE, &at, NULL)) != HC_NO_TASK) {
    hc_rc rc = 0;
    if (s->fits(v, t)) TRY(rc = start(self, v, p, t, &all));
    if (rc == 0 && !self->o->pass) return 0;
  }
  return 0;
}

static const hc_param params[] = {
    HC_PARAM(REAL, options, watts, "W", NULL, 0, 1e15,
             "The most that all hosts may draw together, by the run's `power`. Required."),
    HC_PARAM(BOOL, options, slow, "true",
             "May a task start on hosts that are put into a slower state of power (`power: {use: states, "
             "speeds: ...}`), so that it starts at all? Otherwise it waits."),
    HC_PARAM(BOOL, options, pass, "true", "May tasks behind one that has to wait start before it?"),
    {0}};

const hc_select_type hc_select_capped = {
    .component =
        {HC_COMPONENT_HEAD(hc_select_type, HC_KIND_SELECT), .name = "capped",
         .summary = "start what fits under a cap on what the machine draws, slower if need be",
         .detail =
             "A task that fits starts at the fastest state of power of its hosts with which the machine "
             "draws no more than `watts`; hosts that it shares keep theirs. If there is none it waits. "
             "Hosts draw what the run's `power` says of what tasks hold there; those that are not there "
             "count as idle. On hosts without states of power it delays tasks, as a licence of watts does "
             "(the transform needs).",
         .source = "Etinski, Corbalan, Labarta and Valero, IGCC 2010, doi:10.1109/GREENCOMP.2010.5598303",
         .params = params, .options_size = sizeof(options)},
    .flags = flags,
    .init = init,
    .decide = decide,
    .fini = fini,
};
