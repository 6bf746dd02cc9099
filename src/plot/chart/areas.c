/* areas.c -- what a metric of results kept over time, as areas on one another: lost capacity by cause, unless
 * another table is named. A panel for each result, over one axis of time.
 *
 * A row of such a table holds from its key to its figure `until`. What is drawn is the mean over equal pieces
 * of time, each a point of the page, so an area is as large as the integral that it stands for. Figures that
 * are 0 all the time are left out; colours go by the order of the figures in the table, so that pictures of
 * one metric agree. Tables of other units than one have nothing to be stacked, and are refused. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "base/util.h"
#include "plot/cells.h"
#include "plot/frame.h"

enum { COLUMNS = 64, NAME = 64 };

typedef struct options {
  const char *table;
  hc_list show;
  hc_time from, to;
  bool weekends;
} options;

static const hc_param params[] = {
    HC_PARAM(TEXT, options, table, "lost_capacity",
             "A table that a metric kept over time, whose rows have a column `until`."),
    HC_PARAM(TEXTS, options, show, NULL,
             "The figures of the table that are drawn. Default: all, in their order."),
    HC_PARAM(TIME, options, from, "s", NULL, 0, 0,
             "Begin of the time axis, from the run's origin. Default: the first row."),
    HC_PARAM(TIME, options, to, "s", NULL, 0, 0,
             "End of the time axis, from the run's origin. Default: the end of the last row."),
    HC_PARAM(BOOL, options, weekends, "true",
             "Whether Saturdays and Sundays are shaded, on axes of up to half a year."),
    {.name = NULL}};

typedef struct value {
  int64_t key; /* s */
  uint32_t column, place;
  double value;
} value;

HC_SORT(sort_values, value, a->key != b->key ? a->key < b->key : a->place < b->place)

/* One result's rows. */
typedef struct kept {
  value *values; /* [count] */
  size_t count, cap;
} kept;

typedef struct areas {
  hc_plot_job *job;
  const options *o;
  const char *columns[COLUMNS]; /* [column_count] of all results, as first seen */
  char unit[32];
  size_t column_count;
  kept *kept; /* [results] */
  double from, to, high;
  size_t pieces;
  double *means;              /* [results][columns][pieces] */
  hc_key_item items[COLUMNS]; /* [item_count] that are drawn */
  uint32_t item_of[COLUMNS];  /* their columns */
  size_t item_count;
} areas;

enum { UNTIL = COLUMNS };

static double *means_of(const areas *s, size_t result, size_t column)
{
  return s->means + (result * s->column_count + column) * s->pieces;
}

/* ---- reading ---- */

typedef struct reading {
  areas *s;
  kept *to;
  hc_error *error;
} reading;

static bool is_asked(const areas *s, const char *name)
{
  const hc_list *show = &s->o->show;
  for (size_t i = 0; i < show->count; i++)
    if (strcmp(hc_texts_of(show)[i], name) == 0) return true;
  return show->count == 0;
}

static hc_rc column_of(areas *s, const char *name, const char *unit, uint32_t *out, hc_error *e)
{
  for (*out = 0; *out < s->column_count; ++*out)
    if (strcmp(s->columns[*out], name) == 0) return 0;
  if (s->column_count == 0) (void)snprintf(s->unit, sizeof s->unit, "%s", unit ? unit : "1");
  if (strcmp(s->unit, unit ? unit : "1") != 0)
    return hc_fail(e, HC_EUSAGE, "plot areas", 0, 0,
                   "%.80s has figures in %s and in %s (%.60s), which cannot stand on one another: name some "
                   "of one unit by `show`",
                   s->o->table, s->unit, unit ? unit : "1", name);
  if (s->column_count == COLUMNS)
    return hc_fail(e, HC_EUSAGE, "plot areas", 0, 0, "%.80s has more than %d figures: name some by `show`",
                   s->o->table, COLUMNS);
  char *copy = hc_arena_printf(&s->job->arena, "%.*s", NAME, name);
  if (!copy) return HC_ENOMEM;
  s->columns[s->column_count++] = copy;
  return 0;
}

