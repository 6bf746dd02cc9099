/* refusal.c -- a user refuses a host that suits its task worse than hosts it was offered lately.
 *
 * Each user remembers the last n offers on which its task would have fitted: what was free, and when. An offer is
 * measured against the task, and so are those that are remembered, anew for this task. If more than k of them would
 * have been better, by more than a tolerance, the offer is refused: better ones come often enough to wait for.
 * `better(a, b)` is a < b - A and a < b / R. The offer itself is remembered after the answer, if it was refused or a
 * task started on it, so that of n remembered and this one, alike and independent, each is as likely to be the
 * best as any: without tolerance an offer is taken with probability (k + 1) / (n + 1).
 *
 * YTsaurus writes `better < max_better_past_snapshots`, the thesis that it comes from `at most k`: k = max_better - 1.
 * Its defaults are s 0, n 10, k 1, and no limit to refusals in a row; the thesis has s 5, n 15, k 2. Remembered offers
 * that are too old or would not hold this task count towards s, not towards k, as there.
 * Cost: O(n dimensions) an offer. Memory: n (dimensions + 1) x 8 bytes a user. */
#include <string.h>

#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "hindcast/policy.h"
#include "policy/packing.h"

typedef struct options {
  int metric, fresh;
  int64_t at_first, window, better, in_a_row;
  double absolute, relative;
  hc_time age;
  hc_list dimensions; /* const char * */
  hc_list never;      /* int64_t */
} options;

typedef struct past {
  hc_time at;
  int64_t free[HC_DIMENSIONS];
} past;

/* The last offers of a user: a ring. */
typedef struct memory {
  uint64_t count, next, in_a_row;
} memory;

struct hc_policy {
  const hc_allocator *allocator;
  const options *o;
  bool counts[HC_DIMENSIONS]; /* by the lexicon's number */
  memory *users;
  size_t user_count, user_cap;
  past *pasts; /* [user_count][window] */
  size_t past_count, past_cap;
};

static hc_rc know(hc_policy *self, uint32_t user)
{
  const size_t n = (size_t)self->o->window;
  if (user < self->user_count) return 0;
  TRY(hc_reserve(self->allocator, (void **)&self->users, &self->user_cap, user + 1, sizeof *self->users));
  TRY(hc_reserve(self->allocator, (void **)&self->pasts, &self->past_cap, (user + 1) * n,
                 sizeof *self->pasts));
  memset(self->users + self->user_count, 0, (user + 1 - self->user_count) * sizeof *self->users);
  memset(self->pasts + self->past_count, 0, ((user + 1) * n - self->past_count) * sizeof *self->pasts);
  self->user_count = user + 1;
  self->past_count = (user + 1) * n;
  return 0;
}

/* How badly a task goes with what is, or was, free: amounts as shares of the cell. */
static double measure(const hc_policy *self, const hc_offer *o, const int64_t *free)
{
  double need[HC_DIMENSIONS], left[HC_DIMENSIONS];
  uint32_t n = 0;
  for (uint32_t d = 0; d < o->dimensions; d++) {
    if (!self->counts[o->which[d]] || o->capacity[d] <= 0) continue;
    need[n] = (double)o->need[d] / (double)o->capacity[d];
    left[n++] = (double)free[d] / (double)o->capacity[d];
  }
  return hc_packing_of((hc_packing)self->o->metric, n, need, left);
}

static bool would_fit(const hc_offer *o, const past *p)
{
  for (uint32_t d = 0; d < o->dimensions; d++)
    if (o->need[d] > p->free[d]) return false;
  return true;
}

static bool takes_everything(const hc_list *users, int64_t user)
{
  for (size_t i = 0; i < users->count; i++)
    if (((const int64_t *)users->items)[i] == user) return true;
  return false;
}

