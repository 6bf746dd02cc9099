/* space.c -- see space.h. Source: the plan of sched/backfill of Slurm 22.05, as it behaves. */
#include "policy/slurm/space.h"

#include <string.h>

#include "base/util.h"
#include "policy/slurm/bits.h"

void hc_slurm_space_init(hc_slurm_space *s, const hc_allocator *a, uint32_t words)
{
  *s = (hc_slurm_space){.allocator = a, .words = words};
}

void hc_slurm_space_fini(hc_slurm_space *s)
{
  for (size_t i = 0; i < s->cap; i++)
    hc_free(s->allocator, s->stretches[i].nodes, (size_t)2 * s->words * sizeof(uint64_t));
  hc_free(s->allocator, s->stretches, s->cap * sizeof *s->stretches);
  *s = (hc_slurm_space){0};
}

/* Both sets of bits of a stretch lie in one piece. */
static hc_rc reserve(hc_slurm_space *s, size_t need)
{
  size_t cap = s->cap;
  TRY(hc_reserve(s->allocator, (void **)&s->stretches, &cap, need, sizeof *s->stretches));
  for (; s->cap < cap; s->cap++) s->stretches[s->cap].nodes = NULL;
  for (size_t i = s->count; i < need; i++) {
    hc_slurm_stretch *x = &s->stretches[i];
    if (!x->nodes && !(x->nodes = hc_alloc(s->allocator, (size_t)2 * s->words * sizeof(uint64_t))))
      return HC_ENOMEM;
    x->tail = x->nodes + s->words;
  }
  return 0;
}

hc_rc hc_slurm_space_clear(hc_slurm_space *s, int64_t begin, int64_t end, const uint64_t *all)
{
  s->count = 0;
  TRY(reserve(s, 1));
  hc_slurm_stretch *x = &s->stretches[0];
  *x = (hc_slurm_stretch){.begin = begin, .end = end, .nodes = x->nodes, .tail = x->tail};
  memcpy(x->nodes, all, s->words * sizeof *all);
  memcpy(x->tail, all, s->words * sizeof *all);
  s->count = 1;
  return 0;
}

hc_slurm_words hc_slurm_words_of(const uint64_t *nodes, uint32_t words)
{
  hc_slurm_words e = {0, words};
  while (e.first < e.end && nodes[e.first] == 0) e.first++;
  while (e.end > e.first && nodes[e.end - 1] == 0) e.end--;
  return e;
}

/* ---- questions ---- */

/* The first stretch that ends after `from`. */
static size_t first_of(const hc_slurm_space *s, int64_t from)
{
  size_t low = 0, high = s->count;
  while (low < high) {
    const size_t mid = low + (high - low) / 2;
    if (s->stretches[mid].end <= from) low = mid + 1;
    else high = mid;
  }
  return low;
}

static bool has_more(const hc_slurm_stretch *x)
{
  return x->more.end > 0;
}

/* The end of the first of stretches [i, end) that is followed by one that offers a node more; 0: none is. */
static int64_t next_more(const hc_slurm_space *s, size_t i, size_t end)
{
  for (; i < end; i++)
    if (has_more(&s->stretches[i])) return s->stretches[i].end;
  return 0;
}

int64_t hc_slurm_space_mask(const hc_slurm_space *s, int64_t from, int64_t to, uint64_t *nodes)
{
  const size_t first = first_of(s, from);
  size_t end = first;
  for (; end < s->count && s->stretches[end].begin <= to; end++)
    for (uint32_t w = 0; w < s->words; w++) nodes[w] &= s->stretches[end].nodes[w];
  return next_more(s, first, HC_MIN(end + 1, s->count));
}

/* Behind the last stretch that begins at `to` at the latest. */
static size_t end_of(const hc_slurm_space *s, int64_t to)
{
  const size_t at = first_of(s, to);
  return at < s->count && s->stretches[at].begin <= to ? at + 1 : at;
}

int64_t hc_slurm_space_skip(const hc_slurm_space *s, int64_t from, int64_t length, int64_t until,
                            int64_t reach, int64_t *again)
{
  *again = 0;
  for (size_t i = first_of(s, from); i < s->count; i++) {
    const hc_slurm_stretch *x = &s->stretches[i];
    if (i > 0 && x[-1].begin > from + length && x->begin > from) return from;
    if (!has_more(x)) continue;
    *again = x->end;
    if (x->end >= reach || from >= until) return from;
    from = x->end;
    *again = 0;
  }
  return from;
}

