/* settings.h -- what a slurm.conf says of the scheduler, by Slurm's own names and defaults. */
#ifndef HC_POLICY_SLURM_SETTINGS_H
#define HC_POLICY_SLURM_SETTINGS_H

#include "base/slurm_conf.h"
#include "policy/slurm/preempt_conf.h"

/* Numbers of SchedulerParameters: member, default, least, most. Seconds, but for bf_window and
 * bf_min_age_reserve as Slurm has them, and counts. */
#define HC_SLURM_NUMBERS(X) \
  X(batch_sched_delay, 3, 0, 86400) \
  X(bf_interval, 30, 1, 10800) \
  X(bf_job_part_count_reserve, 0, 0, 100000) \
  X(bf_max_job_assoc, 0, 0, 1000000) \
  X(bf_max_job_part, 0, 0, 1000000) \
  X(bf_max_job_start, 0, 0, 10000) \
  X(bf_max_job_test, 500, 1, 1000000) \
  X(bf_max_job_user, 0, 0, 1000000) \
  X(bf_max_job_user_part, 0, 0, 1000000) \
  X(bf_min_age_reserve, 0, 0, 2592000) \
  X(bf_min_prio_reserve, 0, 0, 4294967295) \
  X(bf_node_space_size, 0, 0, 2000000) \
  X(bf_resolution, 60, 1, 3600) \
  X(bf_window, 1440, 1, 43200) \
  X(bf_window_linear, 0, 0, 86400) \
  X(default_queue_depth, 100, 0, 1000000) \
  X(max_switch_wait, 300, 0, 31536000) \
  X(partition_job_depth, 0, 0, 1000000) \
  X(preempt_min_exempt_priority, 4294967294, 0, 4294967295) \
  X(preempt_reorder_count, 1, 0, 1000) \
  X(sched_interval, 60, -1, 86400) \
  X(sched_max_job_start, 0, 0, 10000)

/* Flags of SchedulerParameters. */
#define HC_SLURM_FLAGS(X) \
  X(bf_hetjob_immediate) \
  X(bf_one_resv_per_job) \
  X(defer) \
  X(preempt_strict_order) \
  X(preempt_youngest_first)

/* bf_hetjob_prio: by what a component of a heterogeneous job stands among other jobs. */
typedef enum hc_slurm_hetjob_prio {
  HC_SLURM_HETJOB_OWN, /* its own tier and priority */
  HC_SLURM_HETJOB_MIN, /* the least of all components */
  HC_SLURM_HETJOB_MAX,
  HC_SLURM_HETJOB_AVG
} hc_slurm_hetjob_prio;

/* Which jobs cannot have their turns together (slices.h): those that have a core in common, a node that has
 * not enough processors for both, or a node. */
typedef enum hc_slurm_slices_by { HC_SLURM_BY_CORES, HC_SLURM_BY_CPUS, HC_SLURM_BY_NODES } hc_slurm_slices_by;

typedef struct hc_slurm_settings {
#define X(name, fallback, least, most) int64_t name;
  HC_SLURM_NUMBERS(X)
#undef X
#define X(name) bool name;
  HC_SLURM_FLAGS(X)
#undef X
  bool has_tree;         /* TopologyPlugin=topology/tree */
  bool tree_is_optional; /* TopologyParam=TopoOptional: for jobs alone that bound their switches */
  bool least_loaded;     /* SelectTypeParameters=CR_LLN: nodes by the share of them that is free */
  bool builtin;          /* SchedulerType=sched/builtin: no backfill */
  bool keeps_memory;     /* SelectTypeParameters counts memory: suspended jobs keep theirs */
  hc_slurm_slices_by slices_by;
  int64_t time_slice;      /* SchedulerTimeSlice, s */
  bool has_epilog;         /* Epilog: an end runs the main scheduler at once */
  int64_t kill_wait;       /* KillWait, s */
  int64_t cred_expire;     /* cred_expire of AuthInfo, s: a requeued job waits for so long and a second */
  int64_t over_time_limit; /* OverTimeLimit, s; HC_SLURM_UNLIMITED */
  int64_t resv_over_run;   /* ResvOverRun, s */
  hc_slurm_hetjob_prio hetjob_prio;
  hc_slurm_preemption preempt;
} hc_slurm_settings;

#define HC_SLURM_UNLIMITED INT64_C(31536000) /* what Slurm plans with where there is no limit: a year, s */

/** All defaults. */
void hc_slurm_settings_default(hc_slurm_settings *s);
/** Take a list of SchedulerParameters ("bf_interval=60,bf_continue") over what is there.
 *  @param where, line  of the list, for errors  @param noted  gets the names of those that play no part here
 *  @return 0; `wrong` (a value that is none, or out of its range; a name that Slurm does not know) or
 * HC_ENOMEM */
hc_rc hc_slurm_settings_parameters(hc_slurm_settings *s, const char *list, hc_rc wrong, const char *where,
                                   uint32_t line, hc_names *noted, hc_error *e);
/** Take all that a slurm.conf says of the scheduler. @return as above, HC_EINPUT with its place */
hc_rc hc_slurm_settings_conf(hc_slurm_settings *s, const hc_conf *conf, hc_names *noted, hc_error *e);

#endif
