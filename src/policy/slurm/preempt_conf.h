/* preempt_conf.h -- what a slurm.conf says of preemption: which jobs may be stopped, and how. */
#ifndef HC_POLICY_SLURM_PREEMPT_CONF_H
#define HC_POLICY_SLURM_PREEMPT_CONF_H

#include "base/slurm_conf.h"

typedef enum hc_slurm_preempt_type {
  HC_SLURM_PREEMPT_NONE,
  HC_SLURM_PREEMPT_TIER, /* preempt/partition_prio */
  HC_SLURM_PREEMPT_QOS
} hc_slurm_preempt_type;

/* PreemptMode, without its flags. */
typedef enum hc_slurm_preempt_mode {
  HC_SLURM_MODE_CLUSTER, /* of a partition or a QOS that says nothing: as the cluster's */
  HC_SLURM_MODE_OFF,
  HC_SLURM_MODE_CANCEL,
  HC_SLURM_MODE_REQUEUE,
  HC_SLURM_MODE_SUSPEND
} hc_slurm_preempt_mode;

typedef struct hc_slurm_preemption {
  hc_slurm_preempt_type type;
  hc_slurm_preempt_mode mode;
  bool gang, within;       /* flags of PreemptMode */
  bool never_requeues;     /* JobRequeue=0: what would be requeued is cancelled, unless it says otherwise */
  int64_t exempt;          /* PreemptExemptTime, s; HC_SLURM_UNLIMITED */
  int64_t message_timeout; /* MessageTimeout, s */
} hc_slurm_preemption;

/* Of a partition. */
typedef struct hc_slurm_part_preemption {
  hc_slurm_preempt_mode mode;
  int64_t grace; /* GraceTime, s */
} hc_slurm_part_preemption;

/** Read a PreemptMode: OFF, CANCEL, REQUEUE or SUSPEND, with GANG and WITHIN beside it.
 *  @param gang, within  set if it says so; may be NULL  @return NULL; or what is wrong with it */
const char *hc_slurm_preempt_mode_read(const char *text, hc_slurm_preempt_mode *mode, bool *gang,
                                       bool *within);
/** Take a pair of a slurm.conf that is about preemption. @return 1: it was; 0; HC_EINPUT with its place */
hc_rc hc_slurm_preempt_take(hc_slurm_preemption *p, const hc_conf_line *l, const hc_conf_pair *pair,
                            hc_error *e);
/** Do PreemptType and PreemptMode go together? As slurmctld does, refuse what does not.
 *  @return 0, HC_EINPUT with the place */
hc_rc hc_slurm_preempt_check(const hc_slurm_preemption *p, const hc_conf *conf, hc_error *e);
/** What a partition says of it. @return 0, HC_EINPUT with the place */
hc_rc hc_slurm_preempt_partition(hc_slurm_part_preemption *p, const hc_conf_defaults *d,
                                 const hc_conf_line *l, hc_error *e);

#endif
