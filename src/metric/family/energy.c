/* energy.c -- what the machine draws, and the energy that is: by state of its hosts, and over time.
 *
 * A host's load u is the share of its cores that computes: where a model of execution tells which those are
 * (hc_metric_context.computes) that, else those that tasks hold. The run's models of power
 * (cluster/watts.h) say what the host draws at that load. It is in one of four states at a time: *busy*
 * (tasks hold cores of it), *idle*, *off* (switched off, or away) and *switching*. What hosts of a state
 * draw together is a level in whole microwatts, whose integrals are exact (spans.h); energy is their sum.
 * On a cell that counts processors each is a host of one core.
 *
 * Links and switches draw beside hosts, where the run's network says what. Switches, and links that carry
 * nothing, draw the same all the time. What links draw for what they carry is in proportion to it, so that it
 * is a sum that the model of execution has at any time (hc_use_look.link_energy): this looks at it at the
 * end, whenever the price changes, and where it is told over time at the end of each piece of it.
 *
 * Cost: a model is asked, and two sums change, for each host of a claim and a release, and for each
 * change of what computes on a host; 32 bytes a host. Who answers for it, and what was wasted: bill.c;
 * what was drawn up to each event: energy_trace.c. */
#include <string.h>

#include "base/math.h"
#include "base/state.h"
#include "hindcast/activity.h"
#include "metric/bill.h"
#include "metric/energy_trace.h"
#include "metric/family.h"
#include "metric/inflow.h"
#include "metric/machine.h"
#include "metric/order.h"
#include "metric/spans.h"
#include "metric/sum128.h"
#include "metric/tariff.h"

enum { BUSY, IDLE, OFF, SWITCHING, STATES, ALL = STATES, COLUMNS };

static const char *const name_of[COLUMNS] = {"busy", "idle", "off", "switching", "all"};

#define MICROWATTS 1e6
#define WATTS_MOST 1e12 /* of one state: microwatts x ns of a year stay far below 128 bits */

typedef struct options {
  hc_span_options spans;
  hc_list by; /* int */
  bool wasted, trace, network;
  double pue;
  hc_tariff_options tariff;
} options;

enum { BY_USERS, BY_GROUPS, BY_QUEUES, BY_TASKS, BY_COUNT };

static const char *const table_of[] = {"energy_by_user", "energy_by_group", "energy_by_queue",
                                       "energy_by_task"};

/* What is known of a host. */
typedef struct host {
  int64_t held[HC_POWER_PARTS]; /* by tasks: of its cores, memory, GPUs */
  int64_t computes;             /* of its cores, in billionths */
  int64_t draws;                /* microwatts, in the column of its state */
  uint8_t column;               /* BUSY to SWITCHING */
  uint8_t power;                /* as hc_metric_context.watts says */
  uint8_t is_away, padding[5];
} host;

/* A change of a host while there was no task. */
typedef struct later {
  hc_time at;
  uint32_t host;
  uint16_t is_power, value; /* as hc_metric_context.watts says; else: it is away */
} later;

struct hc_metric {
  hc_family family;
  hc_spans spans;
  uint32_t hosts; /* 0: the cell counts processors, of which `held` are busy */
  struct state {
    uint64_t ended;         /* tasks */
    int64_t held, computes; /* processors: thousandths, billionths */
    int64_t queued, claims; /* tasks that wait; claims of tasks on hosts */
    hc_time last;           /* change of a task; HC_UNKNOWN: none */
  } s;
  bool has_network, is_told;
  hc_inflow inflow; /* J that are drawn for what links carry, if that is told over time */
  struct network {
    hc_time at, next; /* of the last look and the next one */
    double carried;   /* J up to the last: drawn for what links carried */
  } network;
  host *of; /* [hosts] */
  later *later;
  size_t later_count, later_cap;
  bool is_by[BY_COUNT], has_tariff, is_wasted, is_traced;
  double pue;
  hc_bill bills[BY_COUNT]; /* of those that are asked for */
  hc_bill wasted;          /* by what became of tasks: hc_final */
  hc_energy_trace trace;
  hc_tariff tariff;
};

static void fini(hc_metric *self)
{
  if (!self) return;
  hc_free(self->family.context.allocator, self->of, self->hosts * sizeof *self->of);
  hc_free(self->family.context.allocator, self->later, self->later_cap * sizeof *self->later);
  hc_spans_fini(&self->spans);
  for (int k = 0; k < BY_COUNT; k++) hc_bill_fini(&self->bills[k]);
  hc_bill_fini(&self->wasted);
  hc_energy_trace_fini(&self->trace);
  hc_inflow_fini(&self->inflow);
  hc_tariff_fini(&self->tariff);
  hc_family_free(self);
}

/* ---- what a host draws ---- */

/* Of microwatts x ns. */
static double joules(hc_wide sum)
{
  return hc_wide_real(sum) / 1e15;
}

