/* series.c -- results over time: how much of the machine is used, how many tasks wait, how many run. A
 * panel for each under one another, a line for each result in each.
 *
 * What is drawn is a mean over equal pieces of time, exactly: the integral of the step function of starts,
 * ends and submissions over the piece, divided by its length. A piece is as long as `every` says, or a
 * point of the page, if that is more. Of a result without a row for every task (task_rows: sample, none) it
 * comes from the pieces that each run keeps (table `curves`), at most 512, of all of its tasks; how much
 * those ask for that wait is not among them. Time is the site's calendar where the result knows it, with
 * weekends shaded. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "base/util.h"
#include "plot/frame.h"

enum { USE, QUEUE, RUNNING, WIDTH_QUEUE, PANELS };

typedef struct options {
  hc_list of;
  hc_time from, to, every;
  bool weekends;
} options;

static const hc_param params[] = {
    HC_PARAM(CHOICES, options, of, "utilisation|queue|running|queued_width", "[utilisation, queue]",
             "The quantities, a panel for each. utilisation: the share of the machine that is used. queue: "
             "the number of queued tasks. running: the number of running tasks. queued_width: what queued "
             "tasks ask for / the machine."),
    HC_PARAM(TIME, options, from, "s", NULL, 0, 0,
             "Begin of the time axis, from the run's origin. Default: the first submission."),
    HC_PARAM(TIME, options, to, "s", NULL, 0, 0,
             "End of the time axis, from the run's origin. Default: the last end."),
    HC_PARAM(TIME, options, every, "s", NULL, 0, 0,
             "Length of a piece of time. Default: the time that a point of the page stands for."),
    HC_PARAM(BOOL, options, weekends, "true",
             "Whether Saturdays and Sundays are shaded, on axes of up to half a year."),
    {.name = NULL}};

static const char *const panel_words[PANELS] = {"utilisation", "queued tasks", "running tasks",
                                                "queued work, in machines"};

typedef struct series {
  hc_plot_job *job;
  const options *o;
  double from, to; /* s */
  size_t pieces;
  double *values; /* [results][panels][pieces] */
  hc_key_item *items;
  size_t panels;
  const int *panel;    /* [panels] */
  struct curves *kept; /* [results] of those without a row for every task */
} series;

/* What a run keeps of itself: means over pieces, each up to the next; the last is as long as that before. */
typedef struct piece {
  double at, use, queue, running; /* at: s */
} piece;
typedef struct curves {
  const hc_allocator *allocator;
  piece *pieces; /* [count] */
  size_t count, cap;
} curves;

static double seconds(hc_time t)
{
  return (double)t / 1e9;
}

static double *values_of(const series *s, size_t result, size_t panel)
{
  return s->values + (result * s->panels + panel) * s->pieces;
}

/* ---- counting ---- */

static void add_task(hc_means *s, const hc_task_record *t, int panel, double capacity)
{
  const double width = (double)t->units / capacity;
  switch (panel) {
    case USE: hc_means_add(s, seconds(t->start), seconds(t->end), width); break;
    case RUNNING: hc_means_add(s, seconds(t->start), seconds(t->end), 1); break;
    case QUEUE: hc_means_add(s, seconds(t->submit), seconds(t->start), 1); break;
    default: hc_means_add(s, seconds(t->submit), seconds(t->start), width); break;
  }
}

static double piece_end(const curves *c, size_t i)
{
  if (i + 1 < c->count) return c->pieces[i + 1].at;
  return c->pieces[i].at + (i > 0 ? c->pieces[i].at - c->pieces[i - 1].at : 1);
}

static void add_pieces(hc_means *s, const curves *c, int panel)
{
  for (size_t i = 0; i < c->count; i++) {
    const piece *p = &c->pieces[i];
    const double value = panel == USE ? p->use : panel == QUEUE ? p->queue : p->running;
    hc_means_add(s, p->at, piece_end(c, i), value);
  }
}

static hc_rc count(const series *s, size_t result, size_t k)
{
  const hc_plot_result *r = &s->job->results[result];
  hc_means sum = {.from = s->from, .to = s->to, .count = s->pieces, .values = values_of(s, result, k)};
  sum.steps = hc_arena_alloc(&s->job->arena, (s->pieces + 2) * sizeof *sum.steps);
  if (!sum.steps) return HC_ENOMEM;
  add_pieces(&sum, &s->kept[result], s->panel[k]);
  for (size_t i = 0; i < r->count; i++)
    add_task(&sum, &r->records[i], s->panel[k], (double)HC_MAX(r->facts.capacity, (int64_t)1));
  hc_means_end(&sum);
  return 0;
}

/* ---- reading ---- */

