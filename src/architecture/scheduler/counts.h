/* counts.h -- what is counted of a scheduler, and of several that are alike.
 *
 * Busy time is the time in which it thinks, split at midnight between days of virtual time. It is useful if
 * nothing that the decision wished was refused and something started, wasted if anything was refused, and
 * else in vain: so the three sum to all. The conflict fraction is refused decisions per one that was useful,
 * as the Omega paper has it: an attempt that finds no place commits nothing, and is neither; the share is
 * refused decisions per decision. Jobs' waits are of those that were thought about at least once. */
#ifndef HC_ARCHITECTURE_SCHEDULER_COUNTS_H
#define HC_ARCHITECTURE_SCHEDULER_COUNTS_H

#include "architecture/counts.h"

typedef struct hc_scheduler_day {
  hc_time useful, wasted, vain; /* ns, summed over those that are alike */
  uint64_t clean, refused;      /* decisions: useful, and with a conflict */
  uint64_t firsts;              /* jobs whose first attempt began on it */
  double waits;                 /* theirs, ns */
} hc_scheduler_day;

typedef struct hc_scheduler_counts {
  const hc_allocator *allocator;
  uint32_t schedulers; /* that are counted together */
  hc_time objective;   /* of the wait for a first attempt */
  uint64_t within;     /* jobs that met it */
  hc_scheduler_day *days;
  size_t day_count, day_cap;
  uint64_t decisions, again, vain,
      conflicts; /* again: of a job that was thought about before; vain: nothing wished */
  uint64_t tasks_started, tasks_refused;
  uint64_t jobs, jobs_given_up, tasks_given_up;
  hc_time after_conflicts; /* thinking that a conflict made necessary */
  double offered;          /* what its jobs ask for at one attempt each, ns */
  hc_counted first, full,
      attempts; /* ns of jobs whose first attempt has begun; of those that started, ns; attempts */
} hc_scheduler_counts;

void hc_scheduler_counts_init(hc_scheduler_counts *c, const hc_allocator *a, uint32_t schedulers,
                              hc_time objective);
void hc_scheduler_counts_fini(hc_scheduler_counts *c);

typedef enum hc_decision_outcome {
  HC_DECISION_USEFUL,
  HC_DECISION_WASTED,
  HC_DECISION_VAIN
} hc_decision_outcome;
/* It thought in [from, to). @return 0 or HC_ENOMEM. */
hc_rc hc_scheduler_counts_decision(hc_scheduler_counts *c, hc_time from, hc_time to,
                                   hc_decision_outcome what);
/* A job's first attempt begins now, `wait` after it came. */
hc_rc hc_scheduler_counts_first(hc_scheduler_counts *c, hc_time now, hc_time wait);
/* All of a job has started, after so many attempts, `wait` after it came. */
hc_rc hc_scheduler_counts_job(hc_scheduler_counts *c, hc_time wait, uint32_t attempts);

/* @param name what the figures end with: "" for all together @param span of the run, ns @param left jobs that
 * wait */
hc_rc hc_scheduler_counts_find(const hc_scheduler_counts *c, const char *name, hc_time span, hc_findings *f);
hc_rc hc_scheduler_counts_visit(hc_scheduler_counts *c, hc_visitor *v);

#endif
