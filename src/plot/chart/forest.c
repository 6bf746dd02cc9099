/* forest.c -- paired differences from a baseline, each a point with its interval: what is right of 0 is more
 * than the baseline, and what crosses 0 is not told from it.
 *
 * Of a study it draws what `hindcast study compare` prints. Of results it draws what `hindcast compare` does:
 * tasks of the others are paired with those of the first by serial, and the 95 % interval of the mean
 * difference is by batch means. Colours say the verdict, and so do the markers. */
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "plot/cells.h"
#include "plot/rows.h"

#define BATCHES 30u

typedef struct options {
  hc_cells_asked asked;
  const char *baseline, *of;
  bool relative;
} options;

static const hc_param params[] = {
    HC_PARAM_AS(TEXT, "by", options, asked.by, NULL,
                "The axis of the study whose levels are compared. Default: as the study's file says, else "
                "the first axis with more than one level."),
    HC_CELLS_PARAMS(options, asked),
    HC_PARAM(TEXT, options, baseline, NULL,
             "The level with which the others are compared. Default: as the study's file says, else the "
             "first level; of results the first file."),
    HC_PARAM(TEXT, options, of, "wait",
             "Of results: the expression whose differences are taken task by task."),
    HC_PARAM(BOOL, options, relative, "false", "Whether differences are in percent of the baseline's mean."),
    {.name = NULL}};

typedef struct row {
  const char *name;
  double mean, low, high;
  hc_study_verdict verdict;
} row;

typedef struct forest {
  hc_plot_job *job;
  const options *o;
  row *rows; /* [count] */
  size_t count;
  const char *baseline, *figure, *unit;
  double base; /* its mean */
  hc_rows frame;
} forest;

/* ---- a study ---- */

static const char *first_axis(const hc_plot_job *j, const hc_cells_asked *q)
{
  for (uint32_t i = 0; i < j->study->axis_count; i++) {
    const hc_study_axis *x = &j->study->axes[i];
    bool is_sampled = q->over.count == 0 && strcmp(x->name, "replication") == 0;
    for (size_t k = 0; k < q->over.count; k++) is_sampled |= strcmp(hc_texts_of(&q->over)[k], x->name) == 0;
    if (x->count > 1 && !is_sampled) return x->name;
  }
  return NULL;
}

static hc_rc take_differences(forest *f, const hc_study_differences *s)
{
  hc_arena *a = &f->job->arena;
  f->rows = hc_arena_alloc(a, (s->count + 1) * sizeof *f->rows);
  f->baseline = hc_arena_text(a, s->baseline, strlen(s->baseline));
  f->figure = hc_arena_text(a, s->figure, strlen(s->figure));
  f->unit = hc_arena_text(a, s->unit, strlen(s->unit));
  f->base = s->stat.mean;
  if (!f->rows || !f->baseline || !f->figure || !f->unit) return HC_ENOMEM;
  for (uint32_t i = 0; i < s->count; i++) {
    const hc_stat_mean *d = &s->rows[i].pairs.difference;
    const char *name = hc_arena_text(a, s->rows[i].label, strlen(s->rows[i].label));
    if (!name) return HC_ENOMEM;
    f->rows[f->count++] = (row){name, d->mean, d->low, d->high, s->rows[i].verdict};
  }
  return 0;
}

static hc_rc read_study(forest *f, hc_error *e)
{
  hc_plot_job *j = f->job;
  const hc_cells_asked *q = &f->o->asked;
  hc_study_differences *s;
  TRY(hc_job_study(j, e));
  const hc_study_asked *asked = &j->study->asked;
  const char *axis = q->by ? q->by : first_axis(j, q);
  const bool as_file = !q->by && asked->axis_count > 0;
  if (j->study->figure_count == 0 || (!axis && !as_file))
    return hc_fail(e, HC_EUSAGE, j->request->files[0], 0, 0,
                   "the study has no figure, or no axis with more than one level to be compared");
  const hc_study_query query = {.figure = q->figure             ? q->figure
                                          : asked->figure_count ? asked->figures[0]
                                                                : j->study->figures[0].name,
                                .axes = as_file ? asked->axes : &axis,
                                .axis_count = as_file ? asked->axis_count : 1,
                                .where = hc_texts_of(&q->where),
                                .where_count = q->where.count,
                                .over = hc_texts_of(&q->over),
                                .over_count = q->over.count,
                                .level = q->level};
  const hc_study_against against = {.baseline = f->o->baseline ? f->o->baseline
                                                : as_file      ? asked->baseline
                                                               : NULL};
  TRY(hc_study_compare(j->allocator, j->study, &query, &against, &s, e));
  const hc_rc rc = take_differences(f, s);
  hc_study_differences_free(j->allocator, s);
  return rc;
}

