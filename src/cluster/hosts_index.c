/* hosts_index.c -- which hosts fit: keys, bounds over them, sets of bits, and what failed before.
 *
 * Keys. Each host has a few numbers of 15 bits, four in a word, each of which grows or stays with every amount that
 * is free: if a need fits, its keys are nowhere greater. They are the amounts themselves, as parts of the greatest
 * that a host has, and the lesser of two such parts, with the one or the other doubled. The last tell apart what
 * amounts one by one do not: two hosts of which each is full in another dimension from one that has room. The
 * guard, the sixteenth bit of each number, tells a host that nothing fits from one that has nothing: as a signed
 * number the former is the least of all, and a register of such numbers is compared at once (base/lanes.h).
 *
 * Bounds. Level 0 holds the keys of hosts; row i of level l + 1 is at least the greatest of rows 16 i .. 16 i + 15
 * of level l. A search for the lowest host goes down where a row may fit, and takes up what it left behind where
 * none does. The bounds of level 1 are exact; those above are raised at once, and lowered when a search finds them
 * misleading and they are marked as perhaps too high: most are raised again before anybody looks. Keys are
 * rounded, so that the row of amounts has the last word on a host.
 *
 * Cost, at 80 % of two dimensions: one visit of a block for each level, and less than one more (without the keys of
 * pairs: five more at 4,000 hosts). A fan-out of 16 was faster than 8 from 1,000 hosts on (bench/bench_hosts.c).
 * The adversary: amounts that differ from needs by less than a key tells (one part in 32,766), or that no pair
 * tells apart, cost a visit for every block.
 *
 * On at most sixteen hosts the amounts themselves are looked at, one host after the other, and no keys are kept.
 *
 * A search over all hosts that failed is remembered, as long as no host that has got more fits it; what is
 * nowhere smaller fails too. Of what is remembered none is smaller than another. */
#include <string.h>

#include "base/lanes.h"
#include "cluster/hosts_parts.h"

enum { FAN = HC_HOSTS_FAN, WORDS = HC_HOSTS_WORDS, PAIRED = 4, BITS = 4, GUARD = 0x8000 };
#define ALL ((UINT32_C(1) << FAN) - 1)
#define GUARDS UINT64_C(0x8000800080008000)
#define ONES UINT64_C(0x0001000100010001)

/* ---- sets of bits ---- */

hc_rc hc_hosts_bits_init(hc_hosts_bits *b, const hc_allocator *a, uint32_t n)
{
  size_t size = n;
  *b = (hc_hosts_bits){0};
  do {
    size = (size + 63) / 64;
    b->words[b->levels] = hc_alloc(a, size * sizeof(uint64_t));
    if (!b->words[b->levels]) {
      hc_hosts_bits_fini(b, a);
      return HC_ENOMEM;
    }
    b->sizes[b->levels++] = size;
  } while (size > 1);
  return 0;
}

void hc_hosts_bits_fini(hc_hosts_bits *b, const hc_allocator *a)
{
  for (uint32_t l = 0; l < b->levels; l++) hc_free(a, b->words[l], b->sizes[l] * sizeof(uint64_t));
  *b = (hc_hosts_bits){0};
}

void hc_hosts_bits_set(hc_hosts_bits *b, uint32_t i)
{
  for (uint32_t l = 0; l < b->levels; l++, i >>= 6) {
    uint64_t *word = &b->words[l][i >> 6], old = *word;
    *word = old | UINT64_C(1) << (i & 63);
    if (old != 0) return; /* the bits above are set */
  }
}

void hc_hosts_bits_clear(hc_hosts_bits *b, uint32_t i)
{
  for (uint32_t l = 0; l < b->levels; l++, i >>= 6) {
    uint64_t *word = &b->words[l][i >> 6];
    *word &= ~(UINT64_C(1) << (i & 63));
    if (*word != 0) return;
  }
}

