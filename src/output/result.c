/* result.c -- questions to a result, wherever its rows lie. What is read is not trusted: task rows are
 * checked before arithmetic relies on them. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/util.h"
#include "output/store.h"

/* A question that answers without an error has none to give: the failure is kept for hc_result_check(). */
static hc_error *kept(hc_result *r, hc_error *e)
{
  return e ? e : &r->failed;
}

hc_rc hc_result_check(const hc_result *r, hc_error *e)
{
  const hc_error *x = &r->failed;
  return x->rc == 0 ? 0 : hc_fail(e, x->rc, x->where, x->line, x->column, "%s", x->text);
}

/* ---- its life ---- */

void *hc_result_begin(const hc_allocator *a, size_t size, const hc_result_type *type, const char *path)
{
  hc_result *r = hc_alloc(a, size);
  if (!r) return NULL;
  r->type = type;
  r->allocator = a;
  hc_arena_init(&r->arena, a);
  r->path = hc_arena_text(&r->arena, path, strlen(path));
  if (r->path) return r;
  hc_arena_fini(&r->arena);
  hc_free(a, r, size);
  return NULL;
}

hc_rc hc_result_open(const hc_allocator *a, const char *path, hc_result **out, hc_error *e)
{
  return hc_sqlite_result_open(a, path, out, e);
}

void hc_result_free(hc_result *r)
{
  if (!r) return;
  hc_result_names_free(r);
  for (size_t i = 0; i < HC_ARRAY_LEN(r->tasks); i++)
    if (r->tasks_open[i]) r->type->close(r, &r->tasks[i]);
  hc_free(r->allocator, r->config, r->config_cap * sizeof *r->config);
  hc_arena_fini(&r->arena);
  r->type->free(r);
}

const char *hc_result_path(const hc_result *r)
{
  return r->path;
}

/* ---- small tables ---- */

/* A value as text, borrowed from the row or written to `buf`. Real numbers are spelt by our own code:
 * SQLite's shows fifteen digits, which is not always the same number. */
static const char *field_text(const hc_field *f, char buf[32])
{
  switch (f->kind) {
    case HC_FIELD_NULL: return NULL;
    case HC_FIELD_TEXT: return f->text;
    case HC_FIELD_REAL: (void)hc_format_real(f->is.real, buf); return buf;
    case HC_FIELD_WHOLE: (void)snprintf(buf, 32, "%lld", (long long)f->is.whole); return buf;
  }
  return NULL;
}

/* Each row of a table that is there. @param each  returns 0 to go on */
static hc_rc each_row(hc_result *r, hc_table t, hc_rc (*each)(void *ctx, const hc_field *row), void *ctx,
                      hc_error *e)
{
  hc_field row[HC_TASK_COLUMNS];
  hc_row_walk c;
  hc_rc rc = r->type->has(r, t, e);
  if (rc <= 0) return rc;
  TRY(r->type->open(r, t, false, &c, e));
  while ((rc = r->type->next(r, &c, row, e)) == 1) {
    rc = each(ctx, row);
    if (rc != 0) break;
  }
  r->type->close(r, &c);
  return rc;
}

/* What rows have beyond the columns of their table: rows of `further`. */
typedef struct beyond {
  int64_t row;
  size_t column; /* amount */
  int64_t value;
} beyond;

typedef struct text_rows {
  const hc_allocator *allocator;
  hc_table table;
  size_t columns;
  hc_rc (*each)(void *ctx, const char *const *values);
  void *ctx;
  const char *path;
  hc_error *error;
  beyond *more; /* [count] in order of rows */
  size_t count, cap, at;
  int64_t row;
} text_rows;

/* Walked once for each table that is asked for with more columns. */
static hc_rc keep_beyond(void *ctx, const hc_field *row)
{
  text_rows *t = ctx;
  for (int i = 0; i < 4; i++)
    if (row[i].kind != HC_FIELD_WHOLE) return HC_EINPUT;
  if (row[0].is.whole != hc_table_code(t->table)) return 0;
  if (row[2].is.whole < HC_TABLE_AMOUNTS || row[2].is.whole >= HC_MOST_AMOUNTS ||
      (t->count > 0 && row[1].is.whole < t->more[t->count - 1].row))
    return HC_EINPUT;
  TRY(hc_reserve(t->allocator, (void **)&t->more, &t->cap, t->count + 1, sizeof *t->more));
  t->more[t->count++] = (beyond){row[1].is.whole, (size_t)row[2].is.whole, row[3].is.whole};
  return 0;
}

