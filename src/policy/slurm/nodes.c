/* nodes.c -- which nodes a job gets: runs of consecutive nodes, the tightest first.
 *
 * Usable nodes form runs: nodes that follow each other in slurm.conf and have one weight. Of the runs that
 * are left the best is taken, until the job has enough: a lower weight is better, then one that suffices,
 * then of those that suffice the one with the fewest processors, of others the one with the most; the first
 * of equals. If what is missing goes on one node of it, that is the node with the fewest free processors
 * which suffice; else nodes are taken from the left, each as far as it goes, with one processor left for
 * each further node that the job must have. If that needs more nodes than the job may have, nodes with few
 * free processors are left out, and more and more of them.
 *
 * Processors are counted in slots of the job: a node of 8 free cores and room in memory for 3 slots is a node
 * of 3. Does not model: required nodes, sockets and threads, --contiguous, topology (place: compact is near
 * it). Source: select/cons_tres of Slurm 22.05, as it behaves. */
#include "policy/slurm/nodes.h"

#include "base/sort.h"
#include "base/util.h"

struct hc_slurm_run {
  size_t first, end; /* of the rooms */
  uint64_t slots;
  int64_t weight;
  bool is_used;
};

hc_rc hc_slurm_choice_init(hc_slurm_choice *c, const hc_allocator *a, uint32_t nodes)
{
  *c = (hc_slurm_choice){.rooms = hc_alloc(a, nodes * sizeof *c->rooms),
                         .runs = hc_alloc(a, nodes * sizeof *c->runs),
                         .dealt = hc_alloc(a, nodes * sizeof *c->dealt)};
  return c->rooms && c->runs && c->dealt ? 0 : HC_ENOMEM;
}

void hc_slurm_choice_fini(hc_slurm_choice *c, const hc_allocator *a, uint32_t nodes)
{
  hc_free(a, c->rooms, nodes * sizeof *c->rooms);
  hc_free(a, c->runs, nodes * sizeof *c->runs);
  hc_free(a, c->dealt, nodes * sizeof *c->dealt);
}

/* ---- rooms ---- */

static bool has_bit(const uint64_t *bits, uint32_t i)
{
  return bits[i / 64] >> i % 64 & 1;
}

/* How many slots of the job a node has room for, also beyond those that it wants. */
static uint32_t room_on(const hc_slurm_nodes *n, const hc_slurm_ask *ask, const int64_t *free)
{
  int64_t room = UINT32_MAX;
  for (uint32_t d = 0; d < n->dims && room > 0; d++) {
    const int64_t need = n->shared[d] ? 0 : ask->need[d];
    if (need > 0) room = free[d] < need ? 0 : HC_MIN(room, free[d] / need);
  }
  return ask->is_spread ? room > 0 : (uint32_t)room;
}

/* Of a job of one node alone a node has room for all or for nothing. @return how many nodes have room */
static size_t list_rooms(const hc_slurm_nodes *n, const hc_slurm_ask *ask, const int64_t *free,
                         const uint64_t *idle, const uint64_t *mask, hc_host_room *out)
{
  const uint32_t least = ask->most == 1 && !ask->is_spread ? ask->slots : 1;
  size_t count = 0;
  for (uint32_t w = 0; w < (n->count + 63) / 64; w++) {
    for (uint64_t bits = mask[w]; bits != 0; bits &= bits - 1) {
      const uint32_t host = w * 64 + (uint32_t)__builtin_ctzll(bits);
      const uint32_t room =
          ask->is_whole ? has_bit(idle, host) : room_on(n, ask, free + (size_t)host * n->dims);
      if (room >= least) out[count++] = (hc_host_room){host, room};
    }
  }
  return count;
}

/* ---- runs ---- */

static size_t list_runs(const hc_slurm_nodes *n, const hc_slurm_choice *c, size_t rooms, uint32_t above)
{
  size_t count = 0;
  bool is_open = false;
  for (size_t i = 0; i < rooms; i++) {
    const hc_host_room *x = &c->rooms[i];
    hc_slurm_run *last = is_open ? &c->runs[count - 1] : NULL;
    if (x->slots <= above) {
      is_open = false;
      continue;
    }
    if (last && c->rooms[i - 1].host + 1 == x->host && last->weight == n->weight[x->host]) {
      last->end = i + 1;
      last->slots += x->slots;
    } else {
      c->runs[count++] = (hc_slurm_run){i, i + 1, x->slots, n->weight[x->host], false};
    }
    is_open = true;
  }
  return count;
}

