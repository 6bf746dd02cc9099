/* queue_load.c -- how many tasks wait and what they ask for, over pieces of time: overall and of each user.
 *
 * A task that waits counts as one, whatever its size; what it asks for is the need of all its slots (of
 * what belongs to the cell as a whole, once). Every user has a mean and a greatest number; those who came
 * first also a table over time, all others one together. Cost: a look-up and a product for each dimension
 * per change; 16 bytes per column and piece of time. */
#include <inttypes.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "metric/family.h"
#include "metric/machine.h"
#include "metric/people.h"
#include "metric/sum128.h"

typedef struct options {
  hc_span_options spans;
  int64_t users;
} options;

enum { TASKS, OTHERS, ASKED }; /* columns; those of dimensions follow, then those of users */

struct hc_metric {
  hc_family family;
  hc_machine machine;
  hc_spans spans;
  hc_people people;
};

static size_t own_columns(const hc_metric *self)
{
  return ASKED + self->machine.dimensions;
}

static void fini(hc_metric *self)
{
  if (self) {
    hc_machine_fini(&self->machine);
    hc_spans_fini(&self->spans);
    hc_people_fini(&self->people);
  }
  hc_family_free(self);
}

static hc_rc set_up(hc_metric *self, const options *o, hc_error *e)
{
  const hc_allocator *a = self->family.context.allocator;
  HC_UNUSED(e);
  hc_spans_init(&self->spans, a, &o->spans);
  TRY(hc_machine_init(&self->machine, &self->family.context));
  hc_people_init(&self->people, a, own_columns(self), (size_t)o->users);
  return hc_spans_widen(&self->spans, own_columns(self));
}

HC_FAMILY_INIT

/* ---- hearing ---- */

static hc_rc add(hc_metric *self, size_t column, hc_time t, int64_t more)
{
  if (more == 0) return 0;
  return hc_spans_set(&self->spans, column, t, hc_amount_plus(hc_spans_value(&self->spans, column), more));
}

/* What it asks for. */
static hc_rc ask(hc_metric *self, const hc_change *c, int64_t sign)
{
  for (uint32_t d = 0; d < self->machine.dimensions; d++) {
    int64_t asked = hc_machine_asked(&self->machine, c, self->machine.which[d]);
    TRY(add(self, ASKED + d, c->at, sign > 0 ? asked : hc_amount_minus(0, asked)));
  }
  return 0;
}

static hc_rc hear(hc_metric *self, const hc_change *c, int64_t sign)
{
  hc_people *p = &self->people;
  size_t at;
  TRY(add(self, TASKS, c->at, sign));
  TRY(ask(self, c, sign));
  TRY(hc_people_find(p, &self->spans, c->user, &at));
  if (p->items[at].column == 0) TRY(add(self, OTHERS, c->at, sign));
  return hc_people_set(p, &self->spans, at, c->at, hc_amount_plus(p->items[at].level.value, sign));
}

static hc_rc changes(hc_metric *self, const hc_change *changes, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const hc_change *c = &changes[i];
    hc_spans_hear(&self->spans, c->at);
    if (c->kind == HC_CHANGE_QUEUED) TRY(hear(self, c, 1));
    else if (c->kind == HC_CHANGE_UNQUEUED) TRY(hear(self, c, -1));
    else if (c->kind == HC_CHANGE_QUEUED_MORE) TRY(ask(self, c, 1));
    else if (c->kind == HC_CHANGE_UNQUEUED_MORE) TRY(ask(self, c, -1));
  }
  return 0;
}

static hc_rc until(hc_metric *self, hc_time end)
{
  TRY(hc_spans_close(&self->spans, end));
  hc_people_close(&self->people, &self->spans);
  return 0;
}

/* ---- figures ---- */

static hc_rc find_whole(const hc_metric *self, hc_findings *f)
{
  const hc_spans *s = &self->spans;
  char buffer[32], name[64];
  TRY(hc_find_real(f, "queue_load_tasks_mean", "tasks", hc_spans_mean_total(s, TASKS)));
  TRY(hc_find_count(f, "queue_load_tasks_max", "tasks", s->levels[TASKS].most));
  for (uint32_t d = 0; d < self->machine.dimensions; d++) {
    uint8_t which = self->machine.which[d];
    (void)snprintf(name, sizeof name, "queue_load_%.40s_amount",
                   hc_machine_name(&self->machine, which, buffer));
    TRY(hc_find_real(f, name, hc_machine_unit(which),
                     hc_spans_mean_total(s, ASKED + d) / hc_machine_per_unit(which)));
  }
  return 0;
}

