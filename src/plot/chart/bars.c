/* bars.c -- a figure of each level of an axis, or of each result, as a bar with its interval.
 *
 * Of a study it is the mean over the samples. Of results it is what the run found (`figure`), or the mean of
 * an expression over its tasks (`of`), whose interval is by batch means, as in `hindcast compare`. Bars begin
 * at 0: their lengths are what is compared. */
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "plot/cells.h"
#include "plot/rows.h"

#define BATCHES 30u

typedef struct options {
  hc_cells_asked asked;
  const char *x, *of;
  bool values;
} options;

static const hc_param params[] = {
    HC_PARAM_AS(
        TEXT, "by", options, asked.by, NULL,
        "The axis of the study with a bar for each level. Default: the first axis with more than one level."),
    HC_PARAM(
        TEXT, options, x, NULL,
        "A second axis of the study, whose levels are bars beside each other in each row. Default: none."),
    HC_CELLS_PARAMS(options, asked),
    HC_PARAM(TEXT, options, of, NULL,
             "Of results, in place of a figure: the mean of this expression over the tasks, such as wait. "
             "Default: none."),
    HC_PARAM(BOOL, options, values, "true", "Whether the value is written after each bar."),
    {.name = NULL}};

/* ---- results ---- */

typedef struct unit_of {
  const char *figure;
  char *unit;
  bool is_there;
} unit_of;

static hc_rc find_unit(void *ctx, const char *const *v)
{
  unit_of *u = ctx;
  if (!v[0] || !v[1] || strcmp(v[0], "all") != 0 || strcmp(v[1], u->figure) != 0) return 0;
  (void)snprintf(u->unit, 24, "%s", v[2] ? v[2] : "1");
  u->is_there = true;
  return 0;
}

typedef struct nearest {
  const char *figure;
  char name[80];
  size_t best;
} nearest;

static hc_rc find_nearest(void *ctx, const char *const *v)
{
  nearest *n = ctx;
  if (!v[1]) return 0;
  const size_t d = hc_edit_distance(n->figure, v[1], n->best);
  if (d >= n->best) return 0;
  n->best = d;
  (void)snprintf(n->name, sizeof n->name, "%s", v[1]);
  return 0;
}

static hc_rc figure_of(const hc_plot_result *r, const char *figure, hc_plot_cell *out, char *unit,
                       hc_error *e)
{
  unit_of u = {.figure = figure, .unit = unit};
  TRY(hc_result_rows(r->result, "summary", 4, find_unit, &u, e));
  out->low = out->high = __builtin_nan("");
  out->mean = hc_result_figure(r->result, "all", figure);
  if (u.is_there) return 0;
  nearest n = {.figure = figure, .best = 6};
  TRY(hc_result_rows(r->result, "summary", 4, find_nearest, &n, e));
  return hc_fail(e, HC_EUSAGE, hc_result_path(r->result), 0, 0,
                 "the result has no figure \"%.60s\"%s%s%s; `hindcast show --all` lists them", figure,
                 n.name[0] ? "; is it \"" : "", n.name, n.name[0] ? "\"?" : "");
}

static hc_rc mean_of(hc_plot_job *j, const hc_plot_result *r, const char *of, hc_plot_cell *out, hc_error *e)
{
  hc_estimate m;
  double *values;
  size_t n;
  TRY(hc_job_values(j, r, of, &values, NULL, &n, e));
  TRY(hc_estimate_mean(values, n, BATCHES, &m));
  const bool is_sure = m.half_width == m.half_width;
  *out = (hc_plot_cell){m.mean, is_sure ? m.mean - m.half_width : m.half_width,
                        is_sure ? m.mean + m.half_width : m.half_width};
  return 0;
}

static hc_rc read_results(hc_plot_job *j, const options *o, hc_plot_cells *out, hc_error *e)
{
  const char *figure = o->asked.figure ? o->asked.figure : "wait_mean";
  hc_cells_asked asked = o->asked;
  asked.figure = NULL; /* that a result has, too */
  TRY(hc_cells_refuse(j, &asked, o->x, "a result, of which there is a bar each", e));
  TRY(hc_job_results(j, e));
  if (o->of) TRY(hc_job_records(j, e));
  hc_plot_cell *cells = hc_arena_alloc(&j->arena, j->result_count * sizeof *cells);
  const char **names = hc_arena_alloc(&j->arena, j->result_count * sizeof *names);
  char *unit = hc_arena_alloc(&j->arena, 24),
       *words = hc_arena_printf(&j->arena, "mean of %.60s", o->of ? o->of : "");
  if (!cells || !names || !unit || !words) return HC_ENOMEM;
  (void)snprintf(unit, 24, "%s", o->of ? hc_expression_unit(o->of) : "1");
  for (size_t i = 0; i < j->result_count; i++) {
    names[i] = j->results[i].name;
    TRY(o->of ? mean_of(j, &j->results[i], o->of, &cells[i], e)
              : figure_of(&j->results[i], figure, &cells[i], unit, e));
  }
  *out = (hc_plot_cells){.figure = o->of ? words : figure,
                         .unit = unit,
                         .rows = names,
                         .row_count = j->result_count,
                         .column_count = 1,
                         .cells = cells};
  return 0;
}

