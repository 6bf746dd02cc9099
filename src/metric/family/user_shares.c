/* user_shares.c -- each user's mean dominant share as a figure of the summary, and how far apart those who
 * wait are.
 *
 * Meant for studies, which keep figures and no tables: who is worst off, by how much, and whether shares are
 * equal. Only users who wait can be compared by what they hold: one who has all that it asked for holds less
 * because it wants no more. The gap is that between the greatest and the least share of users who wait, at
 * instants at which two or more do; tasks are whole, so that a gap of one task's share is as even as can be.
 *
 * Shares are as in dominant_share.c. Cost: at each instant at which something changes a look at each user:
 * for tens of users, not for thousands. Source: Ghodsi et al., NSDI 2011. */
#include <inttypes.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "metric/family.h"
#include "metric/machine.h"
#include "metric/people.h"
#include "metric/sum128.h"

#define SHARE_BITS 52
#define SHARE_ONE ((double)((int64_t)1 << SHARE_BITS))
#define NAMED 64 /* users with a figure of their own: those who came first */

enum { GAP, TOGETHER, EVEN, RIVALS, COLUMNS };

typedef struct options {
  hc_time from, to;
} options;

typedef struct claims {
  int64_t amount[HC_DIMENSIONS];
  int64_t waiting;
  int64_t task;                 /* greatest share of one of its tasks */
  int64_t first[HC_DIMENSIONS]; /* what its first task asked for in all */
  bool has_asked;
} claims;

struct hc_metric {
  hc_family family;
  const options *o;
  hc_machine machine;
  hc_spans spans;
  hc_people people;
  claims *claims; /* [count], as people */
  size_t count, cap;
};

static void fini(hc_metric *self)
{
  if (self) {
    hc_machine_fini(&self->machine);
    hc_spans_fini(&self->spans);
    hc_people_fini(&self->people);
    hc_free(self->family.context.allocator, self->claims, self->cap * sizeof *self->claims);
  }
  hc_family_free(self);
}

static hc_rc set_up(hc_metric *self, const options *o, hc_error *e)
{
  const hc_allocator *a = self->family.context.allocator;
  const hc_span_options pieces = {.every = 3600 * HC_SECOND, .rows = HC_SPANS_LEAST};
  HC_UNUSED(e);
  self->o = o;
  hc_spans_init(&self->spans, a, &pieces);
  TRY(hc_machine_init(&self->machine, &self->family.context));
  hc_people_init(&self->people, a, COLUMNS, 0);
  return hc_spans_widen(&self->spans, COLUMNS);
}

HC_FAMILY_INIT

/* ---- hearing ---- */

static int64_t share_of(int64_t claimed, int64_t capacity)
{
  hc_int128 x;
  if (claimed <= 0 || capacity <= 0) return 0;
  x = (((hc_int128)claimed << (SHARE_BITS + 1)) / capacity + 1) >> 1;
  return x > INT64_MAX ? INT64_MAX : (int64_t)x;
}

static int64_t dominant(const hc_metric *self, const int64_t *amount, int64_t times)
{
  int64_t most = 0;
  for (uint32_t d = 0; d < self->machine.dimensions; d++) {
    const uint8_t which = self->machine.which[d];
    const int64_t held = hc_wide_clamp(hc_wide_product(amount[which], times));
    most = HC_MAX(most, share_of(held, self->machine.total[which]));
  }
  return most;
}

/* The instant is over: this is how it was. */
static hc_rc settle(hc_metric *self)
{
  const hc_time t = self->spans.times.end;
  int64_t least = INT64_MAX, most = 0, task = 0, rivals = 0;
  if (self->spans.times.begin == HC_UNKNOWN) return 0;
  for (size_t i = 0; i < self->count; i++) {
    const int64_t share = self->people.items[i].level.value;
    if (self->claims[i].waiting <= 0) continue;
    rivals++;
    least = HC_MIN(least, share);
    most = HC_MAX(most, share);
    task = HC_MAX(task, self->claims[i].task);
  }
  const bool together = rivals > 1;
  TRY(hc_spans_set(&self->spans, GAP, t, together ? most - least : 0));
  TRY(hc_spans_set(&self->spans, TOGETHER, t, together));
  TRY(hc_spans_set(&self->spans, EVEN, t, together && most - least <= task));
  return hc_spans_set(&self->spans, RIVALS, t, rivals);
}

static hc_rc find(hc_metric *self, int64_t user, size_t *at)
{
  TRY(hc_people_find(&self->people, &self->spans, user, at));
  if (*at < self->count) return 0;
  TRY(hc_reserve(self->family.context.allocator, (void **)&self->claims, &self->cap, *at + 1,
                 sizeof *self->claims));
  self->claims[*at] = (claims){.waiting = 0};
  self->count = *at + 1;
  return 0;
}

