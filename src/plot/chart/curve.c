/* curve.c -- a figure of a study over an axis of numbers: a line for each level of another axis, with the
 * band of its intervals.
 *
 * Colours go by a level's place on its axis, whether it is shown or not, so that figures of one study
 * agree. Names stand at the right end of their lines where there is room for them, else in a key below. A
 * band that reaches below what a logarithm has is cut at the field's edge. */
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "plot/cells.h"
#include "plot/frame.h"

enum { LOG_NONE, LOG_X, LOG_Y, LOG_BOTH };

typedef struct options {
  hc_cells_asked asked;
  const char *x;
  hc_list show;
  int log;
  bool zero, markers;
} options;

static const hc_param params[] = {
    HC_PARAM(TEXT, options, x, NULL,
             "The horizontal axis. Default: the first axis whose levels are numbers and that `where` does "
             "not fix."),
    HC_PARAM_AS(TEXT, "by", options, asked.by, NULL,
                "The axis with a line for each level. Default: the first further axis."),
    HC_CELLS_PARAMS(options, asked),
    HC_PARAM(TEXTS, options, show, NULL,
             "Levels of `by` that have a colour and a name, or * for all; the others are thin and grey. "
             "Default: the first eight."),
    HC_PARAM(
        CHOICE, options, log, "none|x|y|xy", "none",
        "Which axes are logarithmic. none: no axis. x: the horizontal one. y: the vertical one. xy: both."),
    HC_PARAM(BOOL, options, zero, "true", "Whether a linear vertical axis begins at 0."),
    HC_PARAM(BOOL, options, markers, "true",
             "Whether points have markers, which tell lines apart in grey print."),
    {.name = NULL}};

typedef struct curve {
  hc_plot_job *job;
  const options *o;
  hc_plot_cells cells;
  double *x;      /* [column_count] where a column lies */
  size_t *order;  /* [column_count] by x */
  uint32_t *look; /* [row_count] */
  hc_key_item *items;
  size_t item_count;
  hc_frame frame;
} curve;

static const hc_plot_cell *cell(const curve *c, size_t row, size_t k)
{
  return &c->cells.cells[row * c->cells.column_count + c->order[k]];
}

/* ---- what is shown ---- */

static bool has_any(const curve *c, size_t row)
{
  for (size_t k = 0; k < c->cells.column_count; k++)
    if (cell(c, row, k)->mean == cell(c, row, k)->mean) return true;
  return false;
}

static bool is_asked(const curve *c, const char *name)
{
  const hc_list *show = &c->o->show;
  for (size_t i = 0; i < show->count; i++)
    if (strcmp(hc_texts_of(show)[i], name) == 0 || strcmp(hc_texts_of(show)[i], "*") == 0) return true;
  return false;
}

/* A name that is not there is an error, and not a line less. */
static hc_rc check_shown(const curve *c, hc_error *e)
{
  const hc_list *show = &c->o->show;
  for (size_t i = 0; i < show->count; i++) {
    const char *name = hc_texts_of(show)[i], *near = NULL;
    size_t best = 4;
    bool is_there = strcmp(name, "*") == 0;
    for (size_t r = 0; r < c->cells.row_count; r++) {
      const size_t d = hc_edit_distance(name, c->cells.rows[r], best);
      is_there |= strcmp(name, c->cells.rows[r]) == 0;
      if (d >= best) continue;
      best = d;
      near = c->cells.rows[r];
    }
    if (is_there) continue;
    return hc_fail(e, HC_EUSAGE, "plot curve", 0, 0, "show: there is no line \"%.80s\"%s%.80s%s", name,
                   near ? "; is it \"" : "", near ? near : "", near ? "\"?" : "");
  }
  return 0;
}

static hc_rc choose_looks(curve *c, hc_error *e)
{
  size_t shown = 0;
  c->look = hc_arena_alloc(&c->job->arena, c->cells.row_count * sizeof *c->look);
  c->items = hc_arena_alloc(&c->job->arena, c->cells.row_count * sizeof *c->items);
  if (!c->look || !c->items) return HC_ENOMEM;
  TRY(check_shown(c, e));
  for (size_t r = 0; r < c->cells.row_count; r++) {
    const bool is_shown = c->o->show.count > 0 ? is_asked(c, c->cells.rows[r]) : shown < HC_SERIES;
    c->look[r] = HC_LOOK_REST;
    if (c->job->request->colours == NULL || is_shown)
      TRY(hc_job_colour(c->job, c->cells.rows[r], &c->look[r], e));
    if (!is_shown) c->look[r] = HC_LOOK_REST;
    if (!is_shown || !has_any(c, r)) continue;
    shown++;
    c->items[c->item_count++] = (hc_key_item){.name = c->cells.rows[r], .look = c->look[r]};
  }
  return 0;
}

/* ---- where it lies ---- */

