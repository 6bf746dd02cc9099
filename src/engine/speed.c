/* speed.c -- hosts of other speeds: a task runs as long as its value says divided by the speed of its slowest host, times
 * the pace that its policy gives it there (a task that is far from its data), divided by the times as many slots that it
 * was given (mold.c).
 *
 * What a task would run and what is believed of it are kept at speed 1 while it waits. When a plan starts it on
 * hosts, both become what they are there, and its speed-1 times are put aside; when the start is undone, or the task
 * is stopped and waits again, they come back. So all who look at a task that runs see times that agree, and
 * a start that is only tried (`harmless`) is judged with the time that it would take. Times are rounded up to a
 * whole ns, the same way for both: an estimate that covers the run still does. */
#include "base/util.h"
#include "engine/state.h"

void hc_speed_open(hc_engine *e)
{
  e->fastest = 1;
  if (!e->cell.hosts) return;
  e->fastest = 0;
  for (uint32_t k = 0; k < e->cell_spec.class_count; k++) {
    const double speed = e->cell_spec.classes[k].speed;
    if (speed > e->fastest) e->fastest = speed;
    e->has_speeds |= speed != 1;
  }
  e->tasks.has_nominal |= e->has_speeds;
}

hc_time hc_speed_time(hc_time nominal, double speed)
{
  double t;
  hc_time whole;
  if (speed == 1 || nominal == HC_NEVER || nominal <= 0) return nominal;
  t = (double)nominal / speed;
  if (t >= 0x1p62) return HC_NEVER;
  whole = (hc_time)t;
  return whole + ((double)whole < t);
}

static double slowest(const hc_engine *e, const hc_grant *grants, size_t count)
{
  const hc_cell_spec *spec = &e->cell_spec;
  double least = __builtin_inf();
  for (size_t i = 0; i < count; i++) {
    const double speed = spec->classes[spec->class_of[grants[i].host]].speed;
    if (speed < least) least = speed;
  }
  return count > 0 ? least : 1;
}

hc_time hc_speed_on(const hc_engine *e, hc_time nominal, const hc_grant *grants, size_t count)
{
  return e->has_speeds ? hc_speed_time(nominal, slowest(e, grants, count)) : nominal;
}

hc_time hc_speed_work(const hc_engine *e, hc_task id, hc_time ran, const hc_grant *grants, size_t count)
{
  const double pace = e->tasks.has_nominal ? e->tasks.nominal[id].pace : 0;
  const double speed =
      (e->has_speeds ? slowest(e, grants, count) : 1) / (pace > 0 ? pace : 1) * hc_mold_speed_up(e, id);
  const double work = (double)ran * speed;
  if (speed == 1) return ran;
  return work >= 0x1p62 ? HC_NEVER : (hc_time)work;
}

void hc_speed_start(hc_engine *e, hc_task id, const hc_grant *grants, size_t count)
{
  hc_live *t = hc_live_of(e, id);
  hc_nominal *n = &e->tasks.nominal[id];
  const double speed = slowest(e, grants, count) / (n->pace > 0 ? n->pace : 1) * hc_mold_speed_up(e, id);
  *n = (hc_nominal){t->run, hc_running_estimate_of(e, id), n->pace, n->slots, 0};
  if (speed == 1) return;
  t->run = hc_speed_time(t->run, speed);
  if (e->tasks.plans) e->tasks.planned[id].running_estimate = hc_speed_time(n->estimate, speed);
  else if (e->tasks.cold) e->tasks.cold[id].estimate = hc_speed_time(n->estimate, speed);
}

void hc_speed_stop(hc_engine *e, hc_task id)
{
  const hc_nominal *n = &e->tasks.nominal[id];
  hc_live_of(e, id)->run = n->run;
  if (e->tasks.plans) e->tasks.planned[id].running_estimate = n->estimate;
  else if (e->tasks.cold) e->tasks.cold[id].estimate = n->estimate;
}
