/* ends.c -- see ends.h. */
#include "policy/slurm/ends.h"

#include <string.h>

#include "base/util.h"
#include "policy/slurm/bits.h"

enum { MOST_CHANGES = 12 }; /* beyond that lists are made anew */

void hc_slurm_ends_init(hc_slurm_ends *e, const hc_slurm_books *b)
{
  *e = (hc_slurm_ends){.books = b};
}

static void gains_fini(hc_slurm_gains *g, const hc_allocator *a)
{
  hc_free(a, g->items, g->cap * sizeof *g->items);
  hc_free(a, g->ends, g->end_cap * sizeof *g->ends);
  hc_free(a, g->times, g->time_cap * sizeof *g->times);
  hc_free(a, g->jobs, g->job_cap * sizeof *g->jobs);
}

static void blocks_fini(hc_slurm_blocks *b, const hc_allocator *a)
{
  hc_free(a, b->planes, b->plane_cap * sizeof *b->planes);
  hc_free(a, b->touched, b->touched_cap * sizeof *b->touched);
}

void hc_slurm_ends_fini(hc_slurm_ends *e)
{
  if (!e->books) return;
  const hc_allocator *a = e->books->allocator;
  for (size_t i = 0; i < e->shape_count; i++) {
    gains_fini(&e->shapes[i].gains, a);
    blocks_fini(&e->shapes[i].blocks, a);
    hc_free(a, e->shapes[i].free, e->books->nodes.count * sizeof *e->shapes[i].free);
  }
  hc_free(a, e->planes, e->plane_cap * sizeof *e->planes);
  gains_fini(&e->fresh, a);
}

/* ---- lists ---- */

/* One more node with so many slots: in one of the list's last gains, if that is of the same word and slots.
 * The list begins at `first`. */
static hc_rc add(hc_slurm_gains *g, const hc_allocator *a, size_t first, uint32_t word, uint64_t nodes,
                 uint32_t slots)
{
  for (size_t i = g->count; i-- > first && g->items[i].word == word;)
    if (g->items[i].slots == slots) {
      g->items[i].nodes |= nodes;
      return 0;
    }
  TRY(hc_reserve(a, (void **)&g->items, &g->cap, g->count + 1, sizeof *g->items));
  g->items[g->count++] = (hc_slurm_gain){word, slots, nodes};
  return 0;
}

/* The list that is made is complete. */
static hc_rc close_list(hc_slurm_gains *g, const hc_allocator *a, int64_t at, hc_slurm_ender job)
{
  TRY(hc_reserve(a, (void **)&g->ends, &g->end_cap, g->known + 1, sizeof *g->ends));
  TRY(hc_reserve(a, (void **)&g->times, &g->time_cap, g->known + 1, sizeof *g->times));
  TRY(hc_reserve(a, (void **)&g->jobs, &g->job_cap, g->known + 1, sizeof *g->jobs));
  g->times[g->known] = at;
  g->jobs[g->known] = job;
  g->ends[g->known++] = (uint32_t)g->count;
  return 0;
}

/* ---- blocks ---- */

/* Of a word, behind a block: [digits]. */
static uint64_t *planes_of(const hc_slurm_ends *e, const hc_slurm_shape *s, size_t block, uint32_t word)
{
  return s->blocks.planes + (block * e->books->words + word) * s->blocks.digits;
}

/* The first block, with room for nothing, and none touched. */
static hc_rc begin_blocks(hc_slurm_ends *e, hc_slurm_shape *s)
{
  const hc_allocator *a = e->books->allocator;
  hc_slurm_blocks *b = &s->blocks;
  const size_t words = e->books->words;
  for (b->digits = 1; b->digits < 32 && s->most >> b->digits != 0;) b->digits++;
  if (s->kind == HC_SLURM_NOTHING) b->digits = 1;
  TRY(hc_reserve(a, (void **)&b->planes, &b->plane_cap, words * b->digits, sizeof *b->planes));
  TRY(hc_reserve(a, (void **)&b->touched, &b->touched_cap, words, sizeof *b->touched));
  memset(b->planes, 0, words * b->digits * sizeof *b->planes);
  memset(b->touched, 0, words * sizeof *b->touched);
  return 0;
}

