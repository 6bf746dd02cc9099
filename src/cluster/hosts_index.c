/* hosts_index.c -- which hosts fit: bounds over rows, sets of bits, and what failed before.
 *
 * Level 0 holds the rows of hosts, eight to a block; row i of level l + 1 is at least, column by column, the
 * greatest of the eight rows from 8 i of level l. A search for the lowest host that fits walks blocks: the first
 * row of a block that may fit leads one level down, a block without one leads on, and up at the end of a block.
 * A block is looked at as a whole, without branches: one bit for each row that fits. If none does, the row above
 * it was too high, or the greatest amounts below it are of different hosts; it is lowered to what they are.
 *
 * Bounds may hold a failing search up, never mislead it: equality is not kept, only "at least". So a claim writes
 * its row alone, and what it gives back raises bounds only where they had been lowered since.
 *
 * A search over all hosts that failed is remembered, as long as no host that has got more fits it; what is
 * nowhere smaller fails too. Of what is remembered none is smaller than another. */
#include <string.h>

#include "cluster/hosts_parts.h"

enum { FAN = HC_HOSTS_FAN, WORDS = HC_HOSTS_WORDS, PAIRED = 4, GUARD = 0x8000 };
#define GUARDS UINT64_C(0x8000800080008000)

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

/* Of a block of the tree, the rows below which a bit is set: each row of level l covers 8^l bits, so that a block
 * is a byte of a word, or a word of which each byte counts. */
static inline uint32_t bits_block(const hc_hosts_bits *b, uint32_t level, size_t block)
{
  uint32_t l = level / 2;
  uint64_t word;
  if (l >= b->levels) return 0xff;
  if (level % 2 == 0) return (uint32_t)(b->words[l][block / 8] >> (block % 8 * 8)) & 0xff;
  word = b->words[l][block];
  word |= word >> 4;
  word |= word >> 2;
  word |= word >> 1;
  return (uint32_t)((word & UINT64_C(0x0101010101010101)) * UINT64_C(0x0102040810204080) >> 56);
}

/* ---- keys: four in a word ---- */

/* The greater of each pair of lanes. */
static inline uint64_t most(uint64_t a, uint64_t b)
{
  const uint64_t not_less = (a - (b & ~GUARDS)) & GUARDS; /* a lane whose guard survives */
  const uint64_t lanes = not_less - (not_less >> 15);
  return (a & lanes) | (b & ~lanes);
}

/* Does a lane of `a` equal that of `b`? */
static inline bool meets(uint64_t a, uint64_t b)
{
  return (((a ^ b) + ~GUARDS) & GUARDS) != GUARDS;
}

static inline uint32_t part_of(const hc_hosts *h, const int64_t *row, uint32_t axis)
{
  const hc_hosts_axis *a = &h->axes[axis];
  const int64_t x = row[a->column];
  return (uint32_t)((uint64_t)(HC_MIN(x, a->most) >> a->shift) * a->factor >> 16);
}

static inline uint64_t lane(uint32_t part, uint32_t i)
{
  return (uint64_t)(GUARD + 1 + part) << (16 * i);
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
    part[i] = part_of(h, row, i);
    out[n / 4] += (uint64_t)(1 + part[i]) << (16 * (n % 4));
  }
  for (uint32_t i = 0; i < h->pair_count; i++, n++) {
    const hc_hosts_pair *p = &h->pairs[i];
    const uint32_t x = part[p->a] << p->x, y = part[p->b] << p->y;
    out[n / 4] += (uint64_t)(1 + HC_MIN(x, y)) << (16 * (n % 4));
  }
  for (; n < 4 * words; n++) out[n / 4] += UINT64_C(1) << (16 * (n % 4)); /* no key: always enough */
}

