/* scheduler.h -- what the record of a scheduler holds: options of a kind that has one component. Architectures with several
 * schedulers read this struct (desks.h). */
#ifndef HC_ARCHITECTURE_SCHEDULER_H
#define HC_ARCHITECTURE_SCHEDULER_H

#include "hindcast/base.h"

#define HC_THINK_LAWS "fixed|exponential|lognormal" /* in the order of hc_think_law */
typedef enum hc_think_law { HC_THINK_FIXED, HC_THINK_EXPONENTIAL, HC_THINK_LOGNORMAL } hc_think_law;

typedef struct hc_scheduler_options {
  const char *name;
  const char *takes;             /* expression over a task; NULL: whatever those before it leave */
  int64_t count;                 /* so many that are alike */
  hc_time think_job, think_task; /* a decision takes think_job + think_task x tasks */
  int think_law;                 /* hc_think_law: that is its mean */
  double think_cv;               /* LOGNORMAL */
  hc_list hosts;                 /* const char *: partitions, "0-99" or a prefix of names */
  double blacklist;              /* share of the hosts that each of them never uses */
  hc_chosen policy, place;       /* no type: the run's */
} hc_scheduler_options;

#endif
