/* fair_share.c -- what each user had against what was fair: distance, deficit, Jain's index, and what pooling
 * would gain.
 *
 * Fair is demand-capped weighted DRF, computed at each instant at which wants changed (metric/sharing.h). u
 * is the dominant share of what a user's tasks hold, f that of its fair share. Both are levels, so every mean
 * is an exact integral over time. The deficit of an instant is sum max(0, f - u); that of a window is sum
 * max(0, mean of f - u over the window): who got later what it was due is not owed it any more. The window
 * slides in steps of a sixteenth of it, and has less behind it at the beginning.
 *
 * What pooling would gain is, in each dimension, by how much all fair shares together exceed what is held:
 * what one large host and divisible tasks would use beyond what is used now, fragments and policy together.
 * Cost: that of the books, O(active users) an instant, O(users with something in the window) a step of it.
 * Memory 440 bytes a user.
 * Sources: Ghodsi et al., NSDI 2011; Jain, Chiu, Hawe, DEC-TR-301, 1984; the deficit is that of the analysis
 * scripts of YTsaurus's scheduler simulator, in time instead of samples. */
#include <inttypes.h>
#include <stdio.h>

#include "base/state.h"
#include "base/util.h"
#include "metric/fairness.h"
#include "metric/family.h"
#include "metric/sharing.h"
#include "metric/spans.h"
#include "metric/sum128.h"

#define STEPS 16 /* of a window */

typedef struct options {
  hc_span_options spans;
  hc_list weights; /* const char * */
  hc_time window;
  int64_t users;
} options;

enum {
  USERS,
  BUSY,
  DEFICIT,
  DISTANCE,
  JAIN,
  SATISFACTION,
  OWN
}; /* columns; then a gain of each dimension, then users */

typedef struct account {
  hc_time since;
  int64_t fair, used, deficit_most;
  hc_wide fair_sum, used_sum, deficit_sum, distance_sum;
  hc_wide piece, owed, pieces[STEPS]; /* of fair - used: this step's, of the window, of each step */
  uint64_t is_watched, padding;
} account;

typedef struct window {
  hc_time edge; /* where the step at hand ends; HC_UNKNOWN before time begins */
  uint64_t steps, next;
  hc_real_sum sum; /* of what all are owed, at each edge */
  double most;
} window;

struct hc_metric {
  hc_family family;
  hc_sharing sharing;
  hc_spans spans;
  size_t users; /* have columns */
  hc_time step;
  window window;
  account *accounts; /* [count] by place in the books */
  size_t count, cap;
  uint64_t *watched; /* [watched_count] places of users to which something is or was due within the window */
  size_t watched_count, watched_cap;
  double *scratch; /* [active] */
  size_t scratch_cap;
};

static void fini(hc_metric *self)
{
  if (self) {
    const hc_allocator *a = self->family.context.allocator;
    hc_sharing_fini(&self->sharing);
    hc_spans_fini(&self->spans);
    hc_free(a, self->accounts, self->cap * sizeof *self->accounts);
    hc_free(a, self->watched, self->watched_cap * sizeof *self->watched);
    hc_free(a, self->scratch, self->scratch_cap * sizeof *self->scratch);
  }
  hc_family_free(self);
}

static hc_rc set_up(hc_metric *self, const options *o, hc_error *e)
{
  hc_spans_init(&self->spans, self->family.context.allocator, &o->spans);
  self->users = (size_t)o->users;
  self->step = HC_MAX(o->window / STEPS, 1);
  self->window.edge = HC_UNKNOWN;
  TRY(hc_sharing_init(&self->sharing, &self->family.context, "metric fair_share", &o->weights, e));
  self->sharing.needs_fair = true;
  return hc_spans_widen(&self->spans, OWN + self->sharing.machine.dimensions);
}

HC_FAMILY_INIT

/* ---- accounts ---- */

static void integrate(account *a, hc_time t)
{
  const int64_t owed = a->fair - a->used;
  const hc_time dt = t - a->since;
  if (dt <= 0) return;
  a->since = t;
  if (a->fair == 0 && a->used == 0) return;
  hc_wide_add_product(&a->fair_sum, a->fair, dt);
  hc_wide_add_product(&a->used_sum, a->used, dt);
  hc_wide_add_product(&a->deficit_sum, HC_MAX(owed, 0), dt);
  hc_wide_add_product(&a->distance_sum, owed < 0 ? -owed : owed, dt);
  hc_wide_add_product(&a->piece, owed, dt);
  a->deficit_most = HC_MAX(a->deficit_most, owed);
}