static void fill_beyond(text_rows *t, const char **values, char (*numbers)[32])
{
  const size_t base = hc_table_base(t->table);
  for (size_t i = hc_table_at(t->table)->columns; i < t->columns; i++) values[i] = "0";
  for (; t->at < t->count && t->more[t->at].row <= t->row; t->at++) {
    const size_t i = base + t->more[t->at].column;
    if (t->more[t->at].row < t->row || i >= t->columns) continue;
    (void)snprintf(numbers[i], sizeof numbers[i], "%lld", (long long)t->more[t->at].value);
    values[i] = numbers[i];
  }
  t->row++;
}

/* How many columns of a table, from the first on, have a value in each row. */
static size_t certain_columns(hc_table t)
{
  enum { SCOPE_TABLE_KEY_NAME = 4 };
  return t == HC_TABLE_cells ? SCOPE_TABLE_KEY_NAME : 0;
}

static hc_rc hand_texts(void *ctx, const hc_field *row)
{
  text_rows *t = ctx;
  const char *values[HC_MOST_COLUMNS];
  char numbers[HC_MOST_COLUMNS][32];
  const size_t own = hc_table_at(t->table)->columns;
  for (size_t i = 0; i < own; i++) values[i] = field_text(&row[i], numbers[i]);
  for (size_t i = 0; i < certain_columns(t->table); i++)
    if (!values[i])
      return hc_fail(t->error, HC_EINPUT, t->path, 0, 0,
                     "a row of the table '%s' has no value in its column %zu: the file is damaged; carry the "
                     "run out again",
                     hc_table_at(t->table)->name, i + 1);
  if (t->columns > own) fill_beyond(t, values, numbers);
  return t->each(t->ctx, values);
}

hc_rc hc_result_rows(hc_result *r, const char *table, size_t columns,
                     hc_rc (*each)(void *ctx, const char *const *values), void *ctx, hc_error *e)
{
  const hc_table t = hc_table_find(table);
  const size_t own = t == HC_TABLE_COUNT ? 0 : hc_table_at(t)->columns;
  const size_t base = t == HC_TABLE_COUNT ? 0 : hc_table_base(t);
  text_rows texts = {
      .allocator = r->allocator, .table = t, .columns = columns, .each = each, .ctx = ctx, .path = r->path};
  TRY(hc_result_check(r, e));
  texts.error = e = kept(r, e);
  if (t == HC_TABLE_COUNT ||
      (columns > own ? base == 0 || columns > base + HC_MOST_AMOUNTS : columns < hc_table_least(t))) {
    return hc_fail(e, HC_EUSAGE, r->path, 0, 0, "a result has no table '%s' of %zu columns", table, columns);
  }
  hc_rc rc = columns > own ? each_row(r, HC_TABLE_further, keep_beyond, &texts, e) : 0;
  if (rc >= 0) rc = each_row(r, t, hand_texts, &texts, e);
  hc_free(r->allocator, texts.more, texts.cap * sizeof *texts.more);
  if (rc == HC_ENOMEM) (void)hc_fail(e, rc, r->path, 0, 0, "out of memory while trying to read the result");
  return rc;
}

static hc_rc widest(void *ctx, const hc_field *row)
{
  uint32_t *most = ctx;
  if (row[2].kind == HC_FIELD_WHOLE && row[2].is.whole >= *most && row[2].is.whole < HC_MOST_AMOUNTS)
    *most = (uint32_t)row[2].is.whole + 1;
  return 0;
}

uint32_t hc_result_amounts(hc_result *r)
{
  uint32_t most = HC_TABLE_AMOUNTS;
  (void)each_row(r, HC_TABLE_further, widest, &most, &r->failed);
  return most;
}

hc_devices hc_result_devices(const char *const *values, uint32_t amounts)
{
  hc_devices out = {0};
  for (uint32_t i = 0; i < HC_DEVICES / 32; i++) {
    const uint32_t column = i == 0 ? 0 : HC_DIMENSIONS + i;
    int64_t word = 0;
    if (column <= amounts && values[column])
      (void)hc_parse_int(values[column], strlen(values[column]), &word);
    out.bits[i / 2] |= (uint64_t)(word & UINT32_MAX) << i % 2 * 32;
  }
  return out;
}

static hc_rc keep_config(void *ctx, const char *const *values)
{
  hc_result *r = ctx;
  TRY(hc_reserve(r->allocator, (void **)&r->config, &r->config_cap, r->config_count + 2, sizeof *r->config));
  for (int i = 0; i < 2; i++) {
    const char *text = values[i] ? values[i] : "";
    text = hc_arena_text(&r->arena, text, strlen(text));
    if (!text) return HC_ENOMEM;
    r->config[r->config_count++] = text;
  }
  return 0;
}

