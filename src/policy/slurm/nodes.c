/* nodes.c -- which nodes a job gets: runs of consecutive nodes, the tightest first.
 *
 * Usable nodes form runs: nodes that follow each other in slurm.conf and have one weight. Of the runs that
 * are left the best is taken, until the job has enough: a lower weight is better, then one that suffices,
 * then of those that suffice the one with the fewest processors, of others the one with the most; the first
 * of equals. If what is missing goes on one node of it, that is the node with the fewest free processors
 * which suffice; else nodes are taken from the left, each as far as it goes, with one processor left for each
 * further node that the job must have. If that needs more nodes than the job may have, nodes with few free
 * processors are left out, and more and more of them.
 *
 * Processors are counted in slots of the job: a node of 8 free cores and room in memory for 3 slots is a node
 * of 3. Does not model: required nodes, sockets and threads, --contiguous. With topology/tree what is taken
 * in which order is tree.c's matter. Source: select/cons_tres of Slurm 22.05, as it behaves. */
#include "policy/slurm/nodes.h"

#include <string.h>

#include "base/util.h"
#include "policy/slurm/bits.h"
#include "policy/slurm/tree.h"

struct hc_slurm_run {
  uint32_t first, end; /* nodes */
  uint64_t slots;      /* 0: it is used up */
  int64_t weight;
};

/* A job that nodes are sought for. */
typedef struct search {
  const hc_slurm_nodes *n;
  const hc_slurm_ask *ask;
  const hc_slurm_room *room;
  const uint64_t *mask;
  hc_slurm_choice *c;
  uint64_t *nodes; /* [words] out, in place of what each is dealt; NULL: that is told */
  uint32_t least;  /* slots that a node must have room for */
  uint32_t dims[HC_DIMENSIONS], dim_count; /* of which nodes have to have something */
} search;

hc_rc hc_slurm_choice_init(hc_slurm_choice *c, const hc_allocator *a, uint32_t nodes)
{
  *c = (hc_slurm_choice){.runs = hc_alloc(a, nodes * sizeof *c->runs),
                         .dealt = hc_alloc(a, nodes * sizeof *c->dealt),
                         .hosts = hc_alloc(a, (nodes + 63) / 64 * sizeof *c->hosts),
                         .slots_on = hc_alloc(a, nodes * sizeof *c->slots_on)};
  return c->runs && c->dealt && c->hosts && c->slots_on ? 0 : HC_ENOMEM;
}

void hc_slurm_choice_fini(hc_slurm_choice *c, const hc_allocator *a, uint32_t nodes)
{
  hc_free(a, c->runs, nodes * sizeof *c->runs);
  hc_free(a, c->dealt, nodes * sizeof *c->dealt);
  hc_free(a, c->hosts, (nodes + 63) / 64 * sizeof *c->hosts);
  hc_free(a, c->slots_on, nodes * sizeof *c->slots_on);
}

/* ---- room ---- */

/* How often `need` goes into `free`, both above 0. Mostly less than twice. */
static int64_t times(int64_t free, int64_t need)
{
  return free < need ? 0 : free - need < need ? 1 : free / need;
}

static const int64_t *free_on(const search *s, uint32_t host)
{
  const hc_slurm_room *r = s->room;
  return (r->others && hc_bit_is(r->others, host) ? r->then : r->free) + (size_t)host * s->n->dims;
}

static inline uint32_t room_in_planes(const hc_slurm_room *r, uint32_t host)
{
  const uint64_t *planes = r->planes + (size_t)(host / 64) * r->digits;
  uint32_t room = 0;
  for (uint32_t i = 0; i < r->digits; i++) room |= (uint32_t)(planes[i] >> host % 64 & 1) << i;
  return room;
}

/* How many slots of the job a node has room for, also beyond those that it wants. */
static inline uint32_t room_on(const search *s, uint32_t host)
{
  int64_t room = UINT32_MAX;
  if (s->room->planes) return room_in_planes(s->room, host);
  if (s->ask->is_whole) return hc_bit_is(s->room->idle, host);
  if (s->ask->is_alone && !hc_bit_is(s->room->idle, host)) return 0;
  const int64_t *free = free_on(s, host);
  for (uint32_t i = 0; i < s->dim_count && room > 0; i++) {
    const uint32_t d = s->dims[i];
    room = HC_MIN(room, times(free[d], s->ask->need[d]));
  }
  if (s->ask->caps && s->ask->need[0] > 0) room = HC_MIN(room, times(s->ask->caps[host], s->ask->need[0]));
  return s->ask->is_spread ? room > 0 : (uint32_t)room;
}

