/* calendar.c -- the calendar of a run, and of a schedule that is analysed. See calendar.h. */
#include "setup/calendar.h"

#include "base/text.h"

hc_rc hc_calendar_at_origin(const hc_allocator *a, const hc_run_options *o, const hc_trace_info *info,
                            int64_t *unix_zero, int32_t *offset, hc_error *e)
{
  const char *name = o->zone ? o->zone : info->zone;
  hc_zone *zone;
  *unix_zero = o->unix_start != HC_UNKNOWN ? o->unix_start : info->unix_start;
  if (!name || *unix_zero == HC_UNKNOWN) return 0;
  const hc_rc rc = hc_zone_open(a, name, &zone);
  if (rc == HC_ENOMEM) return hc_fail(e, rc, "zone", 0, 0, "out of memory");
  if (rc < 0) {
    if (!o->zone)
      return hc_fail(e, HC_EINPUT, "zone", 0, 0,
                     "the log's time zone \"%.80s\" is not in the tz database %s; say which it is, --set "
                     "zone=Europe/Stockholm, +01:00 or UTC",
                     name, hc_zone_version());
    return hc_fail(
        e, HC_EUSAGE, "zone", 0, 0,
        "no time zone \"%.80s\" in the tz database %s; names are like Europe/Stockholm, or an offset like "
        "+01:00",
        name, hc_zone_version());
  }
  *offset = hc_zone_offset(zone, *unix_zero);
  hc_zone_free(zone);
  return 0;
}

hc_rc hc_calendar_store(hc_store *store, const char *zone, hc_error *e)
{
  return hc_store_row(store, "run_info", 2, (const char *[]){"zone", zone}, e);
}
