/* outages.c -- units (hosts, or zones that fail as one) that fail and are repaired.
 *
 *            fails (silently)                found
 *     UP -----------------------> SILENT -----------,
 *     ^  \                                          v
 *     |   `------- fails ------------------------> down: WAITS for a crew, then IN_REPAIR
 *     |                                             |
 *     |<------------------- repaired ---------------'
 *     |                                             | if its place has been taken
 *     '--- TAKES_OVER <--- a place is free --- SPARE <
 *
 * Without spares, crews, spreading and silence each unit is an alternating renewal process of its own.
 *
 * Crews repair so many at a time; units wait for one in the order in which they went down. Spares are units
 * that are not in service at first. When a unit goes down the spare that has been one longest takes its
 * place, `spare_time` later, and what is repaired is a spare from then on, or takes a place that is free for
 * want of spares, at once. So as many are in service as at first, or less; a spare does not age. A failure
 * takes with it each unit in service of its group with the chance `spread`, from which it goes no further;
 * whether it is silent is one draw for all of them.
 *
 * Draws are named by (seed, replication, unit, purpose) and numbered by the failures of the unit, so that
 * nothing shifts them: time number n between failures is the same whatever repairs take, and whatever other
 * units do. The next moment of every unit lies in a heap that knows where each is, since a failure that
 * spreads takes others out of turn. What happens at one instant is in order of unit, and what follows from a
 * failure at once is directly behind it. Memory: 32 bytes a unit. */
#include "cluster/outages.h"

#include "base/state.h"
#include "base/util.h"
#include "hindcast/cell.h"

#define NOWHERE UINT32_MAX

typedef struct unit {
  hc_time at; /* of its next moment, if it has one */
  uint64_t failures;
  uint32_t where; /* in the heap; NOWHERE */
  uint32_t state; /* hc_unit_state */
} unit;

/* Units in order: a ring, with room for all. */
typedef struct ring {
  uint32_t *items; /* [units] */
  size_t first, count;
} ring;

struct hc_outages {
  const hc_allocator *allocator;
  hc_outage_rules rules;
  uint32_t count;
  unit *units;    /* [count] */
  uint32_t *heap; /* [count] */
  ring waiting, spares;
  hc_outage *told; /* [told_cap] what has happened, and is still to be said: from told_first on */
  size_t told_cap;
  struct { /* plain state */
    uint64_t heaped, told_first, told_count;
    uint64_t busy, vacant; /* crews; places that nothing has taken */
  } s;
};

/* ---- the heap of moments ---- */

static bool is_before(const hc_outages *o, uint32_t a, uint32_t b)
{
  return o->units[a].at != o->units[b].at ? o->units[a].at < o->units[b].at : a < b;
}

static void lay(hc_outages *o, size_t place, uint32_t u)
{
  o->heap[place] = u;
  o->units[u].where = (uint32_t)place;
}

/* Lay a unit into the hole, or where it belongs above or below it. */
static void settle(hc_outages *o, size_t hole, uint32_t u)
{
  const size_t n = (size_t)o->s.heaped;
  for (; hole > 0 && is_before(o, u, o->heap[(hole - 1) / 2]); hole = (hole - 1) / 2)
    lay(o, hole, o->heap[(hole - 1) / 2]);
  for (size_t child; (child = 2 * hole + 1) < n; hole = child) {
    if (child + 1 < n && is_before(o, o->heap[child + 1], o->heap[child])) child++;
    if (!is_before(o, o->heap[child], u)) break;
    lay(o, hole, o->heap[child]);
  }
  lay(o, hole, u);
}

static void forget(hc_outages *o, uint32_t u)
{
  const size_t hole = o->units[u].where;
  if (hole == NOWHERE) return;
  o->units[u].where = NOWHERE;
  const uint32_t last = o->heap[--o->s.heaped];
  if (last != u) settle(o, hole, last);
}

static void expect(hc_outages *o, uint32_t u, hc_time at)
{
  unit *x = &o->units[u];
  x->at = at;
  if (at == HC_NEVER) forget(o, u);
  else settle(o, x->where == NOWHERE ? (size_t)o->s.heaped++ : x->where, u);
}

/* ---- rings ---- */

static void join(hc_outages *o, ring *r, uint32_t u)
{
  r->items[(r->first + r->count++) % o->count] = u;
}

static uint32_t take(hc_outages *o, ring *r)
{
  const uint32_t u = r->items[r->first];
  r->first = (r->first + 1) % o->count;
  r->count--;
  return u;
}

/* ---- draws ---- */

static hc_draws stream(const hc_outages *o, uint64_t entity, uint64_t purpose, uint64_t number)
{
  return (hc_draws){.seed = o->rules.seed,
                    .replication = o->rules.replication,
                    .entity = entity,
                    .purpose = purpose,
                    .draw = number};
}

