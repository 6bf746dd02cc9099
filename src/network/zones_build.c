/* zones_build.c -- what a platform of SimGrid needs for its routes: routes by their ends, arms of stars,
 * tables of shortest ways, and the length of the longest route.
 *
 * Ways are shortest in links. Of equal ones Floyd's are those that its loops find first, in order of
 * declaration of the points; Dijkstra's those that the point nearest to the source, and of these the one
 * that a route named first, leads to. Cost: Floyd n^3, Dijkstra n (n + routes) log n for n points of a
 * zone. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "network/zones.h"

static hc_rc no_memory(const hc_zones *z, hc_error *e)
{
  return hc_fail(e, HC_ENOMEM, z->platform.file, 0, 0, "no memory for its routes");
}

static bool is_star(hc_zone_routing routing)
{
  return routing == HC_ZONE_STAR || routing == HC_ZONE_VIVALDI;
}

/* ---- routes by their ends ---- */

static hc_rc set_route(hc_zones *z, hc_map *map, uint32_t from, uint32_t to, uint32_t value, uint32_t line,
                       hc_error *e)
{
  const hc_platform_point *points = z->platform.points;
  if (hc_map_get(map, HC_PAIR(from, to)) != HC_MAP_NONE)
    return hc_fail(e, HC_EINPUT, z->platform.file, line, 0,
                   "there is a route from \"%.80s\" to \"%.80s\" already%s", points[from].name,
                   points[to].name, value & 1 ? "; say symmetrical=\"NO\" where both ways are declared" : "");
  return hc_map_set(map, HC_PAIR(from, to), value) < 0 ? no_memory(z, e) : 0;
}

static hc_rc join(hc_zones *z, const hc_platform_route *r, uint32_t id, hc_error *e)
{
  hc_map *map = r->is_bypass ? &z->bypasses : &z->routes;
  TRY(set_route(z, map, r->from, r->to, id * 2, r->line, e));
  if (r->is_bypass) z->zones[r->zone].has_bypass = true;
  if (!r->is_symmetrical || r->from == r->to) return 0;
  return set_route(z, map, r->to, r->from, id * 2 + 1, r->line, e);
}

/* Append the links of a route to `ids`, back: those of the way back. */
static hc_span span_of(hc_zones *z, const hc_platform_route *r, bool back, uint32_t *used)
{
  const hc_span s = {*used, r->count};
  const uint32_t *uses = z->platform.uses + r->first;
  for (uint32_t i = 0; i < r->count; i++)
    z->ids[(*used)++] = back ? hc_use_back(uses[r->count - 1 - i]) : uses[i];
  return s;
}

static void join_arm(hc_zones *z, const hc_platform_route *r, uint32_t *used)
{
  hc_arm *arm = &z->arms[r->from == HC_NONE ? r->to : r->from];
  if (r->from == r->to) {
    arm->loop = span_of(z, r, false, used);
    arm->has_loop = true;
    return;
  }
  if (r->from == HC_NONE || r->is_symmetrical) {
    arm->down = span_of(z, r, r->from != HC_NONE, used);
    arm->has_down = true;
  }
  if (r->from == HC_NONE) return;
  arm->up = span_of(z, r, false, used);
  arm->has_up = true;
}

static hc_rc join_all(hc_zones *z, hc_error *e)
{
  const hc_platform *p = &z->platform;
  uint32_t used = 0;
  z->arms = hc_arena_alloc(&z->arena, (p->points_count + 1) * sizeof *z->arms);
  z->ids = hc_arena_alloc(&z->arena, (2 * p->uses_count + 1) * sizeof *z->ids);
  if (!z->arms || !z->ids) return no_memory(z, e);
  for (uint32_t i = 0; i < p->routes_count; i++) {
    const hc_platform_route *r = &p->routes[i];
    if (is_star(p->zones[r->zone].routing) && !r->is_bypass) join_arm(z, r, &used);
    else TRY(join(z, r, i, e));
  }
  for (uint32_t i = 0; i < p->points_count;
       i++) { /* what no route names hangs on the middle without a link */
    hc_arm *arm = &z->arms[i];
    if (!arm->has_up && !arm->has_down && !arm->has_loop) arm->has_up = arm->has_down = true;
  }
  return 0;
}

/* ---- tables ---- */