static bool is_positive(hc_wide x)
{
  return x.hi > 0 || (x.hi == 0 && x.lo > 0);
}

static bool is_zero(hc_wide x)
{
  return x.hi == 0 && x.lo == 0;
}

static bool is_quiet(const account *a)
{
  bool quiet = a->fair == 0 && a->used == 0 && is_zero(a->owed);
  for (size_t k = 0; k < STEPS && quiet; k++) quiet = is_zero(a->pieces[k]);
  return quiet;
}

/* A step of the window ends. Those with nothing in it are watched no more. @return what all are owed, in
 * shares x ns */
static double end_step(hc_metric *self)
{
  hc_wide all = {0};
  size_t n = 0;
  for (size_t i = 0; i < self->watched_count; i++) {
    account *a = &self->accounts[self->watched[i]];
    integrate(a, self->window.edge);
    a->owed = hc_wide_plus(hc_wide_minus(a->owed, a->pieces[self->window.next]), a->piece);
    a->pieces[self->window.next] = a->piece;
    a->piece = (hc_wide){0};
    if (is_positive(a->owed)) all = hc_wide_plus(all, a->owed);
    a->is_watched = !is_quiet(a);
    if (a->is_watched) self->watched[n++] = self->watched[i];
  }
  self->watched_count = n;
  self->window.next = (self->window.next + 1) % STEPS;
  return hc_wide_real(all);
}

static void count_steps(window *w, uint64_t steps, double owed)
{
  w->steps += steps;
  hc_real_sum_add(&w->sum, owed * (double)steps);
  w->most = HC_MAX(w->most, owed);
}

/* Nothing changes up to `t`: after a whole window every step is like the last. */
static void advance(hc_metric *self, hc_time t)
{
  window *w = &self->window;
  if (w->edge == HC_UNKNOWN) w->edge = self->spans.times.begin + self->step;
  for (int k = 0; w->edge <= t; k++) {
    const double owed = end_step(self);
    count_steps(w, 1, owed);
    w->edge += self->step;
    if (k >= STEPS && w->edge <= t) {
      const hc_time more = (t - w->edge) / self->step + 1;
      count_steps(w, (uint64_t)more, owed);
      w->edge += more * self->step;
      for (size_t i = 0; i < self->watched_count; i++) {
        integrate(&self->accounts[self->watched[i]], w->edge - self->step);
        self->accounts[self->watched[i]].piece = (hc_wide){0};
      }
    }
  }
}

/* ---- an instant is over ---- */

static hc_rc set_column(hc_metric *self, size_t column, hc_time t, int64_t value)
{
  return hc_spans_set(&self->spans, column, t, value);
}

static size_t column_of(const hc_metric *self, size_t place)
{
  return OWN + self->sharing.machine.dimensions + 2 * place;
}

static hc_rc set_account(hc_metric *self, size_t place, hc_time t, int64_t fair, int64_t used)
{
  account *a = &self->accounts[place];
  integrate(a, t);
  a->fair = fair;
  a->used = used;
  if (!a->is_watched) {
    TRY(hc_reserve(self->family.context.allocator, (void **)&self->watched, &self->watched_cap,
                   self->watched_count + 1, sizeof *self->watched));
    self->watched[self->watched_count++] = place;
    a->is_watched = 1;
  }
  if (place >= self->users) return 0;
  TRY(set_column(self, column_of(self, place), t, fair));
  return set_column(self, column_of(self, place) + 1, t, used);
}

/* Those who came since the last instant, and those who left. */
static hc_rc welcome(hc_metric *self, hc_time t)
{
  const hc_allocator *a = self->family.context.allocator;
  TRY(hc_reserve(a, (void **)&self->accounts, &self->cap, self->sharing.count, sizeof *self->accounts));
  for (; self->count < self->sharing.count; self->count++) {
    self->accounts[self->count] = (account){.since = t};
    if (self->count < self->users) TRY(hc_spans_widen(&self->spans, column_of(self, self->count + 1)));
  }
  for (size_t i = 0; i < self->sharing.left_count; i++)
    if (self->sharing.items[self->sharing.left[i]].active_at == 0)
      TRY(set_account(self, (size_t)self->sharing.left[i], t, 0, 0));
  return hc_reserve(a, (void **)&self->scratch, &self->scratch_cap, self->sharing.active_count,
                    sizeof *self->scratch);
}

