/* trace.c -- `hindcast trace`: looks at workloads and changes them, without a run. The parts are in cli/trace_*.c. */
#include "cli/trace.h"

#define TRANSFORM(words) .path = "transforms", .many = true, .wrap = words

const cli_flag cli_transform_flags[] = {
  {.name = "first", .metavar = "N", TRANSFORM("{use: first, count: %s}"), .help = "Only the first N tasks."},
  {.name = "from", .metavar = "TIME", TRANSFORM("{use: window, from: %q}"),
   .help = "Only tasks submitted at this time or later, counted from the log's origin: 30d, or seconds."},
  {.name = "until", .metavar = "TIME", TRANSFORM("{use: window, to: %q}"),
   .help = "Only tasks submitted before this time."},
  {.name = "where", .metavar = "EXPR", TRANSFORM("{use: filter, where: %q}"),
   .help = "Only tasks for which the expression is true: 'procs > 1 && user == 7'."},
  {.name = "repeat", .metavar = "N", TRANSFORM("{use: repeat, times: %s}"),
   .help = "The whole workload N times over, end to end."},
  {.name = "load", .metavar = "X", TRANSFORM("{use: load, to: %s}"),
   .help = "Scale times between arrivals so that the offered load is X (needs --procs or a log that says it)."},
  {.name = "scale", .metavar = "X", TRANSFORM("{use: scale, factor: %s}"),
   .help = "Scale times between arrivals by this factor of load: 1.2 brings a fifth more work per time."},
  {.name = "sample", .metavar = "X", TRANSFORM("{use: sample, fraction: %s}"), .help = "A random share of the tasks."},
  {.name = "shift", .path = "transforms", .many = true, .value = "shift",
   .help = "Let the first submission be at time zero."},
  {.name = "renumber", .path = "transforms", .many = true, .value = "renumber", .help = "Number the jobs 1, 2, 3 ..."},
  {.name = NULL},
};

hc_rc cli_trace_open(cli *c, const hc_trace_options *o, hc_config **config, hc_trace **out)
{
  hc_rc rc;
  CLI_TRY(cli_config(c, config));
  rc = hc_trace_open(c->allocator, *config, o, out, &c->error);
  if (rc < 0) hc_config_free(*config);
  return rc;
}

static const cli_command *const commands[] = {&cli_trace_info, &cli_trace_head, &cli_trace_validate, &cli_trace_sort,
                                              &cli_trace_convert, NULL};

const cli_command cli_command_trace = {
  .name = "trace",
  .operands = "",
  .summary = "Look at a workload, check it, sort it, change it.",
  .commands = commands,
};