/* The next block goes on from where the last one ends. @param block  its number, above 0 */
static hc_rc next_block(hc_slurm_ends *e, hc_slurm_shape *s, size_t block)
{
  const hc_allocator *a = e->books->allocator;
  hc_slurm_blocks *b = &s->blocks;
  const size_t words = e->books->words, planes = words * b->digits;
  TRY(hc_reserve(a, (void **)&b->planes, &b->plane_cap, (block + 1) * planes, sizeof *b->planes));
  TRY(hc_reserve(a, (void **)&b->touched, &b->touched_cap, (block + 1) * words, sizeof *b->touched));
  memcpy(b->planes + block * planes, b->planes + (block - 1) * planes, planes * sizeof *b->planes);
  memset(b->touched + block * words, 0, words * sizeof *b->touched);
  return 0;
}

/* Nodes of a word have room for `now` slots, and not for `before` any more. */
static void set_room(hc_slurm_shape *s, uint64_t *planes, uint64_t nodes, uint32_t before, uint32_t now)
{
  const uint32_t other = before ^ now;
  for (uint32_t i = 0; i < s->blocks.digits; i++)
    if (other >> i & 1) planes[i] ^= nodes;
}

/* So many slots more on each of the nodes of a word: digits are added, and what they carry. It does not end
 * where nothing is left to be carried: a processor cannot foretell where that will be. */
static void add_room(uint64_t *planes, uint32_t digits, uint64_t nodes, uint32_t slots)
{
  uint64_t carry = 0;
  for (uint32_t i = 0; i < digits; i++, slots >>= 1) {
    const uint64_t x = planes[i], more = nodes & -(uint64_t)(slots & 1);
    planes[i] = x ^ more ^ carry;
    carry = (x & more) | (carry & (x | more));
  }
}

/* ---- shapes ---- */

/* How many slots go on a node, of which so much is free. */
static uint32_t room_of(const hc_slurm_shape *s, int64_t free)
{
  if (s->kind == HC_SLURM_NOTHING) return 0;
  if (s->kind == HC_SLURM_WHOLE) return free == 0;
  if (free < s->need) return 0;
  if (s->kind == HC_SLURM_SPREAD || free - s->need < s->need) return 1;
  return (uint32_t)HC_MIN(s->need == 1 ? free : free / s->need, (int64_t)UINT32_MAX); /* 1: of most */
}

/* What there is now. Of a word whose idle nodes are alike one of them speaks for all.
 * @param planes  [words][digits] out; no bit is set */
static void room_now(hc_slurm_ends *e, hc_slurm_shape *s, uint64_t *planes)
{
  const hc_slurm_books *b = e->books;
  const bool whole = s->kind == HC_SLURM_WHOLE;
  for (uint32_t h = 0; h < b->nodes.count && !s->is_plain; h++)
    s->free[h] = whole ? (int64_t)b->on[h] : b->free[(size_t)h * b->nodes.dims];
  for (uint32_t w = 0; w < b->words; w++) {
    uint64_t bits = whole ? b->idle[w] : b->some[w];
    const uint64_t alike = b->uniform[w] || whole ? bits & b->idle[w] : 0;
    while (bits != 0) {
      const uint32_t i = (uint32_t)__builtin_ctzll(bits), h = w * 64 + i;
      const uint32_t room = room_of(s, s->is_plain ? b->free[(size_t)h * b->nodes.dims] : s->free[h]);
      const uint64_t nodes = alike >> i & 1 ? alike : UINT64_C(1) << i;
      set_room(s, planes + (size_t)w * s->blocks.digits, nodes, 0, room);
      bits &= ~nodes;
    }
  }
}

