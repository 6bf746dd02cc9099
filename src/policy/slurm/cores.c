/* cores.c -- see cores.h.
 *
 * With the gang scheduler (PreemptMode=GANG) jobs keep their cores while they are suspended, and several jobs
 * may have one core; without it they may as well where partitions say so, and all run (shares.h). Which cores
 * a job has on a node is then known: the first ones that it may have. What is free on a node is what no job
 * has. A core that several jobs have counts as that of the one which is believed to end last, so that taking
 * jobs away in the order of their ends gives what will be free then.
 *
 * Other amounts are each job's own, be it suspended or not, but for memory where SelectTypeParameters does
 * not name it: that is given up. Source: select/cons_tres of Slurm 22.05, as it behaves. */
#include "policy/slurm/cores.h"

#include <string.h>

#include "base/util.h"
#include "policy/slurm/bits.h"

#define CORE 1000 /* of the first dimension */

uint32_t hc_slurm_cores_of(const hc_slurm_books *b, uint32_t host)
{
  const int64_t cores = (b->capacity[(size_t)host * b->nodes.dims] + CORE - 1) / CORE;
  return (uint32_t)HC_MAX(HC_MIN(cores, (int64_t)b->cores.words * 64), 0);
}

hc_rc hc_slurm_cores_open(hc_slurm_books *b)
{
  hc_slurm_cores *c = &b->cores;
  const hc_allocator *a = b->allocator;
  if (c->words > 0 || (!b->settings->preempt.gang && !b->times)) return 0;
  const uint32_t words = (uint32_t)HC_MAX((b->largest / CORE + 64) / 64, 1);
  c->cap = (size_t)b->nodes.count * words;
  c->seen = hc_alloc(a, c->cap * sizeof *c->seen);
  c->nodes = hc_alloc(a, b->words * sizeof *c->nodes);
  c->words = words;
  return c->seen && c->nodes ? 0 : HC_ENOMEM;
}

void hc_slurm_cores_fini(hc_slurm_books *b)
{
  hc_slurm_cores *c = &b->cores;
  hc_free(b->allocator, c->seen, c->cap * sizeof *c->seen);
  hc_free(b->allocator, c->nodes, b->words * sizeof *c->nodes);
}

/* Where a node is among those of a job; their count if it is not. */
static size_t place_of(const hc_slurm_busy *x, uint32_t host)
{
  size_t i = 0;
  while (i < x->whole.count && x->whole.hosts[i] != host) i++;
  return i;
}

const uint64_t *hc_slurm_cores_on(const hc_slurm_books *b, const hc_slurm_busy *x, uint32_t host)
{
  const size_t i = place_of(x, host);
  return i < x->whole.count ? x->cores + i * b->cores.words : NULL;
}

bool hc_slurm_cores_meet(const hc_slurm_books *b, const hc_slurm_busy *x, const hc_slurm_busy *y)
{
  const uint32_t words = b->cores.words;
  for (size_t i = 0; i < x->whole.count; i++) {
    const uint64_t *mine = x->cores + i * words, *other = hc_slurm_cores_on(b, y, x->whole.hosts[i]);
    for (uint32_t w = 0; other && w < words; w++)
      if (mine[w] & other[w]) return true;
  }
  return false;
}

bool hc_slurm_cores_are_all(const hc_slurm_books *b, const hc_slurm_busy *x, const hc_holding *held, size_t n)
{
  for (uint32_t d = 0; d < b->nodes.dims; d++) {
    int64_t sum = 0;
    for (size_t i = 0; i < n; i++) sum -= held[i].amount[d];
    for (size_t i = 0; i < x->whole.count; i++) sum += x->whole.amounts[i * b->nodes.dims + d];
    if (sum != 0) return false;
  }
  return true;
}

/* ---- which cores ---- */

