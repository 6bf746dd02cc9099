/* recount.c -- a metric over the task rows of a stored result, without a run.
 *
 * What the run told its metrics of the machine and of the calendar is stored, so a metric that hears of tasks
 * alone finds what it would have found. The whole result goes by in blocks; a trimmed one is held in memory,
 * as when the run was finished, since a trim asks how many tasks there are.
 *
 * What it does not do: follow hosts, whose story is told to the metrics of a run. Where hosts changed, or
 * users have to compete on hosts, a trim is not applied again: when they were full is not stored. */
#include <stdio.h>
#include <string.h>

#include "base/blame.h"
#include "base/mem.h"
#include "base/numbers.h"
#include "base/util.h"
#include "cluster/lexicon.h"
#include "metric/contention.h"
#include "metric/evaluate.h"
#include "metric/findings.h"
#include "metric/replay.h"
#include "setup/config.h"

#define BLOCK 1024

typedef struct recounting {
  const hc_allocator *allocator;
  const hc_registry *registry;
  hc_result *result;
  hc_arena arena;
  hc_lexicon *lexicon; /* what its numbers are called */
  hc_metric_context context;
  hc_chosen metric, trim;
  hc_task_record *records;
  size_t count, cap;
  hc_trim_input in;
  hc_error *error;
} recounting;

/* ---- what is stored of the machine and the calendar ---- */

typedef struct fact {
  const char *key;
  char *text;
  size_t size;
} fact;

static hc_rc match_fact(void *ctx, const char *const *v)
{
  const fact *f = ctx;
  if (v[0] && v[1] && strcmp(v[0], f->key) == 0) (void)snprintf(f->text, f->size, "%s", v[1]);
  return 0;
}

static bool find_fact(hc_result *r, const char *table, const char *key, char *text, size_t size)
{
  text[0] = '\0';
  (void)hc_result_rows(r, table, 2, match_fact, &(fact){key, text, size}, NULL);
  return text[0] != '\0';
}

static int64_t find_number(hc_result *r, const char *key, int64_t fallback)
{
  char text[32];
  int64_t n;
  if (!find_fact(r, "hindcast", key, text, sizeof text)) return fallback;
  return hc_parse_int(text, strlen(text), &n) == 0 ? n : fallback;
}

void hc_result_facts_of(hc_result *r, hc_result_facts *out)
{
  const char *zone = hc_result_config(r, "zone");
  char of[32];
  *out = (hc_result_facts){.capacity = find_number(r, "processors", 0),
                           .unix_start = find_number(r, "unix_start", HC_UNKNOWN),
                           .zone_offset = (int32_t)find_number(r, "zone_offset", 0),
                           .core_units = 1};
  if (zone && zone[0]) (void)snprintf(out->zone, sizeof out->zone, "%s", zone);
  else (void)find_fact(r, "run_info", "zone", out->zone, sizeof out->zone);
  if (find_fact(r, "hindcast", "units_of", of, sizeof of))
    out->core_units = strcmp(of, "cpu") == 0 ? 1000 : 0;
}

/* ---- the trim ---- */

typedef struct settings {
  recounting *x;
  const char **items;
  size_t count, cap;
} settings;

static hc_rc take_setting(void *ctx, const char *const *v)
{
  settings *s = ctx;
  if (!v[0] || !v[1] || !v[1][0] || strncmp(v[0], "trim.", 5) != 0) return 0;
  TRY(hc_reserve(s->x->allocator, (void **)&s->items, &s->cap, s->count + 1, sizeof *s->items));
  s->items[s->count] = hc_arena_printf(&s->x->arena, "%s=%s", v[0] + 5, v[1]);
  return s->items[s->count++] ? 0 : HC_ENOMEM;
}

