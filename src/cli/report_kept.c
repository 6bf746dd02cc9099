/* report_kept.c -- what metrics kept over time, for the page: use of hosts, fragmentation, shares of users
 * and whatever else a run was asked for.
 *
 * A metric's table is over time if its rows say until when they hold (`until`); tables of its parts
 * (`host_load:class:wide`) have the same rows; those of `series` end where the next one begins. Of more
 * than PIECES rows several stand as one, with their mean by time. Values that no row has are null. Before
 * them stands what every run keeps, the table `curves`, as the table "run". */
#include <stdlib.h>
#include <string.h>

#include "cli/report.h"

#define PIECES 2000
#define TABLES_MOST 200 /* of a result: parts of a table may be as many as users */
#define NAME_MOST 200

typedef struct kept_cell {
  int64_t key; /* s, from when on */
  uint32_t column, place;
  double value;
} kept_cell;

typedef struct kept_column {
  char name[64], unit[32];
} kept_column;

typedef struct kept_table {
  char name[NAME_MOST];
  kept_column *columns; /* [column_count] */
  kept_cell *cells;     /* [cell_count] */
  size_t column_count, column_cap, cell_count, cell_cap;
  bool is_over_time;
} kept_table;

typedef struct kept {
  kept_table *tables; /* [count] */
  size_t count, cap;
  uint64_t left_out; /* cells of tables beyond TABLES_MOST, or with names beyond NAME_MOST */
  bool is_reading;   /* the second time: cells of tables that are over time */
} kept;

/* ---- reading ---- */

static bool grow(void **items, size_t *cap, size_t count, size_t size)
{
  if (count < *cap) return true;
  void *more = realloc(*items, (*cap * 2 + 16) * size);
  if (!more) return false;
  *items = more;
  *cap = *cap * 2 + 16;
  return true;
}

static kept_table *table_of(kept *k, const char *name)
{
  for (size_t i = k->count; i-- > 0;)
    if (strcmp(k->tables[i].name, name) == 0) return &k->tables[i];
  return NULL;
}

/* Of "host_load:class:wide" the table "host_load". */
static bool is_over_time(kept *k, const char *name)
{
  char base[NAME_MOST];
  const size_t n = strcspn(name, ":");
  if (n >= sizeof base) return false;
  memcpy(base, name, n);
  base[n] = '\0';
  const kept_table *t = table_of(k, base);
  return t && t->is_over_time;
}

static hc_rc add_table(kept *k, const char *name)
{
  if (table_of(k, name)) return 0;
  if (k->count == TABLES_MOST || strlen(name) >= NAME_MOST) {
    k->left_out++;
    return 0;
  }
  if (!grow((void **)&k->tables, &k->cap, k->count, sizeof *k->tables)) return HC_ENOMEM;
  kept_table *t = &k->tables[k->count++];
  *t = (kept_table){.is_over_time = false};
  (void)snprintf(t->name, sizeof t->name, "%s", name);
  return 0;
}

static size_t column_of(kept_table *t, const char *name, const char *unit)
{
  for (size_t i = 0; i < t->column_count; i++)
    if (strcmp(t->columns[i].name, name) == 0) return i;
  if (!grow((void **)&t->columns, &t->column_cap, t->column_count, sizeof *t->columns)) return SIZE_MAX;
  kept_column *c = &t->columns[t->column_count];
  (void)snprintf(c->name, sizeof c->name, "%s", name);
  (void)snprintf(c->unit, sizeof c->unit, "%s", unit ? unit : "");
  return t->column_count++;
}

static hc_rc add_cell(kept_table *t, const char *const *v)
{
  kept_cell c = {.place = (uint32_t)t->cell_count};
  if (hc_parse_int(v[2], strlen(v[2]), &c.key) < 0 || hc_parse_real(v[5], strlen(v[5]), &c.value) < 0)
    return 0;
  const size_t column = column_of(t, v[3], v[4]);
  if (column == SIZE_MAX || !grow((void **)&t->cells, &t->cell_cap, t->cell_count, sizeof *t->cells))
    return HC_ENOMEM;
  c.column = (uint32_t)column;
  t->cells[t->cell_count++] = c;
  return 0;
}

