/* live_series.c -- what has been, in at most CLI_PIECES pieces of equal length: from any run, of a minute or
 * of a year, in the same memory. A value holds from when it was told until the next one. */
#include "cli/live.h"

/* Two become one. */
static void fold(cli_series *s)
{
  for (size_t i = 0; i < CLI_PIECES; i++) {
    const size_t a = 2 * i, b = a + 1;
    s->load[i] = b < CLI_PIECES ? (s->load[a] + s->load[b]) / 2 : 0;
    s->queue[i] = b < CLI_PIECES ? (s->queue[a] + s->queue[b]) / 2 : 0;
  }
  s->width *= 2;
}

/* In pieces from the beginning on. */
static double place_of(const cli_series *s, hc_time t)
{
  return (double)(t - s->from) / (double)s->width;
}

void cli_series_add(cli_series *s, hc_time now, double load, double queue)
{
  if (s->width == 0) *s = (cli_series){.from = now, .width = HC_SECOND, .last = now};
  while (place_of(s, now) >= CLI_PIECES) fold(s);
  const double a = place_of(s, s->last), b = place_of(s, now);
  for (size_t i = (size_t)a; i < CLI_PIECES && (double)i < b; i++) {
    const double low = a > (double)i ? a : (double)i, high = b < (double)i + 1 ? b : (double)i + 1;
    s->load[i] += (high - low) * s->now[0];
    s->queue[i] += (high - low) * s->now[1];
  }
  if (now > s->last) s->last = now;
  s->now[0] = load;
  s->now[1] = queue;
}

size_t cli_series_count(const cli_series *s)
{
  if (s->width == 0) return 0;
  const double b = place_of(s, s->last);
  return (size_t)b + (b > (double)(size_t)b);
}

double cli_series_mean(const cli_series *s, const double *values, size_t from, size_t to)
{
  const double b = place_of(s, s->last);
  const double end = b < (double)to ? b : (double)to;
  double sum = 0;
  for (size_t i = from; i < to && i < CLI_PIECES; i++) sum += values[i];
  return end > (double)from ? sum / (end - (double)from) : 0;
}