static hc_rc lay_columns(curve *c)
{
  const size_t n = c->cells.column_count;
  bool are_numbers = true;
  c->x = hc_arena_alloc(&c->job->arena, n * sizeof *c->x);
  c->order = hc_arena_alloc(&c->job->arena, n * sizeof *c->order);
  if (!c->x || !c->order) return HC_ENOMEM;
  for (size_t k = 0; k < n; k++) are_numbers &= c->cells.numbers[k] == c->cells.numbers[k];
  c->frame.x.kind = are_numbers ? HC_SCALE_LINEAR : HC_SCALE_STANDING;
  for (size_t k = 0; k < n; k++) {
    size_t at = k;
    c->x[k] = are_numbers ? c->cells.numbers[k] : (double)k;
    for (; at > 0 && c->x[c->order[at - 1]] > c->x[k]; at--) c->order[at] = c->order[at - 1];
    c->order[at] = k;
  }
  return 0;
}

static hc_rc find_ends(curve *c, hc_error *e)
{
  const size_t n = c->cells.column_count;
  const bool log_x = c->o->log == LOG_X || c->o->log == LOG_BOTH, log_y = c->o->log >= LOG_Y;
  double low = 1e300, high = -1e300, first = 1e300, last = -1e300;
  for (size_t r = 0; r < c->cells.row_count; r++)
    for (size_t k = 0; k < n; k++) {
      const hc_plot_cell *x = cell(c, r, k);
      if (!hc_is_drawn(x->mean) || (log_y && x->mean <= 0)) continue;
      /* of a band on a logarithmic axis the part that is not far below the mean */
      const double below = !hc_is_drawn(x->low) ? x->mean : log_y ? HC_MAX(x->low, x->mean / 2) : x->low;
      low = HC_MIN(low, c->look[r] == HC_LOOK_REST ? x->mean : below);
      high = HC_MAX(high, hc_is_drawn(x->high) && c->look[r] != HC_LOOK_REST ? x->high : x->mean);
      first = HC_MIN(first, c->x[c->order[k]]);
      last = HC_MAX(last, c->x[c->order[k]]);
    }
  if (high < low)
    return hc_fail(e, HC_EUSAGE, "plot curve", 0, 0, "there is nothing to draw: no point has a value%s",
                   log_y ? " above 0, which a logarithmic axis needs" : "");
  if (log_x && (first <= 0 || c->frame.x.kind == HC_SCALE_STANDING))
    return hc_fail(e, HC_EUSAGE, "plot curve", 0, 0,
                   "log: the axis across has %s, which a logarithm has not; leave x out",
                   c->frame.x.kind == HC_SCALE_STANDING ? "names" : "values that are not above 0");
  if (log_x) c->frame.x.kind = HC_SCALE_LOG;
  if (log_y) c->frame.y.kind = HC_SCALE_LOG;
  else if (c->o->zero) low = HC_MIN(low, 0.0), high = HC_MAX(high, 0.0);
  c->frame.x.low = first;
  c->frame.x.high = last;
  c->frame.y.low = low;
  c->frame.y.high = high;
  return 0;
}

/* ---- lines ---- */

/* Whether a line goes on where a value is missing. A point of a study that failed is a gap; rows of a table
 * have columns of their own. */
static bool goes_on(const curve *c)
{
  return c->job->study == NULL;
}

static hc_point point(const curve *c, size_t k, double value)
{
  return (hc_point){hc_scale_at(&c->frame.x, c->x[c->order[k]]), hc_scale_at(&c->frame.y, value)};
}

/* There along the upper end and back along the lower. @param at  [column_count] for the columns of a
 * stretch */
static void draw_band(curve *c, size_t row, hc_point *p, size_t *at)
{
  const size_t n = c->cells.column_count;
  const hc_style fill = {.fill = 0.13, .area = hc_look_ink(c->look[row])};
  size_t m = 0;
  for (size_t k = 0; k <= n; k++) {
    const hc_plot_cell *x = k < n ? cell(c, row, k) : NULL;
    if (x && hc_is_drawn(x->mean) && hc_is_drawn(x->low) && hc_is_drawn(x->high)) {
      at[m++] = k;
      continue;
    }
    if (k < n && goes_on(c)) continue;
    for (size_t i = 0; i < m; i++) {
      p[i] = point(c, at[i], cell(c, row, at[i])->high);
      p[2 * m - 1 - i] = point(c, at[i], cell(c, row, at[i])->low);
    }
    if (m >= 2) c->job->surface->path(c->job->surface, p, 2 * m, true, &fill);
    m = 0;
  }
}

static void draw_line(curve *c, size_t row, hc_point *p)
{
  hc_surface *s = c->job->surface;
  const hc_style line = hc_look_line(c->look[row], 1.3);
  size_t n = 0, known = 0;
  double end = 0;
  for (size_t k = 0; k < c->cells.column_count; k++) {
    const double y = cell(c, row, k)->mean;
    if (!hc_is_drawn(y) && goes_on(c)) continue;
    p[n] = hc_is_drawn(y) ? point(c, k, y) : (hc_point){y, y};
    if (!hc_is_drawn(y)) p[n].x = p[n].y = __builtin_nan("");
    else end = p[n].y, known++;
    n++;
  }
  s->tip(s, c->cells.rows[row]);
  s->path(s, p, n, false, &line);
  if (c->look[row] != HC_LOOK_REST && c->o->markers &&
      (double)known * c->job->font < c->frame.field.width * 1.2)
    for (size_t k = 0; k < n; k++)
      if (hc_is_drawn(p[k].y))
        hc_draw_marker(s, p[k].x, p[k].y, hc_marker_of(c->look[row]), c->job->font * 0.45, line.line);
  s->tip(s, NULL);
  for (size_t i = 0; i < c->item_count; i++)
    if (c->items[i].name == c->cells.rows[row]) c->items[i].end = end;
}

