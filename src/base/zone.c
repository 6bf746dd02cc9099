/* zone.c -- the civil calendar, and offsets from UTC out of the tz database.
 *
 * Dates count days in the proleptic Gregorian calendar with the year moved to begin in March, so that the
 * leap day comes last. A zone is a list of changes since 1970, and for times past them the rule in the POSIX
 * form of the TZ variable. Both stand in zone_table.h, which tools/make_zone_table makes of one release of
 * the database: a result must not depend on what the machine has, so its zoneinfo files are never read, nor
 * are the variables TZ and TZDIR.
 *
 * Leap seconds are left out, as Unix time does; so are the names of the offsets ("CEST"). Before 1970 the
 * offset of its beginning stays. Cost: hc_zone_open is a binary search among 600 names and unpacks the zone's
 * changes (16 bytes each, 218 at most), hc_zone_offset is a search among them, or two dates by the rule;
 * nothing allocates after opening. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/util.h"

/* ---- calendar ---- */

#define DAY_SECONDS 86400
#define ERA_DAYS 146097    /* of 400 years, after which the calendar repeats */
#define MARCH_SHIFT 719468 /* days from 0000-03-01 to 1970-01-01 */

/* Days since 1970-01-01 of a date; month from 1, any day number. The year must be within 10^15 of 0. */
static int64_t days_of_date(int64_t year, int month, int64_t day)
{
  int64_t y = year - (month <= 2);
  int64_t era = hc_floor_div(y, 400);
  int64_t in_era = y - era * 400;
  int64_t in_year =
      (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1; /* months of 31, 30, 31, 30, 31 days */
  return era * ERA_DAYS + in_era * 365 + in_era / 4 - in_era / 100 + in_year - MARCH_SHIFT;
}

static void date_of_days(int64_t days, int64_t *year, int *month, int *day)
{
  int64_t shifted = days + MARCH_SHIFT;
  int64_t era = hc_floor_div(shifted, ERA_DAYS);
  int64_t in_era = shifted - era * ERA_DAYS;
  int64_t y = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
  int64_t in_year = in_era - (365 * y + y / 4 - y / 100);
  int64_t m = (5 * in_year + 2) / 153; /* from March */
  *day = (int)(in_year - (153 * m + 2) / 5 + 1);
  *month = (int)(m < 10 ? m + 3 : m - 9);
  *year = era * 400 + y + (m >= 10);
}

hc_calendar hc_calendar_of(int64_t unix_seconds, int32_t offset)
{
  hc_calendar c = {0};
  int64_t days = hc_floor_div(unix_seconds, DAY_SECONDS);
  int64_t in_day = unix_seconds % DAY_SECONDS, second = in_day + (in_day < 0 ? DAY_SECONDS : 0) + offset;
  int64_t carried = hc_floor_div(second, DAY_SECONDS);
  days += carried;
  second -= carried * DAY_SECONDS;
  date_of_days(days, &c.year, &c.month, &c.day);
  c.hour = (int)(second / 3600);
  c.minute = (int)(second / 60 % 60);
  c.second = (int)(second % 60);
  c.weekday = (int)(days + 3 - 7 * hc_floor_div(days + 3, 7)); /* 1970-01-01 was a Thursday */
  return c;
}

/* Members out of their ranges are carried over ("32 January"); a time that 64 bits cannot hold saturates. */
int64_t hc_calendar_unix(const hc_calendar *c, int32_t offset)
{
  const int64_t most = 1000000000000; /* years; beyond what 64-bit seconds reach */
  int64_t months = hc_floor_div((int64_t)c->month - 1, 12);
  int64_t days, second, sum;
  if (c->year > most) return INT64_MAX;
  if (c->year < -most) return INT64_MIN;
  days = days_of_date(c->year + months, (int)(c->month - 12 * months), c->day);
  second = (int64_t)c->hour * 3600 + (int64_t)c->minute * 60 + c->second - offset;
  if (days < 0) { /* the product alone may not fit where the sum does */
    days++;
    second -= DAY_SECONDS;
  }
  if (__builtin_mul_overflow(days, (int64_t)DAY_SECONDS, &sum) || __builtin_add_overflow(sum, second, &sum))
    return days < 0 ? INT64_MIN : INT64_MAX;
  return sum;
}

/* ---- the rule past the table ---- */

typedef enum rule_kind { RULE_MONTH, RULE_JULIAN, RULE_DAY } rule_kind;

/* When daylight saving begins or ends in a year: Mm.w.d, Jn (no 29 February), or n from 0. */
typedef struct rule {
  rule_kind kind;
  int month, week, day; /* day: of the week from Sunday, or of the year */
  int32_t time;         /* seconds of local time, may be negative or past midnight */
} rule;

typedef struct zone_entry {
  uint16_t rule, first_run, runs;
  int32_t offset;
} zone_entry;

typedef struct zone_name {
  const char *name;
  uint16_t entry;
} zone_name;

#include "base/zone_table.h"

typedef struct zone_change {
  int64_t at; /* Unix time */
  int32_t offset;
} zone_change;

struct hc_zone {
  const hc_allocator *allocator;
  size_t count;
  int32_t first; /* offset before the changes */
  bool saving;   /* the rule past the changes has daylight saving */
  int32_t standard, summer;
  rule begin, end;
  zone_change changes[]; /* [count] ascending */
};

static bool read_number(const char **s, int limit, int *out)
{
  int value = 0;
  const char *p = *s;
  for (; *p >= '0' && *p <= '9'; p++)
    if ((value = value * 10 + (*p - '0')) > limit) return false;
  if (p == *s) return false;
  *s = p;
  *out = value;
  return true;
}

/* [+-]hh[:mm[:ss]] */
static bool read_clock(const char **s, int hours_limit, int32_t *out)
{
  int sign = 1, hours, minutes = 0, seconds = 0;
  if (**s == '-' || **s == '+') sign = *(*s)++ == '-' ? -1 : 1;
  if (!read_number(s, hours_limit, &hours)) return false;
  if (**s == ':') {
    ++*s;
    if (!read_number(s, 59, &minutes)) return false;
    if (**s == ':') {
      ++*s;
      if (!read_number(s, 59, &seconds)) return false;
    }
  }
  *out = (int32_t)(sign * (hours * 3600 + minutes * 60 + seconds));
  return true;
}

/* A zone's name: three letters or more, or anything between < and >. */
static bool skip_name(const char **s)
{
  const char *p = *s;
  if (*p == '<') {
    while (*p && *p != '>') p++;
    if (*p != '>') return false;
    *s = p + 1;
    return true;
  }
  while ((*p >= 'A' && *p <= 'Z') || (*p >= 'a' && *p <= 'z')) p++;
  if (p - *s < 3) return false;
  *s = p;
  return true;
}

static bool read_rule(const char **s, rule *r)
{
  *r = (rule){.kind = RULE_DAY, .time = 2 * 3600};
  if (*(*s)++ != ',') return false;
  if (**s == 'M') {
    ++*s;
    r->kind = RULE_MONTH;
    if (!read_number(s, 12, &r->month) || *(*s)++ != '.' || !read_number(s, 5, &r->week) || *(*s)++ != '.' ||
        !read_number(s, 6, &r->day) || r->month < 1 || r->week < 1)
      return false;
  } else {
    if (**s == 'J') {
      ++*s;
      r->kind = RULE_JULIAN;
    }
    if (!read_number(s, 365, &r->day) || (r->kind == RULE_JULIAN && r->day < 1)) return false;
  }
  if (**s != '/') return true;
  ++*s;
  return read_clock(s, 167, &r->time);
}

/* "CET-1CEST,M3.5.0,M10.5.0/3"; offsets in it count westwards. */
static bool read_tail(hc_zone *z, const char *s)
{
  if (!skip_name(&s) || !read_clock(&s, 24, &z->standard)) return false;
  z->standard = -z->standard;
  if (*s == '\0') return true;
  z->saving = true;
  if (!skip_name(&s)) return false;
  z->summer = z->standard + 3600;
  if (*s != ',' && *s != '\0') {
    if (!read_clock(&s, 24, &z->summer)) return false;
    z->summer = -z->summer;
  }
  return read_rule(&s, &z->begin) && read_rule(&s, &z->end) && *s == '\0';
}

/* Local seconds since 1970 at which a rule strikes in a year, still without an offset. */
static int64_t rule_time(const rule *r, int64_t year)
{
  int64_t first = days_of_date(year, 1, 1), day = first;
  switch (r->kind) {
    case RULE_DAY: day = first + r->day; break;
    case RULE_JULIAN: day = days_of_date(year, 3, 1) + r->day - 60; break;
    case RULE_MONTH: {
      int64_t start = days_of_date(year, r->month, 1);
      int64_t next = r->month == 12 ? days_of_date(year + 1, 1, 1) : days_of_date(year, r->month + 1, 1);
      int64_t weekday =
          start + 4 - 7 * hc_floor_div(start + 4, 7); /* of the first of the month, from Sunday */
      day = start + (r->day - weekday + 7) % 7 + 7 * (r->week - 1);
      while (day >= next) day -= 7; /* week 5 means the last one */
      break;
    }
  }
  if (r->kind == RULE_JULIAN && r->day < 60) day = first + r->day - 1; /* before the leap day */
  return day * DAY_SECONDS + r->time;
}

static int32_t rule_offset(const hc_zone *z, int64_t t)
{
  const int64_t far = (int64_t)1 << 55; /* 10^9 years: keep the sums below within 64 bits */
  int64_t year, begin, end;
  if (!z->saving || t > far || t < -far) return z->standard;
  year = hc_calendar_of(t, z->standard).year;
  begin = rule_time(&z->begin, year) - z->standard;
  end = rule_time(&z->end, year) - z->summer;
  if (begin < end) return t >= begin && t < end ? z->summer : z->standard;
  return t >= end && t < begin ? z->standard : z->summer; /* the southern half of the world */
}

int32_t hc_zone_offset(const hc_zone *z, int64_t unix_seconds)
{
  size_t low = 0, high = z->count;
  while (low < high) { /* how many changes are not later */
    size_t middle = low + (high - low) / 2;
    if (z->changes[middle].at <= unix_seconds) low = middle + 1;
    else high = middle;
  }
  if (low == z->count) return rule_offset(z, unix_seconds);
  return low == 0 ? z->first : z->changes[low - 1].offset;
}

/* ---- names ---- */

#define OFFSET_LIMIT 86399 /* seconds of a fixed offset, which keep its name within 24 hours */

/* "UTC", "Z", "+01:00", "-0530", "+02", "-00:44:30". */
static bool read_fixed(hc_zone *z, const char *name)
{
  char clock[HC_ZONE_FIXED];
  const char *s = clock;
  size_t n = strlen(name);
  if (strcmp(name, "UTC") == 0 || strcmp(name, "Z") == 0) return true;
  if (n < 3 || n > 9 || (name[0] != '+' && name[0] != '-')) return false;
  memcpy(clock, name, n + 1);
  if (n == 5) { /* put in the colon */
    memmove(clock + 4, clock + 3, 3);
    clock[3] = ':';
  }
  return (n == 3 || clock[3] == ':') && n != 4 && n != 7 && n != 8 && read_clock(&s, 24, &z->standard) &&
         *s == '\0';
}

bool hc_zone_fixed(int64_t offset, char name[HC_ZONE_FIXED])
{
  const int64_t size = offset < 0 ? -offset : offset;
  if (offset < -OFFSET_LIMIT || offset > OFFSET_LIMIT) return false;
  const int hours = (int)(size / 3600), minutes = (int)(size / 60 % 60), seconds = (int)(size % 60);
  const char sign = offset < 0 ? '-' : '+';
  if (seconds == 0) (void)snprintf(name, HC_ZONE_FIXED, "%c%02d:%02d", sign, hours, minutes);
  else (void)snprintf(name, HC_ZONE_FIXED, "%c%02d:%02d:%02d", sign, hours, minutes, seconds);
  return true;
}

static const zone_entry *find(const char *name)
{
  size_t low = 0, high = HC_ARRAY_LEN(zone_names);
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const int order = strcmp(zone_names[middle].name, name);
    if (order == 0) return &zone_entries[zone_names[middle].entry];
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return NULL;
}

const char *hc_zone_version(void)
{
  return ZONE_VERSION;
}

const char *hc_zone_name(size_t i)
{
  return i < HC_ARRAY_LEN(zone_names) ? zone_names[i].name : NULL;
}

bool hc_zone_is_known(const char *name)
{
  hc_zone z = {0};
  return read_fixed(&z, name) || find(name) != NULL;
}

static uint32_t changes_of(const zone_entry *entry)
{
  uint32_t n = 0;
  for (uint32_t i = 0; i < entry->runs; i++) n += zone_runs[entry->first_run + i] & 0xff;
  return n;
}

/* A change of the table: minute of local time x steps + step. */
static uint32_t packed_change(uint32_t i)
{
  const char *s = zone_changes[i / ZONE_IN_LINE] + i % ZONE_IN_LINE * ZONE_DIGITS;
  uint32_t value = 0;
  for (int k = 0; k < ZONE_DIGITS; k++) {
    const char digit = s[k] == 'p' ? '?' : s[k] == 'q' ? '\\' : s[k];
    value = value << 6 | (uint32_t)(digit - '0');
  }
  return value;
}

static void unpack(hc_zone *z, const zone_entry *entry)
{
  int32_t offset = z->first;
  z->count = 0;
  for (uint32_t r = 0; r < entry->runs; r++) {
    const uint32_t run = zone_runs[entry->first_run + r];
    for (uint32_t i = run >> 8; i < (run >> 8) + (run & 0xff); i++) {
      const uint32_t x = packed_change(i);
      const int64_t at = (int64_t)(x / HC_ARRAY_LEN(zone_steps)) * 60 - offset;
      offset += zone_steps[x % HC_ARRAY_LEN(zone_steps)];
      z->changes[z->count++] = (zone_change){at, offset};
    }
  }
}

hc_rc hc_zone_open(const hc_allocator *a, const char *name, hc_zone **out)
{
  const zone_entry *entry = NULL;
  hc_zone made = {.allocator = a}, *z;
  if (!read_fixed(&made, name)) {
    entry = find(name);
    if (!entry) return HC_ENOTFOUND;
    made = (hc_zone){.allocator = a, .count = changes_of(entry), .first = entry->offset};
    const bool is_rule = read_tail(&made, zone_rules[entry->rule]);
    HC_ASSERT(is_rule); /* of a table that was made, and whose zones are all opened by the tests */
  }
  z = hc_alloc(a, sizeof *z + made.count * sizeof *z->changes);
  if (!z) return HC_ENOMEM;
  *z = made;
  if (entry) unpack(z, entry);
  *out = z;
  return 0;
}

void hc_zone_free(hc_zone *z)
{
  if (z) hc_free(z->allocator, z, sizeof *z + z->count * sizeof *z->changes);
}
