/* schedulers.c -- how busy each scheduler of a result was, and with what: a bar each, in three parts.
 *
 * Of schedulers that think (the figures busyness_*): the share of the time with an attempt of which nothing
 * was refused and something started, of which something was refused, and without any that found a place.
 * Behind each bar stands how many decisions were refused for one that was not (conflict_fraction), where they
 * can be. A scheduler without these parts has one bar. Rows are in the order of the results and of their
 * figures. */
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "plot/rows.h"

enum { USEFUL, CONFLICT, VAIN, PARTS, ROWS_MOST = 200 };

typedef struct options {
  bool values;
} options;

static const hc_param params[] = {
    HC_PARAM(BOOL, options, values, "true", "Whether the conflict_fraction is written after each bar."),
    {.name = NULL}};

static const char *const part_names[PARTS] = {"useful", "for a conflict", "in vain"};

typedef struct scheduler {
  const char *name;
  double parts[PARTS], busyness, conflicts; /* NaN: it cannot have any */
} scheduler;

typedef struct chart {
  hc_plot_job *job;
  const options *o;
  scheduler *all; /* [count] */
  size_t count;
  size_t left_out;
  const hc_plot_result *result; /* that is read */
  hc_error *error;
} chart;

/* ---- what is drawn ---- */

static double figure_of(const chart *c, const char *what, const char *end)
{
  char name[200];
  (void)snprintf(name, sizeof name, "%s%s", what, end);
  return hc_result_figure(c->result->result, "all", name);
}

/* @param end  "_NAME", or nothing where there is one */
static hc_rc add(chart *c, const char *end, bool has_parts)
{
  const char *name = end[0] ? end + 1 : "the scheduler";
  const double all = figure_of(c, "busyness", end), useful = figure_of(c, "busyness_useful", end),
               wasted = figure_of(c, "busyness_wasted", end);
  if (!hc_is_drawn(all) || (has_parts && (!hc_is_drawn(useful) || !hc_is_drawn(wasted)))) return 0;
  if (c->count == ROWS_MOST) {
    c->left_out++;
    return 0;
  }
  scheduler *s = &c->all[c->count++];
  *s = (scheduler){.busyness = all, .conflicts = figure_of(c, "conflict_fraction", end)};
  s->parts[USEFUL] = has_parts ? useful : all;
  s->parts[CONFLICT] = has_parts ? wasted : 0;
  s->parts[VAIN] = has_parts ? HC_MAX(all - useful - wasted, 0) : 0;
  s->name = c->job->result_count > 1 ? hc_arena_printf(&c->job->arena, "%.80s: %.80s", c->result->name, name)
                                     : hc_arena_printf(&c->job->arena, "%.80s", name);
  return s->name ? 0 : HC_ENOMEM;
}

static hc_rc hear_figure(void *ctx, const char *const *v)
{
  static const char start[] = "busyness_useful";
  if (!v[0] || !v[1] || strcmp(v[0], "all") != 0 || strncmp(v[1], start, sizeof start - 1) != 0) return 0;
  return add(ctx, v[1] + sizeof start - 1, true);
}

static hc_rc read_all(chart *c, hc_error *e)
{
  hc_plot_job *j = c->job;
  TRY(hc_job_results(j, e));
  c->all = hc_arena_alloc(&j->arena, ROWS_MOST * sizeof *c->all);
  if (!c->all) return HC_ENOMEM;
  for (size_t i = 0; i < j->result_count; i++) {
    const size_t before = c->count;
    c->result = &j->results[i];
    TRY(hc_result_rows(c->result->result, "summary", 4, hear_figure, c, e));
    if (c->count == before && c->left_out == 0) TRY(add(c, "", false));
    if (c->count == before && c->left_out == 0)
      return hc_fail(e, HC_EUSAGE, hc_result_path(c->result->result), 0, 0,
                     "its schedulers take no time, so that none was busy: an architecture whose schedulers "
                     "think counts it (think_job, think_task)");
  }
  return 0;
}

/* ---- drawing ---- */

