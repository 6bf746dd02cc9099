/* capacity_loss.c -- the share of the machine that stood idle although tasks waited, by three definitions.
 *
 *   zhang: all idle units count while any task waits.
 *   leung: idle units count up to what the waiting tasks ask for together.
 *   tang: idle units count only while the smallest waiting task would fit into them.
 *
 * The state between two events is that after the scheduling pass at the first. The denominator is the
 * capacity that existed, over the time from the first instant at which a task is in the system to the last;
 * with a constant machine that is P x (t_m - t_1), and P x makespan. Cost: at most three products per
 * interval.
 * Sources: Zhang, Franke, Moreira, Sivasubramaniam, IPDPS 2000 and JSSPP 2001; Leung, Sabin, Sadayappan, ICPP
 * 2010; Tang et al., IPDPS 2011. */
#include "base/state.h"
#include "base/util.h"
#include "metric/family.h"
#include "metric/sum128.h"

typedef struct sums {
  hc_wide zhang, leung, tang; /* units x ns */
  hc_wide capacity;           /* up to the last instant with a task in the system */
  hc_wide pending;            /* since then */
  uint64_t begun;
} sums;

HC_PLAIN_FAMILY(sums, 0)

/* Time without a task counts only if one comes after it. */
static void add_capacity(sums *s, const hc_interval *x, hc_time time)
{
  bool empty = (x->waiting | x->running) == 0;
  if (empty && s->begun) hc_wide_add_product(&s->pending, x->capacity, time);
  if (empty) return;
  s->begun = 1;
  if (s->pending.lo | (uint64_t)s->pending.hi) {
    s->capacity = hc_wide_plus(s->capacity, s->pending);
    s->pending = (hc_wide){0};
  }
  hc_wide_add_product(&s->capacity, x->capacity, time);
}

static hc_rc intervals(hc_metric *self, const hc_interval *intervals, size_t count)
{
  sums s = self->sums;
  for (size_t i = 0; i < count; i++) {
    const hc_interval *x = &intervals[i];
    hc_time time = hc_time_between(x->from, x->to);
    int64_t idle = x->capacity > x->busy ? x->capacity - x->busy : 0;
    add_capacity(&s, x, time);
    if (x->waiting == 0 || idle == 0) continue;
    hc_wide_add_product(&s.zhang, idle, time);
    hc_wide_add_product(&s.leung, HC_MIN(idle, x->waiting_units), time);
    if (x->smallest_waiting <= idle) hc_wide_add_product(&s.tang, idle, time);
  }
  self->sums = s;
  return 0;
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  const sums *s = &self->sums;
  TRY(hc_find_real(f, "capacity_loss_zhang", "1", hc_wide_ratio(s->zhang, s->capacity)));
  TRY(hc_find_real(f, "capacity_loss_leung", "1", hc_wide_ratio(s->leung, s->capacity)));
  return hc_find_real(f, "capacity_loss_tang", "1", hc_wide_ratio(s->tang, s->capacity));
}

static const char *const figures[] = {
    ("capacity_loss_zhang|1|lower, usual, primary|integral of idle while any task waits / integral of "
     "capacity"),
    ("capacity_loss_leung|1|lower, usual|integral of min(idle, units waiting tasks ask for) / integral of "
     "capacity"),
    ("capacity_loss_tang|1|lower, usual|integral of idle while the smallest waiting task fits into it / "
     "integral of capacity"),
    NULL,
};

const hc_metric_type hc_metric_capacity_loss = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "capacity_loss",
         .summary = "share of the machine idle although tasks waited, by three definitions",
         .detail =
             "Idle = capacity - busy. zhang counts all of it while any task waits; leung counts it up to "
             "what the waiting tasks ask for; tang counts it while the smallest waiting task would fit. Over "
             "the time from the first instant with a task in the system to the last, and the capacity that "
             "existed then.",
         .source = "Zhang et al., JSSPP 2001; Leung et al., ICPP 2010; Tang et al., IPDPS 2011"},
    HC_PLAIN_CALLS,
    .intervals = intervals,
};
