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

#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"

#define LONGEST 9.2e18 /* ns; just below HC_NEVER */

struct hc_transform {
  const hc_allocator *allocator;
  const char *who;
  hc_scaling_options o;
  double factor;
  hc_time anchor; /* state: the time that stays; HC_UNKNOWN before the first submission, which then does */
};

static bool multiply(hc_time *t, double factor, hc_time grain)
{
  const double unit = grain > 0 ? (double)grain : 1;
  const double x = (double)*t * factor / unit + 0.5;
  if (x * unit >= LONGEST) return false;
  *t = (hc_time)x * (grain > 0 ? grain : 1);
  return true;
}

static bool scale_arrival(hc_transform *t, hc_task_spec *task)
{
  hc_time since;
  if (task->submit == HC_UNKNOWN) return true;
  if (t->anchor == HC_UNKNOWN) t->anchor = task->submit;
  since = task->submit - t->anchor;
  if (!multiply(&since, 1 / t->factor, t->o.grain)) return false;
  task->submit = hc_time_add(t->anchor, since);
  return task->submit != HC_NEVER;
}

/* What ran for some time still does. */
static bool scale_duration(const hc_transform *t, hc_time *d)
{
  if (*d <= 0 || *d == HC_NEVER) return true;
  if (!multiply(d, t->factor, t->o.grain)) return false;
  if (*d == 0) *d = HC_MAX(t->o.grain, 1);
  return true;
}

static void scale_processors(const hc_transform *t, int64_t *n)
{
  double x;
  if (*n <= 0) return;
  x = (double)*n * t->factor + 0.5;
  if (t->o.processors > 0 && x > (double)t->o.processors) x = (double)HC_MAX(t->o.processors, *n);
  if (x > 1e15) x = 1e15;
  *n = x < 1 ? 1 : (int64_t)x;
}

hc_rc hc_scaling_new(const hc_source_context *c, const char *who, const hc_scaling_options *o, double factor,
                     hc_transform **out)
{
  hc_transform *t = hc_alloc(c->allocator, sizeof *t);
  if (!t) return HC_ENOMEM;
  *t = (hc_transform){c->allocator, who, *o, factor, o->from_zero ? 0 : HC_UNKNOWN};
  *out = t;
  return 0;
}

hc_rc hc_scaling_apply(hc_transform *t, hc_task_spec *task, hc_reason *why, hc_error *e)
{
  bool fits = true;
  HC_UNUSED(why);
  switch ((hc_scaling_method)t->o.method) {
    case HC_SCALE_ARRIVALS: fits = scale_arrival(t, task); break;
    case HC_SCALE_RUN:
      fits = scale_duration(t, &task->run) && scale_duration(t, &task->limit) &&
             scale_duration(t, &task->cpu_time);
      break;
    case HC_SCALE_PROCESSORS:
      scale_processors(t, &task->procs_asked);
      scale_processors(t, &task->procs_used);
      break;
  }
  if (fits) return 1;
  return hc_fail(e, HC_ELIMIT, t->who, 0, 0,
                 "task %lld: a scaled time passes 292 years; choose a milder factor", (long long)task->id);
}

/* A factor that was measured is not measured again after a snapshot. */
hc_rc hc_scaling_visit(hc_transform *t, hc_visitor *v)
{
  HC_VISIT(v, t->anchor);
  HC_VISIT(v, t->factor);
  return 0;
}

void hc_scaling_fini(hc_transform *t)
{
  hc_free(t->allocator, t, sizeof *t);
}
