/* record.h -- what the records of a cell's description hold: options of kinds that have one component each.
 *
 * A record is a component so that its keys are checked, listed and described like all others. Nothing is
 * called on it: the cell sources and the events that take records read these structs. The registry sees to it
 * that no other component of such a kind is added. */
#ifndef HC_CLUSTER_RECORD_H
#define HC_CLUSTER_RECORD_H

#include "hindcast/component.h"

/* class host_class: hosts that are alike */
typedef struct hc_host_class_options {
  const char *name, *name_prefix; /* NULL */
  int64_t count;
  double cpus;          /* cores */
  int64_t memory, disk; /* bytes */
  int64_t gpus;
  const char *gpu_model;                 /* NULL */
  hc_list features, attributes, amounts; /* const char *: "ssd"; "kernel=5"; "fpga=2" */
  double speed;
} hc_host_class_options;

/* set host_set: a named set of hosts */
typedef struct hc_host_set_options {
  const char *name;
  hc_list hosts; /* const char *, as host_find.h reads them */
  bool partition, failure_domain;
  hc_time max_time; /* HC_NEVER: any */
  hc_list of;       /* const char *: partitions of the log, by name or number; "*" */
  int64_t max_size; /* slots; 0: any */
} hc_host_set_options;

/* level zone_level: zones of hosts that follow one another */
typedef struct hc_zone_level_options {
  const char *name;
  int64_t size;  /* hosts per zone; 0: see sizes */
  hc_list sizes; /* int64_t */
} hc_zone_level_options;

/* change host_change: something that happens to hosts */
typedef struct hc_host_change_options {
  hc_time at;          /* HC_UNKNOWN: not said, which is a mistake */
  hc_list hosts;       /* const char *, as host_find.h reads them */
  int change;          /* hc_host_change */
  hc_time until;       /* HC_UNKNOWN: for good */
  hc_list amounts;     /* const char *: "cpus=10" */
  hc_time announced;   /* known to policies from then on; HC_NEVER: not ahead */
  hc_time evict_after; /* of drain; HC_NEVER: what runs runs on */
  int evict;           /* of HC_EVICTS */
  int64_t tolerate;    /* priority from which on tasks stay */
} hc_host_change_options;

/* What becomes of tasks that are evicted. */
#define HC_EVICTS "requeue|checkpoint|stop" /* in the order of hc_evict */
/* Of Kubernetes' own priority classes, which tolerate every taint. */
#define HC_TOLERATES 2000000000

/* reservation reservation: hosts or processors kept for some users */
typedef struct hc_reservation_options {
  const char *file;        /* a table with a row for each; NULL: it is one itself */
  const char *name;        /* NULL: its number */
  hc_list hosts;           /* const char *, as host_find.h reads them */
  int64_t count, units;    /* hosts, processors; 0: not said */
  hc_list users, accounts; /* const char * */
  hc_time start, end;      /* HC_UNKNOWN: not said, which is a mistake */
  hc_time every;           /* HC_UNKNOWN: once */
  int64_t times;
  hc_time announced; /* known to policies from then on */
  int at_start;      /* hc_at_start */
  bool maintenance;  /* no task may use it */
} hc_reservation_options;

/* What becomes of others' tasks that still hold what is reserved when it begins. */
#define HC_AT_STARTS "keep|requeue|checkpoint|stop" /* in the order of hc_at_start */
typedef enum hc_at_start {
  HC_AT_START_KEEP,
  HC_AT_START_REQUEUE,
  HC_AT_START_CHECKPOINT,
  HC_AT_START_STOP
} hc_at_start;

extern const hc_component hc_class_host_class, hc_set_host_set, hc_level_zone_level, hc_change_host_change,
    hc_reservation_reservation;

#define HC_HOST_CHANGES "up|down|drain|resize|fail" /* in the order of hc_host_change, but for fail */

/* How hosts are named wherever a list of them is wanted. */
#define HC_HOSTS_HELP \
  "Each a host's name (c-3), names in brackets (c-[0-4,7], with leading zeros as written), a " \
  "class's name (all of its " \
  "hosts), numbers of hosts in order of declaration from 0 (5, 0-99), or `all`. Overlapping ones are fine."

#endif