/* The same for two amounts, the usual cell. */
static inline uint64_t keys_of_two(const hc_hosts *h, const int64_t *row)
{
  if ((row[0] | row[1]) < 0) return GUARDS;
  const uint32_t x = part_of(h, row, 0), y = part_of(h, row, 1);
  return lane(x, 0) | lane(y, 1) | lane(HC_MIN(x, 2 * y), 2) | lane(HC_MIN(2 * x, y), 3);
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
    add_axis(h, h->dims + 1, (int64_t)HC_DEVICES * HC_DEVICE);
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
    if (!h->bounds[h->levels]) return HC_ENOMEM;
    h->levels++;
  }
  return hc_hosts_bits_init(&h->idle, h->allocator, h->units);
}

void hc_hosts_index_fini(hc_hosts *h)
{
  hc_free(h->allocator, h->rows, (size_t)h->units * h->columns * sizeof *h->rows);
  for (uint32_t l = 0; l < h->levels; l++)
    hc_free(h->allocator, h->bounds[l], padded(h, l) * h->words * sizeof(uint64_t));
  hc_hosts_bits_fini(&h->idle, h->allocator);
}

/* The greatest keys of a block go above it. @return they were others */
static inline bool lower(hc_hosts *h, uint32_t level, size_t b, uint32_t words)
{
  const uint64_t *k = h->bounds[level] + b * FAN * words;
  uint64_t *above = h->bounds[level + 1] + b * words;
  bool changed = false;
  for (uint32_t w = 0; w < words; w++) {
    const uint64_t x =
        most(most(most(k[w], k[words + w]), most(k[2 * words + w], k[3 * words + w])),
             most(most(k[4 * words + w], k[5 * words + w]), most(k[6 * words + w], k[7 * words + w])));
    changed |= above[w] != x;
    above[w] = x;
  }
  return changed;
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
}

/* A row has grown or shrunk, in the usual cell of one word and in others. */
static inline void update(hc_hosts *h, uint32_t host, const uint64_t *key, uint32_t words)
{
  uint64_t *leaf = h->bounds[0] + (size_t)host * words;
  const uint64_t *above = h->bounds[1] + (size_t)(host / FAN) * words;
  bool matters = false;
  for (uint32_t w = 0; w < words; w++) {
    if (h->levels > 1) matters |= most(above[w], key[w]) != above[w];
#ifdef EAGER
    if (h->levels > 1) matters |= leaf[w] != key[w] && meets(leaf[w], above[w]);
#endif
    leaf[w] = key[w];
  }
  if (!matters) return;
#ifdef EAGER
  for (uint32_t l = 0; l + 1 < h->levels; l++) {
    host /= FAN;
    if (!lower(h, l, host, words)) return;
  }
#else
  for (uint32_t l = 1; l < h->levels; l++) {
    bool grows = false;
    host /= FAN;
    uint64_t *bound = h->bounds[l] + (size_t)host * words;
    for (uint32_t w = 0; w < words; w++) {
      const uint64_t x = most(bound[w], key[w]);
      grows |= x != bound[w];
      bound[w] = x;
    }
    if (!grows) return;
  }
#endif
}

void hc_hosts_index_update(hc_hosts *h, uint32_t host)
{
  uint64_t key[WORDS];
  if (h->is_plain) {
    key[0] = keys_of_two(h, hc_hosts_row(h, host));
    update(h, host, key, 1);
  } else {
    keys_of(h, hc_hosts_row(h, host), h->words, key);
    update(h, host, key, h->words);
  }
}

/* One bit for each row of a block that is nowhere less than `need`, which has no guards. */
static inline uint32_t block_fits(const uint64_t *block, uint32_t words, const uint64_t *need)
{
  uint32_t bits = 0;
  for (uint32_t i = 0; i < FAN; i++) {
    uint64_t x = GUARDS;
    for (uint32_t w = 0; w < words; w++) x &= block[i * words + w] - need[w];
    bits |= (uint32_t)((x & GUARDS) == GUARDS) << i;
  }
  return bits;
}

/* Keys are rounded: of the hosts of a block that seem to fit, the lowest that does. */
static inline uint32_t first_of(const hc_hosts *h, const int64_t *need, uint64_t first, uint32_t bits)
{
  for (; bits != 0; bits &= bits - 1) {
    const uint32_t host = (uint32_t)first + (uint32_t)__builtin_ctz(bits);
    if (hc_hosts_index_fits(h, need, host)) return host;
  }
  return HC_NO_HOST;
}

