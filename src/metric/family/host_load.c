/* host_load.c -- how much of the machine is claimed, over pieces of time: of each dimension, for the cell,
 * its classes, its sets of hosts, and on request each host.
 *
 * Each group of hosts and dimension has two levels, claimed and capacity; load is the quotient of their
 * integrals, so that hosts that are away do not count as idle. What hosts hold beyond their capacity after
 * a shrink counts. Cost: a product for each group that a host is in and each dimension that changes; 32
 * bytes for each of them and piece of time. */
#include <stdio.h>

#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "metric/family.h"
#include "metric/machine.h"
#include "metric/spans.h"
#include "metric/sum128.h"

enum { CELL, CLASSES, HOSTS };
enum { CLAIMED, CAPACITY, LEVELS }; /* of each group and dimension */

typedef struct options {
  hc_span_options spans;
  int detail;
} options;

struct hc_metric {
  hc_family family;
  hc_machine machine;
  hc_spans spans;
  uint32_t classes, sets, hosts; /* groups of each kind that have columns, behind the cell */
  hc_belonging sets_of;
};

/* ---- groups ---- */

static size_t groups(const hc_metric *self)
{
  return (size_t)1 + self->classes + self->sets + self->hosts;
}

static size_t column(const hc_metric *self, size_t group, uint32_t dimension, int level)
{
  return (group * self->machine.dimensions + dimension) * LEVELS + (size_t)level;
}

static size_t first_set(const hc_metric *self, uint32_t host)
{
  return self->sets > 0 ? self->sets_of.first[host] : 0;
}

static size_t past_sets(const hc_metric *self, uint32_t host)
{
  return self->sets > 0 ? self->sets_of.first[host + 1] : 0;
}

static void start_group(hc_metric *self, size_t group, const int64_t *capacity)
{
  for (uint32_t d = 0; d < self->machine.dimensions; d++) {
    size_t c = column(self, group, d, CAPACITY);
    hc_spans_start(&self->spans, c,
                   hc_amount_plus(hc_spans_value(&self->spans, c), capacity[self->machine.which[d]]));
  }
}

static void start(hc_metric *self)
{
  const hc_machine *m = &self->machine;
  start_group(self, 0, m->total);
  for (uint32_t h = 0; h < m->hosts; h++) {
    if (self->classes > 0) start_group(self, 1 + m->spec->class_of[h], hc_machine_capacity(m, h));
    for (size_t i = first_set(self, h); i < past_sets(self, h); i++)
      start_group(self, 1 + self->classes + self->sets_of.group[i], hc_machine_capacity(m, h));
    if (self->hosts > 0)
      start_group(self, (size_t)1 + self->classes + self->sets + h, hc_machine_capacity(m, h));
  }
}

static hc_rc set_up(hc_metric *self, const options *o, hc_error *e)
{
  hc_rc rc;
  hc_spans_init(&self->spans, self->family.context.allocator, &o->spans);
  TRY(hc_machine_init(&self->machine, &self->family.context));
  if (self->machine.spec && o->detail >= CLASSES) {
    self->classes = self->machine.spec->class_count;
    self->sets = self->machine.spec->set_count;
  }
  if (o->detail >= HOSTS) self->hosts = self->machine.hosts;
  if (self->sets > 0) TRY(hc_belonging_of_sets(&self->machine, false, &self->sets_of));
  rc = hc_spans_widen(&self->spans, groups(self) * self->machine.dimensions * LEVELS);
  if (rc == HC_ELIMIT)
    return hc_fail(e, rc, "metric host_load", 0, 0,
                   "more than %u columns of hosts, sets and dimensions; ask for less with `detail`",
                   HC_SPANS_COLUMNS);
  TRY(rc);
  start(self);
  return 0;
}

static void fini(hc_metric *self)
{
  if (self) {
    hc_belonging_fini(&self->machine, &self->sets_of);
    hc_machine_fini(&self->machine);
    hc_spans_fini(&self->spans);
  }
  hc_family_free(self);
}

HC_FAMILY_INIT

/* ---- hearing ---- */

static hc_rc add_to_group(hc_metric *self, size_t group, hc_time t, int level, const int64_t *more)
{
  for (uint32_t d = 0; d < self->machine.dimensions; d++) {
    int64_t x = more[self->machine.which[d]];
    size_t c = column(self, group, d, level);
    if (x != 0) TRY(hc_spans_set(&self->spans, c, t, hc_amount_plus(hc_spans_value(&self->spans, c), x)));
  }
  return 0;
}

