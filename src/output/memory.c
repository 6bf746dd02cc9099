/* memory.c -- a result that stays in memory: task rows and rows of numbers as they are, other rows as
 * typed values whose texts lie in an arena.
 *
 * It holds what a file would hold, NULL and whole numbers included, so that its digest is the file's.
 * Needs neither SQLite nor files. Cost: 128 bytes a task row and one copy (its array grows by doubling),
 * 8 bytes a number, 24 bytes a value of other rows. It is for runs whose rows fit: what a page draws, a
 * trim, a test. */
#include <string.h>

#include "base/sort.h"
#include "base/text.h"
#include "base/util.h"
#include "output/store.h"

_Static_assert(sizeof(hc_task_record) == HC_TASK_COLUMNS * sizeof(int64_t), "a record is sixteen integers");
_Static_assert(offsetof(hc_task_record, flags) == 15 * sizeof(int64_t), "in the order of the columns");

/* The rows of a table, one behind the other: int64_t or hc_field. */
typedef struct row_list {
  void *values;
  size_t count, cap; /* of values, not of rows */
} row_list;

typedef struct memory_store {
  hc_store store;
  hc_arena texts;
  row_list tables[HC_TABLE_COUNT];
} memory_store;

typedef struct memory_result {
  hc_result result;
  const memory_store *of;
} memory_result;

static size_t value_size(hc_table t)
{
  return hc_table_is_numbers(t) ? sizeof(int64_t) : sizeof(hc_field);
}

static size_t rows_of(const memory_store *s, hc_table t)
{
  return s->tables[t].count / hc_table_at(t)->columns;
}

/* ---- writing ---- */

static hc_rc no_memory(const hc_store *s, hc_error *e)
{
  return hc_fail(e, HC_ENOMEM, s->path, 0, 0, "out of memory for the rows of the result");
}

/* Room for values behind those of a table; the caller fills it. @return NULL without memory. */
static void *more(hc_store *store, hc_table t, size_t count)
{
  row_list *r = &((memory_store *)store)->tables[t];
  if (hc_reserve(store->allocator, &r->values, &r->cap, r->count + count, value_size(t)) < 0) return NULL;
  void *at = (char *)r->values + r->count * value_size(t);
  r->count += count;
  return at;
}

static hc_rc add_tasks(hc_store *s, const hc_task_record *records, size_t count, hc_error *e)
{
  if (count == 0) return 0;
  void *room = more(s, HC_TABLE_tasks, count * HC_TASK_COLUMNS);
  if (!room) return no_memory(s, e);
  memcpy(room, records, count * sizeof *records);
  return 0;
}

static hc_rc add_numbers(hc_store *s, hc_table t, const int64_t *values, hc_error *e)
{
  const size_t columns = hc_table_at(t)->columns;
  void *room = more(s, t, columns);
  if (!room) return no_memory(s, e);
  memcpy(room, values, columns * sizeof *values);
  return 0;
}

/* A row of a small table. Texts are copied before there is a row, so that there is never half of one. */
static hc_rc add_fields(hc_store *s, hc_table t, hc_field *values, hc_error *e)
{
  const size_t columns = hc_table_at(t)->columns;
  for (size_t i = 0; i < columns; i++) {
    if (values[i].kind != HC_FIELD_TEXT) continue;
    values[i].text = hc_arena_text(&((memory_store *)s)->texts, values[i].text, values[i].is.size);
    if (!values[i].text) return no_memory(s, e);
  }
  hc_field *room = more(s, t, columns);
  if (!room) return no_memory(s, e);
  memcpy(room, values, columns * sizeof *values);
  return 0;
}

static hc_field text_field(const char *text)
{
  if (!text) return (hc_field){.kind = HC_FIELD_NULL};
  return (hc_field){.kind = HC_FIELD_TEXT, .is.size = strlen(text), .text = text};
}

static hc_field whole_field(int64_t x)
{
  return (hc_field){.kind = HC_FIELD_WHOLE, .is.whole = x};
}

static hc_field real_field(double x)
{
  return x == x ? (hc_field){.kind = HC_FIELD_REAL, .is.real = x} : (hc_field){.kind = HC_FIELD_NULL};
}

static hc_rc add_row(hc_store *s, hc_table t, const char *const *values, hc_error *e)
{
  hc_field row[HC_TASK_COLUMNS];
  for (size_t i = 0; i < hc_table_at(t)->columns; i++) {
    int64_t x;
    row[i] = text_field(values[i]);
    if (values[i] && hc_table_is_whole(t, i) && hc_parse_int(values[i], row[i].is.size, &x) == 0)
      row[i] = whole_field(x);
  }
  return add_fields(s, t, row, e);
}

static hc_rc add_name(hc_store *s, hc_table t, int64_t number, const char *first, const char *second,
                      hc_error *e)
{
  hc_field row[] = {whole_field(number), text_field(first), text_field(second)};
  return add_fields(s, t, row, e);
}

static hc_rc add_figure(hc_store *s, const char *scope, const char *name, const char *unit, double value,
                        bool is_count, hc_error *e)
{
  hc_field row[] = {text_field(scope), text_field(name), text_field(unit),
                    is_count ? whole_field((int64_t)value) : real_field(value)};
  return add_fields(s, HC_TABLE_summary, row, e);
}

static hc_rc add_cell(hc_store *s, const char *scope, const char *table, int64_t key, const char *name,
                      const char *unit, double value, hc_error *e)
{
  hc_field row[] = {text_field(scope), text_field(table), whole_field(key),
                    text_field(name),  text_field(unit),  real_field(value)};
  return add_fields(s, HC_TABLE_cells, row, e);
}

