/* energy.c -- what the machine draws, and the energy that is: by state of its hosts, and over time.
 *
 * A host's load u is the share of its cores that tasks hold; the run's models of power (cluster/watts.h) say
 * what it draws at that load. It is in one of four states at a time: *busy* (u > 0), *idle*, *off* (switched
 * off, or away) and *switching*. What hosts of a state draw together is a level in whole microwatts, whose
 * integrals are exact (spans.h); energy is their sum. On a cell that counts processors each is a host of one
 * core.
 *
 * Cost: a model is asked, and two sums change, for each host of a claim and a release; 24 bytes a host. */
#include "base/math.h"
#include "base/state.h"
#include "metric/family.h"
#include "metric/machine.h"
#include "metric/spans.h"
#include "metric/sum128.h"

enum { BUSY, IDLE, OFF, SWITCHING, STATES, ALL = STATES, COLUMNS };

static const char *const name_of[COLUMNS] = {"busy", "idle", "off", "switching", "all"};

#define MICROWATTS 1e6
#define WATTS_MOST 1e12 /* of one state: microwatts x ns of a year stay far below 128 bits */

typedef struct options {
  hc_span_options spans;
} options;

/* What is known of a host. */
typedef struct host {
  int64_t held;   /* of its cores, by tasks */
  int64_t draws;  /* microwatts, in the column of its state */
  uint8_t column; /* BUSY to SWITCHING */
  uint8_t power;  /* hc_power_state */
  uint8_t is_away, padding[5];
} host;

/* A change of a host while there was no task. */
typedef struct later {
  hc_time at;
  uint32_t host;
  uint16_t is_power, value; /* hc_power_state; else: it is away */
} later;

struct hc_metric {
  hc_family family;
  hc_spans spans;
  uint32_t hosts; /* 0: the cell counts processors, of which `held` are busy */
  struct state {
    uint64_t ended; /* tasks */
    int64_t held;
    int64_t queued, claims; /* tasks that wait; claims of tasks on hosts */
    hc_time last;           /* change of a task; HC_UNKNOWN: none */
  } s;
  host *of; /* [hosts] */
  later *later;
  size_t later_count, later_cap;
};

static void fini(hc_metric *self)
{
  if (!self) return;
  hc_free(self->family.context.allocator, self->of, self->hosts * sizeof *self->of);
  hc_free(self->family.context.allocator, self->later, self->later_cap * sizeof *self->later);
  hc_spans_fini(&self->spans);
  hc_family_free(self);
}

/* ---- what a host draws ---- */

static int64_t microwatts(const hc_metric *self, uint32_t h, hc_power_state state, double load)
{
  const hc_metric_context *c = &self->family.context;
  return (int64_t)(c->watts(c->watts_ctx, h, state, load) * MICROWATTS + 0.5);
}

/* Cores that it really has, in the lexicon's thousandths, where more of them may be promised. */
static int64_t cores_of(const hc_metric *self, uint32_t h)
{
  const hc_cell_spec *cell = self->family.context.cell;
  const uint32_t class_ = cell->class_of[h];
  return cell->physical ? cell->physical[class_][0] : cell->classes[class_].capacity[HC_DIM_CPU];
}

static void look_at(const hc_metric *self, uint32_t h)
{
  host *x = &self->of[h];
  const int64_t cores = cores_of(self, h);
  const double load = cores > 0 ? HC_MIN((double)x->held / (double)cores, 1.0) : 0;
  hc_power_state state = (hc_power_state)x->power;
  if (state == HC_POWER_ON && x->is_away) state = HC_POWER_OFF;
  x->draws = microwatts(self, h, state, load);
  x->column = state == HC_POWER_OFF ? OFF : state != HC_POWER_ON ? SWITCHING : load > 0 ? BUSY : IDLE;
}

/* ---- birth ---- */

