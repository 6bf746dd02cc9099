/* study_table.c -- `hindcast study table`: a figure by one axis, or by two; with --each one table for each
 * level of a third, which is fixed there as --where would fix it. */
#include <stdlib.h>
#include <string.h>

#include "cli/study_stats.h"

static const cli_flag own_flags[] = {
    {.name = "figure",
     .letter = 'f',
     .metavar = "FIGURE",
     .many = true,
     .help = "Which figure, as the study kept it: wait_mean. May be given again, or a list with commas. Not "
             "given: all."},
    {.name = "rows",
     .metavar = "AXIS",
     .help = "The axis in rows. Default: the first with more than one level."},
    {.name = "columns", .metavar = "AXIS", .help = "The axis in columns. Default: none."},
    {.name = "each",
     .metavar = "AXIS",
     .help = "A table for each level of this axis, in their order. CSV and JSON name the level in a column."},
    {.name = "interval",
     .metavar = "HOW",
     .complete = "t|percentile|bca|prediction",
     .help =
         "How intervals are made: t (Student's, of the mean), percentile or bca (bootstrap, of the mean), "
         "prediction (Student's, of one further sample: what a single published run is to be held against). "
         "Default: t."},
    {.name = "resamples", .metavar = "B", .help = "Resamples of the bootstrap. Default: 1999."},
    {.name = "seed", .metavar = "N", .help = "Seed of the bootstrap. Default: 0."},
    {.name = NULL},
};
static const cli_flag *const flags[] = {own_flags, cli_study_flags, cli_format_flags, NULL};

/* The first is left out without --each. */
static const cli_column long_columns[] = {{.name = "each"},
                                          {.name = "figure"},
                                          {.name = "unit"},
                                          {.name = "row"},
                                          {.name = "column"},
                                          {.name = "count", .right = true},
                                          {.name = "mean", .right = true},
                                          {.name = "half_width", .right = true},
                                          {.name = "relative", .right = true},
                                          {.name = "low", .right = true},
                                          {.name = "high", .right = true},
                                          {.name = "parts", .right = true},
                                          {.name = "holes", .right = true}};

typedef struct wanted {
  int interval;
  int64_t resamples, seed;
  const char *rows, *columns;
  const hc_study_axis *each; /* NULL: one table */
  uint32_t level;            /* of it, at hand */
} wanted;

static const char *label(const cli_question *q, const hc_study_cells *s, uint32_t cell, uint32_t axis)
{
  if (axis >= s->axis_count) return "";
  return q->data->axes[s->axis[axis]].labels[s->cells[cell].level[axis]];
}

/* Programs get one row for each cell. */
static void add_long(cli_table *t, const cli_question *q, const wanted *w, const hc_study_cells *s)
{
  for (uint32_t i = 0; i < s->count; i++) {
    const hc_stat_mean *m = &s->cells[i].stat;
    if (w->each) cli_add_text(t, w->each->labels[w->level]);
    cli_add_text(t, s->figure);
    cli_add_text(t, s->unit);
    cli_add_text(t, label(q, s, i, 0));
    cli_add_text(t, label(q, s, i, 1));
    cli_add_int(t, (int64_t)m->count);
    cli_add_real(t, m->mean, s->unit);
    cli_add_real(t, m->half_width, s->unit);
    cli_add_real(t, m->relative, "1");
    cli_add_real(t, m->low, s->unit);
    cli_add_real(t, m->high, s->unit);
    cli_add_int(t, s->cells[i].parts);
    cli_add_int(t, (int64_t)s->cells[i].holes);
  }
}

static uint32_t most_parts(const hc_study_cells *s)
{
  uint32_t most = 0;
  for (uint32_t i = 0; i < s->count; i++) most = s->cells[i].parts > most ? s->cells[i].parts : most;
  return most;
}

static bool is_uneven(const hc_study_cells *s)
{
  bool uneven = false;
  for (uint32_t i = 0; i < s->count; i++) uneven |= s->cells[i].parts && s->cells[i].parts < most_parts(s);
  return uneven;
}

static void add_matrix(cli_table *t, const cli_question *q, const hc_study_cells *s, uint32_t columns)
{
  uint32_t most = most_parts(s);
  for (uint32_t i = 0; i < s->count; i += columns) {
    bool any = false;
    for (uint32_t k = 0; k < columns; k++)
      any |= s->cells[i + k].stat.count > 0 || s->cells[i + k].missing > 0;
    if (!any) continue;
    cli_add_text(t, label(q, s, i, 0));
    for (uint32_t k = 0; k < columns; k++) {
      char text[96];
      cli_plus_minus(&s->cells[i + k].stat, text);
      if (s->cells[i + k].holes) (void)strcat(text, " *");
      if (s->cells[i + k].parts && s->cells[i + k].parts < most) (void)strcat(text, " ~");
      cli_add_pair(t, text, NULL, true);
    }
  }
}

