/* flaws.h -- what cannot be read as a task, in formats that are not lines of fields: the first one is
 * remembered. */
#ifndef HC_WORKLOAD_FLAWS_H
#define HC_WORKLOAD_FLAWS_H

#include "hindcast/workload.h"

/* Plain state, to be visited with its reader. */
typedef struct hc_flaws {
  uint64_t rows, malformed;      /* how many could be read, and how many could not */
  uint32_t bad_line, bad_column; /* the first that could not, and why */
  char bad[240];
} hc_flaws;

/** Reject a row as malformed. @param name  of the file;  @param column  0: all of it
 *  @param why  what is wrong with it, for people
 *  @return 0, or HC_EINPUT under `strict`, with what is wrong. */
hc_rc hc_flaws_reject(hc_flaws *f, const hc_source_context *c, const char *name, uint64_t line,
                      uint32_t column, hc_error *e, const char *why, ...)
    __attribute__((format(printf, 7, 8)));

/** The end was reached. @param what  what a row should have been, "a task";  @param advice  what to do
 *  @return 0, or HC_EINPUT if rows were there and none could be read. */
hc_rc hc_flaws_end(const hc_flaws *f, const char *name, const char *what, const char *advice, hc_error *e);

#endif
