/* help.c -- `hindcast help`: what there is, of one command, or the manual page. */
#include "cli/cli.h"

static const cli_flag own_flags[] = {
    {.name = "man", .help = "Write the manual page, hindcast.1, in man(7)."},
    {.name = NULL},
};
static const cli_flag *const flags[] = {own_flags, NULL};

static hc_rc run(cli *c)
{
  const cli_command *command, *part;
  if (cli_has(c, "man")) {
    cli_man(&c->out);
    return 0;
  }
  if (c->operand_count == 0) {
    cli_usage(&c->out);
    return 0;
  }
  command = cli_find(cli_commands, c->operands[0]);
  if (!command) {
    const char *near = cli_nearest_command(cli_commands, c->operands[0]);
    return cli_fail(c, HC_EUSAGE, "there is no command \"%.80s\"%s%s%s", c->operands[0],
                    near ? "; did you mean \"" : "; `hindcast help` lists them", near ? near : "",
                    near ? "\"?" : "");
  }
  if (c->operand_count == 1) {
    cli_help(c, &c->out, command, NULL);
    return 0;
  }
  part = command->commands ? cli_find(command->commands, c->operands[1]) : NULL;
  if (!part)
    return cli_fail(c, HC_EUSAGE,
                    "\"%.80s\" is no command of `hindcast %s`; `hindcast help %s` says what it takes",
                    c->operands[1], command->name, command->name);
  cli_help(c, &c->out, part, command);
  return 0;
}

const cli_command cli_command_help = {
    .name = "help",
    .operands = "[COMMAND]",
    .summary = "Show what the commands do.",
    .flags = flags,
    .max = 2,
    .run = run,
};