/* @param code as hc_metric_context.watts says */
static int64_t microwatts(const hc_metric *self, uint32_t h, uint32_t code, const double *loads)
{
  const hc_metric_context *c = &self->family.context;
  return (int64_t)(c->watts(c->watts_ctx, h, code, loads) * MICROWATTS + 0.5);
}

/* Of a processor, or of a host that has nothing beside its cores. */
static int64_t at_load(const hc_metric *self, uint32_t h, double load)
{
  const double loads[HC_POWER_PARTS] = {[HC_POWER_CORES] = load};
  return microwatts(self, h, HC_POWER_ON, loads);
}

static const int dimension_of[HC_POWER_PARTS] = {HC_DIM_CPU, HC_DIM_MEMORY, HC_DIM_GPU};

/* What a host really has, by the lexicon, where more of it may be promised. */
static int64_t amount_of(const hc_metric *self, uint32_t h, int part)
{
  const hc_cell_spec *cell = self->family.context.cell;
  const uint32_t class_ = cell->class_of[h];
  if (cell->physical && part != HC_POWER_GPUS) return cell->physical[class_][part == HC_POWER_MEMORY];
  return cell->classes[class_].capacity[dimension_of[part]];
}

/* Of a host that counts as one processor: of all that it has, as a computation keeps one core busy. */
static double load_of(const hc_metric *self, uint32_t h)
{
  const hc_metric_context *c = &self->family.context;
  const host *x = &self->of[h];
  const uint32_t inside = c->cell->classes[c->cell->class_of[h]].cores;
  const int64_t cores =
      c->computes && inside > 0 ? (int64_t)inside * 1000 : amount_of(self, h, HC_POWER_CORES);
  const double busy =
      c->computes ? (double)x->computes / (double)(HC_CORE_COMPUTES / 1000) : (double)x->held[HC_POWER_CORES];
  return cores > 0 ? HC_MIN(busy / (double)cores, 1.0) : 0;
}

static uint32_t code_of(const host *x)
{
  return hc_power_of_code(x->power) == HC_POWER_ON && x->is_away ? HC_POWER_OFF : x->power;
}

/* In its state, with no core busy. */
static int64_t least_of(const hc_metric *self, uint32_t h)
{
  static const double none[HC_POWER_PARTS] = {0};
  return microwatts(self, h, code_of(&self->of[h]), none);
}

static void look_at(const hc_metric *self, uint32_t h)
{
  host *x = &self->of[h];
  double loads[HC_POWER_PARTS] = {[HC_POWER_CORES] = load_of(self, h)};
  for (int p = HC_POWER_MEMORY; p < HC_POWER_PARTS; p++)
    if (x->held[p] > 0) loads[p] = HC_MIN((double)x->held[p] / (double)amount_of(self, h, p), 1.0);
  const hc_power_state state = hc_power_of_code(code_of(x));
  x->draws = microwatts(self, h, code_of(x), loads);
  const bool is_held = x->held[HC_POWER_CORES] > 0;
  x->column = state == HC_POWER_OFF ? OFF : state != HC_POWER_ON ? SWITCHING : is_held ? BUSY : IDLE;
}

/* ---- birth ---- */

static hc_rc no_power(hc_error *e)
{
  return hc_fail(
      e, HC_EUSAGE, "metrics", 0, 0,
      "energy: nothing says what hosts draw; add `power`, such as `power: {use: linear, idle: 100, peak: "
      "200}`, or leave the metric out");
}

static hc_rc no_network(hc_error *e)
{
  return hc_fail(
      e, HC_EUSAGE, "metrics", 0, 0,
      "energy: `network` is a table of what links and switches draw, and nothing says what: add `link_watts` "
      "or `switch_watts` to `execution.network` (or wattage_range to a platform's links), or leave it out");
}

static hc_rc too_much(hc_error *e)
{
  return hc_fail(e, HC_EUSAGE, "power", 0, 0, "the machine would draw more than %g W in all", WATTS_MOST);
}

static hc_rc start(hc_metric *self, const double sums[COLUMNS], hc_error *e)
{
  for (size_t k = 0; k < COLUMNS; k++) {
    if (sums[k] > WATTS_MOST * MICROWATTS) return too_much(e);
    hc_spans_start(&self->spans, k, (int64_t)sums[k]);
  }
  return 0;
}

static void start_trace(hc_metric *self, int64_t draws)
{
  int64_t least = self->hosts == 0 ? draws : 0;
  for (uint32_t h = 0; h < self->hosts; h++) least += least_of(self, h);
  hc_energy_trace_init(&self->trace, self->family.context.allocator);
  hc_energy_trace_draws(&self->trace, 0, draws);
  hc_energy_trace_least(&self->trace, 0, least);
}