/* ---- drawing ---- */

typedef struct bars {
  hc_plot_job *job;
  const options *o;
  hc_plot_cells cells;
  hc_rows rows;
  uint32_t *look; /* [column_count], or [row_count] if there is one column */
  hc_key_item *items;
} bars;

static hc_rc choose_looks(bars *b, hc_error *e)
{
  const bool by_column = b->cells.column_count > 1;
  const size_t n = by_column ? b->cells.column_count : b->cells.row_count;
  const char *const *names = by_column ? b->cells.columns : b->cells.rows;
  b->look = hc_arena_alloc(&b->job->arena, (n + 1) * sizeof *b->look);
  b->items = hc_arena_alloc(&b->job->arena, (n + 1) * sizeof *b->items);
  if (!b->look || !b->items) return HC_ENOMEM;
  for (size_t i = 0; i < n; i++) {
    const char *key = b->job->result_count > 0 ? b->job->results[i].full : names[i];
    TRY(hc_job_colour(b->job, key, &b->look[i], e));
    b->items[i] = (hc_key_item){.name = names[i], .look = b->look[i]};
  }
  return 0;
}

static hc_rc find_ends(bars *b, hc_error *e)
{
  bool has_any = false;
  b->rows.x.low = b->rows.x.high = 0;
  for (size_t i = 0; i < b->cells.row_count * b->cells.column_count; i++) {
    const hc_plot_cell *x = &b->cells.cells[i];
    if (!hc_is_drawn(x->mean)) continue;
    has_any = true;
    b->rows.x.low = HC_MIN(b->rows.x.low, hc_is_drawn(x->low) ? HC_MIN(x->low, x->mean) : x->mean);
    b->rows.x.high = HC_MAX(b->rows.x.high, hc_is_drawn(x->high) ? HC_MAX(x->high, x->mean) : x->mean);
  }
  /* an interval of a figure that is never below 0 may reach there; the axis need not */
  if (b->rows.x.low < 0) {
    bool is_positive = true;
    for (size_t i = 0; i < b->cells.row_count * b->cells.column_count; i++)
      is_positive &= !(b->cells.cells[i].mean < 0);
    if (is_positive) b->rows.x.low = 0;
  }
  if (has_any) return 0;
  return hc_fail(e, HC_EUSAGE, "plot bars", 0, 0, "there is nothing to draw: %s has no value anywhere",
                 b->cells.figure);
}

static void draw_interval(const bars *b, const hc_plot_cell *x, double y, double reach)
{
  hc_surface *s = b->job->surface;
  if (!hc_is_drawn(x->low) || !hc_is_drawn(x->high)) return;
  const double from = HC_MAX(hc_scale_at(&b->rows.x, x->low), b->rows.x.from),
               to = hc_scale_at(&b->rows.x, x->high);
  hc_draw_line(s, from, y, to, y, 0.9, HC_INK_TEXT);
  hc_draw_line(s, from, y - reach, from, y + reach, 0.9, HC_INK_TEXT);
  hc_draw_line(s, to, y - reach, to, y + reach, 0.9, HC_INK_TEXT);
}