static hc_rc list_now(hc_slurm_ends *e, hc_slurm_shape *s)
{
  TRY(begin_blocks(e, s));
  room_now(e, s, s->blocks.planes);
  return close_list(&s->gains, e->books->allocator, INT64_MIN, (hc_slurm_ender){0});
}

/* Where all are whole slots, nodes of a word that the job has as much of are counted at once. */
static hc_rc list_plain(const hc_slurm_ends *e, const hc_slurm_shape *s, const hc_slurm_busy *x,
                        hc_slurm_gains *g)
{
  const hc_slurm_books *b = e->books;
  const size_t first = g->count, dims = b->nodes.dims;
  for (uint32_t i = 0; i < x->nodes;) {
    const uint32_t word = x->hosts[i] / 64;
    const int64_t amount = x->amounts[i * dims];
    uint64_t nodes = 0;
    for (; i < x->nodes && x->hosts[i] / 64 == word && x->amounts[i * dims] == amount; i++)
      nodes |= UINT64_C(1) << x->hosts[i] % 64;
    TRY(add(g, b->allocator, first, word, nodes, (uint32_t)(amount / s->need)));
  }
  return 0;
}

static hc_rc list_plain_end(hc_slurm_ends *e, hc_slurm_shape *s, const hc_slurm_busy *x, size_t block)
{
  const hc_slurm_books *b = e->books;
  hc_slurm_gains *g = &s->gains;
  uint64_t *touched = s->blocks.touched + block * b->words;
  const size_t first = g->count;
  TRY(list_plain(e, s, x, g));
  for (size_t i = first; i < g->count; i++) {
    const hc_slurm_gain *y = &g->items[i];
    add_room(planes_of(e, s, block, y->word), s->blocks.digits, y->nodes, y->slots);
    touched[y->word] |= y->nodes;
  }
  return close_list(g, b->allocator, x->end, (hc_slurm_ender){x->serial, x->start});
}

/* What comes with the end of a job. */
static hc_rc list_end(hc_slurm_ends *e, hc_slurm_shape *s, const hc_slurm_busy *x)
{
  const hc_slurm_books *b = e->books;
  const size_t first = s->gains.count, block = (s->gains.known - 1) / HC_SLURM_BLOCK + 1;
  if ((s->gains.known - 1) % HC_SLURM_BLOCK == 0) TRY(next_block(e, s, block));
  if (s->is_plain) return list_plain_end(e, s, x, block);
  uint64_t *touched = s->blocks.touched + block * b->words;
  for (uint32_t i = 0; i < x->nodes; i++) {
    const uint32_t host = x->hosts[i], before = room_of(s, s->free[host]);
    const uint64_t bit = UINT64_C(1) << host % 64;
    s->free[host] += s->kind == HC_SLURM_WHOLE ? -1 : x->amounts[(size_t)i * b->nodes.dims];
    const uint32_t now = room_of(s, s->free[host]);
    TRY(add(&s->gains, b->allocator, first, host / 64, bit, now - before));
    if (now != before) set_room(s, planes_of(e, s, block, host / 64), bit, before, now);
    touched[host / 64] |= bit;
  }
  return close_list(&s->gains, b->allocator, x->end, (hc_slurm_ender){x->serial, x->start});
}

/* ---- what has changed ---- */

/* So many slots less: digits are taken away, and what they borrow. What falls below 0 comes round, and back.
 */
static void take_room(uint64_t *planes, uint32_t digits, uint64_t nodes, uint32_t slots)
{
  uint64_t borrowed = 0;
  for (uint32_t i = 0; i < digits; i++, slots >>= 1) {
    const uint64_t x = planes[i], less = nodes & -(uint64_t)(slots & 1);
    planes[i] = x ^ less ^ borrowed;
    borrowed = (~x & (less | borrowed)) | (less & borrowed);
  }
}

/* Gains [first, end) come to the room behind a block, or go from it. */
static void move_gains(const hc_slurm_ends *e, hc_slurm_shape *s, size_t block, const hc_slurm_gain *first,
                       const hc_slurm_gain *end, bool come)
{
  for (const hc_slurm_gain *x = first; x < end; x++) {
    uint64_t *planes = planes_of(e, s, block, x->word);
    if (come) add_room(planes, s->blocks.digits, x->nodes, x->slots);
    else take_room(planes, s->blocks.digits, x->nodes, x->slots);
  }
}

