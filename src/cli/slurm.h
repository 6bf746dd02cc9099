/* slurm.h -- the subcommands of `hindcast slurm`. */
#ifndef HC_CLI_SLURM_H
#define HC_CLI_SLURM_H

#include "cli/cli.h"
#include "slurm/cluster.h"

extern const cli_command cli_slurm_up, cli_slurm_down, cli_slurm_nodes, cli_slurm_replay, cli_slurm_users;

/** The path of this very program, to be started again. @param out [size] @return 0 or HC_EIO */
hc_rc cli_slurm_program(cli *c, char *out, size_t size);
/** A flag that is a number above 0; `out` is untouched if it was not given. */
/** --epilog and --epilog-takes. */
hc_rc cli_slurm_epilog(cli *c, bool *has, hc_time *takes);
hc_rc cli_slurm_real(cli *c, const char *flag, double least, double most, double *out);

#endif
