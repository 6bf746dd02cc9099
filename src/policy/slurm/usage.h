/* usage.h -- what associations and QOS have used, as Slurm keeps it, and the factors of fair share that
 * follow.
 *
 * Usage is billing x seconds, of a job added to its association and all above it, times the UsageFactor of
 * its QOS. It is not integrated: every PriorityCalcPeriod all of it is multiplied by f^dt, f = 1 -
 * 0.693 / half-life, dt whole seconds since the last period, and each running job adds what it ran since
 * then, t x f^t for t seconds. At its end a job adds the rest at once. Between periods
 * factors do not change. TRES x seconds and wall time are kept beside it, for limits of minutes.
 *
 * Factors of users:
 *   fair tree  at each level of siblings LF = S / U: S its part of the shares of the level, U its part of
 *              the usage of what is above (U = 0: infinite; S = 0: 0). Siblings go by LF, the largest first,
 *              users before accounts; depth first; of n users the first has n/n, each later one 1/n less.
 *              Siblings of the same LF are tied and share a rank; the first user in an account that is tied
 *              with what stands before it shares that one's. Users of the account root count. The manual
 *              says that tied accounts are merged before they are sorted; 22.05 does not (its test for a
 *              tied account holds for users only), and so it is here.
 *   classic    2^(-(UE / S) / damping), S the product of parts of shares up to the root, UE = U + (UE of the
 *              parent - U) x shares / shares of the level, U normalised by all usage; DEPTH_OBLIVIOUS weighs
 *              an account against its siblings instead.
 * With usage of 0 anywhere all factors are 1 but of those without shares.
 *
 * Not modelled: usage from before the run (RawUsage). Classic factors of users are all computed in the
 * period; slurmctld computes those of users without queued jobs when their next job comes. Times are cut to
 * whole seconds, as slurmctld's are.
 * Source: Slurm 22.05.8, https://slurm.schedmd.com/fair_tree.html, priority_multifactor.html. */
#ifndef HC_POLICY_SLURM_USAGE_H
#define HC_POLICY_SLURM_USAGE_H

#include "policy/slurm/assoc.h"

typedef enum hc_slurm_sharing {
  HC_SLURM_FAIR_TREE,
  HC_SLURM_CLASSIC,        /* PriorityFlags=NO_FAIR_TREE */
  HC_SLURM_DEPTH_OBLIVIOUS /* PriorityFlags=DEPTH_OBLIVIOUS */
} hc_slurm_sharing;

typedef enum hc_slurm_reset {
  HC_SLURM_RESET_NONE,
  HC_SLURM_RESET_NOW /* at the first period, then never */
} hc_slurm_reset;

typedef struct hc_slurm_usage_options {
  hc_time half_life; /* 0 or HC_NEVER: usage is never forgotten */
  hc_slurm_sharing sharing;
  hc_slurm_reset reset;
  int64_t damping; /* FairShareDampeningFactor; 0 counts as 1 */
  bool
      enforces_limits; /* AccountingStorageEnforce has limits: without, 22.05 adds nothing at a job's end, and
                           keeps no TRES x seconds */
} hc_slurm_usage_options;

/* What one association or QOS has used. */
typedef struct hc_slurm_used {
  double raw;                          /* billing x s */
  double wall;                         /* s */
  double tres[HC_SLURM_TRES_MOST];     /* amount x s; energy: 0 */
  double run_secs[HC_SLURM_TRES_MOST]; /* amount x s that running jobs may still use up to their limits */
} hc_slurm_used;

/* A job that runs. */
typedef struct hc_slurm_running {
  uint32_t assoc;           /* HC_SLURM_NONE: its usage counts for its QOS alone */
  uint32_t qos;             /* HC_SLURM_NONE: none */
  uint32_t part_qos;        /* QOS of its partition; HC_SLURM_NONE, or `qos`: none */
  uint32_t unused;          /* 0 */
  hc_time start, limit;     /* limit: a length; HC_NEVER: none, which counts as 365 days */
  double billing;           /* hc_slurm_billing */
  hc_slurm_amounts amounts; /* that it holds */
} hc_slurm_running;