static void move_rank(const hc_slurm_ends *e, hc_slurm_shape *s, size_t block, size_t rank, bool come)
{
  const hc_slurm_gains *g = &s->gains;
  move_gains(e, s, block, g->items + g->ends[rank - 1], g->items + g->ends[rank], come);
}

/* The block that the last known rank is in; 0: there is none. */
static size_t last_block(const hc_slurm_gains *g)
{
  return (g->known + HC_SLURM_BLOCK - 2) / HC_SLURM_BLOCK;
}

/* Those of the blocks from that of a rank on, by their lists. */
static void touch(const hc_slurm_ends *e, hc_slurm_shape *s, size_t rank)
{
  const hc_slurm_gains *g = &s->gains;
  const size_t words = e->books->words;
  for (size_t block = (rank - 1) / HC_SLURM_BLOCK + 1; block <= last_block(g); block++) {
    const size_t end = HC_MIN(block * HC_SLURM_BLOCK, g->known - 1);
    uint64_t *touched = s->blocks.touched + block * words;
    memset(touched, 0, words * sizeof *touched);
    for (size_t i = g->ends[(block - 1) * HC_SLURM_BLOCK]; i < g->ends[end]; i++)
      touched[g->items[i].word] |= g->items[i].nodes;
  }
}

/* A job has gone: those behind it come one rank before, the first of the next block into each block. */
static void remove_rank(const hc_slurm_ends *e, hc_slurm_shape *s, size_t rank)
{
  hc_slurm_gains *g = &s->gains;
  const size_t last = last_block(g), behind = g->known - rank - 1;
  const uint32_t first = g->ends[rank - 1], n = g->ends[rank] - first;
  for (size_t block = (rank - 1) / HC_SLURM_BLOCK + 1; block <= last; block++) {
    move_rank(e, s, block, rank, false);
    if (block < last) move_rank(e, s, block, block * HC_SLURM_BLOCK + 1, true);
  }
  memmove(g->items + first, g->items + first + n, (g->count - first - n) * sizeof *g->items);
  memmove(g->times + rank, g->times + rank + 1, behind * sizeof *g->times);
  memmove(g->jobs + rank, g->jobs + rank + 1, behind * sizeof *g->jobs);
  for (size_t i = rank; i < rank + behind; i++) g->ends[i] = g->ends[i + 1] - n;
  g->count -= n;
  g->known--;
}

/* A job has come: the last of each block goes into the next one, and of a last block that is full away. */
static hc_rc insert_rank(hc_slurm_ends *e, hc_slurm_shape *s, size_t rank, const hc_slurm_busy *x)
{
  const hc_allocator *a = e->books->allocator;
  hc_slurm_gains *g = &s->gains, *f = &e->fresh;
  const size_t last = last_block(g);
  f->count = 0;
  TRY(list_plain(e, s, x, f));
  for (size_t block = (rank - 1) / HC_SLURM_BLOCK + 1; block <= last; block++) {
    move_gains(e, s, block, f->items, f->items + f->count, true);
    if (block * HC_SLURM_BLOCK < g->known) move_rank(e, s, block, block * HC_SLURM_BLOCK, false);
  }
  if ((g->known - 1) % HC_SLURM_BLOCK == 0) g->count = g->ends[--g->known - 1];
  const size_t first = g->ends[rank - 1], n = f->count, behind = g->known - rank;
  TRY(hc_reserve(a, (void **)&g->items, &g->cap, g->count + n, sizeof *g->items));
  TRY(hc_reserve(a, (void **)&g->ends, &g->end_cap, g->known + 1, sizeof *g->ends));
  TRY(hc_reserve(a, (void **)&g->times, &g->time_cap, g->known + 1, sizeof *g->times));
  TRY(hc_reserve(a, (void **)&g->jobs, &g->job_cap, g->known + 1, sizeof *g->jobs));
  memmove(g->items + first + n, g->items + first, (g->count - first) * sizeof *g->items);
  if (n > 0) memcpy(g->items + first, f->items, n * sizeof *g->items);
  memmove(g->times + rank + 1, g->times + rank, behind * sizeof *g->times);
  memmove(g->jobs + rank + 1, g->jobs + rank, behind * sizeof *g->jobs);
  for (size_t i = g->known; i > rank; i--) g->ends[i] = g->ends[i - 1] + (uint32_t)n;
  g->ends[rank] = (uint32_t)(first + n);
  g->times[rank] = x->end;
  g->jobs[rank] = (hc_slurm_ender){x->serial, x->start};
  g->count += n;
  g->known++;
  return 0;
}

