/* tree.c -- H-DRF: DRF over groups of users, and groups of groups.
 *
 * From the root to the member with the least share that is not blocked, until a user is reached. The sum of
 * its members' usage is a bad measure of a group: where one member can use nothing but GPUs and they are
 * gone, its share stays high, and a sibling that needs CPUs is never served again. So each member's usage is
 * scaled to the least share m of those that are not blocked, before it is summed.
 *
 * Scaled usage is m x (usage / share), so a group is m times the sum of its members' *directions*, and its
 * own direction does not depend on m at all: no member's change touches its siblings. Each group keeps one
 * binary tree over its members with the winner and the sum of directions of every node; a start replays one
 * path of each group above it. Sums are always of the same pairs, so they depend on what is held only. A
 * group of which all members are blocked keeps its direction; its share is 0 if nothing is used, and m is not
 * asked for.
 *
 * Source: Bhattacharya et al., Hierarchical scheduling for diverse datacenter workloads, SoCC 2013,
 * doi:10.1145/2523616.2523637 (from memory). */
#include <string.h>

#include "base/mem.h"
#include "base/util.h"
#include "policy/share/choose.h"

static size_t row(const hc_hdrf *h, size_t i)
{
  return i * h->dims;
}

static hc_rc allocate(hc_hdrf *h, const hc_allocator *a)
{
  size_t n = h->nodes, cells = n * h->dims;
  h->parent = hc_alloc(a, n * sizeof *h->parent);
  h->place = hc_alloc(a, n * sizeof *h->place);
  h->first = hc_alloc(a, n * sizeof *h->first);
  h->leaves = hc_alloc(a, n * sizeof *h->leaves);
  h->weight = hc_alloc(a, n * sizeof *h->weight);
  h->share = hc_alloc(a, n * sizeof *h->share);
  h->blocked = hc_alloc(a, n * sizeof *h->blocked);
  h->used = hc_alloc(a, cells * sizeof *h->used);
  h->vector = hc_alloc(a, cells * sizeof *h->vector);
  h->direction = hc_alloc(a, cells * sizeof *h->direction);
  return h->parent && h->place && h->first && h->leaves && h->weight && h->share && h->blocked && h->used &&
                 h->vector && h->direction
             ? 0
             : HC_ENOMEM;
}

void hc_hdrf_fini(hc_hdrf *h)
{
  const hc_allocator *a = h->allocator;
  size_t n = h->nodes, cells = n * h->dims;
  hc_free(a, h->parent, n * sizeof *h->parent);
  hc_free(a, h->place, n * sizeof *h->place);
  hc_free(a, h->first, n * sizeof *h->first);
  hc_free(a, h->leaves, n * sizeof *h->leaves);
  hc_free(a, h->weight, n * sizeof *h->weight);
  hc_free(a, h->share, n * sizeof *h->share);
  hc_free(a, h->blocked, n * sizeof *h->blocked);
  hc_free(a, h->used, cells * sizeof *h->used);
  hc_free(a, h->vector, cells * sizeof *h->vector);
  hc_free(a, h->direction, cells * sizeof *h->direction);
  hc_free(a, h->winner, h->places * sizeof *h->winner);
  hc_free(a, h->sum, h->places * h->dims * sizeof *h->sum);
  *h = (hc_hdrf){0};
}

/* How many members each has, then room for a binary tree over them. */
static hc_rc lay_out(hc_hdrf *h, const hc_allocator *a)
{
  for (uint32_t i = 1; i < h->nodes; i++) h->place[i] = h->leaves[h->parent[i]]++;
  for (uint32_t i = 0; i < h->nodes; i++) {
    uint32_t members = h->leaves[i], n = 1;
    if (members == 0) continue;
    while (n < members) n *= 2;
    h->leaves[i] = n;
    h->first[i] = (uint32_t)h->places;
    h->places += 2 * (size_t)n;
  }
  h->winner = hc_alloc(a, h->places * sizeof *h->winner);
  h->sum = hc_alloc(a, h->places * h->dims * sizeof *h->sum);
  if (!h->winner || !h->sum) return HC_ENOMEM;
  for (size_t k = 0; k < h->places; k++) h->winner[k] = HC_NOBODY;
  return 0;
}

hc_rc hc_hdrf_init(hc_hdrf *h, const hc_allocator *a, uint32_t nodes, const uint32_t *parent,
                   const double *weight, uint32_t dims, const int64_t *capacity, hc_hdrf_rule rule,
                   hc_error *e)
{
  *h = (hc_hdrf){.allocator = a, .nodes = nodes, .dims = dims, .rule = rule};
  if (nodes == 0 || nodes > UINT32_MAX / 8 || dims == 0 || dims > HC_DIMENSIONS)
    return hc_fail(e, HC_EINPUT, "H-DRF", 0, 0,
                   "%u nodes, %u dimensions: there must be a root and 1 to %d "
                   "dimensions",
                   nodes, dims, HC_DIMENSIONS);
  for (uint32_t i = 0; i < nodes; i++) {
    if (i > 0 && parent[i] >= i)
      return hc_fail(e, HC_EINPUT, "H-DRF", 0, 0, "node %u has parent %u: list parents before their children",
                     i, parent[i]);
    if (weight && !(weight[i] > 0))
      return hc_fail(e, HC_EINPUT, "H-DRF", 0, 0, "the weight of node %u is %g: give one above 0", i,
                     weight[i]);
  }
  if (allocate(h, a) < 0) goto memory;
  memcpy(h->capacity, capacity, dims * sizeof *capacity);
  for (uint32_t i = 0; i < nodes; i++) {
    h->parent[i] = i ? parent[i] : 0;
    h->weight[i] = weight ? weight[i] : 1;
    h->blocked[i] = true;
  }
  if (lay_out(h, a) < 0) goto memory;
  return 0;
memory:
  hc_hdrf_fini(h);
  return hc_fail(e, HC_ENOMEM, "H-DRF", 0, 0, "no memory for %u nodes", nodes);
}