static hc_rc hear(hc_metric *self, const hc_change *c)
{
  int64_t more[HC_DIMENSIONS];
  claims *mine;
  size_t at;
  if (c->kind == HC_CHANGE_HOST) {
    if (hc_machine_change(&self->machine, c, more))
      for (size_t u = 0; u < self->count; u++)
        TRY(hc_people_set(&self->people, &self->spans, u, c->at, dominant(self, self->claims[u].amount, 1)));
    return 0;
  }
  TRY(find(self, c->user, &at));
  mine = &self->claims[at];
  if (c->kind == HC_CHANGE_QUEUED) {
    mine->waiting++;
    mine->task = HC_MAX(mine->task, dominant(self, c->amount, c->slots));
    if (!mine->has_asked)
      for (uint32_t d = 0; d < self->machine.width; d++)
        mine->first[d] = hc_wide_clamp(hc_wide_product(c->amount[d], c->slots));
    mine->has_asked = true;
    return 0;
  }
  if (c->kind == HC_CHANGE_UNQUEUED) {
    mine->waiting--;
    return 0;
  }
  if (c->kind != HC_CHANGE_CLAIMED && c->kind != HC_CHANGE_RELEASED) return 0;
  for (uint32_t d = 0; d < self->machine.width; d++)
    mine->amount[d] = c->kind == HC_CHANGE_CLAIMED ? hc_amount_plus(mine->amount[d], c->amount[d])
                                                   : hc_amount_minus(mine->amount[d], c->amount[d]);
  return hc_people_set(&self->people, &self->spans, at, c->at, dominant(self, mine->amount, 1));
}

/* What comes before the window is told at its beginning, what comes after it is not. */
static hc_rc changes(hc_metric *self, const hc_change *changes, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    hc_change c = changes[i];
    if (c.at >= self->o->to) return 0;
    c.at = HC_MAX(c.at, self->o->from);
    if (self->spans.times.begin != HC_UNKNOWN && c.at > self->spans.times.end) TRY(settle(self));
    hc_spans_hear(&self->spans, c.at);
    TRY(hear(self, &c));
  }
  return 0;
}

static hc_rc until(hc_metric *self, hc_time end)
{
  TRY(settle(self));
  TRY(hc_spans_close(&self->spans, HC_MAX(HC_MIN(end, self->o->to), self->spans.times.end)));
  hc_people_close(&self->people, &self->spans);
  return 0;
}

/* ---- figures ---- */

static double mean_share(const hc_person *x, const hc_spans *s)
{
  return hc_people_mean(x, s) / SHARE_ONE;
}

/* The greatest share that all could have at once of divisible tasks like their first, if there were one host:
 * with mu_i the dominant share of a task, 1 / max_r sum_i (need_ir / capacity_r) / mu_i. */
static double pooled(const hc_metric *self)
{
  const hc_machine *m = &self->machine;
  double most = 0;
  for (uint32_t k = 0; k < m->dimensions; k++) {
    const uint8_t which = m->which[k];
    hc_real_sum sum = {0};
    for (size_t i = 0; i < self->count && m->total[which] > 0; i++) {
      const double mu = (double)dominant(self, self->claims[i].first, 1) / SHARE_ONE;
      if (mu > 0) hc_real_sum_add(&sum, (double)self->claims[i].first[which] / (double)m->total[which] / mu);
    }
    most = HC_MAX(most, hc_real_sum_value(sum));
  }
  return most > 0 ? 1 / most : __builtin_nan("");
}

/* Of `n` shares, which are sorted: users are few. */
static double median_of(double *shares, size_t n)
{
  for (size_t i = 1; i < n; i++)
    for (size_t k = i; k > 0 && shares[k - 1] > shares[k]; k--) {
      const double x = shares[k];
      shares[k] = shares[k - 1];
      shares[k - 1] = x;
    }
  return n == 0 ? __builtin_nan("") : (shares[(n - 1) / 2] + shares[n / 2]) / 2;
}