/* Jain's index of what `scratch` holds. */
static int64_t index_of(const hc_metric *self)
{
  const size_t n = self->sharing.active_count;
  return n > 0 ? hc_share_fixed(hc_fairness_jain(n, self->scratch, NULL)) : 0;
}

/* By how much fair shares exceed what is held, as a part of the dimension. */
static int64_t gain_of(const hc_sharing *s, uint8_t which)
{
  double fair = 0, held = 0;
  for (size_t i = 0; i < s->active_count; i++) {
    const hc_party *p = hc_sharing_active(s, i);
    fair += p->part * hc_party_wants(p, which);
    held += (double)HC_MAX(p->held[which], 0);
  }
  return s->machine.total[which] > 0 ? hc_share_fixed((fair - held) / (double)s->machine.total[which]) : 0;
}

static hc_rc closed(void *ctx, hc_time at)
{
  hc_metric *self = ctx;
  const hc_sharing *s = &self->sharing;
  int64_t deficit = 0, distance = 0;
  hc_time t;
  hc_spans_hear(&self->spans, at);
  t = self->spans.times.end;
  advance(self, t);
  TRY(welcome(self, t));
  for (size_t i = 0; i < s->active_count; i++) {
    const hc_party *p = hc_sharing_active(s, i);
    const int64_t used = hc_party_used(s, p), fair = hc_share_snap(hc_party_fair(s, p), used);
    const int64_t owed = fair - used;
    deficit = hc_amount_plus(deficit, HC_MAX(owed, 0));
    distance = hc_amount_plus(distance, owed < 0 ? -owed : owed);
    self->scratch[i] = (double)used / HC_SHARE_ONE / p->weight;
    TRY(set_account(self, (size_t)s->active[i], t, fair, used));
  }
  TRY(set_column(self, JAIN, t, index_of(self)));
  for (size_t i = 0; i < s->active_count; i++) {
    const account *a = &self->accounts[s->active[i]];
    self->scratch[i] = a->fair > 0 ? (double)a->used / (double)a->fair : 1;
  }
  TRY(set_column(self, SATISFACTION, t, index_of(self)));
  TRY(set_column(self, USERS, t, (int64_t)s->active_count));
  TRY(set_column(self, BUSY, t, s->active_count > 0));
  TRY(set_column(self, DEFICIT, t, deficit));
  for (uint32_t d = 0; d < s->machine.dimensions; d++)
    TRY(set_column(self, OWN + d, t, gain_of(s, s->machine.which[d])));
  return set_column(self, DISTANCE, t, distance);
}

static hc_rc changes(hc_metric *self, const hc_change *changes, size_t count)
{
  return hc_sharing_hear(&self->sharing, changes, count, closed, self);
}

static hc_rc until(hc_metric *self, hc_time end)
{
  TRY(hc_sharing_end(&self->sharing, closed, self));
  TRY(hc_spans_close(&self->spans, end));
  if (self->spans.times.begin == HC_UNKNOWN) return 0;
  advance(self, self->spans.times.end);
  for (size_t i = 0; i < self->count; i++) integrate(&self->accounts[i], self->spans.times.end);
  return 0;
}

/* ---- figures ---- */

static double mean_of(const hc_metric *self, hc_wide sum)
{
  const hc_span_times *t = &self->spans.times;
  return hc_wide_ratio(sum, hc_wide_product(t->begin == HC_UNKNOWN ? 0 : t->end - t->begin, 1)) /
         HC_SHARE_ONE;
}

static hc_rc find_users(const hc_metric *self, hc_findings *f)
{
  static const char table[] = "fair_share_by_user";
  for (size_t i = 0; i < self->count; i++) {
    const account *a = &self->accounts[self->sharing.order.at[i]];
    const int64_t user = self->sharing.items[self->sharing.order.at[i]].user;
    TRY(hc_find_cell(f, table, user, "fair", "1", mean_of(self, a->fair_sum)));
    TRY(hc_find_cell(f, table, user, "used", "1", mean_of(self, a->used_sum)));
    TRY(hc_find_cell(f, table, user, "deficit", "1", mean_of(self, a->deficit_sum)));
    TRY(hc_find_cell(f, table, user, "deficit_max", "1", (double)a->deficit_most / HC_SHARE_ONE));
    TRY(hc_find_cell(f, table, user, "distance", "1", mean_of(self, a->distance_sum)));
    TRY(hc_find_cell(f, table, user, "satisfaction", "1", hc_wide_ratio(a->used_sum, a->fair_sum)));
  }
  return 0;
}

