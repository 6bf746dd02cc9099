/* text.h -- numbers, times and sizes to text and back, without a locale.
 *
 * What programs outside the library want too is public, in hindcast/base.h: hc_parse_int, _real, _time,
 * _size, _seconds; hc_format_real, _seconds, _duration, _count, _size; hc_edit_distance, hc_json_string,
 * hc_csv_field, hc_calendar_of. Here is the fine print of these, and the rest.
 *
 *   hc_parse_int      decimal, sign, 1_000 and 1e6 forms if whole
 *   hc_parse_real     decimal, correctly rounded; no inf, no nan, no hex
 *   hc_parse_time     90, 1.5h, 2d12h, 1h30m, 100ms, 3us, 4ns, 1w; HH:MM:SS, D-HH:MM:SS; "never"
 *   hc_parse_size     64MiB, 1GB, 512k, 10B, 4096
 *   hc_parse_amount   a real number, or one with a prefix and a unit: 64MiB, 1.5GB, 2Gflop, 10Gf
 *   hc_parse_seconds  exact, rounding halves up past 9 digits; out of range saturates to HC_NEVER. About 10
 *                     ns. */
#ifndef HC_BASE_TEXT_H
#define HC_BASE_TEXT_H

#include "base/mem.h"

/** The first character of `s` (n > 0 bytes left) as hc_shown_text shows it. @return how many bytes of `s` it
 *  is */
size_t hc_shown_char(const char *s, size_t n, const char *keep, char out[8]);

/* Parses the whole of `s` (length n) or returns HC_EINPUT with `out` untouched. */
hc_rc hc_parse_bool(const char *s, size_t n, bool *out); /* true false yes no on off */

/** An amount that need not be whole: a number, or one without an exponent, then k, M, G, T, P or E (with `i`:
 *  of 1024), then the unit's word. Rounded at most twice.
 *  @param unit  "B": B or b; "work": f, flop, flops; "work/s": f, flops, flop/s. Another, or NULL: a number
 *  alone */
hc_rc hc_parse_amount(const char *s, size_t n, const char *unit, double *out);
/** What a text of such a unit looks like, for messages ("64MiB, 1GB, or a number of bytes") and as an
 *  expression of a schema. NULL: it takes a number alone. */
const char *hc_amount_examples(const char *unit);
const char *hc_amount_pattern(const char *unit);

int64_t hc_calendar_unix(const hc_calendar *c, int32_t offset);

/** Offset from UTC, seconds, of a tz database zone ("Europe/Stockholm") at a Unix time, from the table that
 *  is part of the program: what the machine has of zones is never read. "UTC" and "+01:00" are fixed.
 *  @return 0, HC_ENOTFOUND (no such zone in that release of the database), HC_ENOMEM. */
typedef struct hc_zone hc_zone;
hc_rc hc_zone_open(const hc_allocator *a, const char *name, hc_zone **out);
void hc_zone_free(hc_zone *z);
int32_t hc_zone_offset(const hc_zone *z, int64_t unix_seconds);
bool hc_zone_is_known(const char *name); /* hc_zone_open would find it */

const char *hc_zone_name(size_t i); /* in order; NULL past the last */

/** The name of a fixed offset, "+01:00". @return false: it is a day or more. */
#define HC_ZONE_FIXED 12
bool hc_zone_fixed(int64_t offset, char name[HC_ZONE_FIXED]);

#endif
