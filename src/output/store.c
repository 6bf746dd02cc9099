/* store.c -- a result being written, wherever its rows go: rows that fit no table are refused, and the
 * rows that a run writes as it goes are moved into snapshots and back.
 *
 * A name makes a file, one SQLite database; no name keeps the rows in memory. Both hold the same rows in
 * the same order, and so have the same digest. Cost: two tests and a call through a table of functions a
 * call. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/state.h"
#include "base/text.h"
#include "base/util.h"
#include "output/store.h"

/* ---- its life ---- */

hc_rc hc_store_new(const hc_allocator *a, const char *path, hc_store **out, hc_error *e)
{
  return path ? hc_sqlite_store_new(a, path, false, out, e) : hc_memory_store_new(a, out, e);
}

hc_rc hc_store_replace(const hc_allocator *a, const char *path, hc_store **out, hc_error *e)
{
  return path ? hc_sqlite_store_new(a, path, true, out, e) : hc_memory_store_new(a, out, e);
}

hc_rc hc_store_begin(hc_store *s, hc_error *e)
{
  char version[16];
  const char *const rows[][2] = {{"schema", version}, {"kind", "run"}};
  (void)snprintf(version, sizeof version, "%d", HC_STORE_VERSION);
  for (size_t i = 0; i < HC_ARRAY_LEN(rows); i++) TRY(hc_store_row(s, "hindcast", 2, rows[i], e));
  return 0;
}

const char *hc_store_path(const hc_store *s)
{
  return s->path;
}

void hc_store_free(hc_store *s)
{
  if (s) s->type->free(s);
}

hc_rc hc_store_commit(hc_store *s, hc_error *e)
{
  if (s->is_committed)
    return hc_fail(e, HC_EUSAGE, s->path, 0, 0, "the result was already committed; begin a new one");
  return s->type->commit(s, e);
}

hc_rc hc_result_of_store(hc_store *s, hc_result **out, hc_error *e)
{
  return s->type->read(s, out, e);
}

/* ---- rows ---- */

static hc_rc open_for_rows(const hc_store *s, hc_error *e)
{
  if (!s->is_committed) return 0;
  return hc_fail(e, HC_EUSAGE, s->path, 0, 0,
                 "the result is committed: nothing can be added; begin a new one");
}

hc_rc hc_store_tasks(hc_store *s, const hc_task_record *records, size_t count, hc_error *e)
{
  TRY(open_for_rows(s, e));
  return s->type->tasks(s, records, count, e);
}

hc_rc hc_store_placement(hc_store *s, int64_t serial, const hc_range *ranges, size_t count, hc_error *e)
{
  TRY(open_for_rows(s, e));
  for (size_t i = 0; i < count; i++) {
    const int64_t values[] = {serial, ranges[i].first, ranges[i].count};
    TRY(s->type->numbers(s, HC_TABLE_placements, values, e));
  }
  return 0;
}

/* Which tables take rows by hc_store_numbers, and by hc_store_row: others have calls of their own, and rows
 * of `further` come with others. */
static bool takes_numbers(hc_table t)
{
  return t != HC_TABLE_COUNT && t != HC_TABLE_tasks && t != HC_TABLE_placements && t != HC_TABLE_further &&
         hc_table_is_numbers(t);
}

static bool takes_texts(hc_table t)
{
  return t != HC_TABLE_COUNT && t != HC_TABLE_summary && t != HC_TABLE_cells && t != HC_TABLE_names &&
         t != HC_TABLE_task_names && !hc_table_is_numbers(t);
}

/* "'x' with 3 columns is no table that takes rows of numbers; use a, b or c". */
static hc_rc refuse_table(const hc_store *s, const char *table, size_t columns, const char *what,
                          bool (*takes)(hc_table t), hc_error *e)
{
  char names[400] = "";
  size_t at = 0;
  for (int t = 0; t < HC_TABLE_COUNT && at < sizeof names; t++)
    if (takes((hc_table)t))
      at += (size_t)snprintf(names + at, sizeof names - at, "%s%s", at > 0 ? ", " : "",
                             hc_table_at((hc_table)t)->name);
  return hc_fail(e, HC_EUSAGE, s->path, 0, 0,
                 "'%s' with %zu columns is no table that takes rows of %s; use one of %s", table, columns,
                 what, names);
}

