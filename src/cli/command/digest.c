/* digest.c -- `hindcast digest`: equal digests mean equal results. */
#include <stdio.h>

#include "cli/cli.h"

static const cli_flag own_flags[] = {
    {.name = "schedule",
     .help = "Of what happened alone, not of configuration, inputs and rows that were read: runs over one "
             "workload in two formats agree."},
    {.name = NULL},
};
static const cli_flag *const flags[] = {own_flags, cli_format_flags, NULL};
static const cli_column columns[] = {{.name = "digest"}, {.name = "result"}};

/* Of a result that an earlier program wrote: its digest can be compared with those of its like alone. */
static void note_version(const char *path, int schema)
{
  if (schema < HC_STORE_VERSION)
    (void)fprintf(stderr,
                  "hindcast: note: %s has schema version %d, and the digest that it was made with, which "
                  "newer results have not; `--schedule` compares with them\n",
                  path, schema);
}

static hc_rc add_one(cli *c, cli_table *t, const char *path)
{
  char text[33];
  hc_result *r;
  hc_rc rc;
  CLI_TRY(cli_result_open(c, path, &r));
  const int schema = hc_result_schema(r);
  rc = (cli_has(c, "schedule") ? hc_result_schedule_digest : hc_result_digest)(r, text, &c->error);
  cli_result_close(c, r);
  if (rc < 0) return rc;
  if (!cli_has(c, "schedule")) note_version(path, schema);
  cli_add_text(t, text);
  cli_add_text(t, path);
  return 0;
}

static hc_rc run(cli *c)
{
  cli_table t;
  hc_rc rc = 0;
  cli_table_init(&t, c->allocator, columns, CLI_LEN(columns));
  for (size_t i = 0; rc == 0 && i < c->operand_count; i++) rc = add_one(c, &t, c->operands[i]);
  if (rc == 0 && c->format == CLI_TEXT) cli_table_text(&t, &c->out, 0, false);
  else if (rc == 0) cli_table_show(c, &t);
  cli_table_fini(&t);
  return rc;
}

const cli_command cli_command_digest = {
    .name = "digest",
    .operands = "RESULT...",
    .summary = "Print the checksum of a result: everything in it but versions, paths and wall times.",
    .detail =
        "The same input, configuration and seed give the same digest whatever the compiler and the machine. "
        "Keys at their defaults and tables without rows do not count: a later program, which could be asked "
        "more, gives the same.",
    .flags = flags,
    .min = 1,
    .max = -1,
    .complete = CLI_FILE,
    .run = run,
};
