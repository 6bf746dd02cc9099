/* origin.c -- where the times of a trace begin: a date that was given, or the begin of a day. */
#include "workload/origin.h"

#include <string.h>

#include "base/util.h"
#include "workload/fields.h"

hc_rc hc_origin_zone(const hc_allocator *a, const char *who, const char *name, hc_zone **out, hc_error *e)
{
  if (!name) return 0;
  const hc_rc rc = hc_zone_open(a, name, out);
  if (rc == 0 || rc == HC_ENOMEM) return rc;
  return hc_fail(
      e, HC_EUSAGE, who, 0, 0,
      "zone: no time zone \"%.80s\" in the tz database %s; names are like Europe/Stockholm, or an offset like "
      "+01:00",
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

int64_t hc_origin_seconds(hc_time origin)
{
  return origin == HC_UNKNOWN ? HC_UNKNOWN : hc_floor_div(origin, HC_SECOND);
}
