/* trace_make.c -- `hindcast trace sort`, `convert`, `sample` and `merge`: workloads made of workloads. */
#include <stdlib.h>
#include <string.h>

#include "cli/trace.h"

/* ---- sort ---- */

static const cli_flag sort_flags[] = {
    CLI_FLAG_WRITE_HERE,
    {.name = "memory",
     .letter = 'm',
     .metavar = "SIZE",
     .help = "How much may be held in memory at once: 64MiB, 2GB. Default: 256MiB."},
    CLI_FLAG_QUIET,
    {.name = NULL},
};
static const cli_flag *const sort_tables[] = {sort_flags, cli_config_flags, NULL};

static bool sort_tick(void *ctx, uint64_t done, uint64_t total)
{
  return cli_progress_part(ctx, done, total);
}

static hc_rc sort_config(cli *c, hc_config *config, size_t memory)
{
  const char *output = cli_value(c, "output");
  cli_progress line;
  const hc_sort_options options = {
      .memory = memory, .tick = sort_tick, .tick_ctx = &line, .replaces = cli_has(c, "force")};
  hc_rc rc;
  cli_listen();
  CLI_TRY(hc_config_resolve(config, &c->error));
  c->config = config;
  rc = cli_file_may(c, output);
  c->config = NULL;
  if (rc < 0) return rc;
  cli_progress_begin(&line, c, "sorting");
  rc = hc_trace_sort_source(c->allocator, config, output ? output : "-", &options, &c->error);
  cli_progress_end(&line);
  return rc;
}

static hc_rc sort(cli *c)
{
  const char *size = cli_value(c, "memory");
  int64_t memory = (int64_t)256 << 20;
  hc_config *config;
  hc_rc rc;
  if (size && (hc_parse_size(size, strlen(size), &memory) < 0 || memory < 1 << 20))
    return cli_fail(c, HC_EUSAGE, "--memory: expected a size of at least 1MiB, such as 256MiB, got \"%.80s\"",
                    size);
  CLI_TRY(cli_config(c, &config));
  rc = sort_config(c, config, (size_t)memory);
  hc_config_free(config);
  return rc;
}

const cli_command cli_trace_sort = {
    .name = "sort",
    .operands = "[RUN.yaml | LOG]",
    .summary = "Sort the lines of a log by time of submission, whatever its size, in bounded memory.",
    .detail =
        "An external merge sort, stable, by submission and number. Comments and titles come first, then rows "
        "whose time cannot be read; lines stay as they are. For every format that has a row on each line.",
    .examples =
        "hindcast trace sort messy.swf.zst --output sorted.swf\n"
        "hindcast trace sort table.csv --set source.0.submit=submit_time --memory 1GiB --output sorted.csv\n"
        "hindcast trace sort --set 'source={use: alibaba_v2018, file: batch_task.csv}' --output sorted.csv",
    .flags = sort_tables,
    .min = 0,
    .max = 1,
    .complete = CLI_FILE,
    .run = sort,
};

/* ---- convert, sample, merge ---- */

#define FLAG_PROCS_OF_TRACE \
  { \
    .name = "procs", .letter = 'n', .metavar = "N", .path = "cell.procs", \
    .help = "Processors of the machine, for --load and the header. Default: as the log says." \
  }
#define FLAG_USABLE \
  { \
    .name = "usable", .help = "Leave out what a run could not use, by its rules." \
  }

static const cli_flag convert_flags[] = {
    CLI_FLAG_WRITE_HERE, FLAG_PROCS_OF_TRACE, FLAG_USABLE, {.name = NULL}};
static const cli_flag *const convert_tables[] = {convert_flags,       cli_to_flags,     cli_window_flags,
                                                 cli_transform_flags, cli_config_flags, NULL};

static hc_rc convert(cli *c)
{
  return cli_trace_write(c, &(cli_trace_job){.doing = "converted",
                                             .progress = "converting",
                                             .mode = cli_has(c, "usable") ? HC_TRACE_TASKS : HC_TRACE_ROWS,
                                             .fewer = cli_trace_changes(c)});
}

