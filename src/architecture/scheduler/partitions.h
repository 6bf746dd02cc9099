/* partitions.h -- the hosts of each scheduler, where each has some of its own and no other uses them.
 *
 * `hosts` of each scheduler says which; if no scheduler has it, each gets as many as the others, one behind
 * the other. */
#ifndef HC_ARCHITECTURE_SCHEDULER_PARTITIONS_H
#define HC_ARCHITECTURE_SCHEDULER_PARTITIONS_H

#include "architecture/scheduler/schedulers.h"

/* The hosts of one scheduler of the list. */
typedef struct hc_partition {
  hc_range *ranges;
  size_t count;
} hc_partition;

/* Which of the list a scheduler is of. */
uint32_t hc_scheduler_entry(const hc_schedulers *all, uint32_t scheduler);
/* Read which are whose into `parts`. @return 0, HC_EUSAGE (not within the cell, one has none, two have the
 * same), HC_EUNSUPPORTED (fewer hosts than schedulers), HC_ENOMEM */
hc_rc hc_partitions_read(hc_schedulers *all, hc_error *e);

#endif
