/* study_table.c -- `hindcast study table`: a figure by one axis, or by two. */
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

static const cli_column long_columns[] = {{.name = "figure"},
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
} wanted;

static const char *label(const cli_question *q, const hc_study_cells *s, uint32_t cell, uint32_t axis)
{
  if (axis >= s->axis_count) return "";
  return q->data->axes[s->axis[axis]].labels[s->cells[cell].level[axis]];
}

/* Programs get one row for each cell. */
static void add_long(cli_table *t, const cli_question *q, const hc_study_cells *s)
{
  for (uint32_t i = 0; i < s->count; i++) {
    const hc_stat_mean *m = &s->cells[i].stat;
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
  const char *axes[2] = {cli_value(c, "rows"), cli_value(c, "columns")};
  hc_study_query one = cli_question_query(q, figure);
  hc_study_cells *s;
  hc_rc rc = 0;
  if (!axes[0]) axes[0] = cli_question_axis(q);
  if (!axes[0]) return cli_fail(c, HC_EUSAGE, "which axis is to be in rows? Say --rows AXIS");
  one.axes = axes;
  one.axis_count = axes[1] ? 2 : 1;
  one.interval = (hc_stat_interval)w->interval;
  one.resamples = (uint32_t)w->resamples;
  one.seed = (uint64_t)w->seed;
  CLI_TRY(hc_study_table(c->allocator, q->data, &one, &s, &c->error));
  if (c->format == CLI_TEXT) rc = show_matrix(c, q, w, s);
  else add_long(t, q, s);
  hc_study_cells_free(c->allocator, s);
  return rc;
}

static hc_rc show(cli *c, const cli_question *q, const wanted *w)
{
  size_t count = q->figure_count ? q->figure_count : q->data->figure_count;
  cli_table t;
  hc_rc rc = 0;
  cli_table_init(&t, c->allocator, long_columns, CLI_LEN(long_columns));
  for (size_t i = 0; rc >= 0 && i < count; i++)
    rc = one_figure(c, q, w, q->figure_count ? q->figures[i] : q->data->figures[i].name, &t);
  if (rc >= 0 && c->format != CLI_TEXT) cli_table_show(c, &t);
  cli_table_fini(&t);
  return rc;
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
        "--where are averaged over, replication by replication. CSV and JSON have a row for each cell.",
    .examples = "hindcast study table results/first.db --rows policy --columns load -f wait_mean\n"
                "hindcast study table results/first.db --where load>=0.5 --interval bca --markdown",
    .flags = flags,
    .min = 1,
    .max = 1,
    .complete = CLI_FILE,
    .run = run,
};
