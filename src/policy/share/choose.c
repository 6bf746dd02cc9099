/* choose.c -- the tournament, and DRF of whole tasks on it.
 *
 * A tournament rather than a heap: a user's place is fixed, so an update needs no table of positions, and it
 * stops at the first match whose winner is another than the user and stays. Source: Ghodsi et al., Dominant
 * resource fairness, NSDI 2011, algorithm 1. */
#include "policy/share/choose.h"

#include <string.h>

#include "base/mem.h"
#include "base/util.h"

/* Listed: in the list of the skipped, perhaps only because it was. */
enum { WAITS = 1, SKIPPED = 2, LISTED = 4 };

/* ---- tournament ---- */

hc_rc hc_tournament_init(hc_tournament *t, const hc_allocator *a, uint32_t count)
{
  *t = (hc_tournament){.allocator = a, .count = count, .leaves = 1};
  if (count > UINT32_MAX / 4) return HC_ELIMIT;
  while (t->leaves < count) t->leaves *= 2;
  t->key = hc_alloc(a, count * sizeof *t->key);
  t->tie = hc_alloc(a, count * sizeof *t->tie);
  t->winner = hc_alloc(a, 2 * (size_t)t->leaves * sizeof *t->winner);
  if (!t->key || !t->tie || !t->winner) {
    hc_tournament_fini(t);
    return HC_ENOMEM;
  }
  for (uint32_t i = 0; i < count; i++) t->key[i] = __builtin_inf();
  for (uint32_t i = 0; i < t->leaves; i++) t->winner[t->leaves + i] = i < count ? i : HC_NOBODY;
  for (uint32_t k = t->leaves; k-- > 1;) t->winner[k] = t->winner[2 * k];
  return 0;
}

void hc_tournament_fini(hc_tournament *t)
{
  hc_free(t->allocator, t->key, t->count * sizeof *t->key);
  hc_free(t->allocator, t->tie, t->count * sizeof *t->tie);
  hc_free(t->allocator, t->winner, 2 * (size_t)t->leaves * sizeof *t->winner);
  *t = (hc_tournament){0};
}

/* The left one wins if nothing is against it: it has the lower indices. */
static uint32_t match(const hc_tournament *t, uint32_t left, uint32_t right)
{
  if (right == HC_NOBODY) return left;
  if (t->key[right] < t->key[left]) return right;
  return t->key[right] == t->key[left] && t->tie[right] < t->tie[left] ? right : left;
}

void hc_tournament_set(hc_tournament *t, uint32_t i, double key, uint64_t tie)
{
  t->key[i] = key;
  t->tie[i] = tie;
  for (uint32_t k = (t->leaves + i) / 2; k > 0; k /= 2) {
    uint32_t w = match(t, t->winner[2 * k], t->winner[2 * k + 1]);
    if (w == t->winner[k] && w != i) return;
    t->winner[k] = w;
  }
}

uint32_t hc_tournament_first(const hc_tournament *t)
{
  uint32_t w = t->count > 0 ? t->winner[1] : HC_NOBODY;
  return w == HC_NOBODY || t->key[w] == __builtin_inf() ? HC_NOBODY : w;
}

/* ---- DRF ---- */

static void divisors(hc_drf *d, const int64_t *capacity)
{
  memcpy(d->capacity, capacity, d->dims * sizeof *capacity);
  for (uint32_t i = 0; i < d->users; i++)
    for (uint32_t r = 0; r < d->dims; r++) {
      size_t at = (size_t)i * d->dims + r;
      d->divisor[at] = (double)capacity[r] * d->weight[i] * (d->resource_weight ? d->resource_weight[at] : 1);
    }
}

