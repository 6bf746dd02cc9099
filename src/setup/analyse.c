/* analyse.c -- the figures of the schedule that a log recorded, without a simulation.
 *
 * Each row that has a wait and a run time is a task that started at submit + wait and ended at start + run,
 * on the processors that the log says it used (or, if it does not say, asked for). Rows without are counted
 * as never_ran, as are those that a run counts so: both have one population. All of them count as completed
 * in the figures, and how the log says that they ended is kept beside that. What `zero_length` drops is
 * dropped here too; a length is never changed, since figures are of what was recorded. The records go through
 * the same metrics and into the same store as those of a run.
 *
 * Tasks count in processors, also where the cell has hosts: its size is then that of their cores.
 *
 * A log can hold more than its machine: overlapping rows, or processors that the header does not count. That
 * is what was recorded, and figures say it; `verify` says where. Cost: the metrics', and a sort by end. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/numbers.h"
#include "base/sort.h"
#include "base/util.h"
#include "metric/contention.h"
#include "metric/evaluate.h"
#include "metric/findings.h"
#include "metric/replay.h"
#include "setup/calendar.h"
#include "setup/config.h"
#include "setup/inputs.h"
#include "setup/namer.h"
#include "setup/recorded.h"
#include "workload/admit.h"
#include "workload/trace.h"

#define TICK 4096u /* rows between two looks at the clock and the signals */

typedef struct analysis {
  const hc_allocator *allocator;
  hc_config *config;
  const hc_run_options *options;
  hc_store *store;
  hc_error *error;
  hc_trace *trace;
  hc_task_record *records;
  hc_measured *measured; /* [count] by serial */
  size_t count, cap, measured_cap;
  hc_row_ledger ledger;
  hc_namer names;
  uint64_t recorded[HC_RECORDED_COUNT];
  uint64_t without_wait; /* rows that are never_ran because the log does not say when they started */
  int64_t capacity, unix_zero;
  int32_t zone_offset;
  hc_trim_input in;
  const char *scope;
} analysis;

static hc_rc no_memory(analysis *x)
{
  return hc_fail(x->error, HC_ENOMEM, "", 0, 0, "out of memory for the recorded schedule");
}

/* ---- reading ---- */

static hc_task_record record_of(const hc_task_spec *s, int64_t serial)
{
  hc_time start = hc_time_add(s->submit, s->wait), end = hc_time_add(start, s->run);
  return (hc_task_record){.serial = serial,
                          .id = s->id,
                          .submit = s->submit,
                          .start = start,
                          .end = end,
                          .units = s->procs_used > 0 ? s->procs_used : s->procs_asked,
                          .limit = s->limit,
                          .estimate = s->limit == HC_UNKNOWN ? HC_NEVER : s->limit,
                          .run = s->run,
                          .user = s->user,
                          .group = s->group,
                          .executable = s->executable,
                          .queue = s->queue,
                          .partition = s->partition,
                          .final = HC_FINAL_COMPLETED};
}

static hc_rc reject(analysis *x, const hc_task_spec *s, hc_reason why)
{
  x->ledger.rejected[why]++;
  if (!x->options->strict || why == HC_REASON_ZERO_LENGTH) return 0; /* that one is left out on purpose */
  return hc_fail(x->error, HC_EINPUT, "", (uint32_t)HC_MIN(s->line, UINT32_MAX), 0,
                 "line %" PRIu64 ": %s; leave out --strict to count such rows instead", s->line,
                 hc_reason_text(why));
}

/* What its log measured of it, for the metrics and for the result. */
static hc_rc take_measured(analysis *x, const hc_task_spec *s, int64_t serial)
{
  if (hc_reserve(x->allocator, (void **)&x->measured, &x->measured_cap, x->count + 1, sizeof *x->measured) <
      0)
    return no_memory(x);
  hc_measured *m = &x->measured[x->count];
  return hc_recorded_measured(s, m) ? hc_recorded_row(x->store, serial, m, x->error) : 0;
}

static bool measured(void *ctx, int64_t serial, hc_measured *out)
{
  const analysis *x = ctx;
  *out = x->measured[serial];
  return true;
}

static hc_rc take(analysis *x, const hc_trace_task *t)
{
  const hc_task_spec *s = &t->spec;
  hc_task_record record;
  if (s->wait == HC_UNKNOWN || s->wait < 0 || s->run == HC_UNKNOWN || s->run < 0) {
    const bool has_run = (s->wait == HC_UNKNOWN || s->wait < 0) && s->run > 0;
    x->without_wait += has_run;
    return reject(x, s, has_run ? HC_REASON_NO_START : HC_REASON_NEVER_RAN);
  }
  if (hc_never_ran(s)) return reject(x, s, HC_REASON_NEVER_RAN);
  if (s->run == 0 && x->options->zero_length == HC_ZERO_DROP) return reject(x, s, HC_REASON_ZERO_LENGTH);
  record = record_of(s, (int64_t)x->count);
  if (record.units <= 0) return reject(x, s, HC_REASON_NO_PROCESSORS);
  if (hc_reserve(x->allocator, (void **)&x->records, &x->cap, x->count + 1, sizeof record) < 0)
    return no_memory(x);
  if (hc_namer_concerns(&x->names, s)) TRY(hc_namer_meet(&x->names, record.serial, s, true, x->error));
  x->recorded[hc_spec_recorded(s)]++;
  TRY(hc_recorded_task(x->store, record.serial, s, x->error));
  TRY(take_measured(x, s, record.serial));
  x->records[x->count++] = record;
  return 0;
}

