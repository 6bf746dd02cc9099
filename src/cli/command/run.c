/* run.c -- `hindcast run`: one simulation from a run file, a log, or both, into one result file. */
#include <string.h>

#include "cli/cli.h"

static const cli_flag own_flags[] = {
    CLI_FLAG_PROCS,
    CLI_FLAG_RESULT(
        "Where the result goes. Default: results/NAME.db, with the run's name, or those of log and "
        "policy."),
    {.name = "name",
     .metavar = "NAME",
     .path = "name",
     .help = "What the run is called. Default: the name of the first operand without folders, packing and "
             "format, and what --policy, --order, --select and --place say, joined by +: KTH-sjf+easy. Other "
             "characters than letters, digits, + - _ and . become _."},
    {.name = "seed", .metavar = "N", .path = "seed", .help = "Seed of every random draw."},
    {.name = "until",
     .metavar = "TIME",
     .path = "until",
     .help = "Stop at this virtual time: 30d, or seconds."},
    CLI_FLAG_TRIM,
    {.name = "no-rows", .path = "task_rows", .value = "none", .help = "Store no row per task: figures only."},
    CLI_FLAG_ALL,
    CLI_FLAG_DIGEST,
    CLI_FLAG_QUIET,
    {.name = NULL},
};
static const cli_flag *const flags[] = {
    cli_policy_flags, own_flags, cli_saving_flags, cli_transform_flags, cli_config_flags,
    cli_format_flags, NULL};

/* ---- names ---- */

/* "sjf+easy" from --policy, or from --order, --select and --place. */
static void policy_label(const cli *c, char *out, size_t size)
{
  static const char *const parts[] = {"policy", "order", "select", "place"};
  size_t n = 0;
  out[0] = '\0';
  for (size_t i = 0; i < CLI_LEN(parts); i++) {
    const char *value = cli_value(c, parts[i]);
    if (!value || n + 1 >= size) continue;
    n += (size_t)snprintf(out + n, size - n, "%s%s", n ? "+" : "", value);
  }
  for (char *s = out; *s; s++) {
    bool plain = (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9');
    if (!plain && *s != '+' && *s != '-' && *s != '_' && *s != '.') *s = '_';
  }
}

/* A run without a name is called after its first operand and the policy that the flags say. */
static hc_rc name_run(cli *c, hc_config *config)
{
  char name[512], stem[208], label[200];
  CLI_TRY(hc_config_resolve(config, &c->error));
  if (cli_config_value(config, "name", name, sizeof name)) return 0;
  cli_stem(c->operand_count ? c->operands[0] : "run", stem, sizeof stem);
  policy_label(c, label, sizeof label);
  (void)snprintf(name, sizeof name, "%s%s%s", stem, label[0] ? "-" : "", label);
  CLI_TRY(hc_config_flag(config, "name", name, false, &c->error));
  return hc_config_resolve(config, &c->error);
}

static hc_rc run_config(cli *c, hc_config *config)
{
  CLI_TRY(name_run(c, config));
  return cli_run(c, config, NULL, NULL);
}

static hc_rc run(cli *c)
{
  return cli_with_config(c, run_config);
}

const cli_command cli_command_run = {
    .name = "run",
    .operands = "[RUN.yaml | LOG]...",
    .summary = "Re-run a workload under a policy, and store the result.",
    .detail =
        "An operand that ends in .yaml, .yml or .json is a run file, but for JSON that is itself a log "
        "(Batsim); anything else is a log, plain or packed (.gz, .zst, .xz), or - for standard input. "
        "Later run files are laid over earlier ones. What the flags say wins over --set, which wins "
        "over files; `hindcast describe run` lists every key. The result is one SQLite file, which "
        "takes its name only when the run is complete. A run that is saved (--save-every, --save-at) can "
        "be carried on by `hindcast resume`.",
    .examples = "hindcast run KTH.swf.gz --policy easy\n"
                "hindcast run KTH.swf.gz --policy sjf+easy --procs 128 --output r.db\n"
                "hindcast run my.yaml --set policy.select.depth=4\n"
                "hindcast run big.yaml --save-every 10min",
    .flags = flags,
    .min = 0,
    .max = -1,
    .complete = CLI_FILE,
    .run = run,
};
