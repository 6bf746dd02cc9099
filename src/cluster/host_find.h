/* host_find.h -- which hosts a text means: names, ranges of names, classes, numbers. */
#ifndef HC_CLUSTER_HOST_FIND_H
#define HC_CLUSTER_HOST_FIND_H

#include "base/mem.h"
#include "hindcast/cell.h"

/* Sets of hosts while they are put together: ascending and disjoint once they are settled. */
typedef struct hc_host_ranges {
  hc_range *items;
  size_t count, cap;
  size_t settled; /* how many there were when they were last settled */
} hc_host_ranges;

typedef struct hc_host_finder {
  const hc_allocator *allocator;
  const hc_cell_spec *cell;
  const hc_names *hosts; /* name -> id */
  hc_names own, classes; /* `own`: the hosts' names, if nobody had a map of them */
  uint32_t *class_ids;   /* [class_count] the first class of each name */
  uint64_t steps;        /* hosts looked at so far */
} hc_host_finder;

/** @param hosts  the names of the cell's hosts with their ids, or NULL: a map of them is made.
 *  @return 0 or HC_ENOMEM; close it in either case. Cost: one look per host and class. */
hc_rc hc_host_finder_init(hc_host_finder *f, const hc_allocator *a, const hc_cell_spec *cell,
                          const hc_names *hosts);
void hc_host_finder_fini(hc_host_finder *f);

/** Add the hosts that a text means: "c-3"; "c-[0-4,07]"; the name of a class; "5", "0-99"; "all". What is
 *  the name of a host is that host, whatever else it might mean.
 *  @param where  who asks, for errors ("set batch")
 *  @return 0, HC_EUSAGE (there is no such host, a bad range; with the remedy), HC_ELIMIT, HC_ENOMEM. */
hc_rc hc_host_find(hc_host_finder *f, const char *text, const char *where, hc_host_ranges *out, hc_error *e);
/** The same for a list of texts (const char *), settled. */
hc_rc hc_host_find_all(hc_host_finder *f, const hc_list *texts, const char *where, hc_host_ranges *out,
                       hc_error *e);
/** Sort, and join what overlaps or touches. */
void hc_host_ranges_settle(hc_host_ranges *r);
void hc_host_ranges_fini(hc_host_ranges *r, const hc_allocator *a);
/** How many hosts they are, once settled. */
uint32_t hc_host_ranges_size(const hc_host_ranges *r);

#endif
