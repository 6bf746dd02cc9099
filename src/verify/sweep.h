/* sweep.h -- what the checks on hosts share: what each host has and holds at one time of the sweep
 * (hosts.c), and the queue of first come, first served (fcfs.c). */
#ifndef HC_VERIFY_SWEEP_H
#define HC_VERIFY_SWEEP_H

#include "verify/parts.h"

/* ---- the queue in order of submission ---- */

typedef struct hc_line {
  hc_check *c;
  bool *out; /* [count] started, or left */
  uint32_t head, arrived;
  uint32_t told; /* the head of which it was said already that it could have started */
} hc_line;

hc_rc hc_line_open(hc_line *l, hc_check *c);
void hc_line_close(hc_line *l);
void hc_line_hear(hc_line *l, const hc_happens *h);
/** The first that waits; UINT32_MAX if none does. */
uint32_t hc_line_head(hc_line *l);
/** It could have started, and waits. */
hc_rc hc_line_find(hc_line *l, uint32_t head, hc_time since);

/* ---- hosts at one time ---- */

typedef struct hc_host_now {
  int64_t *has, *held;   /* [hc_verify_hosts.dimensions] */
  int64_t *device;       /* as many as any host has */
  uint32_t tasks, whole; /* on it; of them, those that want it whole */
  uint32_t latest, seen; /* the task that started there last; the last that was asked about + 1 */
  bool away;
} hc_host_now;

/* The grants and the demand of one task; `record` is that of an attempt, if it stands as a task of its own.
 * */
typedef struct hc_asked {
  const hc_task_record *record;
  uint32_t rank;
  const hc_verify_demand *demand; /* NULL: not known */
  size_t demand_count;            /* how many rows say it */
  const hc_verify_grant *const *grants;
  size_t grant_count;
} hc_asked;

/** Does a task that starts now hold what it asked for? demands.c */
hc_rc hc_check_demand(hc_check *c, hc_host_now *hosts, const hc_asked *a);
/** Is it on hosts of the set that its partition is bound to? sets.c */
hc_rc hc_check_sets(hc_check *c, const hc_asked *a);
/** What each of the devices of a grant holds of it. */
int64_t hc_on_each_device(const hc_verify_grant *g);

#endif