uint32_t hc_hosts_bits_next(const hc_hosts_bits *b, uint32_t from)
{
  uint64_t i = from, word;
  uint32_t l = 0;
  for (;;) {
    if (i >> 6 >= b->sizes[l]) return HC_NO_HOST;
    word = b->words[l][i >> 6] & (~UINT64_C(0) << (i & 63));
    if (word != 0) break;
    if (++l == b->levels) return HC_NO_HOST;
    i = (i >> 6) + 1;
  }
  i = (i & ~UINT64_C(63)) | (uint32_t)__builtin_ctzll(word);
  while (l > 0) {
    l--;
    i = i << 6 | (uint32_t)__builtin_ctzll(b->words[l][i]);
  }
  return (uint32_t)i;
}

/* Of a block of the tree, the rows below which a bit is set. A row of level l covers 16^l bits, so that the rows of
 * a block are, by turns of three levels, sixteen bits of a word, the quarters of four words, the nibbles of one. */
static uint32_t bits_block(const hc_hosts_bits *b, uint32_t level, size_t block)
{
  const uint32_t l = level / 3 * 2 + level % 3 / 2;
  uint32_t out = 0;
  if (l >= b->levels) return ALL;
  if (level % 3 == 0) return (uint32_t)(b->words[l][block / 4] >> (block % 4 * 16)) & ALL;
  for (uint32_t i = 0; i < FAN; i++) {
    const size_t word = level % 3 == 1 ? block * 4 + i / 4 : block;
    const uint64_t part = level % 3 == 1 ? UINT64_C(0xffff) << (i % 4 * 16) : UINT64_C(0xf) << (i * 4);
    if (word < b->sizes[l] && (b->words[l][word] & part) != 0) out |= UINT32_C(1) << i;
  }
  return out;
}

/* ---- keys: four in a word ---- */

static inline uint32_t part_of(const hc_hosts_axis *a, int64_t x)
{
  return (uint32_t)((uint64_t)(HC_MIN(x, a->most) >> a->shift) * a->factor >> 16);
}

/* Each key grows, or stays, with each amount: rounding does not change an order. What is negative fits nothing. */
static inline void keys_of(const hc_hosts *h, const int64_t *row, uint32_t words, uint64_t *out)
{
  uint32_t part[HC_HOSTS_COLUMNS], n = 0;
  int64_t all = 0;
  for (uint32_t w = 0; w < words; w++) out[w] = GUARDS;
  for (uint32_t i = 0; i < h->axis_count; i++) all |= row[h->axes[i].column];
  if (all < 0) return;
  for (uint32_t i = 0; i < h->axis_count; i++, n++) {
    part[i] = part_of(&h->axes[i], row[h->axes[i].column]);
    out[n / 4] += (uint64_t)(1 + part[i]) << (16 * (n % 4));
  }
  for (uint32_t i = 0; i < h->pair_count; i++, n++) {
    const hc_hosts_pair *p = &h->pairs[i];
    const uint32_t x = part[p->a] << p->x, y = part[p->b] << p->y;
    out[n / 4] += (uint64_t)(1 + HC_MIN(x, y)) << (16 * (n % 4));
  }
  for (; n < 4 * words; n++) out[n / 4] += UINT64_C(1) << (16 * (n % 4)); /* no key: always enough */
}

/* The same for one amount: processors of hosts. */
static inline uint64_t keys_of_one(const hc_hosts *h, const int64_t *row)
{
  return row[h->axes[0].column] < 0 ? GUARDS : (GUARDS | ONES) + part_of(&h->axes[0], row[h->axes[0].column]);
}

/* The same for two amounts, the usual cell. No part reaches into the next: guards and ones are added at once. */
static inline uint64_t keys_of_two(const hc_hosts *h, const int64_t *row)
{
  if ((row[0] | row[1]) < 0) return GUARDS;
  const uint64_t x = part_of(&h->axes[0], row[0]), y = part_of(&h->axes[1], row[1]);
  return (GUARDS | ONES) + (x | y << 16 | HC_MIN(x, 2 * y) << 32 | HC_MIN(2 * x, y) << 48);
}

/* ---- the tree ---- */

static size_t padded(const hc_hosts *h, uint32_t level)
{
  return ((size_t)h->counts[level] + FAN - 1) / FAN * FAN;
}