/* What a job still lacks. */
typedef struct rest {
  int64_t slots, nodes; /* nodes: at least, may be negative */
  int64_t may;          /* nodes at most */
} rest;

static bool suffices(const hc_slurm_run *r, const rest *left)
{
  return (int64_t)r->slots >= left->slots && (int64_t)(r->end - r->first) >= left->nodes;
}

static bool is_better(const hc_slurm_run *a, const hc_slurm_run *b, const rest *left)
{
  const bool one = suffices(a, left), other = suffices(b, left);
  if (a->weight != b->weight) return a->weight < b->weight;
  if (one != other) return one;
  return one ? a->slots < b->slots : a->slots > b->slots;
}

static hc_slurm_run *best_run(const hc_slurm_choice *c, size_t count, const rest *left)
{
  hc_slurm_run *best = NULL;
  for (size_t i = 0; i < count; i++) {
    hc_slurm_run *r = &c->runs[i];
    if (!r->is_used && (!best || is_better(r, best, left))) best = r;
  }
  return best;
}

static void deal(hc_slurm_choice *c, const hc_host_room *room, int64_t slots, rest *left)
{
  c->dealt[c->dealt_count++] = (hc_host_room){room->host, (uint32_t)slots};
  left->slots -= slots;
  left->nodes--;
  left->may--;
}

/* The node with the fewest free processors that suffice. @return false: none does */
static bool deal_one(hc_slurm_choice *c, const hc_slurm_run *r, rest *left)
{
  const hc_host_room *best = NULL;
  for (size_t i = r->first; i < r->end; i++) {
    const hc_host_room *x = &c->rooms[i];
    if ((int64_t)x->slots >= left->slots && (!best || x->slots < best->slots)) best = x;
  }
  if (best) deal(c, best, left->slots, left);
  return best != NULL;
}

static bool is_done(const rest *left)
{
  return left->slots <= 0 && left->nodes <= 0;
}

static void deal_run(hc_slurm_choice *c, const hc_slurm_run *r, rest *left)
{
  if (left->nodes <= 1 && left->may >= 1 && deal_one(c, r, left)) return;
  for (size_t i = r->first; i < r->end && left->may > 0 && !is_done(left); i++) {
    const int64_t kept = HC_MAX(left->nodes - 1, 0);
    deal(c, &c->rooms[i], HC_MIN((int64_t)c->rooms[i].slots, HC_MAX(left->slots - kept, 1)), left);
  }
}

static bool attempt(const hc_slurm_nodes *n, const hc_slurm_ask *ask, hc_slurm_choice *c, size_t rooms,
                    uint32_t above)
{
  const size_t runs = list_runs(n, c, rooms, above);
  rest left = {ask->slots, HC_MAX(ask->least, 1), ask->most > 0 ? ask->most : INT64_MAX};
  c->dealt_count = 0;
  while (!is_done(&left) && left.may > 0) {
    hc_slurm_run *r = best_run(c, runs, &left);
    if (!r) return false;
    r->is_used = true;
    deal_run(c, r, &left);
  }
  return is_done(&left);
}

HC_SORT(sort_dealt, hc_host_room, a->host < b->host)

bool hc_slurm_choose(const hc_slurm_nodes *n, const hc_slurm_ask *ask, const int64_t *free,
                     const uint64_t *idle, const uint64_t *mask, hc_slurm_choice *c)
{
  const size_t rooms = list_rooms(n, ask, free, idle, mask, c->rooms);
  const uint32_t least = ask->is_spread || ask->is_whole ? ask->slots : HC_MAX(ask->least, 1);
  hc_slurm_ask whole = *ask;
  uint64_t sum = 0;
  uint32_t widest = 0;
  bool fits = false;
  for (size_t i = 0; i < rooms; i++) {
    sum += c->rooms[i].slots;
    widest = HC_MAX(widest, c->rooms[i].slots);
  }
  whole.least = least;
  if (sum < ask->slots || rooms < least || ask->slots < least) return false;
  for (uint32_t above = 0; above < widest && !fits; above++) fits = attempt(n, &whole, c, rooms, above);
  if (fits) sort_dealt(c->dealt, c->dealt_count);
  return fits;
}
