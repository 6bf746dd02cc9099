/* reading.c -- what readers share. See reading.h. Rows that cannot be read are counted and told, and the
 * first of them is remembered for the error at the end of a file in which nothing can. */
#include "workload/reading.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/fields.h"
#include "base/util.h"
#include "base/wide.h"
#include "workload/ledger.h"

hc_rc hc_reading_begin(const hc_source_context *c, const char *who, const char *file, size_t size,
                       hc_source **out, hc_error *e)
{
  if (!file || !file[0])
    return hc_fail(e, HC_EUSAGE, who, 0, 0, "no file is given: set `file`, or `-` for standard input");
  *out = hc_alloc(c->allocator, size);
  return *out ? 0 : HC_ENOMEM;
}

/* ---- the first bytes of a file ---- */

size_t hc_head_begin(const char *head, size_t size)
{
  size_t i = size >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
  while (i < size && head[i] && strchr(" \t\r\n", head[i])) i++;
  return i;
}

bool hc_head_holds(const char *head, size_t size, const char *word)
{
  const size_t n = strlen(word);
  for (size_t i = 0; i + n <= size; i++)
    if (memcmp(head + i, word, n) == 0) return true;
  return false;
}

/* ---- where times begin ---- */

hc_rc hc_origin_zone(const hc_allocator *a, const char *who, const char *name, hc_zone **out, hc_error *e)
{
  if (!name) return 0;
  const hc_rc rc = hc_zone_open(a, name, out);
  if (rc == 0 || rc == HC_ENOMEM) return rc;
  return hc_fail(
      e, HC_EUSAGE, who, 0, 0,
      "zone: no time zone \"%.80s\" in the tz database %s; names are like Europe/Stockholm, or an offset "
      "like +01:00",
      name, hc_zone_version());
}

hc_rc hc_origin_read(const char *who, const char *text, const hc_zone *zone, hc_time *out, hc_error *e)
{
  const hc_moment_format unix = {.kind = HC_MOMENT_UNIX, .unit = HC_SECOND}, iso = {.kind = HC_MOMENT_ISO};
  if (!text) return 0;
  const hc_field f = {.text = text, .length = strlen(text)};
  if (hc_field_moment(&f, &iso, zone, out) || hc_field_moment(&f, &unix, NULL, out)) return 0;
  return hc_fail(
      e, HC_EUSAGE, who, 0, 0,
      "origin: \"%.80s\" is no date; give one such as 2024-01-31 or 2024-01-31T09:00:00, or a Unix time",
      text);
}

hc_time hc_origin_day(hc_time unix, const hc_zone *zone)
{
  const int64_t seconds = hc_floor_div(unix, HC_SECOND);
  const int64_t offset = zone ? hc_zone_offset(zone, seconds) : 0;
  return (hc_floor_div(seconds + offset, 86400) * 86400 - offset) * HC_SECOND;
}

bool hc_reading_in_units(hc_time unit, hc_time *const *times, size_t count)
{
  for (size_t i = 0; unit > 0 && unit != HC_SECOND && i < count; i++) {
    const hc_time t = *times[i];
    if (t == HC_UNKNOWN || t == HC_NEVER) continue;
    const hc_uint128 parts =
        (hc_uint128)(uint64_t)(t < 0 ? -t : t) * (uint64_t)unit + (uint64_t)HC_SECOND / 2;
    const hc_uint128 ns = parts / (uint64_t)HC_SECOND;
    if (ns >= (hc_uint128)(uint64_t)HC_NEVER) return false;
    *times[i] = t < 0 ? -(hc_time)(uint64_t)ns : (hc_time)(uint64_t)ns;
  }
  return true;
}

int64_t hc_origin_seconds(hc_time origin)
{
  return origin == HC_UNKNOWN ? HC_UNKNOWN : hc_floor_div(origin, HC_SECOND);
}

/* ---- rows that cannot be read ---- */

static void note(hc_flaws *f, uint64_t line, uint32_t column)
{
  if (f->malformed++ > 0) return;
  f->bad_line = hc_line_number(line);
  f->bad_column = column;
}

hc_rc hc_flaws_line(hc_flaws *f, const hc_source_context *c, const char *name, uint64_t line, uint32_t column,
                    const char *text, hc_error *e)
{
  note(f, line, column);
  return hc_row_reject(c, name, line, column, HC_REASON_MALFORMED, text, e);
}

hc_rc hc_flaws_reject(hc_told_flaws *f, const hc_source_context *c, const char *name, uint64_t line,
                      uint32_t column, hc_error *e, const char *why, ...)
{
  char text[512];
  va_list args;
  va_start(args, why);
  (void)vsnprintf(text, sizeof text, why, args);
  va_end(args);
  const int end = (int)strcspn(text, "\n"); /* a picture of the place may follow */
  if (f->at.malformed == 0) (void)snprintf(f->bad, sizeof f->bad, "%.*s", end, text);
  if (c->strict) /* more than the ledger knows to say; the first error stays */
    (void)hc_fail(
        e, HC_EINPUT, name, hc_line_number(line), column,
        "row rejected (malformed): %.*s; correct it, or leave out `strict` to count such rows and go on%s",
        end, text, text + end);
  return hc_flaws_line(&f->at, c, name, line, column, NULL, e);
}

hc_rc hc_flaws_end(const hc_told_flaws *f, const char *name, const char *what, const char *advice,
                   hc_error *e)
{
  if (f->at.rows > 0 || f->at.malformed == 0) return 0;
  return hc_fail(e, HC_EINPUT, name, f->at.bad_line, f->at.bad_column,
                 "nothing in this file can be read as %s. The first: %s. %s", what, f->bad, advice);
}
