/* figures.c -- are the figures of the summary those of the tasks?
 *
 * Added up anew, in exact numbers: how many tasks came to which end, were backfilled, clamped or without a
 * limit; makespans; mean and longest wait and response. A mean may differ in its last digits, since the order
 * of rounding is free. Other figures (quantiles, utilisation, shares, those of users and of trimmed parts)
 * are not: they are counted as left over. Cost: one pass over the tasks, and one over the figures. */
#include <string.h>

#include "base/util.h"
#include "base/wide.h"
#include "verify/parts.h"

typedef struct sums {
  int64_t final[HC_FINAL_COUNT], all, backfilled, clamped, no_limit;
  int64_t ended; /* completed or killed: those that times are of */
  hc_time first_submit, first_start, last_end;
  hc_time most_wait, most_response;
  hc_wide wait, response;
} sums;

static void add(sums *s, const hc_task_record *t)
{
  s->all++;
  s->final[t->final]++;
  s->backfilled += (t->flags & HC_TASK_BACKFILLED) != 0;
  s->clamped += (t->flags & HC_TASK_CLAMPED) != 0;
  s->no_limit += (t->flags & HC_TASK_NO_LIMIT) != 0;
  if (t->final != HC_FINAL_COMPLETED && t->final != HC_FINAL_KILLED) return;
  if (t->start == HC_UNKNOWN || t->end == HC_UNKNOWN) return; /* told elsewhere */
  s->first_submit = s->ended ? HC_MIN(s->first_submit, t->submit) : t->submit;
  s->first_start = s->ended ? HC_MIN(s->first_start, t->start) : t->start;
  s->last_end = s->ended ? HC_MAX(s->last_end, t->end) : t->end;
  s->most_wait = s->ended ? HC_MAX(s->most_wait, t->start - t->submit) : t->start - t->submit;
  s->most_response = s->ended ? HC_MAX(s->most_response, t->end - t->submit) : t->end - t->submit;
  hc_wide_add(&s->wait, t->start - t->submit);
  hc_wide_add(&s->response, t->end - t->submit);
  s->ended++;
}

/* Is it a figure that counts? @param out what it comes to */
static bool count_of(const sums *s, const char *name, int64_t *out)
{
  const int64_t started = s->final[HC_FINAL_COMPLETED] + s->final[HC_FINAL_KILLED] +
                          s->final[HC_FINAL_RUNNING] + s->final[HC_FINAL_LOST];
  const struct {
    const char *name;
    int64_t n;
  } counts[] = {{"tasks", s->all},
                {"tasks_started", started},
                {"tasks_completed", s->final[HC_FINAL_COMPLETED]},
                {"tasks_killed", s->final[HC_FINAL_KILLED]},
                {"tasks_rejected", s->final[HC_FINAL_REJECTED]},
                {"tasks_withdrawn", s->final[HC_FINAL_WITHDRAWN]},
                {"tasks_waiting", s->final[HC_FINAL_WAITING]},
                {"tasks_running", s->final[HC_FINAL_RUNNING]},
                {"tasks_lost", s->final[HC_FINAL_LOST]},
                {"tasks_held", s->final[HC_FINAL_HELD]},
                {"tasks_backfilled", s->backfilled},
                {"tasks_clamped", s->clamped},
                {"tasks_no_limit", s->no_limit}};
  for (size_t i = 0; i < HC_ARRAY_LEN(counts); i++) {
    if (strcmp(counts[i].name, name) != 0) continue;
    *out = counts[i].n;
    return true;
  }
  return false;
}

/* Is it a figure that is a time? @param out seconds; NaN if nothing ended */
static bool seconds_of(const sums *s, const char *name, double *out)
{
  const double n = (double)s->ended, second = (double)HC_SECOND;
  const struct {
    const char *name;
    double value;
  } times[] = {{"makespan", (double)(s->last_end - s->first_submit) / second},
               {"makespan_from_start", (double)(s->last_end - s->first_start) / second},
               {"wait_mean", hc_wide_real(s->wait) / second / n},
               {"wait_max", (double)s->most_wait / second},
               {"response_mean", hc_wide_real(s->response) / second / n},
               {"response_max", (double)s->most_response / second}};
  for (size_t i = 0; i < HC_ARRAY_LEN(times); i++) {
    if (strcmp(times[i].name, name) != 0) continue;
    *out = s->ended > 0 ? times[i].value : __builtin_nan("");
    return true;
  }
  return false;
}

static bool is_same(double says, double is)
{
  const double size = __builtin_fabs(is);
  if (says != says || is != is) return says != says && is != is; /* NaN: there is none */
  return __builtin_fabs(says - is) <= 1e-9 * HC_MAX(size, 1);
}

static hc_time in_ns(double seconds)
{
  return seconds != seconds || __builtin_fabs(seconds) > 4e9 ? HC_UNKNOWN
                                                             : (hc_time)(seconds * (double)HC_SECOND);
}

/* Families that were asked for have their figures. */
static hc_rc check_families(hc_check *c, const hc_verify_told *told)
{
  static const char *const first[HC_FAMILIES] = {"tasks", "makespan", "wait_mean", "response_mean"};
  for (int f = 0; f < HC_FAMILIES; f++) {
    bool found = !told->families[f];
    for (size_t i = 0; i < told->counted_count && !found; i++)
      found = told->counted[i].table == HC_COUNTS_FIGURES && strcmp(told->counted[i].name, first[f]) == 0;
    if (!found) TRY(hc_find_word(c, HC_FOUND_NO_FIGURE, first[f], UINT32_MAX, 0, 0));
  }
  return 0;
}

hc_rc hc_check_figures(hc_check *c)
{
  const hc_verify_told *told = c->options->told;
  sums s = {0};
  if (!told) return 0;
  TRY(check_families(c, told));
  for (size_t i = 0; i < c->report.tasks; i++) add(&s, &c->given[i]);
  for (size_t i = 0; i < told->counted_count; i++) {
    const hc_verify_counted *k = &told->counted[i];
    int64_t n;
    double seconds;
    if (k->table != HC_COUNTS_FIGURES) continue;
    if (count_of(&s, k->name, &n)) {
      hc_held_to(c, HC_RULE_FIGURES, 1);
      if (k->value != (double)n) TRY(hc_find_word(c, HC_FOUND_OTHER_NUMBER, k->name, UINT32_MAX, k->n, n));
    } else if (seconds_of(&s, k->name, &seconds)) {
      hc_held_to(c, HC_RULE_FIGURES, 1);
      if (!is_same(k->value, seconds))
        TRY(hc_find_word(c, HC_FOUND_OTHER_FIGURE, k->name, UINT32_MAX, in_ns(k->value), in_ns(seconds)));
    } else c->report.figures_left++;
  }
  return 0;
}