/* ---- results ---- */

/* Both sides are by serial: one walk. */
static size_t pair(const hc_plot_result *a, const double *x, const size_t *of_x, size_t n,
                   const hc_plot_result *b, const double *y, const size_t *of_y, size_t m, double *out)
{
  size_t count = 0;
  for (size_t i = 0, k = 0; i < n && k < m;) {
    const int64_t left = a->records[of_x[i]].serial, right = b->records[of_y[k]].serial;
    if (left == right) out[count++] = y[k++] - x[i++];
    else if (left < right) i++;
    else k++;
  }
  return count;
}

static hc_rc compare_result(forest *f, const hc_plot_result *r, const double *x, const size_t *of_x, size_t n,
                            hc_error *e)
{
  hc_plot_job *j = f->job;
  double *y;
  size_t *of_y, m;
  hc_estimate d;
  TRY(hc_job_values(j, r, f->o->of, &y, &of_y, &m, e));
  double *differences = hc_arena_alloc(&j->arena, (HC_MIN(n, m) + 1) * sizeof *differences);
  if (!differences) return HC_ENOMEM;
  const size_t count = pair(&j->results[0], x, of_x, n, r, y, of_y, m, differences);
  if (count == 0)
    return hc_fail(e, HC_EUSAGE, hc_result_path(r->result), 0, 0,
                   "it has no task in common with %s; a difference is of results of one workload",
                   hc_result_path(j->results[0].result));
  TRY(hc_estimate_mean(differences, count, BATCHES, &d));
  const hc_study_verdict verdict = d.mean - d.half_width > 0   ? HC_VERDICT_WORSE
                                   : d.mean + d.half_width < 0 ? HC_VERDICT_BETTER
                                                               : HC_VERDICT_UNCLEAR;
  f->rows[f->count++] = (row){r->name, d.mean, d.mean - d.half_width, d.mean + d.half_width, verdict};
  return 0;
}

static hc_rc read_results(forest *f, hc_error *e)
{
  hc_plot_job *j = f->job;
  hc_estimate base;
  double *x;
  size_t *of_x, n;
  if (j->request->file_count < 2)
    return hc_fail(e, HC_EUSAGE, j->request->files[0], 0, 0,
                   "a difference is of two results: name the baseline first, then the others");
  if (f->o->baseline)
    return hc_fail(e, HC_EUSAGE, j->request->files[0], 0, 0,
                   "of results the first file is the baseline; leave `baseline` out");
  TRY(hc_cells_refuse(j, &f->o->asked, NULL, "a result, of which `of` says what is compared", e));
  TRY(hc_job_results(j, e));
  TRY(hc_job_records(j, e));
  TRY(hc_job_values(j, &j->results[0], f->o->of, &x, &of_x, &n, e));
  TRY(hc_estimate_mean(x, n, BATCHES, &base));
  f->rows = hc_arena_alloc(&j->arena, j->result_count * sizeof *f->rows);
  if (!f->rows) return HC_ENOMEM;
  f->base = base.mean;
  f->baseline = j->results[0].name;
  f->figure = f->o->of;
  f->unit = hc_expression_unit(f->o->of);
  for (size_t i = 1; i < j->result_count; i++) TRY(compare_result(f, &j->results[i], x, of_x, n, e));
  return 0;
}

/* ---- drawing ---- */

static hc_rc find_ends(forest *f, hc_error *e)
{
  bool has_any = false;
  double *low = &f->frame.x.low, *high = &f->frame.x.high;
  const double base = f->base < 0 ? -f->base : f->base;
  *low = *high = 0;
  if (f->o->relative && !(base > 0))
    return hc_fail(e, HC_EUSAGE, "plot forest", 0, 0,
                   "relative: the baseline's mean is 0, of which nothing is a percentage");
  for (size_t i = 0; i < f->count; i++) {
    row *r = &f->rows[i];
    if (f->o->relative) {
      r->mean = 100 * r->mean / base;
      r->low = 100 * r->low / base;
      r->high = 100 * r->high / base;
    }
    if (!hc_is_drawn(r->mean)) continue;
    has_any = true;
    *low = HC_MIN(*low, hc_is_drawn(r->low) ? r->low : r->mean);
    *high = HC_MAX(*high, hc_is_drawn(r->high) ? r->high : r->mean);
  }
  if (!has_any)
    return hc_fail(e, HC_EUSAGE, "plot forest", 0, 0,
                   "there is nothing to draw: no choice has a pair with the baseline");
  const double margin = (*high - *low) * 0.03;
  if (*low < 0) *low -= margin;
  if (*high > 0) *high += margin;
  return 0;
}