static hc_rc clear(hc_store *s, hc_table t)
{
  ((memory_store *)s)->tables[t].count = 0;
  return 0;
}

static hc_rc commit(hc_store *s, hc_error *e)
{
  HC_UNUSED(e);
  s->is_committed = true;
  return 0;
}

static void free_store(hc_store *store)
{
  memory_store *s = (memory_store *)store;
  for (int t = 0; t < HC_TABLE_COUNT; t++)
    hc_free(store->allocator, s->tables[t].values, s->tables[t].cap * value_size((hc_table)t));
  hc_arena_fini(&s->texts);
  hc_free(store->allocator, s, sizeof *s);
}

/* ---- reading ---- */

static const memory_store *store_of(const hc_result *r)
{
  return ((const memory_result *)r)->of;
}

static hc_rc has(hc_result *r, hc_table t, hc_error *e)
{
  HC_UNUSED(e);
  return !hc_table_is_rare(t) || store_of(r)->tables[t].count > 0;
}

static hc_rc count_rows(hc_result *r, hc_table t, uint64_t *out, hc_error *e)
{
  HC_UNUSED(e);
  *out = rows_of(store_of(r), t);
  return 0;
}

static bool comes_first(const hc_task_record *rows, size_t a, size_t b)
{
  const hc_task_record *x = &rows[a], *y = &rows[b];
  if (x->submit != y->submit) return x->submit < y->submit;
  return x->serial != y->serial ? x->serial < y->serial : a < b;
}
HC_SORT_OF(sort_tasks, size_t, comes_first(of, *a, *b))

/* A sorted walk has an order of its own; any other takes the rows where they lie. */
static hc_rc open_rows(hc_result *r, hc_table t, bool sorted, hc_row_walk *c, hc_error *e)
{
  const memory_store *s = store_of(r);
  *c = (hc_row_walk){.table = t, .size = rows_of(s, t)};
  if (!sorted || c->size == 0) return 0;
  size_t *order = hc_alloc(r->allocator, c->size * sizeof *order);
  if (!order) return hc_fail(e, HC_ENOMEM, r->path, 0, 0, "out of memory while sorting the result");
  for (size_t i = 0; i < c->size; i++) order[i] = i;
  sort_tasks(order, c->size, s->tables[t].values);
  c->rows = order;
  return 0;
}

static hc_rc open_from(hc_result *r, hc_table t, uint64_t from, hc_row_walk *c, hc_error *e)
{
  TRY(open_rows(r, t, false, c, e));
  c->at = (size_t)HC_MIN(from, c->size);
  return 0;
}

static void close_rows(hc_result *r, hc_row_walk *c)
{
  hc_free(r->allocator, c->rows, c->rows ? c->size * sizeof(size_t) : 0);
}

static size_t step(hc_row_walk *c)
{
  const size_t at = c->at++;
  return c->rows ? ((const size_t *)c->rows)[at] : at;
}

static hc_rc next_row(hc_result *r, hc_row_walk *c, hc_field *row, hc_error *e)
{
  const size_t columns = hc_table_at(c->table)->columns;
  const memory_store *s = store_of(r);
  HC_UNUSED(e);
  if (c->at >= HC_MIN(c->size, rows_of(s, c->table))) return 0;
  const size_t first = step(c) * columns;
  if (!hc_table_is_numbers(c->table)) {
    memcpy(row, (const hc_field *)s->tables[c->table].values + first, columns * sizeof *row);
    return 1;
  }
  const int64_t *values = (const int64_t *)s->tables[c->table].values + first;
  for (size_t i = 0; i < columns; i++)
    row[i] = values[i] == HC_UNKNOWN ? (hc_field){.kind = HC_FIELD_NULL} : whole_field(values[i]);
  return 1;
}

static hc_rc next_tasks(hc_result *r, hc_row_walk *c, hc_task_record *records, size_t cap, size_t *count,
                        hc_error *e)
{
  const memory_store *s = store_of(r);
  const hc_task_record *from = s->tables[HC_TABLE_tasks].values;
  const size_t size = HC_MIN(c->size, rows_of(s, HC_TABLE_tasks));
  HC_UNUSED(e);
  for (*count = 0; *count < cap && c->at < size; (*count)++) records[*count] = from[step(c)];
  return 0;
}

static void free_result(hc_result *r)
{
  hc_free(r->allocator, r, sizeof(memory_result));
}

static hc_rc read_store(hc_store *s, hc_result **out, hc_error *e)
{
  static const hc_result_type type = {has,      count_rows, open_rows,  open_from,
                                      next_row, next_tasks, close_rows, free_result};
  memory_result *r = hc_result_begin(s->allocator, sizeof *r, &type, "the result in memory");
  if (!r) return hc_fail(e, HC_ENOMEM, NULL, 0, 0, "out of memory while opening the result");
  r->of = (const memory_store *)s;
  *out = &r->result;
  return 0;
}

hc_rc hc_memory_store_new(const hc_allocator *a, hc_store **out, hc_error *e)
{
  static const hc_store_type type = {.tasks = add_tasks,
                                     .numbers = add_numbers,
                                     .row = add_row,
                                     .name = add_name,
                                     .figure = add_figure,
                                     .cell = add_cell,
                                     .clear = clear,
                                     .commit = commit,
                                     .read = read_store,
                                     .free = free_store};
  memory_store *s = hc_alloc(a, sizeof *s);
  if (!s) return hc_fail(e, HC_ENOMEM, NULL, 0, 0, "out of memory while opening the result");
  s->store = (hc_store){.type = &type, .allocator = a};
  hc_arena_init(&s->texts, a);
  const hc_rc rc = hc_store_begin(&s->store, e);
  if (rc < 0) free_store(&s->store);
  else *out = &s->store;
  return rc;
}
