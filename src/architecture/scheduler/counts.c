/* counts.c -- busy time by day, conflicts, waits of jobs. */
#include "architecture/scheduler/counts.h"

#include <stdio.h>

#include "base/mem.h"
#include "base/sort.h"
#include "base/state.h"
#include "base/util.h"

void hc_scheduler_counts_init(hc_scheduler_counts *c, const hc_allocator *a, uint32_t schedulers,
                              hc_time objective)
{
  *c = (hc_scheduler_counts){.allocator = a, .schedulers = schedulers, .objective = objective};
  hc_counted_init(&c->first, a);
  hc_counted_init(&c->full, a);
  hc_counted_init(&c->attempts, a);
}

void hc_scheduler_counts_fini(hc_scheduler_counts *c)
{
  if (!c->allocator) return;
  hc_free(c->allocator, c->days, c->day_cap * sizeof *c->days);
  hc_counted_fini(&c->first);
  hc_counted_fini(&c->full);
  hc_counted_fini(&c->attempts);
}

/* The day that `at` is in, from the run's origin on; what lies before it counts to the first. */
static hc_rc day_of(hc_scheduler_counts *c, hc_time at, hc_scheduler_day **out)
{
  const size_t day = (size_t)(HC_MAX(at, 0) / HC_DAY);
  if (day >= c->day_count) {
    TRY(hc_reserve(c->allocator, (void **)&c->days, &c->day_cap, day + 1, sizeof *c->days));
    while (c->day_count <= day) c->days[c->day_count++] = (hc_scheduler_day){0};
  }
  *out = &c->days[day];
  return 0;
}

hc_rc hc_scheduler_counts_decision(hc_scheduler_counts *c, hc_time from, hc_time to, hc_decision_outcome what)
{
  hc_scheduler_day *day;
  while (from < to) {
    const hc_time until = HC_MIN(to, from - from % HC_DAY + HC_DAY);
    TRY(day_of(c, from, &day));
    if (what == HC_DECISION_USEFUL) day->useful += until - from;
    else if (what == HC_DECISION_WASTED) day->wasted += until - from;
    else day->vain += until - from;
    from = until;
  }
  TRY(day_of(c, to, &day));
  if (what == HC_DECISION_WASTED) day->refused++;
  else if (what == HC_DECISION_USEFUL) day->clean++;
  c->decisions++;
  c->conflicts += what == HC_DECISION_WASTED;
  c->vain += what == HC_DECISION_VAIN;
  return 0;
}

hc_rc hc_scheduler_counts_first(hc_scheduler_counts *c, hc_time now, hc_time wait)
{
  hc_scheduler_day *day;
  TRY(day_of(c, now, &day));
  day->firsts++;
  day->waits += (double)wait;
  c->within += wait <= c->objective;
  return hc_counted_add(&c->first, (double)wait);
}

hc_rc hc_scheduler_counts_job(hc_scheduler_counts *c, hc_time wait, uint32_t attempts)
{
  TRY(hc_counted_add(&c->full, (double)wait));
  return hc_counted_add(&c->attempts, attempts);
}

/* ---- figures ---- */

HC_SORT(sort_values, double, *a < *b)

