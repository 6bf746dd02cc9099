/* study_shake.c -- `hindcast study shake`: would the ranking be another if the input were a little other? */
#include <string.h>

#include "cli/study_stats.h"

static const cli_flag *const flags[] = {cli_study_axis_flags, cli_study_flags, cli_format_flags, NULL};

static const cli_column columns[] = {{.name = "figure"},
                                     {.name = "better"},
                                     {.name = "worse"},
                                     {.name = "flips", .right = true},
                                     {.name = "ties", .right = true},
                                     {.name = "shakes", .right = true},
                                     {.name = "share", .right = true},
                                     {.name = "low", .right = true},
                                     {.name = "high", .right = true}};

static void add_rows(cli_table *t, const hc_study_fragility *f)
{
  for (uint32_t i = 0; i < f->count; i++) {
    const hc_study_flip *x = &f->flips[i];
    cli_add_text(t, f->figure);
    cli_add_text(t, x->better);
    cli_add_text(t, x->worse);
    cli_add_int(t, (int64_t)x->flips);
    cli_add_int(t, (int64_t)x->ties);
    cli_add_int(t, (int64_t)x->shakes);
    cli_add_real(t, x->share, "1");
    cli_add_real(t, x->low, "1");
    cli_add_real(t, x->high, "1");
  }
}

static void show_figure(cli *c, const cli_question *q, const hc_study_fragility *f)
{
  cli_table t;
  hc_json_writer j = {.out = &c->out};
  hc_buffer title;
  cli_table_init(&t, c->allocator, columns, CLI_LEN(columns));
  hc_buffer_init(&title, c->allocator);
  add_rows(&t, f);
  if (c->format == CLI_JSON) {
    hc_json_enter(&j, NULL, '{');
    hc_json_put_text(&j, "figure", f->figure);
    hc_json_put_text(&j, "winner", f->winner);
    hc_json_put_int(&j, "wins", (int64_t)f->wins);
    hc_json_put_int(&j, "shakes", (int64_t)f->shakes);
    hc_json_put_real(&j, "share", f->share);
    hc_json_put_real(&j, "low", f->low);
    hc_json_put_real(&j, "high", f->high);
    cli_table_member(&t, &j, "pairs");
    hc_json_leave(&j, '}');
    c->out.failed |= t.failed;
  } else {
    cli_study_title(&title, q, f->figure, NULL, f->direction);
    hc_buffer_printf(
        &title,
        "\n%s is first by its mean, and no choice is better in %llu of %llu (%.4f; Wilson's interval %.4f to "
        "%.4f)",
        f->winner, (unsigned long long)f->wins, (unsigned long long)f->shakes, f->share, f->low, f->high);
    cli_study_show(c, &t, title.data);
  }
  cli_table_fini(&t);
  hc_buffer_fini(&title);
}

static hc_rc show(cli *c, cli_question *q)
{
  const char *first = q->axis_count ? NULL : cli_question_axis(q);
  const char *figure = q->figure_count         ? q->figures[0]
                       : q->data->figure_count ? q->data->figures[0].name
                                               : "";
  hc_study_query one = cli_question_query(q, figure);
  hc_study_fragility *f;
  if (q->figure_count > 1) return cli_fail(c, HC_EUSAGE, "--figure: one figure at a time");
  if (!first && q->axis_count == 0)
    return cli_fail(c, HC_EUSAGE, "which axis is to be ranked? Say --axis AXIS");
  if (first) {
    one.axes = &first;
    one.axis_count = 1;
  }
  CLI_TRY(hc_study_shake(c->allocator, q->data, &one, &f, &c->error));
  show_figure(c, q, f);
  hc_study_fragility_free(c->allocator, f);
  return 0;
}

static hc_rc run(cli *c)
{
  const char *shake = "shake";
  cli_question q = {0};
  hc_rc rc = cli_question_open(c, &q);
  if (rc >= 0 && q.over_count == 0) { /* borrowed, and not freed: the count goes back to zero */
    cli_question asked = q;
    asked.over = &shake;
    asked.over_count = 1;
    rc = show(c, &asked);
  } else if (rc >= 0) rc = show(c, &q);
  cli_question_close(c, &q);
  return rc;
}

const cli_command cli_study_shake = {
    .name = "shake",
    .operands = "STUDY",
    .summary = "How fragile a ranking is: how often each pair changes places when the input is shaken.",
    .detail = "The levels of the axis in --over (by default shake) are perturbed copies of one input. A pair "
              "flips in a copy where the one with the worse mean is better.",
    .examples = "hindcast study shake results/shaken.db --axis policy -f bounded_slowdown_mean",
    .flags = flags,
    .min = 1,
    .max = 1,
    .complete = CLI_FILE,
    .run = run,
};
