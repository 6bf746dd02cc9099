/* describe.c -- `hindcast describe`: the manual page of a component, or the reference manual of a kind. */
#include "cli/cli.h"

static const cli_flag own_flags[] = {
    {.name = "json", .help = "Write JSON."},
    {.name = "markdown",
     .help = "Write the reference page of a whole kind (or of all, without a name) in Markdown."},
    {.name = "plugin",
     .metavar = "FILE.so",
     .many = true,
     .complete = CLI_FILE,
     .help = "Load components from a shared object first."},
    {.name = NULL},
};
static const cli_flag *const flags[] = {own_flags, NULL};

static hc_rc run(cli *c)
{
  const char *name = c->operand_count ? c->operands[0] : NULL;
  hc_page page = c->format == CLI_JSON ? HC_PAGE_JSON : HC_PAGE_TEXT;
  hc_sink out = cli_out_sink(c);
  if (!cli_registry(c)) return HC_ENOMEM;
  for (size_t i = 0; i < c->given_count; i++) {
    if (c->given[i].flag == &own_flags[2])
      CLI_TRY(hc_registry_load(c->registry, c->given[i].value, &c->error));
  }
  if (cli_has(c, "markdown")) return hc_manual(c->registry, name, &out, &c->error);
  if (!name)
    return cli_fail(c, HC_EUSAGE,
                    "describe what? A component such as easy or order/sjf, a kind such as order, or run");
  return hc_describe_word(c->registry, name, page, &out, &c->error);
}

const cli_command cli_command_describe = {
    .name = "describe",
    .operands = "NAME | KIND/NAME | KIND",
    .summary = "Describe a component: what it does, its source, its parameters.",
    .detail =
        "`hindcast describe run` lists every key of a run file. Of a kind that has one component, such as "
        "scheduler, it describes that.",
    .examples = "hindcast describe easy\nhindcast describe metric/wait\nhindcast describe run",
    .flags = flags,
    .max = 1,
    .run = run,
};
