/* report_study.c -- the head of a study's report: its axes and figures, the mean of each figure for each
 * level of one axis and of two, with intervals; paired differences; statements; and what all of it rests
 * on.
 *
 * Means are those of `study table`, differences those of `study compare`, verdicts those of `study check`:
 * the page chooses among them and computes none. Levels of `replication` and `shake` are not told apart: as
 * `study compare` does, intervals are over replications, of which each is a mean over shaken copies; over
 * these copies only where nothing is replicated. Two axes are told apart up to CELLS combinations. */
#include <stdlib.h>
#include <string.h>

#include "cli/report.h"
#include "cli/study_stats.h"

#define CELLS 4096

static bool is_sampled(const hc_study_data *d, uint32_t axis)
{
  const char *name = d->axes[axis].name;
  return strcmp(name, "replication") == 0 || strcmp(name, "shake") == 0;
}

static bool is_shown(const hc_study_data *d, uint32_t axis)
{
  return d->axes[axis].count > 1 && !is_sampled(d, axis);
}

static bool has_levels(const hc_study_data *d, const char *axis)
{
  for (uint32_t a = 0; a < d->axis_count; a++)
    if (strcmp(d->axes[a].name, axis) == 0) return d->axes[a].count > 1;
  return false;
}

/* What the samples are. */
static const char *samples_of(const hc_study_data *d)
{
  return has_levels(d, "shake") && !has_levels(d, "replication") ? "shake" : "replication";
}

typedef struct study_head {
  cli *c;
  const hc_study_data *data;
  const char *over; /* the axis of samples */
  hc_json_writer *j;
} study_head;

/* ---- axes and figures ---- */

static void put_axes(const study_head *x)
{
  hc_json_writer *j = x->j;
  hc_json_enter(j, "axes", '[');
  for (uint32_t a = 0; a < x->data->axis_count; a++) {
    const hc_study_axis *axis = &x->data->axes[a];
    hc_json_enter(j, NULL, '{');
    hc_json_put_text(j, "name", axis->name);
    hc_json_put_bool(j, "shown", is_shown(x->data, a));
    hc_json_enter(j, "labels", '[');
    for (uint32_t l = 0; l < axis->count; l++) hc_json_put_text(j, NULL, axis->labels[l]);
    hc_json_leave(j, ']');
    hc_json_leave(j, '}');
  }
  hc_json_leave(j, ']');
}

static void put_figures(const study_head *x)
{
  hc_json_writer *j = x->j;
  hc_json_enter(j, "figures", '[');
  for (uint32_t f = 0; f < x->data->figure_count; f++) {
    hc_json_enter(j, NULL, '{');
    hc_json_put_text(j, "name", x->data->figures[f].name);
    hc_json_put_text(j, "unit", x->data->figures[f].unit);
    hc_json_leave(j, '}');
  }
  hc_json_leave(j, ']');
}

/* ---- means by one axis and by two ---- */

static void put_cells(const study_head *x, const hc_study_cells *s, uint32_t figure, const uint32_t *axes)
{
  hc_json_writer *j = x->j;
  hc_json_enter(j, NULL, '{');
  hc_json_put_int(j, "figure", figure);
  hc_json_put_int(j, "rows", axes[0]);
  if (s->axis_count > 1) hc_json_put_int(j, "columns", axes[1]);
  else hc_json_put_raw(j, "columns", "null");
  hc_json_put_int(j, "direction", s->direction);
  hc_json_enter(j, "cells", '[');
  for (uint32_t i = 0; i < s->count; i++) {
    const hc_study_cell *cell = &s->cells[i];
    char text[96];
    cli_plus_minus(&cell->stat, text);
    hc_json_enter(j, NULL, '[');
    hc_json_put_int(j, NULL, (int64_t)cell->stat.count);
    hc_json_put_real(j, NULL, cell->stat.mean);
    hc_json_put_real(j, NULL, cell->stat.low);
    hc_json_put_real(j, NULL, cell->stat.high);
    hc_json_put_text(j, NULL, text);
    hc_json_put_int(j, NULL, cell->parts);
    hc_json_put_int(j, NULL, (int64_t)(cell->missing + cell->holes));
    hc_json_leave(j, ']');
  }
  hc_json_leave(j, ']');
  hc_json_leave(j, '}');
}

static hc_rc put_table(const study_head *x, uint32_t figure, const uint32_t *axes, size_t count)
{
  const hc_study_data *d = x->data;
  const char *names[2] = {d->axes[axes[0]].name, count > 1 ? d->axes[axes[1]].name : NULL};
  const hc_study_query q = {.figure = d->figures[figure].name,
                            .axes = names,
                            .axis_count = count,
                            .over = &x->over,
                            .over_count = 1,
                            .level = 0.95};
  hc_study_cells *s;
  CLI_TRY(hc_study_table(x->c->allocator, d, &q, &s, &x->c->error));
  put_cells(x, s, figure, axes);
  hc_study_cells_free(x->c->allocator, s);
  return x->j->out->failed ? HC_ENOMEM : 0;
}

