/* compare.h -- what the files of `hindcast compare` share. */
#ifndef HC_CLI_COMPARE_H
#define HC_CLI_COMPARE_H

#include "cli/cli.h"

/** Append a line for each thing that sets a result apart from the first: machine, inputs, workload. Results
 *  whose schedules came from other programs say nothing. @return 0, HC_EIO, HC_ENOMEM */
hc_rc cli_compare_notes(cli *c, const cli_schedule *s, size_t count, hc_buffer *out);

#endif
