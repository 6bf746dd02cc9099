/* cells.c -- see cells.h. */
#include "plot/cells.h"

#include <stdio.h>
#include <string.h>

#include "base/table.h"
#include "base/text.h"
#include "base/util.h"

static const double none = __builtin_nan("");

/* ---- a study ---- */

static bool is_listed(const hc_list *l, const char *name)
{
  for (size_t i = 0; i < l->count; i++)
    if (strcmp(hc_texts_of(l)[i], name) == 0) return true;
  return false;
}

static bool is_sampled(const hc_cells_asked *q, const char *name)
{
  return q->over.count > 0 ? is_listed(&q->over, name) : strcmp(name, "replication") == 0;
}

/* Whether a condition leaves one level of an axis: "scenario=1", but not "load>=0.5" nor "policy=a,b". */
static bool is_fixed(const hc_cells_asked *q, const char *name)
{
  const size_t n = strlen(name);
  for (size_t i = 0; i < q->where.count; i++) {
    const char *w = hc_texts_of(&q->where)[i];
    if (strncmp(w, name, n) == 0 && w[n] == '=' && (w[n + 1] == '=' || !strchr(w + n, ','))) return true;
  }
  return false;
}

static bool has_numbers(const hc_study_axis *x)
{
  for (uint32_t i = 0; i < x->count; i++)
    if (x->numbers[i] != x->numbers[i]) return false;
  return true;
}

/* An axis of more than one level that nothing else has taken. */
static const char *choose(const hc_plot_job *j, const hc_cells_asked *q, const char *taken, bool numbers)
{
  for (uint32_t i = 0; i < j->study->axis_count; i++) {
    const hc_study_axis *x = &j->study->axes[i];
    if (x->count < 2 || is_sampled(q, x->name) || is_fixed(q, x->name)) continue;
    if ((taken && strcmp(taken, x->name) == 0) || (numbers && !has_numbers(x))) continue;
    return x->name;
  }
  return NULL;
}

static hc_rc take_cells(hc_plot_job *j, const hc_study_cells *s, bool has_rows, bool has_columns,
                        hc_plot_cells *out)
{
  const hc_study_axis *axes = j->study->axes, *row = has_rows ? &axes[s->axis[0]] : NULL,
                      *column = has_columns ? &axes[s->axis[has_rows]] : NULL;
  const size_t rows = row ? row->count : 1, columns = column ? column->count : 1;
  hc_plot_cell *cells = hc_arena_alloc(&j->arena, rows * columns * sizeof *cells);
  const char **alone = hc_arena_alloc(&j->arena, sizeof *alone);
  double *number = hc_arena_alloc(&j->arena, sizeof *number);
  if (!cells || !alone || !number) return HC_ENOMEM;
  *number = none;
  alone[0] = hc_arena_text(&j->arena, s->figure, strlen(s->figure));
  for (uint32_t i = 0; i < s->count; i++) {
    const hc_stat_mean *m = &s->cells[i].stat;
    const bool is_known = m->count > 0;
    cells[i] = (hc_plot_cell){is_known ? m->mean : none, is_known ? m->low : none, is_known ? m->high : none};
  }
  *out = (hc_plot_cells){.figure = alone[0],
                         .unit = hc_arena_text(&j->arena, s->unit, strlen(s->unit)),
                         .row_axis = row ? row->name : NULL,
                         .column_axis = column ? column->name : NULL,
                         .rows = row ? row->labels : alone,
                         .columns = column ? column->labels : alone,
                         .numbers = column ? column->numbers : number,
                         .row_count = rows,
                         .column_count = columns,
                         .cells = cells,
                         .direction = s->direction};
  return alone[0] && out->unit ? 0 : HC_ENOMEM;
}

