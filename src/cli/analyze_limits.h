/* analyze_limits.h -- `hindcast analyze limits`, a command of `analyze`. */
#ifndef HC_CLI_ANALYZE_LIMITS_H
#define HC_CLI_ANALYZE_LIMITS_H

#include "cli/groups.h"

extern const cli_command cli_analyze_limits;

#endif