static hc_rc hear(void *ctx, const char *const *v)
{
  kept *k = ctx;
  if (!v[0] || !v[1] || !v[2] || !v[3] || !v[5] || strcmp(v[0], "all") != 0) return 0;
  if (k->is_reading) {
    kept_table *t = table_of(k, v[1]);
    return t && is_over_time(k, v[1]) ? add_cell(t, v) : 0;
  }
  CLI_TRY(add_table(k, v[1]));
  kept_table *t = table_of(k, v[1]);
  if (t) t->is_over_time |= strcmp(v[3], "until") == 0 || strcmp(v[1], "series") == 0;
  return 0;
}

/* ---- pieces of time ---- */

static int by_key(const void *x, const void *y)
{
  const kept_cell *a = x, *b = y;
  if (a->key != b->key) return a->key < b->key ? -1 : 1;
  return (a->place > b->place) - (a->place < b->place);
}

/* Several rows of a table as one. */
typedef struct piece {
  int64_t from;
  double *sums, *weights; /* [columns] */
  size_t rows;
} piece;

static size_t until_column(const kept_table *t)
{
  size_t i = 0;
  while (i < t->column_count && strcmp(t->columns[i].name, "until") != 0) i++;
  return i;
}

static size_t count_rows(const kept_table *t)
{
  size_t n = 0;
  for (size_t i = 0; i < t->cell_count; i++) n += i == 0 || t->cells[i].key != t->cells[i - 1].key;
  return n;
}

/* How long the row of a cell lasts: up to the next one; the last as long as that before it. */
static double length_at(const kept_table *t, size_t first, size_t next, double before)
{
  return next < t->cell_count ? (double)(t->cells[next].key - t->cells[first].key) : before;
}

/* [from, until, values...]; until is null where only the end of the run says it. */
static void put_piece(const kept_table *t, piece *p, size_t next, hc_json_writer *j)
{
  const size_t until = until_column(t);
  hc_json_enter(j, NULL, '[');
  hc_json_put_int(j, NULL, p->from);
  if (until < t->column_count) hc_json_put_real(j, NULL, p->sums[until]);
  else if (next < t->cell_count) hc_json_put_int(j, NULL, t->cells[next].key);
  else hc_json_put_raw(j, NULL, "null");
  for (size_t c = 0; c < t->column_count; c++) {
    if (c == until) continue;
    if (p->weights[c] > 0) hc_json_put_real(j, NULL, p->sums[c] / p->weights[c]);
    else hc_json_put_raw(j, NULL, "null");
  }
  hc_json_leave(j, ']');
  memset(p->sums, 0, t->column_count * sizeof *p->sums);
  memset(p->weights, 0, t->column_count * sizeof *p->weights);
  p->rows = 0;
}

static void put_rows(const kept_table *t, piece *p, hc_json_writer *j)
{
  const size_t until = until_column(t), group = (count_rows(t) + PIECES - 1) / PIECES;
  double length = 1;
  for (size_t i = 0, next; i < t->cell_count; i = next) {
    for (next = i; next < t->cell_count && t->cells[next].key == t->cells[i].key;) next++;
    length = length_at(t, i, next, length);
    if (p->rows++ == 0) p->from = t->cells[i].key;
    for (size_t k = i; k < next; k++) {
      const kept_cell *c = &t->cells[k];
      if (c->column == until) p->sums[until] = c->value;
      else {
        p->sums[c->column] += c->value * length;
        p->weights[c->column] += length;
      }
    }
    if (p->rows == group || next == t->cell_count) put_piece(t, p, next, j);
  }
}