const cli_command cli_trace_convert = {
    .name = "convert",
    .operands = "[RUN.yaml | LOG]...",
    .summary = "Write a workload in a format: filtered, scaled, repeated, merged.",
    .detail =
        "Several logs are merged by time of submission. Flags that change tasks are applied in the order in "
        "which they stand. Rows stay as they are unless a flag says otherwise. What the format cannot hold "
        "is counted and said on standard error.",
    .examples = "hindcast trace convert KTH.swf.gz --first 1000 --shift --output small.swf\n"
                "hindcast trace convert KTH.swf.gz --to cache --output KTH.hct\n"
                "hindcast trace convert a.swf --repeat 5 --load 0.9 --procs 256 --output big.swf\n"
                "hindcast trace convert a.swf --where 'procs > 1' --from 30d --until 60d",
    .flags = convert_tables,
    .min = 0,
    .max = -1,
    .complete = CLI_FILE,
    .run = convert,
};

static const cli_flag sample_flags[] = {
    {.name = "rate",
     .letter = 'r',
     .metavar = "X",
     .path = "transforms",
     .many = true,
     .wrap = "{use: sample, fraction: %s}",
     .help = "Which share of the tasks to keep, from 0 to 1; each is kept or not by a draw of its own."},
    CLI_FLAG_WRITE_HERE,
    FLAG_PROCS_OF_TRACE,
    FLAG_USABLE,
    {.name = NULL},
};
static const cli_flag *const sample_tables[] = {sample_flags,        cli_to_flags,     cli_window_flags,
                                                cli_transform_flags, cli_config_flags, NULL};

static hc_rc sample(cli *c)
{
  if (!cli_has(c, "rate"))
    return cli_fail(c, HC_EUSAGE, "which share of the tasks? --rate 0.1 keeps about every tenth");
  return cli_trace_write(c, &(cli_trace_job){.doing = "sampled",
                                             .progress = "sampling",
                                             .mode = cli_has(c, "usable") ? HC_TRACE_TASKS : HC_TRACE_ROWS,
                                             .fewer = true});
}

const cli_command cli_trace_sample = {
    .name = "sample",
    .operands = "[RUN.yaml | LOG]...",
    .summary = "Write a random share of a workload's tasks.",
    .detail = "The same seed draws the same tasks: --set seed=2 draws others.",
    .examples = "hindcast trace sample KTH.swf.gz --rate 0.1 --output tenth.swf",
    .flags = sample_tables,
    .min = 0,
    .max = -1,
    .complete = CLI_FILE,
    .run = sample,
};

static const cli_flag merge_flags[] = {
    {.name = "shared",
     .path = "users",
     .value = "shared",
     .help =
         "The logs mean the same people: equal names, and numbers where there are no names, are one user, "
         "group or queue, and ids stay as they are. For parts of one log."},
    {.name = NULL},
};
static const cli_flag *const merge_tables[] = {
    merge_flags, convert_flags, cli_to_flags, cli_window_flags, cli_transform_flags, cli_config_flags, NULL};

static hc_rc merge(cli *c)
{
  return cli_trace_write(c, &(cli_trace_job){.doing = "merged",
                                             .progress = "merging",
                                             .mode = cli_has(c, "usable") ? HC_TRACE_TASKS : HC_TRACE_ROWS,
                                             .fewer = true});
}

const cli_command cli_trace_merge = {
    .name = "merge",
    .operands = "LOG LOG...",
    .summary = "Put several workloads together, by time of submission.",
    .detail =
        "Times count from each log's own origin; the header is that of the first. Users, groups, queues and "
        "ids of the logs are kept apart: n of the log at place k, from 0, is n + k * 10^12, and its bob is "
        "\"b/bob\" (`prefix` says otherwise), unless --shared says that they mean the same. --renumber "
        "numbers the jobs 1, 2, 3 ... over all logs.",
    .examples = "hindcast trace merge a.swf b.swf.gz --renumber --output both.swf\n"
                "hindcast trace merge month-1.swf month-2.swf --shared --output two-months.swf",
    .flags = merge_tables,
    .min = 2,
    .max = -1,
    .complete = CLI_FILE,
    .run = merge,
};
