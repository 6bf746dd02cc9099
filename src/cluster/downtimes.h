/* downtimes.h -- changes of hosts that are announced ahead, found in events in order of time.
 *
 * A host that goes down, or drains, takes nothing new until the same source says that it is up: so long is
 * the downtime, and for good if that never comes. A drain that such a downtime follows ends where that
 * begins. Of a host that comes up it may be announced that alone: the time since it has been away is found
 * here. A resize is an instant. Hosts that follow one another and share all times and the place where it is
 * written are one. */
#ifndef HC_CLUSTER_DOWNTIMES_H
#define HC_CLUSTER_DOWNTIMES_H

#include "base/mem.h"
#include "hindcast/cell.h"

typedef struct hc_downtimes {
  const hc_allocator *allocator;
  const char *of, *word; /* where events are written: "events list" and "change", a file's name and "line" */
  const uint8_t *absent; /* [units] 1: the host is not there at first; NULL: all are */
  struct hc_down_host *hosts; /* [host_count] in the order in which they are heard */
  size_t host_count, host_cap;
  struct hc_down_since *since; /* [units] since when this source has held a host; NULL: it never held any */
  uint32_t units;
  int64_t *rows; /* [row_count][HC_DIMENSIONS] amounts of resizes */
  size_t row_count, row_cap;
  hc_downtime *items; /* [count] once settled */
  size_t count, cap;
  hc_range *ranges; /* of all items */
  size_t range_count, range_cap;
} hc_downtimes;

/** @param of, word  where the events are written, for messages; borrowed */
void hc_downtimes_init(hc_downtimes *d, const hc_allocator *a, const hc_cell_spec *cell, const char *of,
                       const char *word);
void hc_downtimes_fini(hc_downtimes *d);
/** The next event. @param announced when policies hear of it; HC_NEVER: they do not @param place number of
 * the change, or of the line @return 0, HC_EUSAGE, HC_ELIMIT, HC_ENOMEM */
hc_rc hc_downtimes_hear(hc_downtimes *d, const hc_host_event *event, hc_time announced, uint64_t place,
                        hc_error *e);
/** There are no more events. @return 0 or HC_ENOMEM */
hc_rc hc_downtimes_settle(hc_downtimes *d);
/** @return false: there are no more */
bool hc_downtimes_get(const hc_downtimes *d, size_t i, hc_downtime *out);

#endif
