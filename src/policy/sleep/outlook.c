/* outlook.c -- what each host is for from now on. See outlook.h. */
#include "policy/sleep/outlook.h"

#include <string.h>

#include "base/util.h"

void hc_outlook_init(hc_outlook *o, const hc_allocator *a, uint32_t hosts)
{
  *o = (hc_outlook){.allocator = a, .hosts = hosts, .words = (hosts + 63) / 64};
}

void hc_outlook_fini(hc_outlook *o)
{
  if (!o->allocator) return;
  hc_free(o->allocator, o->from, o->from_cap * sizeof *o->from);
  hc_free(o->allocator, o->sets, o->sets_cap * sizeof *o->sets);
}

static size_t size_of(const hc_outlook *o, size_t pieces)
{
  return pieces * HC_USE_COUNT * o->words;
}

static hc_rc make_room(hc_outlook *o, size_t pieces)
{
  TRY(hc_reserve(o->allocator, (void **)&o->from, &o->from_cap, pieces, sizeof *o->from));
  return hc_reserve(o->allocator, (void **)&o->sets, &o->sets_cap, size_of(o, pieces), sizeof *o->sets);
}

hc_rc hc_outlook_clear(hc_outlook *o, hc_time now)
{
  TRY(make_room(o, 1));
  o->count = 1;
  o->from[0] = now;
  memset(o->sets, 0, size_of(o, 1) * sizeof *o->sets);
  return 0;
}

hc_rc hc_outlook_copy(hc_outlook *to, const hc_outlook *of)
{
  TRY(make_room(to, of->count));
  to->count = of->count;
  memcpy(to->from, of->from, of->count * sizeof *of->from);
  memcpy(to->sets, of->sets, size_of(of, of->count) * sizeof *of->sets);
  return 0;
}

/* The piece that begins at a time, which one that lasts over it is cut for. HC_NEVER: behind the last. */
static hc_rc cut(hc_outlook *o, hc_time at, size_t *out)
{
  size_t low = 0, high = o->count; /* the first that begins after `at` */
  while (low < high) {
    const size_t mid = (low + high) / 2;
    if (o->from[mid] <= at) low = mid + 1;
    else high = mid;
  }
  if (at == HC_NEVER) low = o->count;
  *out = low;
  if (at == HC_NEVER) return 0;
  if (low > 0 && o->from[low - 1] == at) {
    *out = low - 1;
    return 0;
  }
  HC_ASSERT(low > 0);
  TRY(make_room(o, o->count + 1));
  memmove(&o->from[low + 1], &o->from[low], (o->count - low) * sizeof *o->from);
  memmove(&o->sets[size_of(o, low)], &o->sets[size_of(o, low - 1)],
          size_of(o, o->count - low + 1) * sizeof *o->sets);
  o->from[low] = at;
  o->count++;
  return 0;
}

hc_rc hc_outlook_use(hc_outlook *o, const uint64_t *hosts, hc_time from, hc_time to, hc_use use)
{
  size_t first, last;
  if (from >= to) return 0;
  TRY(cut(o, from, &first));
  TRY(cut(o, to, &last));
  for (size_t k = first; k < last; k++)
    for (int u = 0; u < HC_USE_COUNT; u++) {
      uint64_t *set = hc_outlook_set(o, k, (hc_use)u);
      for (size_t w = 0; w < o->words; w++) set[w] = u == (int)use ? set[w] | hosts[w] : set[w] & ~hosts[w];
    }
  return 0;
}

hc_rc hc_outlook_use_one(hc_outlook *o, uint32_t host, hc_time from, hc_time to, hc_use use)
{
  const uint64_t bit = UINT64_C(1) << (host % 64);
  size_t first, last;
  if (from >= to) return 0;
  TRY(cut(o, from, &first));
  TRY(cut(o, to, &last));
  for (size_t k = first; k < last; k++) {
    for (int u = 0; u < HC_USE_COUNT; u++) hc_outlook_set(o, k, (hc_use)u)[host / 64] &= ~bit;
    hc_outlook_set(o, k, use)[host / 64] |= bit;
  }
  return 0;
}

bool hc_outlook_always(const hc_outlook *o, uint32_t host, hc_use use)
{
  for (size_t k = 0; k < o->count; k++)
    if (!hc_outlook_is(o, k, use, host)) return false;
  return true;
}

uint32_t hc_outlook_number(const hc_outlook *o, size_t piece, hc_use use)
{
  const uint64_t *set = hc_outlook_set(o, piece, use);
  uint32_t n = 0;
  for (size_t w = 0; w < o->words; w++) n += (uint32_t)__builtin_popcountll(set[w]);
  return n;
}
