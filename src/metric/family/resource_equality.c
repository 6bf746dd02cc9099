/* resource_equality.c -- did each task get an equal share of the machine while it was in the system?
 *
 * With N(t) tasks in the system, each deserves P / N(t) units. A task's discrimination is what it consumed,
 * units x run, less the integral of that from its submission to its end. Its variance over tasks, and the
 * mean of the negative ones, say how unequal the shares were.
 *
 * The integral from any submission to any end is the difference of two values of one running integral G,
 * which is kept at each change of state. A task is looked up by bisection when time has passed its end; what
 * lies before an instant with no task in the system is forgotten once a task that ended after it has been
 * heard.
 * Cost: one division per interval and 24 bytes until forgotten; two bisections per task.
 * Sources: Sabin and Sadayappan, JSSPP 2005, after the RAQFM of Raz, Levy and Avi-Itzhak. */
#include <string.h>

#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "metric/family.h"
#include "metric/sum128.h"

/* G up to an instant, and whether the system was empty just before it. */
typedef struct step {
  hc_time at;
  double deserved; /* units x s */
  uint64_t after_empty;
} step;

/* A task whose end time has not reached yet: blocks of tasks and of intervals are not aligned. */
typedef struct pending {
  hc_time submit, end;
  double consumed; /* units x s */
} pending;

typedef struct sums {
  hc_real_sum deserved; /* G */
  hc_time last_end;     /* of the tasks that were looked up */
  uint64_t tasks, negatives;
  double mean, squares; /* Welford */
  hc_real_sum negative;
} sums;

struct hc_metric {
  hc_family family;
  sums sums;
  step *steps;
  size_t step_count, step_cap;
  pending *waiting;
  size_t head, count, cap;
};

static hc_rc init(const hc_metric_context *c, const void *options, hc_metric **out, hc_error *e)
{
  HC_UNUSED(options);
  TRY(hc_family_new(c, sizeof(hc_metric), out, e));
  (*out)->sums.last_end = HC_UNKNOWN;
  return 0;
}

/* G at t, linear between steps and constant outside them. */
static double deserved_at(const hc_metric *self, hc_time t)
{
  const step *s = self->steps;
  size_t low = 0, high = self->step_count; /* first step at or after t is in [low, high] */
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (s[middle].at < t) low = middle + 1;
    else high = middle;
  }
  if (low == self->step_count) return s[low - 1].deserved;
  if (low == 0 || s[low].at == t) return s[low].deserved;
  return s[low - 1].deserved +
         (s[low].deserved - s[low - 1].deserved) *
             ((double)hc_time_between(s[low - 1].at, t) / (double)hc_time_between(s[low - 1].at, s[low].at));
}

static void judge(hc_metric *self, const pending *p)
{
  sums *s = &self->sums;
  double d = p->consumed - (deserved_at(self, p->end) - deserved_at(self, p->submit));
  double away = d - s->mean;
  s->tasks++;
  s->mean += away / (double)s->tasks;
  s->squares += away * (d - s->mean);
  if (d < 0) {
    s->negatives++;
    hc_real_sum_add(&s->negative, d);
  }
  s->last_end = p->end;
}

/* Close the gap that judged tasks left. */
static void compact(hc_metric *self)
{
  self->count -= self->head;
  if (self->count > 0)
    memmove(self->waiting, self->waiting + self->head, self->count * sizeof *self->waiting);
  self->head = 0;
}

static void drain(hc_metric *self, bool all)
{
  while (self->head < self->count && self->step_count > 0) {
    const pending *p = &self->waiting[self->head];
    if (!all && p->end > self->steps[self->step_count - 1].at) break;
    judge(self, p);
    self->head++;
  }
  if (self->head > self->count / 2) compact(self);
}

/* Tasks come in the order of their ends, so those still to come were submitted after any time without tasks
 * that began before the last end. Keeps the step that closes the last such time. */
static void forget(hc_metric *self)
{
  for (size_t i = self->step_count; i-- > 1;) {
    if (!self->steps[i].after_empty || self->steps[i - 1].at >= self->sums.last_end) continue;
    self->step_count -= i;
    memmove(self->steps, self->steps + i, self->step_count * sizeof *self->steps);
    return;
  }
}

