/* beats.c -- groups of hosts in the order in which they report. */
#include "architecture/beats.h"

#include <stdlib.h>

#include "base/math.h"
#include "base/mem.h"
#include "base/util.h"

/* When a host reports, and with which others. */
typedef struct report {
  hc_time at;
  uint32_t host, group;
} report;

static int by_time(const void *a, const void *b)
{
  const report *x = a, *y = b;
  if (x->at != y->at) return x->at < y->at ? -1 : 1;
  if (x->group != y->group) return x->group < y->group ? -1 : 1;
  return x->host < y->host ? -1 : x->host > y->host;
}

static hc_time phase_of(const hc_beats_options *o, uint32_t host)
{
  hc_draws draws = {o->seed, o->replication, host, HC_PURPOSE_HEARTBEAT, 0};
  switch (o->rule) {
    case HC_PHASE_RANDOM: return (hc_time)hc_random_below(&draws, (uint64_t)o->period);
    case HC_PHASE_STAGGERED: return o->period / o->hosts * host + o->period % o->hosts * host / o->hosts;
    case HC_PHASE_ZERO: break;
  }
  return 0;
}

/* Which hosts report together, and when that is seen. A batch is seen with the last of its reports, a window
 * at its end. A host's number is its group where it stands alone. */
static void put_together(const hc_beats_options *o, report *r)
{
  const uint32_t n = o->hosts, batch = HC_MAX(o->batch, 1);
  for (uint32_t i = 0; i < n; i++) r[i] = (report){.at = phase_of(o, i), .host = i};
  qsort(r, n, sizeof *r, by_time);
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t last = HC_MIN(i / batch * batch + batch, n) - 1;
    if (o->window > 0) r[i].at = (r[i].at + o->window - 1) / o->window * o->window % o->period;
    else r[i].at = r[last].at; /* not changed yet, or already its own */
    r[i].group = o->window > 0 ? 0 : i / batch;
  }
  for (uint32_t i = 0; i < n; i++) r[i].at = (r[i].at + o->shift) % o->period;
  qsort(r, n, sizeof *r, by_time);
}

static void cut(hc_beats *b, const report *r)
{
  for (uint32_t i = 0; i < b->hosts; i++) {
    if (i == 0 || r[i].at != r[i - 1].at || r[i].group != r[i - 1].group) {
      b->at[b->count] = r[i].at;
      b->first[b->count++] = i;
    }
    b->members[i] = r[i].host;
    b->group_of[r[i].host] = b->count - 1;
  }
  b->first[b->count] = b->hosts;
}

hc_rc hc_beats_init(hc_beats *b, const hc_allocator *a, const hc_beats_options *o)
{
  const uint32_t n = o->hosts;
  report *r = hc_alloc(a, n * sizeof *r + 1);
  *b = (hc_beats){.allocator = a, .period = o->period, .hosts = n, .words = n / 64 + 1};
  b->at = hc_alloc(a, n * sizeof *b->at);
  b->first = hc_alloc(a, (n + 1) * sizeof *b->first);
  b->members = hc_alloc(a, n * sizeof *b->members);
  b->group_of = hc_alloc(a, n * sizeof *b->group_of);
  b->bits = hc_alloc(a, (b->words + b->words / 64 + 1) * sizeof *b->bits);
  if (!r || !b->at || !b->first || !b->members || !b->group_of || !b->bits) {
    hc_free(a, r, n * sizeof *r + 1);
    return HC_ENOMEM;
  }
  put_together(o, r);
  cut(b, r);
  hc_free(a, r, n * sizeof *r + 1);
  return 0;
}

void hc_beats_fini(hc_beats *b)
{
  const hc_allocator *a = b->allocator;
  if (!a) return;
  hc_free(a, b->at, b->hosts * sizeof *b->at);
  hc_free(a, b->first, (b->hosts + 1) * sizeof *b->first);
  hc_free(a, b->members, b->hosts * sizeof *b->members);
  hc_free(a, b->group_of, b->hosts * sizeof *b->group_of);
  hc_free(a, b->bits, (b->words + b->words / 64 + 1) * sizeof *b->bits);
}

void hc_beats_set(hc_beats *b, uint32_t group, bool is_open)
{
  const size_t word = group / 64;
  uint64_t *above = b->bits + b->words + word / 64;
  if (is_open) b->bits[word] |= UINT64_C(1) << group % 64;
  else b->bits[word] &= ~(UINT64_C(1) << group % 64);
  if (b->bits[word] != 0) *above |= UINT64_C(1) << word % 64;
  else *above &= ~(UINT64_C(1) << word % 64);
}

/* The first bit that is set from `from` on, of [words]; SIZE_MAX if there is none. */
static size_t next_bit(const uint64_t *bits, size_t words, size_t from)
{
  size_t w = from / 64;
  uint64_t x;
  if (w >= words) return SIZE_MAX;
  x = bits[w] >> from % 64 << from % 64;
  while (x == 0 && ++w < words) x = bits[w];
  return x == 0 ? SIZE_MAX : w * 64 + (size_t)__builtin_ctzll(x);
}

uint32_t hc_beats_next(const hc_beats *b, uint32_t from)
{
  const size_t word = from / 64;
  uint64_t rest;
  size_t other;
  if (from >= b->count) return HC_NO_BEAT;
  rest = b->bits[word] >> from % 64 << from % 64;
  if (rest != 0) return (uint32_t)(word * 64 + (size_t)__builtin_ctzll(rest));
  other = next_bit(b->bits + b->words, b->words / 64 + 1, word + 1);
  return other == SIZE_MAX ? HC_NO_BEAT : (uint32_t)(other * 64 + (size_t)__builtin_ctzll(b->bits[other]));
}

uint32_t hc_beats_from(const hc_beats *b, hc_time at)
{
  uint32_t low = 0, n = b->count;
  while (n > 0) {
    const uint32_t half = n / 2;
    if (b->at[low + half] < at) {
      low += half + 1;
      n -= half + 1;
    } else {
      n = half;
    }
  }
  return low;
}