/* @param shares [people] room */
static hc_rc find_users(const hc_metric *self, hc_findings *f, double *shares)
{
  const size_t n = self->people.count;
  const double equal = pooled(self);
  hc_real_sum sum = {0};
  size_t least = 0;
  double median;
  char name[64];
  for (size_t i = 0; i < n; i++) {
    shares[i] = mean_share(hc_people_at(&self->people, i), &self->spans);
    hc_real_sum_add(&sum, shares[i]);
    if (shares[i] < shares[least]) least = i;
  }
  const double worst = n > 0 ? (double)hc_people_at(&self->people, least)->user : __builtin_nan("");
  median = median_of(shares, n);
  for (size_t i = 0; i < n; i++) {
    const int64_t user = hc_people_at(&self->people, i)->user;
    const double share = mean_share(hc_people_at(&self->people, i), &self->spans);
    if (self->people.order.at[i] >= NAMED) continue;
    (void)snprintf(name, sizeof name, "user_share_of_%" PRId64, user);
    TRY(hc_find_real(f, name, "1", share));
    (void)snprintf(name, sizeof name, "user_share_ratio_of_%" PRId64, user);
    TRY(hc_find_real(f, name, "1", median > 0 ? share / median : __builtin_nan("")));
  }
  TRY(hc_find_real(f, "user_share_least", "1", n > 0 ? shares[0] : worst));
  TRY(hc_find_real(f, "user_share_median", "1", median));
  TRY(hc_find_real(f, "user_share_most", "1", n > 0 ? shares[n - 1] : worst));
  TRY(hc_find_real(f, "user_share_worst_off", "user", worst));
  TRY(hc_find_real(f, "user_share_pooled", "1", equal));
  TRY(hc_find_real(f, "user_share_satisfaction_least", "1", n > 0 ? shares[0] / equal : worst));
  return hc_find_real(f, "user_share_satisfaction_mean", "1", hc_mean_real(sum, n) / equal);
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  const hc_allocator *a = self->family.context.allocator;
  const size_t n = self->people.count;
  const hc_wide together = hc_spans_total(&self->spans, TOGETHER);
  double *shares = hc_alloc(a, (n + 1) * sizeof *shares);
  hc_rc rc = shares ? hc_people_order(&self->people) : HC_ENOMEM;
  if (rc >= 0) rc = find_users(self, f, shares);
  hc_free(a, shares, (n + 1) * sizeof *shares);
  TRY(rc);
  TRY(hc_find_real(f, "user_share_gap", "1",
                   hc_wide_ratio(hc_spans_total(&self->spans, GAP), together) / SHARE_ONE));
  TRY(hc_find_real(f, "user_share_even", "1", hc_wide_ratio(hc_spans_total(&self->spans, EVEN), together)));
  TRY(hc_find_real(f, "user_share_rivals", "users", hc_spans_mean_total(&self->spans, RIVALS)));
  TRY(hc_find_real(f, "user_share_from", "s", hc_seconds(self->spans.times.begin)));
  return hc_find_real(f, "user_share_until", "s", hc_seconds(self->spans.times.end));
}

static hc_rc visit(hc_metric *self, hc_visitor *v)
{
  TRY(hc_machine_visit(&self->machine, v));
  TRY(hc_spans_visit(&self->spans, v));
  TRY(hc_people_visit(&self->people, v));
  HC_VISIT_ARRAY(v, self->claims, self->count, self->cap);
  return self->count == self->people.count && self->spans.columns == COLUMNS ? 0 : HC_EINPUT;
}

static const hc_param params[] = {
    HC_PARAM(TIME, options, from, "s", "0", 0, 1e10,
             "Time before this does not count: what happened in it makes up the state."),
    HC_PARAM(TIME, options, to, "s", "never", 0, 1e10,
             "Time from here on does not count either; never: all does."),
    {.name = NULL},
};

static const char *const figures[] = {
    "user_share_of_*|1|none|mean over time of a user's dominant share, by number; of the first 64 users",
    "user_share_ratio_of_*|1|none|the same over the median of users' mean shares",
    "user_share_least|1|higher|the least of users' mean shares",
    "user_share_median|1|none|the median of them",
    "user_share_most|1|none|the greatest of them",
    "user_share_worst_off|user|none|number of the user with the least mean share; of several the lowest "
    "number",
    ("user_share_pooled|1|none|the greatest share that all could have at once on one host as large as all, "
     "of divisible tasks like each one's first: 1 / max_r sum_i (need_ir / capacity_r) / max_s (need_is / "
     "capacity_s)"),
    "user_share_satisfaction_least|1|higher|the least of users' mean shares / user_share_pooled",
    "user_share_satisfaction_mean|1|higher|the mean of them / user_share_pooled",
    ("user_share_gap|1|lower|greatest - least share of the users who wait: mean over the time in which two "
     "or more do"),
    ("user_share_even|1|higher|part of that time in which the gap is at most the greatest share of one task "
     "of theirs"),
    "user_share_rivals|users|none|mean number of users who have a task waiting",
    "user_share_from|s|none|first change that counted: where the window begins",
    "user_share_until|s|none|where it ends",
    NULL,
};

const hc_metric_type hc_metric_user_shares = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .name = "user_shares",
         .summary = "each user's mean dominant share, and how far apart users who wait are",
         .detail =
             "Share of a user: max over dimensions of claimed / capacity, as dominant_share, which has it "
             "over time. Means are over the time from the first change to the end, or over a trim's window. "
             "Meant for tens of users: the cost of each instant grows with their number.",
         .source = "Ghodsi et al., Dominant resource fairness, NSDI 2011", .params = params,
         .options_size = sizeof(options), .figures = figures},
    HC_FAMILY_CALLS,
    .changes = changes,
    .until = until,
};
