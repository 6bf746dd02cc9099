/* timetable.h -- what is planned on a host, and the earliest gap for something more. See timetable.c. */
#ifndef HC_POLICY_WORKFLOW_TIMETABLE_H
#define HC_POLICY_WORKFLOW_TIMETABLE_H

#include "hindcast/task.h"

typedef struct hc_timetable {
  const hc_allocator *allocator;
  double *at;    /* [count] from then on, ascending; the first is -infinity */
  int64_t *used; /* [count * dimensions] */
  size_t count, at_cap, used_cap;
  uint32_t dimensions;
  int64_t capacity[HC_DIMENSIONS];
} hc_timetable;

/** @param capacity [dimensions] @return 0 or HC_ENOMEM */
hc_rc hc_timetable_init(hc_timetable *t, const hc_allocator *a, uint32_t dimensions, const int64_t *capacity);
void hc_timetable_fini(hc_timetable *t);
/** The earliest start from `from` on of something that takes `demand` for so long. @return infinity: never */
double hc_timetable_gap(const hc_timetable *t, double from, double length, const int64_t *demand);
/** It is planned there, or (sign -1) no longer. @return 0 or HC_ENOMEM */
hc_rc hc_timetable_put(hc_timetable *t, double from, double to, const int64_t *demand, int sign);

#endif
