/* slurm_nodes.c -- `hindcast slurm nodes`: virtual nodes for a slurmctld of this machine. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/slurm.h"
#include "slurm/daemon.h"

static const cli_flag own_flags[] = {
    {.name = "port", .metavar = "N", .help = "SlurmdPort of all of them, on 127.0.0.1. Default: 6818."},
    {.name = "controller", .metavar = "N", .help = "SlurmctldPort, on 127.0.0.1. Default: 6817."},
    {.name = "cpus", .metavar = "N", .help = "Processors of each. Default: 1."},
    {.name = "memory", .metavar = "MB", .help = "Memory of each, in MB. Default: 1."},
    {.name = "speed",
     .metavar = "X",
     .help = "How many times as fast as this machine's the clock of slurmctld runs. Default: 1."},
    {.name = "clock",
     .metavar = "FILE",
     .complete = CLI_FILE,
     .help = "Says how far that clock is ahead of this machine's beside its speed, in libfaketime's words; "
             "FILE.next says "
             "when something is to happen next."},
    {.name = "epilog",
     .help = "Nodes report that they are clean after each job, as where an Epilog is configured, upon which "
             "slurmctld schedules at once. Default: only after a job that was killed."},
    {.name = "epilog-takes",
     .metavar = "TIME",
     .help = "How long an Epilog runs, of the jobs' clock: nodes are clean so long after a job. With it "
             "--epilog need not be said. Default: 0."},
    {.name = NULL},
};
static const cli_flag *const flags[] = {own_flags, NULL};

hc_rc cli_slurm_real(cli *c, const char *flag, double least, double most, double *out)
{
  const char *value = cli_value(c, flag);
  double x;
  if (!value) return 0;
  if (hc_parse_real(value, strlen(value), &x) < 0 || !(x >= least && x <= most))
    return cli_fail(c, HC_EUSAGE, "--%s: expected a number from %g to %g, got \"%.80s\"", flag, least, most,
                    value);
  *out = x;
  return 0;
}

hc_rc cli_slurm_epilog(cli *c, bool *has, hc_time *takes)
{
  const char *value = cli_value(c, "epilog-takes");
  *has = cli_has(c, "epilog") || value;
  if (value && (hc_parse_time(value, strlen(value), takes) < 0 || *takes < 0 || *takes > 86400 * HC_SECOND))
    return cli_fail(c, HC_EUSAGE, "--epilog-takes: expected a time of at most a day, got \"%.80s\"", value);
  return 0;
}

static hc_rc run(cli *c)
{
  int64_t port = 6818, controller = 6817, cpus = 1, memory = 1;
  hc_vdaemon_options o = {.speed = 1, .nodes = {.names = c->operands[0]}, .stopped = cli_interrupted};
  CLI_TRY(cli_int(c, "port", 1, 65535, &port));
  CLI_TRY(cli_int(c, "controller", 1, 65535, &controller));
  CLI_TRY(cli_int(c, "cpus", 1, 65533, &cpus));
  CLI_TRY(cli_int(c, "memory", 1, INT64_C(1) << 40, &memory));
  CLI_TRY(cli_slurm_real(c, "speed", 0.001, 1e6, &o.speed));
  o.port = (uint16_t)port;
  o.controller = (uint16_t)controller;
  o.nodes.cpus = (uint16_t)cpus;
  o.nodes.memory = (uint64_t)memory;
  o.clock = cli_value(c, "clock");
  CLI_TRY(cli_slurm_epilog(c, &o.nodes.epilog, &o.nodes.epilog_takes));
  o.nodes.since = (int64_t)time(NULL);
  cli_listen();
  return hc_vdaemon_run(c->allocator, &o, -1, &c->error);
}

const cli_command cli_slurm_nodes = {
    .name = "nodes",
    .operands = "HOSTLIST",
    .summary = "Be all nodes of a Slurm on this machine: one process, one port, jobs that are timers.",
    .detail =
        "For a slurmctld of Slurm 22.05 with AuthType=auth/none, CredType=cred/none, SlurmdTimeout=0 and "
        "one Port for all nodes; `hindcast slurm up` writes such a configuration and starts both. Nothing "
        "of a job is carried out: its script says in a line `#HINDCAST run=SECONDS "
        "end=completed|failed|cancelled|out_of_memory|never exit=N` how long it runs and how it ends. A "
        "script without that line takes a second. Steps (srun) are not served. It serves every program "
        "that reaches the port, which is on 127.0.0.1 and nowhere else, until it is ended.",
    .examples = "hindcast slurm nodes 'n[0001-1000]' --cpus 16 --port 6818 --controller 6817",
    .flags = flags,
    .min = 1,
    .max = 1,
    .run = run,
};
