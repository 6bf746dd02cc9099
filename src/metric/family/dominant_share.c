/* dominant_share.c -- each user's dominant share: the greatest part of any one dimension of the cell that is
 * theirs.
 *
 * A share is claimed / capacity, rounded once to the nearest multiple of 2^-52; from there on sums are
 * exact. It is computed anew when the user's claims change and, for all users, when the cell's capacity
 * does. Every user has a mean, a greatest and a last share; those who came first also a table over time.
 * Cost: one division per dimension and change; per user for a change of capacity. 16 bytes per column and
 * piece of time, 150 per user. Source: Ghodsi et al., NSDI 2011. */
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

typedef struct options {
  hc_span_options spans;
  int64_t users;
} options;

typedef struct claims {
  int64_t amount[HC_DIMENSIONS];
} claims;

enum { USERS, OWN }; /* columns: users who hold something; then those of users */

struct hc_metric {
  hc_family family;
  hc_machine machine;
  hc_spans spans;
  hc_people people;
  claims *claims; /* [people.count] */
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
  HC_UNUSED(e);
  hc_spans_init(&self->spans, a, &o->spans);
  TRY(hc_machine_init(&self->machine, &self->family.context));
  hc_people_init(&self->people, a, OWN, (size_t)o->users);
  return hc_spans_widen(&self->spans, OWN);
}

HC_FAMILY_INIT

/* ---- hearing ---- */

/* Nearest multiple of 2^-52; of a dimension that is gone, nothing. */
static int64_t share_of(int64_t claimed, int64_t capacity)
{
  hc_int128 x;
  if (claimed <= 0 || capacity <= 0) return 0;
  x = (((hc_int128)claimed << (SHARE_BITS + 1)) / capacity + 1) >> 1;
  return x > INT64_MAX ? INT64_MAX : (int64_t)x;
}

static int64_t dominant(const hc_metric *self, const claims *c)
{
  int64_t most = 0;
  for (uint32_t d = 0; d < self->machine.dimensions; d++) {
    uint8_t which = self->machine.which[d];
    int64_t share = share_of(c->amount[which], self->machine.total[which]);
    most = HC_MAX(most, share);
  }
  return most;
}

static hc_rc set_share(hc_metric *self, size_t at, hc_time t)
{
  int64_t before = self->people.items[at].level.value, share = dominant(self, &self->claims[at]);
  int64_t users = hc_spans_value(&self->spans, USERS) + (share > 0) - (before > 0);
  TRY(hc_spans_set(&self->spans, USERS, t, users));
  return hc_people_set(&self->people, &self->spans, at, t, share);
}

static hc_rc claim(hc_metric *self, const hc_change *c)
{
  size_t at;
  claims *mine;
  TRY(hc_people_find(&self->people, &self->spans, c->user, &at));
  if (at >= self->count) {
    TRY(hc_reserve(self->family.context.allocator, (void **)&self->claims, &self->cap, at + 1, sizeof *mine));
    self->claims[at] = (claims){{0}};
    self->count = at + 1;
  }
  mine = &self->claims[at];
  for (uint32_t d = 0; d < self->machine.width; d++)
    mine->amount[d] = c->kind == HC_CHANGE_CLAIMED ? hc_amount_plus(mine->amount[d], c->amount[d])
                                                   : hc_amount_minus(mine->amount[d], c->amount[d]);
  return set_share(self, at, c->at);
}

static hc_rc changes(hc_metric *self, const hc_change *changes, size_t count)
{
  int64_t more[HC_DIMENSIONS];
  for (size_t i = 0; i < count; i++) {
    const hc_change *c = &changes[i];
    hc_spans_hear(&self->spans, c->at);
    if (c->kind == HC_CHANGE_CLAIMED || c->kind == HC_CHANGE_RELEASED) TRY(claim(self, c));
    else if (c->kind == HC_CHANGE_HOST && hc_machine_change(&self->machine, c, more))
      for (size_t u = 0; u < self->count; u++) TRY(set_share(self, u, c->at));
  }
  return 0;
}

static hc_rc until(hc_metric *self, hc_time end)
{
  TRY(hc_spans_close(&self->spans, end));
  hc_people_close(&self->people, &self->spans);
  return 0;
}

/* ---- figures ---- */