/* What is free now in place of before, by nodes of a word: that goes to the room behind each block. */
static void follow_word(const hc_slurm_ends *e, hc_slurm_shape *s, uint32_t word, const uint64_t *now)
{
  const uint32_t digits = s->blocks.digits;
  const size_t last = last_block(&s->gains);
  uint64_t more[32], borrowed = 0;
  const uint64_t *before = planes_of(e, s, 0, word);
  for (uint32_t i = 0; i < digits; i++) {
    const uint64_t x = now[i], less = before[i];
    more[i] = x ^ less ^ borrowed;
    borrowed = (~x & (less | borrowed)) | (less & borrowed);
  }
  for (size_t block = 0; block <= last; block++) {
    uint64_t *planes = planes_of(e, s, block, word), carry = 0;
    for (uint32_t i = 0; i < digits; i++) {
      const uint64_t x = planes[i];
      planes[i] = x ^ more[i] ^ carry;
      carry = (x & more[i]) | (carry & (x | more[i]));
    }
  }
}

static hc_rc follow_now(hc_slurm_ends *e, hc_slurm_shape *s)
{
  const size_t digits = s->blocks.digits, n = e->books->words * digits;
  TRY(hc_reserve(e->books->allocator, (void **)&e->planes, &e->plane_cap, n, sizeof *e->planes));
  memset(e->planes, 0, n * sizeof *e->planes);
  room_now(e, s, e->planes);
  for (uint32_t w = 0; w < e->books->words; w++)
    if (memcmp(e->planes + w * digits, s->blocks.planes + w * digits, digits * sizeof *e->planes) != 0)
      follow_word(e, s, w, e->planes + w * digits);
  return 0;
}

/* Lists and blocks as jobs have come and gone, both of which are sorted by ends and serials.
 * @return 1; 0: too many have, and all are to be made anew; HC_ENOMEM */
static hc_rc follow(hc_slurm_ends *e, hc_slurm_shape *s)
{
  const hc_slurm_books *b = e->books;
  hc_slurm_gains *g = &s->gains;
  size_t rank = 1, first = 0;
  TRY(follow_now(e, s));
  for (int changes = 0; rank < g->known;) {
    const hc_slurm_busy *x = rank <= b->running_count ? &b->jobs[b->by_end[rank - 1]] : NULL;
    const hc_slurm_ender *y = &g->jobs[rank];
    if (x && x->end == g->times[rank] && x->serial == y->serial && x->start == y->start) {
      rank++;
      continue;
    }
    if (++changes > MOST_CHANGES) return 0;
    if (first == 0) first = rank;
    if (x && (x->end < g->times[rank] || (x->end == g->times[rank] && x->serial < y->serial)))
      TRY(insert_rank(e, s, rank++, x));
    else remove_rank(e, s, rank);
  }
  if (first > 0) touch(e, s, first);
  return 1;
}

static void forget(hc_slurm_gains *g)
{
  g->count = g->known = 0;
}

