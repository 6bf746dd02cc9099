/* uses.c -- claims whose real use is known step by step. See uses.h.
 *
 * Rooms for steps have powers of two as sizes; a room that is given back is used again for as many. */
#include "metric/uses.h"

#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "metric/machine.h"

#define HOST_BITS 24 /* a cell has at most 2^24 hosts */

void hc_uses_init(hc_uses *u, const hc_allocator *a)
{
  *u = (hc_uses){.allocator = a};
  hc_map_init(&u->places, a);
}

void hc_uses_fini(hc_uses *u)
{
  if (!u->allocator) return;
  hc_free(u->allocator, u->claims, u->cap * sizeof *u->claims);
  hc_free(u->allocator, u->steps, u->step_cap * sizeof *u->steps);
  hc_map_fini(&u->places);
  hc_uses_init(u, u->allocator);
}

static uint64_t key_of(uint64_t serial, uint32_t host)
{
  return serial << HOST_BITS | (host & ((UINT32_C(1) << HOST_BITS) - 1));
}

static unsigned class_of(uint32_t steps)
{
  unsigned k = 0;
  while (UINT32_C(1) << k < steps) k++;
  return k;
}

/* ---- rooms and places ---- */

/* What is free may have been loaded from a damaged file. */
static bool is_room(const hc_uses *u, uint64_t free, unsigned k)
{
  return free > 0 && free - 1 < u->step_count && u->step_count - (free - 1) >= (uint64_t)1 << k;
}

static hc_rc take_room(hc_uses *u, uint32_t steps, uint64_t *out)
{
  const unsigned k = class_of(steps);
  if (k >= HC_USE_CLASSES) return HC_ELIMIT;
  if (is_room(u, u->free[k], k)) {
    *out = u->free[k] - 1;
    u->free[k] = (uint64_t)u->steps[*out].until;
    return 0;
  }
  const size_t need = u->step_count + ((size_t)1 << k);
  TRY(hc_reserve(u->allocator, (void **)&u->steps, &u->step_cap, need, sizeof *u->steps));
  memset(u->steps + u->step_count, 0, (need - u->step_count) * sizeof *u->steps);
  *out = u->step_count;
  u->step_count = need;
  return 0;
}

static hc_rc take_place(hc_uses *u, uint32_t *out)
{
  if (u->vacant > 0) {
    *out = u->vacant - 1;
    u->vacant = u->claims[*out].host;
    return 0;
  }
  TRY(hc_reserve(u->allocator, (void **)&u->claims, &u->cap, u->count + 1, sizeof *u->claims));
  *out = (uint32_t)u->count++;
  return 0;
}

static void give_back(hc_uses *u, uint32_t place)
{
  hc_use_claim *c = &u->claims[place];
  const unsigned k = class_of(c->steps);
  u->steps[c->at].until = (int64_t)u->free[k];
  u->free[k] = c->at + 1;
  *c = (hc_use_claim){.host = u->vacant};
  u->vacant = place + 1;
}

/* ---- claims ---- */

hc_rc hc_uses_begin(hc_uses *u, const hc_change *c, const hc_task_extras *m)
{
  const uint64_t key = key_of(c->serial, c->host);
  uint64_t at;
  uint32_t place;
  if (m->use_count == 0) return 0;
  place = hc_map_get(&u->places, key);
  if (place != HC_MAP_NONE) {
    hc_use_claim *had = &u->claims[place];
    had->cpu = hc_amount_plus(had->cpu, c->amount[HC_DIM_CPU]);
    had->memory = hc_amount_plus(had->memory, c->amount[HC_DIM_MEMORY]);
    had->slots += c->use_slots;
    had->parts++;
    return 0;
  }
  TRY(take_room(u, (uint32_t)m->use_count, &at));
  TRY(take_place(u, &place));
  u->claims[place] = (hc_use_claim){.serial = c->serial,
                                    .start = c->at,
                                    .counted = c->at,
                                    .cpu = c->amount[HC_DIM_CPU],
                                    .memory = c->amount[HC_DIM_MEMORY],
                                    .at = at,
                                    .steps = (uint32_t)m->use_count,
                                    .slots = c->use_slots,
                                    .host = c->host,
                                    .parts = 1};
  memcpy(u->steps + at, m->uses, m->use_count * sizeof *m->uses);
  return hc_map_set(&u->places, key, place);
}