/* What a row has beyond the columns of its table. @param i  of an amount */
static hc_rc add_further(hc_store *s, hc_table t, size_t i, int64_t value, hc_error *e)
{
  const int64_t row[4] = {hc_table_code(t), (int64_t)s->rows[t], (int64_t)i, value};
  return value != 0 ? s->type->numbers(s, HC_TABLE_further, row, e) : 0;
}

/* A table with amounts takes as many as there are dimensions. */
static bool has_shape(hc_table t, size_t columns)
{
  const size_t own = hc_table_at(t)->columns;
  if (columns <= own) return columns >= hc_table_least(t);
  return hc_table_base(t) > 0 && columns <= hc_table_base(t) + HC_MOST_AMOUNTS;
}

hc_rc hc_store_numbers(hc_store *s, const char *table, size_t columns, const int64_t *values, hc_error *e)
{
  const hc_table t = hc_table_find(table);
  TRY(open_for_rows(s, e));
  if (!takes_numbers(t) || !has_shape(t, columns))
    return refuse_table(s, table, columns, "numbers", takes_numbers, e);
  for (size_t i = hc_table_at(t)->columns; i < columns; i++)
    TRY(add_further(s, t, i - hc_table_base(t), values[i], e));
  s->rows[t]++;
  return s->type->numbers(s, t, values, e);
}

hc_rc hc_store_row(hc_store *s, const char *table, size_t columns, const char *const *values, hc_error *e)
{
  const hc_table t = hc_table_find(table);
  TRY(open_for_rows(s, e));
  if (!takes_texts(t)) return refuse_table(s, table, columns, "text", takes_texts, e);
  if (!has_shape(t, columns))
    return hc_fail(e, HC_EUSAGE, s->path, 0, 0, "a row of '%s' has %zu columns, not %zu", table,
                   hc_table_at(t)->columns, columns);
  if (t == HC_TABLE_rejected && ++s->rejected > HC_REJECTED_ROWS) return 0;
  for (size_t i = hc_table_at(t)->columns; i < columns; i++) {
    int64_t value = 0;
    if (values[i]) (void)hc_parse_int(values[i], strlen(values[i]), &value);
    TRY(add_further(s, t, i - hc_table_base(t), value, e));
  }
  s->rows[t]++;
  const char *whole[HC_MOST_COLUMNS] = {NULL};
  if (columns >= hc_table_at(t)->columns) return s->type->row(s, t, values, e);
  memcpy(whole, values, columns * sizeof *whole);
  return s->type->row(s, t, whole, e);
}

hc_rc hc_store_name(hc_store *s, const char *kind, int64_t number, const char *name, hc_error *e)
{
  TRY(open_for_rows(s, e));
  return s->type->name(s, HC_TABLE_names, number, kind, name, e);
}

hc_rc hc_store_task_name(hc_store *s, int64_t serial, const char *id, const char *job, hc_error *e)
{
  TRY(open_for_rows(s, e));
  return s->type->name(s, HC_TABLE_task_names, serial, id, job, e);
}

hc_rc hc_store_figure(hc_store *s, const char *scope, const char *name, const char *unit, double value,
                      bool is_count, hc_error *e)
{
  TRY(open_for_rows(s, e));
  return s->type->figure(s, scope, name, unit, value, is_count && value > -9.2e18 && value < 9.2e18, e);
}

hc_rc hc_store_cell(hc_store *s, const char *scope, const char *table, int64_t key, const char *name,
                    const char *unit, double value, hc_error *e)
{
  TRY(open_for_rows(s, e));
  return s->type->cell(s, scope, table, key, name, unit, value, e);
}

/* ---- snapshots: each table as its number of rows, then the rows as plain integers; of names as a number
 * and two texts; of any other table as a text a column. A text is its length and one more; 0: there is none
 * ---- */