static hc_rc add(hc_metric *self, const hc_change *c, int level, const int64_t *more)
{
  TRY(add_to_group(self, 0, c->at, level, more));
  if (!hc_machine_has(&self->machine, c->host)) return 0;
  if (self->classes > 0)
    TRY(add_to_group(self, 1 + self->machine.spec->class_of[c->host], c->at, level, more));
  for (size_t i = first_set(self, c->host); i < past_sets(self, c->host); i++)
    TRY(add_to_group(self, 1 + self->classes + self->sets_of.group[i], c->at, level, more));
  if (self->hosts == 0) return 0;
  return add_to_group(self, (size_t)1 + self->classes + self->sets + c->host, c->at, level, more);
}

static hc_rc changes(hc_metric *self, const hc_change *changes, size_t count)
{
  int64_t more[HC_DIMENSIONS];
  for (size_t i = 0; i < count; i++) {
    const hc_change *c = &changes[i];
    hc_spans_hear(&self->spans, c->at);
    switch ((hc_change_kind)c->kind) {
      case HC_CHANGE_CLAIMED: TRY(add(self, c, CLAIMED, c->amount)); break;
      case HC_CHANGE_RELEASED:
        for (uint32_t d = 0; d < self->machine.width; d++) more[d] = hc_amount_minus(0, c->amount[d]);
        TRY(add(self, c, CLAIMED, more));
        break;
      case HC_CHANGE_HOST:
        if (hc_machine_change(&self->machine, c, more)) TRY(add(self, c, CAPACITY, more));
        break;
      case HC_CHANGE_QUEUED:
      case HC_CHANGE_UNQUEUED:
      case HC_CHANGE_QUEUED_MORE:
      case HC_CHANGE_UNQUEUED_MORE:
      case HC_CHANGE_POWER:
      case HC_CHANGE_COMPUTES: break;
    }
  }
  return 0;
}

static hc_rc until(hc_metric *self, hc_time end)
{
  return hc_spans_close(&self->spans, end);
}

/* ---- figures ---- */

/* "host_load", "host_load:class:NAME" ... */
static void table_of(const hc_metric *self, size_t group, char out[256])
{
  const hc_cell_spec *spec = self->machine.spec;
  size_t i = group - 1;
  if (group == 0) (void)snprintf(out, 256, "host_load");
  else if (i < self->classes) (void)snprintf(out, 256, "host_load:class:%.200s", spec->classes[i].name);
  else if ((i -= self->classes) < self->sets)
    (void)snprintf(out, 256, "host_load:set:%.200s", spec->sets[i].name);
  else (void)snprintf(out, 256, "host_load:host:%.200s", spec->host_names[i - self->sets]);
}

/* A class without GPUs has no load of them. */
static bool has(const hc_metric *self, size_t group, uint32_t d)
{
  const hc_level *claimed = &self->spans.levels[column(self, group, d, CLAIMED)];
  const hc_level *capacity = &self->spans.levels[column(self, group, d, CAPACITY)];
  return capacity->most > 0 || capacity->value > 0 || claimed->most > 0;
}

static hc_rc find_row(const hc_metric *self, hc_findings *f, size_t row, size_t group)
{
  const hc_spans *s = &self->spans;
  char table[256], buffer[32], amount[64];
  table_of(self, group, table);
  if (group == 0) TRY(hc_spans_find_until(s, row, f, table));
  for (uint32_t d = 0; d < self->machine.dimensions; d++) {
    size_t claimed = column(self, group, d, CLAIMED), capacity = column(self, group, d, CAPACITY);
    uint8_t which = self->machine.which[d];
    const char *name = hc_machine_name(&self->machine, which, buffer);
    if (!has(self, group, d)) continue;
    (void)snprintf(amount, sizeof amount, "%.48s_amount", name);
    TRY(hc_find_cell(f, table, hc_spans_key(s, row), name, "1",
                     hc_wide_ratio(hc_spans_sum(s, row, claimed), hc_spans_sum(s, row, capacity))));
    TRY(hc_find_cell(f, table, hc_spans_key(s, row), amount, hc_machine_unit(which),
                     hc_spans_mean(s, row, claimed) / hc_machine_per_unit(which)));
  }
  return 0;
}

