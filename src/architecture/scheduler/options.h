/* scheduler.h -- what the record of a scheduler holds: options of a kind that has one component.
 * Architectures with several schedulers read this struct (schedulers.h). */
#ifndef HC_ARCHITECTURE_SCHEDULER_OPTIONS_H
#define HC_ARCHITECTURE_SCHEDULER_OPTIONS_H

#include "hindcast/component.h"

#define HC_THINK_LAWS "fixed|exponential|lognormal" /* in the order of hc_think_law */
typedef enum hc_think_law { HC_THINK_FIXED, HC_THINK_EXPONENTIAL, HC_THINK_LOGNORMAL } hc_think_law;

#define HC_LIMITS "enforce|report" /* in the order of hc_limits */
typedef enum hc_limits { HC_LIMITS_ENFORCE, HC_LIMITS_REPORT } hc_limits;

/* No task of a trace has a priority beyond these. */
#define HC_PRIORITY_LEAST INT64_C(-1000000000)
#define HC_PRIORITY_MOST INT64_C(1000000000)

typedef struct hc_scheduler_options {
  const char *name;
  const char *takes;             /* expression over a task; NULL: whatever those before it leave */
  int64_t count;                 /* so many that are alike */
  hc_time think_job, think_task; /* a decision takes think_job + think_task x tasks */
  int think_law;                 /* hc_think_law: that is its mean */
  double think_cv;               /* LOGNORMAL */
  hc_list hosts;                 /* const char *: partitions, "0-99" or a prefix of names */
  double blacklist;              /* share of the hosts that each of them never uses */
  const char *all_or_nothing;    /* expression over a job's first task; NULL: as the architecture says */
  const char *gang;              /* the same; NULL: none */
  double max_share, max_cpus;    /* what its tasks may hold: of each dimension; cores, 0: no limit */
  int64_t max_memory, max_jobs;  /* 0: no limit */
  int64_t min_priority, max_priority;
  int limits;              /* hc_limits */
  bool preempts;           /* its commits may stop tasks of lower priority */
  hc_time objective;       /* of the wait for a first attempt */
  hc_chosen policy, place; /* no type: the run's */
  hc_chosen mold;          /* HC_KIND_MOLD; no type: jobs start with the slots they ask for */
  const char *activities;  /* expression: so many slots are of use */
} hc_scheduler_options;

#endif