static hc_rc choose_trim(recounting *x)
{
  const hc_resolver resolver = {.registry = x->registry, .arena = &x->arena};
  const char *name = hc_result_config(x->result, "trim");
  settings s = {.x = x};
  hc_rc rc;
  if (!name || !name[0])
    return hc_fail(x->error, HC_EUSAGE, hc_result_path(x->result), 0, 0,
                   "the result has no trimmed summary; run it with --trim NAME, or ask for --scope all");
  rc = hc_result_rows(x->result, "configuration", 3, take_setting, &s, x->error);
  if (rc >= 0)
    rc = hc_resolve_settings(&resolver,
                             &(hc_settings){.kind = HC_KIND_TRIM,
                                            .name = name,
                                            .settings = s.items,
                                            .count = s.count,
                                            .flag = "trim",
                                            .expected = "option=value",
                                            .path = "trim"},
                             &x->trim, x->error);
  hc_free(x->allocator, s.items, s.cap * sizeof *s.items);
  return rc;
}

static hc_rc count_row(void *ctx, const char *const *v)
{
  uint64_t *n = ctx;
  (void)v;
  (*n)++;
  return 0;
}

static hc_rc check_trim(recounting *x)
{
  const hc_trim_type *t = (const hc_trim_type *)x->trim.type;
  uint64_t hosts = 0, changes = 0;
  TRY(hc_result_rows(x->result, "hosts", 12, count_row, &hosts, x->error));
  TRY(hc_result_rows(x->result, "host_changes", 11, count_row, &changes, x->error));
  if (changes == 0 && !(t->needs_contention && hosts > 0)) return 0;
  return hc_fail(
      x->error, HC_EUNSUPPORTED, hc_result_path(x->result), 0, 0,
      "its trim %s follows hosts, whose changes are not told again; run it with metrics: [{use: by, by: "
      "...}], whose table is stored for the trimmed summary too",
      t->component.name);
}

static hc_rc hear_full(void *ctx, const hc_interval *intervals, size_t count)
{
  hc_trim_input *in = ctx;
  for (size_t i = 0; i < count; i++) {
    if (intervals[i].busy < intervals[i].capacity) continue;
    if (in->full_from == HC_UNKNOWN) in->full_from = intervals[i].from;
    in->full_to = intervals[i].from;
  }
  return 0;
}

static hc_rc note_bounds(recounting *x)
{
  hc_trim_input *in = &x->in;
  int64_t serial = 0;
  *in = (hc_trim_input){.first_submit = HC_UNKNOWN,
                        .last_submit = HC_UNKNOWN,
                        .first_start = HC_UNKNOWN,
                        .last_end = HC_UNKNOWN,
                        .full_from = HC_UNKNOWN,
                        .full_to = HC_UNKNOWN};
  for (size_t i = 0; i < x->count; i++) {
    const hc_task_record *r = &x->records[i];
    in->tasks += r->start != HC_UNKNOWN;
    if (in->first_submit == HC_UNKNOWN || r->submit < in->first_submit) in->first_submit = r->submit;
    in->last_submit = HC_MAX(in->last_submit, r->submit);
    if (r->start != HC_UNKNOWN && (in->first_start == HC_UNKNOWN || r->start < in->first_start))
      in->first_start = r->start;
    in->last_end = HC_MAX(in->last_end, r->end);
  }
  TRY(hc_metric_replay(x->allocator, x->context.capacity, x->records, x->count, hear_full, in));
  if (!((const hc_trim_type *)x->trim.type)->needs_contention) return 0;
  return hc_contention_find(&x->context, x->records, x->count, NULL, in, &serial);
}

/* ---- counting ---- */

/* A replay adds up units, and thousandths of them: of a damaged result they may be anything. */
static hc_rc check_units(recounting *x)
{
  const int64_t most = INT64_MAX / 2000 / (int64_t)(x->count + 1);
  for (size_t i = 0; i < x->count; i++)
    if (x->records[i].units < 0 || x->records[i].units > most)
      return hc_fail(x->error, HC_EINPUT, hc_result_path(x->result), 0, 0,
                     "task %lld has %lld units, which cannot be: the result is damaged; run it again",
                     (long long)x->records[i].serial, (long long)x->records[i].units);
  return 0;
}

