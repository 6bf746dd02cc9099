/* show.c -- `hindcast show`: what a result says, as `run` printed it; and by group (show_by.c). */
#include <string.h>

#include "cli/groups.h"

static const cli_flag own_flags[] = {
    CLI_FLAG_ALL,
    {.name = "config",
     .help = "Show the configuration instead: every key, its value, and where it came from."},
    {.name = "names",
     .help =
         "Show what users, groups, queues and so on are called instead: each number that a task has, what "
         "it is the number of, and its name."},
    {.name = "info", .help = "Show what the run cost instead: versions, times, memory."},
    {.name = "longest",
     .metavar = "N",
     .help = "Show the N tasks that waited longest instead, from submission to start: job, serial, user, "
             "processors, submission, start, wait, run and last state. `hindcast why` says why one waited."},
    {.name = "chart",
     .help = "Draw it with characters instead: utilisation, waiting and running tasks over time, the tasks "
             "that took most, mean waits by size."},
    {.name = "columns",
     .metavar = "N",
     .help = "How wide the chart is, from 60 to 400. Default: the terminal's width, else 80."},
    {.name = "ascii", .help = "Draw the chart in ASCII. Default: on terminals that are not of UTF-8."},
    {.name = NULL},
};
static const cli_flag *const flags[] = {own_flags, cli_by_flags, cli_format_flags, NULL};

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

/* Flags that only make sense together, or never do. */
static hc_rc check_flags(cli *c)
{
  static const char *const others[] = {"all", "config", "names", "info", "longest", "chart"};
  const bool by = cli_has(c, "by");
  const char *shown = by ? "by" : NULL;
  for (size_t i = 0; i < CLI_LEN(others); i++) {
    if (!cli_has(c, others[i])) continue;
    if (shown) return cli_fail(c, HC_EUSAGE, "--%s or --%s, not both", shown, others[i]);
    shown = others[i];
  }
  if (!cli_has(c, "chart") && (cli_has(c, "columns") || cli_has(c, "ascii")))
    return cli_fail(c, HC_EUSAGE, "--columns and --ascii are of the chart; say --chart too");
  if (cli_has(c, "chart") && c->format != CLI_TEXT)
    return cli_fail(c, HC_EUSAGE, "--chart is a picture, not a table; drop --json or --csv");
  return cli_by_check(c);
}

static const cli_column name_columns[] = {
    {.name = "of"}, {.name = "number", .right = true}, {.name = "name"}};

typedef struct name_rows {
  cli_table table;
  hc_result *result;
} name_rows;

static hc_rc add_name(void *ctx, const char *const *values)
{
  name_rows *x = ctx;
  const char *kind = values[1] ? values[1] : "";
  for (int k = 0; k < HC_CALLED_COUNT; k++)
    if (strcmp(kind, hc_called_word((hc_called)k)) == 0) kind = hc_result_title(x->result, (hc_called)k);
  cli_add_text(&x->table, kind);
  cli_add_text(&x->table, values[0] ? values[0] : "");
  cli_add_text(&x->table, values[2] ? values[2] : "");
  return 0;
}

static hc_rc show_names(cli *c, hc_result *r)
{
  name_rows x = {.result = r};
  cli_table_init(&x.table, c->allocator, name_columns, CLI_LEN(name_columns));
  const hc_rc rc = hc_result_rows(r, "names", 3, add_name, &x, &c->error);
  if (rc >= 0 && x.table.count == 0 && c->format == CLI_TEXT)
    hc_buffer_text(&c->out, "no names: users, groups, queues and so on are numbers in it\n");
  else if (rc >= 0) cli_table_show(c, &x.table);
  cli_table_fini(&x.table);
  return rc < 0 ? rc : 0;
}

static hc_rc run(cli *c)
{
  hc_result *r;
  hc_rc rc;
  CLI_TRY(check_flags(c));
  CLI_TRY(cli_result_open(c, c->operands[0], &r));
  if (cli_has(c, "config")) rc = show_rows(c, r, "configuration", 3);
  else if (cli_has(c, "names")) rc = show_names(c, r);
  else if (cli_has(c, "info")) rc = show_rows(c, r, "run_info", 2);
  else if (cli_has(c, "by")) rc = cli_show_by(c, r);
  else if (cli_has(c, "longest")) rc = cli_show_longest(c, r);
  else if (cli_has(c, "chart")) rc = cli_show_chart(c, r);
  else rc = cli_show_result(c, r, cli_has(c, "all"));
  cli_result_close(c, r);
  return rc;
}

const cli_command cli_command_show = {
    .name = "show",
    .operands = "RESULT",
    .summary = "Show a stored result: figures, also by group or as a chart, ledgers, configuration.",
    .examples = "hindcast show results/KTH-easy.db --all\n"
                "hindcast show results/KTH-easy.db --by user --sort wait_mean --limit 20\n"
                "hindcast show results/KTH-easy.db --longest 10\n"
                "hindcast show results/KTH-easy.db --by weekday,hour --csv\n"
                "hindcast show results/KTH-easy.db --chart\n"
                "hindcast show results/KTH-easy.db --config",
    .flags = flags,
    .min = 1,
    .max = 1,
    .complete = CLI_FILE,
    .run = run,
};