static hc_rc save_text(const hc_field *f, hc_visitor *v)
{
  uint64_t n = f->kind == HC_FIELD_TEXT ? f->is.size + 1 : 0;
  TRY(hc_visit_bytes(v, &n, sizeof n));
  return n > 0 ? hc_visit_bytes(v, (void *)(uintptr_t)f->text, (size_t)n) : 0; /* with its NUL */
}

/* @param out  NULL, or an allocation of `size` bytes */
static hc_rc load_text(const hc_store *s, hc_visitor *v, char **out, size_t *size)
{
  uint64_t n = 0;
  TRY(hc_visit_bytes(v, &n, sizeof n));
  if (n > v->left) return HC_EINPUT;
  *size = (size_t)n;
  if (n == 0) return 0;
  *out = hc_alloc(s->allocator, *size);
  if (!*out) return HC_ENOMEM;
  TRY(hc_visit_bytes(v, *out, *size));
  return (*out)[n - 1] == '\0' ? 0 : HC_EINPUT;
}

static bool is_named(hc_table t)
{
  return t == HC_TABLE_names || t == HC_TABLE_task_names;
}

static hc_rc save_texts(const hc_field *row, size_t count, hc_visitor *v)
{
  char digits[24];
  for (size_t i = 0; i < count; i++) {
    hc_field f = row[i];
    if (f.kind == HC_FIELD_WHOLE) {
      const int n = snprintf(digits, sizeof digits, "%" PRId64, f.is.whole);
      f = (hc_field){.kind = HC_FIELD_TEXT, .is.size = (size_t)n, .text = digits};
    }
    TRY(save_text(&f, v));
  }
  return 0;
}

/* A row of texts, behind the number of what is named. */
static hc_rc load_texts(hc_store *s, hc_table t, hc_visitor *v, hc_error *e)
{
  char *texts[HC_TASK_COLUMNS] = {NULL};
  size_t sizes[HC_TASK_COLUMNS] = {0};
  const size_t count = is_named(t) ? 2 : hc_table_at(t)->columns;
  int64_t number = 0;
  hc_rc rc = is_named(t) ? hc_visit_bytes(v, &number, sizeof number) : 0;
  for (size_t i = 0; i < count && rc >= 0; i++) rc = load_text(s, v, &texts[i], &sizes[i]);
  if (rc >= 0)
    rc = is_named(t) ? s->type->name(s, t, number, texts[0], texts[1], e)
                     : s->type->row(s, t, (const char *const *)texts, e);
  for (size_t i = 0; i < count; i++) hc_free(s->allocator, texts[i], sizes[i]);
  return rc;
}

static hc_rc save_numbers(const hc_field *row, size_t count, hc_visitor *v)
{
  int64_t values[HC_TASK_COLUMNS];
  for (size_t i = 0; i < count; i++) values[i] = row[i].kind == HC_FIELD_NULL ? HC_UNKNOWN : row[i].is.whole;
  return hc_visit_bytes(v, values, count * sizeof *values);
}

static hc_rc save_row(const hc_field *row, hc_table t, hc_visitor *v)
{
  const size_t columns = hc_table_at(t)->columns;
  if (hc_table_is_numbers(t)) return save_numbers(row, columns, v);
  if (!is_named(t)) return save_texts(row, columns, v);
  TRY(save_numbers(row, 1, v));
  return save_texts(row + 1, 2, v);
}

static hc_rc save_rows(hc_result *r, hc_table t, hc_visitor *v)
{
  hc_field row[HC_TASK_COLUMNS];
  hc_row_walk c;
  hc_rc rc;
  TRY(r->type->open(r, t, false, &c, NULL));
  while ((rc = r->type->next(r, &c, row, NULL)) == 1) {
    rc = save_row(row, t, v);
    if (rc < 0) break;
  }
  r->type->close(r, &c);
  return rc;
}

static hc_rc save_table(hc_result *r, hc_table t, hc_visitor *v)
{
  uint64_t count = 0;
  const hc_rc there = r->type->has(r, t, NULL);
  if (there < 0) return there;
  if (there == 1) TRY(r->type->count(r, t, &count, NULL));
  TRY(hc_visit_bytes(v, &count, sizeof count));
  return count > 0 ? save_rows(r, t, v) : 0;
}

