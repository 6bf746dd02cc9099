/* bind.h -- tasks of a log's partitions run on the hosts of the set that names the partition. See bind.c. */
#ifndef HC_WORKLOAD_BIND_H
#define HC_WORKLOAD_BIND_H

#include "hindcast/cell.h"
#include "workload/stream.h"

/* What was found for the last partition: tasks of one follow each other. Zeroed: nothing yet. */
typedef struct hc_bound {
  int64_t partition;
  uint32_t set; /* HC_NO_NAME: none */
  bool is_known;
  uint32_t sets[HC_TASK_SETS]; /* [set_count] of a task of several partitions; the first is `set` */
  size_t set_count;
} hc_bound;

/** Give a task the set that names its partition. @param l the source's @param name of its file, for messages
 *  @return 0; HC_EINPUT: no set names the partition; HC_ENOMEM */
hc_rc hc_bind_task(const hc_admission *o, hc_lexicon *l, hc_bound *last, const char *name, hc_task_spec *t,
                   hc_error *e);

#endif
