/** @file task.h
 *  A live task by its number, and how a queue of them is asked: what the waiting list of the event kernel
 *  and the policies share. */
#ifndef HINDCAST_TASK_H
#define HINDCAST_TASK_H

#include "hindcast/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A live task: a slot that is used again when the task is gone. Hold its serial across calls, not the
 *  slot. */
typedef uint32_t hc_task;
#define HC_NO_TASK UINT32_MAX

/** A place in a queue: just behind the task last returned. Zeroed, it stands before the first task. */
typedef struct hc_cursor {
  int64_t key;
  uint64_t serial;
  bool inside;
} hc_cursor;

/** A task passes if  units <= max_units  and  (estimate <= max_estimate  or  units <= or_units). */
typedef struct hc_filter {
  int64_t max_units;
  hc_time max_estimate; /* ns; HC_NEVER: any */
  int64_t or_units;     /* 0: no second way in */
  bool fits; /* only tasks that may fit now: those of which an equal one was found not to, while nothing was
                given back since, may be passed over. For components that declare HC_ASKS_FITS; else it
                changes nothing */
} hc_filter;

#ifdef __cplusplus
}
#endif
#endif