static bool accepts(hc_policy *self, const hc_offer *offer)
{
  const options *o = self->o;
  const memory *m = offer->user < self->user_count ? &self->users[offer->user] : NULL;
  const uint64_t count = m ? m->count : 0;
  const double now = measure(self, offer, offer->free);
  int64_t better = 0;
  if (takes_everything(&o->never, offer->owner)) return true;
  if (o->in_a_row > 0 && m && m->in_a_row >= (uint64_t)o->in_a_row) return true;
  for (uint64_t i = 0; i < count && better <= o->better; i++) {
    const past *p = &self->pasts[offer->user * (size_t)o->window + i];
    double then;
    if (o->age != HC_NEVER && p->at < offer->now - o->age) continue;
    if (!would_fit(offer, p)) continue;
    then = measure(self, offer, p->free);
    better += then < now - o->absolute && then < now / o->relative;
  }
  return count >= (uint64_t)o->at_first && better <= o->better;
}

static hc_rc noted(hc_policy *self, const hc_offer *offer, bool started)
{
  const size_t n = (size_t)self->o->window;
  memory *m;
  past *p;
  TRY(know(self, offer->user));
  m = &self->users[offer->user];
  m->in_a_row = started ? 0 : m->in_a_row + 1;
  if (n == 0) return 0;
  p = &self->pasts[offer->user * n + m->next];
  m->next = (m->next + 1) % n;
  m->count = HC_MIN(m->count + 1, n);
  *p = (past){.at = offer->now};
  for (uint32_t d = 0; d < offer->dimensions; d++) p->free[d] = offer->free[d];
  return 0;
}

static void forget(hc_policy *self, uint32_t user)
{
  if (self->o->fresh && user < self->user_count) {
    memset(self->pasts + user * (size_t)self->o->window, 0, (size_t)self->o->window * sizeof *self->pasts);
    self->users[user] = (memory){0};
  }
}

static uint32_t flags(const void *opts)
{
  HC_UNUSED(opts);
  return HC_DRAWS_ANEW;
}

/* Which dimensions count. Not said: all that the cell has. */
static hc_rc choose_dimensions(hc_policy *self, hc_lexicon *l, hc_error *e)
{
  const hc_list *names = &self->o->dimensions;
  for (int d = 0; d < HC_DIMENSIONS; d++) self->counts[d] = names->count == 0;
  for (size_t i = 0; i < names->count; i++) {
    const char *name = ((const char *const *)names->items)[i];
    const int d = l ? hc_lexicon_dimension(l, name, strlen(name)) : -1;
    if (d < 0)
      return hc_fail(e, HC_EUSAGE, "accept refusal", 0, 0, "there is no room for the dimension %s", name);
    self->counts[d] = true;
  }
  return 0;
}

static hc_rc init(const hc_policy_context *c, const void *opts, hc_policy **out, hc_error *e)
{
  hc_policy *self = hc_alloc(c->allocator, sizeof *self);
  if (!self) return HC_ENOMEM;
  self->allocator = c->allocator;
  self->o = opts;
  *out = self;
  if (self->o->at_first > self->o->window)
    return hc_fail(
        e, HC_EUSAGE, "accept refusal", 0, 0,
        "at_first is %lld, but no more than window: %lld offers are remembered: it would refuse for ever",
        (long long)self->o->at_first, (long long)self->o->window);
  return choose_dimensions(self, c->lexicon, e);
}

static hc_rc visit(hc_policy *self, hc_visitor *v)
{
  HC_VISIT_ARRAY(v, self->users, self->user_count, self->user_cap);
  HC_VISIT_ARRAY(v, self->pasts, self->past_count, self->past_cap);
  return 0;
}

static void fini(hc_policy *self)
{
  hc_free(self->allocator, self->users, self->user_cap * sizeof *self->users);
  hc_free(self->allocator, self->pasts, self->past_cap * sizeof *self->pasts);
  hc_free(self->allocator, self, sizeof *self);
}

