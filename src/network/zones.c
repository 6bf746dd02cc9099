/* zones.c -- routes through a platform of SimGrid. See zones.h. */
#include "network/zones.h"

#include <string.h>

#include "base/math.h"
#include "base/xml.h"

/* ---- birth and death ---- */

hc_rc hc_zones_init(hc_zones *z, hc_platform *p, double loop_bandwidth, double loop_latency, hc_error *e)
{
  const hc_platform_link loop = {.bandwidth = loop_bandwidth, .latency = loop_latency, .is_fatpipe = true};
  hc_rc rc;
  *z = (hc_zones){.platform = *p};
  *p = (hc_platform){.allocator = NULL};
  hc_arena_init(&z->arena, z->platform.allocator);
  hc_map_init(&z->routes, z->platform.allocator);
  hc_map_init(&z->bypasses, z->platform.allocator);
  rc = hc_zones_build(z, e);
  if (rc == 0) {
    z->loopback = (uint32_t)z->platform.links_count;
    rc = hc_platform_link_new(&z->platform, "__loopback__", &loop, 0, e);
  }
  if (rc < 0) hc_zones_fini(z);
  return rc;
}

void hc_zones_fini(hc_zones *z)
{
  hc_map_fini(&z->routes);
  hc_map_fini(&z->bypasses);
  hc_arena_fini(&z->arena);
  hc_platform_free(&z->platform);
}

/* ---- a route while it is made ---- */

enum { LATENCY = 1, LINKS = 2 }; /* what is added */

typedef struct walk {
  const hc_zones *z;
  uint32_t *links;
  uint32_t first, count; /* first: where the links begin that are put before by Dijkstra's routing */
  double latency;
  bool by_place; /* coordinates said how far it is, and may say 0 */
} walk;

static hc_rc global(walk *w, uint32_t from, uint32_t to, unsigned what);

static void add(walk *w, uint32_t use, unsigned what)
{
  const uint32_t link = HC_USE_LINK(use);
  if (what & LATENCY) w->latency += w->z->platform.links[link].latency;
  if (what & LINKS) w->links[w->count++] = link;
}

static void add_quietly(walk *w, uint32_t link, unsigned what)
{
  if (what & LINKS) w->links[w->count++] = link;
}

static void add_span(walk *w, const uint32_t *ids, hc_span s, unsigned what)
{
  for (uint32_t i = 0; i < s.count; i++) add(w, ids[s.first + i], what);
}

/* A declared route. @param value as in the maps @param is_turned each is added last link first: latencies in
 * their order, links in the other */
static void add_route(walk *w, uint32_t value, unsigned what, bool is_turned)
{
  const hc_platform_route *r = &w->z->platform.routes[value / 2];
  const uint32_t *uses = w->z->platform.uses + r->first;
  for (uint32_t i = 0; i < r->count && what & LATENCY; i++)
    add(w, value & 1 ? hc_use_back(uses[r->count - 1 - i]) : uses[i], LATENCY);
  for (uint32_t i = 0; i < r->count && what & LINKS; i++) {
    const bool last_first = (value & 1) != is_turned;
    const uint32_t use = uses[last_first ? r->count - 1 - i : i];
    add(w, value & 1 ? hc_use_back(use) : use, LINKS);
  }
}

typedef struct gates {
  uint32_t from, to; /* points; HC_NONE: none */
} gates;

static gates gates_of(const hc_zones *z, uint32_t value)
{
  const hc_platform_route *r = &z->platform.routes[value / 2];
  return value & 1 ? (gates){r->gate_to, r->gate_from} : (gates){r->gate_from, r->gate_to};
}

/* ---- routes within one zone, by its routing ---- */

static hc_rc full(walk *w, const hc_zone_data *d, uint32_t from, uint32_t to, unsigned what, gates *g)
{
  const uint32_t value = hc_map_get(&w->z->routes, HC_PAIR(from, to));
  if (value == HC_MAP_NONE) {
    if (from != to || d->zone->zones > 0) return HC_ENOTFOUND;
    add(w, w->z->loopback, what);
    return 0;
  }
  add_route(w, value, what, false);
  *g = gates_of(w->z, value);
  return 0;
}

/* The declared routes on a way, in order; the implied loopback is HC_MAP_NONE. @return how many; 0: no way.
 * */
