/* contention.h -- when users competed for the machine, from the changes of a run. */
#ifndef HC_METRIC_CONTENTION_H
#define HC_METRIC_CONTENTION_H

#include "hindcast/metric.h"
#include "metric/changes.h"

/** Find `contended_from` and `contended_to`: see hc_trim_input.
 *
 *  A task of several slots fits if the hosts have as many places for one slot between them; one that wants
 *  hosts whole needs as many empty ones. Which GPU parts lie on is not looked at.
 *  @param hosts as hc_metric_replay_changes
 *  @return 0; HC_EUNSUPPORTED and `*serial`, as there; HC_ENOMEM. Cost: a replay; at each instant before the
 *  machine is contended a look at the host that had room last for each user's first task, or at all hosts. */
hc_rc hc_contention_find(const hc_metric_context *c, const hc_task_record *records, size_t n,
                         const hc_host_story *hosts, hc_trim_input *in, int64_t *serial);

#endif