static const hc_param params[] = {
    {.name = "metric",
     .type = HC_CHOICE,
     .choices = HC_PACKINGS,
     .fallback = "angle_length",
     .offset = offsetof(options, metric),
     .help =
         "How badly a task and a host go together, of shares d of the task and f of what is free: angle 1 - cos(d, "
         "f); angle_length (1 - cos(d, f)) |f| / |d|; cosine 1 / cos(d, f); dot 1 / (d . f); drfh sum |d_r / d_1 - "
         "f_r / f_1|."},
    {.name = "dimensions",
     .type = HC_TEXT,
     .list = true,
     .offset = offsetof(options, dimensions),
     .help = "Which dimensions count, as [cpu, memory]. Not given: all that the cell has."},
    {.name = "at_first",
     .type = HC_INT,
     .unit = "offers",
     .fallback = "0",
     .min = 0,
     .max = 1e6,
     .offset = offsetof(options, at_first),
     .help = "s: refuse until so many offers are remembered. The thesis: 5."},
    {.name = "window",
     .type = HC_INT,
     .unit = "offers",
     .fallback = "10",
     .min = 0,
     .max = 1e6,
     .offset = offsetof(options, window),
     .help = "n: how many offers are remembered. The thesis: 15."},
    {.name = "better",
     .type = HC_INT,
     .unit = "offers",
     .fallback = "1",
     .min = 0,
     .max = 1e6,
     .offset = offsetof(options, better),
     .help =
         "k: take an offer if at most so many of those remembered were better. YTsaurus's max_better_past_snapshots "
         "is one more. The thesis: 2."},
    {.name = "absolute",
     .type = HC_REAL,
     .fallback = "0.05",
     .min = 0,
     .max = 1e9,
     .offset = offsetof(options, absolute),
     .help = "A: better means less by more than this,"},
    {.name = "relative",
     .type = HC_REAL,
     .fallback = "1.5",
     .min = 1,
     .max = 1e9,
     .offset = offsetof(options, relative),
     .help = "R: and by more than this factor."},
    {.name = "age",
     .type = HC_TIME,
     .unit = "s",
     .fallback = "1h",
     .min = 0,
     .max = 1e10,
     .offset = offsetof(options, age),
     .help = "Offers older than this are not compared; never: all are. The thesis: 20m."},
    {.name = "in_a_row",
     .type = HC_INT,
     .unit = "offers",
     .fallback = "0",
     .min = 0,
     .max = 1e9,
     .offset = offsetof(options, in_a_row),
     .help = "After so many refusals in a row the next offer is taken, so that nobody starves; 0: no limit."},
    {.name = "fresh",
     .type = HC_CHOICE,
     .choices = "never|when_idle",
     .fallback = "when_idle",
     .offset = offsetof(options, fresh),
     .help =
         "when_idle: a user whose tasks have all ended forgets its offers, as each operation has a memory of its own "
         "there."},
    {.name = "never",
     .type = HC_INT,
     .list = true,
     .offset = offsetof(options, never),
     .help =
         "Users who refuse nothing, by their numbers in the trace: a lie of those who know that others do."},
    {0}};

const hc_accept_type hc_accept_refusal = {
    .component =
        {HC_COMPONENT_HEAD(hc_accept_type, HC_KIND_ACCEPT), .name = "refusal",
         .summary = "refuses a host if better ones were offered lately",
         .detail =
             "Amounts are shares of the cell. Remembered are offers that were refused and those on which a "
             "task started. Refusing is worth it to whoever refuses: it is not strategy-proof unless "
             "absolute is 0 and relative 1, and then takes (k + 1) / (n + 1) of offers that are alike.",
         .source = "the packing of YTsaurus's scheduler (angle, angle_length), and the thesis behind it",
         .params = params, .options_size = sizeof(options)},
    .flags = flags,
    .init = init,
    .accepts = accepts,
    .noted = noted,
    .forget = forget,
    .visit = visit,
    .fini = fini,
};
