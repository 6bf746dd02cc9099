/* scaling.c -- one of three ways to make a workload heavier or lighter.
 *
 * arrivals: submissions move towards the first one, inter-arrival times are divided by the factor. Tasks stay
 * as they are, but days become shorter than days, and what depended on a human's think time no longer does.
 *
 * run: run time, limit and processor time are multiplied. The ratio of limit to run stays, the limits that
 * the site allowed do not, and short tasks (of bounded slowdown) change their class.
 *
 * processors: both numbers of processors are multiplied, rounded to the nearest, at least 1 and at most the
 * machine. Sizes that were powers of two no longer are, packing changes, and one-processor tasks cannot
 * shrink, so that the load reached is not exactly the one asked for.
 *
 * Times are rounded to the grain, half up, which keeps their order. Each way distorts something; the first is
 * customary. Source: Ernemann, Song and Yahyapour, "Scaling of workload traces", JSSPP 2003,
 * doi:10.1007/10968987_9. Cost: 5 ns. */
#include "workload/scaling.h"

#include "base/util.h"

#define LONGEST 9.2e18 /* ns; just below HC_NEVER */

static bool multiply(hc_time *t, double factor, hc_time grain)
{
  const double unit = grain > 0 ? (double)grain : 1;
  const double x = (double)*t * factor / unit + 0.5;
  if (x * unit >= LONGEST) return false;
  *t = (hc_time)x * (grain > 0 ? grain : 1);
  return true;
}

static bool scale_arrival(hc_scaling *s, hc_task_spec *t)
{
  hc_time since;
  if (t->submit == HC_UNKNOWN) return true;
  if (s->anchor == HC_UNKNOWN) s->anchor = t->submit;
  since = t->submit - s->anchor;
  if (!multiply(&since, 1 / s->factor, s->grain)) return false;
  t->submit = hc_time_add(s->anchor, since);
  return t->submit != HC_NEVER;
}

/* What ran for some time still does. */
static bool scale_duration(const hc_scaling *s, hc_time *t)
{
  if (*t <= 0 || *t == HC_NEVER) return true;
  if (!multiply(t, s->factor, s->grain)) return false;
  if (*t == 0) *t = HC_MAX(s->grain, 1);
  return true;
}

static void scale_processors(const hc_scaling *s, int64_t *n)
{
  double x;
  if (*n <= 0) return;
  x = (double)*n * s->factor + 0.5;
  if (s->processors > 0 && x > (double)s->processors) x = (double)HC_MAX(s->processors, *n);
  if (x > 1e15) x = 1e15;
  *n = x < 1 ? 1 : (int64_t)x;
}

hc_rc hc_scaling_apply(hc_scaling *s, const char *who, hc_task_spec *t, hc_error *e)
{
  bool fits = true;
  switch (s->method) {
    case HC_SCALE_ARRIVALS: fits = scale_arrival(s, t); break;
    case HC_SCALE_RUN:
      fits = scale_duration(s, &t->run) && scale_duration(s, &t->limit) && scale_duration(s, &t->cpu_time);
      break;
    case HC_SCALE_PROCESSORS:
      scale_processors(s, &t->procs_asked);
      scale_processors(s, &t->procs_used);
      break;
  }
  if (fits) return 1;
  return hc_fail(e, HC_ELIMIT, who, 0, 0, "task %lld: a scaled time passes 292 years; choose a milder factor",
                 (long long)t->id);
}
