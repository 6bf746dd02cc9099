/* digest.c -- `hindcast digest`: equal digests mean equal results. */
#include <stdio.h>

#include "cli/cli.h"

static const cli_flag own_flags[] = {
    {.name = "rule",
     .metavar = "VERSION",
     .help = "By the rule of another schema version of results (1, 2 or 3), to compare a new result with "
             "one that is as old. A result has the digest of its own version, as when it was made; from 3 on "
             "keys at their defaults and tables without rows do not count."},
    {.name = "schedule",
     .help = "Of what happened alone, not of configuration, inputs and rows that were read: runs over one "
             "workload in two formats agree."},
    {.name = NULL},
};
static const cli_flag *const flags[] = {own_flags, cli_format_flags, NULL};
static const cli_column columns[] = {{.name = "digest"}, {.name = "result"}};

/* Of a result that an earlier program wrote: its digest can be compared with those of its like alone. */
static void note_rule(const char *path, int schema)
{
  if (schema < 3)
    (void)fprintf(
        stderr,
        "hindcast: note: %s has schema version %d, and the digest that it was made with; `--rule %d` "
        "gives a newer result its digest by the same rule\n",
        path, schema, schema);
}

/* @param rule  0: that of the result itself */
static hc_rc add_one(cli *c, cli_table *t, const char *path, int64_t rule)
{
  char text[33];
  hc_result *r;
  hc_rc rc;
  CLI_TRY(cli_result_open(c, path, &r));
  const int schema = hc_result_schema(r);
  if (cli_has(c, "schedule")) rc = hc_result_schedule_digest(r, text, &c->error);
  else rc = hc_result_digest_as(r, rule ? (int)rule : schema, text, &c->error);
  cli_result_close(c, r);
  if (rc < 0) return rc;
  if (!rule && !cli_has(c, "schedule")) note_rule(path, schema);
  cli_add_text(t, text);
  cli_add_text(t, path);
  return 0;
}

static hc_rc run(cli *c)
{
  cli_table t;
  int64_t rule = 0;
  hc_rc rc = cli_int(c, "rule", 1, HC_STORE_VERSION, &rule);
  if (rc < 0) return rc;
  if (rule && cli_has(c, "schedule"))
    return cli_fail(c, HC_EUSAGE, "the digest of a schedule has one rule for all versions: leave out --rule");
  cli_table_init(&t, c->allocator, columns, CLI_LEN(columns));
  for (size_t i = 0; rc == 0 && i < c->operand_count; i++) rc = add_one(c, &t, c->operands[i], rule);
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