/* The grey ones first, so that they lie below. */
static hc_rc draw_curves(curve *c)
{
  hc_surface *s = c->job->surface;
  hc_point *p = hc_arena_alloc(&c->job->arena, (2 * c->cells.column_count + 2) * sizeof *p);
  size_t *at = hc_arena_alloc(&c->job->arena, (c->cells.column_count + 1) * sizeof *at);
  if (!p || !at) return HC_ENOMEM;
  const hc_box clip = {c->frame.field.x, c->frame.field.y - 1, c->frame.field.width,
                       c->frame.field.height + 1.5};
  s->clip(s, &clip);
  for (size_t r = 0; r < c->cells.row_count; r++)
    if (c->look[r] != HC_LOOK_REST) draw_band(c, r, p, at);
  s->clip(s, NULL);
  for (int is_grey = 1; is_grey >= 0; is_grey--)
    for (size_t r = 0; r < c->cells.row_count; r++)
      if ((c->look[r] == HC_LOOK_REST) == is_grey) draw_line(c, r, p);
  return 0;
}

static hc_rc say(curve *c)
{
  char words[80], across[80], title[200], detail[400];
  hc_figure_words(c->cells.figure, words);
  hc_axis_words(c->cells.column_axis ? c->cells.column_axis : "column", across);
  (void)snprintf(title, sizeof title, "%s over %s", words, across);
  if (title[0] >= 'a' && title[0] <= 'z') title[0] = (char)(title[0] - 'a' + 'A');
  (void)snprintf(detail, sizeof detail,
                 "Figure %s, unit %s: a line for each of %zu; %g %% intervals as bands.", c->cells.figure,
                 c->cells.unit, c->cells.row_count, c->o->asked.level * 100);
  return hc_job_say(c->job, title, detail);
}

static hc_rc draw(hc_plot_job *j, const void *opts, hc_error *e)
{
  curve c = {.job = j, .o = opts};
  char y_words[80], x_words[80];
  TRY(hc_cells_read(j, &c.o->asked, c.o->x, true, &c.cells, e));
  TRY(lay_columns(&c));
  TRY(choose_looks(&c, e));
  TRY(find_ends(&c, e));
  TRY(hc_job_open(j, j->width * 0.66, e));
  TRY(say(&c));
  hc_box page = hc_page_begin(j);
  const double behind = c.item_count > 1 ? hc_labels_width(j, c.items, c.item_count, page.width) : 0;
  const double key = behind > 0 ? 0 : hc_key_height(j, c.items, c.item_count, page.width);
  hc_figure_words(c.cells.figure, y_words);
  hc_axis_words(c.cells.column_axis ? c.cells.column_axis : "", x_words);
  page.height -= key;
  double *points = hc_arena_alloc(&j->arena, c.cells.column_count * sizeof *points);
  if (!points) return HC_ENOMEM;
  for (size_t k = 0; k < c.cells.column_count; k++) points[k] = c.x[c.order[k]];
  const hc_frame_spec spec = {.page = page,
                              .x_words = x_words[0] || j->request->x_title ? x_words : NULL,
                              .y_words = y_words,
                              .y_unit = c.cells.unit,
                              .x_names = c.cells.columns,
                              .x_name_count = c.cells.column_count,
                              .x_points = c.frame.x.kind == HC_SCALE_STANDING ? NULL : points,
                              .x_point_count = c.cells.column_count,
                              .right = behind};
  TRY(hc_frame_lay(&c.frame, j, &spec));
  hc_frame_draw(&c.frame, &spec);
  TRY(draw_curves(&c));
  if (behind > 0) hc_labels_draw(&c.frame, c.items, c.item_count, behind);
  else hc_key_draw(j, c.items, c.item_count, page.x, page.y + page.height, page.width, HC_KEY_LINE);
  return 0;
}

const hc_plot_type hc_plot_curve = {
    .component =
        {HC_COMPONENT_HEAD(hc_plot_type, HC_KIND_PLOT), .name = "curve",
         .summary = "a figure of a study over an axis, with bands for its intervals",
         .detail =
             "A line for each level of the axis `by`, over the levels of the axis `x`; the band is the "
             "confidence interval of the mean over the samples. Axes that are neither drawn nor fixed by "
             "`where` are averaged over, as in `hindcast study table`, whose table as CSV can be drawn too.",
         .params = params, .options_size = sizeof(options)},
    .draw = draw,
};
