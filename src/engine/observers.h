/* observers.h -- who is told of what happens, what is gathered for them, and what is counted. See
 * observe.h. */
#ifndef HC_ENGINE_OBSERVERS_H
#define HC_ENGINE_OBSERVERS_H

#include "hindcast/metric.h"
#include "hindcast/workload.h"

#define HC_BLOCK 256 /* records handed over at once */

/* A family that hears claims by themselves. */
typedef struct hc_claimer {
  hc_rc (*claims)(hc_metric *metric, const hc_claim_record *c);
  hc_metric *metric;
} hc_claimer;

typedef struct hc_observers {
  const hc_metric_type **types;
  hc_metric **metrics;
  size_t count;
  bool wants_intervals, wants_stops, wants_rates, wants_standing, wants_attempts;
  bool is_measuring;  /* what running tasks do is measured */
  bool looks;         /* some metric looks at what is used */
  hc_time look_at;    /* when some metric looks at what is used; HC_NEVER: none does */
  bool wants_changes; /* or claims, which come as changes to those who do not hear them by themselves */
  hc_claimer *claimers;
  size_t claimer_count;
  uint32_t change_kinds; /* that some metric wants */
  hc_task_record *records;
  size_t record_count;
  hc_interval *intervals;
  size_t interval_count;
  hc_change *changes;
  size_t change_count, change_uses; /* of them, how many hold a use */
  struct hc_curves *curves;         /* NULL: none are kept */
  hc_interval open;                 /* the state since open.from */
  bool is_open;
  hc_standing_record stood, *standings; /* what was told last; changes since, while clocks tick in vain */
  size_t standing_count, standing_cap;
} hc_observers;

/* Why a task keeps its size though it may have another (actions/resize.c). */
typedef enum hc_keeps_size {
  HC_KEEPS_GPUS,   /* each of its slots has GPUs */
  HC_KEEPS_PARTS,  /* its slots are not alike, or not of one host each */
  HC_KEEPS_LENGTH, /* a model of execution carries out tasks, and this one says a length alone */
  HC_KEEPS_COUNT   /* none of these: it may be resized */
} hc_keeps_size;

typedef struct hc_counters {
  uint64_t submitted, started, ended, instants, decisions, conflicts;
  uint64_t finals[HC_FINAL_COUNT];
  uint64_t requeued, missing; /* attempts lost with a host; predecessors that were not to be found */
  uint64_t preempted, preempt_killed,
      warned;           /* attempts stopped by plans that waited again; tasks that did not; warnings */
  uint64_t suspensions; /* times that a plan suspended a task */
  uint64_t resized;     /* times that a plan resized one */
  uint64_t molded;      /* starts in another size than the task's own */
  uint64_t switched_off, switched_on; /* hosts, by plans */
  uint64_t held_back; /* times that a task had to wait for others, or for its time, before it could queue */
  uint64_t recorded[HC_RECORDED_COUNT]; /* tasks whose log says this, but COMPLETED: that is the rest */
  uint64_t host_counts;                 /* tasks that say on how many hosts they may lie */
  uint64_t terms;                       /* tasks with a reservation, a least limit or a bound on switches */
  uint64_t keep_size[HC_KEEPS_COUNT];   /* tasks whose size may change while they run, and does not: why */
  uint64_t several_sets;                /* tasks of several partitions */
  uint64_t made_again;                  /* attempts that were stopped and made again, and were not to be */
  uint64_t at_once;                     /* tasks that say how many of their job may run at once */
  uint64_t prefilled;                   /* tasks that ran before, and were queued like others */
  hc_time first_submit, last_submit, first_start, last_end, full_from, full_to;
} hc_counters;

#endif