static void add_axis(hc_hosts *h, uint32_t column, int64_t greatest)
{
  hc_hosts_axis *a = &h->axes[h->axis_count++];
  *a = (hc_hosts_axis){.column = column, .most = greatest};
  while (greatest >> a->shift >= INT64_C(1) << 20) a->shift++;
  a->factor = (uint64_t)(GUARD - 2) * 65536 / ((uint64_t)(greatest >> a->shift) + 1);
}

static void find_keys(hc_hosts *h)
{
  uint32_t own;
  for (uint32_t d = 0; d < h->dims; d++) {
    int64_t greatest = 0;
    for (uint32_t k = 0; k < h->spec->class_count; k++)
      greatest = HC_MAX(greatest, h->spec->classes[k].capacity[h->which[d]]);
    if (!h->is_shared[d]) add_axis(h, d, greatest);
  }
  own = h->axis_count;
  if (h->has_devices) {
    add_axis(h, h->dims, HC_DEVICE);
    add_axis(h, h->dims + 1, (int64_t)h->device_cap * HC_DEVICE);
  }
  if (own == 2) { /* room for two: more of the one, more of the other */
    h->pairs[0] = (hc_hosts_pair){.a = 0, .b = 1, .y = 1};
    h->pairs[1] = (hc_hosts_pair){.a = 0, .b = 1, .x = 1};
    h->pair_count = 2;
  } else {
    for (uint32_t a = 0; a < HC_MIN(own, PAIRED); a++)
      for (uint32_t b = a + 1; b < HC_MIN(own, PAIRED); b++)
        h->pairs[h->pair_count++] = (hc_hosts_pair){.a = a, .b = b};
  }
  h->words = (h->axis_count + h->pair_count + 3) / 4;
  h->is_plain = h->columns == 2 && own == 2;
}

hc_rc hc_hosts_index_init(hc_hosts *h)
{
  uint64_t n = h->units;
  find_keys(h);
  h->rows = hc_alloc(h->allocator, (size_t)h->units * h->columns * sizeof *h->rows);
  if (!h->rows) return HC_ENOMEM;
  for (h->levels = 0; h->levels == 0 || n > 1; n = (n + FAN - 1) / FAN) {
    h->counts[h->levels] = (uint32_t)n;
    h->bounds[h->levels] = hc_alloc(h->allocator, padded(h, h->levels) * h->words * sizeof(uint64_t));
    h->stale[h->levels] = hc_alloc(h->allocator, padded(h, h->levels) / FAN);
    h->levels++;
    if (!h->bounds[h->levels - 1] || !h->stale[h->levels - 1]) return HC_ENOMEM;
  }
  TRY(hc_hosts_bits_init(&h->owing, h->allocator, h->units));
  return hc_hosts_bits_init(&h->idle, h->allocator, h->units);
}

void hc_hosts_index_fini(hc_hosts *h)
{
  hc_free(h->allocator, h->rows, (size_t)h->units * h->columns * sizeof *h->rows);
  for (uint32_t l = 0; l < h->levels; l++) {
    hc_free(h->allocator, h->bounds[l], padded(h, l) * h->words * sizeof(uint64_t));
    hc_free(h->allocator, h->stale[l], padded(h, l) / FAN);
  }
  hc_hosts_bits_fini(&h->idle, h->allocator);
  hc_hosts_bits_fini(&h->owing, h->allocator);
}

/* The greatest keys of a block go above it. @return they were others */
static inline bool lower(hc_hosts *h, uint32_t level, size_t b, uint32_t words)
{
  const uint64_t *k = h->bounds[level] + b * FAN * words;
  uint64_t *above = h->bounds[level + 1] + b * words;
  bool changed = false;
  for (uint32_t w = 0; w < words; w++) {
    const uint64_t most = hc_lanes_greatest(k + w, words);
    changed |= above[w] != most;
    above[w] = most;
  }
  return changed;
}