static hc_rc find_whole(const hc_metric *self, hc_findings *f)
{
  const hc_spans *s = &self->spans;
  const window *w = &self->window;
  const double scale = (double)self->step * STEPS * HC_SHARE_ONE;
  const double busy = hc_wide_real(hc_spans_total(s, BUSY)) * HC_SHARE_ONE;
  const double none = __builtin_nan("");
  char buffer[32], name[64];
  TRY(hc_find_real(f, "fair_share_users", "users", hc_spans_mean_total(s, USERS)));
  TRY(hc_find_real(f, "fair_share_deficit", "1", hc_spans_mean_total(s, DEFICIT) / HC_SHARE_ONE));
  TRY(hc_find_real(f, "fair_share_deficit_max", "1", (double)s->levels[DEFICIT].most / HC_SHARE_ONE));
  TRY(hc_find_real(f, "fair_share_window_deficit", "1",
                   w->steps ? hc_real_sum_value(w->sum) / (double)w->steps / scale : none));
  TRY(hc_find_real(f, "fair_share_window_deficit_max", "1", w->steps ? w->most / scale : none));
  TRY(hc_find_real(f, "fair_share_distance", "1", hc_spans_mean_total(s, DISTANCE) / HC_SHARE_ONE));
  TRY(hc_find_real(f, "fair_share_jain", "1",
                   busy > 0 ? hc_wide_real(hc_spans_total(s, JAIN)) / busy : none));
  TRY(hc_find_real(f, "fair_share_jain_satisfaction", "1",
                   busy > 0 ? hc_wide_real(hc_spans_total(s, SATISFACTION)) / busy : none));
  for (uint32_t d = 0; d < self->sharing.machine.dimensions; d++) {
    (void)snprintf(name, sizeof name, "fair_share_%.31s_gain",
                   hc_machine_name(&self->sharing.machine, self->sharing.machine.which[d], buffer));
    TRY(hc_find_real(f, name, "1", hc_spans_mean_total(s, OWN + d) / HC_SHARE_ONE));
  }
  return 0;
}

static hc_rc find_row(const hc_metric *self, hc_findings *f, size_t row)
{
  static const char *const names[] = {"users", NULL, "deficit", "distance"};
  const hc_spans *s = &self->spans;
  const double busy = hc_wide_real(hc_spans_sum(s, row, BUSY)) * HC_SHARE_ONE;
  const int64_t key = hc_spans_key(s, row);
  char buffer[32], name[64];
  TRY(hc_spans_find_until(s, row, f, "fair_share"));
  for (size_t c = 0; c < HC_ARRAY_LEN(names); c++)
    if (names[c])
      TRY(hc_find_cell(f, "fair_share", key, names[c], c == USERS ? "users" : "1",
                       hc_spans_mean(s, row, c) / (c == USERS ? 1 : HC_SHARE_ONE)));
  TRY(hc_find_cell(f, "fair_share", key, "jain", "1",
                   busy > 0 ? hc_wide_real(hc_spans_sum(s, row, JAIN)) / busy : __builtin_nan("")));
  for (uint32_t d = 0; d < self->sharing.machine.dimensions; d++) {
    (void)snprintf(name, sizeof name, "%.31s_gain",
                   hc_machine_name(&self->sharing.machine, self->sharing.machine.which[d], buffer));
    TRY(hc_find_cell(f, "fair_share", key, name, "1", hc_spans_mean(s, row, OWN + d) / HC_SHARE_ONE));
  }
  for (size_t i = 0; i < self->count; i++) {
    const size_t place = self->sharing.order.at[i], c = column_of(self, place);
    if (place >= self->users) continue;
    (void)snprintf(name, sizeof name, "fair_share:user:%" PRId64, self->sharing.items[place].user);
    TRY(hc_find_cell(f, name, key, "fair", "1", hc_spans_mean(s, row, c) / HC_SHARE_ONE));
    TRY(hc_find_cell(f, name, key, "used", "1", hc_spans_mean(s, row, c + 1) / HC_SHARE_ONE));
  }
  return 0;
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  TRY(hc_sharing_order(&self->sharing));
  TRY(find_whole(self, f));
  TRY(find_users(self, f));
  for (size_t r = 0; r < self->spans.rows; r++) TRY(find_row(self, f, r));
  return 0;
}

