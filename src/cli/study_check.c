/* study_check.c -- `hindcast study check`: published statements, decided over a study. */
#include <string.h>

#include "cli/study_stats.h"

static const cli_flag own_flags[] = {
    {.name = "where",
     .metavar = "CONDITION",
     .many = true,
     .help =
         "Only points for which it holds, whatever a statement says beside it: load>=0.5, scenario=1. May be "
         "given again; all of them must hold. A statement of which nothing is left is undecidable."},
    {.name = "expect",
     .help =
         "Exit with status 3 if a verdict is not the one the file expects (`expect:`; not said: confirmed)."},
    {.name = "all", .letter = 'a', .help = "Print every comparison, not only those that decide."},
    {.name = "markdown", .help = "Print a Markdown table of the verdicts."},
    {.name = NULL},
};
static const cli_flag *const flags[] = {own_flags, cli_format_flags, NULL};

const cli_column cli_verdict_columns[CLI_VERDICT_COLUMNS] = {{.name = "id"},
                                                             {.name = "verdict"},
                                                             {.name = "expected"},
                                                             {.name = "comparisons", .right = true},
                                                             {.name = "hold", .right = true},
                                                             {.name = "contrary", .right = true},
                                                             {.name = "text"}};
static const cli_column line_columns[] = {{.name = "id"},
                                          {.name = "verdict"},
                                          {.name = "figure"},
                                          {.name = "left"},
                                          {.name = "relation"},
                                          {.name = "right"},
                                          {.name = "where"},
                                          {.name = "pairs", .right = true},
                                          {.name = "mean_left", .right = true},
                                          {.name = "mean_right", .right = true},
                                          {.name = "difference", .right = true},
                                          {.name = "low", .right = true},
                                          {.name = "high", .right = true},
                                          {.name = "p_for", .right = true},
                                          {.name = "p_against", .right = true},
                                          {.name = "test"},
                                          {.name = "margin", .right = true}};
static const char *const test_words[] = {"t", "sign", "wilcoxon"};

static uint32_t tally(const hc_statement *x, hc_claim_verdict v)
{
  uint32_t n = 0;
  for (uint32_t i = 0; i < x->count; i++) n += x->lines[i].verdict == v;
  return n;
}

void cli_add_verdict(cli_table *t, const hc_statement *x)
{
  cli_add_text(t, x->id);
  cli_add_text(t, hc_claim_verdict_name(x->verdict));
  cli_add_text(t, hc_claim_verdict_name(x->expected));
  cli_add_int(t, x->count);
  cli_add_int(t, tally(x, HC_CLAIM_CONFIRMED));
  cli_add_int(t, tally(x, HC_CLAIM_NOT_CONFIRMED));
  cli_add_text(t, x->text);
}

static void add_line(cli_table *t, const hc_statement *x, const hc_claim_line *l)
{
  cli_add_text(t, x->id);
  cli_add_text(t, hc_claim_verdict_name(l->verdict));
  cli_add_text(t, l->figure);
  cli_add_text(t, l->left);
  cli_add_text(t, l->relation);
  cli_add_text(t, l->right);
  cli_add_text(t, l->where);
  cli_add_int(t, (int64_t)l->pairs.difference.count);
  cli_add_real(t, l->of_left.mean, l->unit);
  cli_add_real(t, l->of_right.mean, l->unit);
  cli_add_real(t, l->pairs.difference.mean, l->unit);
  cli_add_real(t, l->pairs.difference.low, l->unit);
  cli_add_real(t, l->pairs.difference.high, l->unit);
  cli_add_p(t, l->p_for);
  cli_add_p(t, l->p_against);
  cli_add_text(t, test_words[l->test]);
  cli_add_real(t, l->margin > 0 ? l->margin : __builtin_nan(""), l->unit);
}

/* Lines that decide: all of a confirmed statement would only repeat it, so its weakest one stands for them.
 * */
static bool is_deciding(const hc_statement *x, const hc_claim_line *l)
{
  if (x->verdict == HC_CLAIM_CONFIRMED) return false;
  return l->verdict == x->verdict;
}

static const hc_claim_line *weakest(const hc_statement *x)
{
  const hc_claim_line *w = NULL;
  for (uint32_t i = 0; i < x->count; i++) {
    if (!w || x->lines[i].p_for > w->p_for) w = &x->lines[i];
  }
  return w;
}

static void write_line(hc_buffer *out, const hc_claim_line *l)
{
  char left[96], right[96], low[64], high[64], mean[64];
  cli_plus_minus(&l->of_left, left);
  cli_plus_minus(&l->of_right, right);
  cli_human(l->pairs.difference.mean, l->unit, mean);
  cli_human(l->pairs.difference.low, l->unit, low);
  cli_human(l->pairs.difference.high, l->unit, high);
  hc_buffer_printf(
      out, "    %-13s %s: %s (%s) %s %s (%s); difference %s [%s, %s], n %llu, p %.3g for, %.3g against",
      hc_claim_verdict_name(l->verdict), l->figure, l->left, left, l->relation, l->right, right, mean, low,
      high, (unsigned long long)l->pairs.difference.count, l->p_for, l->p_against);
  if (l->test == HC_STAT_TEST_WILCOXON) hc_buffer_text(out, ", signed ranks");
  if (*l->where) hc_buffer_printf(out, "; %s", l->where);
  hc_buffer_text(out, "\n");
}

