/* lost_capacity.c -- why capacity stood idle while tasks were queued: all of it, split by cause.
 *
 * While a task is queued, what is declared and not busy is lost. It is split, in this order, so that the
 * causes add up to all of it:
 *
 *   away       the hosts are not there: failed, in maintenance, switched off
 *   surplus    more is idle than all queued tasks ask for together
 *   size       no queued task fits, and each asks for more than is idle in all
 *   fragments  no queued task fits: enough is idle for some, but not on hosts that have room for its slots
 *   thinking   some queued task fits, and a scheduler thinks, or its next pass is not due
 *   reserved   some fits, and a window of an advance reservation is open: up to what that reserves
 *   planned    some fits, and the policy has promised a start, or is one that does so
 *   rules      some fits, and the policy's order, limits, partitions or placement let none start
 *
 * A task fits if its slots find room on hosts as they are, whatever the policy says. Rooms are kept for each
 * shape (amounts of a slot, slots) that is queued, and follow each host that changes. Of tasks of several
 * chunks the first is looked at; that GPUs are divided, that ranges must be contiguous and which hosts a task
 * may use is the policy's to know, and counts as its rules. The last four need what only a run knows; of
 * records alone all that fits counts as rules.
 *
 * Cost: a shape costs O(hosts) when the first task of it is queued, and each change of a host O(shapes that
 * are queued x dimensions). Shares of the whole run are over the time in which a task is in the system: a
 * run may go on after that, by timers of its own. Where no host is ever away all causes come to
 * capacity_loss_zhang, and without `surplus` to capacity_loss_leung. Sources: Leung, Sabin, Sadayappan, ICPP
 * 2010; Tang et al., IPDPS 2011. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "metric/family.h"
#include "metric/machine.h"
#include "metric/spans.h"

enum { AWAY, SURPLUS, SIZE, FRAGMENTS, THINKING, RESERVED, PLANNED, RULES, CAUSES };

static const char *const cause_names[CAUSES] = {"away",     "surplus",  "size",    "fragments",
                                                "thinking", "reserved", "planned", "rules"};

typedef struct options {
  hc_span_options spans;
  const char *of;
} options;

/* Tasks that ask for the same. */
typedef struct shape {
  int64_t amount[HC_DIMENSIONS]; /* in each slot; of a dimension of the cell as a whole, in all */
  uint64_t waiting;              /* tasks */
  uint64_t room;                 /* slots for which there is room now */
  uint64_t slots;
  uint64_t whole; /* it wants its hosts whole */
} shape;

typedef struct state {
  hc_time stale;     /* since when causes may be others than counted; HC_UNKNOWN: they are not */
  uint64_t thinking; /* as the run said last */
  uint64_t plans;
  uint64_t of;         /* the dimension, by the lexicon's number */
  int64_t busy;        /* claimed of it in all */
  hc_time first, last; /* when a task was in the system, so far; HC_UNKNOWN: none was */
} state;

struct hc_metric {
  hc_family family;
  hc_machine machine;
  hc_spans spans; /* a column a cause */
  uint32_t hosts; /* of the cell, or one for all of its processors */
  int64_t declared, largest;
  int64_t *claimed; /* [hosts + 1][width] by the lexicon's number; last: of the cell as a whole */
  shape *shapes;    /* [shape_count] that are queued */
  size_t shape_count, shape_cap;
  hc_map by_sum; /* a sum of what is asked -> its shape */
  state state;
};

/* ---- room ---- */

static int64_t *claimed_on(const hc_metric *self, uint32_t host)
{
  return self->claimed + (size_t)host * self->machine.width;
}

static int64_t has_of(const hc_metric *self, uint32_t host, uint8_t which)
{
  return self->machine.hosts > 0 ? hc_machine_capacity(&self->machine, host)[which]
                                 : self->machine.total[which];
}

/* Whether a host is there and holds nothing. */
static bool is_vacant(const hc_metric *self, uint32_t host)
{
  bool has_some = false;
  for (uint32_t d = 0; d < self->machine.dimensions; d++) {
    const uint8_t which = self->machine.which[d];
    if (self->machine.shared[which]) continue;
    if (claimed_on(self, host)[which] > 0) return false;
    has_some |= has_of(self, host, which) > 0;
  }
  return has_some;
}