static hc_rc put_tables(const study_head *x)
{
  const hc_study_data *d = x->data;
  hc_json_enter(x->j, "tables", '[');
  for (uint32_t f = 0; f < d->figure_count; f++) {
    for (uint32_t a = 0; a < d->axis_count; a++) {
      if (!is_shown(d, a)) continue;
      CLI_TRY(put_table(x, f, (uint32_t[]){a, 0}, 1));
      for (uint32_t b = a + 1; b < d->axis_count; b++)
        if (is_shown(d, b) && (uint64_t)d->axes[a].count * d->axes[b].count <= CELLS)
          CLI_TRY(put_table(x, f, (uint32_t[]){a, b}, 2));
    }
  }
  hc_json_leave(x->j, ']');
  return 0;
}

/* ---- differences ---- */

/* What is compared: as the study's file says, else the levels of the last axis that is shown, which in most
 * files is the policy. */
static hc_study_query question(const study_head *x, uint32_t figure, const char **axis)
{
  const hc_study_data *d = x->data;
  hc_study_query q = {.figure = d->figures[figure].name, .over = &x->over, .over_count = 1, .level = 0.95};
  for (uint32_t a = 0; a < d->axis_count; a++)
    if (is_shown(d, a)) *axis = d->axes[a].name;
  q.axes = d->asked.axis_count > 0 ? d->asked.axes : axis;
  q.axis_count = d->asked.axis_count > 0 ? d->asked.axis_count : *axis ? 1 : 0;
  return q;
}

/* " (s)"; nothing for what has no unit. */
static void add_unit(const char *unit, const char *before, const char *after, hc_buffer *out)
{
  if (unit && *unit && strcmp(unit, "1") != 0) hc_buffer_printf(out, "%s%s%s", before, unit, after);
}

static void title_of(const study_head *x, const hc_study_differences *s, hc_buffer *out)
{
  char base[96];
  cli_plus_minus(&s->stat, base);
  hc_buffer_text(out, s->figure);
  add_unit(s->unit, " (", ")", out);
  if (s->direction) hc_buffer_printf(out, ", %s is better", s->direction > 0 ? "more" : "less");
  hc_buffer_printf(out, ": each choice against %s (%s), paired over %s; t test with Holm's correction",
                   s->baseline, base, x->over);
}

static hc_rc put_difference(const study_head *x, uint32_t figure)
{
  const hc_study_against against = {.baseline = x->data->asked.baseline};
  const char *axis = NULL;
  const hc_study_query q = question(x, figure, &axis);
  hc_study_differences *s;
  hc_buffer title;
  cli_table t;
  if (q.axis_count == 0) return 0;
  CLI_TRY(hc_study_compare(x->c->allocator, x->data, &q, &against, &s, &x->c->error));
  cli_table_init(&t, x->c->allocator, cli_difference_columns, CLI_DIFFERENCE_COLUMNS);
  hc_buffer_init(&title, x->c->allocator);
  cli_add_differences(&t, s);
  title_of(x, s, &title);
  if (t.count > 0) cli_table_page(&t, x->j, NULL, title.data, NULL);
  const bool failed = t.failed || title.failed;
  hc_buffer_fini(&title);
  cli_table_fini(&t);
  hc_study_differences_free(x->c->allocator, s);
  return failed ? HC_ENOMEM : 0;
}

static hc_rc put_differences(const study_head *x)
{
  hc_json_enter(x->j, "differences", '[');
  for (uint32_t f = 0; f < x->data->figure_count; f++) CLI_TRY(put_difference(x, f));
  hc_json_leave(x->j, ']');
  return 0;
}

/* ---- sentences ---- */

static void say_verdict(const hc_study_differences *s, hc_study_verdict v, const char *word, hc_buffer *out)
{
  bool any = false;
  for (uint32_t i = 0; i < s->count; i++) {
    const hc_study_difference *r = &s->rows[i];
    char text[96];
    if (r->verdict != v) continue;
    hc_buffer_printf(out, any ? ", %s" : "%s", r->label);
    if (v == HC_VERDICT_BETTER || v == HC_VERDICT_WORSE) {
      cli_plus_minus(&r->pairs.difference, text);
      hc_buffer_printf(out, " (by %s)", text);
    }
    any = true;
  }
  if (any) hc_buffer_printf(out, " %s; ", word);
}

/* The first figure that the study's file compares, or its first one. */
static uint32_t first_figure(const hc_study_data *d)
{
  for (uint32_t f = 0; f < d->figure_count && d->asked.figure_count > 0; f++)
    if (strcmp(d->figures[f].name, d->asked.figures[0]) == 0) return f;
  return 0;
}

