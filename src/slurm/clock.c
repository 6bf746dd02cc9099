/* clock.c -- see clock.h. */
#define _GNU_SOURCE
#include "slurm/clock.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "slurm/process.h"

hc_time hc_clock_now(const hc_clock *c)
{
  return (hc_time)((double)hc_process_now() * c->speed) + c->ahead;
}

hc_time hc_clock_real(const hc_clock *c, hc_time span)
{
  return span == HC_NEVER ? HC_NEVER : (hc_time)((double)span / c->speed);
}

/* A file that is replaced as a whole. */
static hc_rc put(const char *path, const char *text)
{
  char other[4200];
  FILE *f;
  bool ok;
  (void)snprintf(other, sizeof other, "%.4100s.new", path);
  f = fopen(other, "we");
  if (!f) return HC_EIO;
  ok = fputs(text, f) >= 0;
  ok = fclose(f) == 0 && ok;
  return ok && rename(other, path) == 0 ? 0 : HC_EIO;
}

void hc_clock_read(hc_clock *c)
{
  int64_t seconds, part;
  FILE *f = c->path ? fopen(c->path, "re") : NULL;
  if (!f) return;
  if (fscanf(f, "+%" SCNd64 ".%" SCNd64, &seconds, &part) == 2 && seconds >= 0 &&
      seconds < INT64_C(1) << 33 && part >= 0 && part < HC_SECOND)
    c->ahead = seconds * HC_SECOND + part;
  (void)fclose(f);
}

hc_rc hc_clock_move(hc_clock *c, hc_time by, hc_error *e)
{
  char text[128];
  const hc_time ahead = c->ahead + by;
  (void)snprintf(text, sizeof text, "+%" PRId64 ".%09" PRId64 "s x%.6g\n", ahead / HC_SECOND,
                 ahead % HC_SECOND, c->speed);
  if (put(c->path, text) < 0)
    return hc_fail(e, HC_EIO, c->path, 0, 0, "cannot be written: %s", strerror(errno));
  c->ahead = ahead;
  return 0;
}

hc_rc hc_clock_tell(const char *path, hc_time next)
{
  char text[32];
  (void)snprintf(text, sizeof text, "%" PRId64 "\n", next);
  return put(path, text);
}

bool hc_clock_told(const char *path, hc_time *next)
{
  FILE *f = fopen(path, "re");
  const bool ok = f && fscanf(f, "%" SCNd64, next) == 1;
  if (f) (void)fclose(f);
  return ok;
}