static hc_rc put_table(kept_table *t, size_t run, hc_json_writer *j)
{
  const size_t until = until_column(t);
  piece p = {.sums = calloc(t->column_count + 1, sizeof *p.sums),
             .weights = calloc(t->column_count + 1, sizeof *p.weights)};
  if (p.sums && p.weights) {
    qsort(t->cells, t->cell_count, sizeof *t->cells, by_key);
    hc_json_enter(j, NULL, '{');
    hc_json_put_int(j, "run", (int64_t)run);
    hc_json_put_text(j, "name", t->name);
    hc_json_enter(j, "columns", '[');
    for (size_t c = 0; c < t->column_count; c++) {
      if (c == until) continue;
      hc_json_enter(j, NULL, '[');
      hc_json_put_text(j, NULL, t->columns[c].name);
      hc_json_put_text(j, NULL, t->columns[c].unit);
      hc_json_leave(j, ']');
    }
    hc_json_leave(j, ']');
    hc_json_enter(j, "rows", '[');
    put_rows(t, &p, j);
    hc_json_leave(j, ']');
    hc_json_leave(j, '}');
  }
  const bool failed = !p.sums || !p.weights;
  free(p.sums);
  free(p.weights);
  return failed ? HC_ENOMEM : 0;
}

/* ---- what every run keeps: the table `curves` ---- */

typedef struct curves {
  hc_json_writer *j;
  double before[5]; /* at (s), utilisation, waiting and running tasks of the row before; [4]: there is one */
} curves;

static void put_curve(curves *c, double until)
{
  if (!(c->before[4] > 0)) return;
  hc_json_enter(c->j, NULL, '[');
  hc_json_put_real(c->j, NULL, c->before[0]);
  if (until == until) hc_json_put_real(c->j, NULL, until);
  else hc_json_put_raw(c->j, NULL, "null");
  for (int k = 1; k < 4; k++) hc_json_put_real(c->j, NULL, c->before[k]);
  hc_json_leave(c->j, ']');
}

static hc_rc hear_curve(void *ctx, const char *const *v)
{
  curves *c = ctx;
  double x[5];
  for (int k = 0; k < 5; k++)
    if (!v[k] || hc_parse_real(v[k], strlen(v[k]), &x[k]) < 0) return 0;
  put_curve(c, x[0] / 1e9);
  memcpy(c->before, (double[]){x[0] / 1e9, x[2] > 0 ? x[1] / x[2] : 0, x[3] / 1000, x[4] / 1000, 1},
         sizeof x);
  return 0;
}

static hc_rc put_curves(cli_report *x, size_t run, hc_json_writer *j)
{
  static const char columns[] = "[[\"utilisation\",\"1\"],[\"waiting\",\"tasks\"],[\"running\",\"tasks\"]]";
  curves c = {.j = j};
  hc_json_enter(j, NULL, '{');
  hc_json_put_int(j, "run", (int64_t)run);
  hc_json_put_text(j, "name", "run");
  hc_json_put_raw(j, "columns", columns);
  hc_json_enter(j, "rows", '[');
  const hc_rc rc = hc_result_rows(x->runs[run].schedule.result, "curves", 5, hear_curve, &c, &x->c->error);
  put_curve(&c, __builtin_nan(""));
  hc_json_leave(j, ']');
  hc_json_leave(j, '}');
  return rc;
}

/* ---- the whole ---- */

static hc_rc put_run(cli_report *x, size_t run, hc_json_writer *j)
{
  kept k = {0};
  hc_result *r = x->runs[run].schedule.result;
  hc_rc rc = hc_result_rows(r, "cells", 6, hear, &k, &x->c->error);
  k.is_reading = true;
  if (rc >= 0) rc = hc_result_rows(r, "cells", 6, hear, &k, &x->c->error);
  for (size_t i = 0; rc >= 0 && i < k.count; i++)
    if (k.tables[i].cell_count > 0) rc = put_table(&k.tables[i], run, j);
  if (k.left_out > 0)
    hc_buffer_printf(&x->kept_notes,
                     "%s: %llu values of tables beyond the first %d, or with names of %d bytes\n",
                     x->schedules[run].name, (unsigned long long)k.left_out, TABLES_MOST, NAME_MOST);
  for (size_t i = 0; i < k.count; i++) {
    free(k.tables[i].columns);
    free(k.tables[i].cells);
  }
  free(k.tables);
  return rc;
}

hc_rc cli_report_kept(cli_report *x, hc_json_writer *j)
{
  hc_json_enter(j, "kept", '[');
  for (size_t run = 0; run < x->count; run++) {
    CLI_TRY(put_curves(x, run, j));
    CLI_TRY(put_run(x, run, j));
  }
  hc_json_leave(j, ']');
  return 0;
}