/* Take away what a stretch does not offer and the one behind it does. */
static void narrow(const hc_slurm_stretch *x, uint64_t *nodes)
{
  for (uint32_t w = x->more.first; w < x->more.end; w++) nodes[w] &= x->nodes[w];
}

HC_COUNTS_BITS bool hc_slurm_space_enough(const hc_slurm_space *s, const uint64_t *nodes, uint32_t least)
{
  uint32_t n = 0;
  for (uint32_t w = 0; w < s->words && n < least; w++)
    if (nodes[w] != 0) n += hc_bits_of(nodes[w]);
  return n >= least;
}

/* Nodes that stretches [first, end) all offer. */
static void meet(const hc_slurm_space *s, size_t first, size_t end, const uint64_t *may, uint64_t *nodes)
{
  const bool is_tail = end == s->count && first < end;
  const uint64_t *last = is_tail ? s->stretches[first].tail : end > first ? s->stretches[end - 1].nodes : may;
  for (uint32_t w = 0; w < s->words; w++) nodes[w] = may[w] & last[w];
  for (size_t i = end; !is_tail && i-- > first;)
    if (i + 1 < end && has_more(&s->stretches[i])) narrow(&s->stretches[i], nodes);
}

void hc_slurm_space_meet(const hc_slurm_space *s, int64_t from, int64_t to, uint64_t *nodes)
{
  meet(s, first_of(s, from), end_of(s, to), nodes, nodes);
}

/* The last stretch from which on to the end there are too few. There is one. */
static size_t last_scarce(const hc_slurm_space *s, size_t first, size_t end, const uint64_t *may,
                          uint32_t least, uint64_t *nodes)
{
  for (size_t i = end; i-- > first;) {
    meet(s, i, i + 1, i + 1 == end ? may : nodes, nodes);
    if (!hc_slurm_space_enough(s, nodes, least)) return i;
  }
  return first;
}

bool hc_slurm_space_window(const hc_slurm_space *s, int64_t from, int64_t to, const uint64_t *may,
                           uint32_t least, uint64_t *nodes, int64_t *again)
{
  const size_t first = first_of(s, from), end = end_of(s, to); /* of the window */
  meet(s, first, end, may, nodes);
  *again = next_more(s, first, HC_MIN(end + 1, s->count));
  if (hc_slurm_space_enough(s, nodes, least)) return true;
  if (first == end) return false;
  /* As long as it begins with that stretch or before, it has too few. */
  for (size_t i = last_scarce(s, first, end, may, least, nodes) + 1; i-- > first;)
    if (has_more(&s->stretches[i])) {
      *again = s->stretches[i].end;
      break;
    }
  return false;
}

size_t hc_slurm_space_windows(const hc_slurm_space *s, int64_t from, int64_t length, const uint64_t *may,
                              size_t most, uint64_t *nodes, int64_t *until)
{
  const size_t end = end_of(s, from + length); /* of the first window */
  size_t begin = first_of(s, from), last = begin, n = 0;
  for (size_t i = begin; i < s->count && n < most && begin < end; i++) {
    const hc_slurm_stretch *x = &s->stretches[i];
    if (i > 0 && x[-1].begin > from + length && x->begin > from) break;
    if (!has_more(x)) continue;
    last = begin;
    begin = i + 1;
    *until = from = x->end;
    n++;
  }
  if (n > 0) meet(s, last, end, may, nodes);
  return n;
}

int64_t hc_slurm_space_holds(const hc_slurm_space *s, int64_t from, int64_t length)
{
  const size_t first = first_of(s, from), end = end_of(s, from + length);
  if (first == s->count) return from;
  return end == s->count ? s->stretches[first].end
                         : HC_MIN(s->stretches[first].end, s->stretches[end].begin - length);
}

bool hc_slurm_space_has(const hc_slurm_space *s, int64_t from, int64_t to, const uint64_t *nodes)
{
  const hc_slurm_words e = hc_slurm_words_of(nodes, s->words);
  for (size_t i = first_of(s, from); i < s->count && s->stretches[i].begin < to; i++)
    for (uint32_t w = e.first; w < e.end; w++)
      if (nodes[w] & ~s->stretches[i].nodes[w]) return false;
  return true;
}

/* ---- plans ---- */

