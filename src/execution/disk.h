/* disk.h -- disks: what is read and written at once shares their bandwidth, waits where only so much may go
 * on at once, and takes space.
 *
 * A disk has a bandwidth for reading and one for writing, each shared evenly by what reads, and by what
 * writes, at that time: with B(n) bytes per second for n at once each gets B(n) / n. A read does not slow a
 * write. An operation may have a factor f: it then takes as long as bytes / f would.
 *
 * At most so many operations go on at once, at most so many reads, at most so many writes. What may not go on
 * waits: an operation goes on when all limits allow it, and of those that may the first in the disk's order
 * does. So a read that waits for reads to end does not hold up a write behind it.
 *
 * Space is taken when a write begins, or begins to wait; a write of more than is free fails at once, and so
 * does a read of more than the disk can hold.
 *
 * Source: DSLab (dslab-storage and its throughput sharing, reference vectors V24 to V28). A read or write
 * that waits for its own kind takes a place of the common limit there, which it does not here.
 *
 * Ownership: a set of disks owns all that it is given. Not thread-safe. Deterministic. Calls come in order of
 * time, as those of a fluid (fluid.h): `now` is never after hc_disks_next but in hc_disks_advance. */
#ifndef HC_EXECUTION_DISK_H
#define HC_EXECUTION_DISK_H

#include "execution/fluid.h"
#include "hindcast/base.h"
#include "hindcast/component.h"

typedef struct hc_disks hc_disks;

#define HC_NO_DISK UINT32_MAX
#define HC_DISK_FREE __builtin_inf() /* as a bandwidth, or a capacity: no limit */

/* Which of those that wait goes on first, of equal ones the one that has waited longest: */
typedef enum hc_disk_order {
  HC_DISK_FIFO,       /* in the order in which they came */
  HC_DISK_SMALLEST,   /* of the fewest bytes */
  HC_DISK_READS_FIRST /* reads before writes */
} hc_disk_order;

typedef enum hc_disk_way { HC_DISK_READ, HC_DISK_WRITE, HC_DISK_WAYS } hc_disk_way;

/* One direction of a disk. */
typedef struct hc_disk_lane {
  double bandwidth; /* bytes/s, > 0; HC_DISK_FREE: it takes no time */
  /** [by_count] bytes/s when 1, 2, ... by_count share it, and the last one for more, in place of bandwidth;
   *  NULL: always that. Copied */
  const double *by;
  size_t by_count;
  uint32_t most; /* at once; 0: any number */
} hc_disk_lane;

typedef struct hc_disk_facts {
  double capacity; /* bytes, >= 0; HC_DISK_FREE: whatever is written finds room */
  hc_disk_lane lanes[HC_DISK_WAYS];
  uint32_t most; /* operations at once, of both kinds; 0: any number */
  hc_disk_order order;
} hc_disk_facts;

hc_rc hc_disks_new(const hc_allocator *a, hc_disks **out);
/** The same with the caller's fluid, in which operations may take of other resources (hc_disk_request.uses).
 *  It is borrowed for their life, and the caller's to save and to advance: an end whose tag is at least
 *  HC_DISK_TAG is told to hc_disks_told. */
hc_rc hc_disks_new_on(const hc_allocator *a, hc_fluid *fluid, hc_disks **out);
#define HC_DISK_TAG (UINT64_C(1) << 63)
void hc_disks_free(hc_disks *s); /* NULL is nothing */
/** Add a disk, empty; ids are dense, in order of these calls. @param id out
 *  @return 0; HC_EINPUT: a number is negative, NaN or 0 where there is no such disk; HC_ENOMEM */
hc_rc hc_disks_add(hc_disks *s, const hc_disk_facts *facts, uint32_t *id);
uint32_t hc_disks_count(const hc_disks *s);

/* ---- space ---- */

double hc_disk_capacity(const hc_disks *s, uint32_t disk);
double hc_disk_used(const hc_disks *s, uint32_t disk); /* what is being written counts whole */
/** So many bytes that had been written are there no more. @return 0; HC_EINPUT: there are not so many */
hc_rc hc_disk_clear(hc_disks *s, uint32_t disk, double bytes);

/** So many bytes are there that were not written in this run. @return 0; HC_EINPUT: there is no room */
hc_rc hc_disk_fill(hc_disks *s, uint32_t disk, double bytes);

/* ---- operations ---- */