/* How many slots of a shape fit on a host. */
static uint64_t room_on(const hc_metric *self, const shape *s, uint32_t host)
{
  int64_t most = INT64_MAX;
  if (s->whole) return is_vacant(self, host);
  for (uint32_t d = 0; d < self->machine.dimensions; d++) {
    const uint8_t which = self->machine.which[d];
    if (self->machine.shared[which] || s->amount[which] <= 0) continue;
    const int64_t free = hc_amount_minus(has_of(self, host, which), claimed_on(self, host)[which]);
    most = HC_MIN(most, HC_MAX(free, 0) / s->amount[which]);
  }
  return HC_MIN((uint64_t)most, s->slots); /* no more than it needs, so that no sum is too large */
}

static bool fits(const hc_metric *self, const shape *s)
{
  for (uint32_t d = 0; d < self->machine.dimensions; d++) {
    const uint8_t which = self->machine.which[d];
    if (!self->machine.shared[which]) continue;
    if (s->amount[which] > hc_amount_minus(self->machine.total[which], claimed_on(self, self->hosts)[which]))
      return false;
  }
  return s->room >= s->slots;
}

/* A host is about to change (`sign` -1), or has changed (1). */
static void count_room(hc_metric *self, uint32_t host, int sign)
{
  for (size_t i = 0; i < self->shape_count; i++) {
    shape *s = &self->shapes[i];
    const uint64_t room = room_on(self, s, host);
    s->room = sign < 0 ? s->room - room : s->room + room;
  }
}

/* ---- shapes ---- */

static uint64_t sum_of(const hc_metric *self, const shape *s)
{
  hc_hash h;
  uint64_t sum[2];
  hc_hash_init(&h);
  hc_hash_add(&h, s->amount, self->machine.width * sizeof *s->amount);
  hc_hash_add(&h, &s->slots, sizeof s->slots);
  hc_hash_add(&h, &s->whole, sizeof s->whole);
  hc_hash_end(&h, sum);
  return sum[0];
}

static shape shape_of(const hc_metric *self, const hc_change *c)
{
  shape s = {.slots = c->slots, .whole = c->whole != 0};
  for (uint32_t d = 0; d < self->machine.width; d++) s.amount[d] = HC_MAX(c->amount[d], 0);
  return s;
}

static hc_rc join(hc_metric *self, const shape *s)
{
  const uint64_t sum = sum_of(self, s);
  const uint32_t found = hc_map_get(&self->by_sum, sum);
  if (found != HC_MAP_NONE) {
    self->shapes[found].waiting++;
    return 0;
  }
  TRY(hc_reserve(self->family.context.allocator, (void **)&self->shapes, &self->shape_cap,
                 self->shape_count + 1, sizeof *self->shapes));
  TRY(hc_map_set(&self->by_sum, sum, (uint32_t)self->shape_count));
  shape *to = &self->shapes[self->shape_count++];
  *to = *s;
  to->waiting = 1;
  for (uint32_t h = 0; h < self->hosts; h++) to->room += room_on(self, s, h);
  return 0;
}

/* The last takes the place of one that is queued no more. */
static hc_rc leave(hc_metric *self, const shape *s)
{
  const uint64_t sum = sum_of(self, s);
  const uint32_t at = hc_map_get(&self->by_sum, sum);
  if (at == HC_MAP_NONE || --self->shapes[at].waiting > 0) return 0;
  hc_map_remove(&self->by_sum, sum);
  self->shapes[at] = self->shapes[--self->shape_count];
  if (at == self->shape_count) return 0;
  return hc_map_set(&self->by_sum, sum_of(self, &self->shapes[at]), at);
}

/* ---- causes ---- */

/* What a task of a shape asks for; of one that wants hosts whole, as much as the largest of them have. */
static int64_t asked_by(const hc_metric *self, const shape *s)
{
  const int64_t each = s->whole ? self->largest : s->amount[self->state.of];
  int64_t all;
  const bool is_much = __builtin_mul_overflow(each, (int64_t)s->slots, &all);
  return is_much ? INT64_MAX : all;
}

typedef struct queued {
  int64_t asked, least; /* by all; by that which asks for least */
  bool fits;
} queued;

static queued look_at_queue(const hc_metric *self)
{
  queued q = {.least = INT64_MAX};
  for (size_t i = 0; i < self->shape_count; i++) {
    const shape *s = &self->shapes[i];
    int64_t all;
    q.least = HC_MIN(q.least, asked_by(self, s));
    if (__builtin_mul_overflow(asked_by(self, s), (int64_t)HC_MIN(s->waiting, INT64_MAX), &all) ||
        __builtin_add_overflow(q.asked, all, &q.asked))
      q.asked = INT64_MAX;
    q.fits |= fits(self, s);
  }
  return q;
}

