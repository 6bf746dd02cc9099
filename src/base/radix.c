/* radix.c -- least significant byte first; bytes that all keys share are skipped, few pairs are inserted in
 * place. Single ranks need no sort of all: keys are counted by the first bits in which they differ, and those
 * alone are sorted that share them with a key asked for. */
#include "base/radix.h"

#include <string.h>

#include "base/mem.h"
#include "base/util.h"

#define FEW 32 /* keys that are inserted in place */

static void insert_each(hc_pair *p, size_t n)
{
  for (size_t i = 1; i < n; i++) {
    hc_pair x = p[i];
    size_t j = i;
    for (; j > 0 && p[j - 1].key > x.key; j--) p[j] = p[j - 1];
    p[j] = x;
  }
}

static void scatter(const hc_pair *from, hc_pair *to, size_t n, unsigned shift)
{
  size_t at[256] = {0}, sum = 0;
  for (size_t i = 0; i < n; i++) at[from[i].key >> shift & 255]++;
  for (size_t b = 0; b < 256; b++) {
    size_t here = at[b];
    at[b] = sum;
    sum += here;
  }
  for (size_t i = 0; i < n; i++) to[at[from[i].key >> shift & 255]++] = from[i];
}

hc_rc hc_pairs_sort(const hc_allocator *a, hc_pair *pairs, size_t n)
{
  uint64_t differ = 0;
  hc_pair *scratch, *from = pairs, *to;
  if (n <= FEW) {
    insert_each(pairs, n);
    return 0;
  }
  if (!(scratch = hc_alloc(a, n * sizeof *scratch))) return HC_ENOMEM;
  to = scratch;
  for (size_t i = 1; i < n; i++) differ |= pairs[i].key ^ pairs[0].key;
  for (unsigned shift = 0; shift < 64; shift += 8) {
    hc_pair *swap = from;
    if ((differ >> shift & 255) == 0) continue;
    scatter(from, to, n, shift);
    from = to;
    to = swap;
  }
  if (from != pairs) memcpy(pairs, from, n * sizeof *pairs);
  hc_free(a, scratch, n * sizeof *scratch);
  return 0;
}

/* ---- single ranks ---- */

#define BIN_BITS 11
#define BINS (1u << BIN_BITS)

/* Keys by the first bits in which any of them differ. */
typedef struct bins {
  unsigned shift;
  uint32_t first[BINS + 1]; /* keys in all bins before */
  uint32_t to[BINS];        /* where the bin's keys go, of those that are sorted; NOWHERE */
} bins;

#define NOWHERE UINT32_MAX

static inline uint32_t bin_of(const bins *b, uint64_t key)
{
  return (uint32_t)(key >> b->shift) & (BINS - 1);
}

static void count_bins(bins *b, const uint64_t *keys, size_t n)
{
  uint64_t differ = 0;
  for (size_t i = 1; i < n; i++) differ |= keys[i] ^ keys[0];
  const unsigned bits = differ ? 64 - (unsigned)__builtin_clzll(differ) : 0;
  b->shift = bits > BIN_BITS ? bits - BIN_BITS : 0;
  memset(b->first, 0, sizeof b->first);
  for (size_t i = 0; i < n; i++) b->first[bin_of(b, keys[i]) + 1]++;
  for (uint32_t i = 0; i < BINS; i++) b->first[i + 1] += b->first[i];
}

/* @return how many keys are in bins of keys asked for */
static size_t choose_bins(bins *b, const uint64_t *ranks, size_t count)
{
  size_t chosen = 0;
  memset(b->to, 0xff, sizeof b->to);
  for (size_t i = 0, bin = 0; i < count; i++) {
    while (b->first[bin + 1] <= ranks[i]) bin++;
    if (b->to[bin] != NOWHERE) continue;
    b->to[bin] = (uint32_t)chosen;
    chosen += b->first[bin + 1] - b->first[bin];
  }
  return chosen;
}

static hc_rc sort_bins(const hc_allocator *a, bins *b, const uint64_t *keys, size_t n, hc_pair *pairs)
{
  for (size_t i = 0; i < n; i++) {
    const uint32_t bin = bin_of(b, keys[i]);
    if (b->to[bin] != NOWHERE) pairs[b->to[bin]++] = (hc_pair){.key = keys[i]};
  }
  for (uint32_t bin = 0; bin < BINS; bin++) {
    const uint32_t size = b->first[bin + 1] - b->first[bin];
    if (b->to[bin] == NOWHERE) continue;
    b->to[bin] -= size;
    TRY(hc_pairs_sort(a, pairs + b->to[bin], size));
  }
  return 0;
}

/* Fewer than it takes to clear the bins. */
static void of_few(const uint64_t *keys, size_t n, const uint64_t *ranks, size_t count, uint64_t *out)
{
  hc_pair pairs[FEW];
  for (size_t i = 0; i < n; i++) pairs[i] = (hc_pair){.key = keys[i]};
  insert_each(pairs, n);
  for (size_t i = 0; i < count; i++) out[i] = pairs[ranks[i]].key;
}

hc_rc hc_keys_at(const hc_allocator *a, const uint64_t *keys, size_t n, const uint64_t *ranks, size_t count,
                 uint64_t *out)
{
  bins b;
  if (n <= FEW) {
    of_few(keys, n, ranks, count, out);
    return 0;
  }
  if (n >= NOWHERE) return HC_ELIMIT;
  count_bins(&b, keys, n);
  const size_t chosen = choose_bins(&b, ranks, count);
  hc_pair *pairs = hc_alloc(a, chosen * sizeof *pairs);
  hc_rc rc = pairs ? sort_bins(a, &b, keys, n, pairs) : HC_ENOMEM;
  for (size_t i = 0, bin = 0; rc >= 0 && i < count; i++) {
    while (b.first[bin + 1] <= ranks[i]) bin++;
    out[i] = pairs[b.to[bin] + (ranks[i] - b.first[bin])].key;
  }
  hc_free(a, pairs, chosen * sizeof *pairs);
  return rc;
}