static inline void note_open(hc_hosts *h, uint32_t host)
{
  const uint64_t bit = UINT64_C(1) << host;
  h->open = hc_hosts_row(h, host)[0] > 0 ? h->open | bit : h->open & ~bit;
}

void hc_hosts_index_build(hc_hosts *h)
{
  for (uint32_t l = 0; l < h->levels; l++)
    for (size_t i = 0; i < padded(h, l) * h->words; i++) h->bounds[l][i] = GUARDS; /* nothing fits there */
  for (size_t i = 0; i < h->units; i++)
    keys_of(h, h->rows + i * h->columns, h->words, h->bounds[0] + i * h->words);
  for (uint32_t l = 0; l + 1 < h->levels; l++)
    for (size_t b = 0; b * FAN < h->counts[l]; b++) (void)lower(h, l, b, h->words);
  h->memo_count = 0;
  for (uint32_t host = 0; host < h->units && h->units <= HC_HOSTS_FEW; host++) note_open(h, host);
}

/* So few hosts that to look at each costs less than to keep keys of them. */
static inline bool is_small(const hc_hosts *h)
{
  return h->units <= FAN;
}

/* What failed may fit there now. */
static void memo_recheck(hc_hosts *h, uint32_t host)
{
  for (uint32_t m = 0; m < h->memo_count;) {
    if (hc_hosts_index_fits(h, h->memo[m], host))
      memcpy(h->memo[m], h->memo[--h->memo_count], h->columns * sizeof(int64_t));
    else m++;
  }
}

/* A row has shrunk: the bound above it is made exact, and those above that may be too high. Nothing here asks
 * whether it matters, which would cost more than to do it. */
static inline void sink(hc_hosts *h, uint32_t host, const uint64_t *key, uint32_t words)
{
  uint64_t *leaf = h->bounds[0] + (size_t)host * words;
  for (uint32_t w = 0; w < words; w++) leaf[w] = key[w];
  if (h->levels > 1) h->stale[1][host / (FAN * FAN)] |= lower(h, 0, host / FAN, words);
}

/* A row has grown: so do the bounds above it. */
static inline void rise(hc_hosts *h, uint32_t host, const uint64_t *key, uint32_t words)
{
  uint64_t *leaf = h->bounds[0] + (size_t)host * words;
  for (uint32_t w = 0; w < words; w++) leaf[w] = key[w];
  for (uint32_t l = 1; l < h->levels; l++) {
    host /= FAN;
    uint64_t *bound = h->bounds[l] + (size_t)host * words;
    for (uint32_t w = 0; w < words; w++) bound[w] = hc_lanes_greater(bound[w], key[w]);
  }
}

static __attribute__((noinline)) void sink_any(hc_hosts *h, uint32_t host)
{
  uint64_t key[WORDS];
  if (h->units <= HC_HOSTS_FEW) note_open(h, host);
  if (is_small(h)) {
    /* no keys to keep */
  } else if (h->is_plain) {
    key[0] = keys_of_two(h, hc_hosts_row(h, host));
    sink(h, host, key, 1);
  } else if (h->axis_count == 1) {
    key[0] = keys_of_one(h, hc_hosts_row(h, host));
    sink(h, host, key, 1);
  } else {
    keys_of(h, hc_hosts_row(h, host), h->words, key);
    sink(h, host, key, h->words);
  }
  if (h->shapes) hc_hosts_shapes_move(h, host);
}

static __attribute__((noinline)) void rise_any(hc_hosts *h, uint32_t host)
{
  uint64_t key[WORDS];
  if (h->units <= HC_HOSTS_FEW) note_open(h, host);
  if (is_small(h)) {
    /* no keys to keep */
  } else if (h->is_plain) {
    key[0] = keys_of_two(h, hc_hosts_row(h, host));
    rise(h, host, key, 1);
  } else if (h->axis_count == 1) {
    key[0] = keys_of_one(h, hc_hosts_row(h, host));
    rise(h, host, key, 1);
  } else {
    keys_of(h, hc_hosts_row(h, host), h->words, key);
    rise(h, host, key, h->words);
  }
  if (h->memo_count > 0) memo_recheck(h, host);
  if (h->shapes) hc_hosts_shapes_move(h, host);
}