static void write_claim(cli *c, const hc_statement *x)
{
  hc_buffer *out = &c->out;
  bool all = cli_has(c, "all");
  hc_buffer_printf(out, "%s  %s: %s\n", x->id, hc_claim_verdict_name(x->verdict), x->text);
  if (x->why) hc_buffer_printf(out, "    missing: %s\n", x->why);
  hc_buffer_printf(out, "    comparisons %u: %u hold, %u to the contrary, %u open\n", x->count,
                   tally(x, HC_CLAIM_CONFIRMED), tally(x, HC_CLAIM_NOT_CONFIRMED),
                   tally(x, HC_CLAIM_UNDECIDABLE));
  for (uint32_t i = 0; i < x->count; i++) {
    if (all || is_deciding(x, &x->lines[i])) write_line(out, &x->lines[i]);
  }
  if (!all && x->verdict == HC_CLAIM_CONFIRMED && weakest(x)) write_line(out, weakest(x));
}

static void write_json(cli *c, const hc_claims *s)
{
  hc_json_writer j = {.out = &c->out};
  hc_json_enter(&j, NULL, '{');
  hc_json_put_text(&j, "study", s->name);
  hc_json_put_real(&j, "level", s->level);
  for (int i = 0; i < 3; i++) hc_json_put_int(&j, hc_claim_verdict_name((hc_claim_verdict)i), s->verdicts[i]);
  hc_json_enter(&j, "claims", '[');
  for (uint32_t i = 0; i < s->count; i++) {
    const hc_statement *x = &s->claims[i];
    cli_table t;
    cli_table_init(&t, c->allocator, line_columns, CLI_LEN(line_columns));
    for (uint32_t k = 0; k < x->count; k++) add_line(&t, x, &x->lines[k]);
    hc_json_enter(&j, NULL, '{');
    hc_json_put_text(&j, "id", x->id);
    hc_json_put_text(&j, "text", x->text);
    hc_json_put_text(&j, "source", x->source);
    hc_json_put_text(&j, "verdict", hc_claim_verdict_name(x->verdict));
    hc_json_put_text(&j, "expected", hc_claim_verdict_name(x->expected));
    hc_json_put_text(&j, "missing", x->why);
    cli_table_member(&t, &j, "comparisons");
    hc_json_leave(&j, '}');
    c->out.failed |= t.failed;
    cli_table_fini(&t);
  }
  hc_json_leave(&j, ']');
  hc_json_leave(&j, '}');
}

static void show(cli *c, const hc_claims *s)
{
  bool is_long = cli_has(c, "all") && c->format == CLI_CSV;
  cli_table t;
  if (c->format == CLI_JSON) {
    write_json(c, s);
    return;
  }
  cli_table_init(&t, c->allocator, is_long ? line_columns : cli_verdict_columns,
                 is_long ? CLI_LEN(line_columns) : CLI_LEN(cli_verdict_columns));
  for (uint32_t i = 0; i < s->count; i++) {
    const hc_statement *x = &s->claims[i];
    if (c->format == CLI_TEXT && !cli_has(c, "markdown")) write_claim(c, x);
    else if (!is_long) cli_add_verdict(&t, x);
    for (uint32_t k = 0; is_long && k < x->count; k++) add_line(&t, x, &x->lines[k]);
  }
  if (c->format == CLI_CSV || cli_has(c, "markdown")) cli_study_show(c, &t, NULL);
  if (c->format == CLI_TEXT)
    hc_buffer_printf(&c->out, "\n%u statements: %u confirmed, %u not confirmed, %u undecidable\n", s->count,
                     s->verdicts[0], s->verdicts[1], s->verdicts[2]);
  cli_table_fini(&t);
}

static hc_rc run(cli *c)
{
  hc_study_data *data = NULL;
  hc_claims *claims;
  const char **where = NULL;
  size_t count = 0;
  hc_rc rc = cli_values(c, "where", &where, &count);
  if (rc >= 0) rc = cli_study_load(c, c->operands[0], &data);
  if (rc >= 0) rc = hc_claims_check(c->allocator, data, c->operands[1], where, count, &claims, &c->error);
  if (rc >= 0) {
    show(c, claims);
    if (cli_has(c, "expect") && claims->unexpected)
      rc = cli_fail(c, HC_EREFUTED, "%u of %u verdicts are not the expected ones", claims->unexpected,
                    claims->count);
    hc_claims_free(c->allocator, claims);
  }
  hc_study_data_free(c->allocator, data);
  cli_values_free(where, count);
  return rc;
}

const cli_command cli_study_check = {
    .name = "check",
    .operands = "STUDY CLAIMS.yaml",
    .summary = "Decide published statements over a study: confirmed, not confirmed or undecidable.",
    .detail =
        "Each statement comes down to paired comparisons, whose p values are corrected by Holm over the "
        "statement. It is confirmed if all of them hold, not confirmed if the contrary of one holds, else "
        "undecidable; the numbers stand below it. The p values are Student's, or with `test: wilcoxon` in "
        "the file those of signed ranks. docs/studies.md has the words of the file.",
    .examples = "hindcast study check results/polezhaev.db examples/polezhaev/claims.yaml\n"
                "hindcast study check results/polezhaev.db examples/polezhaev/claims.yaml --csv --all",
    .flags = flags,
    .min = 2,
    .max = 2,
    .complete = CLI_FILE,
    .run = run,
};