static hc_rc add_step(hc_metric *self, step s)
{
  if (self->step_count == self->step_cap) {
    forget(self);
    if (self->step_count > self->step_cap / 2)
      TRY(hc_reserve(self->family.context.allocator, (void **)&self->steps, &self->step_cap,
                     self->step_count * 2, sizeof *self->steps));
    else if (self->step_cap == 0)
      TRY(hc_reserve(self->family.context.allocator, (void **)&self->steps, &self->step_cap, 8,
                     sizeof *self->steps));
  }
  self->steps[self->step_count++] = s;
  return 0;
}

static hc_rc tasks(hc_metric *self, const hc_task_record *records, size_t count)
{
  TRY(hc_reserve(self->family.context.allocator, (void **)&self->waiting, &self->cap, self->count + count,
                 sizeof *self->waiting));
  for (size_t i = 0; i < count; i++) {
    const hc_task_record *r = &records[i];
    hc_wide area = hc_wide_product(hc_task_ran(r), r->units);
    if (!hc_task_counts(r)) continue;
    self->waiting[self->count++] = (pending){r->submit, r->end, hc_wide_seconds(area)};
  }
  drain(self, false);
  return 0;
}

static hc_rc intervals(hc_metric *self, const hc_interval *intervals, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const hc_interval *x = &intervals[i];
    int64_t in_system = x->waiting + x->running;
    if (self->step_count == 0) TRY(add_step(self, (step){.at = x->from}));
    if (in_system > 0)
      hc_real_sum_add(&self->sums.deserved,
                      (double)x->capacity / (double)in_system * hc_seconds(hc_time_between(x->from, x->to)));
    TRY(add_step(self, (step){x->to, hc_real_sum_value(self->sums.deserved), in_system == 0}));
  }
  drain(self, false);
  return 0;
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  const sums *s = &self->sums;
  double nan = __builtin_nan("");
  drain(self, true);
  TRY(hc_find_real(f, "discrimination_variance", "(units*s)^2",
                   s->tasks ? s->squares / (double)s->tasks : nan));
  TRY(hc_find_real(f, "discrimination_negative_mean", "units*s", hc_mean_real(s->negative, s->negatives)));
  return hc_find_real(f, "discrimination_negative_share", "1",
                      s->tasks ? (double)s->negatives / (double)s->tasks : nan);
}

/* What may be forgotten is, so that equal histories are equal bytes however they were cut into blocks. */
static hc_rc visit(hc_metric *self, hc_visitor *v)
{
  compact(self);
  forget(self);
  HC_VISIT(v, self->sums);
  HC_VISIT_ARRAY(v, self->steps, self->step_count, self->step_cap);
  HC_VISIT_ARRAY(v, self->waiting, self->count, self->cap);
  return 0;
}

static void fini(hc_metric *self)
{
  if (self) {
    const hc_allocator *a = self->family.context.allocator;
    hc_free(a, self->steps, self->step_cap * sizeof *self->steps);
    hc_free(a, self->waiting, self->cap * sizeof *self->waiting);
  }
  hc_family_free(self);
}

static const char *const figures[] = {
    ("discrimination_variance|(units*s)^2|lower|variance over tasks of units x run - integral of capacity / "
     "tasks in system"),
    "discrimination_negative_mean|units*s|higher|mean of the discriminations that are below zero: how much "
    "those tasks lacked",
    "discrimination_negative_share|1|lower|share of tasks whose discrimination is below zero",
    NULL,
};

const hc_metric_type hc_metric_resource_equality = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "resource_equality",
         .summary = "did each task get an equal share of the machine while it was in the system",
         .detail =
             "A task's discrimination is units x (end - start) less the integral, from its submission to its "
             "end, of capacity / (tasks waiting or running). Over tasks that started and ended.",
         .source = "Sabin and Sadayappan, JSSPP 2005, after Raz, Levy and Avi-Itzhak"},
    HC_FAMILY_CALLS,
    .tasks = tasks,
    .intervals = intervals,
};
