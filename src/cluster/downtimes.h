/* downtimes.h -- downtime of hosts that is announced ahead, found in events in order of time.
 *
 * A host that goes down is away until the same source says that it is up: so long is the downtime, and for
 * good if that never comes. Hosts that follow one another and share both times and the place where it is
 * written are one. */
#ifndef HC_CLUSTER_DOWNTIMES_H
#define HC_CLUSTER_DOWNTIMES_H

#include "base/mem.h"
#include "hindcast/cell.h"

typedef struct hc_downtimes {
  const hc_allocator *allocator;
  const char *of, *word; /* where events are written: "events list" and "change", a file's name and "line" */
  struct hc_down_host *hosts; /* [host_count] in the order in which they go down */
  size_t host_count, host_cap;
  uint32_t *open; /* [units] the entry in `hosts` of one that is down, plus 1; NULL: none ever was */
  uint32_t units;
  hc_downtime *items; /* [count] once settled */
  size_t count, cap;
  hc_range *ranges; /* of all items */
  size_t range_count, range_cap;
} hc_downtimes;

/** @param of, word  where the events are written, for messages; borrowed */
void hc_downtimes_init(hc_downtimes *d, const hc_allocator *a, uint32_t units, const char *of,
                       const char *word);
void hc_downtimes_fini(hc_downtimes *d);
/** The next event. @param announced when policies hear of it; HC_NEVER: they do not @param place number of
 * the change, or of the line @return 0, HC_EUSAGE, HC_ENOMEM */
hc_rc hc_downtimes_hear(hc_downtimes *d, const hc_host_event *event, hc_time announced, uint64_t place,
                        hc_error *e);
/** There are no more events. @return 0 or HC_ENOMEM */
hc_rc hc_downtimes_settle(hc_downtimes *d);
/** @return false: there are no more */
bool hc_downtimes_get(const hc_downtimes *d, size_t i, hc_downtime *out);

#endif