static hc_rc no_power(hc_error *e)
{
  return hc_fail(
      e, HC_EUSAGE, "metrics", 0, 0,
      "energy: nothing says what hosts draw; add `power`, such as `power: {use: linear, idle: 100, peak: "
      "200}`, or leave the metric out");
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

static hc_rc set_up(hc_metric *self, const options *o, hc_error *e)
{
  const hc_metric_context *c = &self->family.context;
  double sums[COLUMNS] = {0}, most = 0;
  hc_spans_init(&self->spans, c->allocator, &o->spans);
  self->s.last = HC_UNKNOWN;
  if (!c->watts) return no_power(e);
  TRY(hc_spans_widen(&self->spans, COLUMNS));
  if (c->cell && c->cell->granularity == HC_CELL_HOSTS) {
    self->of = hc_alloc(c->allocator, c->cell->units * sizeof *self->of);
    if (!self->of) return HC_ENOMEM;
    self->hosts = c->cell->units;
  } else {
    sums[IDLE] = sums[ALL] = (double)c->capacity * (double)microwatts(self, 0, HC_POWER_ON, 0);
    most = (double)c->capacity * (double)microwatts(self, 0, HC_POWER_ON, 1);
  }
  for (uint32_t h = 0; h < self->hosts; h++) {
    self->of[h].is_away = c->cell->absent && c->cell->absent[h];
    look_at(self, h);
    sums[self->of[h].column] += (double)self->of[h].draws;
    sums[ALL] += (double)self->of[h].draws;
    most += (double)microwatts(self, h, HC_POWER_ON, 1);
  }
  return most > WATTS_MOST * MICROWATTS ? too_much(e) : start(self, sums, e);
}

HC_FAMILY_INIT

/* ---- what changes ---- */

/* Before the first task there is no time yet: levels only begin otherwise. */
static hc_rc add(hc_metric *self, size_t column, hc_time at, int64_t more)
{
  const int64_t value = hc_spans_value(&self->spans, column) + more;
  if (self->s.last != HC_UNKNOWN) return hc_spans_set(&self->spans, column, at, value);
  hc_spans_start(&self->spans, column, value);
  return 0;
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
  return add(self, ALL, at, now->draws - before.draws);
}

/* Processors: those that tasks hold are busy. A thousand of the amount is one. */
static hc_rc processors_changed(hc_metric *self, hc_time at)
{
  const int64_t capacity = self->family.context.capacity;
  const int64_t busy = HC_MIN(HC_MAX(self->s.held / 1000, 0), capacity);
  const int64_t draws[2] = {busy * microwatts(self, 0, HC_POWER_ON, 1),
                            (capacity - busy) * microwatts(self, 0, HC_POWER_ON, 0)};
  TRY(hc_spans_set(&self->spans, BUSY, at, draws[0]));
  TRY(hc_spans_set(&self->spans, IDLE, at, draws[1]));
  return hc_spans_set(&self->spans, ALL, at, draws[0] + draws[1]);
}

static hc_rc hold(hc_metric *self, const hc_change *c)
{
  const int64_t more = c->kind == HC_CHANGE_CLAIMED ? c->amount[HC_DIM_CPU] : -c->amount[HC_DIM_CPU];
  if (more == 0) return 0;
  if (self->hosts == 0) {
    self->s.held += more;
    return processors_changed(self, c->at);
  }
  if (c->host >= self->hosts) return 0; /* of the cell as a whole: no host's cores */
  self->of[c->host].held += more;
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

static hc_rc carry_out(hc_metric *self, const later *x)
{
  host *h = &self->of[x->host];
  if (x->is_power) h->power = (uint8_t)x->value;
  else h->is_away = (uint8_t)x->value;
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
  if (self->s.queued > 0 || self->s.claims > 0) return carry_out(self, &x);
  TRY(hc_reserve(self->family.context.allocator, (void **)&self->later, &self->later_cap,
                 self->later_count + 1, sizeof *self->later));
  self->later[self->later_count++] = x;
  return 0;
}

static hc_rc change_task(hc_metric *self, const hc_change *c)
{
  for (size_t i = 0; i < self->later_count; i++) TRY(carry_out(self, &self->later[i]));
  self->later_count = 0;
  hc_spans_hear(&self->spans, c->at);
  self->s.last = c->at;
  switch ((hc_change_kind)c->kind) {
    case HC_CHANGE_QUEUED: self->s.queued++; return 0;
    case HC_CHANGE_UNQUEUED: self->s.queued--; return 0;
    case HC_CHANGE_CLAIMED: self->s.claims++; return hold(self, c);
    case HC_CHANGE_RELEASED: self->s.claims--; return hold(self, c);
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
  for (size_t i = 0; i < count; i++) self->s.ended += hc_task_counts(&records[i]);
  return 0;
}

static hc_rc until(hc_metric *self, hc_time end)
{
  const bool is_over = self->s.queued <= 0 && self->s.claims <= 0;
  return hc_spans_close(&self->spans, is_over && self->s.last != HC_UNKNOWN ? self->s.last : end);
}

/* ---- figures ---- */

/* Of microwatts x ns. */
static double joules(hc_wide sum)
{
  return hc_wide_real(sum) / 1e15;
}

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
  return find_rows(self, f);
}

static hc_rc visit(hc_metric *self, hc_visitor *v)
{
  TRY(hc_spans_visit(&self->spans, v));
  HC_VISIT(v, self->s);
  HC_VISIT_ARRAY(v, self->later, self->later_count, self->later_cap);
  if (self->hosts > 0) TRY(hc_visit_bytes(v, self->of, self->hosts * sizeof *self->of));
  for (uint32_t h = 0; h < self->hosts; h++)
    if (self->of[h].column >= STATES || self->of[h].power > HC_POWER_STARTING) return HC_EINPUT;
  for (size_t i = 0; i < self->later_count; i++) {
    const later *x = &self->later[i];
    if (x->host >= self->hosts || x->is_power > 1 || x->value > (x->is_power ? HC_POWER_STARTING : 1))
      return HC_EINPUT;
  }
  return self->spans.columns == COLUMNS ? 0 : HC_EINPUT;
}

static const hc_param params[] = {HC_SPAN_PARAMS(options, spans), {.name = NULL}};

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
    "power.until|s|none|where the piece of time ends; the key is where it begins",
    "power.busy|W|none|mean draw of hosts of whose cores tasks hold some, during it",
    "power.idle|W|lower|mean draw of hosts that are on, and of whose cores no task holds any, during it",
    "power.off|W|none|mean draw of hosts that are off, or away, during it",
    "power.switching|W|none|mean draw of hosts that are being switched off or on, during it",
    "power.all|W|lower|mean draw of all hosts, during it",
    NULL,
};

const hc_metric_type hc_metric_energy = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "energy",
         .summary = "what hosts draw: energy by their state, and power over time",
         .detail =
             "The run's `power` says what a host draws at a load u, the share of its cores "
             "that tasks hold; a core that a task holds computes, whatever the task does "
             "with it. A host is busy (u > 0), idle, off (switched off by the policy, or "
             "away) or switching. On a cell that counts processors each of them is idle (u = "
             "0) or busy (u = 1). Where hosts promise more cores than they have, u is at "
             "most 1. A suspended task that keeps its cores keeps them busy. Time is counted "
             "from the first submission to the last end of a task, or to the end of a run "
             "that ends before." HC_SPANS_TEXT,
         .source = "SimGrid, plug-in host_energy; Batsim 4.2.1, consumed_joules", .params = params,
         .options_size = sizeof(options)},
    HC_FAMILY_CALLS,
    .tasks = tasks,
    .changes = changes,
    .until = until,
    .needs_use = true,
    .change_kinds = 1u << HC_CHANGE_QUEUED | 1u << HC_CHANGE_UNQUEUED | 1u << HC_CHANGE_CLAIMED |
                    1u << HC_CHANGE_RELEASED | 1u << HC_CHANGE_HOST | 1u << HC_CHANGE_POWER,
};
