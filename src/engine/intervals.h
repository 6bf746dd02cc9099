/* intervals.h -- how checkpoints lie in a task. See intervals.c. */
#ifndef HC_ENGINE_INTERVALS_H
#define HC_ENGINE_INTERVALS_H

#include "engine/state.h"
#include "engine/work.h"
#include "hindcast/execution.h"

/** Its interval in a size, and what a checkpoint costs: `marks`, `read` and `local_read` of `out`. The run
 *  has `checkpoint`; in another size than it asks for the slots of the task are alike.
 *  @return false: the rule knows none. In a size of more slots it knows one if it does in one of fewer.
 *  Cost: O(classes of hosts) */
bool hc_intervals_lay(const hc_engine *e, hc_task t, uint32_t size, hc_attempt *out);
/** Of a task that a model of execution runs: the time between two, and what each takes beside its bytes.
 *  @param write, local  s that the bytes of a global and of a local one take alone
 *  @param hosts  on so many it is; 0: by its size @return as above */
bool hc_intervals_in_model(const hc_engine *e, hc_task t, double write, double local, double hosts,
                           hc_saving *out);
/** Bytes of a checkpoint, for each slot. */
double hc_intervals_bytes(const hc_engine *e, hc_task t);

#endif
