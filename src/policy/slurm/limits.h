/* limits.h -- which limit of an association, a QOS or a partition keeps a job from being submitted or
 * started.
 *
 * Limits are looked at three times, as in slurmctld: when a job is submitted (counts of submitted jobs; what
 * no wait would help with only under a QOS with DenyOnLimit, or without QOS), before hosts are chosen for it
 * (counts of jobs, walls) and behind (amounts, minutes of TRES). A job's QOS is looked at with that of its
 * partition: the partition's first, unless the job's has OverPartQOS; a limit that the first has hides that
 * of the second, and both hide that of associations. Then its association and all above it: limits Grp...
 * of each, limits Max... of its own, which has those of what is above (assoc.h). In each the first limit in
 * Slurm's order is named, with the name that squeue shows.
 *
 * Counters are the caller's to move: submitted, withdrawn, started, ended. Nodes are counted once, however
 * many jobs of the same association, user or account of a QOS share them. Minutes used are those of
 * usage.h, which decay. Without AccountingStorageEnforce nothing is looked at; without limits in it only
 * whether there is an association and whether it may use the QOS.
 *
 * Not modelled: limits of accruing jobs, MaxTRESRunMins..., UsageThreshold, MinPrioThreshold, GraceTime
 * (hc_slurm_assocs_note lists them), limits set by an administrator for one job, several partitions of one
 * job.
 * Source: Slurm 22.05.8, https://slurm.schedmd.com/resource_limits.html. */
#ifndef HC_POLICY_SLURM_LIMITS_H
#define HC_POLICY_SLURM_LIMITS_H

#include "policy/slurm/factors.h"

/* A job, as limits look at it. */
typedef struct hc_slurm_asked {
  uint32_t assoc, qos;      /* HC_SLURM_NONE */
  uint32_t part_qos;        /* QOS of its partition; HC_SLURM_NONE */
  hc_time limit;            /* its time limit; HC_UNKNOWN: it names none; HC_NEVER: none */
  hc_time part_limit;       /* that of its partition for jobs that name none; HC_NEVER: none */
  hc_slurm_amounts amounts; /* that it asks for or holds, nodes and billing too */
  const hc_range *nodes;    /* [node_ranges] that were chosen, or that it holds; NULL: not known */
  size_t node_ranges;
} hc_slurm_asked;

typedef struct hc_slurm_verdict {
  const char *reason;  /* NULL: nothing forbids it; else constant, as squeue shows it: "QOSGrpCpuLimit" */
  bool is_for_ever;    /* this limit is never kept, whatever ends and however long the job waits */
  uint32_t assoc, qos; /* whose limit it is; HC_SLURM_NONE */
} hc_slurm_verdict;

/* What is counted of an association, of a QOS, or of a user or an account in a QOS. */
typedef struct hc_slurm_counter {
  int64_t jobs, submitted;
  hc_slurm_amounts held; /* nodes: each once, where a limit asks for it */
  uint32_t nodes;        /* which block of node_jobs; HC_MAP_NONE: nodes are summed */
  uint32_t unused;
} hc_slurm_counter;

typedef struct hc_slurm_limits {
  const hc_allocator *allocator;
  const hc_slurm_usage *usage;
  uint32_t enforce;    /* hc_slurm_enforce */
  uint32_t node_count; /* of the cluster */
  uint8_t *has_bounds; /* [associations + QOS] whether it, or what is above it, has any limit */
  size_t bounds_room;
  /* associations, then QOS, then users and accounts of QOS as they come, which `index` finds */
  hc_slurm_counter *counters;
  size_t count, cap;
  hc_map index;
  uint16_t *node_jobs; /* blocks of `node_count`: jobs on each node */
  size_t node_jobs_count, node_jobs_cap;
} hc_slurm_limits;

/** Begin with nothing counted. `u` stays where it is. Give it back in every case.
 *  @param enforce  hc_slurm_enforce, 0: nothing; @param nodes  of the cluster: ids of `nodes` are below
 *  @return 0 or HC_ENOMEM. Cost: about 160 bytes an association; 2 bytes x nodes for each that has a limit
 *  of nodes */
hc_rc hc_slurm_limits_init(hc_slurm_limits *l, const hc_slurm_usage *u, uint32_t enforce, uint32_t nodes,
                           const hc_allocator *a);
void hc_slurm_limits_fini(hc_slurm_limits *l);

/** Whether `jobs` (tasks of an array, else 1) may be submitted. @return false with the reason: slurmctld
 *  rejects them. `part_limit` is the partition's MaxTime. Cost of this and the next two: O(depth x TRES) */