/* Let a stretch begin at `at`, if one spans it. */
static hc_rc cut(hc_slurm_space *s, int64_t at)
{
  const size_t i = first_of(s, at);
  if (i == s->count || s->stretches[i].begin >= at) return 0;
  TRY(reserve(s, s->count + 1));
  hc_slurm_stretch *x = s->stretches;
  uint64_t *nodes = x[s->count].nodes;
  memmove(x + i + 2, x + i + 1, (s->count - i - 1) * sizeof *x);
  memcpy(nodes, x[i].nodes, (size_t)2 * s->words * sizeof *nodes);
  x[i + 1] = (hc_slurm_stretch){at, x[i].end, nodes, nodes + s->words, x[i].more, x[i].less};
  x[i].end = at;
  x[i].more = x[i].less = (hc_slurm_words){0, 0};
  s->count++;
  return 0;
}

/* In which words has one what the other has not? In none but those of `e`, or of `known`. */
static hc_slurm_words beyond(const uint64_t *one, const uint64_t *other, hc_slurm_words known,
                             hc_slurm_words e)
{
  if (known.end > 0) e = (hc_slurm_words){HC_MIN(e.first, known.first), HC_MAX(e.end, known.end)};
  while (e.first < e.end && !(one[e.first] & ~other[e.first])) e.first++;
  while (e.end > e.first && !(one[e.end - 1] & ~other[e.end - 1])) e.end--;
  return e.first < e.end ? e : (hc_slurm_words){0, 0};
}

/* Words of `e` of a stretch or the next are others now. */
static void compare(hc_slurm_space *s, size_t i, hc_slurm_words e)
{
  hc_slurm_stretch *x = &s->stretches[i];
  x->more = beyond(x[1].nodes, x->nodes, x->more, e);
  x->less = beyond(x->nodes, x[1].nodes, x->less, e);
}

/* The same nodes were taken from both: what one has and the other has not is no more than it was. */
static void compare_taken(hc_slurm_space *s, size_t i)
{
  hc_slurm_stretch *x = &s->stretches[i];
  if (x->more.end > 0) x->more = beyond(x[1].nodes, x->nodes, x->more, x->more);
  if (x->less.end > 0) x->less = beyond(x->nodes, x[1].nodes, x->less, x->less);
}

/* Stretches that offer the same are one: from `first` on, and none behind `end`. */
static void join(hc_slurm_space *s, size_t first, size_t end)
{
  size_t n = first;
  for (size_t i = first + 1; i < s->count; i++) {
    if (i > end && n + 1 == i) return;
    hc_slurm_stretch *last = &s->stretches[n], *x = &s->stretches[i];
    if (last->more.end == 0 && last->less.end == 0) {
      last->end = x->end;
      last->more = x->more;
      last->less = x->less;
      continue;
    }
    if (++n == i) continue;
    const hc_slurm_stretch moved = *x;
    *x = s->stretches[n];
    s->stretches[n] = moved;
  }
  s->count = n + 1;
}

/* Take nodes out of what is free from the stretches before `end` on to the end of the table: that grows from
 * one stretch to the next, so that where none of them was in it none was before. */
static void take_tails(hc_slurm_space *s, size_t end, const uint64_t *nodes, hc_slurm_words e)
{
  bool is_in = true;
  for (size_t i = end; i-- > 0 && is_in;) {
    uint64_t *tail = s->stretches[i].tail, before = 0;
    for (uint32_t w = e.first; w < e.end; w++) {
      before |= tail[w] & nodes[w];
      tail[w] &= ~nodes[w];
    }
    is_in = before != 0;
  }
}

hc_rc hc_slurm_space_take(hc_slurm_space *s, int64_t from, int64_t to, const uint64_t *nodes)
{
  const hc_slurm_words e = hc_slurm_words_of(nodes, s->words);
  TRY(cut(s, from));
  TRY(cut(s, to));
  size_t first = first_of(s, from), end;
  if (first < s->count && s->stretches[first].begin < from) first++;
  for (end = first; end < s->count && s->stretches[end].end <= to; end++) {
    hc_slurm_stretch *x = &s->stretches[end];
    for (uint32_t w = e.first; w < e.end; w++) x->nodes[w] &= ~nodes[w];
  }
  if (end > first) take_tails(s, end, nodes, e);
  for (size_t i = first; i + 1 < end; i++) compare_taken(s, i);
  if (end > first && end < s->count) compare(s, end - 1, e);
  if (first > 0 && first < s->count) compare(s, first - 1, e);
  join(s, first > 0 ? first - 1 : 0, end);
  return 0;
}
