/* trace.c -- `hindcast trace`: looks at workloads and changes them, without a run. The parts are in
 * cli/trace_*.c. */
#include "cli/trace.h"

const cli_flag cli_window_flags[] = {
    {.name = "from",
     .metavar = "TIME",
     .path = "transforms",
     .many = true,
     .wrap = "{use: window, from: %q}",
     .help = "Only tasks submitted at this time or later, counted from the log's origin: 30d, or seconds."},
    {.name = "until",
     .metavar = "TIME",
     .path = "transforms",
     .many = true,
     .wrap = "{use: window, to: %q}",
     .help = "Only tasks submitted before this time."},
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

static const cli_command *const commands[] = {
    &cli_trace_info,   &cli_trace_head,  &cli_trace_validate, &cli_trace_sort, &cli_trace_convert,
    &cli_trace_sample, &cli_trace_merge, &cli_trace_split,    &cli_trace_mask, NULL};

const cli_command cli_command_trace = {
    .name = "trace",
    .operands = "",
    .summary = "Look at a workload, check it, sort it, change it.",
    .commands = commands,
};
