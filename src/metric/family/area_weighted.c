/* area_weighted.c -- response, wait and slowdown with each task weighed by its area, units x run.
 *
 * Splitting a task into parts that run side by side or one after another cannot improve these, as it can
 * plain means. Every sum is an exact integer (192 bits for area x time), so the order of the tasks does not
 * matter. The weighted slowdown needs no division per task: run x units x (response / run) = units x
 * response; a task of zero length has no weight. Cost: eight products per task. Source: Ernemann, Grimme and
 * co-authors, in several papers on grid scheduling. */
#include "base/state.h"
#include "base/util.h"
#include "metric/family.h"
#include "metric/sum128.h"

typedef struct sums {
  hc_wide area;            /* units x ns */
  hc_wide stretched;       /* units x response, over tasks with area */
  hc_wider response, wait; /* area x ns */
} sums;

HC_PLAIN_FAMILY(sums, 0)

static hc_rc tasks(hc_metric *self, const hc_task_record *records, size_t count)
{
  sums s = self->sums;
  for (size_t i = 0; i < count; i++) {
    const hc_task_record *r = &records[i];
    hc_time run = hc_task_ran(r), wait = hc_time_between(r->submit, r->start);
    hc_time response = hc_time_between(r->submit, r->end);
    hc_wide area;
    if (!hc_task_counts(r) || run <= 0 || wait < 0 || response < 0 || r->units < 0) continue;
    area = hc_wide_product(run, r->units);
    s.area = hc_wide_plus(s.area, area);
    hc_wide_add_product(&s.stretched, response, r->units);
    hc_wider_add_product(&s.response, area, (uint64_t)response);
    hc_wider_add_product(&s.wait, area, (uint64_t)wait);
  }
  self->sums = s;
  return 0;
}

static double mean(hc_wider sum, hc_wide area)
{
  double weight = hc_wide_real(area);
  return weight > 0 ? hc_wider_real(sum) / weight / (double)HC_SECOND : __builtin_nan("");
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  const sums *s = &self->sums;
  TRY(hc_find_real(f, "area_weighted_response", "s", mean(s->response, s->area)));
  TRY(hc_find_real(f, "area_weighted_wait", "s", mean(s->wait, s->area)));
  return hc_find_real(f, "area_weighted_slowdown", "1", hc_wide_ratio(s->stretched, s->area));
}

static const char *const figures[] = {
    ("area_weighted_response|s|lower, usual, compared|AWRT: sum of run x units x (end - submit) / sum of run "
     "x units"),
    "area_weighted_wait|s|lower|AWWT: sum of run x units x (start - submit) / sum of run x units",
    "area_weighted_slowdown|1|lower|AWSD: sum of run x units x ((end - submit) / run) / sum of run x units",
    NULL,
};

const hc_metric_type hc_metric_area_weighted = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "area_weighted",
         .summary = "response, wait and slowdown weighed by area (AWRT, AWWT, AWSD)",
         .detail = "Each task that started and ended weighs run x units, run = end - start. A task of zero "
                   "length weighs nothing." HC_RAN_TEXT,
         .source = "Grimme, Lepping and Papaspyrou, Prospects of collaboration between compute providers by "
                   "means of job interchange, JSSPP 2007, doi:10.1007/978-3-540-78699-3_8 (AWRT)"},
    HC_PLAIN_CALLS,
    .tasks = tasks,
};
