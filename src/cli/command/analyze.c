/* analyze.c -- `hindcast analyze`: the figures of the schedule that a log recorded, without a simulation. */
#include "cli/analyze_parts.h"

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

/* ---- for its commands ---- */

static hc_rc hand_over(cli *c, hc_store *store,
                       hc_rc (*work)(void *ctx, hc_result *r, const cli_records *tasks), void *ctx)
{
  cli_records tasks = {0};
  hc_result *r = NULL;
  hc_rc rc = hc_result_of_store(store, &r, &c->error);
  if (rc >= 0) rc = cli_records_load(c, r, &tasks);
  if (rc >= 0) rc = work(ctx, r, &tasks);
  cli_records_fini(c, &tasks);
  hc_result_free(r);
  return rc;
}

/* As the log is called, unless something says otherwise. Resolved before. */
static hc_rc name_it(cli *c, hc_config *config)
{
  char name[208], known[208];
  if (cli_config_value(config, "name", known, sizeof known)) return 0;
  cli_stem(c->operands[0], name, sizeof name);
  return hc_config_flag(config, "name", name, false, &c->error);
}

hc_rc cli_analyse_configure(cli *c, hc_config *config)
{
  CLI_TRY(hc_config_flag(config, "task_rows", "all", false, &c->error));
  CLI_TRY(hc_config_flag(config, "metrics", "[tasks]", true, &c->error));
  CLI_TRY(hc_config_resolve(config, &c->error));
  CLI_TRY(name_it(c, config));
  return hc_config_resolve(config, &c->error);
}

hc_rc cli_analyse(cli *c, hc_rc (*prepare)(cli *c, void *ctx, hc_config *config),
                  hc_rc (*work)(void *ctx, hc_result *r, const cli_records *tasks), void *ctx)
{
  hc_config *config;
  hc_store *store = NULL;
  CLI_TRY(cli_config(c, &config));
  hc_rc rc = cli_analyse_configure(c, config);
  if (rc >= 0 && prepare) rc = prepare(c, ctx, config);
  if (rc >= 0) rc = hc_store_new(c->allocator, NULL, &store, &c->error);
  if (rc >= 0) rc = analyse(c, config, store);
  if (rc >= 0) rc = hand_over(c, store, work, ctx);
  hc_store_free(store);
  hc_config_free(config);
  return rc;
}

/* ---- the command itself ---- */

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
  hc_store *store;
  hc_rc rc;
  CLI_TRY(hc_config_resolve(config, &c->error));
  CLI_TRY(name_it(c, config));
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

static const cli_command *const commands[] = {&cli_analyze_limits, &cli_analyze_occupancy, NULL};

const cli_command cli_command_analyze = {
    .name = "analyze",
    .operands = "LOG | RUN.yaml",
    .summary = "Count the schedule that a log recorded, without a simulation.",
    .detail =
        "The same figures as those of a run, over what really happened. Processors are those that were used "
        "(or, if the log does not say, asked for). A log without waiting times has no schedule, and is "
        "refused. With --by it has tables of what the log measured of tasks, too: what they used of what "
        "they asked for, what was wasted, how they ended.",
    .examples = "hindcast analyze KTH.swf.gz\n"
                "hindcast analyze KTH.swf.gz --output results/KTH-real.db\n"
                "hindcast analyze site.yaml --by partition --figures eligible,efficiency\n"
                "hindcast analyze site.yaml --by weekday,hour --figures wait_p90 --svg week.svg",
    .flags = flags,
    .commands = commands,
    .min = 1,
    .max = -1,
    .complete = CLI_FILE,
    .run = run,
};
