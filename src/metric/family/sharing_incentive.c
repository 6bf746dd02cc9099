/* sharing_incentive.c -- what users had against a static split of the cell: was it worth to share?
 *
 * Alone on its part of everything, w_i / sum of w of those who split it, a user could use of its wants as
 * much as the part holds: e, the dominant share of that, in closed form: the wants times min(1, min_r part
 * C_r / wants_r). Its tasks are divisible there and the part is one host, so e is a bound that no real split
 * reaches. u is the dominant share of what its tasks hold. Sharing was worth it if the integral of u is at
 * least that of e. The wants are those of the shared run: a backlog that a split would have had is not
 * followed. What really becomes of a user alone, `hindcast properties` finds out by running it.
 *
 * Cost: that of the books, and O(active users x dimensions) an instant. Memory 90 bytes a user.
 * Source: the sharing incentive of Ghodsi et al., NSDI 2011, as integrals over time. */
#include "base/state.h"
#include "base/util.h"
#include "metric/family.h"
#include "metric/sharing.h"
#include "metric/spans.h"

typedef struct options {
  hc_span_options spans;
  hc_list weights; /* const char * */
  int64_t parties;
} options;

enum { USED, ENTITLED, LOSS, LOSERS, COLUMNS };

typedef struct account {
  hc_time since;
  int64_t used, entitled, is_here, is_below;
  hc_wide used_sum, entitled_sum, here_sum, below_sum;
} account;

struct hc_metric {
  hc_family family;
  int64_t parties;
  hc_sharing sharing;
  hc_spans spans;
  account *accounts; /* [count] by place in the books */
  size_t count, cap;
};

static void fini(hc_metric *self)
{
  if (self) {
    hc_sharing_fini(&self->sharing);
    hc_spans_fini(&self->spans);
    hc_free(self->family.context.allocator, self->accounts, self->cap * sizeof *self->accounts);
  }
  hc_family_free(self);
}

static hc_rc set_up(hc_metric *self, const options *o, hc_error *e)
{
  self->parties = o->parties;
  hc_spans_init(&self->spans, self->family.context.allocator, &o->spans);
  TRY(hc_sharing_init(&self->sharing, &self->family.context, "metric sharing_incentive", &o->weights, e));
  return hc_spans_widen(&self->spans, COLUMNS);
}

HC_FAMILY_INIT

/* ---- accounts ---- */

static void integrate(account *a, hc_time t)
{
  const hc_time dt = t - a->since;
  if (dt <= 0) return;
  a->since = t;
  if (!a->is_here) return;
  hc_wide_add_product(&a->used_sum, a->used, dt);
  hc_wide_add_product(&a->entitled_sum, a->entitled, dt);
  hc_wide_add(&a->here_sum, dt);
  hc_wide_add(&a->below_sum, a->is_below ? dt : 0);
}

static void set_account(account *a, hc_time t, account now)
{
  integrate(a, t);
  a->used = now.used;
  a->entitled = now.entitled;
  a->is_here = now.is_here;
  a->is_below = now.is_below;
}

/* The part of everything that is the user's alone. */
static double part_of(const hc_metric *self, const hc_party *p, double weights)
{
  return HC_MIN(1.0, p->weight / (self->parties > 0 ? (double)self->parties : weights));
}

/* Below by more than the share of one mean task: less is no violation where tasks are whole. */
static account now_of(const hc_metric *self, const hc_party *p, double weights)
{
  const hc_sharing *s = &self->sharing;
  account a = {.is_here = 1, .used = hc_party_used(s, p)};
  const int64_t all = hc_party_entitled(s, p, 1e9);
  a.entitled = hc_party_entitled(s, p, part_of(self, p, weights));
  a.is_below = (double)(a.entitled - a.used) > (double)all / (double)(p->running + p->waiting) * (1 + 1e-9);
  return a;
}

static hc_rc welcome(hc_metric *self, hc_time t)
{
  const hc_allocator *a = self->family.context.allocator;
  TRY(hc_reserve(a, (void **)&self->accounts, &self->cap, self->sharing.count, sizeof *self->accounts));
  for (; self->count < self->sharing.count; self->count++)
    self->accounts[self->count] = (account){.since = t};
  for (size_t i = 0; i < self->sharing.left_count; i++)
    if (self->sharing.items[self->sharing.left[i]].active_at == 0)
      set_account(&self->accounts[self->sharing.left[i]], t, (account){0});
  return 0;
}

static hc_rc closed(void *ctx, hc_time at)
{
  hc_metric *self = ctx;
  const hc_sharing *s = &self->sharing;
  int64_t sums[COLUMNS] = {0};
  double weights = 0;
  hc_time t;
  hc_spans_hear(&self->spans, at);
  t = self->spans.times.end;
  TRY(welcome(self, t));
  for (size_t i = 0; i < s->active_count; i++) weights += hc_sharing_active(s, i)->weight;
  for (size_t i = 0; i < s->active_count; i++) {
    const account now = now_of(self, hc_sharing_active(s, i), weights);
    set_account(&self->accounts[s->active[i]], t, now);
    sums[USED] = hc_amount_plus(sums[USED], now.used);
    sums[ENTITLED] = hc_amount_plus(sums[ENTITLED], now.entitled);
    sums[LOSS] = hc_amount_plus(sums[LOSS], HC_MAX(now.entitled - now.used, 0));
    sums[LOSERS] += now.is_below;
  }
  for (size_t c = 0; c < COLUMNS; c++) TRY(hc_spans_set(&self->spans, c, t, sums[c]));
  return 0;
}

static hc_rc changes(hc_metric *self, const hc_change *changes, size_t count)
{
  return hc_sharing_hear(&self->sharing, changes, count, closed, self);
}