static double middle(double *x, size_t n)
{
  sort_values(x, n);
  return n == 0 ? __builtin_nan("") : n % 2 == 1 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

static hc_rc find(hc_findings *f, const char *figure, const char *name, const char *unit, double value)
{
  char text[128];
  (void)snprintf(text, sizeof text, "%s%s%s", figure, *name ? "_" : "", name);
  return hc_find_real(f, text, unit, value);
}

static hc_rc find_count(hc_findings *f, const char *figure, const char *name, const char *unit,
                        uint64_t value)
{
  char text[128];
  (void)snprintf(text, sizeof text, "%s%s%s", figure, *name ? "_" : "", name);
  return hc_find_count(f, text, unit, (int64_t)value);
}

/* The median over days, and the median distance from it. Days that the run did not reach are left out; the
 * last counts by what of it there was. */
static hc_rc find_days(const hc_scheduler_counts *c, const char *name, hc_time span, hc_findings *f)
{
  const size_t n = HC_MIN(c->day_count, (size_t)((span + HC_DAY - 1) / HC_DAY));
  double *x = hc_alloc(c->allocator, (2 * n + 1) * sizeof *x), *y = x + n, median[2], apart[2];
  if (!x) return HC_ENOMEM;
  for (size_t i = 0; i < n; i++) {
    const hc_scheduler_day *d = &c->days[i];
    const double whole = (double)HC_MIN(HC_DAY, span - (hc_time)i * HC_DAY) * c->schedulers;
    x[i] = (double)(d->useful + d->wasted + d->vain) / whole;
    y[i] = d->clean > 0 ? (double)d->refused / (double)d->clean : (double)d->refused;
  }
  for (int k = 0; k < 2; k++) {
    double *v = k == 0 ? x : y;
    median[k] = middle(v, n);
    for (size_t i = 0; i < n; i++) v[i] = v[i] < median[k] ? median[k] - v[i] : v[i] - median[k];
    apart[k] = middle(v, n);
  }
  hc_free(c->allocator, x, (2 * n + 1) * sizeof *x);
  TRY(find(f, "busyness_day_median", name, "1", median[0]));
  TRY(find(f, "busyness_day_mad", name, "1", apart[0]));
  TRY(find(f, "conflict_fraction_day_median", name, "1", median[1]));
  return find(f, "conflict_fraction_day_mad", name, "1", apart[1]);
}

/* The mean of a day is what the paper's figures compare with the objective. */
static hc_rc find_within(const hc_scheduler_counts *c, const char *name, hc_findings *f)
{
  uint64_t days = 0, within = 0;
  for (size_t i = 0; i < c->day_count; i++) {
    const hc_scheduler_day *d = &c->days[i];
    days += d->firsts > 0;
    within += d->firsts > 0 && d->waits <= (double)c->objective * (double)d->firsts;
  }
  TRY(find(f, "jobs_within", name, "1", hc_per((double)c->within, (double)c->first.values.n)));
  return find(f, "days_within", name, "1", hc_per((double)within, (double)days));
}

static hc_rc find_busy(const hc_scheduler_counts *c, const char *name, hc_time span, hc_findings *f)
{
  const double whole = (double)span * c->schedulers;
  hc_time useful = 0, wasted = 0, vain = 0;
  for (size_t i = 0; i < c->day_count; i++) {
    useful += c->days[i].useful;
    wasted += c->days[i].wasted;
    vain += c->days[i].vain;
  }
  TRY(find(f, "busyness", name, "1", (double)(useful + wasted + vain) / whole));
  TRY(find(f, "busyness_useful", name, "1", (double)useful / whole));
  TRY(find(f, "busyness_wasted", name, "1", (double)wasted / whole));
  TRY(find(f, "busyness_offered", name, "1", c->offered / whole));
  TRY(find(f, "busyness_without_conflicts", name, "1",
           (double)(useful + wasted + vain - c->after_conflicts) / whole));
  return find_days(c, name, span, f);
}

static hc_rc find_waits(const hc_scheduler_counts *c, const char *name, hc_findings *f)
{
  static const int permille[] = {500, 900, 990};
  char tail[100];
  (void)snprintf(tail, sizeof tail, "%s%s", *name ? "_" : "", name);
  const struct {
    const hc_counted *of;
    hc_counted_name name;
  } all[] = {{&c->first, {"wait_first", tail, "s", HC_SECOND}},
             {&c->full, {"wait_full", tail, "s", HC_SECOND}},
             {&c->attempts, {"attempts", tail, "attempts", 1}}};
  for (size_t i = 0; i < HC_ARRAY_LEN(all); i++)
    TRY(hc_counted_find_quantiles(all[i].of, &all[i].name, permille, HC_ARRAY_LEN(permille), f));
  return 0;
}

hc_rc hc_scheduler_counts_find(const hc_scheduler_counts *c, const char *name, hc_time span, hc_findings *f)
{
  const double decisions = (double)c->decisions, clean = decisions - (double)c->conflicts - (double)c->vain;
  const double tried = (double)(c->tasks_started + c->tasks_refused);
  TRY(find_busy(c, name, span, f));
  TRY(find_count(f, "decisions", name, "decisions", c->decisions));
  TRY(find_count(f, "decisions_vain", name, "decisions", c->vain));
  TRY(find_count(f, "conflicts", name, "decisions", c->conflicts));
  TRY(find(f, "conflict_fraction", name, "1", hc_per((double)c->conflicts, clean)));
  TRY(find(f, "conflict_share", name, "1", hc_per((double)c->conflicts, decisions)));
  TRY(find(f, "task_conflict_share", name, "1", hc_per((double)c->tasks_refused, tried)));
  TRY(find_count(f, "jobs", name, "jobs", c->jobs));
  TRY(find_count(f, "jobs_started", name, "jobs", c->full.values.n));
  TRY(find_count(f, "jobs_given_up", name, "jobs", c->jobs_given_up));
  TRY(find_count(f, "tasks_given_up", name, "tasks", c->tasks_given_up));
  TRY(find(f, "attempts_mean", name, "attempts", hc_per(c->attempts.sum, (double)c->full.values.n)));
  TRY(find(f, "wait_first_mean", name, "s", hc_per(c->first.sum / HC_SECOND, (double)c->first.values.n)));
  TRY(find(f, "wait_full_mean", name, "s", hc_per(c->full.sum / HC_SECOND, (double)c->full.values.n)));
  TRY(find_within(c, name, f));
  return find_waits(c, name, f);
}

hc_rc hc_scheduler_counts_visit(hc_scheduler_counts *c, hc_visitor *v)
{
  HC_VISIT_ARRAY(v, c->days, c->day_count, c->day_cap);
  HC_VISIT(v, c->decisions);
  HC_VISIT(v, c->vain);
  HC_VISIT(v, c->conflicts);
  HC_VISIT(v, c->tasks_started);
  HC_VISIT(v, c->tasks_refused);
  HC_VISIT(v, c->jobs);
  HC_VISIT(v, c->jobs_given_up);
  HC_VISIT(v, c->tasks_given_up);
  HC_VISIT(v, c->after_conflicts);
  HC_VISIT(v, c->offered);
  HC_VISIT(v, c->within);
  TRY(hc_counted_visit(&c->first, v));
  TRY(hc_counted_visit(&c->full, v));
  return hc_counted_visit(&c->attempts, v);
}