static hc_rc visit(hc_metric *self, hc_visitor *v)
{
  size_t columns;
  TRY(hc_sharing_visit(&self->sharing, v));
  TRY(hc_spans_visit(&self->spans, v));
  HC_VISIT(v, self->window);
  HC_VISIT_ARRAY(v, self->accounts, self->count, self->cap);
  HC_VISIT_ARRAY(v, self->watched, self->watched_count, self->watched_cap);
  for (size_t i = 0; i < self->watched_count; i++)
    if (self->watched[i] >= self->count) return HC_EINPUT;
  columns = column_of(self, HC_MIN(self->count, self->users));
  return self->spans.columns == columns && self->count <= self->sharing.count && self->window.next < STEPS
             ? 0
             : HC_EINPUT;
}

static const hc_param params[] = {
    HC_SPAN_PARAMS(options, spans),
    HC_WEIGHTS_PARAM(options, weights),
    HC_PARAM(TIME, options, window, "s", "10m", 0.001, 1e9,
             "Length of the windows of fair_share_window_deficit: within one, a user may make up later for "
             "what it lacked before."),
    HC_PARAM(INT, options, users, "users", "32", 0, 100000,
             "How many users have a table over time: the first ones that came."),
    {.name = NULL},
};

static const char *const figures[] = {
    "fair_share_users|users|none|mean number of active users: those who hold or want something",
    "fair_share_deficit|1|lower|mean over time of sum over users of max(0, f - u)",
    "fair_share_deficit_max|1|lower|the greatest such sum that held for any time",
    ("fair_share_window_deficit|1|lower|sum over users of max(0, mean of f - u over a window), mean over its "
     "positions"),
    "fair_share_window_deficit_max|1|lower|the greatest such sum",
    "fair_share_distance|1|lower|mean over time of sum over users of |u - f|",
    ("fair_share_jain|1|higher|Jain's index of u / weight over active users, mean over the time when there "
     "are any"),
    "fair_share_jain_satisfaction|1|higher|the same of u / f, which is 1 where every user has what is fair",
    ("fair_share_*_gain|1|none|mean of max(0, sum of fair shares - what is held) / capacity, of each "
     "dimension"),
    "fair_share_by_user.fair|1|none|mean over time of f",
    "fair_share_by_user.used|1|none|mean over time of u",
    "fair_share_by_user.deficit|1|lower|mean over time of max(0, f - u)",
    "fair_share_by_user.deficit_max|1|lower|the greatest f - u that held for any time, at least 0",
    "fair_share_by_user.distance|1|lower|mean over time of |u - f|",
    "fair_share_by_user.satisfaction|1|higher|integral of u / integral of f",
    "fair_share.until|s|none|where the piece of time ends; the key is where it begins",
    "fair_share.users|users|none|mean number of active users during it",
    "fair_share.deficit|1|lower|mean of sum of max(0, f - u) during it",
    "fair_share.distance|1|lower|mean of sum of |u - f| during it",
    "fair_share.jain|1|higher|mean of Jain's index of u / weight while there are active users",
    "fair_share.*_gain|1|none|mean of what pooling would gain during it",
    "fair_share:user:*.fair|1|none|mean of f during it: tables fair_share:user:NUMBER",
    "fair_share:user:*.used|1|none|mean of u during it",
    NULL,
};

const hc_metric_type hc_metric_fair_share = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "fair_share",
         .summary = "what users have against what is fair: deficits, distance, Jain's index, gain of pooling",
         .detail = "u: dominant share of what a user's tasks hold; f: dominant share of its fair "
                   "share." HC_SHARING_TEXT " Windows move by a sixteenth of their length." HC_SPANS_TEXT,
         .source =
             "Ghodsi et al., NSDI 2011; Jain, Chiu and Hawe, DEC-TR-301, 1984; deficit: the analysis scripts "
             "of YTsaurus's scheduler simulator",
         .params = params, .options_size = sizeof(options)},
    HC_FAMILY_CALLS,
    .changes = changes,
    .until = until,
};