static hc_rc hear(void *ctx, const char *const *v)
{
  const reading *x = ctx;
  value c = {.column = UNTIL, .place = (uint32_t)x->to->count};
  if (!v[0] || !v[1] || !v[2] || !v[3] || !v[5] || strcmp(v[0], "all") != 0) return 0;
  if (strcmp(v[1], x->s->o->table) != 0) return 0;
  if (hc_parse_int(v[2], strlen(v[2]), &c.key) < 0 || hc_parse_real(v[5], strlen(v[5]), &c.value) < 0)
    return 0;
  if (strcmp(v[3], "until") != 0) {
    if (!is_asked(x->s, v[3])) return 0;
    TRY(column_of(x->s, v[3], v[4], &c.column, x->error));
  }
  TRY(hc_reserve(x->s->job->allocator, (void **)&x->to->values, &x->to->cap, x->to->count + 1,
                 sizeof *x->to->values));
  x->to->values[x->to->count++] = c;
  return 0;
}

/* Where a row of values ends; NaN: it does not say. */
static double until_of(const kept *k, size_t from, size_t *next)
{
  double until = __builtin_nan("");
  for (*next = from; *next < k->count && k->values[*next].key == k->values[from].key; ++*next)
    if (k->values[*next].column == UNTIL) until = k->values[*next].value;
  return until;
}

static hc_rc check(const areas *s, size_t result, hc_error *e)
{
  const kept *k = &s->kept[result];
  size_t next;
  if (k->count == 0)
    return hc_fail(e, HC_EUSAGE, s->job->request->files[result], 0, 0,
                   "it has no table %.80s%s: run it with that metric (metrics: [%.80s])", s->o->table,
                   s->o->show.count ? " with the figures named" : "", s->o->table);
  if (until_of(k, 0, &next) == until_of(k, 0, &next)) return 0;
  return hc_fail(e, HC_EUSAGE, s->job->request->files[result], 0, 0,
                 "the rows of %.80s are not over time: they do not say `until` when they hold", s->o->table);
}

static void find_window(areas *s)
{
  s->from = 1e300;
  s->to = -1e300;
  for (size_t i = 0; i < s->job->result_count; i++)
    for (size_t k = 0, next; k < s->kept[i].count; k = next) {
      s->to = HC_MAX(s->to, until_of(&s->kept[i], k, &next));
      s->from = HC_MIN(s->from, (double)s->kept[i].values[k].key);
    }
  if (s->o->from != HC_UNKNOWN) s->from = (double)s->o->from / 1e9;
  if (s->o->to != HC_UNKNOWN) s->to = (double)s->o->to / 1e9;
}

static hc_rc add_up(areas *s)
{
  hc_arena *a = &s->job->arena;
  const size_t results = s->job->result_count;
  s->pieces = (size_t)(s->job->width * 0.8);
  s->means = hc_arena_alloc(a, (results * s->column_count * s->pieces + 1) * sizeof *s->means);
  hc_means *sums = hc_arena_alloc(a, s->column_count * sizeof *sums);
  if (!s->means || !sums) return HC_ENOMEM;
  for (size_t i = 0; i < results; i++) {
    const kept *k = &s->kept[i];
    for (size_t c = 0; c < s->column_count; c++) {
      sums[c] = (hc_means){.from = s->from, .to = s->to, .count = s->pieces, .values = means_of(s, i, c)};
      sums[c].steps = hc_arena_alloc(a, (s->pieces + 2) * sizeof *sums[c].steps);
      if (!sums[c].steps) return HC_ENOMEM;
    }
    for (size_t at = 0, next; at < k->count; at = next) {
      const double until = until_of(k, at, &next);
      for (size_t v = at; v < next; v++)
        if (k->values[v].column != UNTIL && hc_is_drawn(k->values[v].value))
          hc_means_add(&sums[k->values[v].column], (double)k->values[v].key, until, k->values[v].value);
    }
    for (size_t c = 0; c < s->column_count; c++) hc_means_end(&sums[c]);
  }
  return 0;
}

