/* analyze_parts.h -- commands of `analyze`, and what they share: a log's schedule in memory. */
#ifndef HC_CLI_ANALYZE_PARTS_H
#define HC_CLI_ANALYZE_PARTS_H

#include "cli/groups.h"

extern const cli_command cli_analyze_limits, cli_analyze_occupancy;

/** The configuration of the line, resolved: every task's row, and a name. @return 0, as hc_config_resolve */
hc_rc cli_analyse_configure(cli *c, hc_config *config);
/** Count the schedule that the operands' log recorded, and hand it to `work` with its task rows.
 *  @param prepare  what else the configuration is to say, which it resolves again; may be NULL
 *  @return 0, as hc_analyse, or what the two returned */
hc_rc cli_analyse(cli *c, hc_rc (*prepare)(cli *c, void *ctx, hc_config *config),
                  hc_rc (*work)(void *ctx, hc_result *r, const cli_records *tasks), void *ctx);

#endif