static hc_rc set_up(hc_metric *self, const options *o, hc_error *e)
{
  const hc_metric_context *c = &self->family.context;
  double sums[COLUMNS] = {0}, most = 0;
  hc_spans_init(&self->spans, c->allocator, &o->spans);
  hc_inflow_init(&self->inflow, c->allocator, o->spans.every, 2 * (size_t)o->spans.rows);
  self->s.last = HC_UNKNOWN;
  self->has_network = c->network_draws;
  self->is_told = o->network;
  self->network.next = HC_NEVER;
  for (size_t i = 0; i < o->by.count; i++) self->is_by[((const int *)o->by.items)[i]] = true;
  self->pue = o->pue;
  self->is_wasted = o->wasted;
  self->is_traced = o->trace;
  self->has_tariff = o->tariff.file || o->tariff.price != 0 || o->tariff.carbon != 0;
  if (self->has_tariff) TRY(hc_tariff_init(&self->tariff, c->allocator, &o->tariff, c->unix_start, e));
  if (!c->watts) return no_power(e);
  if (o->network && !c->network_draws) return no_network(e);
  if (c->link_watts + c->switch_watts > WATTS_MOST) return too_much(e);
  TRY(hc_spans_widen(&self->spans, COLUMNS));
  if (c->cell && c->cell->granularity == HC_CELL_HOSTS) {
    self->of = hc_alloc(c->allocator, c->cell->units * sizeof *self->of);
    if (!self->of) return HC_ENOMEM;
    self->hosts = c->cell->units;
  } else {
    sums[IDLE] = sums[ALL] = (double)c->capacity * (double)at_load(self, 0, 0);
    most = (double)c->capacity * (double)at_load(self, 0, 1);
  }
  for (uint32_t h = 0; h < self->hosts; h++) {
    self->of[h].is_away = c->cell->absent && c->cell->absent[h];
    look_at(self, h);
    sums[self->of[h].column] += (double)self->of[h].draws;
    sums[ALL] += (double)self->of[h].draws;
    most += (double)microwatts(self, h, HC_POWER_ON, (const double[HC_POWER_PARTS]){1, 1, 1});
  }
  for (int k = 0; k < BY_COUNT; k++)
    if (self->is_by[k]) TRY(hc_bill_init(&self->bills[k], c->allocator, HC_MAX(self->hosts, 1)));
  if (self->is_wasted) TRY(hc_bill_init(&self->wasted, c->allocator, HC_MAX(self->hosts, 1)));
  if (self->is_traced && most <= WATTS_MOST * MICROWATTS) start_trace(self, (int64_t)sums[ALL]);
  return most > WATTS_MOST * MICROWATTS ? too_much(e) : start(self, sums, e);
}

HC_FAMILY_INIT

/* ---- what changes ---- */

static void tell_bills(hc_metric *self, uint32_t h, hc_time at, int64_t draws)
{
  for (int k = 0; k < BY_COUNT; k++)
    if (self->is_by[k]) hc_bill_draws(&self->bills[k], h, at, draws);
  if (self->is_wasted) hc_bill_draws(&self->wasted, h, at, draws);
}

/* Of hosts, and of links that carry nothing and switches. */
static void tell_tariff(hc_metric *self, hc_time at, int64_t draws)
{
  const hc_metric_context *c = &self->family.context;
  const double network = (c->link_watts + c->switch_watts) * MICROWATTS;
  hc_tariff_draws(&self->tariff, at, draws + (int64_t)(network + 0.5));
}

static void all_draw(hc_metric *self, hc_time at, int64_t draws)
{
  if (self->has_tariff && self->s.last != HC_UNKNOWN) tell_tariff(self, at, draws);
  if (self->is_traced) hc_energy_trace_draws(&self->trace, at, draws);
}

/* Before the first task there is no time yet: levels only begin otherwise. */
static hc_rc add(hc_metric *self, size_t column, hc_time at, int64_t more)
{
  const int64_t value = hc_spans_value(&self->spans, column) + more;
  if (column == ALL) all_draw(self, at, value);
  if (self->s.last == HC_UNKNOWN) {
    hc_spans_start(&self->spans, column, value);
    return 0;
  }
  return hc_spans_set(&self->spans, column, at, value);
}

static hc_rc host_changed(hc_metric *self, uint32_t h, hc_time at)
{
  const host before = self->of[h];
  look_at(self, h);
  const host *now = &self->of[h];
  if (now->column == before.column) TRY(add(self, now->column, at, now->draws - before.draws));
  else {
    TRY(add(self, before.column, at, -before.draws));
    TRY(add(self, now->column, at, now->draws));
  }
  tell_bills(self, h, at, now->draws);
  return add(self, ALL, at, now->draws - before.draws);
}

/* Processors: those that tasks hold are busy, a thousand of the amount is one. So many of them compute, and
 * one perhaps in part. */
