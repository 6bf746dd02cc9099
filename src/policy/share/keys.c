/* keys.c -- what a user may claim, and where it stands: by its guarantee, else by the rule (rule.h). See
 * turns.h.
 *
 * A user that has less than it is guaranteed stands before all that have not, by how much of the guarantee it
 * has: its key is that part less 1, below 0. What is held counts in full; usage that decays is added to it as
 * the average share over the past, with weights that halve every half-life, so that a user with a constant
 * share s comes to 2 s. Without what is held, the first user would take all that is offered until the
 * next update. */
#include "policy/share/rule.h"

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
  if ((t->o.rule->flags & HC_SHARE_ARRIVALS) && c->target >= 0)
    c->most[d] = HC_MIN(c->most[d], (int64_t)(c->target * capacity * (1 + 1e-12) + 1e-3));
  c->has_most |= c->most[d] < INT64_MAX;
}

void hc_keys_settle(hc_turns *t, uint32_t user)
{
  const hc_due *due = hc_dues_of(&t->dues, t->books.members[user].id);
  hc_claimant *c = &t->claims[user];
  bool is_one = due->said[HC_DUE_WEIGHT];
  c->has_guarantee = c->has_most = false;
  c->pool = due->pool;
  for (uint32_t d = 0; d < t->books.dims; d++) settle_one(t, c, due, d);
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

/* ---- the key ---- */

double hc_keys_of(const hc_turns *t, uint32_t user)
{
  const hc_claimant *c = &t->claims[user];
  double part = 0;
  if (!c->has_guarantee) return t->o.rule->key(t, user);
  for (uint32_t d = 0; d < t->books.dims; d++)
    if (c->guarantee[d] > 0)
      part = HC_MAX(part, hc_share_over((double)t->books.members[user].used[d],
                                        c->guarantee[d] * (double)t->capacity[d]));
  return part < 1 ? part - 1 : t->o.rule->key(t, user);
}