/* Cores of a node that any other job has. */
static void find_taken(const hc_slurm_books *b, const hc_slurm_busy *x, uint32_t host, uint64_t *out)
{
  memset(out, 0, b->cores.words * sizeof *out);
  for (size_t i = 0; i < b->running_count; i++) {
    const hc_slurm_busy *y = &b->jobs[b->by_end[i]];
    const uint64_t *cores = y == x ? NULL : hc_slurm_cores_on(b, y, host);
    for (uint32_t w = 0; cores && w < b->cores.words; w++) out[w] |= cores[w];
  }
}

/* The first that it may have; where these are too few, the first of all. */
static void pick(hc_slurm_books *b, const hc_slurm_busy *x, uint32_t host, uint32_t want, uint64_t *cores)
{
  const uint32_t all = hc_slurm_cores_of(b, host);
  uint64_t *taken = b->cores.seen + (size_t)host * b->cores.words;
  if (b->cores.avoid)
    memcpy(taken, b->cores.avoid + (size_t)host * b->cores.words, b->cores.words * sizeof *taken);
  else find_taken(b, x, host, taken);
  uint32_t has = hc_bits_in(cores, b->cores.words);
  for (uint32_t turn = 0; turn < 2; turn++)
    for (uint32_t i = 0; i < all && has < want; i++) {
      if (hc_bit_is(cores, i) || (turn == 0 && hc_bit_is(taken, i))) continue;
      hc_bit_put(cores, i, true);
      has++;
    }
}

/* The last ones go. */
static void drop(const hc_slurm_books *b, uint32_t want, uint64_t *cores)
{
  uint32_t has = hc_bits_in(cores, b->cores.words);
  for (uint32_t i = b->cores.words * 64; i-- > 0 && has > want;) {
    if (!hc_bit_is(cores, i)) continue;
    hc_bit_put(cores, i, false);
    has--;
  }
}

static bool is_alone(const hc_slurm_busy *x)
{
  return x->is_whole || x->sharing == HC_EXCLUSIVE_HOST;
}

static void fit_cores(hc_slurm_books *b, hc_slurm_busy *x, size_t i)
{
  const uint32_t all = hc_slurm_cores_of(b, x->whole.hosts[i]);
  const int64_t amount = x->whole.amounts[i * b->nodes.dims];
  const int64_t cores = HC_MIN((amount + CORE - 1) / CORE, (int64_t)all);
  const uint32_t want = is_alone(x) ? all : (uint32_t)cores;
  pick(b, x, x->whole.hosts[i], want, x->cores + i * b->cores.words);
  drop(b, want, x->cores + i * b->cores.words);
}

static hc_rc grow(hc_slurm_books *b, hc_slurm_busy *x, size_t count)
{
  const hc_allocator *a = b->allocator;
  hc_slurm_whole *w = &x->whole;
  const size_t amounts = count * b->nodes.dims;
  TRY(hc_reserve(a, (void **)&w->hosts, &w->host_cap, count, sizeof *w->hosts));
  TRY(hc_reserve(a, (void **)&w->amounts, &w->amount_cap, amounts, sizeof *w->amounts));
  TRY(hc_reserve(a, (void **)&x->cores, &x->core_cap, count * b->cores.words, sizeof *x->cores));
  TRY(hc_reserve(a, (void **)&x->hosts, &x->host_cap, count, sizeof *x->hosts));
  return hc_reserve(a, (void **)&x->amounts, &x->amount_cap, amounts, sizeof *x->amounts);
}

static void move_part(hc_slurm_books *b, hc_slurm_busy *x, const hc_holding *part, int64_t sign)
{
  const uint32_t dims = b->nodes.dims;
  const size_t i = place_of(x, part->host);
  int64_t *amounts = x->whole.amounts + i * dims;
  if (i == x->whole.count) {
    x->whole.hosts[x->whole.count++] = part->host;
    memset(amounts, 0, dims * sizeof *amounts);
    memset(x->cores + i * b->cores.words, 0, b->cores.words * sizeof *x->cores);
  }
  for (uint32_t d = 0; d < dims; d++) amounts[d] += sign * part->amount[d];
  fit_cores(b, x, i);
}