static hc_rc until(hc_metric *self, hc_time end)
{
  TRY(hc_sharing_end(&self->sharing, closed, self));
  TRY(hc_spans_close(&self->spans, end));
  for (size_t i = 0; i < self->count; i++) integrate(&self->accounts[i], self->spans.times.end);
  return 0;
}

/* ---- figures ---- */

/* Users who never wanted anything for any time have no ratio. */
static hc_rc find_users(const hc_metric *self, hc_findings *f)
{
  static const char table[] = "sharing_incentive_by_user";
  const hc_span_times *t = &self->spans.times;
  const hc_wide length = hc_wide_product(t->begin == HC_UNKNOWN ? 0 : t->end - t->begin, 1);
  double least = __builtin_nan(""), losers = 0, users = 0;
  for (size_t i = 0; i < self->count; i++) {
    const account *a = &self->accounts[self->sharing.order.at[i]];
    const int64_t user = self->sharing.items[self->sharing.order.at[i]].user;
    const double ratio = hc_wide_ratio(a->used_sum, a->entitled_sum);
    if (ratio == ratio) {
      users++;
      losers += ratio < 1;
      if (!(least <= ratio)) least = ratio;
    }
    TRY(hc_find_cell(f, table, user, "ratio", "1", ratio));
    TRY(hc_find_cell(f, table, user, "used", "1", hc_wide_ratio(a->used_sum, length) / HC_SHARE_ONE));
    TRY(hc_find_cell(f, table, user, "entitled", "1", hc_wide_ratio(a->entitled_sum, length) / HC_SHARE_ONE));
    TRY(hc_find_cell(f, table, user, "below", "1", hc_wide_ratio(a->below_sum, a->here_sum)));
  }
  TRY(hc_find_real(f, "sharing_incentive_min", "1", least));
  return hc_find_real(f, "sharing_incentive_losers", "1", users > 0 ? losers / users : __builtin_nan(""));
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  const hc_spans *s = &self->spans;
  TRY(hc_sharing_order(&self->sharing));
  TRY(find_users(self, f));
  TRY(hc_find_real(f, "sharing_incentive_all", "1",
                   hc_wide_ratio(hc_spans_total(s, USED), hc_spans_total(s, ENTITLED))));
  TRY(hc_find_real(f, "sharing_incentive_loss", "1", hc_spans_mean_total(s, LOSS) / HC_SHARE_ONE));
  TRY(hc_find_real(f, "sharing_incentive_users_below", "users", hc_spans_mean_total(s, LOSERS)));
  for (size_t r = 0; r < s->rows; r++) {
    const int64_t key = hc_spans_key(s, r);
    TRY(hc_spans_find_until(s, r, f, "sharing_incentive"));
    TRY(hc_find_cell(f, "sharing_incentive", key, "loss", "1", hc_spans_mean(s, r, LOSS) / HC_SHARE_ONE));
    TRY(hc_find_cell(f, "sharing_incentive", key, "users_below", "users", hc_spans_mean(s, r, LOSERS)));
  }
  return 0;
}

static hc_rc visit(hc_metric *self, hc_visitor *v)
{
  TRY(hc_sharing_visit(&self->sharing, v));
  TRY(hc_spans_visit(&self->spans, v));
  HC_VISIT_ARRAY(v, self->accounts, self->count, self->cap);
  return self->spans.columns == COLUMNS && self->count <= self->sharing.count ? 0 : HC_EINPUT;
}

static const hc_param params[] = {
    HC_SPAN_PARAMS(options, spans),
    HC_WEIGHTS_PARAM(options, weights),
    HC_PARAM(INT, options, parties, "users", "0", 0, 1e9,
             "Number of users that share the cell: each has its weight over this. 0: the users that are "
             "active at the moment, by weight."),
    {.name = NULL},
};

static const char *const figures[] = {
    ("sharing_incentive_min|1|higher|least over users of (integral of u) / (integral of e); below 1 a user "
     "would have more without sharing"),
    "sharing_incentive_losers|1|lower|part of the users with a value below 1",
    "sharing_incentive_all|1|higher|the same ratio of all users together",
    "sharing_incentive_loss|1|lower|mean over time of sum over users of max(0, e - u)",
    ("sharing_incentive_users_below|users|lower|mean number of users with less than e by more than one mean "
     "task"),
    "sharing_incentive_by_user.ratio|1|higher|(integral of u) / (integral of e)",
    "sharing_incentive_by_user.used|1|none|mean over time of u",
    "sharing_incentive_by_user.entitled|1|none|mean over time of e",
    ("sharing_incentive_by_user.below|1|lower|part of its active time with less than e by more than one mean "
     "task"),
    "sharing_incentive.until|s|none|where the piece of time ends; the key is where it begins",
    "sharing_incentive.loss|1|lower|mean of sum of max(0, e - u) during it",
    "sharing_incentive.users_below|users|lower|mean number of users below by more than a task during it",
    NULL,
};

const hc_metric_type hc_metric_sharing_incentive = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "sharing_incentive",
         .summary = "what users had against their part of a cell that is split",
         .detail =
             "u: dominant share of what a user's tasks hold. e: dominant share of what the user could use of "
             "its part w / sum w of the cell, if all were divisible and on one host: what it wants in this "
             "run times min(1, min_r part C_r / wants_r). The cell is split among those who are active at "
             "the moment, or among `parties`." HC_SPANS_TEXT,
         .source = "Ghodsi et al., NSDI 2011", .params = params, .options_size = sizeof(options)},
    HC_FAMILY_CALLS,
    .changes = changes,
    .until = until,
};
