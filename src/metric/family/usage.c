/* usage.c -- what is claimed against what is really used, of cores and memory.
 *
 * A trace may say what a task used, on average or step by step. Next to what is claimed stand what is claimed
 * while the use is known, and that use; a trace that does not know it leaves the latter at 0. Use may
 * exceed the claim. What is known step by step is counted when the claim ends (metric/uses.h).
 *
 * Cost: three products per change, step and resource; 64 bytes per piece of time and resource. */
#include <stdio.h>

#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "metric/family.h"
#include "metric/machine.h"
#include "metric/spans.h"
#include "metric/sum128.h"
#include "metric/uses.h"

typedef struct options {
  hc_span_options spans;
} options;

enum { CPU, MEMORY, RESOURCES };
enum { CAPACITY, CLAIMED, KNOWN, USED, LEVELS };

static const uint8_t which_of[RESOURCES] = {HC_DIM_CPU, HC_DIM_MEMORY};
static const char *const name_of[RESOURCES] = {"cpu", "memory"};

struct hc_metric {
  hc_family family;
  hc_machine machine;
  hc_spans spans;
  hc_uses uses;
};

static size_t column(int resource, int level)
{
  return (size_t)(resource * LEVELS + level);
}

static void fini(hc_metric *self)
{
  if (self) {
    hc_machine_fini(&self->machine);
    hc_spans_fini(&self->spans);
    hc_uses_fini(&self->uses);
  }
  hc_family_free(self);
}

static hc_rc set_up(hc_metric *self, const options *o, hc_error *e)
{
  const hc_allocator *a = self->family.context.allocator;
  HC_UNUSED(e);
  hc_spans_init(&self->spans, a, &o->spans);
  hc_uses_init(&self->uses, a);
  TRY(hc_machine_init(&self->machine, &self->family.context));
  TRY(hc_spans_widen(&self->spans, RESOURCES * LEVELS));
  for (int r = 0; r < RESOURCES; r++)
    hc_spans_start(&self->spans, column(r, CAPACITY), self->machine.total[which_of[r]]);
  return 0;
}

HC_FAMILY_INIT

static hc_rc add(hc_metric *self, size_t c, hc_time t, int64_t more, bool taken)
{
  int64_t value = hc_spans_value(&self->spans, c);
  if (more == 0) return 0;
  return hc_spans_set(&self->spans, c, t, taken ? hc_amount_plus(value, more) : hc_amount_minus(value, more));
}

static int64_t of_all(int64_t each, uint32_t slots)
{
  int64_t all;
  return __builtin_mul_overflow(each, (int64_t)slots, &all) ? INT64_MAX : all;
}

/* A step of use that was passed. */
static hc_rc passed(void *ctx, const hc_use_claim *c, const hc_use_step *step, hc_time from, hc_time to)
{
  hc_metric *self = ctx;
  const int64_t used[RESOURCES] = {step->cpu, step->memory}, claimed[RESOURCES] = {c->cpu, c->memory};
  for (int r = 0; r < RESOURCES; r++) {
    if (used[r] < 0) continue; /* not known then */
    TRY(hc_spans_add(&self->spans, column(r, KNOWN), from, to, claimed[r]));
    TRY(hc_spans_add(&self->spans, column(r, USED), from, to, of_all(used[r], c->slots)));
  }
  return 0;
}

/* @return 1 if its use is known step by step, else 0, or HC_ENOMEM. */
static hc_rc claim_steps(hc_metric *self, const hc_change *c)
{
  const hc_lexicon *l = self->family.context.lexicon;
  const hc_task_extras *m = c->use && l ? hc_lexicon_more(l, c->use) : NULL;
  if (!m || m->use_count == 0) return 0;
  if (c->kind == HC_CHANGE_RELEASED) TRY(hc_uses_end(&self->uses, c, passed, self));
  else TRY(hc_uses_begin(&self->uses, c, m));
  return 1;
}

static hc_rc claim(hc_metric *self, const hc_change *c)
{
  const hc_rc stepwise = claim_steps(self, c);
  const int64_t used[RESOURCES] = {c->used_cpu, c->used_memory};
  bool taken = c->kind == HC_CHANGE_CLAIMED;
  bool is_shared = self->machine.hosts > 0 && c->host == HC_NO_HOST; /* licences: no cores are used by them */
  if (stepwise < 0) return stepwise;
  for (int r = 0; r < RESOURCES; r++) {
    TRY(add(self, column(r, CLAIMED), c->at, c->amount[which_of[r]], taken));
    if (used[r] < 0 || is_shared || stepwise) continue; /* not known, or counted at its end */
    TRY(add(self, column(r, KNOWN), c->at, c->amount[which_of[r]], taken));
    TRY(add(self, column(r, USED), c->at, used[r], taken));
  }
  return 0;
}