static hc_rc hear_piece(void *ctx, const char *const *v)
{
  curves *c = ctx;
  double x[5]; /* at (ns), busy, capacity, waiting, running: in thousandths */
  for (int i = 0; i < 5; i++)
    if (!v[i] || hc_parse_real(v[i], strlen(v[i]), &x[i]) < 0) return 0;
  TRY(hc_reserve(c->allocator, (void **)&c->pieces, &c->cap, c->count + 1, sizeof *c->pieces));
  c->pieces[c->count++] = (piece){x[0] / 1e9, x[2] > 0 ? x[1] / x[2] : 0, x[3] / 1000, x[4] / 1000};
  return 0;
}

static hc_rc read_curves(const series *s, size_t result, hc_error *e)
{
  const hc_plot_result *r = &s->job->results[result];
  curves *c = &s->kept[result];
  c->allocator = s->job->allocator;
  for (size_t k = 0; k < s->panels; k++)
    if (s->panel[k] == WIDTH_QUEUE)
      return hc_fail(e, HC_EUSAGE, hc_result_path(r->result), 0, 0,
                     "of: queued_width needs a row for every task, and the result has not: leave it out, or "
                     "run it with task_rows: all");
  TRY(hc_result_rows(r->result, "curves", 5, hear_piece, c, e));
  if (c->count > 0) return 0;
  return hc_fail(e, HC_EUSAGE, hc_result_path(r->result), 0, 0,
                 "it has neither a row for every task nor the curves that a run keeps: run it again, with "
                 "task_rows: all");
}

static hc_rc read_results(series *s, hc_error *e)
{
  s->kept = hc_arena_alloc(&s->job->arena, s->job->result_count * sizeof *s->kept);
  if (!s->kept) return HC_ENOMEM;
  for (size_t i = 0; i < s->job->result_count; i++) {
    hc_plot_result *r = &s->job->results[i];
    TRY(hc_job_has_rows(r) ? hc_job_records_of(s->job, r, e) : read_curves(s, i, e));
  }
  return 0;
}

static hc_rc find_window(series *s, hc_error *e)
{
  s->from = 1e300;
  s->to = -1e300;
  for (size_t i = 0; i < s->job->result_count; i++)
    for (size_t k = 0; k < s->job->results[i].count; k++) {
      s->from = HC_MIN(s->from, seconds(s->job->results[i].records[k].submit));
      s->to = HC_MAX(s->to, seconds(s->job->results[i].records[k].end));
    }
  for (size_t i = 0; i < s->job->result_count; i++) {
    const curves *c = &s->kept[i];
    if (c->count == 0) continue;
    s->from = HC_MIN(s->from, c->pieces[0].at);
    s->to = HC_MAX(s->to, piece_end(c, c->count - 1));
  }
  if (s->o->from != HC_UNKNOWN) s->from = seconds(s->o->from);
  if (s->o->to != HC_UNKNOWN) s->to = seconds(s->o->to);
  if (s->to > s->from) return 0;
  return hc_fail(e, HC_EUSAGE, "plot series", 0, 0, "the window is empty: `to` is not after `from`");
}

static hc_rc read(series *s, hc_error *e)
{
  hc_plot_job *j = s->job;
  TRY(hc_job_results(j, e));
  s->panels = s->o->of.count;
  s->panel = s->o->of.items;
  if (s->panels == 0 || s->panels > PANELS)
    return hc_fail(e, HC_EUSAGE, "plot series", 0, 0, "of: name one to %d of what can be drawn", PANELS);
  TRY(read_results(s, e));
  TRY(find_window(s, e));
  const double most = (s->to - s->from) / HC_MAX(seconds(s->o->every), 1e-9);
  s->pieces = (size_t)(j->width * 0.8);
  if (s->o->every != HC_UNKNOWN && most < (double)s->pieces) s->pieces = (size_t)HC_MAX(most + 0.5, 1.0);
  s->values = hc_arena_alloc(&j->arena, j->result_count * s->panels * s->pieces * sizeof *s->values);
  s->items = hc_arena_alloc(&j->arena, j->result_count * sizeof *s->items);
  if (!s->values || !s->items) return HC_ENOMEM;
  for (size_t i = 0; i < j->result_count; i++) {
    s->items[i].name = j->results[i].name;
    TRY(hc_job_colour(j, j->results[i].full, &s->items[i].look, e));
    for (size_t k = 0; k < s->panels; k++) TRY(count(s, i, k));
  }
  return 0;
}

/* ---- drawing ---- */

static double greatest(const series *s, size_t panel)
{
  double most = 0;
  for (size_t i = 0; i < s->job->result_count; i++)
    for (size_t k = 0; k < s->pieces; k++) most = HC_MAX(most, values_of(s, i, panel)[k]);
  return most;
}

