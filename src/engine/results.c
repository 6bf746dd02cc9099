/* results.c -- what a run that is over leaves: final states of the tasks that are still there, figures, and
 * what exporters and readers of the store want to know of the machine, the calendar and the ledgers. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/math.h"
#include "base/state.h"
#include "base/util.h"
#include "engine/advance.h"
#include "engine/curves.h"
#include "engine/names.h"
#include "engine/observe.h"
#include "engine/points.h"
#include "engine/reservations.h"
#include "engine/resizes.h"
#include "engine/rows.h"
#include "engine/stopping.h"
#include "metric/findings.h"
#include "setup/calendar.h"
#include "setup/inputs.h"
#include "setup/recorded.h"

static int by_serial(const void *a, const void *b)
{
  const uint64_t *x = a, *y = b;
  return x[0] < y[0] ? -1 : x[0] > y[0];
}

static hc_final final_of(hc_task_state s)
{
  return s == HC_TASK_RUNNING || s == HC_TASK_SUSPENDED ? HC_FINAL_RUNNING
         : s == HC_TASK_HELD                            ? HC_FINAL_HELD
                                                        : HC_FINAL_WAITING;
}

/* Tasks that are still there when the run stops have a final state too: the ledger balances. In order of
 * serial. */
static hc_rc leave_behind(hc_engine *e, hc_error *error)
{
  size_t n = 0;
  uint64_t(*left)[2] = hc_arena_alloc(&e->scratch, e->tasks.count * sizeof *left);
  if (!left) return HC_ENOMEM;
  for (size_t i = 0; i < e->tasks.count; i++) {
    const hc_live *t = &e->tasks.live[i];
    if (t->state != HC_TASK_WAITING && t->state != HC_TASK_RUNNING && t->state != HC_TASK_HELD &&
        t->state != HC_TASK_SUSPENDED)
      continue;
    left[n][0] = t->serial;
    left[n++][1] = i;
  }
  qsort(left, n, sizeof *left, by_serial);
  for (size_t i = 0; i < n; i++) {
    hc_task id = (hc_task)left[i][1];
    if (final_of((hc_task_state)e->tasks.live[id].state) == HC_FINAL_RUNNING) TRY(hc_rows_left(e, id, error));
    TRY(hc_observe_final(e, id, final_of((hc_task_state)e->tasks.live[id].state), HC_UNKNOWN, error));
  }
  return 0;
}

/* An amount of a dimension in words: "1,096 cores", "1.5 TiB memory", "8 GPUs". */
static void amount_text(hc_buffer *b, const char *name, uint32_t dimension, int64_t amount)
{
  const bool parts = dimension == HC_DIM_CPU || dimension == HC_DIM_GPU; /* thousandths */
  char n[40];
  if (dimension == HC_DIM_CPU) name = "cores";
  if (dimension == HC_DIM_GPU) name = amount == HC_DEVICE ? "GPU" : "GPUs";
  if (dimension == HC_DIM_MEMORY || dimension == HC_DIM_DISK) n[hc_format_size(amount, n)] = '\0';
  else if (parts && amount % 1000 != 0) n[hc_format_real((double)amount / 1000, n)] = '\0';
  else n[hc_format_count(parts ? amount / 1000 : amount, n)] = '\0';
  hc_buffer_printf(b, ", %s %s", n, name);
}

/* What all hosts have together as they were declared, whether they are there now or not. */
static int64_t declared_amount(const hc_cell_spec *spec, uint32_t dimension)
{
  int64_t sum = spec->shared[dimension];
  for (uint32_t i = 0; i < spec->units; i++)
    if (__builtin_add_overflow(sum, spec->classes[spec->class_of[i]].capacity[dimension], &sum))
      return INT64_MAX;
  return sum;
}

/* A count that is mostly nought, and then left out. */
static hc_rc store_number(hc_engine *e, const char *key, uint64_t n, hc_error *error)
{
  char text[32];
  if (n == 0) return 0;
  (void)snprintf(text, sizeof text, "%" PRIu64, n);
  return hc_store_row(e->store, "hindcast", 2, (const char *[]){key, text}, error);
}

/* A host as it was declared. */
static hc_rc store_host(hc_engine *e, uint32_t host, hc_error *error)
{
  const hc_cell_spec *spec = &e->cell_spec;
  const hc_host_class *class = &spec->classes[spec->class_of[host]];
  const bool absent = spec->absent && spec->absent[host];
  const uint32_t n = e->gauge.width;
  char text[2 + HC_DIMENSIONS][32];
  const char *row[4 + HC_DIMENSIONS] = {text[0], spec->host_names[host], class->name, text[1]};
  (void)snprintf(text[0], sizeof text[0], "%" PRIu32, host);
  (void)snprintf(text[1], sizeof text[1], "%" PRIu32, class->devices);
  for (uint32_t d = 0; d < n; d++) {
    (void)snprintf(text[2 + d], sizeof text[0], "%" PRId64, absent ? 0 : class->capacity[d]);
    row[4 + d] = text[2 + d];
  }
  return hc_store_row(e->store, "hosts", 4 + n, row, error);
}