/* Numbers of one association that change with each period. */
typedef struct hc_slurm_standing {
  double norm_shares; /* fair tree: of its level; classic: of all */
  double effective;   /* usage: of what is above; classic: UE */
  double level;       /* LF, fair tree only; HUGE for infinite: see hc_slurm_is_infinite */
  double factor;      /* of users, 0 to 1; of accounts 0 */
} hc_slurm_standing;

typedef struct hc_slurm_usage {
  const hc_allocator *allocator;
  const hc_slurm_assocs *b;
  hc_slurm_usage_options o;
  hc_slurm_used *used;         /* [b->count + b->qos_count] associations, then QOS */
  hc_slurm_standing *standing; /* [b->count] */
  uint32_t *fair_parent;       /* [b->count] the first above whose shares are its own */
  int64_t *level_shares;       /* [b->count] sum of shares at its level */
  double *level_used; /* [b->count] sum of usage at its level, by what is above; DEPTH_OBLIVIOUS only */
  uint32_t *scratch;  /* [b->count] siblings being sorted */
  struct job {
    hc_slurm_running r;
    uint32_t vacant, is_on;
  } * jobs; /* [job_count] by handle */
  size_t job_count, job_cap;
  size_t room;    /* of the arrays of associations */
  struct {        /* plain state */
    int64_t last; /* second of the last period; 0 with `has_run` false: none */
    uint32_t vacant, has_run;
    double step; /* 1 - 0.693 / half-life */
  } s;
} hc_slurm_usage;

/** Begin without usage. `b` is settled, and stays as it is and where it is. Give it back in every case.
 *  @return 0 or HC_ENOMEM. Cost: O(associations), about 350 bytes each */
hc_rc hc_slurm_usage_init(hc_slurm_usage *u, const hc_slurm_assocs *b, const hc_slurm_usage_options *o,
                          const hc_allocator *a);
void hc_slurm_usage_fini(hc_slurm_usage *u);

/** A job starts. @param handle  out: to be given back by hc_slurm_usage_end. @return 0 or HC_ENOMEM */
hc_rc hc_slurm_usage_start(hc_slurm_usage *u, const hc_slurm_running *r, uint32_t *handle);
/** It ends, or stops running: adds what it ran since the last period. Does not move factors.
 *  Cost: O(depth x TRES) */
void hc_slurm_usage_end(hc_slurm_usage *u, uint32_t handle, hc_time end);
/** A period: decay, add what runs, compute factors. slurmctld has one when it starts and every
 *  PriorityCalcPeriod after. @param now  not before the last. Cost: O(associations log associations +
 *  running x depth) */
void hc_slurm_usage_period(hc_slurm_usage *u, hc_time now);

/** The factor of fair share of a job's association, 0 to 1; of none: 0. As of the last period; before the
 *  first one it is 0, as in slurmctld. */
double hc_slurm_usage_factor(const hc_slurm_usage *u, uint32_t assoc);
/** What sshare prints as LevelFS "inf". */
static inline bool hc_slurm_is_infinite(double level)
{
  return level > 1e300;
}
static inline const hc_slurm_used *hc_slurm_used_by(const hc_slurm_usage *u, uint32_t assoc)
{
  return &u->used[assoc];
}
static inline const hc_slurm_used *hc_slurm_used_by_qos(const hc_slurm_usage *u, uint32_t qos)
{
  return &u->used[u->b->count + qos];
}

/** Save, load or hash it. @return as hc_visit_bytes; HC_EINPUT if what is loaded is of other associations */
hc_rc hc_slurm_usage_visit(hc_slurm_usage *u, hc_visitor *v);

/* ---- fair_share.c ---- */

/** What each is measured against, and sums of shares; once. */
void hc_slurm_fair_begin(hc_slurm_usage *u);
/** Factors by the tree from usage as it is. */
void hc_slurm_fair_tree(hc_slurm_usage *u);
/** Classic: effective usage of accounts, before a period decays usage; factors of users, behind it. */
void hc_slurm_fair_accounts(hc_slurm_usage *u);
void hc_slurm_fair_users(hc_slurm_usage *u);

#endif