/* One result is an area, several are lines. */
static void draw_result(const series *s, const hc_frame *f, size_t result, size_t panel, hc_point *p)
{
  const double length = (s->to - s->from) / (double)s->pieces, *v = values_of(s, result, panel);
  const bool is_alone = s->job->result_count == 1;
  hc_surface *to = s->job->surface;
  size_t n = 0;
  for (size_t k = 0; k < s->pieces; k++) {
    const double y = hc_scale_at(&f->y, v[k]);
    p[n++] = (hc_point){hc_scale_at(&f->x, s->from + length * (double)k), y};
    p[n++] = (hc_point){hc_scale_at(&f->x, s->from + length * (double)(k + 1)), y};
  }
  to->tip(to, s->items[result].name);
  if (is_alone) {
    p[n] = (hc_point){p[n - 1].x, f->y.from};
    p[n + 1] = (hc_point){p[0].x, f->y.from};
    to->path(to, p, n + 2, true, &(hc_style){.fill = 0.35, .area = hc_look_ink(s->items[result].look)});
  }
  const hc_style line = {.width = is_alone ? 0.8 : 1, .line = hc_look_ink(s->items[result].look)};
  to->path(to, p, n, false, &line);
  to->tip(to, NULL);
}

static hc_rc draw_panels(const series *s, hc_box page, double key)
{
  hc_plot_job *j = s->job;
  const double foot = j->font * 2.2, height = (page.height - key - foot) / (double)s->panels;
  hc_frame frames[PANELS];
  hc_frame_spec specs[PANELS];
  double left = 0;
  char words[120];
  hc_point *p = hc_arena_alloc(&j->arena, (2 * s->pieces + 2) * sizeof *p);
  if (!p) return HC_ENOMEM;
  hc_calendar_words(j, s->from, s->to, words, sizeof words);
  for (int pass = 0; pass < 2; pass++)
    for (size_t k = 0; k < s->panels; k++) {
      const bool is_last = k + 1 == s->panels;
      specs[k] = (hc_frame_spec){
          .page = {page.x, page.y + height * (double)k, page.width, height + (is_last ? foot : 0)},
          .x_words = words,
          .y_words = panel_words[s->panel[k]],
          .x_unit = "s",
          .calendar = &j->results[0].calendar,
          .is_bare = !is_last,
          .has_weekends = s->o->weekends,
          .left = left};
      frames[k].x = (hc_scale){.kind = HC_SCALE_TIME, .low = s->from, .high = s->to};
      frames[k].y = (hc_scale){.kind = HC_SCALE_LINEAR, .low = 0, .high = greatest(s, k)};
      if (s->panel[k] == USE) frames[k].y.high = HC_MAX(frames[k].y.high, 1.0);
      TRY(hc_frame_lay(&frames[k], j, &specs[k]));
      left = HC_MAX(left, hc_frame_left(&frames[k]));
    }
  for (size_t k = 0; k < s->panels; k++) {
    hc_frame_draw(&frames[k], &specs[k]);
    for (size_t i = 0; i < j->result_count; i++) draw_result(s, &frames[k], i, k, p);
  }
  return 0;
}

static hc_rc draw_all(series *s, hc_error *e)
{
  hc_plot_job *j = s->job;
  TRY(read(s, e));
  const double key = hc_key_height(j, s->items, j->result_count, j->width * 0.96);
  TRY(hc_job_open(j, (double)s->panels * j->width * 0.27 + j->font * 3.2 + key, e));
  TRY(hc_job_say(j, "Use and queue over time",
                 "Means over equal pieces of time, a panel for each quantity."));
  const hc_box page = hc_page_begin(j);
  TRY(draw_panels(s, page, key));
  for (size_t i = 0; i < j->result_count; i++) s->items[i].end = 0;
  hc_key_draw(j, s->items, j->result_count, page.x, page.y + page.height - key, page.width, HC_KEY_SOLID);
  return 0;
}

static hc_rc draw(hc_plot_job *j, const void *opts, hc_error *e)
{
  series s = {.job = j, .o = opts};
  const hc_rc rc = draw_all(&s, e);
  for (size_t i = 0; s.kept && i < j->result_count; i++)
    hc_free(j->allocator, s.kept[i].pieces, s.kept[i].cap * sizeof *s.kept[i].pieces);
  return rc;
}

const hc_plot_type hc_plot_series = {
    .component = {HC_COMPONENT_HEAD(hc_plot_type, HC_KIND_PLOT), .name = "series",
                  .summary = "results over time: use, queue and running tasks",
                  .detail = "A panel for each quantity, one below the other over the same axis of time, and "
                            "in each panel a line for each result. Values are means over equal pieces of "
                            "time, from the tasks that started and ended; the capacity is that of the whole "
                            "machine. For a result without a row for every task they come from the curves "
                            "that each run keeps. Times are in the calendar of the first result's site.",
                  .params = params, .options_size = sizeof(options)},
    .draw = draw,
};
