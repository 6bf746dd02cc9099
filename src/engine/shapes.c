/* shapes.c -- see shapes.h. Shapes that no queued task has are forgotten. */
#include "engine/shapes.h"

#include <string.h>

#include "base/util.h"

enum { BUCKETS = 8192 };

static uint32_t bucket_of(const hc_shape *x)
{
  uint64_t h = x->slots + 2 * (uint64_t)x->whole + 4 * (uint64_t)x->spread;
  for (uint32_t d = 0; d < HC_NEEDS; d++)
    h = (h ^ (uint64_t)x->need[d]) * UINT64_C(0x9e3779b97f4a7c15) ^ h >> 29;
  return (uint32_t)(h >> 32) % BUCKETS;
}

static bool is_same(const hc_shape *x, const hc_shape *y)
{
  return x->slots == y->slots && x->whole == y->whole && x->spread == y->spread &&
         memcmp(x->need, y->need, sizeof x->need) == 0;
}

static hc_rc prepare(hc_shapes *s, const hc_allocator *a)
{
  if (!s->list) s->list = hc_alloc(a, HC_SHAPE_LIMIT * sizeof *s->list);
  if (s->list && !s->buckets) {
    s->buckets = hc_alloc(a, BUCKETS * sizeof *s->buckets);
    s->vacant = HC_NO_SHAPE;
    for (size_t i = 0; s->buckets && i < BUCKETS; i++) s->buckets[i] = HC_NO_SHAPE;
  }
  return s->buckets ? 0 : HC_ENOMEM;
}

/* @return HC_NO_SHAPE if there are too many */
static uint16_t new_shape(hc_shapes *s)
{
  uint16_t i = s->vacant;
  if (i != HC_NO_SHAPE) s->vacant = s->list[i].next;
  else if (s->count < HC_SHAPE_LIMIT) i = s->count++;
  return i;
}

static uint16_t find(hc_shapes *s, const hc_shape *x)
{
  uint16_t *first = &s->buckets[bucket_of(x)];
  uint16_t i = *first;
  while (i != HC_NO_SHAPE && !is_same(&s->list[i], x)) i = s->list[i].next;
  if (i != HC_NO_SHAPE || (i = new_shape(s)) == HC_NO_SHAPE) return i;
  s->list[i] = *x;
  s->list[i].next = *first;
  *first = i;
  s->alive[i % HC_SHAPE_BITS]++;
  s->failed &= ~(UINT64_C(1) << i % HC_SHAPE_BITS);
  return i;
}

/* Tasks that are not known have no shape. */
static hc_rc grow(hc_shapes *s, const hc_allocator *a, hc_task t)
{
  const size_t had = s->kinds.count, count = HC_MAX(2 * had, (size_t)t + 64);
  uint8_t *bits = a->resize(a->ctx, s->kinds.of, had * sizeof *bits, count * sizeof *bits);
  uint16_t *of;
  if (!bits) return HC_ENOMEM;
  s->kinds.of = bits;
  of = a->resize(a->ctx, s->of, had * sizeof *of, count * sizeof *of);
  if (!of) { /* as it was */
    bits = a->resize(a->ctx, bits, count * sizeof *bits, had * sizeof *bits);
    if (bits || had == 0) s->kinds.of = bits;
    return HC_ENOMEM;
  }
  s->of = of;
  s->kinds.count = count;
  memset(bits + had, HC_SHAPE_BITS, (count - had) * sizeof *bits);
  memset(of + had, 0xff, (count - had) * sizeof *of); /* HC_NO_SHAPE */
  return 0;
}

hc_rc hc_shapes_join(hc_shapes *s, const hc_allocator *a, hc_task t, const hc_request *r, uint32_t dimensions)
{
  hc_shape x = {.slots = r->slots, .whole = r->whole, .spread = r->spread, .failed = UINT64_MAX};
  uint16_t i = HC_NO_SHAPE;
  TRY(prepare(s, a));
  if (t >= s->kinds.count) TRY(grow(s, a, t));
  for (uint32_t d = 0; d < dimensions; d++) x.need[d] = r->need[d];
  if (r->more == 0) i = find(s, &x);
  if (i != HC_NO_SHAPE) s->list[i].waiting++;
  s->of[t] = i;
  s->kinds.of[t] = (uint8_t)(i == HC_NO_SHAPE ? HC_SHAPE_BITS : i % HC_SHAPE_BITS);
  return 0;
}

static void forget(hc_shapes *s, uint16_t i)
{
  const uint16_t bit = i % HC_SHAPE_BITS;
  uint16_t *at = &s->buckets[bucket_of(&s->list[i])];
  while (*at != i) at = &s->list[*at].next;
  *at = s->list[i].next;
  s->list[i].next = s->vacant;
  s->vacant = i;
  s->alive[bit]--;
  if (s->list[i].failed == s->at) s->dead[bit]--;
  s->list[i].failed = UINT64_MAX;
  if (s->alive[bit] > 0 && s->dead[bit] == s->alive[bit]) s->failed |= UINT64_C(1) << bit;
}

void hc_shapes_leave(hc_shapes *s, hc_task t)
{
  const uint16_t i = t < s->kinds.count ? s->of[t] : HC_NO_SHAPE;
  if (i == HC_NO_SHAPE) return;
  s->of[t] = HC_NO_SHAPE;
  if (--s->list[i].waiting == 0) forget(s, i);
}

static void catch_up(hc_shapes *s, uint64_t grown)
{
  if (s->at == grown) return;
  s->at = grown;
  s->failed = 0;
  memset(s->dead, 0, sizeof s->dead);
}

void hc_shapes_fail(hc_shapes *s, hc_task t, uint64_t grown)
{
  const uint16_t i = t < s->kinds.count ? s->of[t] : HC_NO_SHAPE;
  const uint16_t bit = i % HC_SHAPE_BITS;
  if (i == HC_NO_SHAPE) return;
  catch_up(s, grown);
  if (s->list[i].failed == grown) return;
  s->list[i].failed = grown;
  if (++s->dead[bit] == s->alive[bit]) s->failed |= UINT64_C(1) << bit;
}

bool hc_shapes_failed(const hc_shapes *s, hc_task t, uint64_t grown)
{
  const uint16_t i = t < s->kinds.count ? s->of[t] : HC_NO_SHAPE;
  return i != HC_NO_SHAPE && s->list[i].failed == grown;
}

uint64_t hc_shapes_mask(hc_shapes *s, uint64_t grown)
{
  catch_up(s, grown);
  return s->failed;
}

void hc_shapes_reset(hc_shapes *s)
{
  if (s->kinds.count == 0) return;
  memset(s->kinds.of, HC_SHAPE_BITS, s->kinds.count * sizeof *s->kinds.of);
  memset(s->of, 0xff, s->kinds.count * sizeof *s->of);
  memset(s->buckets, 0xff, BUCKETS * sizeof *s->buckets);
  memset(s->alive, 0, sizeof s->alive);
  memset(s->dead, 0, sizeof s->dead);
  s->count = 0;
  s->vacant = HC_NO_SHAPE;
  s->at = s->failed = 0;
}

void hc_shapes_fini(hc_shapes *s, const hc_allocator *a)
{
  hc_free(a, s->kinds.of, s->kinds.count * sizeof *s->kinds.of);
  hc_free(a, s->of, s->kinds.count * sizeof *s->of);
  hc_free(a, s->list, s->list ? HC_SHAPE_LIMIT * sizeof *s->list : 0);
  hc_free(a, s->buckets, s->buckets ? BUCKETS * sizeof *s->buckets : 0);
}