static hc_rc find(hc_slurm_ends *e, hc_slurm_shape_kind kind, int64_t need, hc_slurm_shape **out)
{
  for (size_t i = 0; i < e->shape_count; i++) {
    hc_slurm_shape *s = *out = &e->shapes[i];
    if (s->kind == kind && s->need == need) return 0;
  }
  if (e->shape_count < HC_SLURM_SHAPES) {
    hc_slurm_shape *s = &e->shapes[e->shape_count];
    *s = (hc_slurm_shape){.free = hc_alloc(e->books->allocator, e->books->nodes.count * sizeof *s->free)};
    if (!s->free) return HC_ENOMEM;
    *out = &e->shapes[e->shape_count++];
  } else *out = &e->shapes[e->next++ % HC_SLURM_SHAPES];
  (*out)->kind = kind;
  (*out)->need = need;
  forget(&(*out)->gains);
  return 0;
}

hc_rc hc_slurm_ends_shape(hc_slurm_ends *e, const hc_slurm_ask *ask, hc_slurm_shape **out, bool *is_exact)
{
  const hc_slurm_books *b = e->books;
  const bool no_saying = b->shared[0] || ask->need[0] <= 0 || ask->is_alone;
  const hc_slurm_shape_kind kind = b->cores.words > 0 ? HC_SLURM_NOTHING /* jobs may have the same cores */
                                   : ask->is_whole    ? HC_SLURM_WHOLE
                                   : no_saying        ? HC_SLURM_NOTHING
                                   : ask->is_spread   ? HC_SLURM_SPREAD
                                                      : HC_SLURM_SLOTS;
  const int64_t need = kind == HC_SLURM_SLOTS || kind == HC_SLURM_SPREAD ? ask->need[0] : 0;
  hc_slurm_shape *s;
  TRY(find(e, kind, need, out));
  s = *out;
  /* Switches may be in the way of a job for which there is room. */
  *is_exact = !b->nodes.tree && !ask->is_least_loaded && !ask->caps && kind != HC_SLURM_NOTHING &&
              ask->most == 0 && (kind != HC_SLURM_SLOTS || ask->least <= 1);
  for (uint32_t d = 1; d < b->nodes.dims && !ask->is_whole; d++)
    *is_exact = *is_exact && (b->shared[d] || ask->need[d] <= 0);
  if (s->version == b->version && s->gains.known > 0) return 0;
  const bool was_plain = s->is_plain && s->gains.known > 0 && b->version - s->version == b->plain - s->plain;
  s->version = b->version;
  s->plain = b->plain;
  s->most = kind == HC_SLURM_NOTHING ? UINT32_MAX
            : kind == HC_SLURM_SLOTS ? (uint32_t)HC_MIN(b->largest / need, (int64_t)UINT32_MAX)
                                     : 1;
  s->is_plain = kind == HC_SLURM_SLOTS && !b->owes && b->unit % need == 0 && b->unit > 0;
  if (was_plain && s->is_plain) {
    const hc_rc rc = follow(e, s);
    if (rc != 0) return HC_MIN(rc, 0);
  }
  forget(&s->gains);
  return list_now(e, s);
}

/* ---- questions ---- */

/* Lists are known up to a rank that there is. */
static hc_rc know(hc_slurm_ends *e, hc_slurm_shape *s, size_t rank)
{
  const hc_slurm_books *b = e->books;
  while (s->gains.known <= rank) TRY(list_end(e, s, &b->jobs[b->by_end[s->gains.known - 1]]));
  return 0;
}

hc_rc hc_slurm_ends_time(hc_slurm_ends *e, hc_slurm_shape *s, size_t rank, int64_t *at)
{
  *at = HC_NEVER;
  if (rank > e->books->running_count) return 0;
  TRY(know(e, s, rank));
  *at = s->gains.times[rank];
  return 0;
}

hc_rc hc_slurm_ends_by(hc_slurm_ends *e, hc_slurm_shape *s, int64_t at, size_t *rank)
{
  const hc_slurm_gains *g = &s->gains;
  while (g->known <= e->books->running_count && g->times[g->known - 1] <= at) TRY(know(e, s, g->known));
  size_t low = 0, high = g->known - 1; /* rank 0 is in the past; beyond `high` all end later */
  while (low < high) {
    const size_t mid = high - (high - low) / 2;
    if (g->times[mid] <= at) low = mid;
    else high = mid - 1;
  }
  *rank = low;
  return 0;
}