static hc_rc count(hc_uses *u, hc_use_claim *c, hc_time t, hc_use_hearer each, void *ctx)
{
  for (uint32_t i = 0; i < c->steps && c->counted < t; i++) {
    const hc_use_step *s = &u->steps[c->at + i];
    const hc_time end = i + 1 < c->steps ? hc_time_add(c->start, s->until) : t;
    const hc_time to = HC_MIN(end, t);
    if (to <= c->counted) continue;
    TRY(each(ctx, c, s, c->counted, to));
    c->counted = to;
  }
  return 0;
}

/* It goes on with other amounts: what it used beside those it had so far is counted, and it begins again with
 * the others at once (hc_uses_begin), in the midst of its steps. */
static hc_rc change(hc_uses *u, hc_use_claim *had, const hc_change *c, hc_use_hearer each, void *ctx)
{
  TRY(count(u, had, c->at, each, ctx));
  had->cpu = hc_amount_minus(had->cpu, c->amount[HC_DIM_CPU]);
  had->memory = hc_amount_minus(had->memory, c->amount[HC_DIM_MEMORY]);
  had->slots -= c->use_slots;
  had->parts--;
  return 1;
}

hc_rc hc_uses_end(hc_uses *u, const hc_change *c, hc_use_hearer each, void *ctx)
{
  const uint64_t key = key_of(c->serial, c->host);
  const uint32_t place = hc_map_get(&u->places, key);
  hc_rc rc;
  if (place == HC_MAP_NONE) return 0;
  if (c->resized) return change(u, &u->claims[place], c, each, ctx);
  if (--u->claims[place].parts > 0) return 1;
  rc = count(u, &u->claims[place], c->at, each, ctx);
  hc_map_remove(&u->places, key);
  give_back(u, place);
  return rc < 0 ? rc : 1;
}

hc_rc hc_uses_count(hc_uses *u, hc_time t, hc_use_hearer each, void *ctx)
{
  for (size_t i = 0; i < u->count; i++)
    if (u->claims[i].steps > 0) TRY(count(u, &u->claims[i], t, each, ctx));
  return 0;
}

/* ---- state ---- */

/* What is loaded may come from a damaged file. */
static bool is_sound(const hc_uses *u)
{
  if (u->vacant > u->count) return false;
  for (size_t i = 0; i < u->count; i++) {
    const hc_use_claim *c = &u->claims[i];
    if (c->steps == 0 ? c->host > u->count
                      : class_of(c->steps) >= HC_USE_CLASSES || c->at > u->step_count ||
                            (uint64_t)1 << class_of(c->steps) > u->step_count - c->at)
      return false;
  }
  return true;
}

hc_rc hc_uses_visit(hc_uses *u, hc_visitor *v)
{
  HC_VISIT_ARRAY(v, u->claims, u->count, u->cap);
  HC_VISIT_ARRAY(v, u->steps, u->step_count, u->step_cap);
  HC_VISIT(v, u->vacant);
  HC_VISIT(v, u->free);
  if (!hc_visit_loading(v)) return 0;
  if (!is_sound(u)) return HC_EINPUT;
  hc_map_fini(&u->places);
  hc_map_init(&u->places, u->allocator);
  for (size_t i = 0; i < u->count; i++) {
    const hc_use_claim *c = &u->claims[i];
    if (c->steps > 0) TRY(hc_map_set(&u->places, key_of(c->serial, c->host), (uint32_t)i));
  }
  return 0;
}