static hc_rc find_users(const hc_metric *self, hc_findings *f)
{
  const hc_people *p = &self->people;
  hc_real_sum sum = {0}, squares = {0};
  double most = 0, mean, jain;
  for (size_t i = 0; i < p->count; i++) {
    const hc_person *x = hc_people_at(p, i);
    double share = hc_people_mean(x, &self->spans) / SHARE_ONE;
    hc_real_sum_add(&sum, share);
    hc_real_sum_add(&squares, share * share);
    most = HC_MAX(most, (double)x->level.most / SHARE_ONE);
    TRY(hc_find_cell(f, "dominant_share_by_user", x->user, "share_mean", "1", share));
    TRY(hc_find_cell(f, "dominant_share_by_user", x->user, "share_max", "1",
                     (double)x->level.most / SHARE_ONE));
    TRY(hc_find_cell(f, "dominant_share_by_user", x->user, "share_end", "1",
                     (double)x->level.value / SHARE_ONE));
  }
  mean = hc_mean_real(sum, p->count);
  jain = mean * mean / hc_mean_real(squares, p->count);
  TRY(hc_find_real(f, "dominant_share_mean", "1", mean));
  TRY(hc_find_real(f, "dominant_share_max", "1", most));
  TRY(hc_find_real(f, "dominant_share_jain", "1", jain));
  return hc_find_real(f, "dominant_share_users", "users", hc_spans_mean_total(&self->spans, USERS));
}

static hc_rc find_row(const hc_metric *self, hc_findings *f, size_t row)
{
  const hc_spans *s = &self->spans;
  int64_t key = hc_spans_key(s, row);
  char name[64];
  TRY(hc_spans_find_until(s, row, f, "dominant_share"));
  TRY(hc_find_cell(f, "dominant_share", key, "users", "users", hc_spans_mean(s, row, USERS)));
  for (size_t i = 0; i < self->people.count; i++) {
    const hc_person *x = hc_people_at(&self->people, i);
    if (x->column == 0) continue;
    (void)snprintf(name, sizeof name, "dominant_share:user:%" PRId64, x->user);
    TRY(hc_find_cell(f, name, key, "share", "1", hc_spans_mean(s, row, (size_t)x->column - 1) / SHARE_ONE));
  }
  return 0;
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  TRY(hc_people_order(&self->people));
  TRY(find_users(self, f));
  for (size_t r = 0; r < self->spans.rows; r++) TRY(find_row(self, f, r));
  return 0;
}

static hc_rc visit(hc_metric *self, hc_visitor *v)
{
  TRY(hc_machine_visit(&self->machine, v));
  TRY(hc_spans_visit(&self->spans, v));
  TRY(hc_people_visit(&self->people, v));
  HC_VISIT_ARRAY(v, self->claims, self->count, self->cap);
  if (self->count != self->people.count) return HC_EINPUT;
  return self->spans.columns == OWN + HC_MIN(self->people.count, self->people.most) ? 0 : HC_EINPUT;
}

static const hc_param params[] = {
    HC_SPAN_PARAMS(options, spans),
    HC_PARAM(INT, options, users, "users", "32", 0, 100000,
             "How many users have a table over time: the first ones that came."),
    {.name = NULL},
};

static const char *const figures[] = {
    "dominant_share_mean|1|none|mean over users of their mean shares",
    "dominant_share_max|1|none|greatest share that any user had for any time",
    "dominant_share_jain|1|higher|Jain's index of users' mean shares: (mean)^2 / mean of squares",
    "dominant_share_users|users|none|mean number of users who hold something",
    "dominant_share_by_user.share_mean|1|none|mean over time of the user's share",
    "dominant_share_by_user.share_max|1|none|the greatest that held for any time",
    "dominant_share_by_user.share_end|1|none|the share at the end",
    "dominant_share.until|s|none|where the piece of time ends; the key is where it begins",
    "dominant_share.users|users|none|mean number of users who hold something during it",
    "dominant_share:user:*.share|1|none|mean over it of a user's share: tables dominant_share:user:NUMBER",
    NULL,
};

const hc_metric_type hc_metric_dominant_share = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "dominant_share",
         .summary = "the greatest part of any dimension that each user holds, over time",
         .detail =
             "Share of a user: max over dimensions of claimed / capacity, where capacity is that of the "
             "hosts that are there. Means are over the time from the first change to the end. A user counts "
             "from its first claim on. Shares are rounded once, to 2^-52." HC_SPANS_TEXT,
         .source = "Ghodsi et al., Dominant resource fairness, NSDI 2011; DSLab, monitoring: fair_share.csv",
         .params = params, .options_size = sizeof(options)},
    HC_FAMILY_CALLS,
    .changes = changes,
    .until = until,
};