static hc_time draw_time(const hc_outages *o, const hc_lifetime *l, uint32_t u, uint64_t purpose,
                         uint64_t number)
{
  const hc_draws s = stream(o, u, purpose, 0);
  return hc_lifetime_draw(l, &s, number);
}

static bool draw_chance(const hc_outages *o, double chance, uint64_t entity, uint64_t purpose,
                        uint64_t number)
{
  hc_draws s = stream(o, entity, purpose, number);
  return chance > 0 && hc_random_unit(&s) < chance;
}

/* ---- what happens ---- */

static hc_rc tell(hc_outages *o, hc_time at, uint32_t u, hc_outage_kind kind)
{
  TRY(hc_reserve(o->allocator, (void **)&o->told, &o->told_cap, (size_t)o->s.told_count + 1,
                 sizeof *o->told));
  o->told[o->s.told_count++] = (hc_outage){.at = at, .unit = u, .kind = kind};
  return 0;
}

static hc_rc serve(hc_outages *o, uint32_t u, hc_time now)
{
  const hc_time life = draw_time(o, &o->rules.up, u, HC_PURPOSE_FAILURE, o->units[u].failures);
  const hc_time at = hc_time_add(now, life);
  o->units[u].state = HC_UNIT_UP;
  expect(o, u, at > o->rules.until ? HC_NEVER : at);
  return tell(o, now, u, HC_OUTAGE_UP);
}

static void repair(hc_outages *o, uint32_t u, hc_time now)
{
  o->s.busy++;
  o->units[u].state = HC_UNIT_IN_REPAIR;
  expect(o, u,
         hc_time_add(now, draw_time(o, &o->rules.down, u, HC_PURPOSE_REPAIR, o->units[u].failures - 1)));
}

static hc_rc replace(hc_outages *o, hc_time now)
{
  if (!o->rules.has_spares) return 0;
  if (o->spares.count == 0) {
    o->s.vacant++;
    return 0;
  }
  const uint32_t u = take(o, &o->spares);
  if (o->rules.spare_time == 0) return serve(o, u, now);
  o->units[u].state = HC_UNIT_TAKES_OVER;
  expect(o, u, hc_time_add(now, o->rules.spare_time));
  return 0;
}

/* It is known that it has failed. */
static hc_rc go_down(hc_outages *o, uint32_t u, hc_time now)
{
  o->units[u].failures++;
  TRY(tell(o, now, u, HC_OUTAGE_DOWN));
  if (o->rules.crews == 0 || o->s.busy < o->rules.crews) repair(o, u, now);
  else {
    o->units[u].state = HC_UNIT_WAITS;
    forget(o, u);
    join(o, &o->waiting, u);
  }
  return replace(o, now);
}

static hc_rc fail_one(hc_outages *o, uint32_t u, hc_time now, bool silent)
{
  if (!silent) return go_down(o, u, now);
  o->units[u].state = HC_UNIT_SILENT;
  expect(o, u, hc_time_add(now, draw_time(o, &o->rules.found, u, HC_PURPOSE_FOUND, o->units[u].failures)));
  return tell(o, now, u, HC_OUTAGE_SILENT);
}

/* A unit fails, and takes others of its group with it. */
static hc_rc fail(hc_outages *o, uint32_t u, hc_time now)
{
  const hc_outage_rules *r = &o->rules;
  const uint64_t number = o->units[u].failures;
  const bool silent = draw_chance(o, r->silent, u, HC_PURPOSE_SILENT, number);
  const uint32_t group = r->group_of ? r->group_of[u] : HC_NO_NAME;
  TRY(fail_one(o, u, now, silent));
  if (group == HC_NO_NAME) return 0;
  for (uint32_t i = r->groups[group]; i < r->groups[group + 1]; i++) {
    const uint32_t v = r->members[i];
    if (v == u || o->units[v].state != HC_UNIT_UP || o->units[v].at == now) continue;
    if (draw_chance(o, r->spread, (uint64_t)u << 32 | v, HC_PURPOSE_SPREAD, number))
      TRY(fail_one(o, v, now, silent));
  }
  return 0;
}

static hc_rc repaired(hc_outages *o, uint32_t u, hc_time now)
{
  o->s.busy--;
  if (o->waiting.count > 0) repair(o, take(o, &o->waiting), now);
  if (!o->rules.has_spares) return serve(o, u, now);
  if (o->s.vacant > 0) {
    o->s.vacant--;
    return serve(o, u, now);
  }
  o->units[u].state = HC_UNIT_SPARE;
  forget(o, u);
  join(o, &o->spares, u);
  return 0;
}

static hc_rc happen(hc_outages *o)
{
  const uint32_t u = o->heap[0];
  const hc_time now = o->units[u].at;
  switch ((hc_unit_state)o->units[u].state) {
    case HC_UNIT_UP: return fail(o, u, now);
    case HC_UNIT_SILENT: return go_down(o, u, now);
    case HC_UNIT_IN_REPAIR: return repaired(o, u, now);
    case HC_UNIT_TAKES_OVER: return serve(o, u, now);
    case HC_UNIT_ABSENT:
    case HC_UNIT_WAITS:
    case HC_UNIT_SPARE: break; /* they have no moment */
  }
  return HC_EINPUT;
}