static size_t hops_of(const hc_zones *z, const hc_zone_data *d, uint32_t from, uint32_t to, uint32_t *hops)
{
  size_t n = 0;
  uint32_t at = to;
  do {
    const uint32_t before = d->before[(size_t)from * d->count + at];
    if (before == HC_NONE || n == HC_ROUTE_MOST) return 0;
    hops[n++] = hc_map_get(&z->routes, HC_PAIR(d->members[before], d->members[at]));
    at = before;
  } while (at != from);
  for (size_t i = 0; i < n / 2; i++) {
    const uint32_t swap = hops[i];
    hops[i] = hops[n - 1 - i];
    hops[n - 1 - i] = swap;
  }
  return n;
}

static void add_hop(walk *w, uint32_t value, unsigned what, bool is_turned)
{
  if (value == HC_MAP_NONE) add(w, w->z->loopback, what);
  else add_route(w, value, what, is_turned);
}

/* @param is_turned the rule of Dijkstra's routing: latencies from the end on, links of each route turned
 * around */
static hc_rc chain(walk *w, const hc_zone_data *d, uint32_t from, uint32_t to, unsigned what, gates *g,
                   bool is_turned)
{
  uint32_t hops[HC_ROUTE_MOST];
  const size_t n = hops_of(w->z, d, from, to, hops);
  const bool has_gates = d->zone->zones > 0;
  if (n == 0) return HC_ENOTFOUND;
  for (size_t i = n; i-- > 0 && is_turned && what & LATENCY;) add_hop(w, hops[i], LATENCY, true);
  if (is_turned && !has_gates) what &= ~(unsigned)LATENCY;
  for (size_t i = 0; i < n; i++) {
    const gates here = has_gates ? gates_of(w->z, hops[i]) : (gates){HC_NONE, HC_NONE};
    if (has_gates && i > 0 && here.from != g->to) TRY(global(w, g->to, here.from, what));
    add_hop(w, hops[i], is_turned ? what & LINKS : what, is_turned);
    *g = (gates){i == 0 ? here.from : g->from, here.to};
  }
  return 0;
}

static void turn(uint32_t *links, uint32_t n)
{
  for (uint32_t i = 0; i < n / 2; i++) {
    const uint32_t swap = links[i];
    links[i] = links[n - 1 - i];
    links[n - 1 - i] = swap;
  }
}

/* What was added from `count` on comes before what was there: SimGrid puts the links of a zone with
 * Dijkstra's routing before those of the zones on the way to it. */
static void put_before(walk *w, uint32_t count)
{
  turn(w->links + w->first, count - w->first);
  turn(w->links + count, w->count - count);
  turn(w->links + w->first, w->count - w->first);
}

static hc_rc dijkstra(walk *w, const hc_zone_data *d, uint32_t from, uint32_t to, unsigned what, gates *g)
{
  const hc_platform_point *points = w->z->platform.points;
  const uint32_t a = d->number[points[from].index], b = d->number[points[to].index], count = w->count;
  if (a == HC_NONE || b == HC_NONE) return HC_ENOTFOUND;
  if (a == b) {
    const uint32_t value = hc_map_get(&w->z->routes, HC_PAIR(from, to));
    if (value == HC_MAP_NONE && d->zone->zones > 0) return HC_ENOTFOUND;
    add_hop(w, value, what, true);
  } else {
    TRY(chain(w, d, a, b, what, g, true));
  }
  put_before(w, count);
  return 0;
}

/* Whether a link stands in a span before place `end`. */
static bool has_link(const uint32_t *ids, hc_span s, uint32_t end, uint32_t link)
{
  for (uint32_t i = 0; i < end; i++)
    if (HC_USE_LINK(ids[s.first + i]) == link) return true;
  return false;
}

static hc_rc star(walk *w, uint32_t from, uint32_t to, unsigned what)
{
  const hc_arm *a = &w->z->arms[from], *b = &w->z->arms[to];
  const uint32_t *ids = w->z->ids;
  if (from == to && a->has_loop) {
    add_span(w, ids, a->loop, what);
    return 0;
  }
  if (!a->has_up || !b->has_down) return HC_ENOTFOUND;
  for (uint32_t i = 0; i < a->up.count; i++) /* a link is crossed once */
    if (!has_link(ids, a->up, i, HC_USE_LINK(ids[a->up.first + i]))) add(w, ids[a->up.first + i], what);
  for (uint32_t i = 0; i < b->down.count; i++) {
    const uint32_t link = HC_USE_LINK(ids[b->down.first + i]);
    if (!has_link(ids, a->up, a->up.count, link) && !has_link(ids, b->down, i, link)) add(w, link, what);
  }
  return 0;
}

static double absolute(double x)
{
  return x < 0 ? -x : x;
}