bool hc_slurm_limits_submit(const hc_slurm_limits *l, const hc_slurm_asked *job, int64_t jobs,
                            hc_slurm_verdict *v);
/** Whether a queued job may be looked at: counts of jobs, walls. @return false with the reason: it waits. */
bool hc_slurm_limits_before(const hc_slurm_limits *l, const hc_slurm_asked *job, hc_slurm_verdict *v);
/** Whether it may start with these amounts. @return false with the reason: it waits. */
bool hc_slurm_limits_after(const hc_slurm_limits *l, const hc_slurm_asked *job, hc_slurm_verdict *v);
/** The time limit that a job without one gets at its submission: the least MaxWall and GrpWall that holds
 *  for it. @return HC_UNKNOWN: none does, and its partition says */
hc_time hc_slurm_limits_wall(const hc_slurm_limits *l, const hc_slurm_asked *job);

/** Count: `jobs` were submitted; they have left, ended or never started; one starts, with the amounts and
 *  nodes that it holds; it ends, with the same. @return 0 or HC_ENOMEM (nothing counted). Cost: O(depth x
 *  (TRES + nodes of the job where a limit asks)) */
hc_rc hc_slurm_limits_submitted(hc_slurm_limits *l, const hc_slurm_asked *job, int64_t jobs);
void hc_slurm_limits_withdrawn(hc_slurm_limits *l, const hc_slurm_asked *job, int64_t jobs);
hc_rc hc_slurm_limits_started(hc_slurm_limits *l, const hc_slurm_asked *job);
void hc_slurm_limits_ended(hc_slurm_limits *l, const hc_slurm_asked *job);

/** Save, load or hash the counters. @return as hc_visit_bytes; HC_EINPUT: of other associations */
hc_rc hc_slurm_limits_visit(hc_slurm_limits *l, hc_visitor *v);

/** Under which key `index` has the counter of a user or an account, by its dense number, in a QOS. */
static inline uint64_t hc_slurm_member_key(uint32_t qos, uint32_t id, bool is_account)
{
  return ((uint64_t)qos << 1 | is_account) << 32 | id;
}

/* ---- partitions ---- */

/* What a line PartitionName lets in. Lists are names between commas; NULL, "" or ALL: of no effect. */
typedef struct hc_slurm_gate {
  uint32_t min_nodes, max_nodes; /* MinNodes; MaxNodes, UINT32_MAX: no limit */
  hc_time max_time;              /* HC_NEVER: none */
  const char *allow_accounts, *deny_accounts, *allow_qos, *deny_qos, *allow_groups;
} hc_slurm_gate;

/** Whether a partition lets a job in: groups, nodes, time, account, QOS, in this order. Flags of the QOS
 *  (PartitionMinNodes, PartitionMaxNodes, PartitionTimeLimit) lift its limits; an allowed list hides a
 *  denied one. @param account  NULL: not known, which an allowed list refuses; @param groups  of the user,
 *  between commas; NULL: none
 *  @return false with PartitionConfig, PartitionNodeLimit, PartitionTimeLimit, AccountNotAllowed or
 *  QOSNotAllowed, all for ever. Whether slurmctld then rejects the job or lets it wait is EnforcePartLimits'
 *  matter. Cost: O(bytes of the lists) */
bool hc_slurm_gate_admits(const hc_slurm_gate *g, const hc_slurm_assocs *b, const hc_slurm_asked *job,
                          const char *account, const char *groups, hc_slurm_verdict *v);

/* ---- limits_reasons.c ---- */

/* Limits of TRES. */
typedef enum hc_slurm_family {
  HC_SLURM_ASSOC_GRP,
  HC_SLURM_ASSOC_GRP_MINS,
  HC_SLURM_ASSOC_GRP_RUN_MINS,
  HC_SLURM_ASSOC_MAX_JOB,
  HC_SLURM_ASSOC_MAX_NODE,
  HC_SLURM_ASSOC_MAX_MINS,
  HC_SLURM_QOS_GRP,
  HC_SLURM_QOS_GRP_MINS,
  HC_SLURM_QOS_GRP_RUN_MINS,
  HC_SLURM_QOS_MAX_JOB,
  HC_SLURM_QOS_MAX_NODE,
  HC_SLURM_QOS_MAX_MINS,
  HC_SLURM_QOS_MAX_USER,
  HC_SLURM_QOS_MAX_ACCOUNT,
  HC_SLURM_QOS_MIN_JOB,
  HC_SLURM_FAMILIES
} hc_slurm_family;

/** Slurm's name of a limit: constant. */
const char *hc_slurm_reason(const hc_slurm_tres *t, hc_slurm_family family, uint32_t tres);

#endif
