/* numbers.c -- the functions that read and write numbers, as components in shared objects get them. */
#include "base/numbers.h"

#include "base/fields.h"

static hc_rc parse_date(const char *s, size_t n, hc_time *out)
{
  const hc_moment_format iso = {.kind = HC_MOMENT_ISO};
  const hc_field f = {.text = s, .length = n};
  return hc_field_moment(&f, &iso, NULL, out) ? 0 : HC_EINPUT;
}

const hc_number_calls hc_numbers_of_library = {
    .size = sizeof(hc_number_calls),
    .abi = HC_ABI,
    .parse_int = hc_parse_int,
    .parse_real = hc_parse_real,
    .parse_time = hc_parse_time,
    .parse_size = hc_parse_size,
    .parse_seconds = hc_parse_seconds,
    .parse_date = parse_date,
    .format_real = hc_format_real,
    .format_seconds = hc_format_seconds,
    .format_duration = hc_format_duration,
    .format_count = hc_format_count,
    .format_size = hc_format_size,
    .calendar_of = hc_calendar_of,
};