static hc_rc vivaldi(walk *w, uint32_t from, uint32_t to, unsigned what)
{
  const double *a = w->z->platform.points[from].at, *b = w->z->platform.points[to].at;
  w->by_place = true;
  const hc_arm *up = &w->z->arms[from], *down = &w->z->arms[to];
  if (up->has_up || down->has_down || (from == to && up->has_loop))
    TRY(star(w, from, to, what)); /* hosts that are no peers have coordinates alone */
  if (what & LATENCY)
    w->latency += (hc_sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1])) + absolute(a[2]) +
                   absolute(b[2])) /
                  1000.0;
  return 0;
}

static uint32_t cable_link(const hc_zone_data *d, uint32_t cable, bool down)
{
  return d->is_split ? d->first_link + 2 * cable + down : d->first_link + cable;
}

/* Limiters add no latency. @param i of a host, or behind them of a switch */
static void add_limiter(walk *w, const hc_zone_data *d, uint32_t i, unsigned what)
{
  if (d->first_limiter != HC_NONE) add_quietly(w, d->first_limiter + i, what);
}

static void fat_tree(walk *w, const hc_zone_data *d, uint32_t from, uint32_t to, unsigned what)
{
  hc_tree_step steps[2 * HC_FAT_TREE_LEVELS];
  const size_t n = hc_fat_tree_way(&d->shape.tree, from, to, steps);
  for (size_t i = 0; i < n; i++) {
    if (!steps[i].is_down) add_limiter(w, d, steps[i].from, what);
    add(w, cable_link(d, steps[i].cable, steps[i].is_down), what);
    if (steps[i].is_down) add_limiter(w, d, steps[i].from, what);
  }
  add_limiter(w, d, to, what);
}

static void torus(walk *w, const hc_zone_data *d, uint32_t from, uint32_t to, unsigned what)
{
  uint32_t at = from, before = from, cable;
  bool is_back;
  while (hc_torus_step(&d->shape.torus, from, to, &at, &cable, &is_back)) {
    add_limiter(w, d, before, what);
    add(w, cable_link(d, cable, is_back), what);
    before = at;
  }
  add_limiter(w, d, to, what);
}

static void dragonfly(walk *w, const hc_zone_data *d, uint32_t from, uint32_t to, unsigned what)
{
  const uint32_t hosts = d->shape.dragonfly.routers * d->shape.dragonfly.nodes;
  hc_dragonfly_step steps[HC_DRAGONFLY_STEPS];
  const size_t n = hc_dragonfly_way(&d->shape.dragonfly, from, to, steps);
  add_limiter(w, d, from, what);
  for (size_t i = 0; i < n; i++) {
    const bool is_first = i == 0, is_blue = steps[i].colour == HC_DRAGONFLY_BLUE;
    if (!is_first && !is_blue) add_limiter(w, d, hosts + steps[i].from, what);
    add(w, cable_link(d, steps[i].connection, steps[i].is_back), what);
    if (is_blue) add_limiter(w, d, hosts + steps[i].from, what);
  }
  add_limiter(w, d, to, what);
}

static hc_rc cluster(walk *w, const hc_zone_data *d, uint32_t from, uint32_t to, unsigned what)
{
  const hc_platform_point *points = w->z->platform.points;
  const uint32_t a = points[from].index, b = points[to].index;
  if (points[from].kind != HC_POINT_HOST || points[to].kind != HC_POINT_HOST) return HC_ENOTFOUND;
  if (a == b && d->first_loop != HC_NONE) {
    add(w, d->first_loop + a, what);
    return 0;
  }
  if (d->zone->routing == HC_ZONE_FAT_TREE) fat_tree(w, d, a, b, what);
  else if (d->zone->routing == HC_ZONE_TORUS) torus(w, d, a, b, what);
  else dragonfly(w, d, a, b, what);
  return 0;
}

static hc_rc local(walk *w, uint32_t zone, uint32_t from, uint32_t to, unsigned what, gates *g)
{
  const hc_zone_data *d = &w->z->zones[zone];
  const hc_platform_point *points = w->z->platform.points;
  *g = (gates){HC_NONE, HC_NONE};
  if (points[from].zone != zone || points[to].zone != zone) return HC_ENOTFOUND;
  switch (d->zone->routing) {
    case HC_ZONE_FULL: return full(w, d, from, to, what, g);
    case HC_ZONE_FLOYD: return chain(w, d, points[from].index, points[to].index, what, g, false);
    case HC_ZONE_DIJKSTRA: return dijkstra(w, d, from, to, what, g);
    case HC_ZONE_STAR: return star(w, from, to, what);
    case HC_ZONE_VIVALDI: return vivaldi(w, from, to, what);
    case HC_ZONE_TORUS:
    case HC_ZONE_FAT_TREE:
    case HC_ZONE_DRAGONFLY: return cluster(w, d, from, to, what);
    case HC_ZONE_EMPTY: break;
  }
  return HC_ENOTFOUND;
}

