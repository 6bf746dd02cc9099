/* completion.c -- `hindcast completion`. */
#include "cli/cli.h"

static const cli_flag *const flags[] = {NULL};

static hc_rc run(cli *c)
{
  return cli_completion(c, c->operands[0], &c->out);
}

const cli_command cli_command_completion = {
    .name = "completion",
    .operands = "bash|zsh|fish",
    .summary = "Write a completion script for a shell.",
    .examples = "source <(hindcast completion bash)",
    .flags = flags,
    .min = 1,
    .max = 1,
    .complete = "bash|zsh|fish",
    .run = run,
};
