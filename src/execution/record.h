/* record.h -- what a user writes about execution: the disks of hosts. */
#ifndef HC_EXECUTION_RECORD_H
#define HC_EXECUTION_RECORD_H

#include "hindcast/component.h"

enum { HC_DISK_KEPT_TASK, HC_DISK_KEPT_ALWAYS };

typedef struct hc_disk_options {
  hc_list hosts;                           /* texts */
  int64_t read_bandwidth, write_bandwidth; /* bytes/s; 0: not said */
  hc_list read_by, write_by;               /* int64_t bytes/s */
  int64_t capacity;                        /* bytes; 0: none */
  int64_t operations, reads, writes;       /* at once; 0: any number */
  int order;                               /* hc_disk_order */
  int kept;
  bool shared; /* one for all of these hosts */
} hc_disk_options;

#endif