/* Slots on nodes of the mask. */
HC_PART_OF_IT uint64_t sum_planes(const uint64_t *planes, uint32_t digits, const uint64_t *mask,
                                  uint32_t words)
{
  uint64_t sum = 0;
  for (uint32_t w = 0; w < words; w++, planes += digits) {
    const uint64_t nodes = mask[w];
    if (nodes == 0) continue;
    for (uint32_t i = 0; i < digits; i++) sum += (uint64_t)hc_bits_of(nodes & planes[i]) << i;
  }
  return sum;
}

/* Slots on nodes of the mask behind a block. Digits of nodes of one to 31 cores are counted in a row. */
HC_COUNTS_BITS static uint64_t room_behind(const hc_slurm_ends *e, const hc_slurm_shape *s, size_t block,
                                           const uint64_t *mask)
{
  const uint64_t *planes = planes_of(e, s, block, 0);
  const uint32_t words = e->books->words;
  switch (s->blocks.digits) {
    case 1: return sum_planes(planes, 1, mask, words);
    case 2: return sum_planes(planes, 2, mask, words);
    case 3: return sum_planes(planes, 3, mask, words);
    case 4: return sum_planes(planes, 4, mask, words);
    case 5: return sum_planes(planes, 5, mask, words);
    default: return sum_planes(planes, s->blocks.digits, mask, words);
  }
}

/* Add what the ends of jobs give to the slots on nodes of the mask: of those behind `rank`, one by one, until
 * there are enough. @return the last of them, `end` at most */
HC_COUNTS_BITS static size_t gather(const hc_slurm_shape *s, size_t rank, size_t end, const uint64_t *mask,
                                    uint64_t enough, uint64_t *slots)
{
  const hc_slurm_gains *g = &s->gains;
  uint64_t sum = *slots;
  for (; rank < end && sum < enough; rank++)
    for (size_t i = g->ends[rank]; i < g->ends[rank + 1]; i++)
      sum += (uint64_t)g->items[i].slots * hc_bits_of(g->items[i].nodes & mask[g->items[i].word]);
  *slots = sum;
  return rank;
}

uint64_t hc_slurm_ends_room(const hc_slurm_ends *e, const hc_slurm_shape *s, size_t rank,
                            const uint64_t *mask)
{
  const size_t block = rank / HC_SLURM_BLOCK;
  uint64_t slots = room_behind(e, s, block, mask);
  (void)gather(s, block * HC_SLURM_BLOCK, rank, mask, UINT64_MAX, &slots);
  return slots;
}

hc_rc hc_slurm_ends_planes(hc_slurm_ends *e, const hc_slurm_shape *s, size_t rank, const uint64_t **planes)
{
  const hc_slurm_gains *g = &s->gains;
  const uint32_t digits = s->blocks.digits;
  const size_t n = e->books->words * (size_t)digits;
  size_t block = rank / HC_SLURM_BLOCK;
  const bool goes_back =
      rank % HC_SLURM_BLOCK > HC_SLURM_BLOCK / 2 && (block + 1) * HC_SLURM_BLOCK < g->known;
  block += goes_back;
  *planes = planes_of(e, s, block, 0);
  if (block * HC_SLURM_BLOCK == rank) return 0;
  TRY(hc_reserve(e->books->allocator, (void **)&e->planes, &e->plane_cap, n, sizeof *e->planes));
  memcpy(e->planes, *planes, n * sizeof *e->planes);
  for (size_t i = g->ends[block * HC_SLURM_BLOCK]; i < g->ends[rank]; i++) {
    const hc_slurm_gain *x = &g->items[i];
    add_room(e->planes + (size_t)x->word * digits, digits, x->nodes, x->slots);
  }
  for (size_t i = g->ends[rank]; i < g->ends[block * HC_SLURM_BLOCK]; i++) {
    const hc_slurm_gain *x = &g->items[i];
    take_room(e->planes + (size_t)x->word * digits, digits, x->nodes, x->slots);
  }
  *planes = e->planes;
  return 0;
}

