/* from_origin.c -- utilisation and capacity loss over the time from 0 to the last end, C_max, as if it were
 * the run's.
 *
 * Studies of list scheduling count from the origin, at which no task need have arrived: what the machine
 * idles before the first submission belongs to T. Over hosts that have equally much of the first dimension
 * this utilisation is the mean of theirs. Capacity loss is idle while any task waits, whole or up to what
 * those who wait ask for. Both divide by the capacity that existed; before the first event it is taken to be
 * the first one known. Cost: three products an interval. Sources: Polezhaev names C_max, U and CL and counts
 * from the origin, but gives a formula of none of them, and his U has local load in it, which host_use
 * counts; idle while any task waits is Zhang et al. (JSSPP 2001), up to what is asked for Leung et al. (ICPP
 * 2010). */
#include "base/state.h"
#include "base/util.h"
#include "metric/family.h"
#include "metric/sum128.h"

typedef struct sums {
  hc_wide busy, idle, asked; /* units x ns */
  hc_wide capacity;          /* up to the last instant with a task in the system */
  hc_wide pending;           /* since then */
  hc_time last;              /* end; HC_UNKNOWN */
  uint64_t begun;
} sums;

HC_PLAIN_FAMILY(sums, .last = HC_UNKNOWN)

static hc_rc tasks(hc_metric *self, const hc_task_record *records, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (hc_task_counts(&records[i])) self->sums.last = HC_MAX(self->sums.last, records[i].end);
  return 0;
}

static hc_rc intervals(hc_metric *self, const hc_interval *all, size_t count)
{
  sums *s = &self->sums;
  for (size_t i = 0; i < count; i++) {
    const hc_interval *x = &all[i];
    const hc_time time = hc_time_between(x->from, x->to);
    const int64_t idle = x->capacity > x->busy ? x->capacity - x->busy : 0;
    if (!s->begun) hc_wide_add_product(&s->pending, x->capacity, HC_MAX(x->from, 0));
    s->begun = 1;
    hc_wide_add_product(&s->pending, x->capacity, time);
    if ((x->waiting | x->running) == 0) continue;
    s->capacity = hc_wide_plus(s->capacity, s->pending);
    s->pending = (hc_wide){0};
    hc_wide_add_product(&s->busy, x->busy, time);
    if (x->waiting == 0) continue;
    hc_wide_add_product(&s->idle, idle, time);
    hc_wide_add_product(&s->asked, HC_MIN(idle, x->waiting_units), time);
  }
  return 0;
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  const sums *s = &self->sums;
  TRY(hc_find_real(f, "origin_makespan", "s", hc_seconds(s->last)));
  TRY(hc_find_real(f, "origin_utilisation", "1", hc_wide_ratio(s->busy, s->capacity)));
  TRY(hc_find_real(f, "origin_capacity_loss", "1", hc_wide_ratio(s->idle, s->capacity)));
  return hc_find_real(f, "origin_capacity_loss_asked", "1", hc_wide_ratio(s->asked, s->capacity));
}

static const char *const figures[] = {
    "origin_makespan|s|lower, primary|last end - time 0",
    "origin_utilisation|1|higher, primary|integral of busy / integral of capacity, time 0 to the last end",
    ("origin_capacity_loss|1|lower, primary|integral of idle while any task waits / integral of capacity, "
     "time 0 to the last end"),
    "origin_capacity_loss_asked|1|lower|the same, idle up to what the waiting tasks ask for",
    NULL,
};

const hc_metric_type hc_metric_from_origin = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "from_origin",
         .summary = "makespan, utilisation and capacity loss, counted from time 0",
         .detail = "The families makespan, utilisation and capacity_loss count from the first submission. "
                   "Utilisation is that by tasks: for local load see occupancy and host_use.",
         .source =
             "Zhang et al., JSSPP 2001 (idle while any task waits); Leung et al., ICPP 2010 (up to what is "
             "asked for). Polezhaev, Study of parallel job scheduling algorithms using a simulator, 2010, "
             "names C_max, U and CL, counts from the origin, and gives no formulas"},
    HC_PLAIN_CALLS,
    .tasks = tasks,
    .intervals = intervals,
};
