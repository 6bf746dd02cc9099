/* schema.c -- `hindcast schema`: the JSON Schema of a run file, for editors. */
#include "cli/cli.h"

static const cli_flag *const flags[] = {NULL};

static hc_rc run(cli *c)
{
  hc_sink out = cli_out_sink(c);
  hc_registry *r = cli_registry(c);
  return r ? hc_schema(r, &out, &c->error) : HC_ENOMEM;
}

const cli_command cli_command_schema = {
    .name = "schema",
    .operands = "",
    .summary = "Write the JSON Schema of a run file, for editors.",
    .detail = "An editor that knows it completes keys, shows their help, and marks mistakes. For one that "
              "uses the YAML language server, begin a run file with: # yaml-language-server: "
              "$schema=hindcast.schema.json",
    .examples = "hindcast schema > hindcast.schema.json",
    .flags = flags,
    .run = run,
};
