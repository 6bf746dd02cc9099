/* study_compare.c -- `hindcast study compare`: every choice against a baseline, paired by replication. */
#include <string.h>

#include "cli/study_stats.h"

static const char *const tests[] = {"t", "sign", "wilcoxon"};
static const char *const corrections[] = {"holm", "bonferroni", "bh", "none"};

static const cli_flag own_flags[] = {
    {.name = "baseline",
     .metavar = "LABEL",
     .help =
         "What is compared against. Default: as the study's file says (`compare`), else the first choice."},
    {.name = "test",
     .metavar = "TEST",
     .complete = "t|sign|wilcoxon",
     .help = "Whose p values decide: t (paired), sign, wilcoxon (signed ranks). Default: t. All three are "
             "printed."},
    {.name = "correct",
     .metavar = "HOW",
     .complete = "holm|bonferroni|bh|none",
     .help =
         "Correction of these for the number of choices: holm, bonferroni, bh (Benjamini-Hochberg), none. "
         "Default: holm."},
    {.name = "margin",
     .metavar = "SHARE",
     .help = "Differences within this share of the baseline's mean do not matter: 5%. Default: none."},
    {.name = NULL},
};
static const cli_flag *const flags[] = {cli_study_axis_flags, own_flags, cli_study_flags, cli_format_flags,
                                        NULL};

const cli_column cli_difference_columns[CLI_DIFFERENCE_COLUMNS] = {
    {.name = "figure"},
    {.name = "choice"},
    {.name = "baseline"},
    {.name = "mean", .right = true},
    {.name = "difference", .right = true},
    {.name = "half_width", .title = "+/-", .right = true},
    {.name = "relative", .title = "%", .right = true},
    {.name = "pairs", .right = true},
    {.name = "above", .right = true},
    {.name = "below", .right = true},
    {.name = "p_t", .title = "p(t)", .right = true},
    {.name = "p_sign", .title = "p(sign)", .right = true},
    {.name = "p_wilcoxon", .title = "p(ranks)", .right = true},
    {.name = "p_adjusted", .title = "p corrected", .right = true},
    {.name = "verdict"}};

static void add_relative(cli_table *t, double share)
{
  char plain[40], human[64];
  if (share != share) {
    cli_add_pair(t, NULL, "-", false);
    return;
  }
  plain[hc_format_real(share, plain)] = '\0';
  (void)snprintf(human, sizeof human, "%+.2f", 100 * share);
  cli_add_pair(t, plain, human, false);
}

void cli_add_differences(cli_table *t, const hc_study_differences *s)
{
  for (uint32_t i = 0; i < s->count; i++) {
    const hc_study_difference *r = &s->rows[i];
    double base = s->stat.mean < 0 ? -s->stat.mean : s->stat.mean;
    cli_add_text(t, s->figure);
    cli_add_text(t, r->label);
    cli_add_text(t, s->baseline);
    cli_add_real(t, r->stat.mean, s->unit);
    cli_add_real(t, r->pairs.difference.mean, s->unit);
    cli_add_real(t, r->pairs.difference.half_width, s->unit);
    add_relative(t, r->pairs.difference.mean / base);
    cli_add_int(t, (int64_t)r->pairs.difference.count);
    cli_add_int(t, (int64_t)r->pairs.above);
    cli_add_int(t, (int64_t)r->pairs.below);
    cli_add_p(t, r->pairs.p_t);
    cli_add_p(t, r->pairs.p_sign);
    cli_add_p(t, r->pairs.p_wilcoxon);
    cli_add_p(t, r->adjusted);
    cli_add_text(t, hc_study_verdict_name(r->verdict));
  }
}

static void show_figure(cli *c, const cli_question *q, const hc_study_differences *s, const char *how,
                        cli_table *t)
{
  hc_buffer title;
  char base[80];
  if (c->format != CLI_TEXT) {
    cli_add_differences(t, s);
    return;
  }
  hc_buffer_init(&title, c->allocator);
  cli_study_title(&title, q, s->figure, s->unit, s->direction);
  cli_plus_minus(&s->stat, base);
  hc_buffer_printf(&title, "\nagainst %s (%s); %s", s->baseline, base, how);
  cli_add_differences(t, s);
  cli_study_show(c, t, title.data);
  hc_buffer_fini(&title);
  cli_table_fini(t);
  cli_table_init(t, c->allocator, cli_difference_columns, CLI_DIFFERENCE_COLUMNS);
}

/* What the study's file asks, where the command line asks nothing else. */
static void ask_the_file(const cli_question *q, hc_study_query *one, hc_study_against *against)
{
  const hc_study_asked *asked = &q->data->asked;
  if (q->axis_count > 0 || asked->axis_count == 0) return;
  one->axes = asked->axes;
  one->axis_count = asked->axis_count;
  if (!against->baseline) against->baseline = asked->baseline;
}