hc_rc hc_drf_init(hc_drf *d, const hc_allocator *a, uint32_t users, uint32_t dims, const int64_t *capacity,
                  const double *weight, const double *resource_weight, hc_drf_tie tie, hc_error *e)
{
  size_t cells = (size_t)users * dims;
  *d = (hc_drf){.allocator = a, .users = users, .dims = dims, .tie = tie};
  if (dims == 0 || dims > HC_DIMENSIONS)
    return hc_fail(e, HC_EINPUT, "DRF", 0, 0, "%u dimensions: there can be 1 to %d", dims, HC_DIMENSIONS);
  for (size_t i = 0; i < users; i++)
    if (weight && !(weight[i] > 0))
      return hc_fail(e, HC_EINPUT, "DRF", 0, 0, "the weight of user %zu is %g: give one above 0", i,
                     weight[i]);
  for (size_t i = 0; i < cells; i++)
    if (resource_weight && !(resource_weight[i] > 0))
      return hc_fail(e, HC_EINPUT, "DRF", 0, 0, "a weight of a resource is %g: give one above 0",
                     resource_weight[i]);
  d->used = hc_alloc(a, cells * sizeof *d->used);
  d->divisor = hc_alloc(a, cells * sizeof *d->divisor);
  d->weight = hc_alloc(a, users * sizeof *d->weight);
  if (resource_weight) d->resource_weight = hc_alloc(a, cells * sizeof *d->resource_weight);
  d->share = hc_alloc(a, users * sizeof *d->share);
  d->state = hc_alloc(a, users);
  d->skipped = hc_alloc(a, users * sizeof *d->skipped);
  if (!d->used || !d->divisor || !d->weight || (resource_weight && !d->resource_weight) || !d->share ||
      !d->state || !d->skipped || hc_tournament_init(&d->next, a, users) < 0) {
    hc_drf_fini(d);
    return hc_fail(e, HC_ENOMEM, "DRF", 0, 0, "no memory for %u users", users);
  }
  for (uint32_t i = 0; i < users; i++) d->weight[i] = weight ? weight[i] : 1;
  if (resource_weight) memcpy(d->resource_weight, resource_weight, cells * sizeof *resource_weight);
  divisors(d, capacity);
  return 0;
}

void hc_drf_fini(hc_drf *d)
{
  const hc_allocator *a = d->allocator;
  size_t cells = (size_t)d->users * d->dims;
  hc_free(a, d->used, cells * sizeof *d->used);
  hc_free(a, d->divisor, cells * sizeof *d->divisor);
  hc_free(a, d->weight, d->users * sizeof *d->weight);
  hc_free(a, d->resource_weight, cells * sizeof *d->resource_weight);
  hc_free(a, d->share, d->users * sizeof *d->share);
  hc_free(a, d->state, d->users);
  hc_free(a, d->skipped, d->users * sizeof *d->skipped);
  if (d->next.key) hc_tournament_fini(&d->next);
  *d = (hc_drf){0};
}

static void enter(hc_drf *d, uint32_t user)
{
  hc_tournament_set(&d->next, user,
                    (d->state[user] & (WAITS | SKIPPED)) == WAITS ? d->share[user] : __builtin_inf(),
                    d->next.tie[user]);
}

static double share_of(const hc_drf *d, uint32_t user)
{
  const int64_t *used = d->used + (size_t)user * d->dims;
  const double *by = d->divisor + (size_t)user * d->dims;
  double most = 0;
  for (uint32_t r = 0; r < d->dims; r++)
    if (used[r] > 0) most = HC_MAX(most, (double)used[r] / by[r]); /* infinite if the resource has gone */
  return HC_MIN(most, 1e300);
}

void hc_drf_capacity(hc_drf *d, const int64_t *capacity)
{
  divisors(d, capacity);
  for (uint32_t i = 0; i < d->users; i++) {
    d->share[i] = share_of(d, i);
    enter(d, i);
  }
}

void hc_drf_rank(hc_drf *d, uint32_t user, uint64_t rank)
{
  d->next.tie[user] = rank;
  enter(d, user);
}