static hc_rc ask_study(hc_plot_job *j, const hc_cells_asked *q, const char *columns, bool numbers_first,
                       hc_plot_cells *out, hc_error *e)
{
  const char *axes[2], *rows = q->by;
  size_t n = 0;
  TRY(hc_job_study(j, e));
  if (j->study->figure_count == 0)
    return hc_fail(e, HC_EUSAGE, j->request->files[0], 0, 0, "the study kept no figure: `keep` says which");
  if (!columns) columns = choose(j, q, rows, numbers_first);
  if (!columns && numbers_first) columns = choose(j, q, rows, false);
  if (!rows) rows = choose(j, q, columns, false);
  const bool has_rows = rows && rows[0], has_columns = columns && columns[0];
  if (has_rows) axes[n++] = rows;
  if (has_columns) axes[n++] = columns;
  if (n == 0)
    return hc_fail(e, HC_EUSAGE, j->request->files[0], 0, 0,
                   "the study has no axis with more than one level to be drawn over");
  const hc_study_query query = {.figure = q->figure ? q->figure : j->study->figures[0].name,
                                .axes = axes,
                                .axis_count = n,
                                .where = hc_texts_of(&q->where),
                                .where_count = q->where.count,
                                .over = hc_texts_of(&q->over),
                                .over_count = q->over.count,
                                .level = q->level};
  hc_study_cells *s;
  TRY(hc_study_table(j->allocator, j->study, &query, &s, e));
  const hc_rc rc = take_cells(j, s, has_rows, has_columns, out);
  hc_study_cells_free(j->allocator, s);
  return rc;
}

/* ---- a table as CSV: a row for each cell ---- */

typedef struct csv {
  hc_table t;
  hc_names rows, columns;
  struct csv_cell {
    uint32_t row, column;
    hc_plot_cell of;
  } * cells; /* [count] */
  size_t count, cap;
  size_t at[5]; /* columns of the file: row, column, mean, low, high */
  size_t figure_at, unit_at;
  char figure[80], unit[24];
} csv;

static hc_rc number(csv *c, size_t column, bool is_needed, double *out, hc_error *e)
{
  const char *text = hc_table_text(&c->t, column);
  *out = none;
  if (text[0] == '\0' && !is_needed) return 0;
  if (hc_parse_real(text, strlen(text), out) == 0) return 0;
  return hc_fail(e, HC_EINPUT, c->t.name, (uint32_t)c->t.line, column ? c->t.fields[column - 1].at : 0,
                 "expected a number, got \"%.60s\"", text);
}

static hc_rc take_titles(csv *c, hc_error *e)
{
  static const char *const names[] = {"row", "column", "mean", "low", "high"};
  TRY(hc_table_keep_titles(&c->t));
  for (size_t i = 0; i < HC_ARRAY_LEN(names); i++) c->at[i] = hc_table_column(&c->t, names[i]);
  c->figure_at = hc_table_column(&c->t, "figure");
  c->unit_at = hc_table_column(&c->t, "unit");
  if (c->at[0] && c->at[2]) return 0;
  return hc_fail(e, HC_EINPUT, c->t.name, (uint32_t)c->t.line, 0,
                 "a table needs columns \"row\" and \"mean\" (and may have \"column\", \"low\", \"high\", "
                 "\"figure\", \"unit\"), as `hindcast study table --csv` writes them");
}

static hc_rc take_row(csv *c, hc_error *e)
{
  const char *row = hc_table_text(&c->t, c->at[0]), *column = hc_table_text(&c->t, c->at[1]);
  struct csv_cell x = {0};
  const char *figure = hc_table_text(&c->t, c->figure_at);
  if (c->figure[0] != '\0' && strcmp(c->figure, figure) != 0)
    return hc_fail(
        e, HC_EINPUT, c->t.name, (uint32_t)c->t.line, 0,
        "the table has several figures, \"%.60s\" and \"%.60s\", and a picture is of one: write it with "
        "`--figure`",
        c->figure, figure);
  (void)snprintf(c->figure, sizeof c->figure, "%s", figure);
  (void)snprintf(c->unit, sizeof c->unit, "%s", hc_table_text(&c->t, c->unit_at));
  TRY(number(c, c->at[2], false, &x.of.mean, e));
  TRY(number(c, c->at[3], false, &x.of.low, e));
  TRY(number(c, c->at[4], false, &x.of.high, e));
  TRY(hc_names_add(&c->rows, row, strlen(row), &x.row));
  if (x.of.mean != x.of.mean) return 0; /* the conditions leave it out */
  TRY(hc_names_add(&c->columns, column, strlen(column), &x.column));
  TRY(hc_reserve(c->t.texts.allocator, (void **)&c->cells, &c->cap, c->count + 1, sizeof *c->cells));
  c->cells[c->count++] = x;
  return 0;
}

