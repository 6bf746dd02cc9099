/* work.c -- how much work a task has and how fast it is done.
 *
 * A task that is a fixed delay has a run, and its end is one event; it has no record here. What makes it
 * more than that is in one record (hc_work): hosts of other speeds, a pace that its plan gives it, more
 * slots than it asked for, a rate that a plan sets, work saved by earlier attempts, a size that changes. All
 * that is computed of it is computed here.
 *
 * Speed. What a task would run and what is believed of it are kept at speed 1 while it waits. An attempt has
 * a speed: that of its slowest host, divided by its pace, times how many times as many slots it has. Run and
 * estimate become what they are at that speed, both rounded up to a whole ns, so that an estimate that
 * covers the run still does.
 *
 * Rate. It says what is done of that length in a ns, as a whole number of HC_RATE_ONE. Work done is kept in
 * rate x ns, in 128 bits, so nothing is lost however often a rate changes: an attempt ends at the first
 * whole ns at which
 *   sum of rate x time >= length x HC_RATE_ONE,
 * and the excess is less than one ns at its last rate. At rates 0 and HC_RATE_ONE there is none, and the sum
 * of its active times is its length. A task may pause before a rate is in force: `since` lies ahead then, and
 * nothing is done until it has come.
 *
 * Saved work. What a task has saved is its own for ever: its run is then what is left, and what is left is
 * what a later stop can make it do again. Saving takes no time; starting again takes an overhead, which is a
 * part of the next attempt's run and is never saved. Work saved is counted at speed 1, so that it can go on
 * on a host of another speed.
 *
 * What it holds over time is units x ns in 128 bits; the size in its record is the mean, rounded to the
 * nearest.
 *
 * We do not know hosts, claims or events here: the engine does (engine/work.c). Cost: O(1) each. */
#include "execution/work.h"

#include "base/util.h"

/* ---- speed ---- */

hc_time hc_work_length(hc_time nominal, double speed)
{
  double t;
  hc_time whole;
  if (speed == 1 || nominal == HC_NEVER || nominal <= 0) return nominal;
  t = (double)nominal / speed;
  if (t >= 0x1p62) return HC_NEVER;
  whole = (hc_time)t;
  return whole + ((double)whole < t);
}

void hc_work_begin(hc_work *w, double speed, hc_time *length, hc_time *estimate)
{
  w->speed = speed;
  w->run = *length;
  w->estimate = *estimate;
  *length = hc_work_length(*length, speed);
  *estimate = hc_work_length(*estimate, speed);
}

void hc_work_end(hc_work *w, hc_time *length, hc_time *estimate)
{
  if (w->speed == 1) return;
  *length = w->run;
  *estimate = w->estimate;
  w->run = w->estimate = HC_UNKNOWN;
  w->speed = 1;
}

/* ---- rate ---- */

hc_wide hc_work_done(const hc_work *w, hc_time start, hc_time now)
{
  hc_wide done = w->done;
  hc_wide_add_product(&done, w->rate, HC_MAX(now - (w->since == HC_UNKNOWN ? start : w->since), 0));
  return done;
}

hc_time hc_work_ran(const hc_work *w, hc_time start, hc_time now)
{
  return hc_wide_divide(hc_work_done(w, start, now), HC_RATE_ONE, false);
}

void hc_work_change(hc_work *w, hc_time start, hc_time now, int64_t rate)
{
  w->done = hc_work_done(w, start, now);
  w->since = HC_MAX(hc_time_add(now, w->pause), w->since);
  w->rate = rate;
  w->pause = 0;
}

hc_time hc_work_until(const hc_work *w, hc_time start, hc_time length, hc_time now)
{
  const bool changes = w->set != w->rate || w->pause > 0;
  const hc_time since = w->since == HC_UNKNOWN ? start : w->since;
  const hc_time from = changes ? HC_MAX(hc_time_add(now, w->pause), since) : since;
  const hc_wide left =
      hc_wide_minus(hc_wide_product(length, HC_RATE_ONE), hc_work_done(w, start, changes ? now : since));
  if (w->set == 0 || length == HC_NEVER) return HC_NEVER;
  return left.hi < 0 ? from : hc_time_add(from, hc_wide_divide(left, w->set, true));
}

/* ---- saved work ---- */

/* Work at speed 1 that so long a time does. */
static hc_time nominal(const hc_work *w, hc_time ran)
{
  const double work = (double)ran * w->speed;
  if (w->speed == 1) return ran;
  return work >= 0x1p62 ? HC_NEVER : (hc_time)work;
}

hc_time hc_work_gained(const hc_work *w, hc_time ran, hc_time run)
{
  return HC_MAX(HC_MIN(nominal(w, ran), run) - w->restart, 0);
}

/* At another speed the parts are rounded so that together they are never more than the attempt. */
hc_work_loss hc_work_stop(const hc_work *w, hc_time ran, hc_time run, hc_time saved)
{
  const hc_time gained = hc_work_gained(w, ran, run), work = nominal(w, ran);
  const double speed = work > 0 ? (double)work / (double)ran : 1;
  hc_work_loss out = {0};
  if (work == ran) {
    out.restart = ran - gained;
    out.lost = ran - out.restart - saved;
    return out;
  }
  if (work > 0) out.restart = HC_MIN((hc_time)((double)(work - gained) / speed), ran);
  out.lost = ran - out.restart;
  if (saved > 0) out.lost = HC_MAX(out.lost - (hc_time)((double)saved / speed), 0);
  return out;
}

hc_time hc_work_save(hc_work *w, hc_time saved, hc_time overhead)
{
  const hc_time by = w->restart + saved;
  w->saved = hc_time_add(w->saved, saved);
  w->restart = overhead;
  return by;
}

/* An estimate may have been shorter than what has been done. */
hc_time hc_work_less(hc_time time, hc_time by, hc_time more)
{
  return time == HC_NEVER ? HC_NEVER : hc_time_add(HC_MAX(time - by, 0), more);
}

hc_time hc_work_whole(const hc_work *w, hc_time left, hc_time length)
{
  hc_time more = w->saved - w->restart;
  if (more == 0 || left == HC_NEVER || left == HC_UNKNOWN) return left;
  if (w->speed != 1 && w->run > 0 && length != HC_UNKNOWN)
    more = (hc_time)((double)more * ((double)length / (double)w->run));
  return hc_time_add(left, more);
}

/* ---- size ---- */

static hc_wide area_at(const hc_work *w, hc_time start, hc_time now, int64_t units)
{
  hc_wide area = w->area;
  hc_wide_add_product(&area, units, now - (w->sized == HC_UNKNOWN ? start : w->sized));
  return area;
}

void hc_work_resize(hc_work *w, hc_time start, hc_time now, int64_t units)
{
  w->area = area_at(w, start, now, units);
  w->sized = now;
}

int64_t hc_work_size(const hc_work *w, hc_time start, hc_time now, int64_t units)
{
  const hc_time length = now - start;
  hc_wide area;
  if (w->sized == HC_UNKNOWN || length <= 0) return HC_UNKNOWN;
  area = area_at(w, start, now, units);
  hc_wide_add(&area, length / 2);
  return hc_wide_divide(area, length, false);
}
