/* underserved.c -- periods in which a user had less than what was fair, and how satisfied users were.
 *
 * A user is underserved while u < tolerance x f: u the dominant share of what its tasks hold, f that of its
 * fair share (metric/sharing.h). A period is a maximal stretch of time in which it is so all along; those not
 * longer than `shortest` are not counted. The penalty of a user is the sum of (seconds)^power over its
 * periods: with a power above 1 a long one weighs more than many short ones. A period that the end of the run
 * cuts counts as long as it was.
 *
 * Satisfaction is u / f. Its histogram says which part of all usage (the integral of u) went to users while
 * they were that satisfied; beside it the same weighted by what was fair (the integral of f), since who has
 * nothing has no usage. Cost: that of the books, and O(active users) an instant. Memory 100 bytes a user,
 * quantiles as everywhere. Source: the analysis scripts of YTsaurus's scheduler simulator, in time instead of
 * samples. */
#include "base/math.h"
#include "base/quantile.h"
#include "base/state.h"
#include "base/util.h"
#include "metric/family.h"
#include "metric/sharing.h"
#include "metric/spans.h"
#include "metric/sum128.h"

#define BINS 21 /* of a tenth; the last from 2 on */

typedef struct options {
  hc_span_options spans;
  hc_list weights; /* const char * */
  double tolerance, power;
  hc_time shortest;
} options;

enum { UNDERSERVED, COLUMNS };

typedef struct account {
  hc_time since, began; /* began: HC_UNKNOWN: is not underserved */
  int64_t fair, used;
  uint64_t periods;
  hc_time longest;
  hc_wide time;
  double penalty;
} account;

typedef struct bin {
  hc_wide used, fair;
} bin;

struct hc_metric {
  hc_family family;
  const options *o;
  hc_sharing sharing;
  hc_spans spans;
  hc_quantile lengths;
  bin bins[BINS];
  account *accounts; /* [count] by place in the books */
  size_t count, cap;
};

static void fini(hc_metric *self)
{
  if (self) {
    const hc_allocator *a = self->family.context.allocator;
    hc_sharing_fini(&self->sharing);
    hc_spans_fini(&self->spans);
    hc_quantile_fini(&self->lengths);
    hc_free(a, self->accounts, self->cap * sizeof *self->accounts);
  }
  hc_family_free(self);
}

static hc_rc set_up(hc_metric *self, const options *o, hc_error *e)
{
  const hc_allocator *a = self->family.context.allocator;
  self->o = o;
  hc_spans_init(&self->spans, a, &o->spans);
  hc_quantile_init(&self->lengths, a);
  TRY(hc_sharing_init(&self->sharing, &self->family.context, "metric underserved", &o->weights, e));
  self->sharing.needs_fair = true;
  return hc_spans_widen(&self->spans, COLUMNS);
}

HC_FAMILY_INIT

/* ---- accounts ---- */

static size_t bin_of(const account *a)
{
  const double tenths = (double)a->used / (double)a->fair * 10 + 1e-9; /* 0.4 of 0.5 is 80 % on paper */
  return tenths >= BINS - 1 ? BINS - 1 : (size_t)tenths;
}

static void integrate(hc_metric *self, account *a, hc_time t)
{
  const hc_time dt = t - a->since;
  if (dt <= 0) return;
  a->since = t;
  if (a->fair <= 0) return;
  hc_wide_add_product(&self->bins[bin_of(a)].used, a->used, dt);
  hc_wide_add_product(&self->bins[bin_of(a)].fair, a->fair, dt);
}

/* A period ends, or the run does. */
static hc_rc end_period(hc_metric *self, account *a, hc_time t)
{
  const hc_time length = t - a->began;
  const double x = (double)length;
  a->began = HC_UNKNOWN;
  if (length <= 0 || length <= self->o->shortest) return 0;
  a->periods++;
  a->longest = HC_MAX(a->longest, length);
  hc_wide_add(&a->time, length);
  a->penalty += hc_pow((double)length / 1e9, self->o->power);
  return hc_quantile_add(&self->lengths, &x, 1);
}

static bool is_underserved(const hc_metric *self, const account *a)
{
  return (double)a->used < self->o->tolerance * (double)a->fair;
}

