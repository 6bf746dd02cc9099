/* slurm.c -- `hindcast slurm`: a real Slurm on this machine. The parts are in cli/slurm_*.c. */
#include "cli/slurm.h"

static const cli_command *const commands[] = {&cli_slurm_up,    &cli_slurm_replay, &cli_slurm_down,
                                              &cli_slurm_users, &cli_slurm_nodes,  NULL};

const cli_command cli_command_slurm = {
    .name = "slurm",
    .operands = "",
    .summary = "Replay a log on a real Slurm, brought up on this machine alone.",
    .commands = commands,
};
