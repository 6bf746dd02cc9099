/* busy.h -- how many cores of each host compute, told when it changes. See busy.c. */
#ifndef HC_EXECUTION_BUSY_H
#define HC_EXECUTION_BUSY_H

#include "hindcast/execution.h"

struct hc_doings;

/* What of a task computes on one of its hosts, in billionths of cores. */
typedef struct hc_busy_place {
  uint32_t host, computes; /* HC_NO_ONE: a processor that is only counted; its process computes */
  int64_t cores;           /* that its process keeps busy then */
  int64_t said, joint;     /* of computations that say it themselves; of parallel tasks */
  int64_t told;            /* of all that, up to now */
  int64_t gpus, told_gpus; /* the same of GPUs */
  uint32_t sayers, padding;
} hc_busy_place;

typedef struct hc_busy_task {
  hc_busy_place *places; /* [count] */
  uint32_t count, is_paused;
  uint32_t is_plain, padding; /* no more is known of it than how long it takes: it keeps all it has busy */
} hc_busy_task;

/* A parallel task, which computes as its rate says. */
typedef struct hc_busy_part {
  uint32_t place, padding;
  double core_seconds; /* of all of it */
  int64_t told;
} hc_busy_part;
typedef struct hc_busy_joint {
  hc_busy_part *parts; /* [count] */
  uint32_t count, act; /* HC_NO_ONE: a free place, the next in `count` */
  double rate;         /* of it, a second */
} hc_busy_joint;

typedef struct hc_busy {
  bool is_asked, padding[7];
  hc_busy_task *tasks; /* [task_count] by running */
  size_t task_count, task_cap;
  hc_busy_joint *joints;
  size_t joint_count, joint_cap;
  uint32_t vacant, joint_active;
  hc_busy_part *parts; /* of the parallel task that begins: between calls there are none */
  size_t part_count, part_cap;
  int64_t *crowds; /* [host_count] told of hosts that are promised more than once; else NULL */
} hc_busy;

/** All are for hc_doings.measure alone, and do nothing where it is not asked (hc_measuring.computes). */
hc_rc hc_busy_init(struct hc_doings *d);
void hc_busy_fini(struct hc_doings *d);
hc_rc hc_busy_visit(struct hc_doings *d, hc_visitor *v);
void hc_busy_begin(struct hc_doings *d, uint32_t running, const hc_activity *a);
void hc_busy_end(struct hc_doings *d, uint32_t running);
/** It has other places, and computes nothing. */
void hc_busy_resize(struct hc_doings *d, uint32_t running, const hc_activity *a);
void hc_busy_pause(struct hc_doings *d, uint32_t running, bool is_paused);
/** It waits for items, or does so no more. */
void hc_busy_waits(struct hc_doings *d, uint32_t running, bool is_waiting);
void hc_busy_meter(struct hc_doings *d, uint32_t running, uint32_t meter, bool computes);
/** A computation keeps this share of its host's cores busy. */
void hc_busy_says(struct hc_doings *d, uint32_t act, double share);
/** A computation keeps so many GPUs of its process's host busy. */
void hc_busy_gpus(struct hc_doings *d, uint32_t act, double gpus);
/** A parallel task computes so much at a place; those that were told since the last one begin as this one. */
void hc_busy_part_of(struct hc_doings *d, uint32_t place, double core_seconds);
void hc_busy_joint_begin(struct hc_doings *d, uint32_t act);
void hc_busy_act_over(struct hc_doings *d, uint32_t act);
/** All that changes rates at this time has happened: those of parallel tasks are asked for. */
void hc_busy_rates(struct hc_doings *d);
/** Of a host that is promised more than once so many cores are in use. */
void hc_busy_crowd(struct hc_doings *d, uint32_t host, double cores);

#endif
