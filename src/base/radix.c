/* radix.c -- least significant byte first; bytes that all keys share are skipped, few pairs are inserted in
 * place. */
#include "base/radix.h"

#include <string.h>

#include "base/mem.h"

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
  if (n <= 32) {
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
