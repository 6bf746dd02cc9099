/* swim.h -- what the reader and the writer of SWIM's workloads share: how long bytes take, by rates that both assume. */
#ifndef HC_WORKLOAD_SWIM_H
#define HC_WORKLOAD_SWIM_H

#include "base/util.h"
#include "hindcast/component.h"

#define HC_SWIM_TASKS ((int64_t)1 << 24) /* most of one bundle */

typedef struct hc_swim_rates {
  int64_t block_size, reduce_size, map_rate, reduce_rate, memory;
  double cpus;
  hc_time startup;
} hc_swim_rates;

/** What a task needs of cpu: a part of a thousandth counts as one. */
static inline int64_t hc_swim_cpu(const hc_swim_rates *r)
{
  return (int64_t)(r->cpus * 1000 + 0.999);
}

/** startup + bytes of one task / rate, to the next nanosecond. False if that is no time. */
static inline bool hc_swim_length(const hc_swim_rates *r, int64_t bytes, int64_t tasks, int64_t rate,
                                  hc_time *out)
{
  const double ns = (double)bytes / (double)tasks / (double)rate * (double)HC_SECOND;
  if (!(ns < 9e18)) return false;
  *out = hc_time_add(r->startup, (hc_time)ns + ((double)(hc_time)ns < ns));
  return *out != HC_NEVER;
}

/** The parameters, spelt once. AT(member) is the offset of a member of hc_swim_rates in the options. */
#define HC_SWIM_PARAMS(struct_, in) \
  HC_PARAM_AS(SIZE, "block_size", struct_, in.block_size, "B", "128MiB", 1, 1125899906842624.0, \
              "What one map reads: a job has ceil(input / block_size) of them, at least one."), \
      HC_PARAM_AS(SIZE, "reduce_size", struct_, in.reduce_size, "B", "1GiB", 1, 1125899906842624.0, \
                  "What is shuffled to one reduce: a job has ceil(shuffle / reduce_size) of them."), \
      HC_PARAM_AS(SIZE, "map_rate", struct_, in.map_rate, "B/s", "16MiB", 1, 1125899906842624.0, \
                  "Bytes that a map reads in a second; in a job without reduces, those that it writes as " \
                  "well. An assumption."), \
      HC_PARAM_AS(SIZE, "reduce_rate", struct_, in.reduce_rate, "B/s", "16MiB", 1, 1125899906842624.0, \
                  "Bytes, shuffled and written, that a reduce gets through in a second. An assumption."), \
      HC_PARAM_AS(TIME, "startup", struct_, in.startup, "s", "2s", 0, 1e6, \
                  "Time that each task takes beside its bytes. An assumption."), \
      HC_PARAM_AS(REAL, "cpus", struct_, in.cpus, "cores", "1", 0.001, 1e6, "Cores that each task needs."), \
      HC_PARAM_AS(SIZE, "memory", struct_, in.memory, "B", "1GiB", 0, 1125899906842624.0, \
                  "Memory that each task needs.")

#endif
