/* reading.h -- what readers share: how a source begins, where its times begin, and rows that cannot be
 * read. */
#ifndef HC_WORKLOAD_READING_H
#define HC_WORKLOAD_READING_H

#include <string.h>

#include "base/text.h"
#include "hindcast/workload.h"

/** A source of `size` bytes, all zero. @param who  for errors, "source philly"
 *  @return 0, HC_EUSAGE (no file is named), HC_ENOMEM. */
hc_rc hc_reading_begin(const hc_source_context *c, const char *who, const char *file, size_t size,
                       hc_source **out, hc_error *e);

/** The name of the option `file` for errors, as hc_input_name has it. */
static inline const char *hc_reading_name(const char *file)
{
  return strcmp(file, "-") == 0 ? "standard input" : file;
}

/* ---- the first bytes of a file ---- */

/** Where its text begins: behind a byte order mark and blanks. */
size_t hc_head_begin(const char *head, size_t size);
bool hc_head_holds(const char *head, size_t size, const char *word);

/* ---- where times begin, as the options `origin` and `zone` say it ---- */

/** Open a time zone by its name; NULL: none. @return 0, HC_EUSAGE (there is none of that name), HC_ENOMEM. */
hc_rc hc_origin_zone(const hc_allocator *a, const char *who, const char *name, hc_zone **out, hc_error *e);

/** Read an origin: a date such as 2024-01-31 or 2024-01-31T09:00:00, or a Unix time. NULL leaves `out` as it
 *  is.
 *  @param zone  of dates without an offset; NULL: UTC;  @param out  Unix time, ns
 *  @return 0 or HC_EUSAGE. */
hc_rc hc_origin_read(const char *who, const char *text, const hc_zone *zone, hc_time *out, hc_error *e);

/** The begin of the day of a Unix time, both in ns, as the zone (NULL: UTC) has it. */
hc_time hc_origin_day(hc_time unix, const hc_zone *zone);

/** Times that were read as seconds and are units of another length: each, unless it is not known, becomes so
 *  many of these, rounded to the nearest ns. @param unit  0: a second
 *  @return false: one is beyond HC_NEVER */
bool hc_reading_in_units(hc_time unit, hc_time *const *times, size_t count);

/** An origin as hc_trace_info has it: Unix seconds, or HC_UNKNOWN. */
int64_t hc_origin_seconds(hc_time origin);

/* ---- rows that cannot be read ---- */

/* How many could be, and where the first is that could not. Plain state, to be visited with its reader. */
typedef struct hc_flaws {
  uint64_t rows, malformed;
  uint32_t bad_line, bad_column;
} hc_flaws;

/** Reject a line as malformed. @param column  0: all of it;  @param text  of it, or NULL
 *  @return as hc_row_reject. */
hc_rc hc_flaws_line(hc_flaws *f, const hc_source_context *c, const char *name, uint64_t line, uint32_t column,
                    const char *text, hc_error *e);

/* The same with the reason, in formats that are not lines of fields. */
typedef struct hc_told_flaws {
  hc_flaws at;
  char bad[240];
} hc_told_flaws;

/** @param why  what is wrong with it, for people; @return 0, or HC_EINPUT under `strict`, with what is
 * wrong. */
hc_rc hc_flaws_reject(hc_told_flaws *f, const hc_source_context *c, const char *name, uint64_t line,
                      uint32_t column, hc_error *e, const char *why, ...)
    __attribute__((format(printf, 7, 8)));

/** The end was reached. @param what  what a row should have been, "a task";  @param advice  what to do
 *  @return 0, or HC_EINPUT if rows were there and none could be read. */
hc_rc hc_flaws_end(const hc_told_flaws *f, const char *name, const char *what, const char *advice,
                   hc_error *e);

#endif
