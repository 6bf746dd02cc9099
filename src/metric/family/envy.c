/* envy.c -- which users would rather be another user.
 *
 * What user i would run of its own tasks on what j holds, times w_i / w_j, over what it runs on what it holds
 * itself: envy is the most of this over j. u_i(x), tasks on amounts x, is the least over dimensions of x_r /
 * d_ir, with d_i the mean task among those that i has, running or waiting; so it is exact where a user's
 * tasks are alike. No user can use more than all tasks that it has, so one with nothing waiting envies no
 * other. Up to one task (EF1): the place must be worth more than one task more.
 *
 * While a user holds nothing that it can use and envies another, its envy is infinite: such time is counted
 * apart, as starving, and not in the mean. Levels are multiples of 2^-32, so every mean is an exact integral
 * over time. Cost: O(those who wait x those who hold x dimensions) for each instant in which something
 * changed. Memory 500 bytes a user.
 * Sources: Varian, J. of Economic Theory 9, 1974; weighted as in Ghodsi et al., NSDI 2011; up to one task:
 * Parkes, Procaccia and Shah, EC 2012. */
#include "base/state.h"
#include "base/util.h"
#include "metric/fairness.h"
#include "metric/family.h"
#include "metric/sharing.h"
#include "metric/spans.h"

#define ONE 0x1p32 /* envy of 1 more than itself */

typedef struct options {
  hc_span_options spans;
  hc_list weights; /* const char * */
} options;

enum { USERS, ENVY, ENVIOUS, BEYOND, STARVING, ANY, COLUMNS };

typedef struct account {
  hc_time since;
  int64_t envy;                            /* above 1, times ONE */
  int64_t is_here, is_beyond, is_starving; /* 0 or 1 */
  int64_t envy_most;
  hc_wide envy_sum, here_sum, beyond_sum, starving_sum;
} account;

struct hc_metric {
  hc_family family;
  hc_sharing sharing;
  hc_spans spans;
  account *accounts; /* [count] by place in the books */
  size_t count, cap;
};

static void fini(hc_metric *self)
{
  if (self) {
    const hc_allocator *a = self->family.context.allocator;
    hc_sharing_fini(&self->sharing);
    hc_spans_fini(&self->spans);
    hc_free(a, self->accounts, self->cap * sizeof *self->accounts);
  }
  hc_family_free(self);
}

static hc_rc set_up(hc_metric *self, const options *o, hc_error *e)
{
  hc_spans_init(&self->spans, self->family.context.allocator, &o->spans);
  TRY(hc_sharing_init(&self->sharing, &self->family.context, "metric envy", &o->weights, e));
  return hc_spans_widen(&self->spans, COLUMNS);
}

HC_FAMILY_INIT

/* ---- envy ---- */

/* Tasks of `p` on what `q` holds, times their weights' ratio, as many as it has. */
static double worth(const hc_sharing *s, const hc_party *p, const hc_party *q)
{
  const double tasks = (double)(p->running + p->waiting), ratio = p->weight / q->weight;
  double need[HC_DIMENSIONS], amounts[HC_DIMENSIONS], x;
  for (uint32_t d = 0; d < s->machine.dimensions; d++) {
    const uint8_t which = s->machine.which[d];
    need[d] = hc_party_wants(p, which) / tasks;
    amounts[d] = (double)HC_MAX(q->held[which], 0) * ratio;
  }
  x = hc_fairness_worth(s->machine.dimensions, need, amounts);
  return HC_MIN(x, tasks);
}

/* What i would be worth in the best place, its own included. */
static double best_place(const hc_sharing *s, const hc_party *p, double own)
{
  double best = own;
  for (size_t j = 0; j < s->active_count; j++) {
    const hc_party *q = hc_sharing_active(s, j);
    if (q != p && q->running > 0) best = HC_MAX(best, worth(s, p, q));
  }
  return best;
}

/* What it runs counts for at least what runs: tasks that are not alike are no reason for envy. */
static account envy_of(const hc_sharing *s, const hc_party *p)
{
  const double own = HC_MAX((double)p->running, worth(s, p, p));
  const double best = p->waiting > 0 ? best_place(s, p, own) : own;
  account a = {.is_here = 1};
  if (!(best > own)) return a;
  a.is_beyond = best - own > 1 + 1e-9;
  a.is_starving = !(own > 0);
  if (own > 0) a.envy = (int64_t)(HC_MIN(best / own - 1, 0x1p24) * ONE + 0.5);
  return a;
}

/* ---- accounts ---- */

static void integrate(account *a, hc_time t)
{
  const hc_time dt = t - a->since;
  if (dt <= 0) return;
  a->since = t;
  if (!a->is_here) return;
  hc_wide_add_product(&a->envy_sum, a->envy, dt);
  hc_wide_add(&a->here_sum, dt);
  hc_wide_add(&a->beyond_sum, a->is_beyond ? dt : 0);
  hc_wide_add(&a->starving_sum, a->is_starving ? dt : 0);
  a->envy_most = HC_MAX(a->envy_most, a->envy);
}