/* What windows reserve at a time: processors of a cell that counts them, else of the first dimension. */
static int64_t reserved_at(const hc_metric *self, hc_time t)
{
  const hc_metric_context *c = &self->family.context;
  int64_t sum = 0;
  if (self->state.of != self->machine.which[0]) return 0;
  for (size_t i = 0; i < c->reserved_count && c->reserved[i].from <= t; i++)
    if (t < c->reserved[i].to) sum += c->reserved[i].units;
  return self->machine.hosts > 0 ? sum : sum * 1000;
}

static void split(const hc_metric *self, hc_time t, int64_t lost[CAUSES])
{
  const uint8_t of = (uint8_t)self->state.of;
  if (self->shape_count == 0) return;
  const queued q = look_at_queue(self);
  const int64_t has = self->machine.total[of];
  const int64_t idle = HC_MAX(hc_amount_minus(has, self->state.busy), 0);
  int64_t left = HC_MIN(idle, q.asked);
  lost[AWAY] = HC_MAX(self->declared - has, 0);
  lost[SURPLUS] = idle - left;
  if (!q.fits) {
    lost[q.least > idle ? SIZE : FRAGMENTS] = left;
  } else if (self->state.thinking) {
    lost[THINKING] = left;
  } else {
    lost[RESERVED] = HC_MIN(left, reserved_at(self, t));
    lost[self->state.plans ? PLANNED : RULES] = left - lost[RESERVED];
  }
}

/* Time goes on from what was left at the last instant at which anything changed. */
static hc_rc settle(hc_metric *self)
{
  int64_t lost[CAUSES] = {0};
  const hc_time t = self->state.stale;
  if (t == HC_UNKNOWN) return 0;
  self->state.stale = HC_UNKNOWN;
  split(self, t, lost);
  for (size_t c = 0; c < CAUSES; c++) TRY(hc_spans_set(&self->spans, c, t, lost[c]));
  return 0;
}

/* ---- birth and death ---- */

static void fini(hc_metric *self)
{
  if (self) {
    const hc_allocator *a = self->family.context.allocator;
    hc_free(a, self->claimed, ((size_t)self->hosts + 1) * self->machine.width * sizeof *self->claimed);
    hc_free(a, self->shapes, self->shape_cap * sizeof *self->shapes);
    if (self->by_sum.allocator) hc_map_fini(&self->by_sum);
    hc_machine_fini(&self->machine);
    hc_spans_fini(&self->spans);
  }
  hc_family_free(self);
}

static hc_rc find_dimension(hc_metric *self, const char *name, hc_error *e)
{
  const hc_machine *m = &self->machine;
  char buffer[32];
  if (m->dimensions > 0) self->state.of = m->which[0];
  for (uint32_t d = 0; name && d < m->dimensions; d++) {
    if (strcmp(hc_machine_name(m, m->which[d], buffer), name) != 0) continue;
    self->state.of = m->which[d];
    return 0;
  }
  if (!name) return 0;
  return hc_fail(e, HC_EUSAGE, "metric lost_capacity", 0, 0,
                 "of: the cell has no \"%.60s\"; name one of its dimensions, as cpu or gpu", name);
}

/* All that the cell has when no host is away. */
static void find_declared(hc_metric *self)
{
  const hc_machine *m = &self->machine;
  const uint8_t of = (uint8_t)self->state.of;
  self->declared = self->largest = m->total[of];
  if (m->hosts == 0) return;
  self->declared = m->spec->shared[of];
  self->largest = 0;
  for (uint32_t h = 0; h < m->hosts; h++) {
    const int64_t has = m->spec->classes[m->spec->class_of[h]].capacity[of];
    self->declared = hc_amount_plus(self->declared, has);
    self->largest = HC_MAX(self->largest, has);
  }
}

