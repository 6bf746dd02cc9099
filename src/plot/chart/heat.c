/* heat.c -- a table of two things as a field of cells, darker where there is more.
 *
 * Of a result: tasks by two traits (weekday and hour of submission), and of each cell the mean of an
 * expression, its sum, or how many tasks it has. Of a study: a figure over two of its axes. The scale is one
 * hue in equal steps of lightness; a cell without a value is empty.
 *
 * A scheduler that leaves work unscheduled is not as busy as it would have to be, so a surface of busyness or
 * of waits says too little where it does: these cells are crossed, as the Omega paper marks them in its
 * figures (Schwarzkopf et al., EuroSys 2013, figures 5 and 10). */
#include <stdio.h>
#include <string.h>

#include "base/sort.h"
#include "base/util.h"
#include "plot/cells.h"
#include "plot/frame.h"

enum { MEAN, SUM, COUNT, MEDIAN };
enum { MOST = 400 }; /* cells in a row or a column */

typedef struct options {
  hc_cells_asked asked;
  const char *x, *y, *of, *marks;
  int take;
  bool log, values;
} options;

static const hc_param params[] = {
    HC_PARAM(TEXT, options, x, NULL,
             "The horizontal axis: a trait of tasks (hour, weekday, day, month, user, queue, size ...), or "
             "an axis of the study. Default: hour, or the first axis whose levels are numbers."),
    HC_PARAM(TEXT, options, y, NULL, "The vertical axis. Default: weekday, or the next axis of the study."),
    HC_PARAM(TEXT, options, of, "wait", "Of a result: the expression of each task. Times are seconds."),
    HC_PARAM(CHOICE, options, take, "mean|sum|count|median", "mean",
             "Of a result: what a cell shows of the values of its tasks. mean: their mean. sum: their sum. "
             "count: the number of tasks. median: their median."),
    HC_PARAM_AS(TEXT, "figure", options, asked.figure, NULL,
                "Of a study: name of the figure. Default: the first."),
    HC_PARAM_AS(TEXTS, "where", options, asked.where, NULL,
                "Of a study: only points for which all of these conditions hold. Default: all points."),
    HC_PARAM_AS(TEXTS, "over", options, asked.over, NULL,
                "Of a study: the axes whose levels are the samples. Default: replication."),
    HC_PARAM(TEXT, options, marks, "auto",
             "Of a study: name of a figure; cells in which its mean is above 0 are crossed. auto: "
             "tasks_unscheduled_share_* and jobs_given_up_* of the same scheduler as the figure, if the "
             "study kept them. none: no cell is crossed."),
    HC_PARAM(BOOL, options, log, "false", "Whether the scale of colours is logarithmic."),
    HC_PARAM(BOOL, options, values, "false",
             "Whether the value is written into each cell that has room for it."),
    {.name = NULL}};

typedef struct heat {
  hc_plot_job *job;
  const options *o;
  hc_plot_cells cells; /* rows from the top */
  char words[120], x_words[80], y_words[80];
  double low, high;
  hc_plot_cells marks; /* cells NULL: there are none */
} heat;

/* ---- tasks in cells ---- */