hc_rc hc_outages_next(hc_outages *o, hc_outage *out)
{
  while (o->s.told_first == o->s.told_count) {
    o->s.told_first = o->s.told_count = 0;
    if (o->s.heaped == 0) return 0;
    TRY(happen(o));
  }
  *out = o->told[o->s.told_first++];
  return 1;
}

/* ---- birth, state and death ---- */

/* All are up at first but the spares, and that is said of those alone. */
static hc_rc begin(hc_outages *o, const uint8_t *states)
{
  for (uint32_t u = 0; u < o->count; u++) {
    o->units[u] = (unit){.where = NOWHERE, .state = states[u]};
    if (states[u] == HC_UNIT_SPARE) {
      join(o, &o->spares, u);
      TRY(tell(o, 0, u, HC_OUTAGE_DOWN));
    }
    if (states[u] != HC_UNIT_UP) continue;
    const hc_time at = draw_time(o, &o->rules.up, u, HC_PURPOSE_FAILURE, 0);
    if (at <= o->rules.until) expect(o, u, at);
  }
  return 0;
}

hc_rc hc_outages_new(const hc_allocator *a, const hc_outage_rules *rules, const uint8_t *states,
                     uint32_t units, hc_outages **out)
{
  hc_outages *o = hc_alloc(a, sizeof *o);
  const size_t room = (size_t)units + 1;
  hc_rc rc;
  if (!o) return HC_ENOMEM;
  *o = (hc_outages){.allocator = a, .rules = *rules, .count = units};
  o->units = hc_alloc(a, room * sizeof *o->units);
  o->heap = hc_alloc(a, room * sizeof *o->heap);
  o->waiting.items = hc_alloc(a, room * sizeof *o->waiting.items);
  o->spares.items = hc_alloc(a, room * sizeof *o->spares.items);
  rc = o->units && o->heap && o->waiting.items && o->spares.items ? begin(o, states) : HC_ENOMEM;
  if (rc < 0) hc_outages_free(o);
  else *out = o;
  return rc;
}

void hc_outages_free(hc_outages *o)
{
  if (!o) return;
  const size_t room = (size_t)o->count + 1;
  hc_free(o->allocator, o->units, room * sizeof *o->units);
  hc_free(o->allocator, o->heap, room * sizeof *o->heap);
  hc_free(o->allocator, o->waiting.items, room * sizeof *o->waiting.items);
  hc_free(o->allocator, o->spares.items, room * sizeof *o->spares.items);
  hc_free(o->allocator, o->told, o->told_cap * sizeof *o->told);
  hc_free(o->allocator, o, sizeof *o);
}

static hc_rc visit_ring(hc_outages *o, ring *r, hc_visitor *v)
{
  HC_VISIT(v, r->first);
  HC_VISIT(v, r->count);
  TRY(hc_visit_bytes(v, r->items, o->count * sizeof *r->items));
  if (!hc_visit_loading(v)) return 0;
  if (r->first >= HC_MAX(o->count, 1) || r->count > o->count) return HC_EINPUT;
  for (size_t i = 0; i < r->count; i++)
    if (r->items[(r->first + i) % o->count] >= o->count) return HC_EINPUT;
  return 0;
}

static hc_rc check(const hc_outages *o)
{
  if (o->s.heaped > o->count || o->s.told_first > o->s.told_count) return HC_EINPUT;
  for (size_t i = 0; i < o->s.heaped; i++)
    if (o->heap[i] >= o->count || o->units[o->heap[i]].where != i) return HC_EINPUT;
  for (uint32_t u = 0; u < o->count; u++) {
    const unit *x = &o->units[u];
    if (x->state > HC_UNIT_TAKES_OVER || (x->where != NOWHERE && x->where >= o->s.heaped)) return HC_EINPUT;
  }
  for (size_t i = 0; i < o->s.told_count; i++)
    if (o->told[i].unit >= o->count) return HC_EINPUT;
  return 0;
}

hc_rc hc_outages_visit(hc_outages *o, hc_visitor *v)
{
  size_t told = (size_t)o->s.told_count;
  HC_VISIT(v, o->s);
  TRY(hc_visit_bytes(v, o->units, o->count * sizeof *o->units));
  TRY(hc_visit_bytes(v, o->heap, o->count * sizeof *o->heap));
  TRY(visit_ring(o, &o->waiting, v));
  TRY(visit_ring(o, &o->spares, v));
  HC_VISIT_ARRAY(v, o->told, told, o->told_cap);
  if (!hc_visit_loading(v)) return 0;
  return told == o->s.told_count ? check(o) : HC_EINPUT;
}