/* Which hosts a set has that says which partitions it is. */
static hc_rc store_set(hc_engine *e, uint32_t number, hc_error *error)
{
  const hc_host_set *set = &e->cell_spec.sets[number];
  for (uint32_t i = 0; set->of_count > 0 && i < set->host_count; i++) {
    const int64_t row[] = {number, set->hosts[i].first, set->hosts[i].count};
    TRY(hc_store_numbers(e->store, "host_sets", HC_ARRAY_LEN(row), row, error));
  }
  return 0;
}

/* A cell of hosts: what it has in all, and what a task's `units` are amounts of. */
static hc_rc store_hosts(hc_engine *e, hc_error *error)
{
  const hc_hosts *h = e->cell.hosts;
  const uint8_t *which = hc_hosts_which(h);
  char n[40];
  hc_buffer b;
  hc_rc rc;
  hc_buffer_init(&b, e->allocator);
  n[hc_format_count((int64_t)e->cell_spec.units, n)] = '\0';
  hc_buffer_printf(&b, "%s hosts", n);
  for (uint32_t d = 0; d < hc_hosts_dimensions(h); d++)
    amount_text(&b, hc_lexicon_dimension_name(e->lexicon, which[d]), which[d],
                declared_amount(&e->cell_spec, which[d]));
  rc = b.failed ? HC_ENOMEM
                : hc_store_row(e->store, "hindcast", 2, (const char *[]){"machine", b.data}, error);
  hc_buffer_fini(&b);
  TRY(rc);
  (void)snprintf(n, sizeof n, "%" PRIu32, e->cell_spec.units);
  TRY(hc_store_row(e->store, "hindcast", 2, (const char *[]){"hosts", n}, error));
  for (uint32_t d = 0; d < hc_hosts_dimensions(h); d++) {
    char key[32];
    (void)snprintf(key, sizeof key, "dimension_%u", which[d]);
    TRY(hc_store_row(e->store, "hindcast", 2,
                     (const char *[]){key, hc_lexicon_dimension_name(e->lexicon, which[d])}, error));
  }
  if (e->options->task_rows == HC_ROWS_ALL) {
    for (uint32_t i = 0; i < e->cell_spec.units; i++) TRY(store_host(e, i, error));
    for (uint32_t i = 0; i < e->cell_spec.set_count; i++) TRY(store_set(e, i, error));
  }
  return hc_store_row(e->store, "hindcast", 2,
                      (const char *[]){"units_of", hc_lexicon_dimension_name(e->lexicon, which[0])}, error);
}

typedef struct counting {
  hc_engine *engine;
  hc_error *error;
} counting;

static hc_rc store_count(void *ctx, const char *key, uint64_t n)
{
  const counting *c = ctx;
  return store_number(c->engine, key, n, c->error);
}

/* What exporters and readers want to know of the machine and the calendar. */
static hc_rc store_facts(hc_engine *e, hc_error *error)
{
  char text[32];
  const char *row[2] = {"processors", text};
  if (e->cell.hosts) TRY(store_hosts(e, error));
  TRY(store_number(e, "held_back", e->counters.held_back, error));
  TRY(store_number(e, "requeued", e->counters.requeued, error));
  TRY(store_number(e, "preempted", e->counters.preempted, error));
  TRY(store_number(e, "preempt_killed", e->counters.preempt_killed, error));
  TRY(store_number(e, "suspensions", e->counters.suspensions, error));
  if (e->counters.resized > 0) TRY(store_number(e, "plan_resizes", e->counters.resized, error));
  if (e->policy_flags & HC_MOLDS) TRY(store_number(e, "plan_molds", e->counters.molded, error));
  if (e->powers) TRY(store_number(e, "switched_off", e->counters.switched_off, error));
  if (e->powers) TRY(store_number(e, "switched_on", e->counters.switched_on, error));
  if (e->points) TRY(hc_points_each(e, store_count, &(counting){e, error}));
  if (e->resizes) TRY(hc_resizes_each(e, store_count, &(counting){e, error}));
  const bool saves = e->options->checkpoint.type && e->counters.requeued > 0;
  if (e->counters.preempted + e->counters.preempt_killed > 0 ||
      (e->has_speeds && (e->counters.resized > 0 || saves)))
    TRY(store_number(e, "speeds_differ", e->has_speeds, error));
  TRY(store_number(e, "predecessors_missing", e->counters.missing, error));
  TRY(hc_recorded_counts(e->store, e->counters.recorded, e->counters.submitted, error));
  if (e->reserve->type->holds_hosts) TRY(store_number(e, "promises_void", e->reserve->voided, error));
  (void)snprintf(text, sizeof text, "%" PRId64, e->cell.capacity);
  TRY(hc_store_row(e->store, "hindcast", 2, row, error));
  if (e->cell_spec.units_per_node > 0) {
    row[0] = "nodes";
    (void)snprintf(text, sizeof text, "%" PRIu32, e->cell_spec.units / e->cell_spec.units_per_node);
    TRY(hc_store_row(e->store, "hindcast", 2, row, error));
  }
  if (e->cell_spec.note) {
    const char *note[2] = {"note", e->cell_spec.note};
    TRY(hc_store_row(e->store, "hindcast", 2, note, error));
  }
  TRY(hc_notes_store(e, error));
  TRY(hc_namer_finish(&e->names, error));
  TRY(hc_advance_check_names(e, error));
  TRY(hc_names_check(e, error));
  TRY(hc_advance_store(e, error));
  if (e->unix_zero == HC_UNKNOWN) return 0;
  if (hc_observe_zone(e)) TRY(hc_calendar_store(e->store, hc_observe_zone(e), error));
  row[0] = "unix_start";
  (void)snprintf(text, sizeof text, "%" PRId64, e->unix_zero);
  TRY(hc_store_row(e->store, "hindcast", 2, row, error));
  row[0] = "zone_offset";
  (void)snprintf(text, sizeof text, "%" PRId32, e->zone_offset);
  return hc_store_row(e->store, "hindcast", 2, row, error);
}

