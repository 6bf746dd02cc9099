/* pareto.c -- while something waits that would fit: the time in which no user would lose if it started.
 *
 * An allocation is Pareto efficient if no user can have more without another having less. Where tasks are
 * whole and hosts are several, a free place that holds a waiting task violates it. Whether there is one is
 * known at each instant: waiting tasks are counted by shape (demand of a slot, slots, whole hosts or not),
 * and each shape knows how many of its slots fit on all hosts as they are. When an instant is over only the
 * hosts that changed in it are looked at.
 *
 * What is not heard of counts as met: constraints on hosts, slots that must lie on different hosts, GPUs of
 * which parts are free on several devices, reservations. A policy that keeps a place free for a large task
 * violates by intent. Cost: O(hosts that changed x shapes that wait x dimensions) an instant, O(hosts) for a
 * shape that is new. Memory: 70 bytes a host, 100 a shape that waits.
 * Source: Ghodsi et al., NSDI 2011, for the property; measured over time. */
#include <string.h>

#include "base/set.h"
#include "base/state.h"
#include "base/util.h"
#include "metric/family.h"
#include "metric/machine.h"
#include "metric/spans.h"

typedef struct options {
  hc_span_options spans;
} options;

enum { WAITING, VIOLATED, FITTING, COLUMNS };

#define SLOTS_MOST ((int64_t)1 << 31) /* that are counted on one host */

typedef struct shape {
  int64_t need[HC_DIMENSIONS];
  uint64_t slots, whole;
  int64_t tasks; /* that wait; 0: vacant */
  int64_t fits;  /* slots, over all hosts; HC_UNKNOWN: not counted yet */
} shape;

typedef struct room {
  int64_t free[HC_DIMENSIONS];
  uint64_t host;
  uint64_t is_there, is_idle;
} room;

struct hc_metric {
  hc_family family;
  hc_machine machine;
  hc_spans spans;
  uint32_t hosts;               /* 1: all processors */
  int64_t *claimed;             /* [hosts][width] */
  int64_t whole[HC_DIMENSIONS]; /* of the cell as a whole */
  room *touched;                /* [touched_count] as they were before the instant */
  size_t touched_count, touched_cap;
  uint8_t *is_touched; /* [hosts] */
  shape *shapes;
  size_t shape_count, shape_cap;
  hc_set waiting; /* shapes of which a task waits */
  struct {
    hc_time at;
    uint64_t pending;
    int64_t waiting;
  } state;
};

/* ---- birth and death ---- */

static void fini(hc_metric *self)
{
  if (self) {
    const hc_allocator *a = self->family.context.allocator;
    hc_free(a, self->claimed, self->hosts * self->machine.width * sizeof *self->claimed);
    hc_free(a, self->is_touched, self->hosts * sizeof *self->is_touched);
    hc_free(a, self->touched, self->touched_cap * sizeof *self->touched);
    hc_free(a, self->shapes, self->shape_cap * sizeof *self->shapes);
    hc_set_fini(&self->waiting);
    hc_machine_fini(&self->machine);
    hc_spans_fini(&self->spans);
  }
  hc_family_free(self);
}

static hc_rc set_up(hc_metric *self, const options *o, hc_error *e)
{
  const hc_allocator *a = self->family.context.allocator;
  HC_UNUSED(e);
  hc_spans_init(&self->spans, a, &o->spans);
  hc_set_init(&self->waiting, a);
  self->state.at = INT64_MIN;
  TRY(hc_machine_init(&self->machine, &self->family.context));
  self->hosts = HC_MAX(self->machine.hosts, 1);
  self->claimed = hc_alloc(a, self->hosts * self->machine.width * sizeof *self->claimed);
  self->is_touched = hc_alloc(a, self->hosts * sizeof *self->is_touched);
  return self->claimed && self->is_touched ? hc_spans_widen(&self->spans, COLUMNS) : HC_ENOMEM;
}

HC_FAMILY_INIT

/* ---- what fits ---- */

static room room_of(const hc_metric *self, uint32_t host)
{
  const int64_t *capacity =
      self->machine.hosts > 0 ? hc_machine_capacity(&self->machine, host) : self->machine.total;
  const int64_t *claimed = self->claimed + (size_t)host * self->machine.width;
  room r = {.host = host, .is_idle = 1};
  for (uint32_t d = 0; d < self->machine.dimensions; d++) {
    const uint8_t which = self->machine.which[d];
    if (self->machine.shared[which]) continue;
    r.free[which] = hc_amount_minus(capacity[which], claimed[which]);
    r.is_there |= capacity[which] > 0;
    r.is_idle &= claimed[which] == 0;
  }
  return r;
}

/* How many slots of a shape the host has room for. */
static int64_t slots_on(const hc_metric *self, const shape *s, const room *r)
{
  int64_t slots = SLOTS_MOST;
  if (!r->is_there) return 0;
  if (s->whole) return r->is_idle ? 1 : 0;
  for (uint32_t d = 0; d < self->machine.dimensions; d++) {
    const uint8_t which = self->machine.which[d];
    if (s->need[which] <= 0 || self->machine.shared[which]) continue;
    if (r->free[which] < s->need[which]) return 0;
    slots = HC_MIN(slots, r->free[which] / s->need[which]);
  }
  return slots;
}

