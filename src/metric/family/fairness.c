/* fairness.c -- how evenly users were served.
 *
 * Jain's index (sum x)^2 / (n sum x^2) of n users lies between 1/n (one has all) and 1 (all alike). It is
 * given for each user's mean bounded slowdown and for each user's area. A user's normalised wait is what the
 * user's tasks waited over the area they used; the unfairness is the sum of squared distances from its mean
 * over users, and users without area are left out of it. Fair start times need runs inside runs and are not
 * here. Cost: that of by_user.
 * Sources: Jain, Chiu, Hawe, DEC-TR-301, 1984; Klusacek and Rudova, the NUWT of the simulator Alea. */
#include "base/util.h"
#include "metric/bytable.h"

static void keys(const hc_metric *self, const hc_task_record *records, size_t n, int64_t *out)
{
  HC_UNUSED(self);
  for (size_t i = 0; i < n; i++) out[i] = records[i].user;
}

static hc_rc init(const hc_metric_context *c, const void *options, hc_metric **out, hc_error *e)
{
  return hc_bytable_new(c, options, NULL, keys, out, e); /* the table is not shown */
}

static double slowdown_of(const hc_group *g)
{
  return hc_mean_real(g->slowdown, g->tasks);
}

static double area_of(const hc_group *g)
{
  return hc_wide_seconds(g->area);
}

static double jain(const hc_groups *g, double (*value)(const hc_group *))
{
  hc_real_sum sum = {0}, squares = {0};
  double total, of_squares;
  for (size_t i = 0; i < g->count; i++) {
    double x = value(hc_groups_at(g, i));
    hc_real_sum_add(&sum, x);
    hc_real_sum_add(&squares, x * x);
  }
  total = hc_real_sum_value(sum);
  of_squares = hc_real_sum_value(squares);
  return of_squares > 0 ? total * total / ((double)g->count * of_squares) : __builtin_nan("");
}

static double unfairness(const hc_groups *g)
{
  hc_real_sum sum = {0}, squares = {0};
  double n = 0, mean;
  for (size_t i = 0; i < g->count; i++) {
    const hc_group *u = hc_groups_at(g, i);
    if (!(hc_wide_real(u->area) > 0)) continue;
    hc_real_sum_add(&sum, hc_wide_ratio(u->wait, u->area));
    n++;
  }
  mean = hc_real_sum_value(sum) / n;
  for (size_t i = 0; i < g->count; i++) {
    const hc_group *u = hc_groups_at(g, i);
    double away = mean - hc_wide_ratio(u->wait, u->area);
    if (hc_wide_real(u->area) > 0) hc_real_sum_add(&squares, away * away);
  }
  return n > 0 ? hc_real_sum_value(squares) : __builtin_nan("");
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  hc_groups *g = &self->groups;
  TRY(hc_groups_order(g));
  TRY(hc_find_count(f, "users", "users", (int64_t)g->count));
  TRY(hc_find_real(f, "jain_slowdown", "1", jain(g, slowdown_of)));
  TRY(hc_find_real(f, "jain_usage", "1", jain(g, area_of)));
  return hc_find_real(f, "nuwt_unfairness", "1", unfairness(g));
}

static const char *const figures[] = {
    "users|users|none|users with a task that started and ended; the unknown one counts as one",
    "jain_slowdown|1|higher, usual|Jain's index of users' mean bounded slowdowns",
    "jain_usage|1|higher|Jain's index of users' areas, units x (end - start)",
    "nuwt_unfairness|1|lower|sum over users of (mean NUWT - NUWT)^2, NUWT = sum of waits / area",
    NULL,
};

const hc_metric_type hc_metric_fairness = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "fairness",
         .summary = "how evenly users were served: Jain's index, normalised waits",
         .detail =
             "Over users with tasks that started and ended. Jain's index (sum x)^2 / (n sum x^2) is 1 if all "
             "are alike. NUWT is a user's sum of waits over the user's area.",
         .source = "Jain, Chiu and Hawe, DEC-TR-301, 1984; Klusacek and Rudova, Performance and fairness for "
                   "users in parallel job scheduling, JSSPP 2012 (NUWT, of the simulator Alea)",
         .params = hc_bytable_params,
         .options_size = sizeof(hc_bytable_options)},
    .init = init,
    .tasks = hc_bytable_tasks,
    .finish = finish,
    .visit = hc_bytable_visit,
    .fini = hc_bytable_fini,
};
