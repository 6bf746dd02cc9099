/* targets.c -- what users would have if tasks could be divided, for rules that steer whole tasks towards
 * that.
 *
 * A user that waits or holds something takes part, with one shape of demand: that of its first waiting task,
 * or, if none waits, of the last one that was looked at. The rule solves for all of them at once
 * (hc_share_rule.solve); with arrivals users are let in one by one, in the order in which they come, and
 * nothing is taken back: see fair.h. */
#include "policy/share/rule.h"

/* What one task takes, as shares of the cell. */
static void wish(hc_turns *t, uint32_t user)
{
  const uint32_t at = hc_books_first(&t->books, user, NULL, UINT64_MAX, NULL);
  if (at == HC_MAP_NONE) return;
  for (uint32_t d = 0; d < t->books.dims; d++) {
    const hc_shape *s = &t->books.shapes[at];
    const double amount = (double)s->need[d] * (double)s->units;
    t->claims[user].wish[d] = t->capacity[d] > 0 ? amount / (double)t->capacity[d] : amount > 0 ? 1e9 : 0;
  }
}

static double dominant(const hc_turns *t, uint32_t user)
{
  double most = 0;
  for (uint32_t d = 0; d < t->books.dims; d++) most = HC_MAX(most, t->claims[user].wish[d]);
  return most;
}

static hc_rc solve(hc_turns *t, const uint32_t *users, uint32_t count, double *room)
{
  const uint32_t dims = t->books.dims;
  double *demand = room, *weight = demand + (size_t)count * dims, *weights = weight + count,
         *most = weights + (size_t)count * dims, *tasks = most + count, *capacity = tasks + count;
  hc_fair_problem p = {.users = count,
                       .dims = dims,
                       .capacity = capacity,
                       .demand = demand,
                       .weight = weight,
                       .resource_weight = weights,
                       .most = most};
  for (uint32_t d = 0; d < dims; d++) capacity[d] = t->capacity[d] > 0;
  for (uint32_t i = 0; i < count; i++) {
    const hc_claimant *c = &t->claims[users[i]];
    const hc_member *m = &t->books.members[users[i]];
    weight[i] = c->weight;
    most[i] = (double)(m->waiting + m->holding);
    for (uint32_t d = 0; d < dims; d++) {
      demand[i * dims + d] = c->wish[d];
      weights[i * dims + d] = c->weights[d] / c->weight;
    }
  }
  TRY(t->o.rule->solve(t->allocator, &p, tasks));
  for (uint32_t i = 0; i < count; i++) {
    const double share = dominant(t, users[i]);
    t->claims[users[i]].target = share > 0 ? HC_MIN(share * tasks[i], 1.0) : 1;
  }
  return 0;
}

hc_rc hc_targets_compute(hc_turns *t)
{
  const size_t n = t->books.member_count, doubles = n * (2 * (size_t)t->books.dims + 3) + t->books.dims;
  uint32_t *users = hc_alloc(t->allocator, n * sizeof *users + 1), count = 0;
  double *room = hc_alloc(t->allocator, doubles * sizeof *room + 1);
  hc_rc rc = users && room ? 0 : HC_ENOMEM;
  for (uint32_t i = 0; rc == 0 && i < n; i++) {
    if (t->books.members[i].waiting == 0 && t->books.members[i].holding == 0) continue;
    wish(t, i);
    users[count++] = i;
  }
  if (rc == 0 && count > 0) rc = solve(t, users, count, room);
  hc_free(t->allocator, users, n * sizeof *users + 1);
  hc_free(t->allocator, room, doubles * sizeof *room + 1);
  t->is_dirty = t->is_fresh = false;
  t->is_stale = true;
  return rc;
}

hc_rc hc_targets_admit(hc_turns *t)
{
  hc_arrivals *x = &t->arrivals;
  if (!x->allocator) TRY(hc_arrivals_init(x, t->allocator, (uint32_t)t->o.expected, t->books.dims, NULL));
  t->is_fresh = false;
  for (uint32_t i = x->here; i < t->books.member_count && x->here < x->expected; i++) {
    bool is_known = false;
    for (uint32_t d = 0; d < t->books.dims; d++) is_known |= t->claims[i].wish[d] > 0;
    if (!is_known) wish(t, i);
    if (!(dominant(t, i) > 0)) t->claims[i].wish[0] = 1; /* it needs nothing: as if it needed a processor */
    TRY(hc_arrivals_add(x, t->claims[i].wish, NULL));
  }
  t->extra = t->books.member_count - x->here;
  for (uint32_t i = 0; i < x->here; i++) t->claims[i].target = x->share[i];
  for (uint32_t i = 0; i < x->here; i++) hc_keys_settle(t, i);
  t->is_stale = true;
  return 0;
}
