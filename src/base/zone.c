/* zone.c -- the civil calendar, and offsets from UTC out of the tz database.
 *
 * Dates count days in the proleptic Gregorian calendar with the year moved to begin in March, so that the
 * leap day comes last. A zone is a TZif file (RFC 8536): a table of transitions, and for times past it the
 * rule in the POSIX form of the TZ variable that stands in the file's footer.
 *
 * Leap seconds are left out, as Unix time does; so are the names of the offsets ("CEST"), and the TZ and
 * TZDIR variables, because a result must not depend on the environment. Cost: hc_zone_offset is a binary
 * search in the table, or two dates by the rule; nothing allocates after opening. */
#include <errno.h>
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

#define OFFSET_LIMIT 93599 /* 25:59:59, the largest offset that RFC 8536 allows */

typedef enum rule_kind { RULE_MONTH, RULE_JULIAN, RULE_DAY } rule_kind;

/* When daylight saving begins or ends in a year: Mm.w.d, Jn (no 29 February), or n from 0. */
typedef struct rule {
  rule_kind kind;
  int month, week, day; /* day: of the week from Sunday, or of the year */
  int32_t time;         /* seconds of local time, may be negative or past midnight */
} rule;

struct hc_zone {
  const hc_allocator *allocator;
  size_t count;
  int64_t *times;   /* [count] ascending; offsets[i] holds from times[i] on */
  int32_t *offsets; /* [count] */
  int32_t first;    /* before the table */
  bool ruled;       /* the footer has a rule ... */
  bool saving;      /* ... with daylight saving */
  int32_t standard, summer;
  rule begin, end;
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
static bool read_footer(hc_zone *z, const char *s)
{
  if (*s == '\0') return true; /* no rule is known: the last offset of the table stays */
  z->ruled = true;
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
  while (low < high) { /* how many transitions are not later */
    size_t middle = low + (high - low) / 2;
    if (z->times[middle] <= unix_seconds) low = middle + 1;
    else high = middle;
  }
  if (low == z->count && z->ruled) return rule_offset(z, unix_seconds);
  return low == 0 ? z->first : z->offsets[low - 1];
}

/* ---- the file ---- */

#define FILE_LIMIT ((size_t)1 << 20) /* the largest real one is a few kilobytes */
#define HEADER_SIZE 44

static int64_t big_endian(const uint8_t *p, size_t size)
{
  uint64_t value = p[0] & 0x80 ? UINT64_MAX : 0;
  for (size_t i = 0; i < size; i++) value = value << 8 | p[i];
  return (int64_t)value;
}

/* One data block of a file: how many of each, and where it ends. */
typedef struct block {
  const uint8_t *at; /* behind the header */
  size_t utc, wall, leaps, times, types, names, width, size;
} block;

static bool read_header(const uint8_t *p, size_t left, size_t width, block *b)
{
  size_t counts[6];
  if (left < HEADER_SIZE || memcmp(p, "TZif", 4) != 0) return false;
  for (size_t i = 0; i < 6; i++) {
    counts[i] = (size_t)big_endian(p + 20 + 4 * i, 4);
    if (counts[i] > FILE_LIMIT) return false;
  }
  *b = (block){.at = p + HEADER_SIZE,
               .utc = counts[0],
               .wall = counts[1],
               .leaps = counts[2],
               .times = counts[3],
               .types = counts[4],
               .names = counts[5],
               .width = width};
  b->size = b->times * (width + 1) + b->types * 6 + b->names + b->leaps * (width + 4) + b->wall + b->utc;
  return b->size <= left - HEADER_SIZE;
}

static hc_rc read_block(hc_zone *z, const block *b)
{
  const uint8_t *index = b->at + b->times * b->width, *types = index + b->times;
  if (b->types == 0) return HC_EINPUT;
  for (size_t i = 0; i < b->types; i++) {
    int64_t offset = big_endian(types + 6 * i, 4);
    if (offset > OFFSET_LIMIT || offset < -OFFSET_LIMIT) return HC_EINPUT;
  }
  z->first = (int32_t)big_endian(types, 4);
  if (b->times == 0) return 0;
  z->count = b->times;
  z->times = hc_alloc(z->allocator, z->count * sizeof *z->times);
  z->offsets = hc_alloc(z->allocator, z->count * sizeof *z->offsets);
  if (!z->times || !z->offsets) return HC_ENOMEM;
  for (size_t i = 0; i < z->count; i++) {
    z->times[i] = big_endian(b->at + b->width * i, b->width);
    if (index[i] >= b->types || (i > 0 && z->times[i] <= z->times[i - 1])) return HC_EINPUT;
    z->offsets[i] = (int32_t)big_endian(types + 6 * (size_t)index[i], 4);
  }
  return 0;
}

/* `data` has a NUL behind its `size` bytes. */
static hc_rc read_zone(hc_zone *z, char *data, size_t size)
{
  const uint8_t *p = (const uint8_t *)data;
  block b;
  char *footer, *end;
  if (!read_header(p, size, 4, &b)) return HC_EINPUT;
  if (p[4] < '2') return read_block(z, &b); /* version 1: 32-bit times, and no footer */
  size -= HEADER_SIZE + b.size;
  p += HEADER_SIZE + b.size; /* the block is there twice; the second time with 64-bit times */
  if (!read_header(p, size, 8, &b)) return HC_EINPUT;
  TRY(read_block(z, &b));
  size -= HEADER_SIZE + b.size;
  footer = data + (p - (const uint8_t *)data) + HEADER_SIZE + b.size;
  if (size < 2 || footer[0] != '\n') return HC_EINPUT;
  end = memchr(footer + 1, '\n', size - 1);
  if (!end) return HC_EINPUT;
  *end = '\0';
  return read_footer(z, footer + 1) ? 0 : HC_EINPUT;
}

static hc_rc read_file(hc_zone *z, const char *path)
{
  FILE *f = fopen(path, "rb");
  char *data;
  size_t size;
  hc_rc rc;
  if (!f) return errno == ENOMEM ? HC_ENOMEM : errno == EMFILE || errno == ENFILE ? HC_EIO : HC_ENOTFOUND;
  data = hc_alloc(z->allocator, FILE_LIMIT + 1);
  if (!data) {
    (void)fclose(f);
    return HC_ENOMEM;
  }
  size = fread(data, 1, FILE_LIMIT, f);
  if (!ferror(f)) rc = read_zone(z, data, size);
  else rc = errno == EISDIR ? HC_ENOTFOUND : HC_EIO;
  (void)fclose(f);
  hc_free(z->allocator, data, FILE_LIMIT + 1);
  return rc;
}

/* The name becomes part of a path, so it may not lead out of the database. */
static bool is_zone_name(const char *name)
{
  size_t n = strlen(name);
  if (n == 0 || n > 64 || name[0] == '/' || strstr(name, "..")) return false;
  for (size_t i = 0; i < n; i++) {
    char c = name[i];
    if (!((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || strchr("/_+-", c)))
      return false;
  }
  return true;
}

/* "UTC", "Z", "+01:00", "-0530", "+02". */
static bool read_fixed(hc_zone *z, const char *name)
{
  char clock[8];
  const char *s = clock;
  size_t n = strlen(name);
  z->ruled = true;
  if (strcmp(name, "UTC") == 0 || strcmp(name, "Z") == 0) return true;
  if (n < 3 || n > 6 || (name[0] != '+' && name[0] != '-')) return false;
  memcpy(clock, name, n + 1);
  if (n == 5) { /* put in the colon */
    memmove(clock + 4, clock + 3, 3);
    clock[3] = ':';
  }
  return (n == 3 || clock[3] == ':') && read_clock(&s, 24, &z->standard) && *s == '\0';
}

hc_rc hc_zone_open(const hc_allocator *a, const char *name, hc_zone **out)
{
  static const char *const folders[] = {"/usr/share/zoneinfo", "/usr/lib/zoneinfo",
                                        "/usr/share/lib/zoneinfo"};
  char path[128];
  hc_rc rc = HC_ENOTFOUND;
  hc_zone *z = hc_alloc(a, sizeof *z);
  if (!z) return HC_ENOMEM;
  z->allocator = a;
  if (read_fixed(z, name)) {
    *out = z;
    return 0;
  }
  z->ruled = false;
  z->standard = 0;
  for (size_t i = 0; is_zone_name(name) && i < HC_ARRAY_LEN(folders) && rc == HC_ENOTFOUND; i++) {
    (void)snprintf(path, sizeof path, "%s/%s", folders[i], name);
    rc = read_file(z, path);
  }
  if (rc < 0) {
    hc_zone_free(z);
    return rc;
  }
  *out = z;
  return 0;
}

void hc_zone_free(hc_zone *z)
{
  if (!z) return;
  hc_free(z->allocator, z->times, z->count * sizeof *z->times);
  hc_free(z->allocator, z->offsets, z->count * sizeof *z->offsets);
  hc_free(z->allocator, z, sizeof *z);
}