static hc_rc processors_changed(hc_metric *self, hc_time at)
{
  const hc_metric_context *c = &self->family.context;
  const int64_t busy = HC_MIN(HC_MAX(self->s.held / 1000, 0), c->capacity);
  const int64_t full = c->computes ? HC_MIN(HC_MAX(self->s.computes / HC_CORE_COMPUTES, 0), busy) : busy;
  const int64_t rest = c->computes && full < busy ? self->s.computes % HC_CORE_COMPUTES : 0;
  const int64_t idle = at_load(self, 0, 0);
  const double part = (double)rest / (double)HC_CORE_COMPUTES;
  const int64_t draws[2] = {full * at_load(self, 0, 1) + (busy - full - (rest > 0)) * idle +
                                (rest > 0 ? at_load(self, 0, part) : 0),
                            (c->capacity - busy) * idle};
  tell_bills(self, 0, at, draws[0]);
  TRY(hc_spans_set(&self->spans, BUSY, at, draws[0]));
  TRY(hc_spans_set(&self->spans, IDLE, at, draws[1]));
  all_draw(self, at, draws[0] + draws[1]);
  return hc_spans_set(&self->spans, ALL, at, draws[0] + draws[1]);
}

/* Whose the claim is as far as is known while the task runs. */
static int64_t key_of(const hc_change *c, int by)
{
  return by == BY_USERS ? c->user : by == BY_TASKS ? (int64_t)c->serial : -1;
}

static hc_rc hold_bills(hc_metric *self, const hc_change *c, int64_t more)
{
  const uint32_t on = self->hosts > 0 ? c->host : 0;
  for (int k = 0; k < BY_COUNT; k++)
    if (self->is_by[k]) TRY(hc_bill_hold(&self->bills[k], c->serial, key_of(c, k), on, c->at, more));
  return self->is_wasted ? hc_bill_hold(&self->wasted, c->serial, -1, on, c->at, more) : 0;
}

static int64_t more_of(const hc_change *c, int dimension)
{
  const int64_t amount = c->amount[dimension];
  return c->kind == HC_CHANGE_CLAIMED ? amount : hc_amount_minus(0, amount);
}

static hc_rc hold(hc_metric *self, const hc_change *c)
{
  const int64_t more = more_of(c, HC_DIM_CPU);
  const bool is_hosts = c->host < self->hosts || self->hosts == 0;
  bool any = more != 0;
  if (is_hosts && any) TRY(hold_bills(self, c, more));
  if (self->hosts == 0) {
    self->s.held = hc_amount_plus(self->s.held, more);
    return any ? processors_changed(self, c->at) : 0;
  }
  if (!is_hosts) return 0; /* of the cell as a whole: no host's */
  for (int p = 0; p < HC_POWER_PARTS; p++) {
    int64_t *held = &self->of[c->host].held[p];
    *held = hc_amount_plus(*held, more_of(c, dimension_of[p]));
    any |= c->amount[dimension_of[p]] != 0;
  }
  return any ? host_changed(self, c->host, c->at) : 0;
}

static hc_rc compute(hc_metric *self, const hc_change *c)
{
  if (self->hosts == 0) {
    self->s.computes = hc_amount_plus(self->s.computes, c->amount[HC_DIM_CPU]);
    return processors_changed(self, c->at);
  }
  if (c->host >= self->hosts) return 0;
  int64_t *computes = &self->of[c->host].computes;
  *computes = hc_amount_plus(*computes, c->amount[HC_DIM_CPU]);
  return host_changed(self, c->host, c->at);
}

static bool is_there(const hc_metric *self, const hc_change *c)
{
  const hc_cell_spec *cell = self->family.context.cell;
  const int64_t *declared = cell->classes[cell->class_of[c->host]].capacity;
  bool has_any = false;
  for (int d = 0; d < HC_DIMENSIONS; d++) {
    if (c->amount[d] > 0) return true;
    has_any |= declared[d] > 0;
  }
  return !has_any;
}

static void set_later(hc_metric *self, const later *x)
{
  host *h = &self->of[x->host];
  if (x->is_power) h->power = (uint8_t)x->value;
  else h->is_away = (uint8_t)x->value;
}

static hc_rc carry_out(hc_metric *self, const later *x)
{
  const int64_t least = self->is_traced ? least_of(self, x->host) : 0;
  if (x->is_power && self->is_traced)
    TRY(hc_energy_trace_tell(&self->trace, x->at, HC_ENERGY_SWITCH, x->value));
  set_later(self, x);
  if (self->is_traced) hc_energy_trace_least(&self->trace, x->at, least_of(self, x->host) - least);
  return host_changed(self, x->host, x->at);
}

/* The machine is counted for as long as there are tasks: what hosts do after the last is not. So while there
 * is none it is only noted. */
static hc_rc change_host(hc_metric *self, const hc_change *c)
{
  const bool is_power = c->kind == HC_CHANGE_POWER;
  if (c->host >= self->hosts) return 0;
  const later x = {.at = c->at,
                   .host = c->host,
                   .is_power = is_power,
                   .value = is_power ? (uint16_t)c->slots : (uint16_t)!is_there(self, c)};
  if (self->s.queued > 0 || self->s.claims > 0) {
    hc_spans_hear(&self->spans, c->at); /* a change of a task follows, no earlier */
    return carry_out(self, &x);
  }
  TRY(hc_reserve(self->family.context.allocator, (void **)&self->later, &self->later_cap,
                 self->later_count + 1, sizeof *self->later));
  self->later[self->later_count++] = x;
  return 0;
}

