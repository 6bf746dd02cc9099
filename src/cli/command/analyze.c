/* analyze.c -- `hindcast analyze`: the figures of the schedule that a log recorded, without a simulation. */
#include "cli/analyze_limits.h"

static const cli_flag own_flags[] = {
    CLI_FLAG_PROCS,
    {.name = "output",
     .letter = 'o',
     .metavar = "FILE.db",
     .complete = CLI_FILE,
     .help = "Keep the result, for compare, verify and export. Default: it is only shown."},
    CLI_FLAG_TRIM,
    CLI_FLAG_ALL,
    CLI_FLAG_QUIET,
    {.name = NULL},
};
static const cli_flag *const flags[] = {own_flags,        cli_by_flags,     cli_transform_flags,
                                        cli_config_flags, cli_format_flags, NULL};

static bool tick(void *ctx, uint64_t done, uint64_t total)
{
  return cli_progress_part(ctx, done, total);
}

static hc_rc analyse(cli *c, hc_config *config, hc_store *store)
{
  double began = cli_wall();
  cli_progress line;
  hc_rc rc;
  cli_progress_begin(&line, c, "reading");
  rc = hc_analyse(c->allocator, config, store, tick, &line, &c->error);
  cli_progress_end(&line);
  if (rc < 0) return rc;
  c->started = true;
  return cli_store_info(c, store, began, NULL);
}

static hc_rc show(cli *c, hc_store *store, const char *path)
{
  hc_result *r;
  hc_rc rc;
  const bool quiet = cli_has(c, "quiet");
  if (quiet && !cli_has(c, "svg")) return 0;
  if (path) rc = cli_result_open(c, path, &r);
  else rc = hc_result_of_store(store, &r, &c->error);
  if (rc < 0) return rc;
  rc = cli_has(c, "by") ? cli_show_by(c, r) : cli_show_result(c, r, cli_has(c, "all"));
  if (rc >= 0 && path && c->format == CLI_TEXT && !cli_is_marked(c))
    hc_buffer_printf(&c->out, "\nresult: %s\n", path);
  cli_result_close(c, r);
  if (quiet) c->out.size = 0; /* the picture was asked for, and the table not */
  return rc;
}

static hc_rc run_config(cli *c, hc_config *config)
{
  const char *path = cli_value(c, "output");
  char name[208], known[208];
  hc_store *store;
  hc_rc rc;
  CLI_TRY(hc_config_resolve(config, &c->error));
  if (!cli_config_value(config, "name", known, sizeof known)) {
    cli_stem(c->operands[0], name, sizeof name);
    CLI_TRY(hc_config_flag(config, "name", name, false, &c->error));
  }
  cli_listen(); /* before there is a file that would be left behind */
  CLI_TRY(cli_file_may(c, path));
  CLI_TRY((cli_has(c, "force") ? hc_store_replace : hc_store_new)(c->allocator, path, &store, &c->error));
  rc = analyse(c, config, store);
  if (rc >= 0 && path) rc = hc_store_commit(store, &c->error);
  if (rc >= 0) rc = show(c, store, path);
  hc_store_free(store);
  return rc;
}

static hc_rc run(cli *c)
{
  CLI_TRY(cli_by_check(c));
  if (cli_has(c, "by") && cli_has(c, "all"))
    return cli_fail(c, HC_EUSAGE, "--by or --all, not both; all columns are --figures all");
  return cli_with_config(c, run_config);
}

static const cli_command *const commands[] = {&cli_analyze_limits, NULL};

const cli_command cli_command_analyze = {
    .name = "analyze",
    .operands = "LOG | RUN.yaml",
    .summary = "Count the schedule that a log recorded, without a simulation.",
    .detail =
        "The same figures as those of a run, over what really happened. Processors are those that were used "
        "(or, if the log does not say, asked for). A log without waiting times has no schedule, and is "
        "refused.",
    .examples = "hindcast analyze KTH.swf.gz\n"
                "hindcast analyze KTH.swf.gz --output results/KTH-real.db",
    .flags = flags,
    .commands = commands,
    .min = 1,
    .max = -1,
    .complete = CLI_FILE,
    .run = run,
};