static hc_rc set_account(hc_metric *self, size_t place, hc_time t, int64_t fair, int64_t used)
{
  account *a = &self->accounts[place];
  integrate(self, a, t);
  a->fair = fair;
  a->used = used;
  if (is_underserved(self, a)) {
    if (a->began == HC_UNKNOWN) a->began = t;
    return 0;
  }
  return a->began != HC_UNKNOWN ? end_period(self, a, t) : 0;
}

static hc_rc welcome(hc_metric *self, hc_time t)
{
  const hc_allocator *a = self->family.context.allocator;
  TRY(hc_reserve(a, (void **)&self->accounts, &self->cap, self->sharing.count, sizeof *self->accounts));
  for (; self->count < self->sharing.count; self->count++)
    self->accounts[self->count] = (account){.since = t, .began = HC_UNKNOWN};
  for (size_t i = 0; i < self->sharing.left_count; i++)
    if (self->sharing.items[self->sharing.left[i]].active_at == 0)
      TRY(set_account(self, (size_t)self->sharing.left[i], t, 0, 0));
  return 0;
}

static hc_rc closed(void *ctx, hc_time at)
{
  hc_metric *self = ctx;
  const hc_sharing *s = &self->sharing;
  int64_t underserved = 0;
  hc_time t;
  hc_spans_hear(&self->spans, at);
  t = self->spans.times.end;
  TRY(welcome(self, t));
  for (size_t i = 0; i < s->active_count; i++) {
    const hc_party *p = hc_sharing_active(s, i);
    const int64_t used = hc_party_used(s, p);
    TRY(set_account(self, (size_t)s->active[i], t, hc_share_snap(hc_party_fair(s, p), used), used));
    underserved += is_underserved(self, &self->accounts[s->active[i]]);
  }
  return hc_spans_set(&self->spans, UNDERSERVED, t, underserved);
}

static hc_rc changes(hc_metric *self, const hc_change *changes, size_t count)
{
  return hc_sharing_hear(&self->sharing, changes, count, closed, self);
}

static hc_rc until(hc_metric *self, hc_time end)
{
  TRY(hc_sharing_end(&self->sharing, closed, self));
  TRY(hc_spans_close(&self->spans, end));
  for (size_t i = 0; i < self->count; i++) {
    account *a = &self->accounts[i];
    integrate(self, a, self->spans.times.end);
    if (a->began != HC_UNKNOWN) TRY(end_period(self, a, self->spans.times.end));
  }
  return 0;
}

/* ---- figures ---- */

static hc_rc find_whole(const hc_metric *self, hc_findings *f)
{
  const hc_span_times *t = &self->spans.times;
  const double length = t->begin == HC_UNKNOWN ? 0 : (double)(t->end - t->begin);
  uint64_t periods = 0;
  double penalty = 0;
  for (size_t i = 0; i < self->count; i++) {
    const account *a = &self->accounts[self->sharing.order.at[i]];
    const int64_t user = self->sharing.items[self->sharing.order.at[i]].user;
    periods += a->periods;
    penalty += a->penalty;
    TRY(hc_find_cell(f, "underserved_by_user", user, "periods", "periods", (double)a->periods));
    TRY(hc_find_cell(f, "underserved_by_user", user, "time", "1",
                     length > 0 ? hc_wide_real(a->time) / length : __builtin_nan("")));
    TRY(hc_find_cell(f, "underserved_by_user", user, "longest", "s", hc_seconds(a->longest)));
    TRY(hc_find_cell(f, "underserved_by_user", user, "penalty", "s^power", a->penalty));
  }
  TRY(hc_find_count(f, "underserved_periods", "periods", (int64_t)periods));
  TRY(hc_find_real(f, "underserved_penalty", "s^power", penalty));
  TRY(hc_find_real(f, "underserved_users", "users", hc_spans_mean_total(&self->spans, UNDERSERVED)));
  TRY(hc_find_real(f, "underserved_users_max", "users", (double)self->spans.levels[UNDERSERVED].most));
  return hc_quantile_find(&self->lengths, f, "underserved_length", "s", 1e9);
}

