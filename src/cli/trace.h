/* trace.h -- the subcommands of `hindcast trace`, and the flags that they share. */
#ifndef HC_CLI_TRACE_H
#define HC_CLI_TRACE_H

#include "cli/cli.h"

extern const cli_command cli_trace_info, cli_trace_head, cli_trace_validate, cli_trace_sort,
    cli_trace_convert;
extern const cli_flag cli_window_flags[]; /* --from, --until: of the log; `run` has an --until of its own */

/** Open what the operands and flags say. The configuration is to be freed after the trace. */
hc_rc cli_trace_open(cli *c, const hc_trace_options *o, hc_config **config, hc_trace **out);

#endif