static void draw_bar(const chart *c, const hc_rows *rows, size_t i)
{
  const scheduler *s = &c->all[i];
  hc_plot_job *j = c->job;
  const double y = hc_rows_y(rows, i), height = rows->row_height / 1.5;
  double sum = 0;
  for (int k = 0; k < PARTS; k++) {
    const double from = hc_scale_at(&rows->x, 100 * sum),
                 to = hc_scale_at(&rows->x, 100 * (sum + s->parts[k]));
    char label[40], tip[240];
    if (!(s->parts[k] > 0)) continue;
    hc_scale_label(100 * s->parts[k], label);
    (void)snprintf(tip, sizeof tip, "%.160s: %s %% %s", s->name, label, part_names[k]);
    j->surface->tip(j->surface, tip);
    j->surface->rect(j->surface, &(hc_box){from, y - height / 2, to - from, height},
                     &(hc_style){.fill = 1, .area = (hc_ink)((int)HC_INK_AREA + k)});
    j->surface->tip(j->surface, NULL);
    sum += s->parts[k];
  }
  if (!c->o->values || !hc_is_drawn(s->conflicts)) return;
  char words[60], label[40];
  hc_scale_label(s->conflicts, label);
  (void)snprintf(words, sizeof words, "%s", label);
  (void)hc_draw_text(j->surface, hc_scale_at(&rows->x, 100 * sum) + j->font * 0.4, y + j->font * 0.3, words,
                     &(hc_text_style){.size = j->font * 0.85, .ink = HC_INK_SOFT});
}

static hc_rc say(const chart *c)
{
  char detail[300];
  (void)snprintf(
      detail, sizeof detail,
      "A bar for each of %zu schedulers: the share of the time in which it was busy, in parts: useful, for "
      "a conflict, in vain. Behind it: refused decisions for one that was not.",
      c->count);
  return hc_job_say(c->job, "Busyness of schedulers (%)", detail);
}

static hc_rc draw(hc_plot_job *j, const void *opts, hc_error *e)
{
  chart c = {.job = j, .o = opts, .error = e};
  const hc_key_item items[PARTS] = {
      {part_names[USEFUL], USEFUL, 0}, {part_names[CONFLICT], CONFLICT, 0}, {part_names[VAIN], VAIN, 0}};
  hc_rows rows = {.x = {.low = 0}};
  TRY(read_all(&c, e));
  const char **names = hc_arena_alloc(&j->arena, c.count * sizeof *names);
  if (!names) return HC_ENOMEM;
  for (size_t i = 0; i < c.count; i++) {
    names[i] = c.all[i].name;
    rows.x.high = HC_MAX(rows.x.high, 100 * c.all[i].busyness);
  }
  if (!(rows.x.high > 0)) rows.x.high = 1;
  const double key = hc_key_height(j, items, PARTS, j->width * 0.95);
  TRY(hc_job_open(j, hc_rows_height(j, c.count, 1.6) + key, e));
  TRY(say(&c));
  hc_box page = hc_page_begin(j);
  page.height -= key;
  const hc_rows_spec spec = {.names = names,
                             .count = c.count,
                             .words = c.o->values ? "busyness (%), and conflicts a useful decision"
                                                  : "busyness (%)",
                             .unit = "1",
                             .right = c.o->values ? j->font * 3.2 : 0};
  hc_rows_draw(&rows, j, &page, &spec);
  for (size_t i = 0; i < c.count; i++) draw_bar(&c, &rows, i);
  hc_key_draw(j, items, PARTS, page.x, page.y + page.height, page.width, HC_KEY_AREA);
  return 0;
}

const hc_plot_type hc_plot_schedulers = {
    .component =
        {HC_COMPONENT_HEAD(hc_plot_type, HC_KIND_PLOT), .name = "schedulers",
         .summary =
             "how busy each scheduler of results was: with useful attempts, conflicts, attempts in vain",
         .detail =
             "Of results whose schedulers have think times (architectures with think_job and think_task): a "
             "bar for each scheduler, with the share of the time in which it was busy. Its three parts are "
             "attempts of which nothing was refused and something started, attempts of which something was "
             "refused, and attempts that found no place. After the bar stands the number of refused "
             "decisions for each one that was not refused (conflict_fraction).",
         .source = "Schwarzkopf et al., EuroSys 2013, doi:10.1145/2465351.2465386, sections 4 and 5",
         .params = params, .options_size = sizeof(options)},
    .draw = draw,
};
