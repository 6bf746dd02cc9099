/* measured.h -- what administrators ask of a group of tasks: how much of what they asked for they used, what
 * came of them, and the five figures of pseudo-cluster.
 *
 * What a log measured is heard beside the records (hc_metric_context.measured); a figure of which no task of
 * a group says anything is none. Processor time that is 0 for every task was not gathered by its cluster, and
 * is as good as not said.
 *
 * The five figures are those of the paper, or what the program makes of them: times in whole minutes, waits
 * of 0 left out of their mean, tasks without a limit in the divisor.
 * Source: pseudo-cluster, doc/metrics.tex and metrics/ (2015). Cost: some twenty additions a task; 440 bytes
 * a group. */
#ifndef HC_METRIC_MEASURED_H
#define HC_METRIC_MEASURED_H

#include "metric/family.h"
#include "metric/sum128.h"

/* In the order in which they are found. X(name, unit, direction, formula) */
#define HC_EFFICIENCY_FIGURES(X) \
  X(asked_core_hours, "core*h", "none", "sum of cores x limit, of tasks that have a limit") \
  X(limit_used, "1", "higher", \
    "time used of the time asked for: sum of cores x (end - start) over sum of cores x limit, of tasks " \
    "that " \
    "have one") \
  X(cpu_used, "1", "higher", \
    "cores used of the cores held: processor time over sum of cores x (end - start), of tasks whose " \
    "processor time is known") \
  X(memory_used, "1", "higher", \
    "memory used of the memory asked for: sum of used x (end - start) over sum of asked x (end - start), " \
    "of " \
    "tasks of which both are known") \
  X(idle_core_hours, "core*h", "lower", \
    "sum of cores x (end - start) - processor time, not below 0 for any task, of tasks whose processor " \
    "time " \
    "is known") \
  X(lost_core_hours, "core*h", "lower", \
    "sum of cores x (end - start) of tasks that the log says failed, were cancelled or were put back") \
  X(wasted_core_hours, "core*h", "lower", \
    "lost core-hours, and the idle ones of all other tasks; none where the log does not say how tasks " \
    "ended " \
    "or no processor time is known") \
  X(completed, "tasks", "none", "tasks that the log says completed") \
  X(failed, "tasks", "none", "tasks that failed for another reason than those of the next three figures") \
  X(timeout, "tasks", "none", "tasks that were ended at their limit") \
  X(out_of_memory, "tasks", "none", "tasks that were ended because of their memory") \
  X(node_fail, "tasks", "none", "tasks that lost a host, or whose host did not come up") \
  X(cancelled, "tasks", "none", "tasks that were cancelled, preempted or evicted") \
  X(other_ends, "tasks", "none", "tasks that ended in another way, or in a way that is not known")

#define HC_PSEUDO_CLUSTER_FIGURES(X) \
  X(average_queue_time, "min", "lower", "mean of start - submit") \
  X(average_congestion, "cores", "none", "sum of cores x (end - start) over last end - first start") \
  X(used_time, "1", "higher", "mean of (end - start) / limit of tasks that completed and have a limit") \
  X(aborted, "tasks", "none", "tasks that did not complete") \
  X(queue_to_limit_time, "1", "lower", "mean of (start - submit) / limit of tasks that have a limit")

#define X(name, unit, direction, formula) HC_MEASURED_##name,
typedef enum hc_measured_figure {
  HC_EFFICIENCY_FIGURES(X) HC_PSEUDO_CLUSTER_FIGURES(X) HC_MEASURED_FIGURES
} hc_measured_figure;
#undef X

/* What is added up of a group. No padding. */
typedef struct hc_measured_sums {
  hc_wide limit_asked, limit_used; /* units x ns, of the tasks that have a limit */
  uint64_t limits;
  hc_wide cpu, cpu_held; /* ns; units x ns */
  uint64_t cpus;
  hc_real_sum memory_used, memory_asked; /* byte x s */
  uint64_t memories;
  hc_real_sum idle, idle_kept; /* core x s: of all, of those that are not lost */
  hc_wide lost;                /* units x ns */
  uint64_t hows;               /* tasks of which it is known how they ended */
  uint64_t ends[7];
  hc_wide area; /* units x ns */
  hc_time first_start, last_end;
  uint64_t tasks, waited;
  hc_wide wait; /* of `waited`, ns */
  hc_real_sum used_time, queue_to_limit;
  uint64_t used_times, queue_to_limits, without_limit; /* the last: of those that completed */
} hc_measured_sums;

/* How the five figures are counted, and with what. */
typedef struct hc_measured_how {
  bool is_program;    /* as pseudo-cluster's program does */
  int64_t core_units; /* 0: units are no cores */
  int64_t unix_start; /* HC_UNKNOWN */
} hc_measured_how;

hc_measured_sums hc_measured_none(void);
/* @param m  what its log measured; NULL: nothing */
void hc_measured_add(hc_measured_sums *s, const hc_measured_how *how, const hc_task_record *r,
                     const hc_measured *m);
/* Whether it was cut short, and would have run on: as its log says, or by a run at its limit. */
bool hc_measured_was_cut(const hc_task_record *r, const hc_measured *m);
/* What a figure comes to; NaN: nothing is known.
 * @param gathers  some task of any group has processor time */
double hc_measured_find(const hc_measured_sums *s, const hc_measured_how *how, hc_measured_figure which,
                        bool gathers);

#endif
