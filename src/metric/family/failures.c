/* failures.c -- what failures of hosts and checkpoints cost: attempts that were lost, and what of the time
 * of all attempts was for nothing, stood still, or went to writing and reading checkpoints.
 *
 * Each attempt's time is useful work, work that is lost with a host (to be done again, or of a task that is
 * given up), reading, writing of checkpoints that were kept, and time in which it did nothing, and nothing
 * else; what is lost by a plan's stop is the metric preemption's, and counts here as held alone. Shares are
 * of units x time, over all attempts that are over. Integrals are exact (128 bits). Cost: four products an
 * attempt. */
#include "base/state.h"
#include "base/util.h"
#include "metric/family.h"
#include "metric/sum128.h"

typedef struct sums {
  uint64_t attempts, losses, given_up;
  hc_wide lost, writing, reading, stood;                                /* ns */
  hc_wide held_area, lost_area, writing_area, reading_area, stood_area; /* units x ns */
} sums;

HC_PLAIN_FAMILY(sums, .attempts = 0)

static hc_rc attempts(hc_metric *self, const hc_attempt_record *r)
{
  sums *s = &self->sums;
  const bool is_lost = r->how >= 2;
  s->attempts++;
  s->losses += is_lost;
  s->given_up += r->how == 3;
  hc_wide_add(&s->writing, r->writing);
  hc_wide_add(&s->reading, r->reading);
  hc_wide_add(&s->stood, r->stood);
  hc_wide_add_product(&s->held_area, r->units, r->at - r->start);
  hc_wide_add_product(&s->writing_area, r->units, r->writing);
  hc_wide_add_product(&s->reading_area, r->units, r->reading);
  hc_wide_add_product(&s->stood_area, r->units, r->stood);
  if (!is_lost) return 0;
  hc_wide_add(&s->lost, r->lost);
  hc_wide_add_product(&s->lost_area, r->units, r->lost);
  return 0;
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  const sums *s = &self->sums;
  hc_wide waste = s->lost_area;
  hc_wide_add_wide(&waste, s->writing_area);
  hc_wide_add_wide(&waste, s->reading_area);
  TRY(hc_find_count(f, "failures_losses", "attempts", (int64_t)s->losses));
  TRY(hc_find_count(f, "failures_given_up", "tasks", (int64_t)s->given_up));
  TRY(hc_find_real(f, "failures_lost_time", "s", hc_wide_seconds(s->lost)));
  TRY(hc_find_real(f, "failures_writing_time", "s", hc_wide_seconds(s->writing)));
  TRY(hc_find_real(f, "failures_reading_time", "s", hc_wide_seconds(s->reading)));
  TRY(hc_find_real(f, "failures_stood_time", "s", hc_wide_seconds(s->stood)));
  TRY(hc_find_real(f, "failures_lost_share", "1", hc_wide_ratio(s->lost_area, s->held_area)));
  TRY(hc_find_real(f, "failures_writing_share", "1", hc_wide_ratio(s->writing_area, s->held_area)));
  TRY(hc_find_real(f, "failures_reading_share", "1", hc_wide_ratio(s->reading_area, s->held_area)));
  return hc_find_real(f, "failures_waste", "1", hc_wide_ratio(waste, s->held_area));
}

static const char *const figures[] = {
    "failures_losses|attempts|lower|attempts that were lost with a host",
    "failures_given_up|tasks|lower|of these, those after which their task was lost",
    "failures_lost_time|s|lower|sum over lost attempts of the time that has to be done again, or was "
    "for nothing",
    "failures_writing_time|s|lower|sum over attempts of the time that went to checkpoints which were kept",
    "failures_reading_time|s|lower|sum over attempts of the time that went to starting again",
    "failures_stood_time|s|lower|sum over attempts of the time in which they did nothing",
    "failures_lost_share|1|lower|lost time x units / time x units of all attempts",
    "failures_writing_share|1|lower|the same of writing",
    "failures_reading_share|1|lower|the same of reading",
    "failures_waste|1|lower|the three shares together: what failures cost, and what guards against them",
    NULL,
};

const hc_metric_type hc_metric_failures = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .name = "failures",
         .summary = "attempts that were lost with hosts, and what checkpoints cost",
         .detail = "Counts attempts that are over, whatever ended them. The metric preemption counts those "
                   "that plans stopped. Only a run knows what was saved, so these figures cannot be computed "
                   "from a log or stored rows alone.",
         .source = "the waste of Young, CACM 17(9), 1974, and Daly, FGCS 22(3), 2006: all but useful work",
         .figures = figures},
    HC_PLAIN_CALLS,
    .needs_use = true,
    .attempts = attempts,
};