/* Better is blue and solid, worse vermillion and a square, what is not told apart grey and hollow. */
static hc_ink ink_of(hc_study_verdict v, hc_marker *marker)
{
  *marker = HC_MARKER_RING;
  switch (v) {
    case HC_VERDICT_BETTER: *marker = HC_MARKER_DISC; return hc_ink_of(0);
    case HC_VERDICT_WORSE: *marker = HC_MARKER_SQUARE; return hc_ink_of(1);
    case HC_VERDICT_DIFFERS: *marker = HC_MARKER_DIAMOND; return hc_ink_of(6);
    case HC_VERDICT_SAME:
    case HC_VERDICT_UNCLEAR:
    case HC_VERDICT_NO_DATA: break;
  }
  return HC_INK_SOFT;
}

static void draw_row(const forest *f, size_t i)
{
  const row *r = &f->rows[i];
  hc_surface *s = f->job->surface;
  const double y = hc_rows_y(&f->frame, i);
  hc_marker marker;
  const hc_ink ink = ink_of(r->verdict, &marker);
  char tip[200];
  if (!hc_is_drawn(r->mean)) return;
  (void)snprintf(tip, sizeof tip, "%.100s: %.4g [%.4g, %.4g], %s", r->name, r->mean, r->low, r->high,
                 hc_study_verdict_name(r->verdict));
  s->tip(s, tip);
  if (hc_is_drawn(r->low) && hc_is_drawn(r->high))
    hc_draw_line(s, hc_scale_at(&f->frame.x, r->low), y, hc_scale_at(&f->frame.x, r->high), y, 1.4, ink);
  hc_draw_marker(s, hc_scale_at(&f->frame.x, r->mean), y, marker, f->job->font * 0.75, ink);
  s->tip(s, NULL);
}

static hc_rc draw(hc_plot_job *j, const void *opts, hc_error *e)
{
  forest f = {.job = j, .o = opts};
  hc_input_kind kind;
  char words[80], across[200], title[200];
  TRY(hc_input_kind_of(j->allocator, j->request->files[0], &kind, e));
  TRY(kind == HC_INPUT_RESULT ? read_results(&f, e) : read_study(&f, e));
  TRY(find_ends(&f, e));
  TRY(hc_job_open(j, hc_rows_height(j, f.count, 1.7), e));
  hc_figure_words(f.figure, words);
  (void)snprintf(across, sizeof across, "%.70s, difference from %.60s%s", words, f.baseline,
                 f.o->relative ? " in %" : "");
  hc_title_words(across, NULL, title);
  TRY(hc_job_say(j, title,
                 "Paired differences with their intervals; what crosses 0 is not told from the baseline."));
  const hc_box page = hc_page_begin(j);
  const char **names = hc_arena_alloc(&j->arena, (f.count + 1) * sizeof *names);
  if (!names) return HC_ENOMEM;
  for (size_t i = 0; i < f.count; i++) names[i] = f.rows[i].name;
  hc_rows_draw(&f.frame, j, &page,
               &(hc_rows_spec){
                   .names = names, .count = f.count, .words = across, .unit = f.o->relative ? "1" : f.unit});
  const double zero = hc_scale_at(&f.frame.x, 0);
  hc_draw_line(j->surface, zero, f.frame.field.y, zero, f.frame.field.y + f.frame.field.height, 0.9,
               HC_INK_TEXT);
  for (size_t i = 0; i < f.count; i++) draw_row(&f, i);
  return 0;
}

const hc_plot_type hc_plot_forest = {
    .component = {HC_COMPONENT_HEAD(hc_plot_type, HC_KIND_PLOT), .name = "forest",
                  .summary = "paired differences from a baseline, with intervals",
                  .detail =
                      "Of a study: each level against the baseline, paired by sample, with the verdict of "
                      "the t test after Holm's correction. A blue disc is better, a vermilion square worse, "
                      "a grey ring not significantly different. Of results: each further one against the "
                      "first, task by task, with 95 % intervals by the means of 30 batches; less is better.",
                  .params = params, .options_size = sizeof(options)},
    .draw = draw,
};