/* Of the nodes of a word those that are like `host`, if any are known to be, so that it says what each has
 * room for: where nothing is on them, or where their room is the same. */
static uint64_t alike_of(const search *s, uint32_t host)
{
  const hc_slurm_room *r = s->room;
  const uint32_t word = host / 64;
  if (!s->n->uniform[word]) return 0;
  if (!r->planes) return r->idle[word];
  const uint64_t *planes = r->planes + (size_t)word * r->digits;
  uint64_t others = 0;
  for (uint32_t i = 0; i < r->digits; i++) others |= planes[i] ^ -(planes[i] >> host % 64 & 1);
  return ~others;
}

/* Both at once, in one look at the planes. */
static uint32_t room_and_alike(const search *s, uint32_t host, uint64_t *alike)
{
  const hc_slurm_room *r = s->room;
  if (!r->planes) {
    *alike = alike_of(s, host);
    return room_on(s, host);
  }
  const uint64_t *planes = r->planes + (size_t)(host / 64) * r->digits;
  uint64_t others = s->n->uniform[host / 64] ? 0 : UINT64_MAX;
  uint32_t room = 0;
  for (uint32_t i = 0; i < r->digits; i++) {
    const uint64_t digit = planes[i] >> host % 64 & 1;
    room |= (uint32_t)digit << i;
    others |= planes[i] ^ -digit;
  }
  *alike = ~others;
  return room;
}

/* Nodes of a word that have room for anything. */
static uint64_t any_of(const search *s, uint32_t word)
{
  const hc_slurm_room *r = s->room;
  if (!r->planes) return s->ask->is_whole || s->ask->is_alone ? r->idle[word] : r->some[word];
  uint64_t any = 0;
  for (uint32_t i = 0; i < r->digits; i++) any |= r->planes[(size_t)word * r->digits + i];
  return any;
}

/* How many bits from `i` on are set. */
static uint32_t stretch(uint64_t bits, uint32_t i)
{
  const uint64_t rest = ~(bits >> i);
  return rest == 0 ? 64 : (uint32_t)__builtin_ctzll(rest);
}

/* ---- runs ---- */

/* Nodes [first, end) have room for so many slots: they go on with the last run, or begin one. */
HC_PART_OF_IT void add_nodes(const search *s, size_t *count, uint32_t first, uint32_t end, uint64_t slots)
{
  hc_slurm_run *last = *count > 0 ? &s->c->runs[*count - 1] : NULL;
  if (!last || last->end != first || last->weight != s->n->weight[first]) {
    last = &s->c->runs[(*count)++];
    *last = (hc_slurm_run){.first = first, .weight = s->n->weight[first]};
  }
  last->end = end;
  last->slots += slots;
}

/* Nodes of a word of one weight that have room: those that follow each other are summed up at once. */
HC_PART_OF_IT void list_digits(const search *s, size_t *count, uint32_t word, uint32_t digits)
{
  const uint64_t *planes = s->room->planes + (size_t)word * digits;
  uint64_t bits = 0;
  for (uint32_t i = 0; i < digits; i++) bits |= planes[i];
  for (bits &= s->mask[word]; bits != 0;) {
    const uint32_t i = (uint32_t)__builtin_ctzll(bits), n = stretch(bits, i), host = word * 64 + i;
    const uint64_t nodes = UINT64_MAX >> (64 - n) << i;
    uint64_t slots = 0;
    for (uint32_t k = 0; k < digits; k++) slots += (uint64_t)hc_bits_of(nodes & planes[k]) << k;
    add_nodes(s, count, host, host + n, slots);
    bits &= ~nodes;
  }
}

HC_PART_OF_IT void list_word(const search *s, size_t *count, uint32_t word)
{
  if (s->mask[word] == 0) return;
  if (s->room->digits == 5) list_digits(s, count, word, 5); /* nodes of 16 to 31 slots: loops are unrolled */
  else list_digits(s, count, word, s->room->digits);
}