void hc_drf_wait(hc_drf *d, uint32_t user, bool waits)
{
  if (waits == ((d->state[user] & WAITS) != 0)) return;
  if (waits) d->state[user] = (uint8_t)((d->state[user] & LISTED) | WAITS);
  else d->state[user] &= (uint8_t)~WAITS;
  enter(d, user);
}

uint32_t hc_drf_next(const hc_drf *d)
{
  return hc_tournament_first(&d->next);
}

static void change(hc_drf *d, uint32_t user, const int64_t *amount, int64_t sign)
{
  int64_t *used = d->used + (size_t)user * d->dims;
  for (uint32_t r = 0; r < d->dims; r++) used[r] += sign * amount[r];
  d->share[user] = share_of(d, user);
  enter(d, user);
}

void hc_drf_start(hc_drf *d, uint32_t user, const int64_t *amount)
{
  if (d->tie == HC_TIE_TURN) d->next.tie[user] = ++d->turn;
  change(d, user, amount, 1);
}

void hc_drf_end(hc_drf *d, uint32_t user, const int64_t *amount)
{
  change(d, user, amount, -1);
}

void hc_drf_skip(hc_drf *d, uint32_t user)
{
  if (d->state[user] & SKIPPED) return;
  if (!(d->state[user] & LISTED)) d->skipped[d->skips++] = user;
  d->state[user] |= SKIPPED | LISTED;
  enter(d, user);
}

void hc_drf_again(hc_drf *d)
{
  while (d->skips > 0) {
    uint32_t user = d->skipped[--d->skips];
    d->state[user] &= WAITS;
    enter(d, user);
  }
}

double hc_drf_share(const hc_drf *d, uint32_t user)
{
  return d->share[user];
}

static bool fits(uint32_t dims, const int64_t *need, const int64_t *free)
{
  for (uint32_t r = 0; r < dims; r++)
    if (need[r] > free[r]) return false;
  return true;
}

size_t hc_drf_fill(hc_drf *d, int64_t *free, const int64_t *demand, int64_t *left, bool is_blocking,
                   uint32_t *sequence, size_t cap)
{
  size_t n = 0;
  for (uint32_t i = 0; i < d->users; i++) hc_drf_wait(d, i, left[i] > 0);
  for (uint32_t i; (i = hc_drf_next(d)) != HC_NOBODY;) {
    const int64_t *need = demand + (size_t)i * d->dims;
    if (!fits(d->dims, need, free)) {
      if (is_blocking) break;
      hc_drf_skip(d, i);
      continue;
    }
    for (uint32_t r = 0; r < d->dims; r++) free[r] -= need[r];
    if (--left[i] == 0) hc_drf_wait(d, i, false);
    hc_drf_start(d, i, need);
    if (sequence && n < cap) sequence[n] = i;
    n++;
  }
  hc_drf_again(d);
  return n;
}

/* ---- DRFH ---- */

uint32_t hc_drfh_first_fit(uint32_t dims, const int64_t *need, const int64_t *free, uint32_t servers)
{
  for (uint32_t s = 0; s < servers; s++)
    if (fits(dims, need, free + (size_t)s * dims)) return s;
  return HC_NOBODY;
}

uint32_t hc_drfh_best_fit(uint32_t dims, const int64_t *need, const int64_t *free, uint32_t servers)
{
  uint32_t best = HC_NOBODY, one = 0;
  double least = 0;
  while (one < dims && need[one] <= 0) one++;
  if (one == dims) return hc_drfh_first_fit(dims, need, free, servers);
  for (uint32_t s = 0; s < servers; s++) {
    const int64_t *f = free + (size_t)s * dims;
    double apart = 0;
    if (!fits(dims, need, f)) continue;
    for (uint32_t r = 0; r < dims; r++) {
      double x = (double)need[r] / (double)need[one] - (double)f[r] / (double)f[one];
      apart += x < 0 ? -x : x;
    }
    if (best != HC_NOBODY && !(apart < least)) continue;
    best = s;
    least = apart;
  }
  return best;
}