const char *hc_result_config(hc_result *r, const char *path)
{
  if (r->config_count == 0 && hc_result_rows(r, "configuration", 3, keep_config, r, NULL) < 0) {
    r->config_count = 0;
    return NULL;
  }
  for (size_t i = 0; i < r->config_count; i += 2) {
    if (strcmp(r->config[i], path) == 0) return r->config[i + 1];
  }
  return NULL;
}

typedef struct figure_search {
  const char *scope, *name;
  double value;
} figure_search;

static hc_rc match_figure(void *ctx, const hc_field *row)
{
  figure_search *f = ctx;
  const hc_field *value = &row[3];
  if (row[0].kind != HC_FIELD_TEXT || row[1].kind != HC_FIELD_TEXT || strcmp(row[0].text, f->scope) != 0 ||
      strcmp(row[1].text, f->name) != 0)
    return 0;
  if (value->kind == HC_FIELD_WHOLE) f->value = (double)value->is.whole;
  if (value->kind == HC_FIELD_REAL) f->value = value->is.real;
  return 1;
}

double hc_result_figure(hc_result *r, const char *scope, const char *name)
{
  figure_search f = {scope, name, __builtin_nan("")};
  (void)each_row(r, HC_TABLE_summary, match_figure, &f, &r->failed);
  return f.value;
}

typedef struct fact_search {
  const char *key;
  int64_t value;
} fact_search;

static hc_rc match_fact(void *ctx, const char *const *values)
{
  fact_search *f = ctx;
  if (values[0] && values[1] && strcmp(values[0], f->key) == 0) {
    (void)hc_parse_int(values[1], strlen(values[1]), &f->value);
    return 1;
  }
  return 0;
}

int64_t hc_result_fact(hc_result *r, const char *key, int64_t fallback)
{
  fact_search f = {key, fallback};
  (void)hc_result_rows(r, "hindcast", 2, match_fact, &f, NULL);
  return f.value;
}

/* ---- tasks ---- */

/* Times so far apart that their differences do not overflow: 3 x 2^61 - 1 + 2^61 < 2^63. */
static bool is_time(hc_time t)
{
  const int64_t step = (int64_t)1 << 61;
  return t == HC_UNKNOWN || (t >= -step && t < 3 * step);
}

/* What the program writes is, and what arithmetic on rows may rely on. */
static hc_rc check_task(const hc_result *r, const hc_task_record *t, hc_error *e)
{
  const bool lengths = (t->limit == HC_NEVER || is_time(t->limit)) &&
                       (t->run == HC_NEVER || is_time(t->run)) &&
                       (t->estimate == HC_NEVER || is_time(t->estimate));
  const bool units = t->units == HC_UNKNOWN || (t->units >= -1 && t->units <= (int64_t)1 << 53);
  if (lengths && units && is_time(t->submit) && is_time(t->start) && is_time(t->end)) return 0;
  return hc_fail(
      e, HC_EINPUT, r->path, 0, 0,
      "the row of the task with the serial %lld holds %s that cannot be: the result is damaged; run the "
      "simulation again",
      (long long)t->serial, units ? "a time" : "a number of processors");
}

static hc_rc next_tasks(hc_result *r, bool sorted, bool rewind, hc_task_record *records, size_t cap,
                        size_t *count, hc_error *e)
{
  hc_row_walk *c = &r->tasks[sorted];
  size_t n = 0;
  TRY(hc_result_check(r, e));
  if (r->tasks_open[sorted] && rewind) {
    r->type->close(r, c);
    r->tasks_open[sorted] = false;
  }
  if (!r->tasks_open[sorted]) TRY(r->type->open(r, HC_TABLE_tasks, sorted, c, e));
  r->tasks_open[sorted] = true;
  TRY(r->type->tasks(r, c, records, cap, &n, e));
  for (size_t i = 0; i < n; i++) TRY(check_task(r, &records[i], e));
  *count = n;
  return 0;
}

hc_rc hc_result_tasks(hc_result *r, bool rewind, hc_task_record *records, size_t cap, size_t *count,
                      hc_error *e)
{
  return next_tasks(r, false, rewind, records, cap, count, e);
}

hc_rc hc_result_tasks_sorted(hc_result *r, bool rewind, hc_task_record *records, size_t cap, size_t *count,
                             hc_error *e)
{
  return next_tasks(r, true, rewind, records, cap, count, e);
}

uint64_t hc_result_task_count(hc_result *r)
{
  uint64_t n = 0;
  return r->type->count(r, HC_TABLE_tasks, &n, &r->failed) < 0 ? 0 : n;
}
