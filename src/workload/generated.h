/* generated.h -- what generators share: the stream of a draw, and a task of which only some things are
 * known. */
#ifndef HC_WORKLOAD_GENERATED_H
#define HC_WORKLOAD_GENERATED_H

#include "base/math.h"
#include "hindcast/workload.h"

/* No generated task is submitted at or after this: about 146 years, so that sums of times stay far from
 * the end. */
#define HC_GENERATED_END ((hc_time)1 << 62)

/* The parameters of all generators: when they end, and whose draws they have. */
#define HC_GENERATED_UNTIL(struct_) \
  { \
    .name = "until", .type = HC_TIME, .offset = offsetof(struct_, until), .unit = "s", .min = 0, .max = 4e9, \
    .help = "no task is submitted at this time or later; never if absent" \
  }
#define HC_GENERATED_STREAM(struct_) \
  { \
    .name = "stream", .type = HC_INT, .offset = offsetof(struct_, stream), .unit = "1", .fallback = "0", \
    .min = 0, .max = 1e9, \
    .help = \
        "another number gives other draws from the same seed: two generators in one run need two numbers" \
  }

/** The draws of one purpose for one entity. Two generators of one run draw differently if `stream` differs. */
hc_draws hc_generated_draws(const hc_source_context *c, int64_t stream, uint64_t entity, hc_purpose purpose);
/** Task number `rank` + 1: completed as it was asked for, its limit its run time, everything else unknown. */
hc_task_spec hc_generated_task(uint64_t rank, hc_time submit, hc_time run, int64_t procs);
/** What a task needs of each host, and how many hosts; on cells that count processors it has its cores, rounded up.
 *  @param cpu  cores;  @param memory bytes; not said if negative;  @param hosts at least 1 */
void hc_generated_demand(hc_task_spec *t, double cpu, double memory, int64_t hosts);
/** The number of a user: the number itself, else that of the name in the run's lexicon, from 1. @return 0 or HC_ENOMEM. */
hc_rc hc_generated_user(const hc_source_context *c, const char *text, int64_t *out);
/** Seconds as a time, to the nearest ns, or the next whole second; bounded by HC_GENERATED_END. @param s >= 0 */
hc_time hc_generated_time(double s);
hc_time hc_generated_up(hc_time t);

#endif