static uint64_t holes_of(const hc_study_cells *s)
{
  uint64_t n = 0;
  for (uint32_t i = 0; i < s->count; i++) n += s->cells[i].holes;
  return n;
}

static uint64_t missing_of(const hc_study_cells *s)
{
  uint64_t n = 0;
  for (uint32_t i = 0; i < s->count; i++) n += s->cells[i].missing;
  return n;
}

/* People get a matrix. */
static hc_rc show_matrix(cli *c, const cli_question *q, const wanted *w, const hc_study_cells *s)
{
  const hc_study_axis *by = s->axis_count > 1 ? &q->data->axes[s->axis[1]] : NULL;
  uint32_t columns = by ? by->count : 1;
  cli_column *heads = calloc(columns + 1u, sizeof *heads);
  cli_table t;
  hc_buffer title;
  if (!heads) return cli_fail(c, HC_ENOMEM, "out of memory for the table");
  heads[0].name = q->data->axes[s->axis[0]].name;
  for (uint32_t i = 0; i < columns; i++)
    heads[i + 1] = (cli_column){.name = by ? by->labels[i] : "mean", .right = true};
  cli_table_init(&t, c->allocator, heads, columns + 1);
  hc_buffer_init(&title, c->allocator);
  cli_study_title(&title, q, s->figure, s->unit, s->direction);
  add_matrix(&t, q, s, columns);
  cli_study_show(c, &t, title.data);
  if (cli_has(c, "markdown") && (holes_of(s) || is_uneven(s) || missing_of(s))) hc_buffer_text(&c->out, "\n");
  if (holes_of(s)) hc_buffer_text(&c->out, "* without replications that are not complete\n");
  if (w->interval == HC_STAT_PREDICTION)
    hc_buffer_text(&c->out, "intervals are of one further sample, not of the mean\n");
  if (is_uneven(s))
    hc_buffer_text(&c->out,
                   "~ over fewer combinations of the other axes than the rest: not to be compared with it\n");
  if (missing_of(s))
    hc_buffer_printf(
        &c->out, "without %llu points that failed, or were not carried out yet: `hindcast study status`\n",
        (unsigned long long)missing_of(s));
  cli_table_fini(&t);
  hc_buffer_fini(&title);
  free(heads);
  return 0;
}

static hc_rc one_figure(cli *c, const cli_question *q, const wanted *w, const char *figure, cli_table *t)
{
  const char *axes[2] = {w->rows, w->columns};
  hc_study_query one = cli_question_query(q, figure);
  hc_study_cells *s;
  hc_rc rc = 0;
  one.axes = axes;
  one.axis_count = axes[1] ? 2 : 1;
  one.interval = (hc_stat_interval)w->interval;
  one.resamples = (uint32_t)w->resamples;
  one.seed = (uint64_t)w->seed;
  CLI_TRY(hc_study_table(c->allocator, q->data, &one, &s, &c->error));
  if (c->format == CLI_TEXT) rc = show_matrix(c, q, w, s);
  else add_long(t, q, w, s);
  hc_study_cells_free(c->allocator, s);
  return rc;
}

static hc_rc all_figures(cli *c, const cli_question *q, const wanted *w, cli_table *t)
{
  const size_t count = q->figure_count ? q->figure_count : q->data->figure_count;
  hc_rc rc = 0;
  for (size_t i = 0; rc >= 0 && i < count; i++)
    rc = one_figure(c, q, w, q->figure_count ? q->figures[i] : q->data->figures[i].name, t);
  return rc;
}

/* Which levels of --each have points by the conditions that there are, done or not. @param has  [count] */
static hc_rc find_levels(cli *c, const cli_question *q, const hc_study_axis *each, bool *has)
{
  hc_study_query one = cli_question_query(q, q->figure_count ? q->figures[0] : q->data->figures[0].name);
  hc_study_cells *s;
  one.axes = &each->name;
  one.axis_count = 1;
  CLI_TRY(hc_study_table(c->allocator, q->data, &one, &s, &c->error));
  for (uint32_t i = 0; i < s->count; i++)
    has[s->cells[i].level[0]] = s->cells[i].stat.count > 0 || s->cells[i].missing > 0;
  hc_study_cells_free(c->allocator, s);
  return 0;
}

/* The question with one condition more: "axis==label", a label that is taken as it stands. */
static hc_rc one_level(cli *c, const cli_question *q, const wanted *w, cli_table *t)
{
  cli_question one = *q;
  const char **where = calloc(q->where_count + 1, sizeof *where);
  hc_buffer condition;
  hc_rc rc;
  if (!where) return cli_fail(c, HC_ENOMEM, "out of memory");
  hc_buffer_init(&condition, c->allocator);
  hc_buffer_printf(&condition, "%s==%s", w->each->name, w->each->labels[w->level]);
  for (size_t i = 0; i < q->where_count; i++) where[i] = q->where[i];
  where[q->where_count] = condition.data;
  one.where = where;
  one.where_count++;
  rc = condition.failed ? cli_fail(c, HC_ENOMEM, "out of memory") : 0;
  if (rc >= 0) rc = all_figures(c, &one, w, t);
  hc_buffer_fini(&condition);
  free((void *)where);
  return rc;
}

