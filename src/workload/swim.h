/* swim.h -- what the reader and the writer of SWIM's workloads share: how long bytes take, by rates that both assume. */
#ifndef HC_WORKLOAD_SWIM_H
#define HC_WORKLOAD_SWIM_H

#include "base/util.h"
#include "hindcast/workload.h"

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
#define HC_SWIM_PARAMS(AT) \
  {.name = "block_size", \
   .type = HC_SIZE, \
   AT(block_size), \
   .unit = "B", \
   .fallback = "128MiB", \
   .min = 1, \
   .max = 1125899906842624.0, \
   .help = "What one map reads: a job has ceil(input / block_size) of them, at least one."}, \
      {.name = "reduce_size", \
       .type = HC_SIZE, \
       AT(reduce_size), \
       .unit = "B", \
       .fallback = "1GiB", \
       .min = 1, \
       .max = 1125899906842624.0, \
       .help = "What is shuffled to one reduce: a job has ceil(shuffle / reduce_size) of them."}, \
      {.name = "map_rate", \
       .type = HC_SIZE, \
       AT(map_rate), \
       .unit = "B/s", \
       .fallback = "16MiB", \
       .min = 1, \
       .max = 1125899906842624.0, \
       .help = \
           "Bytes that a map reads in a second; in a job without reduces, those that it writes as well. An " \
           "assumption."}, \
      {.name = "reduce_rate", \
       .type = HC_SIZE, \
       AT(reduce_rate), \
       .unit = "B/s", \
       .fallback = "16MiB", \
       .min = 1, \
       .max = 1125899906842624.0, \
       .help = "Bytes, shuffled and written, that a reduce gets through in a second. An assumption."}, \
      {.name = "startup", \
       .type = HC_TIME, \
       AT(startup), \
       .unit = "s", \
       .fallback = "2s", \
       .min = 0, \
       .max = 1e6, \
       .help = "Time that each task takes beside its bytes. An assumption."}, \
      {.name = "cpus", \
       .type = HC_REAL, \
       AT(cpus), \
       .unit = "cores", \
       .fallback = "1", \
       .min = 0.001, \
       .max = 1e6, \
       .help = "Cores that each task needs."}, \
  { \
    .name = "memory", .type = HC_SIZE, AT(memory), .unit = "B", .fallback = "1GiB", .min = 0, \
    .max = 1125899906842624.0, .help = "Memory that each task needs." \
  }

#endif
