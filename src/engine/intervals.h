/* intervals.h -- how checkpoints lie in a task. See intervals.c. */
#ifndef HC_ENGINE_INTERVALS_H
#define HC_ENGINE_INTERVALS_H

#include "engine/state.h"
#include "engine/work.h"

/** Its interval in a size, and what a checkpoint costs: `marks`, `read` and `local_read` of `out`. The run
 *  has `checkpoint`; in another size than it asks for the slots of the task are alike.
 *  @return false: the rule knows none. In a size of more slots it knows one if it does in one of fewer.
 *  Cost: O(classes of hosts) */
bool hc_intervals_lay(const hc_engine *e, hc_task t, uint32_t size, hc_attempt *out);

#endif
