/* generated.h -- what generators share: the stream of a draw, and a task of which only some things are known. */
#ifndef HC_WORKLOAD_GENERATED_H
#define HC_WORKLOAD_GENERATED_H

#include "base/math.h"
#include "hindcast/workload.h"

/* No generated task is submitted at or after this: about 146 years, so that sums of times stay far from the end. */
#define HC_GENERATED_END ((hc_time)1 << 62)

/** The draws of one purpose for one entity. Two generators of one run draw differently if `stream` differs. */
hc_draws hc_generated_draws(const hc_source_context *c, int64_t stream, uint64_t entity, hc_purpose purpose);
/** Task number `rank` + 1: completed as it was asked for, its limit its run time, everything else unknown. */
hc_task_spec hc_generated_task(uint64_t rank, hc_time submit, hc_time run, int64_t procs);
/** Seconds as a time, to the nearest ns, or the next whole second; bounded by HC_GENERATED_END. @param s >= 0 */
hc_time hc_generated_time(double s);
hc_time hc_generated_up(hc_time t);

#endif
