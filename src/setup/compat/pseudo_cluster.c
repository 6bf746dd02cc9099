/* pseudo_cluster.c -- the figures of pseudo-cluster as its program counts them.
 *
 * Data only. It replays on a real Slurm, so there is no scheduler of its own to imitate: what differs from
 * its paper are sums. Its files keep minutes, its reader pseudo_cluster reads them as they are. */
#include "setup/config.h"

static const hc_preset_entry entries[] = {
    {"by", "as", "program"},
    {NULL, NULL, NULL},
};

const hc_compat_type hc_compat_pseudo_cluster = {
    .component =
        {HC_COMPONENT_HEAD(hc_compat_type, HC_KIND_COMPAT), .name = "pseudo_cluster",
         .summary = "pseudo-cluster: its five figures as the program counts them, not as its paper does",
         .detail =
             "Concerns only average_queue_time, average_congestion, used_time, aborted and "
             "queue_to_limit_time of the metric `by`. Times are cut to whole minutes, as in its files; "
             "average_queue_time is the mean over tasks that waited at all; used_time has no value in a "
             "group where a completed task had no limit, since the program divides by the limit; "
             "queue_to_limit_time is divided by the number of all tasks, those without a limit among them. "
             "unit_time of average_congestion cancels out, there as here, and there is no `compression`, "
             "since no time is compressed. Tasks that never started are not counted, for which its files "
             "have a start in 1970.",
         .source = "https://github.com/pseudo-cluster/pseudo-cluster, metrics/ (2015)"},
    .entries = entries,
};
