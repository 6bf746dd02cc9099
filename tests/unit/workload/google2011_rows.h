/* google2011_rows.h -- rows of the trace of 2011, as tests of its reader write them. Times are seconds
 * here, shares are cores and MiB. */
#ifndef HC_TESTS_GOOGLE2011_ROWS_H
#define HC_TESTS_GOOGLE2011_ROWS_H

#include "google_test.h"

READER(google2011);
#define TYPE (&hc_reader_google2011)

/* A row of task_events: time, job, index, event. */
#define FULL(time, missing, job, index, event, cpu, ram, different) \
  time "," missing "," job "," index ",9," event ",ann,2,5," cpu "," ram ",," different "\n"
#define ROW(time, job, index, event) FULL(time, "", job, index, event, "2", "3", "0")
#define SUBMIT "0"
#define SCHEDULE "1"
#define EVICT "2"
#define FAIL "3"
#define FINISH "4"
#define KILL "5"
#define LOST "6"
#define UPDATE_PENDING "7"
#define UPDATE_RUNNING "8"

#endif