static hc_rc say_differences(const study_head *x, hc_buffer *out)
{
  const hc_study_against against = {.baseline = x->data->asked.baseline};
  const char *axis = NULL;
  hc_study_differences *s;
  char base[96];
  if (x->data->figure_count == 0) return 0;
  const hc_study_query q = question(x, first_figure(x->data), &axis);
  if (q.axis_count == 0) return 0;
  CLI_TRY(hc_study_compare(x->c->allocator, x->data, &q, &against, &s, &x->c->error));
  cli_plus_minus(&s->stat, base);
  hc_buffer_printf(out, "By %s, %s has %s", s->figure, s->baseline, base);
  add_unit(s->unit, " ", "", out);
  hc_buffer_text(out, ". Against it: ");
  say_verdict(s, HC_VERDICT_BETTER, "better", out);
  say_verdict(s, HC_VERDICT_WORSE, "worse", out);
  say_verdict(s, HC_VERDICT_DIFFERS, "another", out);
  say_verdict(s, HC_VERDICT_SAME, "the same", out);
  say_verdict(s, HC_VERDICT_UNCLEAR, "not to be told from it", out);
  say_verdict(s, HC_VERDICT_NO_DATA, "without data", out);
  if (out->size >= 2 && out->data[out->size - 2] == ';') out->size -= 2;
  hc_buffer_text(out, ".\n");
  hc_study_differences_free(x->c->allocator, s);
  return 0;
}

/* How sure a ranking is when the input is shaken. */
static hc_rc say_shaking(const study_head *x, hc_buffer *out)
{
  const char *axis = NULL;
  hc_study_fragility *f;
  if (!has_levels(x->data, "shake") || x->data->figure_count == 0) return 0;
  hc_study_query q = question(x, first_figure(x->data), &axis);
  const char *const over[] = {"shake"};
  if (q.axis_count == 0) return 0;
  q.over = over;
  q.over_count = 1;
  CLI_TRY(hc_study_shake(x->c->allocator, x->data, &q, &f, &x->c->error));
  if (f->winner && f->shakes > 0)
    hc_buffer_printf(out, "When the input is shaken %s stays first by %s in %llu of %llu copies.\n",
                     f->winner, f->figure, (unsigned long long)f->wins, (unsigned long long)f->shakes);
  hc_study_fragility_free(x->c->allocator, f);
  return 0;
}

static void say_points(const study_head *x, hc_buffer *out)
{
  uint64_t done = 0;
  char n[40], m[40];
  for (uint64_t p = 0; p < x->data->point_count; p++) done += x->data->state[p] == HC_POINT_DONE;
  n[hc_format_count((int64_t)done, n)] = '\0';
  m[hc_format_count((int64_t)x->data->point_count, m)] = '\0';
  if (done == x->data->point_count) hc_buffer_printf(out, "%s points, all of them carried out.\n", m);
  else
    hc_buffer_printf(out, "%s of %s points were carried out; the others failed, or are still to come.\n", n,
                     m);
}

/* ---- statements ---- */

static hc_rc put_claims(const study_head *x)
{
  const char *path = cli_value(x->c, "claims");
  hc_claims *claims;
  cli_table t;
  if (!path) {
    hc_json_put_raw(x->j, "claims", "null");
    return 0;
  }
  CLI_TRY(hc_claims_check(x->c->allocator, x->data, path, NULL, 0, &claims, &x->c->error));
  cli_table_init(&t, x->c->allocator, cli_verdict_columns, CLI_VERDICT_COLUMNS);
  for (uint32_t i = 0; i < claims->count; i++) cli_add_verdict(&t, &claims->claims[i]);
  cli_table_page(&t, x->j, "claims", claims->name ? claims->name : "Statements", NULL);
  const bool failed = t.failed;
  cli_table_fini(&t);
  hc_claims_free(x->c->allocator, claims);
  return failed ? HC_ENOMEM : 0;
}

/* ---- the whole ---- */

hc_rc cli_report_study(cli *c, const hc_study_data *data, const char *title, hc_buffer *sentences,
                       hc_json_writer *j)
{
  const study_head x = {.c = c, .data = data, .over = samples_of(data), .j = j};
  CLI_TRY(say_differences(&x, sentences));
  CLI_TRY(say_shaking(&x, sentences));
  say_points(&x, sentences);
  hc_json_enter(j, NULL, '{');
  hc_json_put_text(j, "format", "hindcast report 1");
  hc_json_put_text(j, "title", title);
  cli_report_lines(j, "sentence", sentences, 0);
  cli_report_made(c, j);
  hc_json_enter(j, "study", '{');
  hc_json_put_int(j, "first", first_figure(data));
  put_axes(&x);
  put_figures(&x);
  CLI_TRY(put_tables(&x));
  CLI_TRY(put_differences(&x));
  CLI_TRY(put_claims(&x));
  hc_json_leave(j, '}');
  hc_json_leave(j, '}');
  return j->out->failed || sentences->failed ? HC_ENOMEM : 0;
}