/* Changes that are only noted count, too. */
static hc_rc drawn(hc_metric *self, hc_time now, double *out)
{
  const hc_allocator *a = self->family.context.allocator;
  const size_t size = self->hosts * sizeof *self->of;
  hc_energy_trace t = {.s = self->trace.s};
  *out = -1;
  if (!self->is_traced) return 0;
  host *was = self->later_count > 0 ? hc_alloc(a, size) : NULL;
  if (self->later_count > 0 && !was) return HC_ENOMEM;
  if (was) memcpy(was, self->of, size);
  for (size_t i = 0; i < self->later_count; i++) {
    const later *x = &self->later[i];
    const int64_t before = self->of[x->host].draws;
    set_later(self, x);
    look_at(self, x->host);
    hc_energy_trace_draws(&t, x->at, t.s.draws + self->of[x->host].draws - before);
  }
  if (was) memcpy(self->of, was, size);
  hc_free(a, was, was ? size : 0);
  hc_energy_trace_draws(&t, now, 0);
  *out = joules(t.s.energy);
  return 0;
}

/* A task takes what it runs on, or gives it back: but for one that is resized. */
static hc_rc trace(hc_metric *self, const hc_change *c)
{
  const bool starts = c->kind == HC_CHANGE_CLAIMED, ends = c->kind == HC_CHANGE_RELEASED;
  if (!self->is_traced || c->resized || !(starts || ends)) return 0;
  return hc_energy_trace_tell(&self->trace, c->at, starts ? HC_ENERGY_START : HC_ENERGY_END, c->serial);
}

static hc_rc change_task(hc_metric *self, const hc_change *c)
{
  for (size_t i = 0; i < self->later_count; i++) TRY(carry_out(self, &self->later[i]));
  self->later_count = 0;
  hc_spans_hear(&self->spans, c->at);
  if (self->s.last == HC_UNKNOWN && self->has_tariff)
    tell_tariff(self, c->at, hc_spans_value(&self->spans, ALL));
  self->s.last = c->at;
  TRY(trace(self, c));
  switch ((hc_change_kind)c->kind) {
    case HC_CHANGE_QUEUED: self->s.queued++; return 0;
    case HC_CHANGE_UNQUEUED: self->s.queued--; return 0;
    case HC_CHANGE_CLAIMED: self->s.claims++; return hold(self, c);
    case HC_CHANGE_RELEASED: self->s.claims--; return hold(self, c);
    case HC_CHANGE_COMPUTES: return compute(self, c);
    case HC_CHANGE_HOST:
    case HC_CHANGE_QUEUED_MORE:
    case HC_CHANGE_UNQUEUED_MORE:
    case HC_CHANGE_POWER: break;
  }
  return 0;
}

static hc_rc changes(hc_metric *self, const hc_change *changes, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const hc_change *c = &changes[i];
    if (c->kind == HC_CHANGE_HOST || c->kind == HC_CHANGE_POWER) TRY(change_host(self, c));
    else TRY(change_task(self, c));
  }
  return 0;
}

static hc_rc tasks(hc_metric *self, const hc_task_record *records, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const hc_task_record *r = &records[i];
    const int64_t keys[] = {r->user, r->group, r->queue, r->serial};
    const uint64_t serial = (uint64_t)r->serial;
    const hc_time end = r->end == HC_UNKNOWN ? HC_NEVER : r->end; /* it has none: the run's */
    const bool counts = hc_task_counts(r);
    self->s.ended += counts;
    for (int k = 0; k < BY_COUNT; k++)
      if (self->is_by[k]) TRY(hc_bill_over(&self->bills[k], serial, end, keys[k], counts));
    if (self->is_wasted) TRY(hc_bill_over(&self->wasted, serial, end, r->final, counts));
  }
  return 0;
}

/* An attempt that did not end its task: what it has to do again, or did for nothing, is a share of the
 * time in which it did anything. */
static hc_rc attempts(hc_metric *self, const hc_attempt_record *r)
{
  const hc_time did = r->at - r->start - r->stood;
  if (!self->is_wasted || r->how == 0) return 0;
  return hc_bill_lose(&self->wasted, r->serial, r->at,
                      did > 0 ? HC_MIN((double)r->lost / (double)did, 1.0) : 1.0);
}

static hc_rc until(hc_metric *self, hc_time end)
{
  const bool is_over = self->s.queued <= 0 && self->s.claims <= 0;
  const hc_time last = is_over && self->s.last != HC_UNKNOWN ? self->s.last : end;
  for (int k = 0; k < BY_COUNT; k++)
    if (self->is_by[k]) TRY(hc_bill_close(&self->bills[k], last));
  if (self->is_wasted) TRY(hc_bill_close(&self->wasted, last));
  if (self->has_tariff && self->s.last != HC_UNKNOWN) hc_tariff_draws(&self->tariff, last, 0);
  return hc_spans_close(&self->spans, last);
}

/* ---- what links carry ---- */

static bool asks_look(const hc_metric *self)
{
  return self->has_network;
}