static bool fits(const hc_metric *self, const shape *s)
{
  if (s->tasks <= 0 || s->fits < (int64_t)s->slots) return false;
  for (uint32_t d = 0; d < self->machine.dimensions; d++) {
    const uint8_t which = self->machine.which[d];
    if (self->machine.shared[which] && s->need[which] > 0 &&
        s->need[which] > hc_amount_minus(self->machine.total[which], self->whole[which]))
      return false;
  }
  return true;
}

static void recount(hc_metric *self)
{
  for (size_t i = 0; i < self->touched_count; i++) {
    const room *before = &self->touched[i], now = room_of(self, (uint32_t)before->host);
    self->is_touched[before->host] = 0;
    for (size_t k = 0; k < self->shape_count; k++) {
      shape *s = &self->shapes[k];
      if (s->tasks > 0 && s->fits != HC_UNKNOWN)
        s->fits += slots_on(self, s, &now) - slots_on(self, s, before);
    }
  }
  self->touched_count = 0;
  for (size_t k = 0; k < self->shape_count; k++) {
    shape *s = &self->shapes[k];
    if (s->tasks <= 0 || s->fits != HC_UNKNOWN) continue;
    s->fits = 0;
    for (uint32_t h = 0; h < self->hosts; h++) {
      const room now = room_of(self, h);
      s->fits += slots_on(self, s, &now);
    }
  }
}

/* The instant is over. */
static hc_rc settle(hc_metric *self)
{
  int64_t fitting = 0;
  hc_time t;
  if (!self->state.pending) return 0;
  self->state.pending = 0;
  hc_spans_hear(&self->spans, self->state.at);
  t = self->spans.times.end;
  recount(self);
  for (size_t k = 0; k < self->shape_count; k++)
    if (fits(self, &self->shapes[k])) fitting = hc_amount_plus(fitting, self->shapes[k].tasks);
  TRY(hc_spans_set(&self->spans, WAITING, t, self->state.waiting > 0));
  TRY(hc_spans_set(&self->spans, VIOLATED, t, fitting > 0));
  return hc_spans_set(&self->spans, FITTING, t, fitting);
}

/* ---- hearing ---- */

static hc_rc touch(hc_metric *self, uint32_t host)
{
  if (self->is_touched[host]) return 0;
  TRY(hc_reserve(self->family.context.allocator, (void **)&self->touched, &self->touched_cap,
                 self->touched_count + 1, sizeof *self->touched));
  self->touched[self->touched_count++] = room_of(self, host);
  self->is_touched[host] = 1;
  return 0;
}

static hc_rc claim(hc_metric *self, const hc_change *c)
{
  const bool is_whole = self->machine.hosts > 0 && c->host == HC_NO_HOST;
  const uint32_t host = self->machine.hosts == 0 ? 0 : c->host;
  int64_t *h;
  if (!is_whole && host >= self->hosts) return 0;
  if (!is_whole) TRY(touch(self, host));
  h = is_whole ? self->whole : self->claimed + (size_t)host * self->machine.width;
  for (uint32_t d = 0; d < self->machine.width; d++)
    h[d] = c->kind == HC_CHANGE_CLAIMED ? hc_amount_plus(h[d], c->amount[d])
                                        : hc_amount_minus(h[d], c->amount[d]);
  return 0;
}

static shape shape_of(const hc_metric *self, const hc_change *c)
{
  shape s = {.slots = c->slots, .whole = c->whole != 0, .fits = HC_UNKNOWN};
  memcpy(s.need, c->amount, self->machine.width * sizeof *s.need);
  return s;
}

/* By what a task asks for: the first members. */
static hc_keys keys_of(const hc_metric *self)
{
  return (hc_keys){self->shapes, sizeof *self->shapes, offsetof(shape, tasks)};
}

static hc_rc add_shape(hc_metric *self, const shape *s)
{
  const hc_allocator *a = self->family.context.allocator;
  size_t at = 0;
  while (at < self->shape_count && self->shapes[at].tasks > 0) at++;
  if (at >= HC_MAP_NONE) return HC_ELIMIT;
  TRY(hc_reserve(a, (void **)&self->shapes, &self->shape_cap, at + 1, sizeof *s));
  self->shape_count = HC_MAX(self->shape_count, at + 1);
  self->shapes[at] = *s;
  self->shapes[at].tasks = 1;
  return hc_set_put(&self->waiting, keys_of(self), (uint32_t)at);
}

static hc_rc queue(hc_metric *self, const hc_change *c)
{
  const shape s = shape_of(self, c);
  const bool joins = c->kind == HC_CHANGE_QUEUED;
  const uint32_t at = hc_set_find(&self->waiting, keys_of(self), &s);
  if (at == HC_MAP_NONE && !joins) return 0;
  self->state.waiting += joins ? 1 : -1;
  if (at == HC_MAP_NONE) return add_shape(self, &s);
  self->shapes[at].tasks += joins ? 1 : -1;
  if (self->shapes[at].tasks == 0) hc_set_remove(&self->waiting, keys_of(self), at);
  return 0;
}