/* Of nodes that have room for more than `above`. @param widest  out: the most that one has room for */
HC_COUNTS_BITS static size_t list_runs(const search *s, uint32_t above, uint32_t *widest)
{
  const uint32_t least = HC_MAX(above + 1, s->least);
  size_t count = 0;
  for (uint32_t w = 0; w < (s->n->count + 63) / 64; w++) {
    if (s->room->planes && least == 1 && s->n->uniform[w]) {
      list_word(s, &count, w);
      *widest = UINT32_MAX >> (32 - s->room->digits); /* no more than that */
      continue;
    }
    uint64_t bits = s->mask[w] != 0 ? s->mask[w] & any_of(s, w) : 0;
    while (bits != 0) {
      const uint32_t i = (uint32_t)__builtin_ctzll(bits), host = w * 64 + i;
      uint64_t alike;
      const uint32_t room = room_and_alike(s, host, &alike);
      const uint32_t n = alike >> i & 1 ? stretch(alike & bits, i) : 1;
      *widest = HC_MAX(*widest, room);
      if (room >= least) add_nodes(s, &count, host, host + n, (uint64_t)room * n);
      bits = i + n < 64 ? bits & UINT64_MAX << (i + n) : 0;
    }
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

/* The first of those with the most slots; NULL: none has any. */
static hc_slurm_run *widest_of(hc_slurm_run *runs, size_t count)
{
  uint64_t most = 0;
  hc_slurm_run *widest = NULL;
  for (hc_slurm_run *r = runs; r < runs + count; r++) {
    widest = r->slots > most ? r : widest;
    most = HC_MAX(most, r->slots);
  }
  return widest;
}

/* Where all have one weight. Where it lacks no more than one node each run has as many as it lacks. */
static hc_slurm_run *best_alike(hc_slurm_run *runs, size_t count, const rest *left)
{
  const uint64_t slots = (uint64_t)HC_MAX(left->slots, 1);
  uint64_t least = UINT64_MAX, most = 0;
  hc_slurm_run *tightest = NULL, *widest = NULL;
  if (left->nodes <= 1 && (!(widest = widest_of(runs, count)) || widest->slots < slots)) return widest;
  for (hc_slurm_run *r = runs; r < runs + count; r++) {
    if (r->slots >= slots && (int64_t)(r->end - r->first) >= left->nodes) {
      if (r->slots < least) least = r->slots, tightest = r;
    } else if (r->slots > most) most = r->slots, widest = r;
  }
  return tightest ? tightest : widest;
}

static hc_slurm_run *best_run(const search *s, size_t count, bool alike, const rest *left)
{
  hc_slurm_run *runs = s->c->runs, *best = NULL;
  if (alike) return best_alike(runs, count, left);
  for (hc_slurm_run *r = runs; r < runs + count; r++)
    if (r->slots > 0 && (!best || is_better(r, best, left))) best = r;
  return best;
}

static void deal(const search *s, uint32_t host, int64_t slots, rest *left)
{
  if (s->nodes) hc_bit_put(s->nodes, host, true);
  else s->c->dealt[s->c->dealt_count++] = (hc_host_room){host, (uint32_t)slots};
  left->slots -= slots;
  left->nodes--;
  left->may--;
}

/* Of some nodes of a word those with room for `slots` at least: digits are compared from the highest on. */
static uint64_t sufficing(const uint64_t *planes, uint32_t digits, uint64_t nodes, uint64_t slots)
{
  uint64_t more = 0;
  if (slots >> digits != 0) return 0;
  for (uint32_t i = digits; i-- > 0;) {
    if (slots >> i & 1) nodes &= planes[i];
    else {
      more |= nodes & planes[i];
      nodes &= ~planes[i];
    }
  }
  return more | nodes;
}

/* Of some nodes of a word those with the least room. @param room  out: how much that is */
static uint64_t tightest(const uint64_t *planes, uint32_t digits, uint64_t nodes, int64_t *room)
{
  *room = 0;
  for (uint32_t i = digits; i-- > 0;) {
    if (nodes & ~planes[i]) nodes &= ~planes[i];
    else *room |= INT64_C(1) << i;
  }
  return nodes;
}

/* The first node of a run with the least room that suffices; HC_NO_HOST: none does. */
static uint32_t tightest_in_planes(const search *s, const hc_slurm_run *r, int64_t slots)
{
  const uint32_t digits = s->room->digits;
  uint32_t best = HC_NO_HOST;
  int64_t least = INT64_MAX, room;
  for (uint32_t w = r->first / 64; w <= (r->end - 1) / 64 && least != slots; w++) {
    const uint64_t *planes = s->room->planes + (size_t)w * digits;
    uint64_t nodes = UINT64_MAX;
    if (w == r->first / 64) nodes &= UINT64_MAX << r->first % 64;
    if (w == r->end / 64) nodes &= ~(UINT64_MAX << r->end % 64);
    nodes = sufficing(planes, digits, nodes, (uint64_t)HC_MAX(slots, 0));
    if (nodes != 0) nodes = tightest(planes, digits, nodes, &room);
    if (nodes == 0 || room >= least) continue;
    best = w * 64 + (uint32_t)__builtin_ctzll(nodes);
    least = room;
  }
  return best;
}

/* The same without planes. Of nodes of a word that are alike the first is looked at. */
static uint32_t tightest_of(const search *s, const hc_slurm_run *r, int64_t slots)
{
  uint32_t best = HC_NO_HOST;
  int64_t least = INT64_MAX;
  for (uint32_t host = r->first; host < r->end && least != slots;) {
    const uint64_t alike = alike_of(s, host);
    const int64_t room = room_on(s, host);
    if (room >= slots && room < least) {
      best = host;
      least = room;
    }
    host += alike >> host % 64 & 1 ? stretch(alike, host % 64) : 1;
  }
  return best;
}

/* All that is missing on one node: that with the fewest free processors which suffice. @return false: none
 * does */
static bool deal_one(const search *s, const hc_slurm_run *r, rest *left)
{
  const uint32_t best =
      s->room->planes ? tightest_in_planes(s, r, left->slots) : tightest_of(s, r, left->slots);
  if (best == HC_NO_HOST) return false;
  deal(s, best, left->slots, left);
  return true;
}

/* Nodes [first, end) into the set. */
static void put_nodes(uint64_t *nodes, uint32_t first, uint32_t end)
{
  for (uint32_t next; first < end; first = next) {
    next = HC_MIN((first / 64 + 1) * 64, end);
    nodes[first / 64] |= UINT64_MAX >> (64 - (next - first)) << first % 64;
  }
}

static bool is_done(const rest *left)
{
  return left->slots <= 0 && left->nodes <= 0;
}

/* Of `n` nodes with so much room each those that are dealt all of it, at once. @return how many */
static uint32_t deal_full(const search *s, uint32_t host, uint32_t n, int64_t room, rest *left)
{
  int64_t full = room == 1 ? HC_MAX(left->slots, left->nodes) : left->nodes <= 1 ? left->slots / room : 0;
  full = HC_MAX(HC_MIN(HC_MIN(full, (int64_t)n), left->may), 0);
  if (full > 0 && full == left->may && left->slots - (full - 1) * room > room) full--; /* see deal_run */
  hc_host_room *dealt = s->c->dealt + s->c->dealt_count;
  if (s->nodes) put_nodes(s->nodes, host, host + (uint32_t)full);
  for (uint32_t i = 0; i < (uint32_t)full && !s->nodes; i++)
    dealt[i] = (hc_host_room){host + i, (uint32_t)room};
  if (!s->nodes) s->c->dealt_count += (size_t)full;
  left->slots -= full * room;
  left->nodes -= full;
  left->may -= full;
  return (uint32_t)full;
}

/* From the first node of the run on. Of one that would be the last that the job may have, and is not enough,
 * nothing is taken: one behind it may be. */
static void deal_run(const search *s, const hc_slurm_run *r, rest *left)
{
  const bool is_enough = (int64_t)r->slots >= left->slots;
  if (left->nodes <= 1 && left->may >= 1 && is_enough && deal_one(s, r, left)) return;
  if (s->nodes && left->nodes <= 1 && s->ask->most == 0 && !is_enough) { /* it is dealt whole */
    put_nodes(s->nodes, r->first, r->end);
    left->slots -= (int64_t)r->slots;
    left->nodes -= r->end - r->first;
    return;
  }
  for (uint32_t host = r->first; host < r->end && left->may > 0 && !is_done(left);) {
    uint64_t alike;
    const int64_t room = room_and_alike(s, host, &alike);
    const uint32_t n = alike >> host % 64 & 1 ? HC_MIN(stretch(alike, host % 64), r->end - host) : 1;
    const uint32_t end = host + n;
    for (host += deal_full(s, host, n, room, left); host < end && left->may > 0 && !is_done(left); host++) {
      const int64_t kept = HC_MAX(left->nodes - 1, 0);
      if (left->may == 1 && room < left->slots) {
        host = end; /* all of these are alike */
        break;
      }
      deal(s, host, HC_MIN(room, HC_MAX(left->slots - kept, 1)), left);
    }
  }
}

/* As above, under few switches. */
static int deal_tree(const search *s, size_t runs, const rest *left)
{
  hc_slurm_tree *t = s->n->tree;
  t->usable_count = 0;
  for (size_t i = 0; i < runs; i++)
    for (uint32_t host = s->c->runs[i].first; host < s->c->runs[i].end; host++)
      t->usable[t->usable_count++] = (hc_host_room){host, room_on(s, host)};
  return hc_slurm_tree_deal(t, s->n->weight, left->slots, left->nodes, left->may, s->ask->most_leaves,
                            s->c->dealt, &s->c->dealt_count);
}

/* Cores that are free on a node, and how many it has: those of one that the job takes whole are all free. */
static bool is_less_loaded(const search *s, uint32_t a, uint32_t b)
{
  const int64_t *all = s->n->capacity;
  const size_t i = (size_t)a * s->n->dims, k = (size_t)b * s->n->dims;
  if (s->ask->is_whole) return false;
  return free_on(s, a)[0] * all[k] > free_on(s, b)[0] * all[i];
}

/* Of the nodes of the lowest weight that has any left the one with the greatest share of its cores free,
 * the first of equals. */
static uint32_t least_loaded(const search *s, size_t runs)
{
  uint32_t best = HC_NO_HOST;
  for (size_t i = 0; i < runs; i++) {
    const hc_slurm_run *r = &s->c->runs[i];
    if (best != HC_NO_HOST && r->weight > s->n->weight[best]) continue;
    for (uint32_t host = r->first; host < r->end; host++) {
      if (hc_bit_is(s->c->hosts, host)) continue;
      if (best == HC_NO_HOST || r->weight < s->n->weight[best] || is_less_loaded(s, host, best)) best = host;
    }
  }
  return best;
}

/* CR_LLN, or LLN of the partition: node by node, in no runs. */
static int deal_least_loaded(const search *s, size_t runs, rest *left)
{
  while (!is_done(left) && left->may > 0) {
    const uint32_t host = least_loaded(s, runs);
    if (host == HC_NO_HOST) break;
    const int64_t kept = HC_MAX(left->nodes - 1, 0);
    hc_bit_put(s->c->hosts, host, true);
    deal(s, host, HC_MIN((int64_t)room_on(s, host), HC_MAX(left->slots - kept, 1)), left);
  }
  for (size_t i = 0; i < s->c->dealt_count; i++) hc_bit_put(s->c->hosts, s->c->dealt[i].host, false);
  return is_done(left);
}

/* @return 1: it is dealt; 0: not with these nodes; -1: with no fewer of them */
static int attempt(const search *s, uint32_t above, uint32_t *widest)
{
  const hc_slurm_ask *ask = s->ask;
  const int64_t least = ask->is_spread || ask->is_whole ? ask->slots : HC_MAX(ask->least, 1);
  rest left = {ask->slots, least, ask->most > 0 ? ask->most : INT64_MAX};
  const size_t runs = list_runs(s, above, widest);
  uint64_t slots = 0, nodes = 0;
  bool alike = true;
  for (size_t i = 0; i < runs; i++) {
    slots += s->c->runs[i].slots;
    nodes += s->c->runs[i].end - s->c->runs[i].first;
    alike = alike && s->c->runs[i].weight == s->c->runs[0].weight;
  }
  if (slots < ask->slots || (int64_t)nodes < least || ask->slots < least) return -1;
  s->c->dealt_count = 0;
  if (s->nodes) memset(s->nodes, 0, (s->n->count + 63) / 64 * sizeof *s->nodes);
  if (ask->is_least_loaded) return deal_least_loaded(s, runs, &left);
  if (s->n->tree && !ask->is_flat) return deal_tree(s, runs, &left);
  while (!is_done(&left) && left.may > 0) {
    hc_slurm_run *r = best_run(s, runs, alike, &left);
    if (!r) return 0;
    deal_run(s, r, &left);
    r->slots = 0;
  }
  return is_done(&left);
}

/* @param nodes  [words] out, in place of what each is dealt, where nodes lie in a row; NULL: that is told */
static bool choose(const hc_slurm_nodes *n, const hc_slurm_ask *ask, const hc_slurm_room *room,
                   const uint64_t *mask, hc_slurm_choice *c, uint64_t *nodes)
{
  const bool is_alone = ask->most == 1 && !ask->is_spread && !ask->is_whole; /* all on one node, or nothing */
  search s = {.n = n,
              .ask = ask,
              .room = room,
              .mask = mask,
              .c = c,
              .nodes = nodes,
              .least = is_alone ? ask->slots : 1};
  uint32_t widest = 1;
  int rc = 0;
  if (!ask->is_whole && !n->shared[0] && ask->need[0] > 0 && ask->need[0] > room->sum / ask->slots)
    return false;
  for (uint32_t d = 0; d < n->dims && !ask->is_whole; d++)
    if (!n->shared[d] && ask->need[d] > 0) s.dims[s.dim_count++] = d;
  for (uint32_t above = 0; above < widest && rc == 0; above++) rc = attempt(&s, above, &widest);
  return rc > 0;
}

bool hc_slurm_choose(const hc_slurm_nodes *n, const hc_slurm_ask *ask, const hc_slurm_room *room,
                     const uint64_t *mask, hc_slurm_choice *c)
{
  return choose(n, ask, room, mask, c, NULL);
}

bool hc_slurm_choose_nodes(const hc_slurm_nodes *n, const hc_slurm_ask *ask, const hc_slurm_room *room,
                           const uint64_t *mask, hc_slurm_choice *c, uint64_t *nodes)
{
  const bool is_row = !ask->is_least_loaded && (!n->tree || ask->is_flat);
  const bool has = choose(n, ask, room, mask, c, is_row ? nodes : NULL);
  if (has && !is_row) hc_slurm_chosen(c, nodes, (n->count + 63) / 64);
  return has;
}

void hc_slurm_chosen(const hc_slurm_choice *c, uint64_t *bits, uint32_t words)
{
  uint32_t word = 0;
  uint64_t of = 0; /* bits of that word: most nodes follow each other */
  memset(bits, 0, words * sizeof *bits);
  for (size_t i = 0; i < c->dealt_count; i++) {
    const uint32_t host = c->dealt[i].host;
    if (host / 64 != word) {
      bits[word] |= of;
      word = host / 64;
      of = 0;
    }
    of |= UINT64_C(1) << host % 64;
  }
  bits[word] |= of;
}

void hc_slurm_sort(hc_slurm_choice *c)
{
  uint32_t first = UINT32_MAX, end = 0;
  size_t n = 1;
  while (n < c->dealt_count && c->dealt[n - 1].host < c->dealt[n].host) n++;
  if (n >= c->dealt_count) return;
  for (size_t i = 0; i < c->dealt_count; i++) {
    const uint32_t host = c->dealt[i].host, word = host / 64;
    c->hosts[word] |= UINT64_C(1) << host % 64;
    c->slots_on[host] = c->dealt[i].slots;
    first = HC_MIN(first, word);
    end = HC_MAX(end, word + 1);
  }
  n = 0;
  for (uint32_t w = first; w < end; w++) {
    for (uint64_t bits = c->hosts[w]; bits != 0; bits &= bits - 1) {
      const uint32_t host = w * 64 + (uint32_t)__builtin_ctzll(bits);
      c->dealt[n++] = (hc_host_room){host, c->slots_on[host]};
    }
    c->hosts[w] = 0;
  }
}