static hc_rc each_level(cli *c, const cli_question *q, wanted *w, cli_table *t)
{
  bool *has = calloc(w->each->count, sizeof *has);
  hc_rc rc = has ? find_levels(c, q, w->each, has) : cli_fail(c, HC_ENOMEM, "out of memory");
  for (w->level = 0; rc >= 0 && w->level < w->each->count; w->level++)
    if (has[w->level]) rc = one_level(c, q, w, t);
  free(has);
  return rc;
}

static hc_rc show(cli *c, const cli_question *q, wanted *w)
{
  const size_t left_out = w->each ? 0 : 1;
  cli_table t;
  hc_rc rc;
  cli_table_init(&t, c->allocator, long_columns + left_out, CLI_LEN(long_columns) - left_out);
  rc = w->each ? each_level(c, q, w, &t) : all_figures(c, q, w, &t);
  if (rc >= 0 && c->format != CLI_TEXT) cli_table_show(c, &t);
  cli_table_fini(&t);
  return rc;
}

/* ---- axes ---- */

static hc_rc no_such_axis(cli *c, const cli_question *q, const char *name)
{
  hc_buffer list;
  hc_buffer_init(&list, c->allocator);
  for (uint32_t i = 0; i < q->data->axis_count; i++)
    hc_buffer_printf(&list, "%s%s", i ? ", " : "", q->data->axes[i].name);
  const hc_rc rc = cli_fail(c, HC_EUSAGE, "--each: the study has no axis \"%.80s\"; it has %.300s", name,
                            list.failed || !list.data ? "none" : list.data);
  hc_buffer_fini(&list);
  return rc;
}

static hc_rc read_axes(cli *c, const cli_question *q, wanted *w)
{
  const char *each = cli_value(c, "each");
  w->rows = cli_value(c, "rows");
  w->columns = cli_value(c, "columns");
  for (uint32_t i = 0; each && i < q->data->axis_count; i++)
    if (strcmp(q->data->axes[i].name, each) == 0) w->each = &q->data->axes[i];
  if (each && !w->each) return no_such_axis(c, q, each);
  if (each && cli_question_samples(q, each))
    return cli_fail(
        c, HC_EUSAGE,
        "--each: the levels of %.80s are the samples that intervals are made of; name another axis, or "
        "another one in --over",
        each);
  if (each && ((w->rows && strcmp(w->rows, each) == 0) || (w->columns && strcmp(w->columns, each) == 0)))
    return cli_fail(c, HC_EUSAGE, "--each: %.80s has its levels in rows or columns already", each);
  for (uint32_t i = 0; !w->rows && i < q->data->axis_count; i++) {
    const hc_study_axis *x = &q->data->axes[i];
    if (x != w->each && x->count > 1 && !(w->columns && strcmp(x->name, w->columns) == 0) &&
        !cli_question_samples(q, x->name))
      w->rows = x->name;
  }
  return w->rows ? 0 : cli_fail(c, HC_EUSAGE, "which axis is to be in rows? Say --rows AXIS");
}

static hc_rc run(cli *c)
{
  static const char *const intervals[] = {"t", "percentile", "bca", "prediction"};
  cli_question q = {0};
  wanted w = {.resamples = 1999};
  hc_rc rc;
  CLI_TRY(cli_word(c, "interval", intervals, CLI_LEN(intervals), &w.interval));
  CLI_TRY(cli_int(c, "resamples", 99, 1000000, &w.resamples));
  CLI_TRY(cli_int(c, "seed", 0, INT64_MAX, &w.seed));
  rc = cli_question_open(c, &q);
  if (rc >= 0) rc = read_axes(c, &q, &w);
  if (rc >= 0) rc = show(c, &q, &w);
  cli_question_close(c, &q);
  return rc;
}

const cli_command cli_study_table = {
    .name = "table",
    .operands = "STUDY",
    .summary = "Figures by one axis or two, with confidence intervals.",
    .detail =
        "Mean and half width of its interval over replications. Axes that are neither shown nor fixed by "
        "--where are averaged over, replication by replication. CSV and JSON have a row for each cell. Of a "
        "study that is carried out just now the table is of the points that are known so far, and a note "
        "says how many these are.",
    .examples = "hindcast study table results/first.db --rows policy --columns load -f wait_mean\n"
                "hindcast study table results/first.db --where load>=0.5 --interval bca --markdown\n"
                "hindcast study table results/first.db --rows policy -f wait_mean --each load --latex",
    .flags = flags,
    .min = 1,
    .max = 1,
    .complete = CLI_FILE,
    .run = run,
};