/* Of a plain cell that is not small only the one word of keys is kept. This, the search below and admission
 * (engine/demand.c) have loops of their own for two amounts: together 5 % of the instructions of a stream of
 * small tasks, none of them more than 2.5 % (docs/notes/003). */
static inline bool has_keys_alone(const hc_hosts *h)
{
  return h->is_plain && h->units > HC_HOSTS_FEW && !h->shapes;
}

void hc_hosts_index_sink(hc_hosts *h, uint32_t host)
{
  if (!has_keys_alone(h)) {
    sink_any(h, host);
    return;
  }
  const uint64_t key = keys_of_two(h, h->rows + (size_t)host * 2);
  sink(h, host, &key, 1);
}

void hc_hosts_index_rise(hc_hosts *h, uint32_t host)
{
  if (!has_keys_alone(h) || h->memo_count > 0) {
    rise_any(h, host);
    return;
  }
  const uint64_t key = keys_of_two(h, h->rows + (size_t)host * 2);
  rise(h, host, &key, 1);
}

/* One bit for each row of a block that is nowhere less than `need`. */
static inline uint32_t block_fits(const uint64_t *block, uint32_t words, const uint64_t *need)
{
  uint32_t bits = ALL;
  for (uint32_t w = 0; w < words; w++) bits &= hc_lanes_cover(block + w, words, need[w]);
  return bits;
}

/* Keys are rounded: of the hosts of a block that seem to fit, the lowest that does. */
static inline uint32_t first_of(const hc_hosts *h, const int64_t *need, uint64_t first, uint32_t bits,
                                uint32_t columns)
{
  for (; bits != 0; bits &= bits - 1) {
    const uint64_t host = first + (uint32_t)__builtin_ctz(bits);
    const int64_t *row = h->rows + host * columns;
    int64_t x = 0;
    for (uint32_t c = 0; c < columns; c++) x |= row[c] - need[c];
    if (x >= 0) return (uint32_t)host;
  }
  return HC_NO_HOST;
}

static inline void refresh(hc_hosts *h, uint32_t level, size_t b, uint32_t words)
{
  if (level == 0 || level + 1 >= h->levels || !h->stale[level][b]) return;
  h->stale[level][b] = 0;
  if (lower(h, level, b, words) && level + 2 < h->levels) h->stale[level + 1][b / FAN] = 1;
}

/* Blocks from the top down to the one that is looked at, and which of their rows are still to be looked at.
 * @param whole all hosts: `from`, `to` and `among` say nothing */
static inline uint32_t seek(hc_hosts *h, const int64_t *need, const uint64_t *key, bool whole, uint32_t from,
                            uint32_t to, const hc_hosts_bits *among, uint32_t words, uint32_t columns)
{
  uint32_t left[HC_HOSTS_LEVELS], l = h->levels - 1;
  size_t at[HC_HOSTS_LEVELS], b = 0;
  for (;; l--) {
    const uint64_t first = (uint64_t)b * FAN << (BITS * l); /* lowest host below the block */
    uint32_t bits = block_fits(h->bounds[l] + b * FAN * words, words, key), host;
    if (bits == 0) refresh(h, l, b, words);
    if (!whole && from > first) bits &= ALL << ((from - first) >> (BITS * l)); /* rows before `from` */
    if (!whole && among && bits != 0) bits &= bits_block(among, l, b);
    if (l == 0) {
      if (bits != 0 && (host = first_of(h, need, first, bits, columns)) != HC_NO_HOST)
        return whole || host < to ? host : HC_NO_HOST;
      bits = 0;
    }
    while (bits == 0) { /* nothing there: back to what was left behind */
      if (++l >= h->levels) return HC_NO_HOST;
      bits = left[l];
      b = at[l];
    }
    at[l] = b;
    left[l] = bits & (bits - 1);
    b = b * FAN + (uint32_t)__builtin_ctz(bits);
    if (!whole && (uint64_t)b << (BITS * l) >= to) return HC_NO_HOST;
  }
}

