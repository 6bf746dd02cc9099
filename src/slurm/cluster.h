/* cluster.h -- a private Slurm on loopback: brought up in a directory of its own, and taken down again.
 *
 * The directory holds all there is of it: slurm.conf for Slurm's commands (SLURM_CONF names it),
 * controller/slurm.conf for slurmctld, state, logs, what jobs completed (jobs.txt), and the list of the
 * processes that were started (processes): known by number and start, so that no other process is
 * ever ended in their place. What is not in that list is not touched, and a directory without it is none of
 * ours.
 *
 * Everything listens on 127.0.0.1. There is no secret anywhere: auth/none. Every user who can run programs
 * on the machine can use the cluster while it is up, whose nodes run nothing (virtual), or run what they
 * are given as its submitter (real). */
#ifndef HC_SLURM_CLUSTER_H
#define HC_SLURM_CLUSTER_H

#include "base/mem.h"

#define HC_CLUSTER_PATH 4096

typedef struct hc_cluster_options {
  const char *directory;
  const char *program;         /* that is started as `PROGRAM slurm nodes ...` */
  const char *conf;            /* a site's slurm.conf; NULL: `nodes` of `cpus` in one partition */
  const char *const *settings; /* [setting_count] KEY=VALUE over those of the file: hc_cluster_set */
  size_t setting_count;
  int64_t nodes, cpus, memory; /* memory: MB of each */
  double speed;                /* seconds of its clock in one; 1: the machine's clock */
  bool jumps;                  /* its clock may be moved ahead: clock.h */
  bool real;                   /* real slurmd, which run what they are given */
  bool epilog;                 /* see vnodes.h */
  hc_time epilog_takes;        /* the same */
  hc_time patience;            /* for nodes to become idle */
} hc_cluster_options;

/* What the directory says of it. */
typedef struct hc_cluster {
  char directory[HC_CLUSTER_PATH];
  int64_t nodes, cpus;
  double speed;
  bool jumps, real, with_memory; /* with_memory: jobs take memory as well */
} hc_cluster;

/** Write the directory, start all, and wait until every node is idle. When that fails, nothing is left
 *  running.
 *  @param note  lines: what of the site's file was left out
 *  @return 0; HC_EUSAGE: the directory is in use, the programs are missing or of another release;
 *  HC_EINPUT: the site's file; HC_EIO: what the programs said; HC_ENOMEM */
hc_rc hc_cluster_up(const hc_allocator *a, const hc_cluster_options *o, hc_cluster *out, hc_buffer *note,
                    hc_error *e);
/** Read what stands in a directory and see that its processes are those that were started there.
 *  @return 0; HC_EUSAGE: none of ours, or not up */
hc_rc hc_cluster_open(const hc_allocator *a, const char *directory, hc_cluster *out, hc_error *e);
/** End its processes, and no others. @param ended, gone  out: how many were ended; had ended before
 *  @return 0; HC_EUSAGE: none of ours; HC_EIO: one does not end */
hc_rc hc_cluster_down(const hc_allocator *a, const char *directory, int *ended, int *gone, hc_error *e);
/** Run one of Slurm's client programs for it: SLURM_CONF is set for this process and its children from here
 *  on.
 *  @param said  what it writes @return 0; HC_EIO with its words when it fails; HC_EUSAGE: it is missing */
hc_rc hc_cluster_ask(const hc_allocator *a, const hc_cluster *c, const char *const *argv, hc_buffer *said,
                     hc_error *e);
/** A path below the directory. @param out [HC_CLUSTER_PATH] */
void hc_cluster_path(const hc_cluster *c, const char *name, char *out);

/** A line of slurm.conf about scheduling that comes behind the others, of which the last holds. @return 0,
 *  HC_EUSAGE */
hc_rc hc_cluster_set(const char *setting, hc_buffer *lines, hc_buffer *parameters, hc_error *e);
/** The site's slurm.conf as the private cluster takes it: lines of nodes (on `port`), partitions and
 *  scheduling; and the keys that were left out, as lines of a note. Used by hc_cluster_up, and for itself
 *  by tests.
 *  @param names  out: a list of all nodes; @param cpus out: the most of a node @return 0, HC_EINPUT,
 *  HC_ENOMEM */
hc_rc hc_cluster_take_conf(const hc_allocator *a, const char *path, const char *host, uint16_t port,
                           hc_buffer *lines, hc_buffer *names, hc_buffer *parameters, int64_t *cpus,
                           hc_buffer *note, hc_error *e);

#endif
