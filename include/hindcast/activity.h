/** @file activity.h What running tasks did and used: a model of execution measures it, metrics are told.
 *
 *  Times in ns from the run's origin, bytes and core-seconds as real numbers. Since 0.3. */
#ifndef HINDCAST_ACTIVITY_H
#define HINDCAST_ACTIVITY_H

#include "hindcast/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HC_CORE_COMPUTES INT64_C(1000000000) /* a core that computes: HC_CHANGE_COMPUTES counts billionths */

/** What a running task does, a bit each: HC_DOES_COMPUTE | HC_DOES_NETWORK is both at once. */
enum {
  HC_DOES_COMPUTE = 1, /* at least one computation */
  HC_DOES_NETWORK = 2, /* at least one transfer: its latency, and what waits for others, included */
  HC_DOES_DISK = 4,    /* at least one read or write, one that waits for its turn included */
  HC_DOES_SETS = 8     /* as many sets of these bits */
};

/** How the attempt of a task that did something was over: as its profile went, or: */
enum { HC_DID_ALL, HC_DID_REACH_LIMIT, HC_DID_FAIL, HC_DID_STOP };

/** What a task with a profile did while it ran: told when its attempt is over. */
typedef struct hc_did_record {
  hc_time at;
  uint64_t serial;
  uint32_t how;     /* HC_DID_ ... */
  uint32_t at_once; /* most activities at a time; what it computes on all of its processes is one */
  hc_time worked;   /* how long it ran, without the time in which it was suspended */
  hc_time alone;    /* how long it would have, had nothing else run; HC_UNKNOWN: not asked, or it did
                                  not come to its end */
  hc_time items;    /* of `worked`, that in which data items were on their way which it reads, or has made;
                                  HC_UNKNOWN: it has none. No part of `alone` */
  hc_time times[HC_DOES_SETS]; /* of `worked`, that in which it did exactly this */
  double sent;                 /* bytes between different hosts, as far as they have come */
  double read, written;        /* bytes */
} hc_did_record;

#define HC_LABEL 96 /* bytes of the label of a part of a profile, with the 0 behind it */

/** How long a labelled part of a task's profile (hc_profile_type.label) took on hosts of it: told when the
 *  part is over, once for each run of hosts that follow each other and took as long. Since 0.3. */
typedef struct hc_labelled_record {
  hc_time began, ended; /* ended: when the last thing was over there that the host took part in */
  uint64_t serial;      /* of the task */
  uint64_t number;      /* of the part that is over, from 0 in the order in which they are */
  uint32_t host, hosts; /* the first of them in the cell, and how many */
  const char *label;    /* borrowed for the call */
} hc_labelled_record;

/** What running tasks have used since the beginning of the run: sums over time up to `at`, so that what was
 *  used in between is a difference. */
typedef struct hc_use_look {
  hc_time at;
  double cores_held, cores_used; /* core-seconds: of tasks that run; of those of their cores that compute */
  double sent, read, written;    /* bytes, of tasks that have ended included */
  /** [link_count] of each link: what was taken of its bandwidth, in bytes, and the bandwidth, in bytes/s;
   *  infinite: it has no limit that flows share. Borrowed until the next look, as all arrays here. */
  const double *link_used, *link_bandwidth;
  uint32_t link_count;
  uint32_t disk_count;
  void (*link_name)(const void *names, uint32_t link, char *name, size_t size);
  const void *names;
  /** [2 * disk_count] of each disk, of its reading and then of its writing: the same. A bandwidth that
   *  depends on how many share it is the greatest. */
  const double *disk_used, *disk_bandwidth;
  /** Bytes/s that are taken of a link then, until the next look. @param rates  as below. @return 0 or
   *  HC_ENOMEM. Cost: O(activities on it). Since 0.3 */
  hc_rc (*link_rate)(void *rates, uint32_t link, double *out);
  void *rates;
  double link_energy; /* J that links drew for what they carried, beside what they draw idle. Since 0.3 */
  /** [why_size] Where a metric writes what is wrong, and what to do, before it returns an error; left empty,
   *  its description is told. Since 0.3. */
  char *why;
  size_t why_size;
} hc_use_look;

#ifdef __cplusplus
}
#endif
#endif