static hc_rc hear(hc_metric *self, const hc_change *c)
{
  int64_t more[HC_DIMENSIONS];
  self->state.pending = 1;
  switch (c->kind) {
    case HC_CHANGE_QUEUED:
    case HC_CHANGE_UNQUEUED: return queue(self, c);
    case HC_CHANGE_CLAIMED:
    case HC_CHANGE_RELEASED: return claim(self, c);
    case HC_CHANGE_HOST:
      if (hc_machine_has(&self->machine, c->host)) TRY(touch(self, c->host));
      else if (self->machine.hosts == 0) TRY(touch(self, 0));
      (void)hc_machine_change(&self->machine, c, more);
      return 0;
  }
  return 0;
}

static hc_rc changes(hc_metric *self, const hc_change *changes, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    if (changes[i].at > self->state.at) {
      TRY(settle(self));
      self->state.at = changes[i].at;
    }
    TRY(hear(self, &changes[i]));
  }
  return 0;
}

static hc_rc until(hc_metric *self, hc_time end)
{
  TRY(settle(self));
  return hc_spans_close(&self->spans, end);
}

/* ---- figures ---- */

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  const hc_spans *s = &self->spans;
  TRY(hc_find_real(f, "pareto_violation", "1", hc_spans_mean_total(s, VIOLATED)));
  TRY(hc_find_real(f, "pareto_violation_of_waiting", "1",
                   hc_wide_ratio(hc_spans_total(s, VIOLATED), hc_spans_total(s, WAITING))));
  TRY(hc_find_real(f, "pareto_tasks", "tasks", hc_spans_mean_total(s, FITTING)));
  TRY(hc_find_count(f, "pareto_tasks_max", "tasks", s->levels[FITTING].most));
  for (size_t r = 0; r < s->rows; r++) {
    const int64_t key = hc_spans_key(s, r);
    TRY(hc_spans_find_until(s, r, f, "pareto"));
    TRY(hc_find_cell(f, "pareto", key, "violation", "1", hc_spans_mean(s, r, VIOLATED)));
    TRY(hc_find_cell(f, "pareto", key, "tasks", "tasks", hc_spans_mean(s, r, FITTING)));
  }
  return 0;
}

/* What is loaded may come from a damaged file. The set is made again from the shapes. */
static hc_rc index_all(hc_metric *self)
{
  hc_set_fini(&self->waiting);
  memset(self->is_touched, 0, self->hosts);
  for (size_t i = 0; i < self->touched_count; i++) {
    if (self->touched[i].host >= self->hosts) return HC_EINPUT;
    self->is_touched[self->touched[i].host] = 1;
  }
  for (size_t i = 0; i < self->shape_count; i++)
    if (self->shapes[i].tasks > 0) TRY(hc_set_put(&self->waiting, keys_of(self), (uint32_t)i));
  return 0;
}

static hc_rc visit(hc_metric *self, hc_visitor *v)
{
  TRY(hc_machine_visit(&self->machine, v));
  TRY(hc_spans_visit(&self->spans, v));
  TRY(hc_visit_bytes(v, self->claimed, self->hosts * self->machine.width * sizeof *self->claimed));
  HC_VISIT(v, self->whole);
  HC_VISIT(v, self->state);
  HC_VISIT_ARRAY(v, self->touched, self->touched_count, self->touched_cap);
  HC_VISIT_ARRAY(v, self->shapes, self->shape_count, self->shape_cap);
  if (self->spans.columns != COLUMNS || self->shape_count >= HC_MAP_NONE) return HC_EINPUT;
  return hc_visit_loading(v) ? index_all(self) : 0;
}

static const hc_param params[] = {HC_SPAN_PARAMS(options, spans), {.name = NULL}};

static const char *const figures[] = {
    "pareto_violation|1|lower|part of the time in which some waiting task fits what is free",
    "pareto_violation_of_waiting|1|lower|the same over the time in which something waits",
    "pareto_tasks|tasks|lower|mean number of waiting tasks that fit what is free, each by itself",
    "pareto_tasks_max|tasks|lower|the greatest number that held for any time",
    "pareto.until|s|none|where the piece of time ends; the key is where it begins",
    "pareto.violation|1|lower|part of it in which some waiting task fits",
    "pareto.tasks|tasks|lower|mean number of waiting tasks that fit during it",
    NULL,
};

const hc_metric_type hc_metric_pareto = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "pareto",
         .summary = "time in which a waiting task would fit what is free",
         .detail =
             "A task fits if all its slots do, several on a host where there is room, and the cell has what "
             "the task needs of it as a whole. What the metric is not told of counts as met: constraints on "
             "hosts, slots that must lie on different hosts, parts of GPUs, reservations." HC_SPANS_TEXT,
         .source = "Pareto efficiency as in Ghodsi et al., NSDI 2011, over time", .params = params,
         .options_size = sizeof(options)},
    HC_FAMILY_CALLS,
    .changes = changes,
    .until = until,
};