static hc_rc look(hc_metric *self, const hc_use_look *u)
{
  struct network *n = &self->network;
  const double more = u->link_energy - n->carried; /* between two looks no price changes, and no piece ends */
  if (self->has_tariff) {
    if (more > 0) hc_tariff_drew(&self->tariff, n->at, more);
    n->next = hc_tariff_next(&self->tariff, u->at);
  }
  if (self->is_told) {
    if (more > 0) TRY(hc_inflow_add(&self->inflow, n->at, more));
    const hc_time border = hc_inflow_border(&self->inflow, u->at);
    n->next = self->has_tariff ? HC_MIN(n->next, border) : border;
  }
  n->at = u->at;
  n->carried = u->link_energy;
  return 0;
}

static hc_time next_look(const hc_metric *self)
{
  return self->network.next;
}

/* ---- figures ---- */

static hc_rc find_rows(hc_metric *self, hc_findings *f)
{
  const hc_spans *s = &self->spans;
  for (size_t r = 0; r < s->rows; r++) {
    TRY(hc_spans_find_until(s, r, f, "power"));
    for (size_t k = 0; k < COLUMNS; k++)
      TRY(hc_find_cell(f, "power", hc_spans_key(s, r), name_of[k], "W", hc_spans_mean(s, r, k) / MICROWATTS));
  }
  return 0;
}

/* Users, groups, queues or tasks, ascending. */
static hc_rc find_by(hc_metric *self, hc_findings *f, int by)
{
  const hc_bill *b = &self->bills[by];
  hc_order order = {0};
  hc_rc rc = hc_order_make(&order, self->family.context.allocator, b->rows, b->row_count, sizeof *b->rows);
  for (size_t i = 0; i < b->row_count && rc == 0; i++) {
    const hc_bill_row *row = &b->rows[order.at[i]];
    rc = hc_find_cell(f, table_of[by], row->key, "energy", "J", joules(row->energy));
    if (rc == 0 && by != BY_TASKS)
      rc = hc_find_cell(f, table_of[by], row->key, "tasks", "tasks", (double)row->tasks);
  }
  hc_order_fini(&order, self->family.context.allocator);
  return rc;
}

/* Tasks that did not complete, and attempts that were made again. */
static hc_rc find_wasted(hc_metric *self, hc_findings *f)
{
  const hc_wide lost = hc_bill_of(&self->wasted, HC_BILL_LOST);
  const hc_wide killed =
      hc_wide_plus(hc_bill_of(&self->wasted, HC_FINAL_KILLED), hc_bill_of(&self->wasted, HC_FINAL_LOST));
  const hc_wide all = hc_wide_plus(lost, killed);
  TRY(hc_find_real(f, "energy_lost", "J", joules(lost)));
  TRY(hc_find_real(f, "energy_killed", "J", joules(killed)));
  return hc_find_real(f, "energy_wasted", "1", hc_wide_ratio(all, hc_spans_total(&self->spans, BUSY)));
}

/* @return J of links and switches */
static hc_rc find_network(hc_metric *self, hc_findings *f, double seconds, double *out)
{
  const hc_metric_context *c = &self->family.context;
  const double links = c->link_watts * seconds + self->network.carried;
  const double switches = c->switch_watts * seconds;
  *out = links + switches;
  TRY(hc_find_real(f, "energy_network", "J", *out));
  TRY(hc_find_real(f, "energy_links", "J", links));
  return hc_find_real(f, "energy_switches", "J", switches);
}