static hc_rc new_table(hc_zones *z, uint32_t zone, hc_error *e)
{
  hc_zone_data *d = &z->zones[zone];
  const size_t n = d->count;
  if (n > HC_TABLE_MOST)
    return hc_fail(
        e, HC_ELIMIT, z->platform.file, d->zone->line, 0,
        "a zone of %zu points with the routing %s: at most %d are possible; use Full, or a cluster", n,
        d->zone->routing == HC_ZONE_FLOYD ? "Floyd" : "Dijkstra", HC_TABLE_MOST);
  d->before = hc_arena_room(&z->arena, (n * n + 1) * sizeof *d->before);
  if (!d->before) return no_memory(z, e);
  for (size_t i = 0; i < n * n; i++) d->before[i] = HC_NONE;
  return 0;
}

static uint32_t links_of(const hc_zones *z, uint32_t from, uint32_t to)
{
  const uint32_t route = hc_map_get(&z->routes, HC_PAIR(from, to));
  return route == HC_MAP_NONE ? HC_NONE : z->platform.routes[route / 2].count;
}

static void find_floyd(const hc_zones *z, hc_zone_data *d, uint32_t *cost)
{
  const size_t n = d->count;
  for (size_t a = 0; a < n; a++)
    for (size_t b = 0; b < n; b++) {
      cost[a * n + b] = links_of(z, d->members[a], d->members[b]);
      if (a == b && cost[a * n + b] == HC_NONE && d->zone->zones == 0) cost[a * n + b] = 1; /* the loopback */
      if (cost[a * n + b] != HC_NONE) d->before[a * n + b] = (uint32_t)a;
    }
  for (size_t c = 0; c < n; c++)
    for (size_t a = 0; a < n; a++) {
      const uint32_t first = cost[a * n + c];
      for (size_t b = 0; b < n && first != HC_NONE; b++) {
        const uint32_t second = cost[c * n + b];
        if (second == HC_NONE || (uint64_t)first + second >= cost[a * n + b]) continue;
        cost[a * n + b] = first + second;
        d->before[a * n + b] = d->before[c * n + b];
      }
    }
  for (size_t i = 0; i < n * n; i++)
    if (cost[i] != HC_NONE) d->longest = HC_MAX(d->longest, cost[i]);
  d->hops = (uint32_t)HC_MIN((size_t)d->longest, n);
}

static hc_rc make_floyd(hc_zones *z, uint32_t zone, hc_error *e)
{
  hc_zone_data *d = &z->zones[zone];
  const size_t size = ((size_t)d->count * d->count + 1) * sizeof(uint32_t);
  uint32_t *cost;
  TRY(new_table(z, zone, e));
  cost = hc_alloc(z->arena.allocator, size);
  if (!cost) return no_memory(z, e);
  find_floyd(z, d, cost);
  hc_free(z->arena.allocator, cost, size);
  return 0;
}

/* The graph of a zone whose routing is Dijkstra's, while its ways are found. */
typedef struct graph {
  hc_zones *z;
  hc_zone_data *d;
  uint32_t *next, *head, *tail; /* edges of a node in order: 2 a route, forth and back; HC_NONE ends */
  uint32_t *ends;               /* [edges] node that an edge leads to */
  uint32_t *links;              /* [edges] */
  uint32_t edges;
  uint64_t *heap; /* cost << 32 | node */
  size_t heap_count;
  uint32_t *cost; /* [nodes] */
} graph;

static uint32_t node_of(hc_zone_data *d, uint32_t index, uint32_t point)
{
  if (d->number[index] == HC_NONE) {
    d->number[index] = d->count;
    d->members[d->count++] = point;
  }
  return d->number[index];
}

static void add_edge(graph *g, uint32_t from, uint32_t to, uint32_t links)
{
  const uint32_t edge = g->edges++;
  g->next[edge] = HC_NONE;
  g->ends[edge] = to;
  g->links[edge] = links;
  if (g->head[from] == HC_NONE) g->head[from] = edge;
  else g->next[g->tail[from]] = edge;
  g->tail[from] = edge;
}

static void push(graph *g, uint64_t x)
{
  size_t i = g->heap_count++;
  for (; i > 0 && g->heap[(i - 1) / 2] > x; i = (i - 1) / 2) g->heap[i] = g->heap[(i - 1) / 2];
  g->heap[i] = x;
}

