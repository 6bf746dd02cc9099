/* evaluate.h -- the metrics of a schedule that is already known, whole or trimmed. */
#ifndef HC_METRIC_EVALUATE_H
#define HC_METRIC_EVALUATE_H

#include "hindcast/metric.h"
#include "metric/changes.h"

/** Feed records, and the intervals and changes that follow from them, to fresh metrics, and report what they
 * find.
 *
 *  With a trim, tasks that it leaves out are not counted, and integrals are taken over its window only; the
 *  state in the window still has every task in it, because a task that is not counted took its processors all
 *  the same. What changed before the window is told at its beginning.
 *  @param metrics  [n] types are hc_metric_type
 *  @param records  [count] in the order of termination
 *  @param hosts    who had what of them; NULL: the cell counts processors
 *  @param trim     NULL: all of it
 *  @param in       what the trim may look at; NULL if `trim` is
 *  @return 0, or the first error of a metric; HC_EUNSUPPORTED: one hears what the records do not say, with
 * the reason. Cost: that of the metrics, and a replay: see replay.h. */
hc_rc hc_metric_evaluate(const hc_metric_context *c, const hc_chosen *metrics, size_t n,
                         const hc_task_record *records, size_t count, const hc_host_story *hosts,
                         const hc_chosen *trim, const hc_trim_input *in, hc_findings *findings, hc_error *e);

/** Refuse a metric that needs to hear what records do not say. @param whose "a stored result". @return 0 or
 *  HC_EUNSUPPORTED. */
hc_rc hc_metric_needs_only_records(const hc_metric_type *type, const char *whose, hc_error *e);
#endif