static hc_rc read_rows(csv *c, hc_error *e)
{
  hc_rc got = hc_table_next(&c->t, e);
  if (got == 1) TRY(take_titles(c, e));
  while (got == 1 && (got = hc_table_next(&c->t, e)) == 1) {
    const hc_rc rc = take_row(c, e);
    if (rc == HC_ELIMIT)
      return hc_fail(e, rc, c->t.name, (uint32_t)c->t.line, 0,
                     "more than 10000 rows or columns are no picture");
    TRY(rc);
  }
  TRY(got);
  if (c->count > 0) return 0;
  return hc_fail(e, HC_EUSAGE, c->t.name, 0, 0, "there is nothing to draw: the table has no row with a mean");
}

static const char *const *copy_names(hc_plot_job *j, const hc_names *n)
{
  const char **out = hc_arena_alloc(&j->arena, (n->count + 1) * sizeof *out);
  for (size_t i = 0; out && i < n->count; i++)
    if (!(out[i] = hc_arena_text(&j->arena, n->names[i], strlen(n->names[i])))) return NULL;
  return out;
}

static hc_rc hand_over(hc_plot_job *j, const csv *c, hc_plot_cells *out)
{
  const size_t rows = c->rows.count, columns = c->columns.count;
  hc_plot_cell *cells = hc_arena_alloc(&j->arena, rows * columns * sizeof *cells);
  double *numbers = hc_arena_alloc(&j->arena, columns * sizeof *numbers);
  if (!cells || !numbers) return HC_ENOMEM;
  for (size_t i = 0; i < rows * columns; i++) cells[i] = (hc_plot_cell){none, none, none};
  for (size_t i = 0; i < c->count; i++)
    cells[c->cells[i].row * columns + c->cells[i].column] = c->cells[i].of;
  for (size_t i = 0; i < columns; i++)
    if (hc_parse_real(c->columns.names[i], strlen(c->columns.names[i]), &numbers[i]) < 0) numbers[i] = none;
  *out = (hc_plot_cells){.figure = hc_arena_text(&j->arena, c->figure, strlen(c->figure)),
                         .unit = hc_arena_text(&j->arena, c->unit, strlen(c->unit)),
                         .rows = copy_names(j, &c->rows),
                         .columns = copy_names(j, &c->columns),
                         .numbers = numbers,
                         .row_count = rows,
                         .column_count = columns,
                         .cells = cells};
  return out->figure && out->unit && out->rows && out->columns ? 0 : HC_ENOMEM;
}

static hc_rc read_csv(hc_plot_job *j, hc_plot_cells *out, hc_error *e)
{
  csv c = {.count = 0};
  hc_names_init(&c.rows, j->allocator, 10000);
  hc_names_init(&c.columns, j->allocator, 10000);
  hc_rc rc = hc_table_open(&c.t, j->allocator, j->request->files[0], e);
  c.t.separator = ',';
  if (rc >= 0) rc = read_rows(&c, e);
  if (rc >= 0) rc = hand_over(j, &c, out);
  hc_free(j->allocator, c.cells, c.cap * sizeof *c.cells);
  hc_table_close(&c.t);
  hc_names_fini(&c.rows);
  hc_names_fini(&c.columns);
  return rc < 0 ? rc : 0;
}

hc_rc hc_cells_refuse(const hc_plot_job *j, const hc_cells_asked *q, const char *x, const char *what,
                      hc_error *e)
{
  const char *said = q->figure        ? "figure"
                     : q->where.count ? "where"
                     : q->over.count  ? "over"
                     : q->by          ? "by"
                     : x && *x        ? "x"
                                      : NULL;
  if (!said) return 0;
  return hc_fail(e, HC_EUSAGE, j->request->files[0], 0, 0,
                 "`%s` asks a study, and this is %s; leave it "
                 "out",
                 said, what);
}

hc_rc hc_cells_read(hc_plot_job *j, const hc_cells_asked *asked, const char *columns, bool numbers_first,
                    hc_plot_cells *out, hc_error *e)
{
  hc_input_kind kind;
  TRY(hc_input_kind_of(j->allocator, j->request->files[0], &kind, e));
  if (kind != HC_INPUT_TABLE) return ask_study(j, asked, columns, numbers_first, out, e);
  TRY(hc_cells_refuse(j, asked, columns, "a table, whose rows and columns are drawn as they are", e));
  if (j->request->file_count > 1)
    return hc_fail(e, HC_EUSAGE, j->request->files[1], 0, 0, "a chart is of one table; name one file");
  return read_csv(j, out, e);
}
