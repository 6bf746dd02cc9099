/* progress.c -- one line on standard error that says how far long work has come; only on a terminal.
 *
 * The wall clock is looked at here and in the commands, never in the library. The line is rewritten ten times
 * a second at most. The time left is a guess from the bytes of the input that were read. */
#define _GNU_SOURCE
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"

#define STEP 0.1 /* seconds between two looks of the line */

double cli_wall(void)
{
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void cli_progress_begin(cli_progress *p, const cli *c, const char *what)
{
  *p = (cli_progress){.what = what, .began = cli_wall()};
  p->shown = isatty(STDERR_FILENO) && !cli_has(c, "quiet");
  p->next = p->began + 0.5; /* short work needs no line */
}

void cli_progress_end(cli_progress *p)
{
  if (p->shown && p->next > p->began + 0.5) (void)fputs("\r\033[K", stderr);
}

static bool is_due(cli_progress *p, double *now)
{
  if (!p->shown) return false;
  *now = cli_wall();
  if (*now < p->next) return false;
  p->next = *now + STEP;
  return true;
}

void cli_format_left(char *out, size_t size, double elapsed, double share)
{
  char text[40];
  out[0] = '\0';
  if (share <= 0.001 || share > 1 || elapsed < 1) return;
  text[hc_format_duration((hc_time)(elapsed * (1 - share) / share) * HC_SECOND, text)] = '\0';
  (void)snprintf(out, size, ", %.0f %%, %s left", share * 100, text);
}

void cli_format_now(char *out, size_t size, const hc_progress *p)
{
  hc_calendar c;
  if (p->unix_start == HC_UNKNOWN) {
    char text[40];
    text[hc_format_duration(p->now, text)] = '\0';
    (void)snprintf(out, size, "%s", text);
    return;
  }
  c = hc_calendar_of(p->unix_start + p->now / HC_SECOND, 0);
  (void)snprintf(out, size, "%04lld-%02d-%02d", (long long)c.year, c.month, c.day);
}

void cli_format_date(char *out, size_t size, int64_t unix_start, hc_time at)
{
  out[0] = '\0';
  if (unix_start == HC_UNKNOWN || at == HC_UNKNOWN || at == HC_NEVER) return;
  const hc_calendar c = hc_calendar_of((int64_t)((uint64_t)unix_start + (uint64_t)(at / HC_SECOND)), 0);
  (void)snprintf(out, size, "%04lld-%02d-%02dT%02d:%02d:%02dZ", (long long)c.year, c.month, c.day, c.hour,
                 c.minute, c.second);
}

double cli_run_share(const hc_progress *p, hc_time until)
{
  const double read = p->source_total ? (double)p->source_done / (double)p->source_total : 0;
  const double passed = until != HC_NEVER && until > 0 ? (double)p->now / (double)until : 0;
  return read > passed ? read : passed;
}

void cli_progress_run(cli_progress *line, const hc_run *run)
{
  hc_progress p;
  char date[48], done[40], rate[40], left[64];
  double now = 0;
  if (!is_due(line, &now)) return;
  hc_run_progress(run, &p);
  cli_format_now(date, sizeof date, &p);
  done[hc_format_count((int64_t)p.ended, done)] = '\0';
  rate[hc_format_count((int64_t)((double)p.ended / (now - line->began)), rate)] = '\0';
  cli_format_left(left, sizeof left, now - line->began, cli_run_share(&p, HC_NEVER));
  (void)fprintf(stderr, "\r\033[K%s: %s, %s tasks done, %s/s, %llu waiting%s", line->what, date, done, rate,
                (unsigned long long)p.waiting, left);
  (void)fflush(stderr);
}

bool cli_progress_share(cli_progress *line, double share, const char *more)
{
  char left[64];
  double now = 0;
  if (cli_interrupted()) return false;
  if (!is_due(line, &now)) return true;
  /* what was there before took no time */
  const double here = share - line->before, elapsed = now - line->began;
  cli_format_left(left, sizeof left, here > 0 ? elapsed * share / here : 0, share);
  (void)fprintf(stderr, "\r\033[K%s%s%s%s", line->what, more ? ": " : "", more ? more : "",
                left[0] ? left
                : more  ? ""
                        : " ...");
  (void)fflush(stderr);
  return true;
}

bool cli_progress_part(cli_progress *line, uint64_t done, uint64_t total)
{
  return cli_progress_share(line, total ? (double)done / (double)total : 0, NULL);
}

bool cli_progress_trace(cli_progress *line, hc_trace *t, uint64_t rows)
{
  uint64_t done, total;
  if (rows % 4096 != 0) return true;
  hc_trace_progress(t, &done, &total);
  return cli_progress_part(line, done, total);
}