static hc_rc load(recounting *x)
{
  size_t got = 1;
  x->cap = (size_t)hc_result_task_count(x->result) + 1;
  x->records = hc_alloc(x->allocator, x->cap * sizeof *x->records);
  if (!x->records) return HC_ENOMEM;
  for (bool first = true; got > 0 && x->count < x->cap; first = false) {
    TRY(hc_result_tasks(x->result, first, x->records + x->count, HC_MIN(x->cap - x->count, (size_t)BLOCK),
                        &got, x->error));
    x->count += got;
  }
  return 0;
}

/* All that a trim asks for: the rows, and what they come to. */
static hc_rc prepare_trim(recounting *x)
{
  TRY(choose_trim(x));
  TRY(check_trim(x));
  TRY(load(x));
  TRY(check_units(x));
  return note_bounds(x);
}

static hc_rc count_trimmed(recounting *x, hc_findings *f)
{
  TRY(prepare_trim(x));
  return hc_metric_evaluate(&x->context, &x->metric, 1, x->records, x->count, NULL, &x->trim, &x->in, f,
                            x->error);
}

/* As hc_metric_evaluate keeps them. */
static hc_rc tell_kept(recounting *x, hc_rc (*each)(void *ctx, const hc_task_record *record), void *ctx)
{
  uint64_t rank = 0;
  TRY(prepare_trim(x));
  const hc_trim_type *t = (const hc_trim_type *)x->trim.type;
  for (size_t i = 0; i < x->count; i++) {
    const hc_task_record *r = &x->records[i];
    if (r->start == HC_UNKNOWN) continue;
    if (t->keeps(x->trim.options, &x->in, rank++, r)) TRY(each(ctx, r));
  }
  return 0;
}

static hc_rc count_blocks(recounting *x, hc_metric *self)
{
  const hc_metric_type *t = (const hc_metric_type *)x->metric.type;
  hc_task_record block[BLOCK / 8];
  size_t got = 1;
  for (bool first = true; got > 0; first = false) {
    TRY(hc_result_tasks(x->result, first, block, HC_ARRAY_LEN(block), &got, x->error));
    TRY(hc_metric_fail(t, got > 0 ? t->tasks(self, block, got) : 0, x->error));
  }
  return 0;
}

static hc_rc count_all(recounting *x, hc_findings *f)
{
  const hc_metric_type *t = (const hc_metric_type *)x->metric.type;
  hc_metric *self;
  TRY(hc_blame(&t->component, t->init(&x->context, x->metric.options, &self, x->error), x->error));
  hc_rc rc = count_blocks(x, self);
  if (rc >= 0) rc = hc_metric_fail(t, t->finish(self, f), x->error);
  if (t->fini) t->fini(self);
  return rc;
}

static hc_rc choose_metric(recounting *x, const char *metric, const char *const *given, size_t count)
{
  const char *compat = hc_result_config(x->result, "compat");
  const hc_resolver resolver = {
      .registry = x->registry,
      .arena = &x->arena,
      .compat = compat && compat[0] ? hc_registry_find(x->registry, HC_KIND_COMPAT, compat) : NULL};
  const hc_metric_type *t;
  TRY(hc_resolve_settings(&resolver,
                          &(hc_settings){.kind = HC_KIND_METRIC,
                                         .name = metric,
                                         .settings = given,
                                         .count = count,
                                         .flag = "option",
                                         .expected = "option=value",
                                         .path = metric},
                          &x->metric, x->error));
  t = (const hc_metric_type *)x->metric.type;
  if (!t->tasks || t->intervals || t->changes || t->claims || t->stops || t->rates || t->until ||
      t->needs_use)
    return hc_fail(
        x->error, HC_EUNSUPPORTED, "metrics", 0, 0,
        "metric %s hears of more than tasks, which only a run tells it; run it with --set metrics=[%s]",
        metric, metric);
  return 0;
}

