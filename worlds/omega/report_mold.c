/* report_mold.c -- what moldable jobs gained, and what that did to the cell. See mold.h, report.h.
 *
 * The speed-up of a job is the time that it runs with the workers that its user asked for, over the time that
 * it runs with those it got; of a job that started in parts, the least of them. Jobs count that have all the
 * workers they asked for. A turnaround is from submission to the last end, which may lie behind the end of
 * the run: what runs is not disturbed any more.
 *
 * How unsteady the cell is: the standard deviation of the samples of utilisation, and the table
 * `utilisation`, means of five minutes by the second in which they begin. */
#include <stdio.h>

#include "base/util.h"
#include "omega/mold.h"
#include "omega/report.h"

static hc_rc real(const hc_omega_teller *t, const char *name, const char *unit, double value)
{
  return hc_omega_tell(t, name, unit, value, false);
}

/* Twentieths, and the last hundredth: enough to draw a distribution from. */
static hc_rc tell_distribution(const hc_omega_teller *t, double *values, size_t n)
{
  char name[32];
  for (int p = 5; p < 100; p += 5) {
    (void)snprintf(name, sizeof name, "speed_up_p%d", p);
    TRY(real(t, name, "1", hc_omega_percentile(values, n, p / 100.0)));
  }
  return real(t, "speed_up_p99", "1", hc_omega_percentile(values, n, 0.99));
}

static hc_rc tell_workload(const hc_world *w, size_t i, hc_findings *f, double *values)
{
  const hc_omega_workload *l = &w->workloads[i];
  const hc_omega_teller t = {f, "by_workload", l->name, (int64_t)i};
  const double none = (double)__builtin_nanf("");
  double sum = 0, turnaround = 0, sped_up = 0, could = 0;
  uint64_t extra = 0;
  size_t n = 0;
  for (uint32_t k = 0; k < l->job_count; k++) {
    const hc_omega_job *j = &w->jobs[l->first_job + k];
    extra += j->extra;
    if (j->unscheduled > 0) continue;
    values[n++] = j->speed_up;
    sum += j->speed_up;
    sped_up += j->speed_up > 1;
    could += j->activities > j->tasks;
    turnaround += j->last_end - j->submit;
  }
  TRY(real(&t, "jobs_moldable_share", "1", n ? could / (double)n : none));
  TRY(real(&t, "jobs_sped_up_share", "1", n ? sped_up / (double)n : none));
  TRY(real(&t, "speed_up_mean", "1", n ? sum / (double)n : none));
  TRY(tell_distribution(&t, values, n));
  TRY(hc_omega_tell(&t, "extra_workers", "1", (double)extra, true));
  return real(&t, "turnaround_mean", "s", n ? turnaround / (double)n : none);
}

static hc_rc tell_usage(const hc_world *w, hc_findings *f)
{
  const hc_omega_usage *u = &w->usage;
  TRY(hc_find_real(f, "cpu_utilisation_deviation", "1", hc_omega_spread_deviation(&u->cpus, u->samples)));
  TRY(hc_find_real(f, "memory_utilisation_deviation", "1",
                   hc_omega_spread_deviation(&u->memory, u->samples)));
  for (size_t i = 0; i < u->bin_count; i++) {
    const hc_omega_usage_bin *b = &u->bins[i];
    const int64_t from = (int64_t)i * (int64_t)HC_OMEGA_USAGE_BIN;
    if (b->samples == 0 || (double)from >= w->run_time) continue; /* the last look is at an end */
    TRY(hc_find_cell(f, "utilisation", from, "cpu", "1", b->sum.cpus / (double)b->samples));
    TRY(hc_find_cell(f, "utilisation", from, "memory", "1", b->sum.memory / (double)b->samples));
  }
  return 0;
}

hc_rc hc_omega_tell_molds(const hc_world *w, hc_findings *f, double *scratch)
{
  if (!w->usage.bins) return 0;
  for (size_t i = 0; i < w->workload_count; i++)
    if (w->workloads[i].mold) TRY(tell_workload(w, i, f, scratch));
  return tell_usage(w, f);
}
