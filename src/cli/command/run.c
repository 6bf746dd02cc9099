/* run.c -- `hindcast run`: one simulation from a run file, a log, or both, into one result file. */
#include <string.h>

#include "cli/cli.h"

#define STRIDE 2048 /* instants between two looks at the clock and the signals */

static const cli_flag own_flags[] = {
    CLI_FLAG_PROCS,
    {.name = "output",
     .letter = 'o',
     .metavar = "FILE.db",
     .complete = CLI_FILE,
     .help = "Where the result goes. Default: results/NAME.db, with the run's name, or those of log and "
             "policy."},
    {.name = "name", .metavar = "NAME", .path = "name", .help = "What the run is called."},
    {.name = "seed", .metavar = "N", .path = "seed", .help = "Seed of every random draw."},
    {.name = "until",
     .metavar = "TIME",
     .path = "until",
     .help = "Stop at this virtual time: 30d, or seconds."},
    CLI_FLAG_TRIM,
    {.name = "no-rows", .path = "task_rows", .value = "none", .help = "Store no row per task: figures only."},
    CLI_FLAG_ALL,
    {.name = "digest", .help = "Print the result's checksum too."},
    CLI_FLAG_QUIET,
    {.name = NULL},
};
static const cli_flag *const flags[] = {cli_policy_flags, own_flags,        cli_transform_flags,
                                        cli_config_flags, cli_format_flags, NULL};

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

static void result_path(const cli *c, const hc_config *config, char *out, size_t size)
{
  char name[512] = "run";
  const char *flag = cli_value(c, "output");
  if (flag) {
    (void)snprintf(out, size, "%s", flag);
    return;
  }
  if (cli_config_value(config, "output", out, size)) return;
  (void)cli_config_value(config, "name", name, sizeof name);
  (void)snprintf(out, size, "results/%s.db", name);
}

/* ---- running ---- */

static hc_rc advance(cli *c, hc_run *run)
{
  cli_progress line;
  hc_rc rc;
  cli_progress_begin(&line, c, "running");
  while ((rc = hc_run_advance(run, HC_NEVER, STRIDE, &c->error)) == 1) {
    if (cli_interrupted()) hc_run_cancel(run);
    cli_progress_run(&line, run);
  }
  cli_progress_end(&line);
  if (rc == 0 && cli_interrupted()) return HC_ECANCELLED;
  return rc;
}

static hc_rc simulate(cli *c, hc_config *config, hc_store *store)
{
  double began = cli_wall();
  hc_progress p;
  hc_run *run;
  hc_rc rc;
  CLI_TRY(hc_run_new(c->allocator, config, store, &run, &c->error));
  c->started = true;
  cli_watch(run);
  rc = advance(c, run);
  if (rc >= 0) rc = hc_run_finish(run, &c->error);
  if (rc >= 0) {
    hc_run_progress(run, &p);
    rc = cli_store_info(c, store, began, &p);
  }
  cli_watch(NULL);
  hc_run_free(run);
  if (rc >= 0 && cli_interrupted()) rc = HC_ECANCELLED;
  return rc < 0 ? rc : hc_store_commit(store, &c->error);
}

/* ---- saying so ---- */

static void say_cost(cli *c, hc_result *r)
{
  char wall[64], rate[64], memory[64], text[64], size[40];
  double x;
  if (!cli_result_info(c, r, "run_info", "wall_s", wall, sizeof wall)) return;
  if (!cli_result_info(c, r, "run_info", "tasks_per_s", rate, sizeof rate)) return;
  if (hc_parse_real(rate, strlen(rate), &x) == 0) cli_human((double)(int64_t)x, "1/s", rate);
  if (hc_parse_real(wall, strlen(wall), &x) == 0) (void)snprintf(wall, sizeof wall, "%.3g", x);
  size[0] = '\0';
  if (cli_result_info(c, r, "run_info", "peak_memory_bytes", memory, sizeof memory) &&
      hc_parse_real(memory, strlen(memory), &x) == 0)
    size[hc_format_size((int64_t)x, size)] = '\0';
  (void)snprintf(text, sizeof text, "%s", size);
  hc_buffer_printf(&c->out, "\n  took %s s (%s tasks/s%s%s)\n", wall, rate, text[0] ? ", peak memory " : "",
                   text);
}

static hc_rc show(cli *c, const char *path)
{
  char digest[33];
  hc_result *r;
  hc_rc rc;
  if (cli_has(c, "quiet")) return 0;
  CLI_TRY(cli_result_open(c, path, &r));
  rc = cli_show_result(c, r, cli_has(c, "all"));
  if (rc >= 0 && cli_has(c, "digest")) {
    rc = hc_result_digest(r, digest, &c->error);
    if (rc >= 0 && c->format == CLI_TEXT) hc_buffer_printf(&c->out, "\n  digest %s\n", digest);
  }
  if (rc >= 0 && c->format == CLI_TEXT) {
    if (!cli_has(c, "digest")) say_cost(c, r); /* who prints checksums compares outputs, and times differ */
    if (hc_result_config(r, "world"))
      hc_buffer_printf(&c->out,
                       "\nresult: %s\n"
                       "next:   hindcast show %s --all\n"
                       "        hindcast export %s --format csv --set table=jobs\n",
                       path, path, path);
    else
      hc_buffer_printf(&c->out,
                       "\nresult: %s\n"
                       "next:   hindcast verify %s         check the schedule from its records\n"
                       "        hindcast compare %s OTHER  side by side with another result\n"
                       "        hindcast export %s --format csv\n",
                       path, path, path, path);
  }
  cli_result_close(c, r);
  return rc < 0 ? rc : 0;
}

static hc_rc run_config(cli *c, hc_config *config)
{
  char path[1024];
  hc_store *store;
  hc_rc rc;
  CLI_TRY(name_run(c, config));
  result_path(c, config, path, sizeof path);
  cli_listen(); /* before there is a file that would be left behind */
  CLI_TRY(cli_file_may(c, path));
  CLI_TRY((cli_has(c, "force") ? hc_store_replace : hc_store_new)(c->allocator, path, &store, &c->error));
  rc = simulate(c, config, store);
  hc_store_free(store);
  return rc < 0 ? rc : show(c, path);
}

static hc_rc run(cli *c)
{
  return cli_with_config(c, run_config);
}

const cli_command cli_command_run = {
    .name = "run",
    .operands = "[RUN.yaml | LOG]...",
    .summary = "Re-run a workload under a policy, and store the result.",
    .detail = "An operand that ends in .yaml, .yml or .json is a run file, but for JSON that is itself a log "
              "(Batsim); anything else is a log, plain or packed (.gz, .zst, .xz), or - for standard input. "
              "Later run files are laid over earlier ones. What the flags say wins over --set, which wins "
              "over files; `hindcast describe run` lists every key. The result is one SQLite file, which "
              "takes its name only when the run is complete.",
    .examples = "hindcast run KTH.swf.gz --policy easy\n"
                "hindcast run KTH.swf.gz --policy sjf+easy --procs 128 --output r.db\n"
                "hindcast run my.yaml --set policy.select.depth=4",
    .flags = flags,
    .min = 0,
    .max = -1,
    .complete = CLI_FILE,
    .run = run,
};
