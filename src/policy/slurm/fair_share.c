/* fair_share.c -- factors of fair share from usage and shares: see usage.h. */
#include <string.h>

#include "base/math.h"
#include "base/sort.h"
#include "base/util.h"
#include "policy/slurm/usage.h"

#define INFINITE_LEVEL 1.7e308

/* ---- shares ---- */

/* Where its usage and its shares are measured: the first above that has shares of its own. */
static uint32_t fair_parent(const hc_slurm_assocs *b, uint32_t x)
{
  uint32_t up = b->items[x].parent;
  while (up != HC_SLURM_NONE && b->items[up].parent != HC_SLURM_NONE &&
         b->items[up].shares == HC_SLURM_PARENT_SHARES)
    up = b->items[up].parent;
  return up;
}

static double part_of_level(const hc_slurm_usage *u, uint32_t x)
{
  if (u->level_shares[x] == 0) return 0;
  return (double)u->b->items[x].shares / (double)u->level_shares[x];
}

/* Of its level alone, by which the tree sorts. What has its parent's shares has its parent's part. */
static double tree_shares(const hc_slurm_usage *u, uint32_t x)
{
  if (u->b->items[x].parent == HC_SLURM_NONE) return 0;
  if (u->b->items[x].shares != HC_SLURM_PARENT_SHARES) return part_of_level(u, x);
  const uint32_t up = u->fair_parent[x];
  return u->b->items[up].parent == HC_SLURM_NONE ? 0 : part_of_level(u, up);
}

/* Of everything. Parents come before children. */
static double all_shares(const hc_slurm_usage *u, uint32_t x)
{
  const hc_slurm_assoc *a = &u->b->items[x];
  if (a->parent == HC_SLURM_NONE) return 1;
  if (a->shares == HC_SLURM_PARENT_SHARES) return u->standing[u->fair_parent[x]].norm_shares;
  return part_of_level(u, x) * u->standing[a->parent].norm_shares;
}

void hc_slurm_fair_begin(hc_slurm_usage *u)
{
  int64_t *below = u->level_shares; /* first: sums of shares below each */
  for (uint32_t x = 0; x < u->b->count; x++) {
    u->fair_parent[x] = fair_parent(u->b, x);
    if (x > 0 && u->b->items[x].shares != HC_SLURM_PARENT_SHARES)
      below[u->fair_parent[x]] += u->b->items[x].shares;
  }
  for (uint32_t x = (uint32_t)u->b->count; x-- > 1;) below[x] = below[u->fair_parent[x]];
  below[0] = 0;
  for (uint32_t x = 0; x < u->b->count; x++)
    u->standing[x].norm_shares = u->o.sharing == HC_SLURM_FAIR_TREE ? tree_shares(u, x) : all_shares(u, x);
  u->standing[0].effective = 1;
}

/* ---- the tree ---- */

/* Whether siblings are in order: the larger LF first, and users before accounts of the same. */
static bool goes_before(const hc_slurm_usage *u, uint32_t a, uint32_t b)
{
  const double x = u->standing[a].level, y = u->standing[b].level;
  if (x != y) return x > y;
  return u->b->items[a].user && !u->b->items[b].user;
}

HC_SORT_OF(sort_siblings, uint32_t, goes_before(of, *a, *b) || (!goes_before(of, *b, *a) && *a > *b))

static double level_of(const hc_slurm_usage *u, uint32_t x)
{
  const hc_slurm_standing *s = &u->standing[x];
  if (u->b->items[x].shares == HC_SLURM_PARENT_SHARES) return INFINITE_LEVEL;
  if (s->norm_shares == 0) return 0;
  return s->effective == 0 ? INFINITE_LEVEL : s->norm_shares / s->effective;
}

static void stand(hc_slurm_usage *u, uint32_t x)
{
  hc_slurm_standing *s = &u->standing[x];
  const double above = u->used[u->fair_parent[x]].raw;
  s->effective = above == 0 ? 0 : u->used[x].raw / above;
  s->level = level_of(u, x);
}

/* A place in the walk through the tree. */
typedef struct walk {
  hc_slurm_usage *u;
  uint32_t rank, next; /* of the last user, and what it would be without ties */
} walk;

/* Put siblings below `up` in `out`: accounts without shares of their own are no siblings, what is in them
 * is.
 * @return how many */