/* In the pieces of time that the table of hosts has. All that links have carried is in some of them. */
static hc_rc find_network_rows(const hc_metric *self, hc_findings *f)
{
  static const char table[] = "network_power";
  const hc_metric_context *c = &self->family.context;
  const hc_spans *s = &self->spans;
  for (size_t r = 0; r < s->rows; r++) {
    const bool is_first = r == 0, is_last = r + 1 == s->rows;
    const double carried = hc_inflow_sum(&self->inflow, is_first ? INT64_MIN : hc_spans_from(s, r),
                                         is_last ? HC_NEVER : hc_spans_from(s, r + 1));
    const double links = c->link_watts + carried / hc_seconds(hc_spans_until(s, r) - hc_spans_from(s, r));
    TRY(hc_spans_find_until(s, r, f, table));
    TRY(hc_find_cell(f, table, hc_spans_key(s, r), "links", "W", links));
    TRY(hc_find_cell(f, table, hc_spans_key(s, r), "switches", "W", c->switch_watts));
    TRY(hc_find_cell(f, table, hc_spans_key(s, r), "all", "W", links + c->switch_watts));
  }
  return 0;
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  const hc_spans *s = &self->spans;
  const bool any = s->times.begin != HC_UNKNOWN;
  const double energy = joules(hc_spans_total(s, ALL));
  const double seconds = any ? hc_seconds(s->times.end - s->times.begin) : 0;
  TRY(hc_find_real(f, "energy", "J", energy));
  TRY(hc_find_real(f, "energy_busy", "J", joules(hc_spans_total(s, BUSY))));
  TRY(hc_find_real(f, "energy_idle", "J", joules(hc_spans_total(s, IDLE))));
  TRY(hc_find_real(f, "energy_off", "J", joules(hc_spans_total(s, OFF))));
  TRY(hc_find_real(f, "energy_switching", "J", joules(hc_spans_total(s, SWITCHING))));
  TRY(hc_find_real(f, "power_mean", "W", hc_spans_mean_total(s, ALL) / MICROWATTS));
  TRY(hc_find_real(f, "power_max", "W", (double)s->levels[ALL].most / MICROWATTS));
  TRY(hc_find_real(f, "energy_per_task", "J",
                   self->s.ended > 0 ? energy / (double)self->s.ended : __builtin_nan("")));
  TRY(hc_find_real(f, "energy_delay", "J s", energy * seconds));
  double network = 0;
  if (self->has_network) TRY(find_network(self, f, seconds, &network));
  if (self->pue != 1 || self->has_network)
    TRY(hc_find_real(f, "energy_facility", "J", (energy + network) * self->pue));
  if (self->has_tariff) {
    TRY(hc_find_real(f, "energy_cost", "currency", hc_real_sum_value(self->tariff.s.cost) * self->pue));
    TRY(hc_find_real(f, "energy_co2", "kg", hc_real_sum_value(self->tariff.s.carbon) * self->pue / 1000));
  }
  if (self->is_wasted) TRY(find_wasted(self, f));
  TRY(find_rows(self, f));
  if (self->is_told) TRY(find_network_rows(self, f));
  if (self->is_traced) TRY(hc_energy_trace_find(&self->trace, f));
  for (int k = 0; k < BY_COUNT; k++)
    if (self->is_by[k]) TRY(find_by(self, f, k));
  return 0;
}

static hc_rc visit(hc_metric *self, hc_visitor *v)
{
  TRY(hc_spans_visit(&self->spans, v));
  HC_VISIT(v, self->s);
  if (self->has_network) HC_VISIT(v, self->network);
  if (self->is_told) TRY(hc_inflow_visit(&self->inflow, v));
  for (int k = 0; k < BY_COUNT; k++)
    if (self->is_by[k]) TRY(hc_bill_visit(&self->bills[k], v));
  if (self->is_wasted) TRY(hc_bill_visit(&self->wasted, v));
  if (self->is_traced) TRY(hc_energy_trace_visit(&self->trace, v));
  if (self->has_tariff) TRY(hc_tariff_visit(&self->tariff, v));
  HC_VISIT_ARRAY(v, self->later, self->later_count, self->later_cap);
  if (self->hosts > 0) TRY(hc_visit_bytes(v, self->of, self->hosts * sizeof *self->of));
  for (uint32_t h = 0; h < self->hosts; h++)
    if (self->of[h].column >= STATES || self->of[h].power >> 2 > HC_POWER_STATES) return HC_EINPUT;
  for (size_t i = 0; i < self->later_count; i++) {
    const later *x = &self->later[i];
    if (x->host >= self->hosts || x->is_power > 1 || x->value > (x->is_power ? UINT8_MAX : 1))
      return HC_EINPUT;
  }
  return self->spans.columns == COLUMNS ? 0 : HC_EINPUT;
}

static const hc_param params[] = {
    HC_SPAN_PARAMS(options, spans),
    HC_PARAM(CHOICES, options, by, "users|groups|queues|tasks", NULL,
             "Tables of what each user, group, queue or task answers for. Default: none."),
    HC_PARAM(BOOL, options, wasted, "false",
             "Gives figures of the energy that was drawn for nothing: by attempts that were lost with a host "
             "or stopped, and by tasks that were killed."),
    HC_PARAM(BOOL, options, trace, "false",
             "A table of what was drawn up to each start and end of a task and each switch of hosts, which "
             "the exporter batsim_consumed_energy writes."),
    HC_PARAM(BOOL, options, network, "false",
             "Gives a table of what links and switches draw over time, where the run's network says what "
             "they draw."),
    HC_PARAM(REAL, options, pue, "1", "1", 1, 100,
             "Power usage effectiveness: what the whole facility draws for each watt that its hosts, links "
             "and switches draw. It counts in energy_facility, energy_cost and energy_co2."),
    HC_TARIFF_PARAMS(options, tariff),
    {.name = NULL}};