static hc_rc find_users(const hc_metric *self, hc_findings *f)
{
  for (size_t i = 0; i < self->people.count; i++) {
    const hc_person *x = hc_people_at(&self->people, i);
    TRY(hc_find_cell(f, "queue_by_user", x->user, "tasks_mean", "tasks", hc_people_mean(x, &self->spans)));
    TRY(hc_find_cell(f, "queue_by_user", x->user, "tasks_max", "tasks", (double)x->level.most));
  }
  return 0;
}

static hc_rc find_row(const hc_metric *self, hc_findings *f, size_t row)
{
  const hc_spans *s = &self->spans;
  int64_t key = hc_spans_key(s, row);
  char buffer[32], name[64];
  TRY(hc_spans_find_until(s, row, f, "queue_load"));
  TRY(hc_find_cell(f, "queue_load", key, "tasks", "tasks", hc_spans_mean(s, row, TASKS)));
  for (uint32_t d = 0; d < self->machine.dimensions; d++) {
    uint8_t which = self->machine.which[d];
    (void)snprintf(name, sizeof name, "%.40s_amount", hc_machine_name(&self->machine, which, buffer));
    TRY(hc_find_cell(f, "queue_load", key, name, hc_machine_unit(which),
                     hc_spans_mean(s, row, ASKED + d) / hc_machine_per_unit(which)));
  }
  for (size_t i = 0; i < self->people.count; i++) {
    const hc_person *x = hc_people_at(&self->people, i);
    if (x->column == 0) continue;
    (void)snprintf(name, sizeof name, "queue_load:user:%" PRId64, x->user);
    TRY(hc_find_cell(f, name, key, "tasks", "tasks", hc_spans_mean(s, row, (size_t)x->column - 1)));
  }
  if (self->people.count <= self->people.most) return 0;
  return hc_find_cell(f, "queue_load:others", key, "tasks", "tasks", hc_spans_mean(s, row, OTHERS));
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  TRY(hc_people_order(&self->people));
  TRY(find_whole(self, f));
  TRY(find_users(self, f));
  for (size_t r = 0; r < self->spans.rows; r++) TRY(find_row(self, f, r));
  return 0;
}

static hc_rc visit(hc_metric *self, hc_visitor *v)
{
  TRY(hc_spans_visit(&self->spans, v));
  TRY(hc_people_visit(&self->people, v));
  return self->spans.columns == own_columns(self) + HC_MIN(self->people.count, self->people.most) ? 0
                                                                                                  : HC_EINPUT;
}

static const hc_param params[] = {
    HC_SPAN_PARAMS(options, spans),
    HC_PARAM(INT, options, users, "users", "32", 0, 100000,
             "How many users have a table over time: the first ones that came. All other users have one "
             "together."),
    {.name = NULL},
};

#define AMOUNT "cores, B, GPUs, units"

static const char *const figures[] = {
    "queue_load_tasks_mean|tasks|lower|mean number of tasks that wait, from the first change to the end",
    "queue_load_tasks_max|tasks|lower|most tasks that waited for any time",
    "queue_load_*_amount|" AMOUNT "|lower|mean of what they ask for together, of each dimension",
    "queue_by_user.tasks_mean|tasks|lower|mean number of the user's tasks that wait",
    "queue_by_user.tasks_max|tasks|lower|most of them that waited for any time",
    "queue_load.until|s|none|where the piece of time ends; the key is where it begins",
    "queue_load.tasks|tasks|lower|mean number of tasks that wait during it",
    "queue_load.*_amount|" AMOUNT "|lower|mean of what they ask for during it",
    ("queue_load:*.tasks|tasks|lower|mean number of a user's tasks that wait: tables queue_load:user:NUMBER, "
     ":others"),
    NULL,
};

const hc_metric_type hc_metric_queue_load = {
    .component = {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "queue_load",
                  .summary = "tasks that wait and what they ask for over time, overall and by user",
                  .detail =
                      "A task counts as one, however many hosts it wants; its amounts are those of all its "
                      "slots." HC_SPANS_TEXT,
                  .source = "DSLab, monitoring: scheduler_info.csv", .params = params,
                  .options_size = sizeof(options)},
    HC_FAMILY_CALLS,
    .changes = changes,
    .until = until,
};
