/* ecdf.c -- the distribution of a value of tasks: the share of tasks whose value is at most x, a line for
 * each result, or for each group of the tasks of one.
 *
 * Exact: every task is a step, but steps that are nearer to each other than a quarter of a point are one.
 * On a logarithmic axis values of 0 have no place; the line begins at their share. */
#include <stdio.h>
#include <string.h>

#include "base/sort.h"
#include "base/util.h"
#include "plot/frame.h"

enum { LOG_AUTO, LOG_NONE, LOG_X };

typedef struct options {
  const char *of;
  int log;
  bool above;
} options;

static const hc_param params[] = {
    HC_PARAM(
        TEXT, options, of, "wait",
        "The value of a task: an expression over submit, start, end, wait, run, response, slowdown, "
        "bounded_slowdown, limit, estimate, procs and the other names of `show --by`. Times are seconds."),
    HC_PARAM(CHOICE, options, log, "auto|none|x", "auto",
             "Whether the axis of values is logarithmic. auto: if the middle 90 % of the values above 0 span "
             "more than a factor of 100. none: never. x: always."),
    HC_PARAM(BOOL, options, above, "false",
             "Whether the share of tasks with a value above x is drawn, which shows the largest values."),
    {.name = NULL}};

HC_SORT(sort_values, double, *a < *b)

typedef struct line {
  const char *name;
  double *values; /* [count] ascending */
  size_t count;
  uint32_t look;
} line;

typedef struct ecdf {
  hc_plot_job *job;
  const options *o;
  line *lines; /* [count] */
  size_t count;
  hc_key_item *items;
  hc_frame frame;
} ecdf;

static hc_rc read(ecdf *x, hc_error *e)
{
  hc_plot_job *j = x->job;
  TRY(hc_job_results(j, e));
  TRY(hc_job_records(j, e));
  x->count = j->result_count;
  x->lines = hc_arena_alloc(&j->arena, x->count * sizeof *x->lines);
  x->items = hc_arena_alloc(&j->arena, x->count * sizeof *x->items);
  if (!x->lines || !x->items) return HC_ENOMEM;
  for (size_t i = 0; i < x->count; i++) {
    line *l = &x->lines[i];
    l->name = j->results[i].name;
    TRY(hc_job_values(j, &j->results[i], x->o->of, &l->values, NULL, &l->count, e));
    TRY(hc_job_colour(j, j->results[i].full, &l->look, e));
    sort_values(l->values, l->count);
    x->items[i] = (hc_key_item){.name = l->name, .look = l->look};
    if (l->count == 0)
      return hc_fail(e, HC_EUSAGE, hc_result_path(j->results[i].result), 0, 0,
                     "there is nothing to draw: %.80s is not known of any of its tasks", x->o->of);
  }
  return 0;
}

/* How many are below, or not above. */
static size_t rank(const line *l, double x, bool with_equal)
{
  size_t low = 0, high = l->count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (l->values[middle] < x || (with_equal && l->values[middle] <= x)) low = middle + 1;
    else high = middle;
  }
  return low;
}

static hc_rc find_ends(ecdf *x, hc_error *e)
{
  double low = 1e300, high = -1e300, least = 1e300, body_low = 1e300, body_high = 0;
  for (size_t i = 0; i < x->count; i++) {
    const line *l = &x->lines[i];
    const size_t first = rank(l, 0, true), n = l->count - first;
    low = HC_MIN(low, l->values[0]);
    high = HC_MAX(high, l->values[l->count - 1]);
    if (n == 0) continue;
    least = HC_MIN(least, l->values[first]);
    body_low = HC_MIN(body_low, l->values[first + n / 20]);
    body_high = HC_MAX(body_high, l->values[l->count - 1 - n / 20]);
  }
  const bool is_log = x->o->log == LOG_X || (x->o->log == LOG_AUTO && low >= 0 && body_high > 100 * body_low);
  if (is_log && low < 0)
    return hc_fail(e, HC_EUSAGE, "plot ecdf", 0, 0,
                   "log: %.80s is below 0 for some tasks, which a logarithm has not; say log=none", x->o->of);
  if (is_log && !(high > 0))
    return hc_fail(e, HC_EUSAGE, "plot ecdf", 0, 0, "log: %.80s is 0 for every task; say log=none", x->o->of);
  x->frame.x.kind = is_log ? HC_SCALE_LOG : HC_SCALE_LINEAR;
  /* one value far below all others would take the axis */
  x->frame.x.low = is_log ? HC_MAX(least, body_low / 100) : low > 0 && low < high / 3 ? 0 : low;
  x->frame.x.high = high > x->frame.x.low ? high : is_log ? x->frame.x.low * 10 : x->frame.x.low + 1;
  x->frame.y = (hc_scale){.kind = HC_SCALE_LINEAR, .low = 0, .high = 1};
  return 0;
}

