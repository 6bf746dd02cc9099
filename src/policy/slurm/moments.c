/* moments.c -- see moments.h.
 *
 * Lines look like "[2024-11-21T01:46:44.933] debug:  sched: Running job scheduler for default depth." Their
 * dates are local, with as many digits of a second as LogTimeFormat says. A clock that is set back, as at the
 * end of summer time, is an error: which of two hours is meant, a log does not say. Cost: one look at each
 * line. */
#include "policy/slurm/moments.h"

#include <string.h>

#include "base/input.h"
#include "base/text.h"
#include "base/util.h"

typedef struct reading {
  const hc_allocator *allocator;
  hc_zone *zone;
  int64_t origin;
  hc_slurm_moments *out;
} reading;

/* So many digits at `*s`. */
static bool digits(const char **s, int n, int64_t *out)
{
  *out = 0;
  for (; n > 0; n--, ++*s) {
    if (**s < '0' || **s > '9') return false;
    *out = *out * 10 + (**s - '0');
  }
  return true;
}

static bool skip(const char **s, char c)
{
  if (**s != c) return false;
  ++*s;
  return true;
}

static hc_time fraction(const char **s)
{
  hc_time v = 0, unit = HC_SECOND / 10;
  if (!skip(s, '.')) return 0;
  for (; **s >= '0' && **s <= '9'; ++*s, unit /= 10) v += (**s - '0') * unit;
  return v;
}

/* "[2024-11-21T01:46:44.933]". @return false: the line does not begin with a date */
static bool date_of(const reading *r, const char *s, hc_time *out)
{
  int64_t year, month, day, hour, minute, second;
  hc_calendar c = {0};
  if (!skip(&s, '[') || !digits(&s, 4, &year) || !skip(&s, '-') || !digits(&s, 2, &month) || !skip(&s, '-') ||
      !digits(&s, 2, &day) || !skip(&s, 'T') || !digits(&s, 2, &hour) || !skip(&s, ':') ||
      !digits(&s, 2, &minute) || !skip(&s, ':') || !digits(&s, 2, &second))
    return false;
  const hc_time part = fraction(&s);
  if (*s != ']' || month < 1 || month > 12 || day < 1 || day > 31 || year < 1970 || year > 2200) return false;
  c.year = (int)year, c.month = (int)month, c.day = (int)day;
  c.hour = (int)hour, c.minute = (int)minute, c.second = (int)second;
  int64_t unix_time = hc_calendar_unix(&c, 0);
  if (r->zone) unix_time -= hc_zone_offset(r->zone, unix_time - hc_zone_offset(r->zone, unix_time));
  *out = (unix_time - r->origin) * HC_SECOND + part;
  return true;
}

static hc_rc add(const reading *r, hc_slurm_moment **items, size_t *count, size_t *cap, hc_slurm_moment x,
                 const char *file, uint64_t line, hc_error *e)
{
  if (*count > 0 && (*items)[*count - 1].at > x.at)
    return hc_fail(e, HC_EINPUT, file, (uint32_t)HC_MIN(line, UINT32_MAX), 0,
                   "its clock goes back here: give a part of the log between two changes of the clock");
  TRY(hc_reserve(r->allocator, (void **)items, cap, *count + 1, sizeof **items));
  (*items)[(*count)++] = x;
  return 0;
}

static hc_rc take(reading *r, const char *line, const char *file, uint64_t number, hc_error *e)
{
  const char *pass = strstr(line, "sched: Running job scheduler for ");
  hc_slurm_moments *l = r->out;
  hc_slurm_moment x = {0};
  if (!pass && !strstr(line, "_attempt_backfill: beginning")) return 0;
  if (!date_of(r, line, &x.at)) return 0;
  x.full = pass && strstr(pass, "full queue") != NULL;
  return pass ? add(r, &l->passes, &l->pass_count, &l->pass_cap, x, file, number, e)
              : add(r, &l->cycles, &l->cycle_count, &l->cycle_cap, x, file, number, e);
}

static hc_rc read_lines(reading *r, hc_input *in, hc_error *e)
{
  char *line;
  size_t length;
  hc_rc rc;
  while ((rc = hc_input_line(in, &line, &length, e)) > 0)
    TRY(take(r, line, hc_input_name(in), hc_input_lines(in), e));
  if (rc < 0) return rc;
  if (r->out->pass_count > 0) return 0;
  return hc_fail(e, HC_EINPUT, hc_input_name(in), 0, 0,
                 "no line tells of a pass of the main scheduler: it takes SlurmctldDebug=debug, and "
                 "DebugFlags=Backfill for cycles of the backfill");
}

hc_rc hc_slurm_moments_read(const hc_allocator *a, const char *path, const char *zone, int64_t origin,
                            hc_slurm_moments *out, hc_error *e)
{
  reading r = {.allocator = a, .origin = origin, .out = out};
  hc_input *in = NULL;
  hc_rc rc = 0;
  *out = (hc_slurm_moments){0};
  if (zone && zone[0]) rc = hc_zone_open(a, zone, &r.zone);
  if (rc == HC_ENOTFOUND)
    rc = hc_fail(
        e, HC_EUSAGE, "policy slurm", 0, 0,
        "zone: no time zone \"%.80s\" in the tz database; give a name such as Europe/Berlin, or +01:00",
        zone);
  if (rc >= 0) rc = hc_input_open(a, path, &in, e);
  if (rc >= 0) rc = read_lines(&r, in, e);
  hc_input_free(in);
  hc_zone_free(r.zone);
  return rc;
}

void hc_slurm_moments_close(hc_slurm_moments *l, const hc_allocator *a)
{
  hc_free(a, l->passes, l->pass_cap * sizeof *l->passes);
  hc_free(a, l->cycles, l->cycle_cap * sizeof *l->cycles);
  *l = (hc_slurm_moments){0};
}
