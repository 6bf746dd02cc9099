/* evaluate.h -- the metrics of a schedule that is already known, whole or trimmed. */
#ifndef HC_METRIC_EVALUATE_H
#define HC_METRIC_EVALUATE_H

#include "hindcast/metric.h"

/** Feed records, and the intervals that follow from them, to fresh metrics, and report what they find.
 *
 *  With a trim, tasks that it leaves out are not counted, and integrals are taken over its window only; the
 *  state in the window still has every task in it, because a task that is not counted took its processors all
 *  the same.
 *  @param metrics  [n] types are hc_metric_type
 *  @param records  [count] in the order of termination
 *  @param trim     NULL: all of it
 *  @param in       what the trim may look at; NULL if `trim` is
 *  @return 0, or the first error of a metric. Cost: that of the metrics, and a replay: see replay.h. */
hc_rc hc_metric_evaluate(const hc_metric_context *c, const hc_chosen *metrics, size_t n,
                         const hc_task_record *records, size_t count, const hc_chosen *trim,
                         const hc_trim_input *in, hc_findings *findings, hc_error *e);

#endif
