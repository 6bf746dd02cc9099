/* resume.c -- `hindcast resume`: a run goes on from where it was saved, to the result of one in one piece. */
#include "cli/cli.h"

static const cli_flag own_flags[] = {
    CLI_FLAG_RESULT("Where the result goes. Default: where the saved run said."),
    CLI_FLAG_ALL,
    CLI_FLAG_DIGEST,
    CLI_FLAG_QUIET,
    CLI_FLAG_FORCE,
    {.name = NULL},
};
static const cli_flag *const flags[] = {own_flags, cli_saving_flags, cli_format_flags, NULL};

static hc_rc go_on(cli *c, hc_saved *saved)
{
  hc_registry *registry = cli_registry(c);
  hc_config *config;
  hc_rc rc;
  if (!registry) return cli_fail(c, HC_ENOMEM, "out of memory");
  CLI_TRY(hc_saved_config(saved, registry, &config, &c->error));
  c->config = config;
  rc = cli_run(c, config, saved, NULL);
  c->config = NULL;
  hc_config_free(config);
  return rc;
}

static hc_rc run(cli *c)
{
  return cli_with_save(c, go_on);
}

const cli_command cli_command_resume = {
    .name = "resume",
    .operands = "SAVE",
    .summary = "Carry a saved run on, to the result of a run in one piece.",
    .detail =
        "A save is what `hindcast run --save-every` or `--save-at` wrote. Program, configuration, inputs and "
        "shared objects have to be those of the saved run: what is another one now is named. A run that was "
        "saved every so often goes on to be, in the same file, unless --save names another.",
    .examples = "hindcast run big.yaml --save-every 10min\n"
                "hindcast resume results/big.save",
    .flags = flags,
    .min = 1,
    .max = 1,
    .complete = CLI_FILE,
    .run = run,
};