static void draw_bar(const bars *b, size_t row, size_t column, double y, double height)
{
  const hc_plot_cell *x = &b->cells.cells[row * b->cells.column_count + column];
  hc_plot_job *j = b->job;
  const double zero = hc_scale_at(&b->rows.x, 0), end = hc_scale_at(&b->rows.x, x->mean);
  const uint32_t look = b->look[b->cells.column_count > 1 ? column : row];
  char label[40], tip[200];
  if (!hc_is_drawn(x->mean)) return;
  hc_scale_label(x->mean, label);
  (void)snprintf(tip, sizeof tip, "%.120s: %s %.20s", b->cells.rows[row], label, b->cells.unit);
  j->surface->tip(j->surface, tip);
  j->surface->rect(j->surface,
                   &(hc_box){HC_MIN(zero, end), y - height / 2, HC_MAX(end - zero, zero - end), height},
                   &(hc_style){.fill = 1, .area = (hc_ink)((int)HC_INK_AREA + (int)(look % HC_SERIES))});
  j->surface->tip(j->surface, NULL);
  draw_interval(b, x, y, HC_MIN(height * 0.25, j->font * 0.3));
  if (!b->o->values || b->cells.column_count > 1) return;
  const double after = hc_is_drawn(x->high) ? hc_scale_at(&b->rows.x, x->high) : end;
  hc_scale_value(&b->rows.x, x->mean, label);
  (void)hc_draw_text(j->surface, HC_MAX(after, zero) + j->font * 0.4, y + j->font * 0.3, label,
                     &(hc_text_style){.size = j->font * 0.85, .ink = HC_INK_SOFT});
}

static hc_rc say(bars *b)
{
  char words[80], title[200], detail[300];
  hc_figure_words(b->cells.figure, words);
  hc_title_words(words, NULL, title);
  (void)snprintf(detail, sizeof detail, "A bar for each of %zu rows, figure %.80s, unit %.20s.",
                 b->cells.row_count, b->cells.figure, b->cells.unit);
  return hc_job_say(b->job, title, detail);
}

static hc_rc draw(hc_plot_job *j, const void *opts, hc_error *e)
{
  bars b = {.job = j, .o = opts};
  hc_input_kind kind;
  char words[80];
  TRY(hc_input_kind_of(j->allocator, j->request->files[0], &kind, e));
  if (b.o->of && kind != HC_INPUT_RESULT)
    return hc_fail(e, HC_EUSAGE, j->request->files[0], 0, 0,
                   "`of` is about the tasks of results, and this is none; say `figure`");
  if (kind == HC_INPUT_RESULT && b.o->of && b.o->asked.figure)
    return hc_fail(e, HC_EUSAGE, "plot bars", 0, 0, "`of` or `figure`, not both");
  TRY(kind == HC_INPUT_RESULT ? read_results(j, b.o, &b.cells, e)
                              : hc_cells_read(j, &b.o->asked, kind == HC_INPUT_STUDY && !b.o->x ? "" : b.o->x,
                                              false, &b.cells, e));
  const size_t columns = b.cells.column_count;
  TRY(find_ends(&b, e));
  TRY(choose_looks(&b, e));
  const double lines = columns > 1 ? 0.7 * (double)columns + 0.7 : 1.6;
  const double key = columns > 1 ? hc_key_height(j, b.items, columns, j->width * 0.95) : 0;
  TRY(hc_job_open(j, hc_rows_height(j, b.cells.row_count, lines) + key, e));
  TRY(say(&b));
  hc_box page = hc_page_begin(j);
  page.height -= key;
  hc_figure_words(b.cells.figure, words);
  const hc_rows_spec spec = {.names = b.cells.rows,
                             .count = b.cells.row_count,
                             .words = words,
                             .unit = b.cells.unit,
                             .right = b.o->values && columns == 1 ? j->font * 3.2 : 0};
  hc_rows_draw(&b.rows, j, &page, &spec);
  const double height = b.rows.row_height / (columns > 1 ? (double)columns + 0.8 : 1.5);
  for (size_t r = 0; r < b.cells.row_count; r++)
    for (size_t k = 0; k < columns; k++)
      draw_bar(&b, r, k, hc_rows_y(&b.rows, r) + height * ((double)k - (double)(columns - 1) / 2),
               columns > 1 ? height * 0.92 : height);
  const double zero = hc_scale_at(&b.rows.x, 0);
  hc_draw_line(j->surface, zero, b.rows.field.y, zero, b.rows.field.y + b.rows.field.height, 0.7,
               HC_INK_SOFT);
  if (columns > 1) hc_key_draw(j, b.items, columns, page.x, page.y + page.height, page.width, HC_KEY_AREA);
  return 0;
}

const hc_plot_type hc_plot_bars = {
    .component =
        {HC_COMPONENT_HEAD(hc_plot_type, HC_KIND_PLOT), .name = "bars",
         .summary = "a figure of results, or of the levels of a study's axis, as bars with intervals",
         .detail =
             "Of a study: for each level of `by` the mean over its samples, with its confidence interval. Of "
             "results: the figure of each run, or with `of` the mean of an expression over the tasks, with "
             "its 95 % interval by the means of 30 batches in order of submission.",
         .params = params, .options_size = sizeof(options)},
    .draw = draw,
};