/* ---- one path up ---- */

/* Share and direction of a node from its vector. */
static void measure(hc_hdrf *h, uint32_t i)
{
  const double *v = h->vector + row(h, i);
  double *direction = h->direction + row(h, i), most = 0;
  for (uint32_t r = 0; r < h->dims; r++) most = HC_MAX(most, v[r]);
  for (uint32_t r = 0; r < h->dims; r++) direction[r] = most > 0 ? v[r] * h->weight[i] / most : 0;
  h->share[i] = most / h->weight[i];
}

static void leaf_changed(hc_hdrf *h, uint32_t leaf)
{
  const int64_t *used = h->used + row(h, leaf);
  double *v = h->vector + row(h, leaf);
  for (uint32_t r = 0; r < h->dims; r++)
    v[r] = h->capacity[r] > 0 ? (double)used[r] / (double)h->capacity[r] : 0;
  measure(h, leaf);
}

static uint32_t match(const hc_hdrf *h, uint32_t left, uint32_t right)
{
  if (left == HC_NOBODY) return right;
  return right == HC_NOBODY || h->share[left] <= h->share[right] ? left : right;
}

/* Member `i` of its parent is blocked, or is not any more, or has another share: replay the matches there.
 * @return whether another member, or the same with another share, has won. */
static bool replay_matches(hc_hdrf *h, uint32_t i)
{
  uint32_t p = h->parent[i], k = h->leaves[p] + h->place[i];
  uint32_t *winner = h->winner + h->first[p];
  winner[k] = h->blocked[i] ? HC_NOBODY : i;
  while (k /= 2) {
    const uint32_t before = winner[k];
    winner[k] = match(h, winner[2 * k], winner[2 * k + 1]);
    if (winner[k] == before && before != i) return false; /* above here nothing changes */
  }
  return true;
}

/* Its vector is another: sum up its path there. What the root uses is never asked. */
static void replay_sums(hc_hdrf *h, uint32_t i)
{
  uint32_t p = h->parent[i], k = h->leaves[p] + h->place[i];
  double *sum = h->sum + row(h, h->first[p]);
  if (p == 0) return;
  memcpy(sum + row(h, k), (h->rule == HC_HDRF_NAIVE ? h->vector : h->direction) + row(h, i),
         h->dims * sizeof *sum);
  while (k /= 2) {
    const double *left = sum + row(h, 2 * (size_t)k), *right = left + h->dims;
    for (uint32_t r = 0; r < h->dims; r++) sum[row(h, k) + r] = left[r] + right[r];
  }
}

/* What a group counts as using, from its members. */
static void regroup(hc_hdrf *h, uint32_t p)
{
  const double *sum = h->sum + row(h, (size_t)h->first[p] + 1);
  uint32_t winner = h->winner[h->first[p] + 1];
  double *v = h->vector + row(h, p);
  memcpy(v, sum, h->dims * sizeof *v);
  h->blocked[p] = winner == HC_NOBODY;
  measure(h, p);
  if (h->rule == HC_HDRF_NAIVE || winner == HC_NOBODY) return;
  for (uint32_t r = 0; r < h->dims; r++) v[r] *= h->share[winner];
  h->share[p] *= h->share[winner];
}

/* `i` has changed: its vector too, or only whether it is blocked. What a pool counts as having is its
 * direction times the share of its winner, and its direction does not depend on who is blocked; so it is
 * another only if the winner, or its share, is. */
static void climb(hc_hdrf *h, uint32_t i, bool has_moved)
{
  while (i > 0) {
    const bool is_won = replay_matches(h, i);
    if (has_moved) replay_sums(h, i);
    else if (!is_won) return;
    i = h->parent[i];
    if (i == 0) return;
    regroup(h, i);
    has_moved = true;
  }
}

double hc_hdrf_base(const hc_hdrf *h, uint32_t group)
{
  const double *sum = h->sum + row(h, (size_t)h->first[group] + 1);
  double most = 0;
  for (uint32_t r = 0; r < h->dims; r++) most = HC_MAX(most, sum[r]);
  return most / h->weight[group];
}

void hc_hdrf_block(hc_hdrf *h, uint32_t leaf, bool is_blocked)
{
  if (h->blocked[leaf] == is_blocked) return;
  h->blocked[leaf] = is_blocked;
  climb(h, leaf, false);
}

uint32_t hc_hdrf_next(const hc_hdrf *h)
{
  uint32_t i = 0;
  while (h->leaves[i] > 0) {
    i = h->winner[h->first[i] + 1];
    if (i == HC_NOBODY) return HC_NOBODY;
  }
  return h->blocked[i] ? HC_NOBODY : i;
}

static void change(hc_hdrf *h, uint32_t leaf, const int64_t *amount, int64_t sign)
{
  int64_t *used = h->used + row(h, leaf);
  for (uint32_t r = 0; r < h->dims; r++) used[r] += sign * amount[r];
  leaf_changed(h, leaf);
  climb(h, leaf, true);
}

void hc_hdrf_start(hc_hdrf *h, uint32_t leaf, const int64_t *amount)
{
  change(h, leaf, amount, 1);
}

void hc_hdrf_end(hc_hdrf *h, uint32_t leaf, const int64_t *amount)
{
  change(h, leaf, amount, -1);
}