static const char *figure_of(const cli_question *q, size_t i)
{
  if (q->figure_count) return q->figures[i];
  return q->data->asked.figure_count ? q->data->asked.figures[i] : q->data->figures[i].name;
}

/* Of one pair there is neither an interval nor a verdict: which axes there are to make samples of. */
static void say_alone(cli *c, const cli_question *q, const hc_study_query *one)
{
  const char *before = "; say whose levels are samples: --over ";
  hc_buffer text;
  hc_buffer_init(&text, c->allocator);
  for (uint32_t i = 0; i < q->data->axis_count; i++) {
    const hc_study_axis *x = &q->data->axes[i];
    bool is_compared = false;
    for (size_t k = 0; k < one->axis_count; k++) is_compared |= strcmp(one->axes[k], x->name) == 0;
    if (x->count < 2 || is_compared) continue;
    hc_buffer_printf(&text, "%s%s", before, x->name);
    before = ", or ";
  }
  hc_buffer_add(&text, "", 1);
  if (!text.failed)
    (void)fprintf(stderr,
                  "hindcast: note: each choice has one pair, so that there is no interval and no verdict%s\n",
                  text.data);
  hc_buffer_fini(&text);
}

static bool is_alone(const hc_study_differences *s)
{
  for (uint32_t i = 0; i < s->count; i++)
    if (s->rows[i].pairs.difference.count != 1) return false;
  return s->count > 0;
}

static hc_rc show(cli *c, cli_question *q, hc_study_against *against)
{
  static const char *const test_words[] = {"paired t test", "sign test", "Wilcoxon's signed ranks"};
  static const char *const corrected[] = {"Holm's correction", "Bonferroni's correction",
                                          "Benjamini-Hochberg correction", "no correction"};
  const char *first = q->axis_count ? NULL : cli_question_axis(q);
  size_t count = q->figure_count               ? q->figure_count
                 : q->data->asked.figure_count ? q->data->asked.figure_count
                 : q->data->figure_count       ? 1
                                               : 0;
  char how[96];
  cli_table t;
  hc_rc rc = 0;
  if (!first && q->axis_count == 0)
    return cli_fail(c, HC_EUSAGE, "which axis is to be compared? Say --axis AXIS");
  (void)snprintf(how, sizeof how, "%s, %s", test_words[against->test], corrected[against->adjustment]);
  cli_table_init(&t, c->allocator, cli_difference_columns, CLI_DIFFERENCE_COLUMNS);
  for (size_t i = 0; rc >= 0 && i < count; i++) {
    hc_study_query one = cli_question_query(q, figure_of(q, i));
    hc_study_differences *s;
    if (first) {
      one.axes = &first;
      one.axis_count = 1;
    }
    ask_the_file(q, &one, against);
    rc = hc_study_compare(c->allocator, q->data, &one, against, &s, &c->error);
    if (rc < 0) break;
    show_figure(c, q, s, how, &t);
    if (i == 0 && is_alone(s)) say_alone(c, q, &one);
    hc_study_differences_free(c->allocator, s);
  }
  if (rc >= 0) cli_study_losses(c, q);
  if (rc >= 0 && c->format != CLI_TEXT) cli_table_show(c, &t);
  cli_table_fini(&t);
  return rc;
}

static hc_rc run(cli *c)
{
  hc_study_against against = {.baseline = cli_value(c, "baseline")};
  cli_question q = {0};
  int test = 0, correction = 0;
  hc_rc rc;
  CLI_TRY(cli_word(c, "test", tests, CLI_LEN(tests), &test));
  CLI_TRY(cli_word(c, "correct", corrections, CLI_LEN(corrections), &correction));
  CLI_TRY(cli_share(c, "margin", &against.margin));
  against.test = (hc_stat_test)test;
  against.adjustment = (hc_stat_adjustment)correction;
  rc = cli_question_open(c, &q);
  if (rc >= 0) rc = cli_question_repeats(c, &q);
  if (rc >= 0) rc = show(c, &q, &against);
  cli_question_close(c, &q);
  return rc;
}

const cli_command cli_study_compare = {
    .name = "compare",
    .operands = "STUDY",
    .summary = "Paired differences against a baseline, with corrected p values and a verdict.",
    .detail =
        "Replications are paired, since all choices saw the same random numbers. Without replications and "
        "without --over the only axis that is `shake` or a seed takes their place. The verdict is better or "
        "worse where the corrected p value is below 1 - level, same where every pair is equal or the "
        "interval lies within --margin, else unclear.",
    .examples = "hindcast study compare results/first.db --axis policy --baseline fcfs -f wait_mean\n"
                "hindcast study compare results/first.db --test wilcoxon --correct bh --where load>=0.5",
    .flags = flags,
    .min = 1,
    .max = 1,
    .complete = CLI_FILE,
    .run = run,
};