static hc_rc load_row(hc_store *s, hc_table t, hc_visitor *v, hc_error *e)
{
  int64_t values[HC_TASK_COLUMNS] = {0};
  if (!hc_table_is_numbers(t)) return load_texts(s, t, v, e);
  TRY(hc_visit_bytes(v, values, hc_table_at(t)->columns * sizeof *values));
  if (t == HC_TABLE_tasks) TRY(s->type->tasks(s, (const hc_task_record *)(const void *)values, 1, e));
  else TRY(s->type->numbers(s, t, values, e));
  s->rows[t]++;
  return 0;
}

static hc_rc load_table(hc_store *s, hc_table t, hc_visitor *v)
{
  uint64_t count = 0;
  TRY(hc_visit_bytes(v, &count, sizeof count));
  TRY(s->type->clear(s, t));
  s->rows[t] = 0;
  for (; count > 0; count--) TRY(load_row(s, t, v, NULL));
  return 0;
}

hc_rc hc_store_visit(hc_store *s, hc_visitor *v)
{
  hc_result *r = NULL;
  hc_rc rc = 0;
  TRY(open_for_rows(s, NULL));
  if (!hc_visit_loading(v)) TRY(s->type->read(s, &r, NULL));
  for (int t = 0; rc >= 0 && t < HC_TABLE_COUNT; t++)
    if (hc_table_is_early((hc_table)t))
      rc = r ? save_table(r, (hc_table)t, v) : load_table(s, (hc_table)t, v);
  hc_result_free(r);
  return rc < 0 ? rc : 0;
}

/* ---- pieces of rows: each a table, how many, then the rows as in a snapshot ---- */

typedef struct piece_head {
  uint32_t table, count;
} piece_head;

static hc_rc take_table(hc_result *r, hc_table t, uint64_t *from, size_t most, hc_buffer *out, hc_error *e)
{
  const size_t at = out->size;
  hc_visitor v = {.calls = &hc_state_calls, .mode = HC_VISIT_SAVE, .allocator = r->allocator, .out = out};
  piece_head head = {.table = (uint32_t)t};
  hc_field row[HC_TASK_COLUMNS];
  hc_row_walk c;
  hc_rc rc = out->size < most ? r->type->has(r, t, e) : 0;
  if (rc <= 0) return rc;
  TRY(r->type->open_from(r, t, *from, &c, e));
  while (out->size < most && (rc = r->type->next(r, &c, row, e)) == 1) {
    if (head.count == 0) hc_buffer_add(out, &head, sizeof head);
    rc = save_row(row, t, &v);
    if (rc < 0) break;
    head.count++;
  }
  r->type->close(r, &c);
  if (out->failed) return HC_ENOMEM;
  if (rc >= 0 && head.count > 0) memcpy(out->data + at, &head, sizeof head);
  *from += head.count;
  return rc < 0 ? rc : 0;
}

hc_rc hc_store_rows_take(hc_store *s, uint64_t *from, size_t most, hc_buffer *out, hc_error *e)
{
  hc_result *r;
  hc_rc rc = 0;
  TRY(open_for_rows(s, e));
  TRY(s->type->read(s, &r, e));
  for (int t = 0; rc >= 0 && t < HC_TABLE_COUNT; t++)
    if (hc_table_is_early((hc_table)t)) rc = take_table(r, (hc_table)t, &from[t], most, out, e);
  hc_result_free(r);
  return rc;
}

hc_rc hc_store_rows_add(hc_store *s, const void *data, size_t size, hc_error *e)
{
  hc_visitor v = {
      .calls = &hc_state_calls, .mode = HC_VISIT_LOAD, .allocator = s->allocator, .in = data, .left = size};
  TRY(open_for_rows(s, e));
  while (v.left > 0) {
    piece_head head;
    HC_VISIT(&v, head);
    if (head.table >= HC_TABLE_COUNT || !hc_table_is_early((hc_table)head.table)) return HC_EINPUT;
    for (; head.count > 0; head.count--) TRY(load_row(s, (hc_table)head.table, &v, e));
  }
  return 0;
}