hc_rc hc_slurm_cores_move(hc_slurm_books *b, hc_slurm_busy *x, const hc_holding *held, size_t n, int64_t sign)
{
  TRY(grow(b, x, x->whole.count + n));
  for (size_t i = 0; i < n; i++) move_part(b, x, &held[i], sign);
  hc_slurm_cores_settle(b, x);
  return 0;
}

/* ---- what is free ---- */

static void begin_count(hc_slurm_books *b, uint32_t host)
{
  const uint32_t dims = b->nodes.dims;
  int64_t *free = b->free + (size_t)host * dims;
  const int64_t *all = b->capacity + (size_t)host * dims;
  hc_bit_put(b->cores.nodes, host, true);
  memset(b->cores.seen + (size_t)host * b->cores.words, 0, b->cores.words * sizeof *b->cores.seen);
  b->sum += all[0] - free[0];
  memcpy(free, all, dims * sizeof *free);
  b->on[host] = 0;
}

/* How much of an amount beside cores counts as the job's own. */
static int64_t beside_cores(const hc_slurm_books *b, const hc_slurm_busy *x, uint32_t d, int64_t has,
                            int64_t free)
{
  if (b->shared[d]) return has;
  if (x->since > 0 && b->memory == d && !b->settings->keeps_memory) return 0;
  return is_alone(x) ? HC_MAX(free, 0) : has;
}

static void count(hc_slurm_books *b, hc_slurm_busy *x, size_t i)
{
  const uint32_t dims = b->nodes.dims, host = x->whole.hosts[i], words = b->cores.words;
  const uint64_t *cores = x->cores + i * words;
  const int64_t *has = x->whole.amounts + i * dims;
  int64_t *out = x->amounts + i * dims, *free = b->free + (size_t)host * dims;
  uint64_t *seen = b->cores.seen + (size_t)host * words;
  uint32_t mine = 0, of = 0;
  for (uint32_t w = 0; w < words; w++) {
    of += hc_bits_of(cores[w]);
    mine += hc_bits_of(cores[w] & ~seen[w]);
    seen[w] |= cores[w];
  }
  out[0] = mine == of && !is_alone(x) ? has[0] : (int64_t)mine * CORE;
  if (b->shared[0]) out[0] = has[0];
  for (uint32_t d = 1; d < dims; d++) out[d] = beside_cores(b, x, d, has[d], free[d]);
  for (uint32_t d = 0; d < dims; d++) free[d] -= out[d];
  x->hosts[i] = host;
  b->sum -= out[0];
  b->owes |= free[0] < 0;
  hc_slurm_books_count(b, out[0]);
  b->on[host]++;
}

void hc_slurm_cores_settle(hc_slurm_books *b, const hc_slurm_busy *x)
{
  if (b->cores.words == 0) return;
  memset(b->cores.nodes, 0, b->words * sizeof *b->cores.nodes);
  for (uint32_t h = 0; !x && h < b->nodes.count; h++) begin_count(b, h);
  for (size_t i = 0; x && i < x->whole.count; i++) begin_count(b, x->whole.hosts[i]);
  for (size_t k = b->running_count; k-- > 0;) {
    hc_slurm_busy *y = &b->jobs[b->by_end[k]];
    for (size_t i = 0; i < y->whole.count; i++)
      if (hc_bit_is(b->cores.nodes, y->whole.hosts[i])) count(b, y, i);
    y->nodes = (uint32_t)y->whole.count;
  }
  for (uint32_t w = 0; w < b->words; w++)
    for (uint64_t bits = b->cores.nodes[w]; bits != 0; bits &= bits - 1) {
      const uint32_t host = w * 64 + (uint32_t)__builtin_ctzll(bits);
      hc_bit_put(b->some, host, b->free[(size_t)host * b->nodes.dims] > 0);
      hc_bit_put(b->idle, host, b->on[host] == 0);
    }
  b->version++;
}