typedef struct hc_disk_request {
  double bytes;    /* >= 0 */
  double factor;   /* of its share, > 0; 0: 1 */
  uint64_t tag;    /* the caller's, given back at its end */
  uint64_t serial; /* those that end at one ns come in ascending order of it */
  hc_disk_way way;
  /** [use_count] all that a unit of its work (a byte by its factor) takes, the disk's own resource included;
   *  of disks without limits. NULL: that alone. Copied */
  const hc_fluid_use *uses;
  size_t use_count;
  double bound;  /* of its rate, units of work per second; 0: none */
  hc_time delay; /* before its first byte */
} hc_disk_request;

/** The resource of one direction of a disk, for hc_disk_request.uses. */
uint32_t hc_disk_resource(const hc_disks *s, uint32_t disk, hc_disk_way way);

/** Begin one, or let it wait. @param op out: its number, until its end is told or it is cancelled
 *  @return 1; 0: it fails, for there is too little room (`op` is untouched); HC_EINPUT: no such disk, or a
 *  number is negative, NaN or infinite; HC_ENOMEM. Cost: O(1), as the fluid's start. */
hc_rc hc_disk_begin(hc_disks *s, hc_time now, uint32_t disk, const hc_disk_request *r, uint32_t *op);
/** Stop one. Of a write the whole bytes that have been written stay, the rest of its space is free again.
 *  @param done  out, may be NULL: bytes done, rounded down @return 0; HC_EINPUT: no such operation;
 *  HC_ENOMEM */
hc_rc hc_disk_cancel(hc_disks *s, hc_time now, uint32_t op, double *done);
/** It stands still, or goes on. While it does it takes no bandwidth, but keeps its place among those that go
 *  on; one that waits is passed over. @return as hc_disk_cancel */
hc_rc hc_disk_pause(hc_disks *s, hc_time now, uint32_t op, bool is_paused);
/** Bytes of an operation that are done at `now`; of one that waits 0. @return as hc_disk_cancel */
hc_rc hc_disk_done(hc_disks *s, hc_time now, uint32_t op, double *done);
/** How an operation stands. */
typedef struct hc_disk_situation {
  hc_disk_way way;
  bool waits;        /* for its turn */
  double bytes;      /* of all of it */
  double rate, left; /* bytes/s, and bytes that are still to come: in those of its disk, by its factor */
  uint32_t sharing;  /* that go on in its direction */
  uint32_t going, waiting; /* in both */
  uint32_t bottleneck;     /* of the caller's fluid: the resource that holds it back; UINT32_MAX: none, or not
                              asked */
} hc_disk_situation;
hc_rc hc_disk_look(hc_disks *s, hc_time now, uint32_t op, hc_disk_situation *out);
/** What was taken of each disk's bandwidth until `now`, in bytes: of its reading, then of its writing.
 *  @param out [2 x disks] @return 0 or HC_ENOMEM. Cost: O(disks + operations) */
hc_rc hc_disks_taken(hc_disks *s, hc_time now, double *out);
/** The greatest bandwidth of a direction, bytes/s. */
double hc_disk_bandwidth(const hc_disks *s, uint32_t disk, hc_disk_way way);
size_t hc_disks_active(const hc_disks *s); /* operations that go on or wait */

/* ---- time ---- */

/** The first whole ns at which one ends, if nothing changes before; HC_NEVER: none does. @return 0 or
 *  HC_ENOMEM: it can then only be freed */
hc_rc hc_disks_next(hc_disks *s, hc_time *at);

typedef struct hc_disk_end {
  uint64_t tag;
  double bytes;
  uint32_t op, disk; /* its number has no meaning any more */
  hc_disk_way way;
} hc_disk_end;

/** Go to `now`, and tell one that has ended; what waited for it goes on. Called until it returns 0.
 *  @return 1; 0: no other; HC_ENOMEM as hc_disks_next */
hc_rc hc_disks_advance(hc_disks *s, hc_time now, hc_disk_end *end);

/** With a fluid of the caller's: one of its ends. */
hc_rc hc_disks_told(hc_disks *s, hc_time now, const hc_fluid_end *over, hc_disk_end *end);

/** Used space and operations, for snapshots, forks and digests; the disks are made as they were before.
 *  @return 0; HC_EINPUT: what is loaded is damaged, or of other disks; HC_ENOMEM */
hc_rc hc_disks_visit(hc_disks *s, hc_visitor *v);

#endif
