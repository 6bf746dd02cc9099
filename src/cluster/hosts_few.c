/* hosts_few.c -- one slot on each of several hosts, of at most 64: a set of hosts is a word, and a choice is
 * bits of it.
 *
 * That is what a task of a small cluster mostly wants, and the general search, which claims on the way, keeps
 * lists and sorts what it found, costs several times as much. Here the hosts with room are found first; where
 * there are too few of them, or just enough, nothing more is asked; the chooser takes as many as are wanted;
 * and they come out in order. Hosts that have nothing left of the first dimension are not looked at: the cell
 * knows them as a word (`open`).
 *
 * Without the whole choice a run of Polezhaev's scenario 1 takes 7 % more instructions, one of scenario 3
 * 26 %, one of scenario 2 under EASY 25 %; without the words in the general search (hosts_choose.c), which is
 * for those that want a GPU as well, scenario 1 with GPUs takes 12 % more. docs/notes/003 has the table.
 *
 * The answer is the general search's, draw for draw; tests/unit/cluster/test_hosts_model.c holds both against
 * a model. */
#include "cluster/hosts_parts.h"

/* ---- which hosts have room ---- */

/* All bits if there is room on a host, else none: a branch on it would be guessed wrong as often as not. */
static inline uint64_t room(const int64_t *row, const int64_t *need, uint32_t n)
{
  int64_t x = row[0] - need[0];
  if (n > 1) x |= row[1] - need[1];
  if (n > 2) x |= row[2] - need[2];
  for (uint32_t c = 3; c < n; c++) x |= row[c] - need[c];
  return ((uint64_t)x >> 63) - 1;
}

static inline uint64_t lowest(uint64_t bits)
{
  return bits & (~bits + 1);
}

static inline uint64_t all_of(const hc_hosts *h)
{
  return h->units < 64 ? (UINT64_C(1) << h->units) - 1 : ~UINT64_C(0);
}

uint64_t hc_hosts_few_fit(const hc_hosts *h, const int64_t *need, uint64_t in)
{
  const int64_t *rows = h->rows;
  const uint32_t columns = h->columns;
  uint64_t fit = 0;
  if (need[0] > 0) in &= h->open;
  for (; in != 0; in &= in - 1)
    fit |= lowest(in) & room(rows + (size_t)__builtin_ctzll(in) * columns, need, columns);
  return fit;
}

uint32_t hc_hosts_few_count(uint64_t bits)
{
  bits -= bits >> 1 & UINT64_C(0x5555555555555555);
  bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
  bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
  return (uint32_t)(bits * UINT64_C(0x0101010101010101) >> 56);
}

/* ---- taking them one after the other ---- */

/* Bit number `n` of those that are set. */
static uint64_t bit_number(uint64_t bits, uint64_t n)
{
  for (; n > 0; n--) bits &= bits - 1;
  return lowest(bits);
}

uint64_t hc_hosts_few_next(const hc_chooser *c, uint64_t left, uint32_t count, uint32_t turn,
                           hc_draw_block *draws)
{
  const uint64_t from = turn < 64 ? left >> turn << turn : 0;
  if (c->how == HC_CHOOSE_SAMPLE) return bit_number(left, hc_random_block_below(draws, count));
  if (c->how == HC_CHOOSE_NEXT && from != 0) return lowest(from);
  return lowest(left);
}

/* ---- the whole choice, for tasks that want nothing rare ---- */

bool hc_hosts_few_suits(const hc_hosts *h, const hc_request *r, const hc_chooser *c)
{
  if (h->units > HC_HOSTS_FEW || c->how == HC_CHOOSE_SET || h->has_devices || h->has_shared ||
      r->more != 0 || r->whole ||
      r->slots == 0 || !(r->slots == 1 || r->spread))
    return false;
  return c->how == HC_CHOOSE_BEST ? c->score && !c->bound && !c->meet
                                  : c->how != HC_CHOOSE_SAMPLE || !c->score;
}

typedef struct rated {
  double score, tie;
} rated;

static rated rate(const hc_hosts *h, const hc_chooser *c, uint32_t host, hc_host_view *v)
{
  rated x = {0};
  v->host = host;
  v->class_id = h->spec->class_of[host];
  v->free = hc_hosts_row(h, host);
  v->capacity = h->caps + (size_t)host * h->dims;
  v->speed = h->spec->classes[v->class_id].speed;
  v->window = HC_NEVER;
  v->load = NULL;
  v->past = 0;
  if (h->gate && h->gate->look) h->gate->look(h->gate->ctx, v);
  x.score = c->score(c->self, v);
  if (x.score != x.score) x.score = -__builtin_inf(); /* no number is the worst score */
  if (c->tie) x.tie = c->tie(c->self, v);
  return x;
}

/* Which of these hosts, ascending, is behind how many others: one more behind another comes after all that beat it. Each
 * pair is compared once, without a branch, as which is better cannot be guessed; of equals the lower host is. */
