/* contention.h -- hosts whose cores and memory are promised more than once: what each task there gets. See
 * contention.c. */
#ifndef HC_EXECUTION_CONTENTION_H
#define HC_EXECUTION_CONTENTION_H

#include "base/mem.h"
#include "hindcast/execution.h"

enum { HC_CORES_PROPORTIONAL, HC_CORES_EQUAL };                          /* of hc_contention.how */
enum { HC_VICTIM_LAST_STARTED, HC_VICTIM_LARGEST, HC_VICTIM_MOST_OVER }; /* of hc_contention.victim */

/* What a task has on one host. */
typedef struct hc_resident {
  double use, asked;           /* cores that it would use now; those that it asked for */
  double memory, memory_asked; /* bytes */
  double share;                /* of its use that it gets */
  uint32_t running, place;     /* running: HC_NO_ONE: a free place, the next in `after` */
  uint32_t before, after;      /* on its host, in the order in which they came */
  uint32_t host, padding;
} hc_resident;

typedef struct hc_crowd {
  double cores, memory; /* physical */
  double use, asked;    /* of those that go on, when it was last settled; cores, bytes */
  double memory_use, memory_asked;
  uint32_t first, last;
  hc_time since;
  uint32_t is_short; /* from then on its cores were too few */
  uint32_t is_dirty; /* something has changed since: it is in `dirty` */
} hc_crowd;

typedef struct hc_contention {
  hc_crowd *hosts; /* [host_count]; NULL: nothing is promised more than once */
  uint32_t host_count;
  int how, victim;
  bool is_overrun; /* cores of some host are: parallel tasks, which have theirs for themselves, cannot be */
  hc_resident *residents;
  size_t count, cap;
  uint32_t *dirty;
  size_t dirty_count, dirty_cap;
  uint32_t vacant, padding;
  struct { /* what was found */
    uint64_t kills, slowed;
    double cpu_load_max, memory_load_max;
    double contended; /* ns of a host with too few cores, all hosts together */
  } found;
} hc_contention;

#endif
