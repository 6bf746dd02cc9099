/* parts.h -- what the checks share: the tasks in order of submission, the events in order of time, and the
 * findings.
 *
 * Nothing of the engine is here, nor of the kernel: a checker that shared its queue or its timeline with what
 * it checks would share their errors. */
#ifndef HC_VERIFY_PARTS_H
#define HC_VERIFY_PARTS_H

#include "base/mem.h"
#include "hindcast/verify.h"

/* A task as the checks see it: `rank` is its position by (submit, serial). Units lie in [0, capacity + 1]. */
typedef struct hc_checked {
  hc_time submit;
  hc_time earliest; /* when it may start: its submission, or later */
  hc_time start;    /* HC_UNKNOWN: it never started */
  hc_time end;      /* HC_NEVER: still running when the records end. Never before `start` */
  hc_time estimate; /* >= 0; HC_NEVER: none */
  hc_time gone;     /* when it left the queue without starting; HC_NEVER: it waits to the end */
  int64_t units;
  size_t record;
} hc_checked;

/* Everything that happens, ordered by (time, kind, rank). A task of no length has no end of its own: it
 * starts and is gone. */
typedef enum hc_happening { HC_ENDS, HC_LEAVES, HC_ARRIVES, HC_STARTS } hc_happening;

typedef struct hc_happens {
  hc_time at;
  uint32_t kind, rank;
} hc_happens;

/* What can be found. X(name, rule) */
#define HC_FINDINGS(X) \
  X(NO_TIMES, "run_time") \
  X(BACKWARDS, "run_time") \
  X(OTHER_RUN, "run_time") \
  X(OTHER_LIMIT, "run_time") \
  X(ATTEMPTS, "attempts") \
  X(SAVED, "attempts") \
  X(RATES, "rates") \
  X(RESIZE, "resizes") \
  X(GROWS_OVERFULL, "capacity") \
  X(EARLY, "before_submission") \
  X(TOO_EARLY, "before_time") \
  X(NO_UNITS, "capacity") \
  X(OVERFULL, "capacity") \
  X(HOST_OVERFULL, "capacity") \
  X(HOST_AWAY, "capacity") \
  X(DEVICE_OVERFULL, "capacity") \
  X(NOT_ALONE, "capacity") \
  X(NO_PLACE, "capacity") \
  X(OTHER_DEMAND, "demand") \
  X(OUT_OF_ORDER, "order") \
  X(DELAYS_HEAD, "reservation") \
  X(HEAD_LATE, "reservation") \
  X(HEAD_NEVER, "reservation") \
  X(LATE, "promise") \
  X(NEVER_STARTS, "promise")

typedef enum hc_found {
#define X(name, rule) HC_FOUND_##name,
  HC_FINDINGS(X)
#undef X
} hc_found;

/* Texts are made when all is known: a finding is small, so that a wholly wrong schedule does not fill the
 * memory. */
typedef struct hc_finding {
  hc_time at;
  hc_found what;
  uint32_t rank, other;     /* UINT32_MAX: none */
  uint32_t host, dimension; /* of those about hosts */
  int64_t a, b;
} hc_finding;

typedef struct hc_check {
  const hc_allocator *allocator;
  const hc_verify_options *options;
  int64_t capacity; /* in [0, 2^40], so that sums of units stay far from the end of int64 */
  const hc_task_record *records;
  const hc_task_record *given; /* [report.tasks] as they came; of these `records` begins with the first stretches */
  const struct hc_unfolded *unfolded; /* NULL: nothing was suspended */
  hc_checked *tasks; /* [count], by (submit, serial) */
  size_t count;
  hc_happens *events; /* [event_count] */
  size_t event_count, event_cap;
  hc_finding *findings;
  size_t finding_count, finding_cap;
  hc_verify_report report;
} hc_check;

hc_rc hc_find(hc_check *c, hc_found what, hc_time at, uint32_t rank, uint32_t other, int64_t a, int64_t b);

/* Of an attempt that stands as a task of its own: its task's. */
int64_t hc_serial_of(const hc_check *c, uint32_t rank);
/* Whole numbers of a row; what is missing is 0. @return 0 or HC_EINPUT. */
hc_rc hc_numbers_of(const char *const *values, size_t n, int64_t *out);

/* Records and tables in which each attempt that was stopped is a task of its own: stops.c. */
typedef struct hc_unfolded {
  int64_t *names; /* [stretch_count] whose each added stretch is: rates.c */
  size_t stretch_count, name_room;
  hc_task_record *records; /* [count] those of the tasks first */
  size_t count;
  hc_verify_hosts hosts;
  hc_verify_demand *demands;
  hc_verify_grant *grants;
  size_t record_room, demand_room, grant_room; /* bytes */
} hc_unfolded;

/* To be freed also if it fails. @return 0 or HC_ENOMEM. */
hc_rc hc_unfold(const hc_allocator *a, const hc_verify_options *o, const hc_task_record *records, size_t count,
                hc_unfolded *u);
/** The same of stretches between suspensions: rates.c. */
hc_rc hc_unfold_rates(const hc_allocator *a, const hc_verify_options *o, const hc_task_record *records, size_t count,
                      hc_unfolded *u);
void hc_unfold_free(const hc_allocator *a, hc_unfolded *u);
hc_rc hc_check_times(hc_check *c);
hc_rc hc_check_stops(hc_check *c);
hc_rc hc_check_rates(hc_check *c);

hc_rc hc_check_hosts(hc_check *c);
hc_rc hc_check_easy(hc_check *c);
hc_rc hc_check_conservative(hc_check *c);
hc_rc hc_check_conservative_hosts(hc_check *c);

#endif