/* ---- zones within zones ---- */

/* The zones that hold a point, the innermost first. */
static size_t zones_of(const hc_platform *p, uint32_t point, uint32_t *zones)
{
  size_t n = 0;
  for (uint32_t zone = p->points[point].zone; zone != HC_NONE && n < HC_XML_DEPTH;
       zone = p->points[p->zones[zone].point].zone)
    zones[n++] = zone;
  return n;
}

/* A shortcut declared between zones that hold the points, the nearest pair of which counts.
 * @return its value; HC_MAP_NONE. */
static uint32_t bypass_between(const hc_zones *z, const uint32_t *a, size_t na, const uint32_t *b, size_t nb)
{
  const hc_platform_zone *zones = z->platform.zones;
  for (size_t most = 0; most < HC_MAX(na, nb); most++)
    for (size_t i = 0; i <= most; i++) {
      uint32_t value = HC_MAP_NONE;
      if (i < na && most < nb)
        value = hc_map_get(&z->bypasses, HC_PAIR(zones[a[i]].point, zones[b[most]].point));
      if (value == HC_MAP_NONE && most < na && i < nb)
        value = hc_map_get(&z->bypasses, HC_PAIR(zones[a[most]].point, zones[b[i]].point));
      if (value != HC_MAP_NONE) return value;
    }
  return HC_MAP_NONE;
}

static hc_rc around(walk *w, uint32_t value, uint32_t from, uint32_t to, unsigned what)
{
  const gates g = gates_of(w->z, value);
  if (g.from != HC_NONE) TRY(global(w, from, g.from, what)); /* even where it is the gateway */
  add_route(w, value, what, false);
  if (g.to != HC_NONE) TRY(global(w, g.to, to, what));
  return 0;
}

/* By way of two zones of one: their latency first, as there, and the links in order. */
static hc_rc between(walk *w, uint32_t zone, uint32_t first, uint32_t second, uint32_t from, uint32_t to,
                     unsigned what)
{
  const uint32_t start = w->first;
  hc_rc rc;
  gates g;
  TRY(local(w, zone, first, second, what & LATENCY, &g));
  if (g.from == HC_NONE || g.to == HC_NONE) return HC_ENOTFOUND;
  if (g.from != from) TRY(global(w, from, g.from, what));
  w->first = w->count;
  rc = local(w, zone, first, second, what & LINKS, &g);
  w->first = start;
  TRY(rc);
  if (g.to != to) TRY(global(w, g.to, to, what));
  return 0;
}

static hc_rc global(walk *w, uint32_t from, uint32_t to, unsigned what)
{
  const hc_zones *z = w->z;
  uint32_t a[HC_XML_DEPTH], b[HC_XML_DEPTH], common;
  size_t na = zones_of(&z->platform, from, a), nb = zones_of(&z->platform, to, b);
  gates g;
  if (na == 0 || nb == 0) return HC_ENOTFOUND;
  common = a[na - 1];
  while (na > 1 && nb > 1 && a[na - 1] == b[nb - 1]) {
    common = a[na - 1];
    na--;
    nb--;
  }
  if (a[na - 1] == b[nb - 1]) common = a[na - 1];
  if (z->zones[common].has_bypass) {
    const uint32_t value = na == 1 && nb == 1 && a[0] == b[0] ? hc_map_get(&z->bypasses, HC_PAIR(from, to))
                                                              : bypass_between(z, a, na, b, nb);
    if (value != HC_MAP_NONE) return around(w, value, from, to, what);
  }
  if (a[na - 1] == b[nb - 1]) return local(w, common, from, to, what, &g);
  return between(w, common, z->platform.zones[a[na - 1]].point, z->platform.zones[b[nb - 1]].point, from, to,
                 what);
}

hc_rc hc_zones_route(const hc_zones *z, uint32_t from, uint32_t to, uint32_t *links, hc_route *out)
{
  walk w = {.z = z, .links = links};
  TRY(global(&w, from, to, LATENCY | LINKS));
  if (w.count == 0 && w.latency <= 0 && from != to && !w.by_place) return HC_ENOTFOUND;
  out->count = w.count;
  out->latency = w.latency;
  out->bound = HC_INFINITE;
  return 0;
}
