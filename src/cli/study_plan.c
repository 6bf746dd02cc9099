/* study_plan.c -- `hindcast study plan`: what a study comes to, before it is carried out. */
#include <string.h>
#include <unistd.h>

#include "cli/study.h"

#define TRIALS 8

static const cli_flag flags_of_plan[] = {
    {.name = "points", .help = "List the points: their numbers and levels."},
    {.name = "no-trial", .help = "Do not run a few points to say what the study will cost."},
    {.name = "jobs", .letter = 'j', .metavar = "N", .help = "Worker processes that the estimate is for."},
    {.name = "shake",
     .metavar = "N",
     .help = "So many shaken copies of each workload beside it, whatever the file says."},
    CLI_FLAG_STUDY_SET,
    {.name = NULL},
};
static const cli_flag *const flags[] = {flags_of_plan, cli_format_flags, NULL};

static void list_levels(hc_buffer *out, const hc_study_axis *x)
{
  const uint32_t shown = x->count <= 8 ? x->count : 6;
  for (uint32_t i = 0; i < shown; i++) hc_buffer_printf(out, "%s%s", i ? ", " : "", x->labels[i]);
  if (shown < x->count) hc_buffer_printf(out, ", ... %s", x->labels[x->count - 1]);
}

static hc_rc show_points(cli *c, const hc_study *s, const hc_study_facts *f)
{
  uint32_t *levels = c->allocator->resize(c->allocator->ctx, NULL, 0, (f->axis_count + 1) * sizeof *levels);
  cli_column *columns =
      c->allocator->resize(c->allocator->ctx, NULL, 0, (f->axis_count + 1) * sizeof *columns);
  cli_table t;
  uint64_t number = 0;
  if (levels && columns) {
    columns[0] = (cli_column){.name = "point", .right = true};
    for (uint32_t a = 0; a < f->axis_count; a++) columns[a + 1] = (cli_column){.name = f->axes[a].name};
    cli_table_init(&t, c->allocator, columns, f->axis_count + 1);
    for (uint64_t p = 0; p < f->product; p++) {
      if (!hc_study_has_point(s, p, levels)) continue;
      cli_add_int(&t, (int64_t)number++);
      for (uint32_t a = 0; a < f->axis_count; a++) cli_add_text(&t, f->axes[a].labels[levels[a]]);
    }
    cli_table_show(c, &t);
    cli_table_fini(&t);
  }
  c->allocator->resize(c->allocator->ctx, levels, (f->axis_count + 1) * sizeof *levels, 0);
  c->allocator->resize(c->allocator->ctx, columns, (f->axis_count + 1) * sizeof *columns, 0);
  return levels && columns ? 0 : HC_ENOMEM;
}

static hc_rc show_cost(cli *c, hc_study *s, const hc_study_facts *f)
{
  int64_t jobs = (int64_t)sysconf(_SC_NPROCESSORS_ONLN);
  hc_study_trial trial;
  char each[64], all[64];
  hc_time total;
  CLI_TRY(cli_int(c, "jobs", 1, 1024, &jobs));
  if (cli_has(c, "no-trial")) return 0;
  CLI_TRY(hc_study_try(s, TRIALS, &trial, &c->error));
  const bool is_least = trial.is_cut && trial.points == 1;
  if (trial.seconds < 1) (void)snprintf(each, sizeof each, "%.3g ms", trial.seconds * 1e3);
  else (void)snprintf(each, sizeof each, "%.3g s", trial.seconds);
  total = (hc_time)(trial.seconds * (double)f->points / (double)jobs * 1e9) / HC_SECOND * HC_SECOND;
  all[hc_format_duration(HC_SECOND > total ? HC_SECOND : total, all)] = '\0';
  hc_buffer_printf(
      &c->out, "\n  %llu point%s tried: %s%s each on one core; %s %s in all with %lld worker%s\n",
      (unsigned long long)trial.points, trial.points == 1 ? "" : "s", is_least ? "more than " : "", each,
      is_least ? "more than" : "about", all, (long long)jobs, jobs == 1 ? "" : "s");
  if (trial.failed > 0)
    hc_buffer_printf(&c->out, "  %llu of them failed: %s\n", (unsigned long long)trial.failed, trial.failure);
  return 0;
}

static void show_json(cli *c, const hc_study_facts *f)
{
  hc_json_writer j = {.out = &c->out};
  hc_json_enter(&j, NULL, '{');
  hc_json_put_text(&j, "name", f->name);
  hc_json_put_int(&j, "product", (int64_t)f->product);
  hc_json_put_int(&j, "points", (int64_t)f->points);
  hc_json_put_int(&j, "replications", (int64_t)f->replications);
  hc_json_enter(&j, "axes", '[');
  for (uint32_t a = 0; a < f->axis_count; a++) {
    hc_json_enter(&j, NULL, '{');
    hc_json_put_text(&j, "name", f->axes[a].name);
    hc_json_enter(&j, "levels", '[');
    for (uint32_t i = 0; i < f->axes[a].count; i++) hc_json_put_text(&j, NULL, f->axes[a].labels[i]);
    hc_json_leave(&j, ']');
    hc_json_leave(&j, '}');
  }
  hc_json_leave(&j, ']');
  hc_json_leave(&j, '}');
  hc_buffer_text(&c->out, "\n");
}

static hc_rc show(cli *c, hc_study *s)
{
  hc_study_facts f;
  char count[40];
  size_t width = 24;
  hc_study_facts_of(s, &f);
  if (cli_has(c, "points")) return show_points(c, s, &f);
  if (c->format == CLI_JSON) {
    show_json(c, &f);
    return 0;
  }
  count[hc_format_count((int64_t)f.points, count)] = '\0';
  hc_buffer_printf(&c->out, "study %s: %s%s point%s", f.name, f.stops ? "at most " : "", count,
                   f.points == 1 ? "" : "s");
  if (f.product > f.points) {
    count[hc_format_count((int64_t)f.product, count)] = '\0';
    hc_buffer_printf(&c->out, ", of a product of %s", count);
  }
  hc_buffer_text(&c->out, "\n");
  for (uint32_t a = 0; a < f.axis_count; a++)
    width = strlen(f.axes[a].name) > width ? strlen(f.axes[a].name) : width;
  for (uint32_t a = 0; a < f.axis_count; a++) {
    hc_buffer_printf(&c->out, "  %-*s %5u  ", (int)width, f.axes[a].name, f.axes[a].count);
    list_levels(&c->out, &f.axes[a]);
    hc_buffer_text(&c->out, "\n");
  }
  return show_cost(c, s, &f);
}

static hc_rc run(cli *c)
{
  hc_study *s;
  hc_rc rc;
  CLI_TRY(cli_study_read(c, &s));
  rc = hc_study_look_at_inputs(s, cli_study_missing, c, &c->error);
  if (rc >= 0) rc = show(c, s);
  hc_study_free(s);
  return rc;
}

const cli_command cli_study_plan = {
    .name = "plan",
    .operands = "STUDY.yaml",
    .summary = "Check a study, and say what it comes to: axes, points, cost.",
    .detail = "Everything that can be wrong with the file is found, as `study run` would. Then a few points, "
              "spread over the study, are run to say what all of it will cost.",
    .examples = "hindcast study plan examples/studies/backfilling.yaml\n"
                "hindcast study plan examples/studies/backfilling.yaml --points --csv",
    .flags = flags,
    .min = 1,
    .max = 1,
    .complete = CLI_FILE,
    .run = run,
};
