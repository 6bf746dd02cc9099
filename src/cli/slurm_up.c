/* slurm_up.c -- `hindcast slurm up` and `down`: a private Slurm on loopback. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/slurm.h"

static const cli_flag up_flags[] = {
    {.name = "nodes",
     .letter = 'n',
     .metavar = "N",
     .help = "How many nodes, named n1 and so on. Default: 64."},
    {.name = "cpus", .metavar = "N", .help = "Processors of each. Default: 16."},
    {.name = "memory", .metavar = "MB", .help = "Memory of each, in MB. Default: 64000."},
    {.name = "conf",
     .metavar = "slurm.conf",
     .complete = CLI_FILE,
     .help =
         "Nodes, partitions and scheduling of a site's file instead; what else it says is left out, by name. "
         "Default: one partition, Slurm's own defaults."},
    {.name = "setting",
     .metavar = "KEY=VALUE",
     .many = true,
     .help = "A setting of slurm.conf about scheduling, over the file's: KillWait=2. May be given again."},
    {.name = "speed",
     .metavar = "X",
     .help =
         "How many times as fast as this machine's the clock of slurmctld runs, by libfaketime. Default: 1."},
    {.name = "jump",
     .help =
         "Its clock may be moved ahead as well: `replay` moves it to the next event while nothing happens."},
    {.name = "real",
     .help = "Start slurmd, one process a node, which run what they are given: for jobs that do something, "
             "such as "
             "those of `study run --via slurm`. Needs root. Default: virtual nodes, one process for all."},
    {.name = "epilog",
     .help = "Virtual nodes report that they are clean after each job, as where an Epilog is configured."},
    {.name = "epilog-takes",
     .metavar = "TIME",
     .help = "How long that Epilog runs: nodes are clean so long after a job. Default: 0."},
    {.name = "patience",
     .metavar = "TIME",
     .help = "How long to wait until all nodes are idle. Default: 60s."},
    CLI_FLAG_QUIET,
    {.name = NULL},
};
static const cli_flag *const up_tables[] = {up_flags, NULL};
static const cli_flag *const down_tables[] = {NULL};

hc_rc cli_slurm_program(cli *c, char *out, size_t size)
{
  const ssize_t n = readlink("/proc/self/exe", out, size - 1);
  if (n <= 0) return cli_fail(c, HC_EIO, "the path of this program cannot be told: %s", strerror(errno));
  out[n] = '\0';
  return 0;
}

static hc_rc read_options(cli *c, hc_cluster_options *o, const char **settings)
{
  const char *patience = cli_value(c, "patience");
  for (size_t i = 0; i < c->given_count; i++)
    if (strcmp(c->given[i].flag->name, "setting") == 0) settings[o->setting_count++] = c->given[i].value;
  o->settings = settings;
  CLI_TRY(cli_int(c, "nodes", 1, 65533, &o->nodes));
  CLI_TRY(cli_int(c, "cpus", 1, 65533, &o->cpus));
  CLI_TRY(cli_int(c, "memory", 1, INT64_C(1) << 32, &o->memory));
  CLI_TRY(cli_slurm_real(c, "speed", 1, 10000, &o->speed));
  if (patience && (hc_parse_time(patience, strlen(patience), &o->patience) < 0 || o->patience < HC_SECOND))
    return cli_fail(c, HC_EUSAGE, "--patience: expected a time of a second at least, got \"%.80s\"",
                    patience);
  o->conf = cli_value(c, "conf");
  o->jumps = cli_has(c, "jump");
  o->real = cli_has(c, "real");
  CLI_TRY(cli_slurm_epilog(c, &o->epilog, &o->epilog_takes));
  if (o->conf && (cli_has(c, "nodes") || cli_has(c, "cpus")))
    return cli_fail(c, HC_EUSAGE, "--conf names the nodes: leave --nodes and --cpus out");
  return 0;
}

static hc_rc up(cli *c)
{
  char program[4096];
  hc_cluster_options o = {.directory = c->operands[0],
                          .program = program,
                          .nodes = 64,
                          .cpus = 16,
                          .memory = 64000,
                          .speed = 1,
                          .patience = 60 * HC_SECOND};
  const double began = cli_wall();
  hc_cluster *cluster = calloc(1, sizeof *cluster);
  hc_buffer note;
  const char **settings = calloc(c->given_count + 1, sizeof *settings);
  hc_rc rc = cluster && settings ? read_options(c, &o, settings) : cli_fail(c, HC_ENOMEM, "out of memory");
  hc_buffer_init(&note, c->allocator);
  if (rc >= 0) rc = cli_slurm_program(c, program, sizeof program);
  c->started = rc >= 0;
  if (rc >= 0) rc = hc_cluster_up(c->allocator, &o, cluster, &note, &c->error);
  if (rc >= 0 && !cli_has(c, "quiet")) {
    hc_buffer_printf(&c->out, "%s: %" PRId64 " nodes idle after %.1f s", cluster->directory, cluster->nodes,
                     cli_wall() - began);
    if (cluster->speed > 1) hc_buffer_printf(&c->out, ", clock %g times as fast", cluster->speed);
    hc_buffer_printf(&c->out, "\n%s", note.size ? note.data : "");
    hc_buffer_printf(&c->out,
                     "ask it    SLURM_CONF=%s/slurm.conf sinfo\n"
                     "replay    hindcast slurm replay LOG --on %s --output real.db\n"
                     "end it    hindcast slurm down %s\n",
                     cluster->directory, c->operands[0], c->operands[0]);
  }
  hc_buffer_fini(&note);
  free(settings);
  free(cluster);
  return rc;
}

const cli_command cli_slurm_up = {
    .name = "up",
    .operands = "DIR",
    .summary = "Bring up a private Slurm on loopback, with virtual nodes.",
    .detail =
        "In DIR, which is made or empty, are then its slurm.conf, its state, its logs and the list of its "
        "processes; nothing elsewhere is written. It needs slurmctld and Slurm's programs (Debian: "
        "slurm-wlm), virtual nodes those of Slurm 22.05, and a clock of its own libfaketime. Everything "
        "listens on 127.0.0.1, without a password (auth/none): every program on this machine can use it. "
        "If it does not come up, nothing is left running.",
    .examples = "hindcast slurm up /tmp/slurm --nodes 64 --cpus 16 --speed 200\n"
                "hindcast slurm up /tmp/slurm --conf site/slurm.conf --speed 100",
    .flags = up_tables,
    .min = 1,
    .max = 1,
    .run = up,
};

static hc_rc down(cli *c)
{
  int ended = 0, gone = 0;
  const hc_rc rc = hc_cluster_down(c->allocator, c->operands[0], &ended, &gone, &c->error);
  if (rc < 0) return rc;
  hc_buffer_printf(&c->out, "%s: %d process%s ended", c->operands[0], ended, ended == 1 ? "" : "es");
  if (gone) hc_buffer_printf(&c->out, ", %d had ended before", gone);
  hc_buffer_text(&c->out, "; its logs are still there\n");
  return 0;
}

const cli_command cli_slurm_down = {
    .name = "down",
    .operands = "DIR",
    .summary = "End the processes that `up` started there, and no others.",
    .detail =
        "A process is known by its number and its start, as they stand in DIR/processes; one that has the "
        "number of another by now is left alone. A directory that `up` did not make is refused.",
    .flags = down_tables,
    .min = 1,
    .max = 1,
    .run = down,
};
