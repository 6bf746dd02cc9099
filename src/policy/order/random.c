/* random.c -- an order drawn once for each task.
 *
 * The key is a draw of the stream that the task's serial names, so that it is the same however often it is
 * asked, and does not depend on what else waits. */
#include "base/math.h"
#include "hindcast/policy.h"

static int64_t key(const hc_policy *self, const hc_order_input *task)
{
  hc_draws draws = {.seed = task->seed,
                    .replication = task->replication,
                    .entity = task->serial,
                    .purpose = HC_PURPOSE_ORDER};
  (void)self;
  return (int64_t)(hc_random_bits(&draws) >> 1);
}

const hc_order_type hc_order_random = {
    .component = {HC_COMPONENT_HEAD(hc_order_type, HC_KIND_ORDER), .name = "random",
                  .summary = "in an order drawn at random",
                  .detail = "key = 63 random bits named by (seed, replication, serial). A task keeps its "
                            "key while it waits."},
    .key = key,
};