static const char *const figures[] = {
    "energy|J|lower, usual, compared|integral of what all hosts draw, from the first task to the end of "
    "the last",
    "energy_busy|J|none|that of hosts of whose cores tasks hold some",
    "energy_idle|J|lower, compared|that of hosts that are on, and of whose cores no task holds any",
    "energy_off|J|none|that of hosts that are off, or away",
    "energy_switching|J|none|that of hosts that are being switched off or on",
    "power_mean|W|lower|energy / time from the first task to the end of the last",
    "power_max|W|lower, usual|the most that all hosts drew together for any time at all",
    "energy_per_task|J|lower|energy / tasks that ended",
    "energy_delay|J s|lower|energy x time from the first task to the end of the last",
    "energy_network|J|lower, compared|energy_links + energy_switches, where the run's network says what "
    "they draw",
    "energy_links|J|lower, compared|integral of what all links draw: idle + (busy - idle) x load of each",
    "energy_switches|J|none|what all switches draw x time from the first task to the end of the last",
    "energy_facility|J|lower, compared|(energy + energy_network) x pue, where pue is not 1 or the network "
    "draws",
    "energy_cost|currency|lower, usual, compared|integral of what all hosts, links and switches draw x pue x "
    "price, where a price or a carbon intensity is given",
    "energy_co2|kg|lower, usual, compared|the same with carbon in place of price",
    "energy_lost|J|lower, compared|what tasks answer for in attempts that were lost with a host or stopped "
    "by a plan, in the proportion of their time that was to be done again or was for nothing; with `wasted`",
    "energy_killed|J|lower, compared|what tasks that were killed at a limit, failed, or were lost for good "
    "answer for, less energy_lost; with `wasted`",
    "energy_wasted|1|lower, compared|(energy_lost + energy_killed) / energy_busy; with `wasted`",
    "power.until|s|none|where the piece of time ends; the key is where it begins",
    "power.busy|W|none|mean draw of hosts of whose cores tasks hold some, during it",
    "power.idle|W|lower|mean draw of hosts that are on, and of whose cores no task holds any, during it",
    "power.off|W|none|mean draw of hosts that are off, or away, during it",
    "power.switching|W|none|mean draw of hosts that are being switched off or on, during it",
    "power.all|W|lower|mean draw of all hosts, during it",
    "network_power.until|s|none|where the piece of time ends; the key is where it begins, as in `power`",
    "network_power.links|W|lower|mean draw of all links, during it; with `network`",
    "network_power.switches|W|none|what all switches draw",
    "network_power.all|W|lower|both",
    "energy_by_user.energy|J|none|what tasks of the user answer for; the key is the user's number",
    "energy_by_user.tasks|tasks|none|tasks of the user that ended",
    "energy_by_group.energy|J|none|what tasks of the group answer for; the key is its number",
    "energy_by_group.tasks|tasks|none|tasks of the group that ended",
    "energy_by_queue.energy|J|none|what tasks of the queue answer for; the key is its number",
    "energy_by_queue.tasks|tasks|none|tasks of the queue that ended",
    "energy_by_task.energy|J|none|what the task answers for in all its attempts; the key is its serial",
    "energy_trace.at|s|none|when a task started or ended, or hosts were switched; the key counts such events",
    "energy_trace.what|1|none|0 a task started, 1 a task ended, 2 hosts were switched",
    "energy_trace.energy|J|none|what all hosts drew from the run's origin until then",
    "energy_trace.least|W|none|what all hosts would draw from then on if no core was busy",
    NULL,
};

const hc_metric_type hc_metric_energy = {
    .component = {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "energy",
                  .summary = "what hosts draw: energy by their state, and power over time",
                  .detail =
                      "The run's `power` says what a host draws at a load u, the share of its cores that "
                      "computes. With `execution: activities` those are the cores of processes that compute: "
                      "one that waits, sends or reads keeps none busy, a parallel task as many as its rate "
                      "says, a suspended task none, a task without a profile all that it holds. Else the "
                      "cores that tasks hold compute, those of a suspended task that keeps them included. A "
                      "host is busy (tasks hold cores of it), idle, off (switched off by the policy, or "
                      "away) or switching. On a cell that counts processors each of them is a host of one "
                      "core. u is at most 1, also where hosts promise more cores than they have. A task "
                      "answers for the part of a host's draw that its cores are of those that tasks hold "
                      "there, at each instant: with `by`, shares add up to energy_busy. Where the network of "
                      "`execution` says what links and switches draw (`link_watts`, `switch_watts`, "
                      "wattage_range of SimGrid's links), energy_network is that beside hosts: links by "
                      "their load, which is what flows take of their bandwidth. It belongs to no task; "
                      "energy_facility, energy_cost and energy_co2 include it, and all other figures and "
                      "tables are about hosts only. Time is counted from the first submission to the last "
                      "end of a task, or to the end of a run that ends before." HC_SPANS_TEXT,
                  .source = "SimGrid, plug-ins host_energy and link_energy; Batsim 4.2.1, consumed_joules",
                  .params = params, .options_size = sizeof(options)},
    HC_FAMILY_CALLS,
    .tasks = tasks,
    .changes = changes,
    .drawn = drawn,
    .until = until,
    .attempts = attempts,
    .look = look,
    .look_at = next_look,
    .asks_look = asks_look,
    .needs_use = true,
    .change_kinds = 1u << HC_CHANGE_QUEUED | 1u << HC_CHANGE_UNQUEUED | 1u << HC_CHANGE_CLAIMED |
                    1u << HC_CHANGE_RELEASED | 1u << HC_CHANGE_HOST | 1u << HC_CHANGE_POWER |
                    1u << HC_CHANGE_COMPUTES,
};
