/* factors.h -- a job's priority as Slurm computes it: priority/multifactor and priority/basic, and the
 * parameters of slurm.conf that they have.
 *
 * Priority = sum of weight x factor over age, association, fair share, size, partition, QOS and each TRES,
 * plus the site's number, minus nice; cut to a whole number, at least 1, at most 2^32 - 1. Factors:
 *   age          seconds since it began to accrue over PriorityMaxAge, at most 1
 *   size         (nodes / nodes of the cluster + CPUs / CPUs of the cluster) / 2; PriorityFavorSmall=YES:
 *                the same of what is left over; SMALL_RELATIVE_TO_TIME: CPUs, at least those of that many
 *                average nodes, / minutes of its limit / CPUs of the cluster, and 1 minus this with
 *                PriorityFavorSmall
 *   partition    PriorityJobFactor / the largest of all partitions
 *   QOS          Priority / the largest of all QOS; an association the same among associations
 *   TRES         amount / what its partition has of it
 *   fair share   usage.h
 * NO_NORMAL_ASSOC, _PART, _QOS, _TRES leave out the division.
 *
 * slurmctld computes it when a job is submitted, when it becomes eligible, and each PriorityCalcPeriod for
 * all that are queued. With INCR_ONLY it never falls: that is for the caller to keep. Age and fair share
 * weigh nothing without slurmdbd, as in Slurm. Not modelled: site-factor plug-ins (a job's `site` is a
 * plain number), PriorityParameters, CALCULATE_RUNNING, resets of usage at calendar days.
 * Source: Slurm 22.05.8, https://slurm.schedmd.com/priority_multifactor.html. */
#ifndef HC_POLICY_SLURM_FACTORS_H
#define HC_POLICY_SLURM_FACTORS_H

#include "base/slurm_conf.h"
#include "policy/slurm/usage.h"

typedef enum hc_slurm_priority_type { HC_SLURM_BASIC, HC_SLURM_MULTIFACTOR } hc_slurm_priority_type;

/* PriorityFlags, but for those that say how usage is shared. */
typedef enum hc_slurm_priority_flag {
  HC_SLURM_ACCRUE_ALWAYS = 1, /* age counts from the submission, also of what is not eligible */
  HC_SLURM_INCR_ONLY = 2,
  HC_SLURM_MAX_TRES = 4,
  HC_SLURM_RAW_ASSOC = 8, /* NO_NORMAL_ASSOC ... */
  HC_SLURM_RAW_PART = 16,
  HC_SLURM_RAW_QOS = 32,
  HC_SLURM_RAW_TRES = 64,
  HC_SLURM_RELATIVE_TO_TIME = 128,
  HC_SLURM_CALCULATE_RUNNING = 256 /* has no effect here */
} hc_slurm_priority_flag;

/* AccountingStorageEnforce. `limits` implies `associations`, `safe` implies `limits`. */
typedef enum hc_slurm_enforce {
  HC_SLURM_ENFORCE_ASSOCS = 1,
  HC_SLURM_ENFORCE_LIMITS = 2,
  HC_SLURM_ENFORCE_QOS = 4,
  HC_SLURM_ENFORCE_SAFE = 8
} hc_slurm_enforce;

typedef struct hc_slurm_priority {
  hc_slurm_priority_type type;
  uint32_t age, assoc, fair_share, size, partition, qos; /* weights */
  double tres[HC_SLURM_TRES_MOST];                       /* weights of a unit, or of all that there is */
  bool has_tres;
  bool favor_small;
  uint32_t flags;   /* hc_slurm_priority_flag */
  uint32_t enforce; /* hc_slurm_enforce */
  hc_time max_age;  /* HC_NEVER: age counts nothing */
  hc_time period;   /* PriorityCalcPeriod */
  hc_slurm_usage_options usage;
  bool has_database; /* AccountingStorageType is that of slurmdbd */
} hc_slurm_priority;

/** Read the parameters. Defaults: priority/basic, all weights 0, PriorityMaxAge and PriorityDecayHalfLife 7
 *  days, PriorityCalcPeriod 5 minutes, no flags (fair tree), FairShareDampeningFactor 1, nothing enforced.
 *  Where a key stands twice the last one holds. Lines of nodes and partitions play no part.
 *  @param b  whose TRES weights are named by; names are added to it
 *  @return 0; HC_EINPUT with file, line, column and remedy (a value that is none, an unknown flag or
 *  plug-in, a reset of usage other than NONE and NOW); HC_ELIMIT (too many TRES), HC_ENOMEM. Cost: O(lines
 *  x keys) */
hc_rc hc_slurm_priority_read(hc_slurm_priority *p, const hc_conf *c, hc_slurm_assocs *b, hc_error *e);
/** Add to `out` what of Priority... in the file plays no part: unknown and unmodelled keys and flags,
 *  weights that count nothing without slurmdbd. Nothing if there is nothing to say. */
void hc_slurm_priority_note(const hc_slurm_priority *p, const hc_conf *c, hc_buffer *out);

/* What factors are relative to. */
typedef struct hc_slurm_scale {
  const hc_slurm_assocs *b;
  uint32_t nodes;           /* of the cluster, > 0 */
  int64_t cpus;             /* > 0 */
  int64_t most_part_factor; /* the largest PriorityJobFactor; less than 1 counts as 1 */
} hc_slurm_scale;

/* A queued job. */
typedef struct hc_slurm_ranked {
  hc_time accrue;     /* since when it ages: eligible, or submitted with ACCRUE_ALWAYS; HC_UNKNOWN: not yet */
  uint32_t min_nodes; /* 1 if it names none */
  int64_t cpus;       /* that it asks for */
  hc_time limit;      /* its own, else its partition's; HC_NEVER: none */
  uint32_t assoc, qos;                  /* HC_SLURM_NONE */
  double fair_share;                    /* hc_slurm_usage_factor */
  int64_t part_factor;                  /* PriorityJobFactor of its partition, 1 by default */
  const hc_slurm_amounts *amounts;      /* that it asks for; NULL: TRES weigh 0 */
  const hc_slurm_amounts *part_amounts; /* that its partition has; NULL: the same */
  int64_t site, nice;
} hc_slurm_ranked;

/* Weighted factors, as sprio shows them. */
typedef struct hc_slurm_factors {
  double age, assoc, fair_share, size, partition, qos, tres, site, nice;
  uint32_t priority;
} hc_slurm_factors;

/** The priority of a job at `now`. A job that is held has 0, which is the caller's to give. Cost: O(TRES) */
void hc_slurm_priority_of(const hc_slurm_priority *p, const hc_slurm_scale *s, const hc_slurm_ranked *job,
                          hc_time now, hc_slurm_factors *out);

/** priority/basic: what the next job gets, one less than the least given so far. @param lowest  begins as
 *  HC_SLURM_BASIC_TOP, and is moved */
#define HC_SLURM_BASIC_TOP UINT32_C(0xffff0000)
uint32_t hc_slurm_priority_basic(uint32_t *lowest, int64_t nice);

#endif