/* What is ever drawn, and how high all of it comes. */
static hc_rc choose(areas *s, hc_error *e)
{
  for (size_t c = 0; c < s->column_count; c++) {
    bool is_drawn = false;
    uint32_t look;
    TRY(hc_job_colour(s->job, s->columns[c], &look, e));
    for (size_t i = 0; i < s->job->result_count; i++)
      for (size_t p = 0; p < s->pieces; p++) is_drawn |= means_of(s, i, c)[p] > 1e-12;
    if (!is_drawn) continue;
    s->item_of[s->item_count] = (uint32_t)c;
    s->items[s->item_count++] = (hc_key_item){.name = s->columns[c], .look = look};
  }
  for (size_t i = 0; i < s->job->result_count; i++)
    for (size_t p = 0; p < s->pieces; p++) {
      double sum = 0;
      for (size_t c = 0; c < s->column_count; c++) sum += HC_MAX(means_of(s, i, c)[p], 0.0);
      s->high = HC_MAX(s->high, sum);
    }
  if (!(s->high > 0)) s->high = 1;
  return 0;
}

static hc_rc read(areas *s, hc_error *e)
{
  hc_plot_job *j = s->job;
  TRY(hc_job_results(j, e));
  s->kept = hc_arena_alloc(&j->arena, j->result_count * sizeof *s->kept);
  if (!s->kept) return HC_ENOMEM;
  for (size_t i = 0; i < j->result_count; i++) {
    reading x = {s, &s->kept[i], e};
    TRY(hc_result_rows(j->results[i].result, "cells", 6, hear, &x, e));
    sort_values(s->kept[i].values, s->kept[i].count);
    TRY(check(s, i, e));
  }
  find_window(s);
  if (!(s->to > s->from))
    return hc_fail(e, HC_EUSAGE, "plot areas", 0, 0, "the window is empty: `to` is not after `from`");
  TRY(add_up(s));
  return choose(s, e);
}

/* ---- drawing ---- */

static void draw_panel(const areas *s, const hc_frame *f, size_t result, hc_point *p, double *below)
{
  const double length = (s->to - s->from) / (double)s->pieces;
  hc_surface *to = s->job->surface;
  memset(below, 0, s->pieces * sizeof *below);
  for (size_t i = 0; i < s->item_count; i++) {
    const double *v = means_of(s, result, s->item_of[i]);
    double sum = 0;
    char tip[160];
    size_t n = 0;
    for (size_t k = 0; k < s->pieces; k++) sum += v[k];
    if (!(sum > 0)) continue;
    for (int side = 0; side < 2; side++) /* along the top, and back along what lies below */
      for (size_t k = 0; k < s->pieces; k++) {
        const size_t at = side == 0 ? k : s->pieces - 1 - k;
        const double y = hc_scale_at(&f->y, below[at] + (side == 0 ? HC_MAX(v[at], 0.0) : 0));
        const double x1 = hc_scale_at(&f->x, s->from + length * (double)at),
                     x2 = hc_scale_at(&f->x, s->from + length * (double)(at + 1));
        p[n++] = (hc_point){side == 0 ? x1 : x2, y};
        p[n++] = (hc_point){side == 0 ? x2 : x1, y};
      }
    (void)snprintf(tip, sizeof tip, "%.60s: %.4g%s on average", s->items[i].name,
                   strcmp(s->unit, "1") == 0 ? 100 * sum / (double)s->pieces : sum / (double)s->pieces,
                   strcmp(s->unit, "1") == 0 ? " %" : "");
    to->tip(to, tip);
    to->path(to, p, n, true, &(hc_style){.fill = 0.85, .area = hc_look_ink(s->items[i].look)});
    to->tip(to, NULL);
    for (size_t k = 0; k < s->pieces; k++) below[k] += HC_MAX(v[k], 0.0);
  }
}