static hc_rc find_bins(const hc_metric *self, hc_findings *f)
{
  hc_wide used = {0}, fair = {0};
  for (size_t b = 0; b < BINS; b++) {
    used = hc_wide_plus(used, self->bins[b].used);
    fair = hc_wide_plus(fair, self->bins[b].fair);
  }
  for (size_t b = 0; b < BINS; b++) {
    TRY(hc_find_cell(f, "satisfaction", (int64_t)b * 10, "of_usage", "1",
                     hc_wide_ratio(self->bins[b].used, used)));
    TRY(hc_find_cell(f, "satisfaction", (int64_t)b * 10, "of_fair", "1",
                     hc_wide_ratio(self->bins[b].fair, fair)));
  }
  return 0;
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  const hc_spans *s = &self->spans;
  TRY(hc_sharing_order(&self->sharing));
  TRY(find_whole(self, f));
  TRY(find_bins(self, f));
  for (size_t r = 0; r < s->rows; r++) {
    TRY(hc_spans_find_until(s, r, f, "underserved"));
    TRY(hc_find_cell(f, "underserved", hc_spans_key(s, r), "users", "users",
                     hc_spans_mean(s, r, UNDERSERVED)));
  }
  return 0;
}

static hc_rc visit(hc_metric *self, hc_visitor *v)
{
  TRY(hc_sharing_visit(&self->sharing, v));
  TRY(hc_spans_visit(&self->spans, v));
  TRY(hc_quantile_visit(&self->lengths, v));
  HC_VISIT(v, self->bins);
  HC_VISIT_ARRAY(v, self->accounts, self->count, self->cap);
  return self->spans.columns == COLUMNS && self->count <= self->sharing.count ? 0 : HC_EINPUT;
}

static const hc_param params[] = {
    HC_SPAN_PARAMS(options, spans),
    HC_WEIGHTS_PARAM(options, weights),
    HC_PARAM(REAL, options, tolerance, "1", "0.8", 0, 1,
             "A user is underserved while it has less than this part of its fair share."),
    HC_PARAM(TIME, options, shortest, "s", "0s", 0, 1e9,
             "Periods that are not longer than this are not counted."),
    HC_PARAM(REAL, options, power, "1", "2", 0, 10,
             "Exponent of a period's length in seconds, in the penalty."),
    {.name = NULL},
};

static const char *const figures[] = {
    "underserved_periods|periods|lower|periods of all users with u < tolerance f, longer than `shortest`",
    "underserved_penalty|s^power|lower|sum over periods of (seconds)^power",
    "underserved_users|users|lower|mean number of users who are underserved, periods of any length",
    "underserved_users_max|users|lower|the greatest number that held for any time",
    "underserved_length_p50|s|lower|median of the lengths of periods",
    "underserved_length_p90|s|lower|quantile 0.90 of the lengths of periods",
    "underserved_length_p95|s|lower|quantile 0.95 of the lengths of periods",
    "underserved_length_p99|s|lower|quantile 0.99 of the lengths of periods",
    "underserved_length_max|s|lower|the longest period",
    "underserved_by_user.periods|periods|lower|the user's periods",
    "underserved_by_user.time|1|lower|part of the time that they take together",
    "underserved_by_user.longest|s|lower|the longest of them",
    "underserved_by_user.penalty|s^power|lower|sum over the user's periods",
    ("satisfaction.of_usage|1|none|integral of u over the time with u / f in this class / integral of u; a "
     "class is 10 % wide, and the key is where it begins, in %; the last one is from 200 % on"),
    "satisfaction.of_fair|1|none|the same of f, time with u = 0 included",
    "underserved.until|s|none|where the piece of time ends; the key is where it begins",
    "underserved.users|users|lower|mean number of users who are underserved during it",
    NULL,
};

const hc_metric_type hc_metric_underserved = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "underserved",
         .summary = "periods in which users have less than what is fair, and how satisfied they are",
         .detail =
             "u: dominant share of what a user's tasks hold; f: dominant share of its fair share. A period "
             "that the end of the run cuts off counts with the length that it had by then."
             HC_SHARING_TEXT HC_SPANS_TEXT " " HC_QUANTILE_DETAIL,
         .source = "the analysis scripts of YTsaurus's scheduler simulator", .params = params,
         .options_size = sizeof(options)},
    HC_FAMILY_CALLS,
    .changes = changes,
    .until = until,
};