static hc_rc changes(hc_metric *self, const hc_change *changes, size_t count)
{
  int64_t more[HC_DIMENSIONS];
  for (size_t i = 0; i < count; i++) {
    const hc_change *c = &changes[i];
    hc_spans_hear(&self->spans, c->at);
    if (c->kind == HC_CHANGE_CLAIMED || c->kind == HC_CHANGE_RELEASED) TRY(claim(self, c));
    else if (c->kind == HC_CHANGE_HOST && hc_machine_change(&self->machine, c, more))
      for (int r = 0; r < RESOURCES; r++) TRY(add(self, column(r, CAPACITY), c->at, more[which_of[r]], true));
  }
  return 0;
}

static hc_rc until(hc_metric *self, hc_time end)
{
  TRY(hc_uses_count(&self->uses, end, passed, self));
  return hc_spans_close(&self->spans, end);
}

/* ---- figures ---- */

/* The five figures of a resource, from its four integrals. @param key of the row; `f` finds in a table if
 * it has one. */
static hc_rc find(hc_findings *f, const char *table, int64_t key, int resource, const hc_wide sums[LEVELS],
                  hc_time time)
{
  static const char *const names[] = {"claimed", "used", "known", "claimed_amount", "used_amount"};
  const char *amount = hc_machine_unit(which_of[resource]);
  const hc_wide per_unit = hc_wide_product(time, (int64_t)hc_machine_per_unit(which_of[resource]));
  const double values[] = {hc_wide_ratio(sums[CLAIMED], sums[CAPACITY]),
                           hc_wide_ratio(sums[USED], sums[KNOWN]), hc_wide_ratio(sums[KNOWN], sums[CLAIMED]),
                           hc_wide_ratio(sums[CLAIMED], per_unit), hc_wide_ratio(sums[USED], per_unit)};
  for (size_t i = 0; i < HC_ARRAY_LEN(names); i++) {
    char name[64];
    (void)snprintf(name, sizeof name, "%s%s_%s", table ? "" : "usage_", name_of[resource], names[i]);
    if (table) TRY(hc_find_cell(f, table, key, name, i < 3 ? "1" : amount, values[i]));
    else TRY(hc_find_real(f, name, i < 3 ? "1" : amount, values[i]));
  }
  return 0;
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  const hc_spans *s = &self->spans;
  hc_wide sums[LEVELS];
  for (int k = 0; k < RESOURCES; k++) {
    for (int l = 0; l < LEVELS; l++) sums[l] = hc_spans_total(s, column(k, l));
    TRY(find(f, NULL, 0, k, sums, s->times.begin == HC_UNKNOWN ? 0 : s->times.end - s->times.begin));
  }
  for (size_t r = 0; r < s->rows; r++) {
    TRY(hc_spans_find_until(s, r, f, "usage"));
    for (int k = 0; k < RESOURCES; k++) {
      for (int l = 0; l < LEVELS; l++) sums[l] = hc_spans_sum(s, r, column(k, l));
      TRY(find(f, "usage", hc_spans_key(s, r), k, sums, hc_spans_until(s, r) - hc_spans_from(s, r)));
    }
  }
  return 0;
}

static hc_rc visit(hc_metric *self, hc_visitor *v)
{
  TRY(hc_machine_visit(&self->machine, v));
  TRY(hc_spans_visit(&self->spans, v));
  TRY(hc_uses_visit(&self->uses, v));
  return self->spans.columns == RESOURCES * LEVELS ? 0 : HC_EINPUT;
}

static const hc_param params[] = {HC_SPAN_PARAMS(options, spans), {.name = NULL}};

#define FIGURES(prefix, resource, unit, when) \
  prefix resource "_claimed|1|higher|integral of what is claimed / integral of capacity" when, \
      prefix resource \
      "_used|1|none|integral of what is used / integral of what is claimed, of tasks of which it is " \
      "known" when, \
      prefix resource "_known|1|none|the part of what is claimed of which the use is known" when, \
      prefix resource "_claimed_amount|" unit "|higher|mean of what is claimed" when, \
      prefix resource "_used_amount|" unit "|none|mean of what is used, as far as it is known" when

static const char *const figures[] = {
    FIGURES("usage_", "cpu", "cores", ""),
    FIGURES("usage_", "memory", "B", ""),
    "usage.until|s|none|where the piece of time ends; the key is where it begins",
    FIGURES("usage.", "cpu", "cores", ", during it"),
    FIGURES("usage.", "memory", "B", ", during it"),
    NULL,
};

const hc_metric_type hc_metric_usage = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "usage",
         .summary = "cores and memory claimed against really used, over time",
         .detail =
             "The use of a task is what the trace says: where the reader keeps it, step by step since the "
             "task's start, and the last step holds to its end; else the average. Tasks of which the use is "
             "not known, and times without a measurement, are left out of the quotient used / claimed; "
             "`known` says how much is not left out." HC_SPANS_TEXT,
         .params = params, .options_size = sizeof(options)},
    HC_FAMILY_CALLS,
    .changes = changes,
    .until = until,
    .needs_use = true,
};