static hc_rc draw_panels(const areas *s, hc_box page, double key)
{
  hc_plot_job *j = s->job;
  const size_t count = j->result_count;
  const double foot = j->font * 2.2, height = (page.height - key - foot) / (double)count;
  hc_frame *frames = hc_arena_alloc(&j->arena, count * sizeof *frames);
  hc_frame_spec *specs = hc_arena_alloc(&j->arena, count * sizeof *specs);
  hc_point *p = hc_arena_alloc(&j->arena, (4 * s->pieces + 4) * sizeof *p);
  double *below = hc_arena_alloc(&j->arena, s->pieces * sizeof *below), left = 0;
  char words[120], what[120];
  if (!frames || !specs || !p || !below) return HC_ENOMEM;
  hc_calendar_words(j, s->from, s->to, words, sizeof words);
  hc_figure_words(s->o->table, what);
  for (int pass = 0; pass < 2; pass++)
    for (size_t i = 0; i < count; i++) {
      const bool is_last = i + 1 == count;
      specs[i] = (hc_frame_spec){
          .page = {page.x, page.y + height * (double)i, page.width, height + (is_last ? foot : 0)},
          .x_words = words,
          .y_words = count > 1 ? hc_arena_printf(&j->arena, "%s, %.60s", what, j->results[i].name) : what,
          .x_unit = "s",
          .y_unit = s->unit,
          .calendar = &j->results[0].calendar,
          .is_bare = !is_last,
          .has_weekends = s->o->weekends,
          .left = left};
      if (!specs[i].y_words) return HC_ENOMEM;
      frames[i].x = (hc_scale){.kind = HC_SCALE_TIME, .low = s->from, .high = s->to};
      frames[i].y = (hc_scale){.kind = HC_SCALE_LINEAR, .low = 0, .high = s->high};
      TRY(hc_frame_lay(&frames[i], j, &specs[i]));
      left = HC_MAX(left, hc_frame_left(&frames[i]));
    }
  for (size_t i = 0; i < count; i++) {
    hc_frame_draw(&frames[i], &specs[i]);
    draw_panel(s, &frames[i], i, p, below);
  }
  return 0;
}

static void drop(areas *s)
{
  for (size_t i = 0; s->kept && i < s->job->result_count; i++)
    hc_free(s->job->allocator, s->kept[i].values, s->kept[i].cap * sizeof *s->kept[i].values);
}

static hc_rc draw_all(areas *s, hc_error *e)
{
  hc_plot_job *j = s->job;
  char title[120];
  TRY(read(s, e));
  const double key = hc_key_height(j, s->items, s->item_count, j->width * 0.96);
  TRY(hc_job_open(j, (double)j->result_count * j->width * 0.3 + j->font * 3.2 + key, e));
  hc_figure_words(s->o->table, title);
  if (title[0] >= 'a' && title[0] <= 'z') title[0] = (char)(title[0] - 'a' + 'A');
  TRY(hc_job_say(j, title,
                 "Means over equal pieces of time, areas on one another, a panel for each result."));
  const hc_box page = hc_page_begin(j);
  TRY(draw_panels(s, page, key));
  hc_key_draw(j, s->items, s->item_count, page.x, page.y + page.height - key, page.width, HC_KEY_AREA);
  return 0;
}

static hc_rc draw(hc_plot_job *j, const void *opts, hc_error *e)
{
  areas s = {.job = j, .o = opts};
  const hc_rc rc = draw_all(&s, e);
  drop(&s);
  return rc;
}

const hc_plot_type hc_plot_areas = {
    .component =
        {HC_COMPONENT_HEAD(hc_plot_type, HC_KIND_PLOT), .name = "areas",
         .summary = "figures that a metric kept over time, as stacked areas: lost capacity by cause",
         .detail =
             "Of results that were run with the metric: why capacity was idle while tasks were queued, over "
             "time; or any other table whose rows have a column `until` and whose figures have one unit. A "
             "panel for each result, in the calendar of the first result's site. Values are means over equal "
             "pieces of time, so that each area is the integral that it stands for.",
         .params = params, .options_size = sizeof(options)},
    .draw = draw,
};
