/* version.c -- `hindcast version`. */
#include "cli/cli.h"

static const cli_flag *const flags[] = {cli_format_flags, NULL};

static hc_rc run(cli *c)
{
  if (c->format == CLI_JSON) {
    cli_json j = {.out = &c->out};
    cli_json_open(&j, NULL, '{');
    cli_json_text(&j, "version", HC_VERSION);
    cli_json_text(&j, "commit", cli_commit());
    cli_json_int(&j, "abi", HC_ABI);
    cli_json_int(&j, "store_version", HC_STORE_VERSION);
    cli_json_text(&j, "compiler", __VERSION__);
    cli_json_close(&j, '}');
    return 0;
  }
  hc_buffer_printf(&c->out, "hindcast " HC_VERSION " (commit %s)\n", cli_commit());
  return 0;
}

const cli_command cli_command_version = {
    .name = "version",
    .operands = "",
    .summary = "Say which version this is.",
    .flags = flags,
    .run = run,
};