static hc_rc check_rows(const recounting *x)
{
  const char *rows = hc_result_config(x->result, "task_rows");
  if (!rows || strcmp(rows, "all") == 0) return 0;
  return hc_fail(
      x->error, HC_EUSAGE, hc_result_path(x->result), 0, 0,
      "the result has task_rows: %s, and this needs a row for every task; run it with task_rows: all", rows);
}

static hc_rc take_name(void *ctx, const char *const *v)
{
  recounting *x = ctx;
  int64_t number;
  if (!v[0] || !v[1] || !v[2] || hc_parse_int(v[0], strlen(v[0]), &number) < 0) return 0;
  for (int k = 0; k < HC_CALLED_COUNT; k++)
    if (strcmp(v[1], hc_called_word((hc_called)k)) == 0)
      return hc_lexicon_call(x->lexicon, (hc_called)k, number, v[2], strlen(v[2]));
  return 0;
}

static bool beside(void *result, int64_t serial, hc_beside *out)
{
  return hc_result_beside(result, serial, out);
}

static bool measured(void *result, int64_t serial, hc_measured *out)
{
  return hc_result_measured(result, serial, out);
}

static hc_rc begin(recounting *x, hc_result_facts *facts)
{
  hc_arena_init(&x->arena, x->allocator);
  hc_result_facts_of(x->result, facts);
  TRY(hc_lexicon_new(x->allocator, &x->lexicon));
  hc_lexicon_keep_programs(x->lexicon);
  x->context = (hc_metric_context){.allocator = x->allocator,
                                   .numbers = &hc_numbers_of_library,
                                   .lexicon = x->lexicon,
                                   .capacity = facts->capacity,
                                   .unix_start = facts->unix_start,
                                   .zone_offset = facts->zone_offset,
                                   .zone = facts->zone[0] ? facts->zone : NULL,
                                   .core_units = facts->core_units,
                                   .beside = beside,
                                   .beside_ctx = x->result,
                                   .measured = hc_result_has_measured(x->result) ? measured : NULL,
                                   .measured_ctx = x->result};
  return hc_result_rows(x->result, "names", 3, take_name, x, x->error);
}

static hc_rc finish(recounting *x, hc_rc rc)
{
  if (rc >= 0) rc = hc_result_check(x->result, x->error);
  if (rc == HC_ENOMEM)
    rc = hc_fail(x->error, rc, hc_result_path(x->result), 0, 0, "out of memory for its tasks");
  hc_free(x->allocator, x->records, x->cap * sizeof *x->records);
  hc_lexicon_free(x->lexicon);
  hc_arena_fini(&x->arena);
  return rc;
}

hc_rc hc_result_recount(const hc_allocator *a, const hc_registry *registry, hc_result *r, const char *metric,
                        const char *const *given, size_t count, bool trimmed, hc_findings *f, hc_error *e)
{
  recounting x = {.allocator = a, .registry = registry, .result = r, .error = e};
  hc_result_facts facts;
  hc_rc rc = begin(&x, &facts);
  if (rc >= 0) rc = choose_metric(&x, metric, given, count);
  if (rc >= 0) rc = check_rows(&x);
  if (rc >= 0) rc = trimmed ? count_trimmed(&x, f) : count_all(&x, f);
  return finish(&x, rc);
}

hc_rc hc_result_kept(const hc_allocator *a, const hc_registry *registry, hc_result *r,
                     hc_rc (*each)(void *ctx, const hc_task_record *record), void *ctx, hc_error *e)
{
  recounting x = {.allocator = a, .registry = registry, .result = r, .error = e};
  hc_result_facts facts;
  hc_rc rc = begin(&x, &facts);
  if (rc >= 0) rc = check_rows(&x);
  if (rc >= 0) rc = tell_kept(&x, each, ctx);
  return finish(&x, rc);
}
