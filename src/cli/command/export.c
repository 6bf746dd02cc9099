/* export.c -- `hindcast export`: a result in another format, to standard output or a file. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

static const cli_flag own_flags[] = {
    {.name = "format",
     .letter = 'f',
     .metavar = "NAME",
     .complete = "kind:exporter",
     .help = "Which format (`hindcast list exporter`). Default: csv."},
    {.name = "set",
     .letter = 's',
     .metavar = "OPTION=VALUE",
     .many = true,
     .help = "An option of the format, such as table=summary (`hindcast describe exporter/csv`)."},
    CLI_FLAG_WRITE_HERE,
    CLI_FLAG_FORCE,
    {.name = "plugin",
     .metavar = "FILE.so",
     .many = true,
     .complete = CLI_FILE,
     .help = "Load components from a shared object first."},
    {.name = NULL},
};
static const cli_flag *const flags[] = {own_flags, NULL};

/* What metrics make are tables to people, and rows of one table of the store. */
static hc_rc check_table(cli *c, const char *setting)
{
  const char *table = strncmp(setting, "table=", 6) == 0 ? setting + 6 : "";
  if (strncmp(table, "by_", 3) != 0 && strcmp(table, "series") != 0) return 0;
  return cli_fail(
      c, HC_EUSAGE,
      "--set: the rows of \"%.80s\" are in the table of cells: --set table=cells, where the column table is "
      "%.80s",
      table, table);
}

static hc_rc write_result(cli *c, hc_result *r, const char *const *settings, size_t count)
{
  const char *format = cli_value(c, "format");
  cli_file file;
  hc_rc rc;
  CLI_TRY(cli_file_open(c, cli_value(c, "output"), &file));
  rc = hc_export_result(c->allocator, c->registry, format ? format : "csv", settings, count, r, &file.sink,
                        &c->error);
  if (rc >= 0) rc = hc_result_check(r, &c->error);
  if (rc >= 0) return cli_file_commit(&file);
  cli_file_drop(&file);
  return rc;
}

static hc_rc run(cli *c)
{
  const char **settings = calloc(c->given_count + 1, sizeof *settings);
  hc_result *r = NULL;
  size_t count = 0;
  hc_rc rc = settings && cli_registry(c) ? 0 : HC_ENOMEM;
  for (size_t i = 0; rc == 0 && i < c->given_count; i++) {
    const char *name = c->given[i].flag->name;
    if (strcmp(name, "set") == 0) {
      settings[count++] = c->given[i].value;
      rc = check_table(c, c->given[i].value);
    }
    if (strcmp(name, "plugin") == 0) rc = hc_registry_load(c->registry, c->given[i].value, &c->error);
  }
  if (rc >= 0) rc = cli_result_open(c, c->operands[0], &r);
  if (rc >= 0) rc = write_result(c, r, settings, count);
  cli_result_close(c, r);
  free(settings);
  return rc;
}

const cli_command cli_command_export = {
    .name = "export",
    .operands = "RESULT",
    .summary = "Write a result in another format.",
    .examples = "hindcast export results/KTH-easy.db --format csv > tasks.csv\n"
                "hindcast export results/KTH-easy.db --format csv --set table=summary\n"
                "hindcast export results/KTH-easy.db --format swf --output KTH-easy.swf",
    .flags = flags,
    .min = 1,
    .max = 1,
    .complete = CLI_FILE,
    .run = run,
};