/* Is there enough behind a block? @param sum  out: what there is */
static hc_rc is_enough(hc_slurm_ends *e, hc_slurm_shape *s, uint64_t slots, const uint64_t *mask,
                       size_t block, uint64_t *sum)
{
  TRY(know(e, s, block * HC_SLURM_BLOCK));
  *sum = room_behind(e, s, block, mask);
  return *sum >= slots;
}

/* Blocks are tried from where there was enough last on, in growing steps, and then by halving. */
hc_rc hc_slurm_ends_reach(hc_slurm_ends *e, hc_slurm_shape *s, uint64_t slots, const uint64_t *mask,
                          size_t most, size_t *rank)
{
  const size_t last = most / HC_SLURM_BLOCK;
  size_t low = 0,
         high = last + 1; /* behind all blocks before `low` there is too little, behind `high` enough */
  uint64_t sum = 0, here;
  for (size_t at = HC_MIN(s->blocks.sought, last), step = 1; low < high;) {
    const hc_rc rc = is_enough(e, s, slots, mask, at, &here);
    if (rc < 0) return rc;
    if (rc > 0) high = at;
    else low = at + 1, sum = here;
    if (low > 0 && high <= last) at = low + (high - low) / 2;
    else if (rc > 0) at -= HC_MIN(at, step);
    else at = HC_MIN(at + step, last);
    step *= 2;
  }
  s->blocks.sought = high;
  *rank = 0;
  if (high == 0) return 1;
  const size_t end = HC_MIN(high * HC_SLURM_BLOCK, most);
  TRY(know(e, s, end));
  *rank = gather(s, (high - 1) * HC_SLURM_BLOCK, end, mask, slots, &sum);
  return sum >= slots;
}

static bool is_on(const hc_slurm_shape *s, size_t rank, const uint64_t *mask)
{
  const hc_slurm_gains *g = &s->gains;
  for (size_t i = g->ends[rank - 1]; i < g->ends[rank]; i++)
    if (g->items[i].nodes & mask[g->items[i].word]) return true;
  return false;
}

static bool is_touched(const hc_slurm_ends *e, const hc_slurm_shape *s, size_t block, const uint64_t *mask)
{
  const uint64_t *touched = s->blocks.touched + block * e->books->words;
  for (uint32_t w = 0; w < e->books->words; w++)
    if (touched[w] & mask[w]) return true;
  return false;
}

/* The block that a rank is in: the first is 1. */
static size_t block_of(size_t rank)
{
  return (rank - 1) / HC_SLURM_BLOCK + 1;
}

hc_rc hc_slurm_ends_next(hc_slurm_ends *e, hc_slurm_shape *s, const uint64_t *mask, size_t from, size_t *rank)
{
  const size_t count = e->books->running_count;
  for (size_t i = HC_MAX(from, 1); i <= count;) {
    const size_t end = HC_MIN(block_of(i) * HC_SLURM_BLOCK, count);
    TRY(know(e, s, end));
    if (!is_touched(e, s, block_of(i), mask)) {
      i = end + 1;
      continue;
    }
    for (; i <= end; i++) {
      if (!is_on(s, i, mask)) continue;
      *rank = i;
      return 1;
    }
  }
  return 0;
}

size_t hc_slurm_ends_last(const hc_slurm_ends *e, const hc_slurm_shape *s, const uint64_t *mask, size_t rank)
{
  for (size_t i = rank > 0 ? rank - 1 : 0; i > 0;) {
    const size_t begin = (block_of(i) - 1) * HC_SLURM_BLOCK;
    const bool touched = is_touched(e, s, block_of(i), mask);
    for (; i > begin && touched; i--)
      if (is_on(s, i, mask)) return i;
    i = begin;
  }
  return 0;
}