static void set_account(account *a, hc_time t, account now)
{
  integrate(a, t);
  a->envy = now.envy;
  a->is_here = now.is_here;
  a->is_beyond = now.is_beyond;
  a->is_starving = now.is_starving;
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
  hc_time t;
  hc_spans_hear(&self->spans, at);
  t = self->spans.times.end;
  TRY(welcome(self, t));
  for (size_t i = 0; i < s->active_count; i++) {
    const account now = envy_of(s, hc_sharing_active(s, i));
    set_account(&self->accounts[s->active[i]], t, now);
    sums[USERS]++;
    sums[ENVY] = hc_amount_plus(sums[ENVY], now.envy);
    sums[ENVIOUS] += now.envy > 0 || now.is_starving;
    sums[BEYOND] += now.is_beyond;
    sums[STARVING] += now.is_starving;
    sums[ANY] |= now.is_beyond;
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

/* Over the time in which a user has finite envy, or none. */
static double mean_envy(hc_wide envy, hc_wide here, hc_wide starving)
{
  return hc_wide_ratio(envy, hc_wide_minus(here, starving)) / ONE;
}

static hc_rc find_users(const hc_metric *self, hc_findings *f)
{
  for (size_t i = 0; i < self->count; i++) {
    const account *a = &self->accounts[self->sharing.order.at[i]];
    const int64_t user = self->sharing.items[self->sharing.order.at[i]].user;
    TRY(hc_find_cell(f, "envy_by_user", user, "mean", "1",
                     mean_envy(a->envy_sum, a->here_sum, a->starving_sum)));
    TRY(hc_find_cell(f, "envy_by_user", user, "max", "1", (double)a->envy_most / ONE));
    TRY(hc_find_cell(f, "envy_by_user", user, "beyond_a_task", "1",
                     hc_wide_ratio(a->beyond_sum, a->here_sum)));
    TRY(hc_find_cell(f, "envy_by_user", user, "starving", "1", hc_wide_ratio(a->starving_sum, a->here_sum)));
  }
  return 0;
}

static hc_rc find_whole(const hc_metric *self, hc_findings *f)
{
  const hc_spans *s = &self->spans;
  const hc_wide users = hc_spans_total(s, USERS);
  int64_t most = 0;
  for (size_t i = 0; i < self->count; i++) most = HC_MAX(most, self->accounts[i].envy_most);
  TRY(hc_find_real(f, "envy_mean", "1",
                   mean_envy(hc_spans_total(s, ENVY), users, hc_spans_total(s, STARVING))));
  TRY(hc_find_real(f, "envy_max", "1", (double)most / ONE));
  TRY(hc_find_real(f, "envy_users", "users", hc_spans_mean_total(s, ENVIOUS)));
  TRY(hc_find_real(f, "envy_beyond_a_task", "1", hc_wide_ratio(hc_spans_total(s, BEYOND), users)));
  TRY(hc_find_real(f, "envy_starving", "1", hc_wide_ratio(hc_spans_total(s, STARVING), users)));
  return hc_find_real(f, "envy_time_beyond_a_task", "1", hc_spans_mean_total(s, ANY));
}

static hc_rc find_row(const hc_spans *s, hc_findings *f, size_t r)
{
  const int64_t key = hc_spans_key(s, r);
  TRY(hc_spans_find_until(s, r, f, "envy"));
  TRY(hc_find_cell(
      f, "envy", key, "mean", "1",
      mean_envy(hc_spans_sum(s, r, ENVY), hc_spans_sum(s, r, USERS), hc_spans_sum(s, r, STARVING))));
  TRY(hc_find_cell(f, "envy", key, "users", "users", hc_spans_mean(s, r, ENVIOUS)));
  return hc_find_cell(f, "envy", key, "time_beyond_a_task", "1", hc_spans_mean(s, r, ANY));
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  TRY(hc_sharing_order(&self->sharing));
  TRY(find_whole(self, f));
  TRY(find_users(self, f));
  for (size_t r = 0; r < self->spans.rows; r++) TRY(find_row(&self->spans, f, r));
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
    {.name = NULL},
};

static const char *const figures[] = {
    ("envy_mean|1|lower|mean over active users and time of max_j u_i(a_j w_i / w_j) / u_i(a_i) - 1, starving "
     "time left out"),
    "envy_max|1|lower|the greatest that held for any time",
    "envy_users|users|lower|mean number of users who envy another user, starving ones included",
    ("envy_beyond_a_task|1|lower|part of the time of active users in which the envied place is worth more "
     "than one task more"),
    ("envy_starving|1|lower|part of the time of active users in which they can use nothing that they hold "
     "and envy another user"),
    "envy_time_beyond_a_task|1|lower|part of the time in which any user envies by more than one task",
    "envy_by_user.mean|1|lower|the user's mean envy, while it is active and not starving",
    "envy_by_user.max|1|lower|the greatest",
    "envy_by_user.beyond_a_task|1|lower|part of its active time with envy by more than one task",
    "envy_by_user.starving|1|lower|part of its active time in which it starves",
    "envy.until|s|none|where the piece of time ends; the key is where it begins",
    "envy.mean|1|lower|mean over active users and time during it",
    "envy.users|users|lower|mean number of users who envy another user during it",
    "envy.time_beyond_a_task|1|lower|part of it in which any user envies by more than one task",
    NULL,
};

const hc_metric_type hc_metric_envy = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "envy",
         .summary = "how much users would rather have what another user has",
         .detail =
             "u_i(x): how many tasks of user i fit into amounts x, at most as many as it has; each needs the "
             "mean demand of the user's tasks. u_i(a_i) is at least the number of tasks that the user runs. "
             "Hosts are not looked at: amounts count as if they lay on one. Compares every user that waits "
             "with every one that holds something, at each instant at which something changed." HC_SPANS_TEXT,
         .source = "Varian, Equity, envy, and efficiency, Journal of Economic Theory 9, 1974; Ghodsi et al., "
                   "Dominant resource fairness, NSDI 2011; Parkes, Procaccia and Shah, Beyond dominant "
                   "resource fairness, EC 2012",
         .params = params, .options_size = sizeof(options)},
    HC_FAMILY_CALLS,
    .changes = changes,
    .until = until,
};
