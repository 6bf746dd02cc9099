/* hostuse.h -- an account of each host in each of the four dimensions that have figures, cpu, memory, disk
 * and gpu: what host_balance and host_use share. A family brings its account and the share that it comes to.
 *
 * Cost: what the family does for each host and dimension of a claim; a look at every account at the end. */
#ifndef HC_METRIC_HOSTUSE_H
#define HC_METRIC_HOSTUSE_H

#include "metric/machine.h"

#define HC_HOST_KNOWN 4
#define HC_HOST_FIGURES(figures) figures("cpu"), figures("memory"), figures("disk"), figures("gpu"), NULL

typedef struct hc_host_table {
  hc_machine machine;
  hc_time last;   /* release; HC_UNKNOWN: none */
  void *accounts; /* [HC_HOST_KNOWN][machine.hosts] */
  size_t size;    /* of one */
} hc_host_table;

/* @return 0 or HC_ENOMEM; hc_host_table_fini after either. */
hc_rc hc_host_table_init(hc_host_table *t, const hc_metric_context *c, size_t size);
void hc_host_table_fini(hc_host_table *t);
hc_rc hc_host_table_visit(hc_host_table *t, hc_visitor *v);
/* Hear changes as the claims that they are of: `claims` is the family's. */
hc_rc hc_host_table_changes(hc_metric *self, const hc_change *changes, size_t count,
                            hc_rc (*claims)(hc_metric *self, const hc_claim_record *c));
/* Find host_mean_WORDcpu, host_variance_WORDcpu and so on: over the hosts that have the dimension; NaN if
 * there is none, or no time. @return 0 or HC_ENOMEM. */
hc_rc hc_host_table_find(const hc_host_table *t, hc_findings *f, const char *word, const hc_metric *self,
                         double (*share_of)(const hc_metric *self, uint32_t host, uint32_t dimension));

/* What is declared, not what is left of it after a change. */
static inline int64_t hc_host_amount(const hc_host_table *t, uint32_t host, uint32_t dimension)
{
  const hc_cell_spec *spec = t->machine.spec;
  return spec->classes[spec->class_of[host]].capacity[dimension];
}

#endif
