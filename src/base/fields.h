/* fields.h -- what the fields of a table say: numbers, amounts, durations, and dates. */
#ifndef HC_BASE_FIELDS_H
#define HC_BASE_FIELDS_H

#include "base/lexer.h"
#include "base/mem.h"
#include "base/text.h"

/** Each is true if the field is what it should be, and then writes `out`; false leaves it untouched. */

/** A whole number of at most 18 digits; "12.0" counts. */
bool hc_field_whole(const hc_field *f, int64_t *out);
/** A decimal of at least 0, times `unit`, rounded up; below 2^52. */
bool hc_field_amount(const hc_field *f, int64_t unit, int64_t *out);
/** The same, or a size as people write it: "64MiB", "4GB". */
bool hc_field_size(const hc_field *f, int64_t unit, int64_t *out);
/** A decimal of at least 0, times `unit`; or "HH:MM:SS", "D-HH:MM:SS", "1h30m". ns */
bool hc_field_duration(const hc_field *f, hc_time unit, hc_time *out);

typedef enum hc_moment_kind {
  HC_MOMENT_SECONDS, /* a decimal, since the trace's own origin */
  HC_MOMENT_UNIX,    /* a decimal, since 1970 */
  HC_MOMENT_ISO,     /* 2024-01-31, 2024-01-31T09:30:00.5, with Z or +01:00 or without */
  HC_MOMENT_PATTERN  /* %Y %y %m %d %e %b %H %I %p %M %S %f %z %F %T %%; blanks match blanks */
} hc_moment_kind;

typedef struct hc_moment_format {
  hc_moment_kind kind;
  const char *pattern;
  hc_time unit; /* of decimals */
} hc_moment_format;

/** Read "seconds", "unix", "iso" or a pattern. @return NULL, or what is wrong with it. Borrows `text`. */
const char *hc_moment_format_init(hc_moment_format *f, const char *text, hc_time unit);
/** A point in time: Unix, ns; since the trace's origin under HC_MOMENT_SECONDS, and then not negative.
 * @param zone  of dates that say none; NULL: UTC. Of an hour that a clock shows twice the first is meant,
 * and one that it leaves out is read as if it had not been put forward yet. */
bool hc_field_moment(const hc_field *f, const hc_moment_format *format, const hc_zone *zone, hc_time *out);
/** The same of no other form than 2024-01-31T09:30:00, with Z, +01:00 or +0100 or without: Unix seconds. Of
 * an hour that a clock shows twice the first that is not before `after` is meant, s. */
bool hc_read_stamp(const char *s, size_t n, const hc_zone *zone, int64_t after, int64_t *out);

/** The text of a field, its doubled quotes halved. @return 0 or HC_ENOMEM. */
hc_rc hc_field_text(const hc_field *f, hc_buffer *scratch, const char **text, size_t *length);

#endif