static hc_rc read_all(analysis *x, bool (*tick)(void *ctx, uint64_t done, uint64_t total), void *ctx)
{
  hc_trace_task task;
  uint64_t n = 0, done, total;
  hc_rc rc;
  while ((rc = hc_trace_next(x->trace, &task, x->error)) == 1) {
    TRY(take(x, &task));
    if (!tick || ++n % TICK != 0) continue;
    hc_trace_progress(x->trace, &done, &total);
    if (!tick(ctx, done, total)) return hc_fail(x->error, HC_ECANCELLED, "", 0, 0, "interrupted");
  }
  TRY(rc);
  for (int r = 0; r < HC_REASON_COUNT; r++) x->ledger.rejected[r] += hc_trace_rows(x->trace)->rejected[r];
  x->ledger.read = hc_trace_rows(x->trace)->read;
  x->ledger.merged = hc_trace_rows(x->trace)->merged;
  x->ledger.used = x->count;
  if (x->count > 0) return 0;
  return hc_fail(x->error, HC_EINPUT, "", 0, 0,
                 x->without_wait
                     ? "the log does not record when tasks started (no wait times), so there is no schedule "
                       "to analyse; re-run it with `hindcast run`"
                     : "no row of the log is a task that ran; `hindcast trace info` says why");
}

/* ---- by end ---- */

/* Records come almost in this order. */
HC_SORT(sort_by_end, hc_task_record, a->end != b->end ? a->end < b->end : a->serial < b->serial)

static hc_rc hear_full(void *ctx, const hc_interval *intervals, size_t count)
{
  analysis *x = ctx;
  for (size_t i = 0; i < count; i++) {
    if (intervals[i].busy < intervals[i].capacity) continue;
    if (x->in.full_from == HC_UNKNOWN) x->in.full_from = intervals[i].from;
    x->in.full_to = intervals[i].from;
  }
  return 0;
}

static void note_bounds(analysis *x)
{
  hc_trim_input *in = &x->in;
  *in = (hc_trim_input){.tasks = x->count,
                        .first_submit = x->records[0].submit,
                        .last_submit = x->records[0].submit,
                        .first_start = x->records[0].start,
                        .last_end = x->records[0].end,
                        .full_from = HC_UNKNOWN,
                        .full_to = HC_UNKNOWN};
  for (size_t i = 1; i < x->count; i++) {
    const hc_task_record *r = &x->records[i];
    in->first_submit = HC_MIN(in->first_submit, r->submit);
    in->last_submit = HC_MAX(in->last_submit, r->submit);
    in->first_start = HC_MIN(in->first_start, r->start);
    in->last_end = HC_MAX(in->last_end, r->end);
  }
}

/* ---- writing ---- */

static hc_rc find_figure(void *ctx, const char *name, const char *unit, double value, bool is_count,
                         int64_t count)
{
  const analysis *x = ctx;
  HC_UNUSED(count);
  return hc_store_figure(x->store, x->scope, name, unit, value, is_count, x->error);
}

static hc_rc find_cell(void *ctx, const char *table, int64_t key, const char *name, const char *unit,
                       double value)
{
  const analysis *x = ctx;
  return hc_store_cell(x->store, x->scope, table, key, name, unit, value, x->error);
}

static hc_rc store_number(const analysis *x, const char *table, const char *key, int64_t n)
{
  char text[32];
  const char *row[2] = {key, text};
  (void)snprintf(text, sizeof text, "%" PRId64, n);
  return hc_store_row(x->store, table, 2, row, x->error);
}

static const char *zone_of(const analysis *x)
{
  return x->options->zone ? x->options->zone : hc_trace_facts(x->trace)->zone;
}

static hc_rc note_names(const analysis *x)
{
  hc_buffer text;
  hc_buffer_init(&text, x->allocator);
  hc_namer_note(&x->names, &text);
  const hc_rc rc = text.failed     ? HC_ENOMEM
                   : text.size > 0 ? hc_store_row(x->store, "hindcast", 2,
                                                  (const char *[]){"names_note", text.data}, x->error)
                                   : 0;
  hc_buffer_fini(&text);
  return rc;
}