static hc_rc set_up(hc_metric *self, const options *o, hc_error *e)
{
  const hc_allocator *a = self->family.context.allocator;
  self->state.stale = self->state.first = self->state.last = HC_UNKNOWN;
  hc_spans_init(&self->spans, a, &o->spans);
  hc_map_init(&self->by_sum, a);
  TRY(hc_machine_init(&self->machine, &self->family.context));
  TRY(find_dimension(self, o->of, e));
  find_declared(self);
  self->hosts = HC_MAX(self->machine.hosts, 1);
  self->claimed = hc_alloc(a, ((size_t)self->hosts + 1) * self->machine.width * sizeof *self->claimed);
  if (!self->claimed) return HC_ENOMEM;
  return hc_spans_widen(&self->spans, CAUSES);
}

HC_FAMILY_INIT

/* ---- hearing ---- */

static void claim(hc_metric *self, const hc_change *c, uint32_t host)
{
  const uint64_t sign = c->kind == HC_CHANGE_CLAIMED ? 1 : UINT64_MAX;
  for (uint32_t d = 0; d < self->machine.width; d++) {
    const int64_t more = (int64_t)(sign * (uint64_t)c->amount[d]);
    int64_t *x = &claimed_on(self, host)[d];
    *x = hc_amount_plus(*x, more);
    if (d == self->state.of) self->state.busy = hc_amount_plus(self->state.busy, more);
  }
}

static void change_host(hc_metric *self, const hc_change *c, uint32_t host)
{
  int64_t more[HC_DIMENSIONS];
  if (host < self->hosts) count_room(self, host, -1);
  if (c->kind == HC_CHANGE_HOST) (void)hc_machine_change(&self->machine, c, more);
  else claim(self, c, host);
  if (host < self->hosts) count_room(self, host, 1);
}

static hc_rc hear(hc_metric *self, const hc_change *c)
{
  const bool is_cell = c->host == HC_NO_HOST;
  const uint32_t host = !is_cell ? c->host : self->machine.hosts == 0 ? 0 : self->hosts;
  if (c->kind == HC_CHANGE_QUEUED || c->kind == HC_CHANGE_UNQUEUED) {
    const shape s = shape_of(self, c);
    return c->kind == HC_CHANGE_QUEUED ? join(self, &s) : leave(self, &s);
  }
  if (c->kind > HC_CHANGE_HOST || host > self->hosts) return 0;
  change_host(self, c, host);
  return 0;
}

static hc_rc changes(hc_metric *self, const hc_change *changes, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    if (self->state.stale != HC_UNKNOWN && changes[i].at > self->state.stale) TRY(settle(self));
    hc_spans_hear(&self->spans, changes[i].at);
    TRY(hear(self, &changes[i]));
    self->state.stale = changes[i].at;
    if (changes[i].kind == HC_CHANGE_HOST) continue;
    if (self->state.first == HC_UNKNOWN) self->state.first = changes[i].at;
    self->state.last = changes[i].at;
  }
  return 0;
}

/* Windows of reservations open and close though nothing else changes: where there are any, each instant
 * counts. */
static hc_rc stands(hc_metric *self, const hc_standing_record *r)
{
  const bool is_same = self->state.thinking == r->thinking && self->state.plans == r->plans;
  if (self->spans.times.begin == HC_UNKNOWN) return 0;
  if (is_same && self->family.context.reserved_count == 0) return 0;
  if (self->state.stale != HC_UNKNOWN && r->at > self->state.stale) TRY(settle(self));
  hc_spans_hear(&self->spans, r->at);
  self->state.thinking = r->thinking;
  self->state.plans = r->plans;
  self->state.stale = r->at;
  return 0;
}

static hc_rc until(hc_metric *self, hc_time end)
{
  TRY(settle(self));
  if (self->shape_count > 0 || self->state.busy > 0) self->state.last = end;
  return hc_spans_close(&self->spans, end);
}

/* ---- figures ---- */

static hc_rc find(const hc_metric *self, hc_findings *f, const char *table, int64_t key,
                  const hc_wide sums[CAUSES], hc_time time)
{
  const hc_wide capacity = hc_wide_product(time, self->declared);
  hc_wide all = {0};
  char name[64];
  for (size_t c = 0; c < CAUSES; c++) {
    const double share = hc_wide_ratio(sums[c], capacity);
    all = hc_wide_plus(all, sums[c]);
    (void)snprintf(name, sizeof name, "%s%s", table ? "" : "lost_capacity_", cause_names[c]);
    if (table) TRY(hc_find_cell(f, table, key, name, "1", share));
    else TRY(hc_find_real(f, name, "1", share));
  }
  return table ? 0 : hc_find_real(f, "lost_capacity", "1", hc_wide_ratio(all, capacity));
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  const hc_spans *s = &self->spans;
  hc_wide sums[CAUSES];
  for (size_t c = 0; c < CAUSES; c++) sums[c] = hc_spans_total(s, c);
  TRY(find(self, f, NULL, 0, sums, self->state.last - self->state.first)); /* both unknown: 0 */
  for (size_t r = 0; r < s->rows; r++) {
    TRY(hc_spans_find_until(s, r, f, "lost_capacity"));
    for (size_t c = 0; c < CAUSES; c++) sums[c] = hc_spans_sum(s, r, c);
    TRY(find(self, f, "lost_capacity", hc_spans_key(s, r), sums, hc_spans_until(s, r) - hc_spans_from(s, r)));
  }
  return 0;
}