static hc_rc store_counts(hc_engine *e, hc_error *error)
{
  char text[32];
  const char *row[2] = {NULL, text};
  const uint64_t *known[3] = {&e->ledger.read, &e->ledger.used, &e->ledger.merged};
  static const char *const names[3] = {"read", "used", "merged"};
  for (int i = 0; i < 3; i++) {
    row[0] = names[i];
    (void)snprintf(text, sizeof text, "%" PRIu64, *known[i]);
    TRY(hc_store_row(e->store, "rows", 2, row, error));
  }
  for (int r = 0; r < HC_REASON_COUNT; r++) {
    if (e->ledger.rejected[r] == 0) continue;
    row[0] = hc_reason_name((hc_reason)r);
    (void)snprintf(text, sizeof text, "%" PRIu64, e->ledger.rejected[r]);
    TRY(hc_store_row(e->store, "rows", 2, row, error));
  }
  for (int f = 0; f < HC_FINAL_COUNT; f++) {
    row[0] = hc_final_name((hc_final)f);
    (void)snprintf(text, sizeof text, "%" PRIu64, e->counters.finals[f]);
    TRY(hc_store_row(e->store, "finals", 2, row, error));
  }
  return 0;
}

/* What metrics find goes to the store under a scope. */
typedef struct scoped {
  hc_engine *engine;
  const char *scope;
  hc_error *error;
} scoped;

static hc_rc find_figure(void *ctx, const char *name, const char *unit, double value, bool is_count,
                         int64_t count)
{
  const scoped *s = ctx;
  HC_UNUSED(count);
  return hc_store_figure(s->engine->store, s->scope, name, unit, value, is_count, s->error);
}

static hc_rc find_cell(void *ctx, const char *table, int64_t key, const char *name, const char *unit,
                       double value)
{
  const scoped *s = ctx;
  return hc_store_cell(s->engine->store, s->scope, table, key, name, unit, value, s->error);
}

hc_rc hc_observe_figures(hc_engine *e, hc_findings *findings, hc_error *error)
{
  const hc_observers *o = &e->observers;
  for (size_t i = 0; i < o->count; i++) {
    hc_rc rc = o->types[i]->finish(o->metrics[i], findings);
    if (rc < 0) return hc_metric_fail(o->types[i], rc, error);
  }
  if (e->model && e->model_type->finish) TRY(e->model_type->finish(e->model, findings));
  return e->architecture_type->finish ? e->architecture_type->finish(e->architecture, findings) : 0;
}

hc_rc hc_observe_finish(hc_engine *e, hc_error *error)
{
  scoped all = {e, "all", error};
  hc_findings findings = {.ctx = &all, .figure = find_figure, .cell = find_cell};
  TRY(leave_behind(e, error));
  TRY(hc_observe_close(e, error));
  hc_arena_reset(&e->scratch);
  if (!e->store) return 0;
  TRY(hc_config_store(e->config, e->store, error));
  TRY(hc_inputs_store(e->allocator, e->options, e->sums, e->store, error));
  TRY(store_facts(e, error));
  TRY(store_counts(e, error));
  if (e->observers.curves) TRY(hc_curves_store(e->observers.curves, e->store, error));
  TRY(hc_observe_figures(e, &findings, error));
  all.scope = "trimmed";
  return hc_trimmed_finish(e, &findings, error);
}