/* Steps: across at the share so far, then up. Those within a quarter of a point are one. */
static hc_rc draw_line(ecdf *x, size_t which)
{
  const line *l = &x->lines[which];
  const hc_scale *across = &x->frame.x;
  const size_t room = 8 * (size_t)(x->frame.field.width + 2) + 8;
  hc_point *p = hc_arena_alloc(&x->job->arena, room * sizeof *p);
  size_t n = 0;
  if (!p) return HC_ENOMEM;
  double at = across->from, share = (double)rank(l, across->low, true) / (double)l->count;
  for (size_t i = rank(l, across->low, true);; i++) {
    const double y = hc_scale_at(&x->frame.y, x->o->above ? 1 - share : share);
    const double to = i < l->count ? HC_MIN(hc_scale_at(across, l->values[i]), across->to) : across->to;
    if (i < l->count && to - at < 0.25 && n > 0) { /* onto the step at hand */
      share = (double)(i + 1) / (double)l->count;
      p[n - 1].y = hc_scale_at(&x->frame.y, x->o->above ? 1 - share : share);
      continue;
    }
    if (n + 3 > room) break;
    p[n++] = (hc_point){at, y};
    p[n++] = (hc_point){to, y};
    if (i >= l->count) break;
    share = (double)(i + 1) / (double)l->count;
    p[n++] = (hc_point){to, hc_scale_at(&x->frame.y, x->o->above ? 1 - share : share)};
    at = to;
  }
  const hc_style style = hc_look_line(l->look, 1.3);
  hc_surface *s = x->job->surface;
  s->tip(s, l->name);
  s->path(s, p, n, false, &style);
  s->tip(s, NULL);
  /* Markers at tenths, apart from line to line. */
  for (int k = 1; k < 5; k++) {
    const double want = (k * 0.2) + 0.04 * (double)(which % 5) - 0.08;
    const double value = l->values[HC_MIN((size_t)(want * (double)l->count), l->count - 1)];
    if (value <= across->low || value > across->high) continue;
    const double of = (double)rank(l, value, true) / (double)l->count;
    hc_draw_marker(s, hc_scale_at(across, value), hc_scale_at(&x->frame.y, x->o->above ? 1 - of : of),
                   hc_marker_of(l->look), x->job->font * 0.5, style.line);
  }
  return 0;
}

static hc_rc draw(hc_plot_job *j, const void *opts, hc_error *e)
{
  ecdf x = {.job = j, .o = opts};
  char words[80], title[160];
  TRY(read(&x, e));
  TRY(find_ends(&x, e));
  const double key = hc_key_height(j, x.items, x.count, j->width * 0.96);
  TRY(hc_job_open(j, j->width * 0.6 + key, e));
  hc_axis_words(x.o->of, words);
  (void)snprintf(title, sizeof title, "Distribution of %s over tasks", words);
  TRY(hc_job_say(j, title, "The share of tasks whose value is at most x, a line for each result."));
  hc_box page = hc_page_begin(j);
  page.height -= key;
  const hc_frame_spec spec = {.page = page,
                              .x_words = words,
                              .y_words = x.o->above ? "share of tasks above" : "share of tasks",
                              .x_unit = hc_expression_unit(x.o->of)};
  TRY(hc_frame_lay(&x.frame, j, &spec));
  hc_frame_draw(&x.frame, &spec);
  for (size_t i = 0; i < x.count; i++) TRY(draw_line(&x, i));
  hc_key_draw(j, x.items, x.count, page.x, page.y + page.height, page.width, HC_KEY_LINE);
  return 0;
}

const hc_plot_type hc_plot_ecdf = {
    .component = {HC_COMPONENT_HEAD(hc_plot_type, HC_KIND_PLOT), .name = "ecdf",
                  .summary = "the distribution of a value of tasks: wait, slowdown, any expression",
                  .detail = "A line for each result: of the tasks that started and ended, the exact share "
                            "whose value is at most x. On a logarithmic axis a line begins at the share of "
                            "the values below the axis, zeros among them.",
                  .params = params, .options_size = sizeof(options)},
    .draw = draw,
};