static size_t siblings(const hc_slurm_usage *u, uint32_t up, uint32_t *out)
{
  size_t n = 0;
  for (uint32_t x = u->b->items[up].first_child; x != HC_SLURM_NONE; x = u->b->items[x].next) {
    const hc_slurm_assoc *a = &u->b->items[x];
    if (!a->user && a->shares == HC_SLURM_PARENT_SHARES) n += siblings(u, x, out + n);
    else out[n++] = x;
  }
  return n;
}

static void rank_user(walk *w, uint32_t x, bool is_tied)
{
  if (!is_tied) w->rank = w->next;
  w->u->standing[x].factor = (double)w->rank / (double)w->u->b->user_count;
  w->next--;
}

/* All below `up`, whose siblings lie in `room`; those below them lie behind it. The depth is bounded. */
static void walk_level(walk *w, uint32_t up, uint32_t *room, bool is_tied)
{
  hc_slurm_usage *u = w->u;
  const size_t n = siblings(u, up, room);
  for (size_t i = 0; i < n; i++) stand(u, room[i]);
  sort_siblings(room, n, u);
  for (size_t i = 0; i < n; i++) {
    const bool tied = i == 0 ? is_tied : u->standing[room[i]].level == u->standing[room[i - 1]].level;
    if (u->b->items[room[i]].user) rank_user(w, room[i], tied);
    else walk_level(w, room[i], room + n, tied);
  }
}

void hc_slurm_fair_tree(hc_slurm_usage *u)
{
  walk w = {u, u->b->user_count, u->b->user_count};
  walk_level(&w, 0, u->scratch, false);
}

/* ---- classic ---- */

static double norm_usage(const hc_slurm_usage *u, uint32_t x)
{
  const double all = u->used[0].raw;
  return all == 0 ? 0 : HC_MIN(u->used[x].raw / all, 1.0);
}

/* Its ratio of usage to shares among its siblings, weighed by that of what is above. */
static double oblivious(const hc_slurm_usage *u, uint32_t x)
{
  const uint32_t up = u->fair_parent[x];
  const hc_slurm_standing *s = &u->standing[x], *above = &u->standing[up];
  const double mine = norm_usage(u, x);
  double k = 1;
  if (s->norm_shares == 0 || above->norm_shares == 0 || above->effective == 0 || mine == 0) return mine;
  const double around = u->level_used[up] / u->used[0].raw;
  const double parent = above->effective / above->norm_shares;
  const double local = mine / s->norm_shares / (around / above->norm_shares);
  const double a = hc_log(parent), b = hc_log(local);
  if (a * b < 0) k = 1 / (1 + 25 * a * a);
  return parent * hc_pow(local, k) * s->norm_shares;
}

static double effective(const hc_slurm_usage *u, uint32_t x)
{
  const uint32_t up = u->fair_parent[x];
  const double mine = norm_usage(u, x), above = u->standing[up].effective;
  if (up == 0) return mine;
  if (u->b->items[x].shares == HC_SLURM_PARENT_SHARES) return above;
  if (u->o.sharing == HC_SLURM_DEPTH_OBLIVIOUS) return oblivious(u, x);
  if (u->level_shares[x] == 0) return above;
  return mine + (above - mine) * (double)u->b->items[x].shares / (double)u->level_shares[x];
}

/* Usage of those with shares of their own, by what is above them. */
static void sum_levels(hc_slurm_usage *u)
{
  memset(u->level_used, 0, u->b->count * sizeof *u->level_used);
  for (uint32_t x = 1; x < u->b->count; x++)
    if (u->b->items[x].shares != HC_SLURM_PARENT_SHARES) u->level_used[u->fair_parent[x]] += u->used[x].raw;
}

void hc_slurm_fair_accounts(hc_slurm_usage *u)
{
  sum_levels(u);
  for (uint32_t x = 1; x < u->b->count; x++)
    if (!u->b->items[x].user) u->standing[x].effective = effective(u, x);
}

void hc_slurm_fair_users(hc_slurm_usage *u)
{
  const double damping = (double)HC_MAX(u->o.damping, INT64_C(1));
  sum_levels(u);
  for (uint32_t x = 1; x < u->b->count; x++) {
    hc_slurm_standing *s = &u->standing[x];
    if (!u->b->items[x].user) continue;
    const uint32_t of = u->b->items[x].shares == HC_SLURM_PARENT_SHARES ? u->fair_parent[x] : x;
    s->effective = effective(u, x);
    s->factor = u->standing[of].norm_shares <= 0
                    ? 0
                    : hc_pow(2, -(u->standing[of].effective / u->standing[of].norm_shares) / damping);
  }
}