static hc_rc store_facts(analysis *x)
{
  const char *kind[2] = {"made_by", "analyze"};
  TRY(hc_store_row(x->store, "hindcast", 2, kind, x->error));
  TRY(store_number(x, "hindcast", "processors", x->capacity));
  if (x->unix_zero != HC_UNKNOWN) TRY(store_number(x, "hindcast", "unix_start", x->unix_zero));
  if (x->unix_zero != HC_UNKNOWN && zone_of(x)) TRY(hc_calendar_store(x->store, zone_of(x), x->error));
  TRY(hc_namer_finish(&x->names, x->error));
  TRY(note_names(x));
  TRY(hc_recorded_counts(x->store, x->recorded, x->count, x->error));
  TRY(hc_config_store(x->config, x->store, x->error));
  TRY(store_number(x, "rows", "read", (int64_t)x->ledger.read));
  TRY(store_number(x, "rows", "used", (int64_t)x->ledger.used));
  TRY(store_number(x, "rows", "merged", (int64_t)x->ledger.merged));
  for (int r = 0; r < HC_REASON_COUNT; r++) {
    if (x->ledger.rejected[r])
      TRY(store_number(x, "rows", hc_reason_name((hc_reason)r), (int64_t)x->ledger.rejected[r]));
  }
  for (int f = 0; f < HC_FINAL_COUNT; f++)
    TRY(store_number(x, "finals", hc_final_name((hc_final)f),
                     f == HC_FINAL_COMPLETED ? (int64_t)x->count : 0));
  return hc_store_tasks(x->store, x->records, x->count, x->error);
}

static hc_rc evaluate(analysis *x)
{
  hc_metric_context c = {.allocator = x->allocator,
                         .numbers = &hc_numbers_of_library,
                         .capacity = x->capacity,
                         .unix_start = x->unix_zero,
                         .zone_offset = x->zone_offset,
                         .lexicon = x->names.lexicon,
                         .zone = zone_of(x),
                         .core_units = 1,
                         .beside = hc_namer_beside,
                         .beside_ctx = &x->names,
                         .measured = measured,
                         .measured_ctx = x};
  const hc_run_options *o = x->options;
  hc_findings findings = {.ctx = x, .figure = find_figure, .cell = find_cell};
  int64_t serial = 0;
  x->scope = "all";
  TRY(hc_metric_evaluate(&c, o->metrics.items, o->metrics.count, x->records, x->count, NULL, NULL, NULL,
                         &findings, x->error));
  if (!o->trim.type) return 0;
  if (hc_metric_replay(x->allocator, x->capacity, x->records, x->count, hear_full, x) < 0)
    return no_memory(x);
  if (((const hc_trim_type *)o->trim.type)->needs_contention &&
      hc_contention_find(&c, x->records, x->count, NULL, &x->in, &serial) < 0)
    return no_memory(x);
  x->scope = "trimmed";
  return hc_metric_evaluate(&c, o->metrics.items, o->metrics.count, x->records, x->count, NULL, &o->trim,
                            &x->in, &findings, x->error);
}

static hc_rc analyse(analysis *x, bool (*tick)(void *ctx, uint64_t done, uint64_t total), void *ctx)
{
  hc_trace_options rows = {.mode = HC_TRACE_ROWS};
  TRY(hc_config_resolve(x->config, x->error));
  TRY(hc_outputs_check(x->config, x->store, x->error));
  if (hc_config_options(x->config)->rejected)
    return hc_fail(
        x->error, HC_EUNSUPPORTED, "", 0, 0,
        "`rejected`: what a log recorded is counted, and no list of its rejected rows is kept; `hindcast "
        "trace validate LOG --rejected FILE` writes one");
  rows.most_names = hc_config_options(x->config)->name_limit;
  TRY(hc_trace_open(x->allocator, x->config, &rows, &x->trace, x->error));
  x->options = hc_config_options(x->config);
  hc_namer_init(&x->names, x->allocator, x->store, hc_trace_lexicon(x->trace), x->options->name_limit);
  TRY(read_all(x, tick, ctx));
  x->capacity = hc_trace_processors(x->allocator, x->config, x->trace);
  if (x->capacity <= 0)
    return hc_fail(x->error, HC_EUSAGE, "", 0, 0,
                   "neither the log nor the cell says how many processors the machine had; say it with "
                   "--procs N");
  TRY(hc_calendar_at_origin(x->allocator, x->options, hc_trace_facts(x->trace), &x->unix_zero,
                            &x->zone_offset, x->error));
  note_bounds(x);
  sort_by_end(x->records, x->count);
  TRY(store_facts(x));
  return evaluate(x);
}

hc_rc hc_analyse(const hc_allocator *a, hc_config *c, hc_store *store,
                 bool (*tick)(void *ctx, uint64_t done, uint64_t total), void *ctx, hc_error *e)
{
  analysis x = {.allocator = a, .config = c, .store = store, .error = e, .unix_zero = HC_UNKNOWN};
  hc_rc rc = analyse(&x, tick, ctx);
  hc_namer_fini(&x.names);
  hc_trace_close(x.trace);
  hc_free(a, x.records, x.cap * sizeof *x.records);
  hc_free(a, x.measured, x.measured_cap * sizeof *x.measured);
  return rc;
}