static __attribute__((noinline)) uint32_t seek_some(hc_hosts *h, const int64_t *need, uint32_t from,
                                                    uint32_t to, const hc_hosts_bits *among)
{
  uint64_t key[WORDS];
  if (from >= to) return HC_NO_HOST;
  if (is_small(h)) {
    const uint32_t bits = (ALL << from) & ALL & (ALL >> (FAN - HC_MIN(to, h->units)));
    return first_of(h, need, 0, among ? bits & (uint32_t)among->words[0][0] : bits, h->columns);
  }
  if (h->is_plain) {
    key[0] = keys_of_two(h, need);
    return seek(h, need, key, false, from, to, among, 1, 2);
  }
  if (h->axis_count == 1 && h->columns == 1) {
    key[0] = keys_of_one(h, need);
    return seek(h, need, key, false, from, to, among, 1, 1);
  }
  keys_of(h, need, h->words, key);
  return seek(h, need, key, false, from, to, among, h->words, h->columns);
}

/* Nearly always all hosts are asked for two amounts: that is a loop of its own, with nothing else in its
   registers. */
uint32_t hc_hosts_index_seek(hc_hosts *h, const int64_t *need, uint32_t from, uint32_t to,
                             const hc_hosts_bits *among)
{
  if (!h->is_plain || from != 0 || to != h->units || among || is_small(h))
    return seek_some(h, need, from, to, among);
  const uint64_t key = keys_of_two(h, need);
  return seek(h, need, &key, true, 0, to, NULL, 1, 2);
}

/* ---- what fits nowhere ---- */

static bool covers(const int64_t *a, const int64_t *b, uint32_t columns)
{
  for (uint32_t c = 0; c < columns; c++)
    if (a[c] < b[c]) return false;
  return true;
}

bool hc_hosts_memo_knows(const hc_hosts *h, const int64_t *need)
{
  for (uint32_t m = 0; m < h->memo_count; m++)
    if (covers(need, h->memo[m], h->columns)) return true;
  return false;
}

void hc_hosts_memo_add(hc_hosts *h, const int64_t *need)
{
  uint32_t at;
  for (uint32_t m = 0; m < h->memo_count;) {
    if (covers(h->memo[m], need, h->columns))
      memcpy(h->memo[m], h->memo[--h->memo_count], h->columns * sizeof(int64_t));
    else m++;
  }
  at = h->memo_count < HC_HOSTS_MEMO ? h->memo_count++ : h->memo_next++ % HC_HOSTS_MEMO;
  memcpy(h->memo[at], need, h->columns * sizeof *need);
}

/* ---- what must hold ---- */

void hc_hosts_index_check(const hc_hosts *h)
{
  const uint32_t n = h->words;
  uint64_t key[WORDS];
  for (size_t i = 0; i < h->units && !is_small(h); i++) {
    keys_of(h, h->rows + i * h->columns, n, key);
    HC_ASSERT(memcmp(key, h->bounds[0] + i * n, n * sizeof *key) == 0);
  }
  for (uint32_t l = 0; l < h->levels && !is_small(h); l++)
    for (size_t i = 0; i < padded(h, l) * n; i++) {
      const uint64_t x = h->bounds[l][i],
                     *above = l + 1 < h->levels ? h->bounds[l + 1] + i / n / FAN * n + i % n : NULL;
      HC_ASSERT((x & GUARDS) == GUARDS && (i < h->counts[l] * n || x == GUARDS));
      HC_ASSERT(!above || hc_lanes_greater(*above, x) == *above);
    }
  for (uint32_t m = 0; m < h->memo_count; m++)
    for (uint32_t host = 0; host < h->units; host++) HC_ASSERT(!hc_hosts_index_fits(h, h->memo[m], host));
  for (uint32_t l = 0; l + 1 < h->idle.levels; l++)
    for (size_t i = 0; i < h->idle.sizes[l]; i++)
      HC_ASSERT((h->idle.words[l][i] != 0) == (h->idle.words[l + 1][i / 64] >> (i % 64) & 1));
}