static const char *name_of(heat *h, hc_trait trait, const hc_group_value *v)
{
  static const char *const days[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
  static const hc_called kinds[HC_TRAIT_COUNT] = {
      [HC_TRAIT_USER] = HC_CALLED_USER,          [HC_TRAIT_GROUP] = HC_CALLED_GROUP,
      [HC_TRAIT_ACCOUNT] = HC_CALLED_ACCOUNT,    [HC_TRAIT_EXECUTABLE] = HC_CALLED_EXECUTABLE,
      [HC_TRAIT_QUEUE] = HC_CALLED_QUEUE,        [HC_TRAIT_QOS] = HC_CALLED_QOS,
      [HC_TRAIT_PARTITION] = HC_CALLED_PARTITION};
  hc_arena *a = &h->job->arena;
  if (!v->is_known) return "unknown";
  if (v->is_class && !(v->to < 1e300)) return hc_arena_printf(a, "over %g", v->value);
  if (v->is_class) return hc_arena_printf(a, "%g", v->to);
  switch (trait) {
    case HC_TRAIT_WEEKDAY: return days[v->number % 7];
    case HC_TRAIT_HOUR: return hc_arena_printf(a, "%lld", (long long)v->number);
    case HC_TRAIT_EXPRESSION: return hc_arena_printf(a, "%.4g", v->value);
    case HC_TRAIT_DAY: {
      const hc_calendar d = hc_calendar_of(v->number * 86400, 0);
      return hc_arena_printf(a, "%04lld-%02d-%02d", (long long)d.year, d.month, d.day);
    }
    case HC_TRAIT_MONTH:
      return hc_arena_printf(a, "%04lld-%02d", (long long)(1970 + v->number / 12), (int)(v->number % 12) + 1);
    default: break;
  }
  const bool has_names = trait == HC_TRAIT_USER || kinds[trait] != 0;
  const hc_called kind =
      v->is_other ? trait == HC_TRAIT_QOS ? HC_CALLED_QUEUE : HC_CALLED_GROUP : kinds[trait];
  const char *name = has_names ? hc_result_name(h->job->results[0].result, kind, v->number) : NULL;
  return name ? name : hc_arena_printf(a, "%lld", (long long)v->number);
}

typedef struct side {
  hc_grouping *grouping;
  uint32_t *of;    /* [records] group of each */
  uint32_t *place; /* [groups] in order */
  size_t count;
  const char **names;
} side;

/* All hours and weekdays have a place, whether a task came then or not. */
static hc_rc fill(heat *h, const char *by, side *s, hc_error *e)
{
  const hc_plot_result *r = &h->job->results[0];
  hc_arena *a = &h->job->arena;
  TRY(hc_job_grouping(h->job, r, by, MOST, &s->grouping, e));
  s->of = hc_arena_alloc(a, (r->count + 1) * sizeof *s->of);
  if (!s->of) return HC_ENOMEM;
  TRY(hc_grouping_of(s->grouping, r->records, r->count, s->of));
  const uint32_t n = hc_grouping_count(s->grouping);
  const hc_trait trait = hc_grouping_trait(s->grouping, 0);
  const size_t whole = trait == HC_TRAIT_HOUR ? 24 : trait == HC_TRAIT_WEEKDAY ? 7 : 0;
  uint32_t *order = hc_arena_alloc(a, (n + 1) * sizeof *order);
  s->place = hc_arena_alloc(a, (n + 1) * sizeof *s->place);
  s->names = hc_arena_alloc(a, (n + whole + 1) * sizeof *s->names);
  if (!order || !s->place || !s->names) return HC_ENOMEM;
  bool at_least;
  if (hc_grouping_rest(s->grouping, &at_least) > 0)
    return hc_fail(
        e, HC_EUSAGE, "plot heat", 0, 0,
        "\"%.60s\" has more than %d values, which no picture has room for; choose a coarser one, such as "
        "month or size",
        by, MOST);
  TRY(hc_grouping_order(s->grouping, order));
  for (size_t i = 0; i < whole; i++)
    s->names[i] = name_of(h, trait, &(hc_group_value){.is_known = true, .number = (int64_t)i});
  s->count = whole;
  for (uint32_t i = 0; i < n; i++) {
    const hc_group_value v = hc_grouping_value(s->grouping, order[i], 0);
    if (whole > 0 && v.is_known) {
      s->place[order[i]] = (uint32_t)v.number;
      continue;
    }
    s->place[order[i]] = (uint32_t)s->count;
    s->names[s->count++] = name_of(h, trait, &v);
  }
  return 0;
}

typedef struct valued {
  size_t cell;
  double value;
} valued;

HC_SORT(sort_valued, valued, a->cell != b->cell ? a->cell < b->cell : a->value < b->value)

static double taken(const options *o, const valued *v, size_t n)
{
  double sum = 0;
  if (o->take == COUNT) return (double)n;
  if (o->take == MEDIAN) return n % 2 ? v[n / 2].value : (v[n / 2 - 1].value + v[n / 2].value) / 2;
  for (size_t i = 0; i < n; i++) sum += v[i].value;
  return o->take == SUM ? sum : sum / (double)n;
}

static hc_rc add_up(heat *h, const side *x, const side *y, hc_error *e)
{
  hc_arena *a = &h->job->arena;
  double *values;
  size_t *of, n;
  TRY(hc_job_values(h->job, &h->job->results[0], h->o->of, &values, &of, &n, e));
  valued *v = hc_arena_alloc(a, (n + 1) * sizeof *v);
  hc_plot_cell *cells = hc_arena_alloc(a, x->count * y->count * sizeof *cells);
  if (!v || !cells) return HC_ENOMEM;
  for (size_t i = 0; i < n; i++)
    v[i] = (valued){y->place[y->of[of[i]]] * x->count + x->place[x->of[of[i]]], values[i]};
  sort_valued(v, n);
  for (size_t i = 0; i < x->count * y->count; i++)
    cells[i].mean = h->o->take == COUNT ? 0 : __builtin_nan("");
  for (size_t i = 0, to; i < n; i = to) {
    for (to = i; to < n && v[to].cell == v[i].cell;) to++;
    cells[v[i].cell].mean = taken(h->o, v + i, to - i);
  }
  h->cells = (hc_plot_cells){
      .rows = y->names, .columns = x->names, .row_count = y->count, .column_count = x->count, .cells = cells};
  return 0;
}

static hc_rc read_result(heat *h, hc_error *e)
{
  static const char *const words[] = {"mean", "sum of", "tasks", "median"};
  const char *across = h->o->x ? h->o->x : "hour", *upward = h->o->y ? h->o->y : "weekday";
  hc_plot_job *j = h->job;
  side x = {.count = 0}, y = {.count = 0};
  TRY(hc_cells_refuse(j, &h->o->asked, NULL, "a result, of which `of` says what is drawn", e));
  if (j->request->file_count > 1)
    return hc_fail(e, HC_EUSAGE, j->request->files[1], 0, 0, "a heat map is of one result; name one file");
  TRY(hc_job_results(j, e));
  TRY(hc_job_records(j, e));
  hc_rc rc = fill(h, across, &x, e);
  if (rc >= 0) rc = fill(h, upward, &y, e);
  if (rc >= 0) rc = add_up(h, &x, &y, e);
  hc_grouping_free(x.grouping);
  hc_grouping_free(y.grouping);
  TRY(rc);
  h->cells.unit = h->o->take == COUNT ? "1" : hc_expression_unit(h->o->of);
  h->cells.figure = h->o->of;
  if (h->o->take == COUNT) (void)snprintf(h->words, sizeof h->words, "tasks");
  else (void)snprintf(h->words, sizeof h->words, "%s %.80s", words[h->o->take], h->o->of);
  hc_axis_words(across, h->x_words);
  hc_axis_words(upward, h->y_words);
  return 0;
}

/* The figure that says how much work stayed behind, of the scheduler whose figure is shown: the same end
 * behind another beginning. */
static const char *unscheduled_of(const heat *h)
{
  static const char *const stems[] = {"tasks_unscheduled_share", "jobs_given_up", "tasks_given_up"};
  const hc_study_data *d = h->job->study;
  const char *shown = h->cells.figure;
  for (size_t s = 0; d && s < HC_ARRAY_LEN(stems); s++)
    for (uint32_t i = 0; i < d->figure_count; i++) {
      const char *name = d->figures[i].name;
      const size_t n = strlen(stems[s]), end = strncmp(name, stems[s], n) == 0 ? strlen(name + n) : SIZE_MAX;
      if (end == 0 || (end < strlen(shown) && strcmp(shown + strlen(shown) - end, name + n) == 0))
        return name;
    }
  return NULL;
}

static hc_rc read_marks(heat *h, const hc_cells_asked *shown, hc_error *e)
{
  const char *figure = h->o->marks;
  hc_cells_asked asked = *shown;
  if (strcmp(figure, "none") == 0) return 0;
  if (strcmp(figure, "auto") == 0) figure = unscheduled_of(h);
  if (!figure) return 0;
  if (!h->job->study)
    return hc_fail(e, HC_EUSAGE, h->job->request->files[0], 0, 0,
                   "`marks` asks a study, and this is a table; leave it out");
  asked.figure = figure;
  asked.by = h->cells.row_axis;
  return hc_cells_read(h->job, &asked, h->cells.column_axis ? h->cells.column_axis : "", true, &h->marks, e);
}

static hc_rc read_study(heat *h, hc_error *e)
{
  hc_cells_asked asked = h->o->asked;
  asked.by = h->o->y;
  asked.level = 0.95;
  TRY(hc_cells_read(h->job, &asked, h->o->x, true, &h->cells, e));
  TRY(read_marks(h, &asked, e));
  hc_figure_words(h->cells.figure, h->words);
  hc_axis_words(h->cells.column_axis ? h->cells.column_axis : "", h->x_words);
  hc_axis_words(h->cells.row_axis ? h->cells.row_axis : "", h->y_words);
  return 0;
}

/* ---- drawing ---- */

static hc_rc find_ends(heat *h, hc_error *e)
{
  h->low = 1e300;
  h->high = -1e300;
  for (size_t i = 0; i < h->cells.row_count * h->cells.column_count; i++) {
    const double x = h->cells.cells[i].mean;
    if (!hc_is_drawn(x) || (h->o->log && x <= 0)) continue;
    h->low = HC_MIN(h->low, x);
    h->high = HC_MAX(h->high, x);
  }
  if (h->high < h->low)
    return hc_fail(e, HC_EUSAGE, "plot heat", 0, 0, "there is nothing to draw: no cell has a value%s",
                   h->o->log ? " above 0, which a logarithmic scale needs" : "");
  if (!h->o->log && h->low > 0 && h->low < h->high / 2) h->low = 0;
  return 0;
}

static hc_ink ink_of(const hc_scale *scale, double value)
{
  const double share = (hc_scale_at(scale, value) - scale->from) / (scale->to - scale->from);
  const int step = (int)(share * HC_RAMP);
  return (hc_ink)((int)HC_INK_RAMP + HC_MIN(HC_MAX(step, 0), HC_RAMP - 1));
}

static void draw_scale(const heat *h, hc_scale *scale, double x, double y, double width)
{
  hc_plot_job *j = h->job;
  const double size = j->font * 0.9, height = j->font * 0.8, step = width / HC_RAMP;
  char text[120];
  for (int i = 0; i < HC_RAMP; i++)
    j->surface->rect(j->surface, &(hc_box){x + step * i, y, step + (i + 1 < HC_RAMP ? 0.3 : 0), height},
                     &(hc_style){.fill = 1, .area = (hc_ink)((int)HC_INK_RAMP + i)});
  for (size_t i = 0; i < scale->count; i++) {
    const hc_tick *t = &scale->ticks[i];
    const double at = hc_scale_at(scale, t->at), half = hc_text_width(t->label, size, false) / 2;
    hc_draw_line(j->surface, at, y + height, at, y + height + size * 0.25, 0.6, HC_INK_SOFT);
    (void)hc_draw_text(j->surface, HC_MIN(HC_MAX(at, half), j->width - half), y + height + size * 1.2,
                       t->label,
                       &(hc_text_style){.size = size, .ink = HC_INK_SOFT, .anchor = HC_ANCHOR_MIDDLE});
  }
  hc_title_words(h->words, scale->unit, text);
  (void)hc_draw_text(j->surface, x, y - j->font * 0.5, j->request->y_title ? j->request->y_title : text,
                     &(hc_text_style){.size = j->font, .ink = HC_INK_TEXT, .most = j->width - x});
}

static bool is_marked(const heat *h, size_t row, size_t column)
{
  return h->marks.cells && h->marks.cells[row * h->cells.column_count + column].mean > 0;
}

static bool has_marks(const heat *h)
{
  for (size_t r = 0; r < h->cells.row_count; r++)
    for (size_t k = 0; k < h->cells.column_count; k++)
      if (is_marked(h, r, k)) return true;
  return false;
}

/* Two lines, light below dark, so that they are seen on every step of the scale: in the middle of the cell,
 * or at its right where its value is written. */
static void draw_cross(const heat *h, const hc_box *b)
{
  static const hc_ink inks[] = {HC_INK_GROUND, HC_INK_TEXT};
  hc_surface *s = h->job->surface;
  const double size = HC_MIN(HC_MIN(b->width, b->height) * 0.6, h->job->font) / 2;
  const double x = h->o->values ? b->x + b->width - 1.6 * size : b->x + b->width / 2,
               y = b->y + b->height / 2;
  for (int i = 0; i < 2; i++) {
    hc_draw_line(s, x - size, y - size, x + size, y + size, i == 0 ? 2.4 : 0.9, inks[i]);
    hc_draw_line(s, x - size, y + size, x + size, y - size, i == 0 ? 2.4 : 0.9, inks[i]);
  }
}

static void draw_mark_key(const heat *h, double x, double y)
{
  const double size = h->job->font * 0.9;
  char words[80], text[200];
  const hc_box b = {x, y - size * 0.8, size, size * 0.9};
  draw_cross(h, &b);
  hc_figure_words(h->marks.figure, words);
  (void)snprintf(text, sizeof text, "%.80s above 0", words);
  (void)hc_draw_text(
      h->job->surface, x + size * 1.5, y, text,
      &(hc_text_style){.size = size, .ink = HC_INK_SOFT, .most = h->job->width - x - size * 1.5});
}

static void draw_cells(const heat *h, const hc_scale *scale, const hc_box *f)
{
  hc_plot_job *j = h->job;
  const double width = f->width / (double)h->cells.column_count,
               height = f->height / (double)h->cells.row_count;
  const double gap = HC_MIN(width, height) > 4 ? 0.6 : 0, size = HC_MIN(j->font * 0.8, height * 0.6);
  for (size_t r = 0; r < h->cells.row_count; r++)
    for (size_t k = 0; k < h->cells.column_count; k++) {
      const double value = h->cells.cells[r * h->cells.column_count + k].mean;
      const hc_box b = {f->x + width * (double)k, f->y + height * (double)r, width - gap, height - gap};
      char label[40], tip[256];
      if (!hc_is_drawn(value) || (h->o->log && value <= 0)) continue;
      const hc_ink ink = ink_of(scale, value);
      hc_scale_label(value >= 100 ? (double)(int64_t)(value + 0.5) : value, label);
      (void)snprintf(tip, sizeof tip,
                     "%.80s, %.80s: %.30s "
                     "%.10s%s",
                     h->cells.rows[r], h->cells.columns[k], label,
                     strcmp(h->cells.unit, "1") == 0 ? "" : h->cells.unit,
                     is_marked(h, r, k) ? "; work stayed behind" : "");
      j->surface->tip(j->surface, tip);
      j->surface->rect(j->surface, &b, &(hc_style){.fill = 1, .area = ink});
      j->surface->tip(j->surface, NULL);
      hc_scale_value(scale, value, label);
      /* dark ground turns the scale around, and text on it with it */
      if (h->o->values && hc_text_width(label, size, false) < width * 0.95)
        (void)hc_draw_text(j->surface, b.x + b.width / 2, b.y + b.height / 2 + size * 0.35, label,
                           &(hc_text_style){.size = size,
                                            .ink = hc_ink_is_deep(ink, false) ? HC_INK_GROUND : HC_INK_TEXT,
                                            .anchor = HC_ANCHOR_MIDDLE});
      if (is_marked(h, r, k)) draw_cross(h, &b);
    }
}

static void draw_names(const heat *h, const hc_box *f, double names)
{
  hc_plot_job *j = h->job;
  const double size = j->font * 0.9, height = f->height / (double)h->cells.row_count;
  const size_t every = (size_t)HC_MAX(size * 1.1 / height + 0.999, 1.0);
  hc_scale across = {.kind = HC_SCALE_STANDING, .from = f->x, .to = f->x + f->width};
  for (size_t r = 0; r < h->cells.row_count; r += every)
    (void)hc_draw_text(
        j->surface, f->x - j->font * 0.5, f->y + height * ((double)r + 0.5) + size * 0.33, h->cells.rows[r],
        &(hc_text_style){.size = size, .ink = HC_INK_SOFT, .anchor = HC_ANCHOR_END, .most = names});
  hc_scale_mark_names(&across, h->cells.columns, h->cells.column_count, &(hc_room){f->width, size, true});
  for (size_t i = 0; i < across.count; i++)
    (void)hc_draw_text(j->surface, hc_scale_at(&across, across.ticks[i].at), f->y + f->height + size * 1.15,
                       across.ticks[i].label,
                       &(hc_text_style){.size = size, .ink = HC_INK_SOFT, .anchor = HC_ANCHOR_MIDDLE});
  char text[120];
  hc_title_words(h->x_words, NULL, text);
  (void)hc_draw_text(
      j->surface, f->x + f->width / 2, f->y + f->height + j->font * 2.3,
      j->request->x_title ? j->request->x_title : text,
      &(hc_text_style){.size = j->font, .ink = HC_INK_TEXT, .anchor = HC_ANCHOR_MIDDLE, .most = f->width});
}

static hc_rc draw(hc_plot_job *j, const void *opts, hc_error *e)
{
  heat h = {.job = j, .o = opts};
  hc_input_kind kind;
  double names = 0;
  char title[300];
  TRY(hc_input_kind_of(j->allocator, j->request->files[0], &kind, e));
  TRY(kind == HC_INPUT_RESULT ? read_result(&h, e) : read_study(&h, e));
  TRY(find_ends(&h, e));
  for (size_t i = 0; i < h.cells.row_count; i++)
    names = HC_MAX(names, hc_text_width(h.cells.rows[i], j->font * 0.9, false) * 1.05);
  names = HC_MIN(names, j->width * 0.3);
  const double rows = HC_MIN((double)h.cells.row_count * HC_MAX(j->font * 1.5, 4.0), j->width * 1.1);
  const double key = has_marks(&h) ? j->font * 1.5 : 0;
  TRY(hc_job_open(j, HC_MAX(rows, j->font * 6) + j->font * 7.4 + key, e));
  (void)snprintf(title, sizeof title, "%s by %s and %s", h.words, h.y_words, h.x_words);
  if (title[0] >= 'a' && title[0] <= 'z') title[0] = (char)(title[0] - 'a' + 'A');
  TRY(hc_job_say(j, title, "A field of cells, darker where there is more; a cell without a value is empty."));
  const hc_box page = hc_page_begin(j);
  const hc_box field = {page.x + names + j->font * 0.5, page.y + j->font * 3.9,
                        page.width - names - j->font * 0.5, page.height - j->font * 6.6 - key};
  hc_scale scale = {.kind = h.o->log ? HC_SCALE_LOG : HC_SCALE_LINEAR, .low = h.low, .high = h.high};
  scale.from = field.x;
  scale.to = field.x + HC_MIN(field.width, j->font * 22);
  hc_scale_mark(&scale, h.cells.unit, &(hc_room){scale.to - scale.from, j->font * 0.9, true}, false);
  draw_scale(&h, &scale, scale.from, page.y + j->font * 1.4, scale.to - scale.from);
  draw_cells(&h, &scale, &field);
  draw_names(&h, &field, names);
  if (key > 0) draw_mark_key(&h, field.x, page.y + page.height - j->font * 0.3);
  return 0;
}

const hc_plot_type hc_plot_heat = {
    .component = {HC_COMPONENT_HEAD(hc_plot_type, HC_KIND_PLOT), .name = "heat",
                  .summary =
                      "a mean over two traits of tasks, or over two axes of a study, as a field of cells",
                  .detail =
                      "Of one result: the tasks that started and ended are grouped by two traits, by default "
                      "weekday and hour of submission, and each cell shows the mean of `of`. Of a study: the "
                      "mean of a figure over two axes, with a cross where work stayed unscheduled. Darker "
                      "cells have larger values; on a dark background lighter ones.",
                  .params = params, .options_size = sizeof(options)},
    .draw = draw,
};