static hc_rc visit(hc_metric *self, hc_visitor *v)
{
  TRY(hc_machine_visit(&self->machine, v));
  TRY(hc_spans_visit(&self->spans, v));
  TRY(hc_visit_bytes(v, self->claimed,
                     ((size_t)self->hosts + 1) * self->machine.width * sizeof *self->claimed));
  HC_VISIT(v, self->state);
  HC_VISIT_ARRAY(v, self->shapes, self->shape_count, self->shape_cap);
  for (size_t i = 0; i < self->shape_count && hc_visit_loading(v); i++)
    TRY(hc_map_set(&self->by_sum, sum_of(self, &self->shapes[i]), (uint32_t)i));
  return self->spans.columns == CAUSES && self->state.of < HC_DIMENSIONS ? 0 : HC_EINPUT;
}

static const hc_param params[] = {
    HC_SPAN_PARAMS(options, spans),
    HC_PARAM(TEXT, options, of, NULL,
             "The dimension whose capacity is counted, by its name. Default: the cell's first, cores or "
             "processors as a rule."),
    {.name = NULL},
};

static const char *const figures[] = {
    ("lost_capacity|1|lower, usual|all of the causes: integral of what is declared and not busy while a task "
     "is queued / integral of what is declared"),
    "lost_capacity_away|1|lower|the part of it on hosts that are not there",
    "lost_capacity_surplus|1|none|the part beyond what all queued tasks ask for together",
    "lost_capacity_size|1|lower|the part while each queued task asks for more than is idle in all",
    ("lost_capacity_fragments|1|lower|the part while no queued task finds room on the hosts, though enough "
     "is idle in all"),
    ("lost_capacity_thinking|1|lower|the part while some queued task fits, and a scheduler thinks, or its "
     "next pass is not due"),
    ("lost_capacity_reserved|1|lower|the part while some fits, up to what open windows of advance "
     "reservations reserve"),
    "lost_capacity_planned|1|lower|the part while some fits, under a policy that promises starts",
    "lost_capacity_rules|1|lower|the part while some fits, and the policy's rules let none start",
    "lost_capacity.until|s|none|where the piece of time ends; the key is where it begins",
    "lost_capacity.*|1|lower|the same of a piece of time, by cause",
    NULL,
};

const hc_metric_type hc_metric_lost_capacity = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "lost_capacity",
         .summary = "why capacity stood idle while tasks were queued: by cause, over time",
         .detail =
             "While a task is queued, capacity that is declared and not busy is lost. Causes: it lies on "
             "hosts that are away; it is beyond what all queued tasks ask for; every queued task is larger "
             "than all that is idle; no queued task finds room on the hosts (fragments). While some queued "
             "task would fit, the scheduler is the cause: it thinks, or waits for its next pass; windows of "
             "reservations are open; its policy promises starts (all else that such a policy holds back "
             "counts here too); or its order, limits, partitions or placement let no task start. The causes "
             "add up to the loss. Shares of the whole run are over the time from the first instant with a "
             "task in the system to the last. A task of several chunks counts by the first one. Computed "
             "from records alone, all that is lost while a task fits counts as rules." HC_SPANS_TEXT,
         .source = "Leung et al., ICPP 2010; Tang et al., IPDPS 2011", .params = params,
         .options_size = sizeof(options)},
    HC_FAMILY_CALLS,
    .changes = changes,
    .until = until,
    .stands = stands,
    .change_kinds = 1u << HC_CHANGE_QUEUED | 1u << HC_CHANGE_UNQUEUED | 1u << HC_CHANGE_CLAIMED |
                    1u << HC_CHANGE_RELEASED | 1u << HC_CHANGE_HOST,
};
