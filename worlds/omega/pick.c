/* pick.c -- see pick.h.
 *
 * Probing: each probe is one draw, one byte, one exchange: 1.7 ns while the pool lies in the nearest cache.
 * The draws of a search in vain cannot be skipped, since their exchanges decide what later searches find, and
 * nextInt draws again once in 2^31 / n times. But once the last machine that fits is gone no look is
 * needed whether one does.
 *
 * Choosing: a size of task that is kept has a list of the machines on which it fits, from which one is drawn.
 * Other sizes, and schedulers that may not use all machines, try any machine a few times, and then list those
 * that are right: one pass over the machines for a job. */
#include "omega/pick.h"

#include "base/util.h"
#include "omega/java_random.h"

#define TRIES 8

static hc_rc place(hc_omega_cell *c, uint32_t m, hc_omega_amounts task, hc_omega_places *out)
{
  out->items[out->count++] = (hc_omega_place){m, c->state[m].sequence};
  return hc_omega_cell_take(c, m, task);
}

/* ---- probing ---- */

/* Take machine i out of the first `left` of a pool, by exchange with the last of them. @return it */
#define TAKE_OUT(pool, i, left, m) \
  do { \
    (pool)[i] = (pool)[(left)-1]; \
    (pool)[(left)-1] = (m); \
  } while (0)

/* The rest of a search in which nothing fits any more. */
static void shuffle(hc_omega_picker *p, uint32_t left)
{
  const uint64_t *magic = p->magic->of;
  uint32_t *pool = p->pool;
  uint16_t *small = p->small_pool;
  uint64_t s = p->state;
  p->misses += left;
  for (; small && left > 0; left--) {
    const uint32_t i = hc_java_below(&s, left, magic[left]);
    const uint32_t m = small[i];
    TAKE_OUT(small, i, left, (uint16_t)m);
  }
  for (; left > 0; left--) {
    const uint32_t i = hc_java_below(&s, left, magic[left]), m = pool[i];
    TAKE_OUT(pool, i, left, m);
  }
  p->state = s;
}

/* Probe a small pool until a machine fits: what nearly all probes are. */
static uint32_t probe_small(hc_omega_picker *p, const uint8_t *fits, uint32_t *left_io)
{
  const uint64_t *magic = p->magic->of;
  uint16_t *pool = p->small_pool;
  uint32_t left = *left_io, found = p->machines;
  uint64_t s = p->state;
  while (left > 0) {
    const uint32_t i = hc_java_below(&s, left, magic[left]);
    const uint32_t m = pool[i];
    if (fits[m]) {
      found = m;
      break;
    }
    TAKE_OUT(pool, i, left, (uint16_t)m);
    left--;
  }
  p->misses += *left_io - left;
  p->state = s;
  *left_io = left;
  return found;
}

/* The same of any pool and any test. @return the machine, or `machines` if none fits */
static uint32_t probe(hc_omega_picker *p, const hc_omega_cell *c, const uint8_t *fits, hc_omega_amounts task,
                      uint32_t *left)
{
  if (p->small_pool && fits) return probe_small(p, fits, left);
  while (*left > 0) {
    const uint32_t i = hc_java_below(&p->state, *left, p->magic->of[*left]);
    const uint32_t m = p->small_pool ? p->small_pool[i] : p->pool[i];
    if (fits ? fits[m] : hc_omega_cell_fits(c, m, task)) return m;
    if (p->small_pool) TAKE_OUT(p->small_pool, i, *left, (uint16_t)m);
    else TAKE_OUT(p->pool, i, *left, m);
    --*left;
    p->misses++;
  }
  return p->machines;
}

static hc_rc probe_all(hc_omega_picker *p, hc_omega_cell *c, hc_omega_amounts task, uint32_t wanted,
                       hc_omega_places *out)
{
  const hc_omega_shape *shape = hc_omega_cell_shape(c, task);
  uint32_t left = p->machines - p->blacklisted;
  for (; wanted > 0 && left > 0; wanted--) {
    uint32_t m;
    if (shape && shape->count == 0) {
      shuffle(p, left);
      break;
    }
    m = probe(p, c, shape ? shape->fits : NULL, task, &left);
    if (m == p->machines) break;
    TRY(place(c, m, task, out));
  }
  return 0;
}

/* ---- choosing ---- */

static bool is_allowed(const hc_omega_picker *p, uint32_t m)
{
  return !p->forbidden || !(p->forbidden[m / 64] >> (m % 64) & 1);
}

/* Any machine, a few times. @return `machines` if none was right */
static uint32_t try_any(hc_omega_picker *p, const hc_omega_cell *c, hc_omega_amounts task)
{
  for (int i = 0; i < TRIES; i++) {
    const uint32_t m = (uint32_t)hc_random_block_below(&p->draws, c->machines);
    if (is_allowed(p, m) && hc_omega_cell_fits(c, m, task)) return m;
  }
  return p->machines;
}

/* Without a list that is kept: a few tries, and then a list for the rest of the search. */
static hc_rc choose_slowly(hc_omega_picker *p, hc_omega_cell *c, hc_omega_amounts task, uint32_t wanted,
                           hc_omega_places *out)
{
  uint32_t count = 0, m;
  for (; wanted > 0 && (m = try_any(p, c, task)) != p->machines; wanted--) TRY(place(c, m, task, out));
  for (m = 0; wanted > 0 && m < c->machines; m++)
    if (is_allowed(p, m) && hc_omega_cell_fits(c, m, task)) p->found[count++] = m;
  for (; wanted > 0 && count > 0; wanted--) {
    const uint32_t i = (uint32_t)hc_random_block_below(&p->draws, count);
    m = p->found[i];
    TRY(place(c, m, task, out));
    if (!hc_omega_cell_fits(c, m, task)) p->found[i] = p->found[--count];
  }
  return 0;
}

static hc_rc choose_all(hc_omega_picker *p, hc_omega_cell *c, hc_omega_amounts task, uint32_t wanted,
                        hc_omega_places *out)
{
  const hc_omega_shape *s = hc_omega_cell_shape(c, task);
  if (!s || p->forbidden) return choose_slowly(p, c, task, wanted, out);
  for (; wanted > 0 && s->count > 0; wanted--)
    TRY(place(c, s->members[hc_random_block_below(&p->draws, s->count)], task, out));
  return 0;
}

hc_rc hc_omega_pick(hc_omega_picker *p, hc_omega_cell *c, hc_omega_amounts task, uint32_t wanted,
                    hc_omega_places *out)
{
  out->count = 0;
  p->misses = 0;
  TRY(hc_reserve(c->allocator, (void **)&out->items, &out->cap, wanted, sizeof *out->items));
  return p->probes ? probe_all(p, c, task, wanted, out) : choose_all(p, c, task, wanted, out);
}
