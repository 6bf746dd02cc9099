/* calendar.c -- the calendar of a run, and of a schedule that is analysed. See calendar.h. */
#include "engine/calendar.h"

#include "base/text.h"

hc_rc hc_calendar_at_origin(const hc_allocator *a, const hc_run_options *o, const hc_trace_info *info,
                            int64_t *unix_zero, int32_t *offset, hc_error *e)
{
  const char *name = o->zone ? o->zone : info->zone;
  hc_zone *zone;
  *unix_zero = o->unix_start != HC_UNKNOWN ? o->unix_start : info->unix_start;
  if (!name || *unix_zero == HC_UNKNOWN) return 0;
  const hc_rc rc = hc_zone_open(a, name, &zone);
  if (rc == HC_ENOMEM || rc == HC_EIO)
    return hc_fail(e, rc, "zone", 0, 0, "\"%s\": %s", name,
                   rc == HC_ENOMEM ? "out of memory" : "the system's description of it cannot be read");
  if (rc < 0) {
    if (!o->zone) return 0; /* a log may name a zone that this system does not know: UTC then */
    return hc_fail(
        e, HC_EUSAGE, "zone", 0, 0,
        "no time zone \"%s\" on this system; names are like Europe/Stockholm, or an offset like +01:00",
        name);
  }
  *offset = hc_zone_offset(zone, *unix_zero);
  hc_zone_free(zone);
  return 0;
}