static void rank(const hc_hosts *h, const hc_request *r, const hc_chooser *c, uint64_t among,
                 uint32_t behind[HC_HOSTS_FEW])
{
  hc_host_view v = {
      .dimensions = h->dims, .which = h->which, .need = r->need, .cell = &h->totals, .estimate = r->estimate};
  rated list[HC_HOSTS_FEW];
  for (uint32_t n = 0; among != 0; among &= among - 1, n++) {
    const rated x = rate(h, c, (uint32_t)__builtin_ctzll(among), &v);
    behind[n] = 0;
    for (uint32_t i = 0; i < n; i++) {
      const uint32_t wins = (uint32_t)(x.score > list[i].score) |
                            ((uint32_t)(x.score == list[i].score) & (uint32_t)(x.tie > list[i].tie));
      behind[i] += wins;
      behind[n] += wins ^ 1;
    }
    list[n] = x;
  }
}

static inline bool is_guarded(const hc_hosts *h)
{
  return h->gate && h->gate->admits;
}

static inline bool may_use(const hc_hosts *h, uint32_t host, const int64_t *need)
{
  return !is_guarded(h) || h->gate->admits(h->gate->ctx, host, need);
}

/* By a score that never changes: the order of all hosts is found once, and they are asked in it whether they may be used
 * until there are enough. */
static uint64_t best_fixed(hc_hosts *h, const hc_request *r, const hc_chooser *c, uint64_t fit,
                           uint32_t count)
{
  hc_hosts_ranking *k = &h->ranking;
  uint64_t chosen = 0;
  uint32_t left = r->slots;
  if (k->score != c->score || k->self != c->self) {
    uint32_t behind[HC_HOSTS_FEW];
    rank(h, r, c, all_of(h), behind);
    for (uint32_t host = 0; host < h->units; host++) k->order[behind[host]] = (uint8_t)host;
    k->score = c->score;
    k->self = c->self;
  }
  for (uint32_t i = 0; left > 0 && count >= left; i++) {
    const uint32_t host = k->order[i];
    const uint32_t fits = (uint32_t)(fit >> host & 1), takes = fits && may_use(h, host, r->need);
    chosen |= (uint64_t)takes << host;
    count -= fits;
    left -= takes;
  }
  return left == 0 ? chosen : 0;
}

/* The hosts with the highest scores; none if there are too few. */
static uint64_t best(hc_hosts *h, const hc_request *r, const hc_chooser *c, uint64_t fit)
{
  uint64_t usable = fit, chosen = 0;
  uint32_t behind[HC_HOSTS_FEW], count = hc_hosts_few_count(fit);
  if (c->is_fixed && !c->tie) return best_fixed(h, r, c, fit, count);
  for (uint64_t left = is_guarded(h) ? fit : 0; left != 0 && count >= r->slots; left &= left - 1) {
    if (may_use(h, (uint32_t)__builtin_ctzll(left), r->need)) continue;
    usable ^= lowest(left);
    count--;
  }
  if (count < r->slots) return 0;
  if (count > 1 && count == r->slots) return usable;
  rank(h, r, c, usable, behind);
  for (uint32_t i = 0; usable != 0; usable &= usable - 1, i++)
    chosen |= lowest(usable) & (0 - (uint64_t)(behind[i] < r->slots));
  return chosen;
}

/* A host that is drawn and may not be used is left, and another is drawn: as uniform as a draw among those that may. */
static uint64_t one_by_one(const hc_hosts *h, const hc_request *r, const hc_chooser *c, uint64_t fit,
                           uint32_t n, uint32_t *turn)
{
  hc_draw_block draws = {.s = hc_hosts_draws(h, r)};
  uint64_t chosen = 0;
  uint32_t count = r->slots;
  for (; count > 0 && n >= count; n--) {
    const uint64_t bit = hc_hosts_few_next(c, fit, n, *turn, &draws);
    const uint32_t host = (uint32_t)__builtin_ctzll(bit);
    fit ^= bit;
    if (!may_use(h, host, r->need)) continue;
    chosen |= bit;
    count--;
    if (c->how == HC_CHOOSE_NEXT) *turn = host + 1 < h->units ? host + 1 : 0;
  }
  return count == 0 ? chosen : 0;
}

static bool is_possible(const hc_hosts *h, const int64_t *need)
{
  bool possible = true;
  for (uint32_t d = 0; d < h->dims; d++) possible &= (uint64_t)need[d] <= (uint64_t)HC_HOSTS_MOST;
  return possible;
}

hc_rc hc_hosts_few_choose(hc_hosts *h, const hc_request *r, const hc_chooser *c)
{
  uint64_t fit, chosen;
  uint32_t turn = h->turn, n;
  size_t count = 0;
  if (!is_possible(h, r->need)) return 0;
  fit = hc_hosts_few_fit(h, r->need, all_of(h));
  n = hc_hosts_few_count(fit);
  if (n < r->slots) return 0;
  if (c->how == HC_CHOOSE_BEST) chosen = best(h, r, c, fit);
  else if (n == r->slots && c->how != HC_CHOOSE_NEXT && !is_guarded(h)) chosen = fit;
  else chosen = one_by_one(h, r, c, fit, n, &turn);
  if (chosen == 0) return 0;
  TRY(hc_reserve(h->allocator, (void **)&h->grants, &h->grant_cap, r->slots, sizeof *h->grants));
  h->turn = turn;
  for (; chosen != 0; chosen &= chosen - 1)
    h->grants[count++] = (hc_grant){.host = (uint32_t)__builtin_ctzll(chosen), .slots = 1};
  h->grant_count = count;
  return (hc_rc)count;
}
