/* keys.c -- the rules: what a user has, as a number that is compared. See fair_turns.h.
 *
 * A user who has less than it is guaranteed stands before all who have not, by how much of the guarantee it has: its key
 * is that part less 1, below 0. What is held counts in full; usage that decays is added to it as the average share over the
 * past, with weights that halve every half-life, so that a user with a constant share s comes to 2 s. Without what
 * is held, whoever comes first would take all that is offered until the next update. */
#include "base/util.h"
#include "policy/fair_turns.h"

static const double most_key = 1e300;

static double over(double a, double b)
{
  if (a <= 0) return 0;
  return b > 0 ? HC_MIN(a / b, most_key) : most_key;
}

/* ---- what a user may claim ---- */

static void settle_one(hc_turns *t, hc_claimant *c, const hc_due *due, uint32_t d)
{
  const uint32_t l = t->which[d];
  const double capacity = (double)t->capacity[d];
  const hc_due_vector *w = &due->of[HC_DUE_WEIGHT], *q = &due->of[HC_DUE_QUOTA], *m = &due->of[HC_DUE_LIMIT];
  c->weights[d] = w->share[l] > 0 ? w->share[l] : 1;
  c->quota[d] = q->amount[l] >= 0 ? q->amount[l] : q->share[l] >= 0 ? q->share[l] * capacity : -1;
  if (!due->said[HC_DUE_QUOTA]) c->quota[d] = capacity;
  c->guarantee[d] = HC_MAX(due->of[HC_DUE_GUARANTEE].share[l], 0);
  c->has_guarantee |= c->guarantee[d] > 0;
  c->most[d] = INT64_MAX;
  if (m->amount[l] >= 0) c->most[d] = (int64_t)(m->amount[l] + 0.5);
  else if (m->share[l] >= 0) c->most[d] = (int64_t)(m->share[l] * capacity + 1e-6);
  if (t->o.rule == HC_SHARE_DYNAMIC && c->target >= 0)
    c->most[d] = HC_MIN(c->most[d], (int64_t)(c->target * capacity * (1 + 1e-12) + 1e-3));
  c->has_most |= c->most[d] < INT64_MAX;
}

void hc_keys_settle(hc_turns *t, uint32_t user)
{
  const hc_due due = hc_dues_of(&t->dues, t->books.members[user].id);
  hc_claimant *c = &t->claims[user];
  bool is_one = due.said[HC_DUE_WEIGHT];
  c->has_guarantee = c->has_most = false;
  c->pool = due.pool;
  for (uint32_t d = 0; d < t->books.dims; d++) settle_one(t, c, &due, d);
  for (uint32_t d = 1; d < t->books.dims; d++) is_one &= c->weights[d] == c->weights[0];
  c->weight = is_one ? c->weights[0] : 1;
}

bool hc_keys_may(const hc_turns *t, uint32_t user)
{
  const hc_claimant *c = &t->claims[user];
  const hc_member *m = &t->books.members[user];
  for (uint32_t d = 0; c->has_most && d < t->books.dims; d++)
    if (m->least[d] > 0 && m->used[d] > c->most[d] - m->least[d]) return false;
  return true;
}

/* ---- shares ---- */

static double share_of(const hc_turns *t, uint32_t user)
{
  const hc_member *m = &t->books.members[user];
  const hc_claimant *c = &t->claims[user];
  double most = 0, sum = 0;
  for (uint32_t d = 0; d < t->books.dims; d++) {
    const double divisor = (double)t->capacity[d] * c->weights[d];
    double part;
    if (t->o.rule == HC_SHARE_MAX_MIN && t->which[d] != t->dimension) continue;
    part = over((double)m->used[d], divisor);
    if (t->o.half_life > 0) part += c->past[d] / c->weights[d];
    most = HC_MAX(most, part);
    sum += part;
  }
  return t->o.rule == HC_SHARE_ASSET ? HC_MIN(sum, most_key) : most;
}

static double of_quota(const hc_turns *t, uint32_t user)
{
  const hc_claimant *c = &t->claims[user];
  double most = 0;
  for (uint32_t d = 0; d < t->books.dims; d++)
    if (c->quota[d] >= 0)
      most = HC_MAX(most, over((double)t->books.members[user].used[d], c->quota[d] * c->weights[d]));
  return most;
}

/* How much of its target a user has. Who came since targets were computed is due an equal part. */
static double of_target(const hc_turns *t, uint32_t user)
{
  const hc_member *m = &t->books.members[user];
  const hc_claimant *c = &t->claims[user];
  double most = 0;
  for (uint32_t d = 0; d < t->books.dims; d++)
    most = HC_MAX(most, over((double)m->used[d], (double)t->capacity[d]));
  if (c->target >= 0) return over(most, c->target);
  return over(most, 1.0 / (double)HC_MAX(t->books.member_count, 1));
}

/* On the host that was entered alone. */
static double on_server(const hc_turns *t, uint32_t user)
{
  const int64_t *used = hc_sites_used(&t->sites, user);
  double most = 0;
  for (uint32_t d = 0; used && d < t->books.dims; d++)
    most = HC_MAX(most, over((double)used[d], (double)t->here[d] * t->claims[user].weights[d]));
  return most;
}

static double level_of(const hc_turns *t, uint32_t user)
{
  switch (t->o.rule) {
    case HC_SHARE_QUOTA: return of_quota(t, user);
    case HC_SHARE_CEEI:
    case HC_SHARE_DIVISIBLE:
    case HC_SHARE_DYNAMIC: return of_target(t, user);
    case HC_SHARE_SLOTS:
      return over((double)hc_sites_slots_of(&t->sites, user), (double)t->all_slots * t->claims[user].weight);
    case HC_SHARE_SERVER_DRF: return on_server(t, user);
    case HC_SHARE_DRF:
    case HC_SHARE_DRFH:
    case HC_SHARE_MAX_MIN:
    case HC_SHARE_ASSET:
    case HC_SHARE_FIFO:
    case HC_SHARE_HDRF: break;
  }
  return share_of(t, user);
}

double hc_keys_of(const hc_turns *t, uint32_t user)
{
  const hc_claimant *c = &t->claims[user];
  double part = 0;
  if (!c->has_guarantee) return level_of(t, user);
  for (uint32_t d = 0; d < t->books.dims; d++)
    if (c->guarantee[d] > 0)
      part = HC_MAX(part,
                    over((double)t->books.members[user].used[d], c->guarantee[d] * (double)t->capacity[d]));
  return part < 1 ? part - 1 : level_of(t, user);
}