/* Over the whole run: the cell in the summary, its classes and sets in tables by their number. */
static hc_rc find_whole(const hc_metric *self, hc_findings *f, size_t group, const char *table, int64_t key)
{
  const hc_spans *s = &self->spans;
  char buffer[32], name[64], amount[80];
  for (uint32_t d = 0; d < self->machine.dimensions; d++) {
    size_t claimed = column(self, group, d, CLAIMED), capacity = column(self, group, d, CAPACITY);
    uint8_t which = self->machine.which[d];
    double load = hc_wide_ratio(hc_spans_total(s, claimed), hc_spans_total(s, capacity));
    double mean = hc_spans_mean_total(s, claimed) / hc_machine_per_unit(which);
    if (group > 0 && !has(self, group, d)) continue;
    (void)snprintf(name, sizeof name, "%s%.40s", group == 0 ? "host_load_" : "",
                   hc_machine_name(&self->machine, which, buffer));
    (void)snprintf(amount, sizeof amount, "%s_amount", name);
    if (group == 0) {
      TRY(hc_find_real(f, name, "1", load));
      TRY(hc_find_real(f, amount, hc_machine_unit(which), mean));
    } else {
      TRY(hc_find_cell(f, table, key, name, "1", load));
      TRY(hc_find_cell(f, table, key, amount, hc_machine_unit(which), mean));
    }
  }
  return 0;
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  TRY(find_whole(self, f, 0, NULL, 0));
  for (size_t g = 0; g < self->classes; g++)
    TRY(find_whole(self, f, 1 + g, "host_load_by_class", (int64_t)g));
  for (size_t g = 0; g < self->sets; g++)
    TRY(find_whole(self, f, 1 + self->classes + g, "host_load_by_set", (int64_t)g));
  for (size_t r = 0; r < self->spans.rows; r++)
    for (size_t g = 0; g < groups(self); g++) TRY(find_row(self, f, r, g));
  return 0;
}

static hc_rc visit(hc_metric *self, hc_visitor *v)
{
  size_t columns = self->spans.columns;
  TRY(hc_machine_visit(&self->machine, v));
  TRY(hc_spans_visit(&self->spans, v));
  return self->spans.columns == columns ? 0 : HC_EINPUT;
}

static const hc_param params[] = {
    HC_SPAN_PARAMS(options, spans),
    HC_PARAM(CHOICE, options, detail, "cell|classes|hosts", "classes",
             "What is measured: the cell as a whole; its classes and sets of hosts too; each host too."),
    {.name = NULL},
};

#define AMOUNT "cores, B, GPUs, units"

static const char *const figures[] = {
    "host_load_*|1|higher|integral of what is claimed / integral of capacity, of each dimension",
    "host_load_*_amount|" AMOUNT "|higher|mean of what is claimed of it",
    ("host_load_by_class.*|1|higher|the load of a class; the key is its number, from 0, in order of "
     "declaration"),
    "host_load_by_class.*_amount|" AMOUNT "|higher|mean of what is claimed in it",
    "host_load_by_set.*|1|higher|the load of a set; the key is its number, from 0, in order of declaration",
    "host_load_by_set.*_amount|" AMOUNT "|higher|mean of what is claimed in it",
    "host_load.until|s|none|where the piece of time ends; the key is where it begins",
    "host_load.*|1|higher|the load of the cell during it",
    "host_load.*_amount|" AMOUNT "|higher|mean of what is claimed during it",
    ("host_load:*.*|1|higher|the load of a class, set or host: tables host_load:class:NAME, :set:NAME, "
     ":host:NAME"),
    "host_load:*.*_amount|" AMOUNT "|higher|mean of what is claimed there",
    NULL,
};

const hc_metric_type hc_metric_host_load = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "host_load",
         .summary = "how much of each dimension is claimed over time: cell, classes, sets, hosts",
         .detail = "On a cell of processors the only dimension is cpu, one core a processor." HC_SPANS_TEXT,
         .source = "DSLab, monitoring: load.csv", .params = params, .options_size = sizeof(options)},
    HC_FAMILY_CALLS,
    .changes = changes,
    .until = until,
};