static uint64_t pop(graph *g)
{
  const uint64_t least = g->heap[0], x = g->heap[--g->heap_count];
  size_t i = 0;
  for (size_t child; (child = 2 * i + 1) < g->heap_count; i = child) {
    if (child + 1 < g->heap_count && g->heap[child + 1] < g->heap[child]) child++;
    if (g->heap[child] >= x) break;
    g->heap[i] = g->heap[child];
  }
  g->heap[i] = x;
  return least;
}

static void find_from(graph *g, uint32_t source)
{
  hc_zone_data *d = g->d;
  uint32_t *before = d->before + (size_t)source * d->count;
  for (uint32_t i = 0; i < d->count; i++) g->cost[i] = HC_NONE;
  g->cost[source] = 0;
  before[source] = source;
  push(g, source);
  while (g->heap_count > 0) {
    const uint64_t least = pop(g);
    const uint32_t at = (uint32_t)least;
    if (least >> 32 != g->cost[at]) continue;
    d->longest = HC_MAX(d->longest, g->cost[at]);
    for (uint32_t edge = g->head[at]; edge != HC_NONE; edge = g->next[edge]) {
      const uint32_t to = g->ends[edge], cost = g->cost[at] + g->links[edge];
      if (cost >= g->cost[to]) continue;
      g->cost[to] = cost;
      before[to] = at;
      push(g, (uint64_t)cost << 32 | to);
    }
  }
}

static void add_edges(graph *g, uint32_t zone)
{
  const hc_platform *p = &g->z->platform;
  for (uint32_t i = 0; i < p->routes_count; i++) {
    const hc_platform_route *r = &p->routes[i];
    uint32_t from, to;
    if (r->zone != zone || r->is_bypass) continue;
    from = node_of(g->d, p->points[r->from].index, r->from);
    to = node_of(g->d, p->points[r->to].index, r->to);
    add_edge(g, from, to, r->count);
    if (r->is_symmetrical) add_edge(g, to, from, r->count);
    if (from == to) g->d->longest = HC_MAX(g->d->longest, r->count);
  }
}

static hc_rc make_graph(graph *g, uint32_t zone, hc_error *e)
{
  hc_zones *z = g->z;
  hc_zone_data *d = g->d;
  d->number = hc_arena_room(&z->arena, ((size_t)d->zone->points + 1) * sizeof *d->number);
  if (!d->number) return no_memory(z, e);
  for (uint32_t i = 0; i < d->zone->points; i++) {
    d->number[i] = g->head[i] = HC_NONE;
  }
  d->count = 0;
  add_edges(g, zone);
  TRY(new_table(z, zone, e));
  for (uint32_t i = 0; i < d->count; i++) find_from(g, i);
  d->longest = HC_MAX(d->longest, 1u);
  d->hops = HC_MIN(d->longest, d->count);
  return 0;
}

static hc_rc make_dijkstra(hc_zones *z, uint32_t zone, hc_error *e)
{
  hc_zone_data *d = &z->zones[zone];
  const size_t points = (size_t)d->zone->points + 1, edges = 2 * z->platform.routes_count + 1;
  hc_arena arena;
  graph g = {.z = z, .d = d};
  hc_rc rc;
  hc_arena_init(&arena, z->arena.allocator);
  g.next = hc_arena_room(&arena, edges * sizeof *g.next);
  g.ends = hc_arena_room(&arena, edges * sizeof *g.ends);
  g.links = hc_arena_room(&arena, edges * sizeof *g.links);
  g.heap = hc_arena_room(&arena, (edges + 1) * sizeof *g.heap);
  g.head = hc_arena_room(&arena, points * sizeof *g.head);
  g.tail = hc_arena_room(&arena, points * sizeof *g.tail);
  g.cost = hc_arena_room(&arena, points * sizeof *g.cost);
  if (g.next && g.ends && g.links && g.heap && g.head && g.tail && g.cost) rc = make_graph(&g, zone, e);
  else rc = no_memory(z, e);
  hc_arena_fini(&arena);
  return rc;
}

/* ---- zones ---- */

static hc_rc check_vivaldi(const hc_zones *z, uint32_t zone, hc_error *e)
{
  const hc_platform *p = &z->platform;
  for (uint32_t i = 0; i < z->zones[zone].count; i++) {
    const hc_platform_point *point = &p->points[z->zones[zone].members[i]];
    if (!point->is_placed)
      return hc_fail(e, HC_EINPUT, p->file, p->zones[zone].line, 0,
                     "\"%.80s\" has no coordinates: in a zone with the routing Vivaldi they are its latency",
                     point->name);
  }
  return 0;
}

