/* show.c -- `hindcast show`: what a result says, as `run` printed it. */
#include "cli/cli.h"

static const cli_flag own_flags[] = {
    CLI_FLAG_ALL,
    {.name = "config",
     .help = "Show the configuration instead: every key, its value, and where it came from."},
    {.name = "info", .help = "Show what the run cost instead: versions, times, memory."},
    {.name = NULL},
};
static const cli_flag *const flags[] = {own_flags, cli_format_flags, NULL};

static const cli_column key_columns[] = {{.name = "key"}, {.name = "value"}, {.name = "origin"}};

static hc_rc add_row(void *ctx, const char *const *values)
{
  cli_table *t = ctx;
  for (size_t i = 0; i < t->width; i++) cli_add_text(t, values[i] ? values[i] : "");
  return 0;
}

static hc_rc show_rows(cli *c, hc_result *r, const char *table, size_t columns)
{
  cli_table t;
  hc_rc rc;
  cli_table_init(&t, c->allocator, key_columns, columns);
  rc = hc_result_rows(r, table, columns, add_row, &t, &c->error);
  if (rc >= 0) cli_table_show(c, &t);
  cli_table_fini(&t);
  return rc < 0 ? rc : 0;
}

static hc_rc run(cli *c)
{
  hc_result *r;
  hc_rc rc;
  CLI_TRY(cli_result_open(c, c->operands[0], &r));
  if (cli_has(c, "config")) rc = show_rows(c, r, "configuration", 3);
  else if (cli_has(c, "info")) rc = show_rows(c, r, "run_info", 2);
  else rc = cli_show_result(c, r, cli_has(c, "all"));
  cli_result_close(c, r);
  return rc;
}

const cli_command cli_command_show = {
    .name = "show",
    .operands = "RESULT",
    .summary = "Show a stored result: figures, ledgers, configuration.",
    .examples = "hindcast show results/KTH-easy.db --all\nhindcast show results/KTH-easy.db --config",
    .flags = flags,
    .min = 1,
    .max = 1,
    .complete = CLI_FILE,
    .run = run,
};
