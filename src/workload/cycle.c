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

/* The integral from 8:30 to `hour` of the day, which is cut to 8:30 .. 18:00. */
static double calzarossa_serazzi(double hour)
{
  static const double c[] = {3.1, -8.5, 24.7, 130.8, 107.7, -804.2, -2038.5, 1856.8, 4618.6};
  const double t = (HC_MIN(HC_MAX(hour, 8.5), 18.0) - 13.25) / 9.5;
  double sum[2] = {0, 0}; /* at t, at -1/2 */
  for (size_t i = HC_ARRAY_LEN(c); i-- > 0;) {
    sum[0] = sum[0] * t + c[i] / (double)(i + 1);
    sum[1] = sum[1] * -0.5 + c[i] / (double)(i + 1);
  }
  return sum[0] * t - sum[1] * -0.5;
}

hc_rc hc_cycle_publish(hc_cycle *c, hc_cycle_day day, const hc_list *daily, const char *where, hc_error *e)
{
  double sum = 0;
  if (day == HC_CYCLE_DAY_NONE) return 0;
  if (daily->count > 0)
    return hc_fail(e, HC_EUSAGE, where, 0, 0, "`day` and `daily` both say how the day goes: leave one out");
  for (size_t h = 0; h < HC_CYCLE_HOURS; h++) {
    const double hour = (double)(h % 24);
    c->weight[h] *= HC_MAX(calzarossa_serazzi(hour + 1) - calzarossa_serazzi(hour), 0.0);
    sum += c->weight[h];
  }
  for (size_t h = 0; h < HC_CYCLE_HOURS; h++) c->weight[h] *= (double)HC_CYCLE_HOURS / sum;
  c->flat = false;
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