static inline uint32_t seek(hc_hosts *h, const int64_t *need, const uint64_t *key, uint32_t from, uint32_t to,
                            const hc_hosts_bits *among, uint32_t words)
{
  uint32_t l = from == 0 ? h->levels - 1 : 0;
  uint64_t i = from;
  for (;;) {
    const uint64_t b = i / FAN;
    uint32_t bits = block_fits(h->bounds[l] + b * FAN * words, words, key), host;
#ifndef EAGER
    if (bits == 0 && l + 1 < h->levels) (void)lower(h, l, b, words);
#endif
    bits &= 0xffu << (i % FAN);
    if (among && bits != 0) bits &= bits_block(among, l, b);
    if (bits != 0 && l > 0) {
      i = (b * FAN + (uint32_t)__builtin_ctz(bits)) * FAN;
      l--;
      continue;
    }
    if (bits != 0 && (host = first_of(h, need, b * FAN, bits)) != HC_NO_HOST)
      return host < to ? host : HC_NO_HOST;
    i = b + 1;
    if (++l >= h->levels) return HC_NO_HOST;
    while (i % FAN == 0 &&
           l + 1 < h->levels) { /* the end of a block: on with what is behind the block above */
      i /= FAN;
      l++;
    }
    if (i >= h->counts[l] || i << (3 * l) >= to) return HC_NO_HOST;
  }
}

uint32_t hc_hosts_index_seek(hc_hosts *h, const int64_t *need, uint32_t from, uint32_t to,
                             const hc_hosts_bits *among)
{
  uint64_t key[WORDS];
  if (from >= to) return HC_NO_HOST;
  if (h->is_plain) {
    key[0] = keys_of_two(h, need) & ~GUARDS;
    return among ? seek(h, need, key, from, to, among, 1) : seek(h, need, key, from, to, NULL, 1);
  }
  keys_of(h, need, h->words, key);
  for (uint32_t w = 0; w < h->words; w++) key[w] &= ~GUARDS;
  return seek(h, need, key, from, to, among, h->words);
}

/* ---- what fits nowhere ---- */

void hc_hosts_memo_recheck(hc_hosts *h, uint32_t host)
{
  for (uint32_t m = 0; m < h->memo_count;) {
    if (hc_hosts_index_fits(h, h->memo[m], host))
      memcpy(h->memo[m], h->memo[--h->memo_count], sizeof h->memo[m]);
    else m++;
  }
}

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
    if (covers(h->memo[m], need, h->columns)) memcpy(h->memo[m], h->memo[--h->memo_count], sizeof h->memo[m]);
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
  for (size_t i = 0; i < h->units; i++) {
    keys_of(h, h->rows + i * h->columns, n, key);
    HC_ASSERT(memcmp(key, h->bounds[0] + i * n, n * sizeof *key) == 0);
  }
  for (uint32_t l = 0; l < h->levels; l++)
    for (size_t i = 0; i < padded(h, l) * n; i++) {
      const uint64_t x = h->bounds[l][i],
                     *above = l + 1 < h->levels ? h->bounds[l + 1] + i / n / FAN * n + i % n : NULL;
      HC_ASSERT((x & GUARDS) == GUARDS && (i < h->counts[l] * n || x == GUARDS));
      HC_ASSERT(!above || most(*above, x) == *above);
    }
  for (uint32_t m = 0; m < h->memo_count; m++)
    for (uint32_t host = 0; host < h->units; host++) HC_ASSERT(!hc_hosts_index_fits(h, h->memo[m], host));
  for (uint32_t l = 0; l + 1 < h->idle.levels; l++)
    for (size_t i = 0; i < h->idle.sizes[l]; i++)
      HC_ASSERT((h->idle.words[l][i] != 0) == (h->idle.words[l + 1][i / 64] >> (i % 64) & 1));
}
