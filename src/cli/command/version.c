/* version.c -- `hindcast version`. */
#include "cli/cli.h"

static const cli_flag *const flags[] = {cli_format_flags, NULL};

static hc_rc run(cli *c)
{
  if (c->format == CLI_JSON) {
    hc_json_writer j = {.out = &c->out};
    hc_json_enter(&j, NULL, '{');
    hc_json_put_text(&j, "version", HC_VERSION);
    hc_json_put_text(&j, "commit", cli_commit());
    hc_json_put_int(&j, "abi", HC_ABI);
    hc_json_put_int(&j, "store_version", HC_STORE_VERSION);
    hc_json_put_text(&j, "compiler", __VERSION__);
    hc_json_leave(&j, '}');
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
