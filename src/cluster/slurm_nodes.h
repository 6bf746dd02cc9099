/* slurm_nodes.h -- the nodes of a slurm.conf as hosts: what its lines NodeName say, with the defaults before
 * them, and the kinds of GPUs that a gres.conf adds. */
#ifndef HC_CLUSTER_SLURM_NODES_H
#define HC_CLUSTER_SLURM_NODES_H

#include "base/hostlist.h"
#include "base/slurm_conf.h"
#include "cluster/host_builder.h"

/** A list of names in a line, whose place errors have. */
static inline hc_hostlist hc_conf_list(const hc_conf_line *l, const char *text,
                                       hc_rc (*take)(void *ctx, const char *name, hc_error *e), void *ctx)
{
  return (hc_hostlist){
      .text = text, .wrong = HC_EINPUT, .where = l->file, .line = l->line, .take = take, .ctx = ctx};
}

/* Nodes that are no hosts: they are down, or there in the future only. */
typedef struct hc_slurm_nodes {
  hc_host_builder *b;
  const hc_conf *gres; /* NULL: none */
  hc_conf_defaults defaults;
  hc_names left_out; /* by name */
  uint32_t lines;    /* that name nodes */
  uint32_t devices;  /* lines whose GPUs are of several kinds */
} hc_slurm_nodes;

void hc_slurm_nodes_init(hc_slurm_nodes *n, hc_host_builder *b, const hc_conf *gres);
void hc_slurm_nodes_fini(hc_slurm_nodes *n);
/** Take a line "NodeName=...". @return 0; HC_EINPUT (an amount that is none, a name that stands twice; with
 * its place), HC_ELIMIT, HC_ENOMEM. */
hc_rc hc_slurm_nodes_line(hc_slurm_nodes *n, const hc_conf_line *l, hc_error *e);
/** All lines are taken, and nothing but these: number the hosts as slurmctld counts its nodes, by name, whose digits
 *  are numbers. @return 0, HC_ENOMEM */
hc_rc hc_slurm_nodes_sort(hc_slurm_nodes *n);
/** Whether a node is known, as a host or as one that is left out. */
bool hc_slurm_nodes_knows(const hc_slurm_nodes *n, const char *name, bool *is_host);

#endif
