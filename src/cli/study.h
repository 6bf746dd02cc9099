/* study.h -- what the files of `hindcast study` share. */
#ifndef HC_CLI_STUDY_H
#define HC_CLI_STUDY_H

#include "cli/cli.h"

extern const cli_command cli_study_plan, cli_study_run, cli_study_status, cli_study_resume, cli_study_merge;

#define CLI_FLAG_STUDY_SET \
  { \
    .name = "set", .letter = 's', .metavar = "PATH=VALUE", .many = true, .complete = "path", \
    .help = \
        "Set a key of the study (replications=20, axes.load=[0.5, 0.9], stop=), or else of the base of " \
        "every point, over what the file has; it belongs to the study from then on. An axis that sets a " \
        "key of the base too is an error." \
  }

/** Read the study that the first operand names, with --set and --shake laid upon it. */
hc_rc cli_study_read(cli *c, hc_study **out);
/** Note on standard error, unless --quiet, that a file which some points need is not there. @param ctx the
 *  cli */
hc_rc cli_study_missing(void *ctx, const char *text);
/** Where its store is: --out, else results/NAME.db. */
void cli_study_path(const cli *c, const hc_study *s, char *out, size_t size);

#endif
