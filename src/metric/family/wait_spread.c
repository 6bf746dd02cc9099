/* wait_spread.c -- how different tasks' waits are: the variance over tasks, which calls a schedule fair that
 * makes all wait alike.
 *
 * Sums are exact: of waits in 128 bits, of their squares in 192. Their difference is taken in doubles, so
 * that a variance below 1e-15 of the squared mean is noise. It divides by the number of tasks. Cost: two
 * products a task. Source: Polezhaev: Dt. */
#include "base/math.h"
#include "base/state.h"
#include "base/util.h"
#include "metric/family.h"
#include "metric/sum128.h"

typedef struct sums {
  uint64_t tasks;
  hc_wide wait;    /* ns */
  hc_wider square; /* ns^2 */
} sums;

HC_PLAIN_FAMILY(sums, 0)

static hc_rc tasks(hc_metric *self, const hc_task_record *records, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const hc_time wait = HC_MAX(hc_time_between(records[i].submit, records[i].start), 0);
    if (!hc_task_counts(&records[i])) continue;
    self->sums.tasks++;
    hc_wide_add(&self->sums.wait, wait);
    hc_wider_add_product(&self->sums.square, hc_wide_product(wait, 1), (uint64_t)wait);
  }
  return 0;
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  const sums *s = &self->sums;
  double mean = hc_mean_seconds(s->wait, s->tasks), variance = __builtin_nan("");
  if (s->tasks > 0) {
    variance = hc_wider_real(s->square) * 1e-18 / (double)s->tasks - mean * mean;
    if (variance < 0) variance = 0; /* equal waits, rounded */
  }
  TRY(hc_find_real(f, "wait_variance", "s^2", variance));
  return hc_find_real(f, "wait_deviation", "s", hc_sqrt(variance));
}

static const char *const figures[] = {
    "wait_variance|s^2|lower|variance over tasks of start - submit, divided by their number",
    "wait_deviation|s|lower|square root of that",
    NULL,
};

const hc_metric_type hc_metric_wait_spread = {
    .component = {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures,
                  .name = "wait_spread", .summary = "variance and deviation of waits over tasks",
                  .detail = "Of tasks that started and ended. The smaller both are, the more alike the tasks "
                            "were treated.",
                  .source = "Polezhaev, Study of parallel job scheduling algorithms using a simulator, 2010: "
                            "fairness Dt"},
    HC_PLAIN_CALLS,
    .tasks = tasks,
};