static void measure_star(hc_zones *z, hc_zone_data *d)
{
  uint32_t up = 0, down = 0, loop = 0;
  for (uint32_t i = 0; i < d->count; i++) {
    const hc_arm *arm = &z->arms[d->members[i]];
    up = HC_MAX(up, arm->up.count);
    down = HC_MAX(down, arm->down.count);
    loop = HC_MAX(loop, arm->loop.count);
  }
  d->longest = HC_MAX(up + down, loop);
}

static hc_rc make_zone(hc_zones *z, uint32_t zone, hc_zone_counters *counters, hc_error *e)
{
  hc_zone_data *d = &z->zones[zone];
  switch (d->zone->routing) {
    case HC_ZONE_FULL:
      d->longest = 1;
      d->hops = 1;
      return 0;
    case HC_ZONE_FLOYD: return make_floyd(z, zone, e);
    case HC_ZONE_DIJKSTRA: return make_dijkstra(z, zone, e);
    case HC_ZONE_VIVALDI:
      TRY(check_vivaldi(z, zone, e));
      measure_star(z, d);
      return 0;
    case HC_ZONE_STAR: measure_star(z, d); return 0;
    case HC_ZONE_TORUS:
    case HC_ZONE_FAT_TREE:
    case HC_ZONE_DRAGONFLY: return hc_zone_links(z, zone, counters, e);
    case HC_ZONE_EMPTY: break;
  }
  return 0;
}

static hc_rc list_members(hc_zones *z, hc_error *e)
{
  const hc_platform *p = &z->platform;
  z->zones = hc_arena_alloc(&z->arena, p->zones_count * sizeof *z->zones);
  if (!z->zones) return no_memory(z, e);
  for (size_t i = 0; i < p->zones_count; i++) {
    hc_zone_data *d = &z->zones[i];
    d->zone = &p->zones[i];
    d->count = p->zones[i].points;
    d->members = hc_arena_alloc(&z->arena, ((size_t)d->count + 1) * sizeof *d->members);
    if (!d->members) return no_memory(z, e);
  }
  for (uint32_t i = 0; i < p->points_count; i++)
    if (p->points[i].zone != HC_NONE) z->zones[p->points[i].zone].members[p->points[i].index] = i;
  return 0;
}

/* Links of the longest route: a zone's own way passes at most `hops` gateways pairs, and within each zone
 * on it the longest of that one. */
static hc_rc measure(hc_zones *z, hc_error *e)
{
  const hc_platform *p = &z->platform;
  uint64_t *within = hc_alloc(z->arena.allocator, p->zones_count * sizeof *within), longest;
  if (!within) return no_memory(z, e);
  for (size_t i = 0; i < p->routes_count; i++) {
    hc_zone_data *d = &z->zones[p->routes[i].zone];
    if (d->zone->routing == HC_ZONE_FULL || p->routes[i].is_bypass)
      d->longest = HC_MAX(d->longest, p->routes[i].count);
  }
  for (size_t i = p->zones_count; i-- > 0;) { /* within[i]: so far the longest within a zone of it */
    const uint32_t outer = p->points[p->zones[i].point].zone;
    within[i] = z->zones[i].longest + within[i] * HC_MAX((uint64_t)z->zones[i].hops + 1, UINT64_C(2));
    within[i] = HC_MIN(within[i], UINT64_C(1) << 32);
    if (outer != HC_NONE) within[outer] = HC_MAX(within[outer], within[i]);
  }
  longest = within[0];
  hc_free(z->arena.allocator, within, p->zones_count * sizeof *within);
  z->longest = (uint32_t)HC_MIN(HC_MAX(longest, UINT64_C(1)), (uint64_t)UINT32_MAX);
  if (longest <= HC_ROUTE_MOST) return 0;
  return hc_fail(e, HC_ELIMIT, p->file, 0, 0,
                 "a route of it could have %" PRIu64 " links: at most %d are possible", longest,
                 HC_ROUTE_MOST);
}

hc_rc hc_zones_build(hc_zones *z, hc_error *e)
{
  hc_zone_counters counters = {0};
  TRY(list_members(z, e));
  TRY(join_all(z, e));
  for (uint32_t i = 0; i < z->platform.zones_count; i++) TRY(make_zone(z, i, &counters, e));
  return measure(z, e);
}
