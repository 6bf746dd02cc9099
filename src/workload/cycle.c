/* cycle.c -- a clock of activity: weights of the hours of a week, and when so much activity has passed. */
#include "workload/cycle.h"

#include "base/util.h"
#include "workload/generated.h"

hc_rc hc_cycle_init(hc_cycle *c, const hc_list *daily, const hc_list *weekly, const char *where, hc_error *e)
{
  const double *day = daily->items, *week = weekly->items;
  double sum = 0;
  c->flat = daily->count == 0 && weekly->count == 0;
  if (daily->count > 0 && daily->count != 24)
    return hc_fail(e, HC_EUSAGE, where, 0, 0,
                   "daily is not a list of 24 weights: give one for each hour, from midnight");
  if (weekly->count > 0 && weekly->count != 7)
    return hc_fail(e, HC_EUSAGE, where, 0, 0,
                   "weekly is not a list of 7 weights: give one for each day, from Monday");
  for (size_t h = 0; h < HC_CYCLE_HOURS; h++) {
    c->weight[h] = (daily->count ? day[h % 24] : 1.0) * (weekly->count ? week[h / 24] : 1.0);
    sum += c->weight[h];
  }
  if (!(sum > 0))
    return hc_fail(e, HC_EUSAGE, where, 0, 0,
                   "all weights of daily or weekly are 0: tasks have to arrive at some time");
  for (size_t h = 0; h < HC_CYCLE_HOURS; h++) c->weight[h] *= (double)HC_CYCLE_HOURS / sum;
  return 0;
}

/* The hour of the week. */
static size_t hour_of(hc_time t)
{
  const int64_t hours = hc_floor_div(t, HC_HOUR), week = (int64_t)HC_CYCLE_HOURS;
  return (size_t)(hours - hc_floor_div(hours, week) * week);
}

double hc_cycle_weight(const hc_cycle *c, hc_time t)
{
  return c->weight[hour_of(t)];
}

hc_time hc_cycle_after(const hc_cycle *c, hc_time t, double gap, hc_time until)
{
  const double week = (double)HC_CYCLE_HOURS * 3600.0;
  if (c->flat) return hc_time_add(t, hc_generated_time(gap));
  if (gap >= week) { /* whole weeks hold as many hours of activity as of time */
    const double weeks = (double)(int64_t)(gap / week);
    t = hc_time_add(t, hc_generated_time(weeks * week));
    gap -= weeks * week;
  }
  while (t < until) {
    const double weight = hc_cycle_weight(c, t);
    const hc_time end = (hc_floor_div(t, HC_HOUR) + 1) * HC_HOUR;
    const double held = weight * ((double)(end - t) / 1e9);
    if (gap < held) return HC_MIN(t + hc_generated_time(gap / weight), end);
    gap -= held;
    t = end;
  }
  return t;
}
