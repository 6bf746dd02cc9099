/* graph.c -- any network that is told connection by connection; the shortest way by latency is taken.
 *
 * Nodes are the hosts, in the cell's order, and then the switches, in order of first mention. Ways are
 * those of Floyd and Warshall's loops: of equally long ones that which is found first, by way of the node
 * with the least number, is kept, as DSLab does. Up to FLOYD_MOST nodes the loops are carried out, with their
 * sums of doubles, in which the same latencies added in another order are at times not equal; cost: nodes^3
 * when it is made, 8 bytes for each pair of nodes. Larger graphs have the same rule on exact sums, way by way
 * when it is asked for (ways.h), and levels by exact distances (by connections: the least number). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "network/common.h"
#include "network/record.h"
#include "network/ways.h"

#define FLOYD_MOST 2048 /* nine billion steps, some ten seconds, 34 MB */
#define NODES_MOST (1 << 20)
#define TABLE_BYTES \
  ((size_t)256 << 20) /* of tables of larger graphs: all of 8,192 nodes that are no leaves */

#define LEVELS_MOST 64

enum { NEAR_AUTO, NEAR_LATENCY, NEAR_HOPS };

typedef struct options {
  hc_list connections; /* hc_chosen */
  int near;
  hc_network_keys keys;
} options;

typedef struct edge {
  hc_link link;
  hc_time latency;
  uint32_t from, to;
  bool is_both; /* it carries both directions */
} edge;

struct hc_network {
  hc_network_common common;
  hc_arena arena;
  hc_names names;
  uint32_t nodes, edge_count;
  edge *edges;
  uint32_t *next,
      *direct;   /* [nodes x nodes] next node on the way; edge between neighbours; HC_MAP_NONE: none */
  hc_ways *ways; /* in place of these, beyond FLOYD_MOST nodes */
  uint32_t levels, *group_of[LEVELS_MOST]; /* [levels][nodes] of a switch: of the host that is nearest */
  bool by_hops;
};

static void fini(hc_network *self)
{
  if (!self) return;
  hc_ways_free(self->ways);
  hc_names_fini(&self->names);
  hc_arena_fini(&self->arena);
  hc_network_free(self);
}

/* ---- connections ---- */

static hc_rc no_memory(const hc_network_context *c, hc_error *e)
{
  return hc_fail(e, HC_ENOMEM, c->where, 0, 0, "no memory for the graph");
}

static hc_rc check(const hc_network_context *c, const hc_connection_options *x, size_t i, hc_error *e)
{
  if (!x->from || !x->to || !x->from[0] || !x->to[0])
    return hc_fail(e, HC_EUSAGE, c->where, 0, 0, "connection %zu: it needs `from` and `to`", i + 1);
  if (strcmp(x->from, x->to) == 0)
    return hc_fail(e, HC_EUSAGE, c->where, 0, 0,
                   "connection %zu leads from \"%.80s\" to itself: what a host sends to itself is said by "
                   "local_bandwidth",
                   i + 1, x->from);
  if (x->bandwidth > 0) return 0;
  return hc_fail(e, HC_EUSAGE, c->where, 0, 0,
                 "connection %zu, from \"%.80s\" to \"%.80s\": its bandwidth is 0", i + 1, x->from, x->to);
}

static void add_edge(hc_network *self, const hc_connection_options *x, uint32_t from, uint32_t to,
                     bool is_both)
{
  const bool fatpipe = x->duplex == HC_CONNECTION_FATPIPE;
  self->edges[self->edge_count++] = (edge){
      {(double)x->bandwidth, hc_network_seconds(x->latency), fatpipe ? HC_LINK_FATPIPE : HC_LINK_SHARED},
      x->latency,
      from,
      to,
      is_both};
}

/* The number of a node, which is a new one if its name is. */
static hc_rc node_of(hc_network *self, const hc_network_context *c, const char *name, uint32_t *id,
                     hc_error *e)
{
  const hc_rc rc = hc_names_add(&self->names, name, strlen(name), id);
  if (rc != HC_ELIMIT) return rc < 0 ? no_memory(c, e) : 0;
  return hc_fail(e, rc, c->where, 0, 0,
                 "a graph of more than %d hosts and switches: take a topology whose routes are computed",
                 NODES_MOST);
}

static hc_rc name_hosts(hc_network *self, const hc_network_context *c, hc_error *e)
{
  for (uint32_t i = 0; i < c->hosts; i++) {
    char number[16];
    uint32_t id;
    (void)snprintf(number, sizeof number, "%" PRIu32, i);
    TRY(node_of(self, c, c->host_names ? c->host_names[i] : number, &id, e));
  }
  return 0;
}

static hc_rc add_connections(hc_network *self, const hc_network_context *c, const hc_list *list, hc_error *e)
{
  const hc_chosen *items = list->items;
  self->edges = hc_arena_alloc(&self->arena, (2 * list->count + 1) * sizeof *self->edges);
  if (!self->edges) return no_memory(c, e);
  for (size_t i = 0; i < list->count; i++) {
    const hc_connection_options *x = items[i].options;
    uint32_t from, to;
    TRY(check(c, x, i, e));
    TRY(node_of(self, c, x->from, &from, e));
    TRY(node_of(self, c, x->to, &to, e));
    add_edge(self, x, from, to, x->duplex == HC_CONNECTION_HALF || x->duplex == HC_CONNECTION_FATPIPE);
    if (x->duplex == HC_CONNECTION_FULL) add_edge(self, x, to, from, false);
  }
  self->nodes = (uint32_t)self->names.count;
  return 0;
}

/* ---- ways ---- */

static void set_edges(hc_network *self, double *distance)
{
  const size_t n = self->nodes;
  for (size_t i = 0; i < n * n; i++) {
    distance[i] = i % (n + 1) == 0 ? 0 : HC_INFINITE;
    self->next[i] = self->direct[i] = HC_MAP_NONE;
  }
  for (uint32_t i = 0; i < self->edge_count; i++) {
    const edge *x = &self->edges[i];
    for (int way = 0; way < (x->is_both ? 2 : 1); way++) {
      const size_t from = way == 0 ? x->from : x->to, to = way == 0 ? x->to : x->from;
      distance[from * n + to] = x->link.latency;
      self->direct[from * n + to] = i;
      self->next[from * n + to] = (uint32_t)to;
    }
  }
}

static void find_ways(hc_network *self, double *distance)
{
  const size_t n = self->nodes;
  for (size_t k = 0; k < n; k++)
    for (size_t i = 0; i < n; i++) {
      const double first = distance[i * n + k];
      if (i == k || first == HC_INFINITE) continue;
      for (size_t j = 0; j < n; j++) {
        const double way = first + distance[k * n + j];
        if (way >= distance[i * n + j]) continue;
        distance[i * n + j] = way;
        self->next[i * n + j] = self->next[i * n + k];
      }
    }
}

static hc_rc not_joined(const hc_network *self, const hc_network_context *c, uint32_t i, uint32_t j,
                        hc_error *e)
{
  return hc_fail(e, HC_EUSAGE, c->where, 0, 0,
                 "no connections lead from the host \"%.80s\" to the host \"%.80s\"", self->names.names[i],
                 self->names.names[j]);
}

/* The links of the longest route, and that there is one for each pair of hosts. */
static hc_rc measure(hc_network *self, const hc_network_context *c, uint32_t *longest, hc_error *e)
{
  *longest = 1;
  for (uint32_t i = 0; i < c->hosts; i++)
    for (uint32_t j = 0; j < c->hosts; j++) {
      uint32_t hops = 0;
      for (uint32_t at = i; at != j; hops++) {
        at = self->next[(size_t)at * self->nodes + j];
        if (at == HC_MAP_NONE) return not_joined(self, c, i, j, e);
      }
      *longest = HC_MAX(*longest, hops);
    }
  return 0;
}

/* ---- levels ---- */

/* Of the ways there and back the longer one: seconds, or connections. */
static double apart(const hc_network *self, uint32_t a, uint32_t b)
{
  double way[2] = {0, 0};
  for (int i = 0; i < 2; i++) {
    const uint32_t goal = i == 0 ? b : a;
    for (uint32_t at = i == 0 ? a : b; at != goal;) {
      const uint32_t next = self->next[(size_t)at * self->nodes + goal];
      if (next == HC_MAP_NONE) return HC_INFINITE; /* a switch from which no way leads back */
      way[i] += self->by_hops ? 1 : self->edges[self->direct[(size_t)at * self->nodes + next]].link.latency;
      at = next;
    }
  }
  return HC_MAX(way[0], way[1]);
}

static double least_apart(const hc_network *self, uint32_t hosts)
{
  double least = HC_INFINITE;
  for (uint32_t i = 0; i < hosts; i++)
    for (uint32_t j = 0; j < i; j++) {
      const double d = apart(self, i, j);
      if (d > 0 && d < least) least = d;
    }
  return least == HC_INFINITE ? 0 : least;
}

/* Of `n` hosts, which stand for the groups so far, those that stand for the next ones, in place: each in its
 * turn joins the nearest of those before it that is at most so far away, or stands for one of its own.
 * @param joins [n] out: the number of its group */
static uint32_t gather(const hc_network *self, uint32_t *first, uint32_t n, double radius, uint32_t *joins)
{
  uint32_t groups = 0;
  for (uint32_t i = 0; i < n; i++) {
    double best = radius * (1 + 1e-9);
    joins[i] = HC_MAP_NONE;
    for (uint32_t g = 0; g < groups; g++) {
      const double d = apart(self, first[g], first[i]);
      if (d > best || (joins[i] != HC_MAP_NONE && d == best)) continue;
      best = d;
      joins[i] = g;
    }
    if (joins[i] != HC_MAP_NONE) continue;
    joins[i] = groups;
    first[groups++] = first[i];
  }
  return groups;
}

/* Switches lie where the host that is nearest does. */
static void place_switches(const hc_network *self, uint32_t hosts, uint32_t *nearest)
{
  for (uint32_t i = 0; i < self->nodes; i++) {
    double best = HC_INFINITE;
    nearest[i] = i < hosts ? i : 0;
    for (uint32_t h = 0; i >= hosts && h < hosts; h++) {
      const double d = apart(self, i, h);
      if (d >= best) continue;
      best = d;
      nearest[i] = h;
    }
  }
}

/* Levels of groups, each with twice the radius of the one below, the first with the distance of the two hosts
 * that are nearest; those alone at which some groups become one. */
static hc_rc find_levels(hc_network *self, const hc_network_context *c, hc_error *e)
{
  const uint32_t hosts = c->hosts;
  uint32_t *work = hc_arena_room(&self->arena, (3 * (size_t)self->nodes + 1) * sizeof *work);
  uint32_t *first = work, *joins = work + self->nodes, *nearest = joins + self->nodes, n = hosts;
  if (!work) return no_memory(c, e);
  if (hosts == 0) return 0;
  for (uint32_t i = 0; i < hosts; i++) first[i] = i;
  place_switches(self, hosts, nearest);
  for (double radius = least_apart(self, hosts); self->levels == 0 || n > 1; radius *= 2) {
    const uint32_t groups = gather(self, first, n, radius, joins);
    const uint32_t *below = self->levels > 0 ? self->group_of[self->levels - 1] : nearest;
    if (groups == n && n > 1) continue;
    if (self->levels == LEVELS_MOST) return 0; /* never: radii double */
    uint32_t *of = hc_arena_room(&self->arena, self->nodes * sizeof *of);
    if (!of) return no_memory(c, e);
    for (uint32_t i = 0; i < self->nodes; i++) of[i] = joins[below[i]];
    self->group_of[self->levels++] = of;
    n = groups;
  }
  return 0;
}

static hc_rc find_by_floyd(hc_network *self, const hc_network_context *c, uint32_t *longest, hc_error *e)
{
  const size_t pairs = (size_t)self->nodes * self->nodes + 1;
  double *distance = hc_alloc(c->allocator, pairs * sizeof *distance);
  self->next = hc_arena_room(&self->arena, pairs * sizeof *self->next);
  self->direct = hc_arena_room(&self->arena, pairs * sizeof *self->direct);
  if (distance && self->next && self->direct) {
    set_edges(self, distance);
    find_ways(self, distance);
  }
  hc_free(c->allocator, distance, pairs * sizeof *distance);
  if (!distance || !self->next || !self->direct) return no_memory(c, e);
  return measure(self, c, longest, e);
}

/* ---- larger graphs ---- */

static hc_rc make_ways(hc_network *self, const hc_network_context *c, hc_error *e)
{
  hc_arc *arcs = hc_alloc(c->allocator, 2 * (self->edge_count + (size_t)1) * sizeof *arcs);
  size_t count = 0;
  hc_rc rc = arcs ? 0 : HC_ENOMEM;
  for (uint32_t i = 0; arcs && i < self->edge_count; i++) {
    const edge *x = &self->edges[i];
    arcs[count++] = (hc_arc){x->from, x->to, i, x->latency};
    if (x->is_both) arcs[count++] = (hc_arc){x->to, x->from, i, x->latency};
  }
  if (rc == 0) rc = hc_ways_new(c->allocator, self->nodes, arcs, count, TABLE_BYTES, &self->ways);
  hc_free(c->allocator, arcs, 2 * (self->edge_count + (size_t)1) * sizeof *arcs);
  return rc < 0 ? no_memory(c, e) : 0;
}

/* How long its longest way is only all of them would say: no longer than all nodes that lead on. */
static hc_rc find_ways_later(hc_network *self, const hc_network_context *c, uint32_t *longest, hc_error *e)
{
  uint32_t from, to;
  TRY(make_ways(self, c, e));
  const int rc = hc_ways_apart(self->ways, c->hosts, &from, &to);
  *longest = HC_MIN(self->ways->inner_count + 1, (uint32_t)HC_ROUTE_MOST);
  return rc < 0 ? no_memory(c, e) : rc > 0 ? not_joined(self, c, from, to, e) : 0;
}

static hc_rc find(hc_network *self, const hc_network_context *c, int near, uint32_t *longest, hc_error *e)
{
  self->by_hops = near != NEAR_LATENCY;
  for (uint32_t i = 0; i < self->edge_count && near == NEAR_AUTO; i++)
    self->by_hops &= self->edges[i].link.latency == 0;
  if (self->nodes <= FLOYD_MOST) {
    TRY(find_by_floyd(self, c, longest, e));
    return find_levels(self, c, e);
  }
  TRY(find_ways_later(self, c, longest, e));
  const hc_rc rc = hc_ways_levels(self->ways, &self->arena, c->hosts, self->by_hops, LEVELS_MOST,
                                  self->group_of, &self->levels);
  return rc < 0 ? no_memory(c, e) : 0;
}

/* What is common is known last: the number of links and the longest route. */
static hc_rc make(hc_network *self, const hc_network_context *c, const options *o, hc_network **out,
                  hc_error *e)
{
  uint32_t longest = 1;
  TRY(name_hosts(self, c, e));
  TRY(add_connections(self, c, &o->connections, e));
  TRY(find(self, c, o->near, &longest, e));
  const hc_network_size size = {.model = HC_NETWORK_TOPOLOGY,
                                .hosts = c->hosts,
                                .own = self->edge_count,
                                .longest = longest,
                                .switches = self->nodes - c->hosts};
  TRY(hc_network_new(c, &o->keys, sizeof *self, &size, out, e));
  self->common = (*out)->common;
  **out = *self;
  return 0;
}

static hc_rc init(const hc_network_context *c, const void *opts, hc_network **out, hc_error *e)
{
  const options *o = opts;
  hc_network self = {.nodes = 0};
  hc_rc rc;
  if (o->connections.count == 0)
    return hc_fail(e, HC_EUSAGE, c->where, 0, 0,
                   "missing connections, such as connections: [{from: a, to: s, bandwidth: 1GB}]");
  hc_arena_init(&self.arena, c->allocator);
  hc_names_init(&self.names, c->allocator, NODES_MOST);
  rc = make(&self, c, o, out, e);
  if (rc == 0) return 0;
  hc_ways_free(self.ways);
  hc_names_fini(&self.names);
  hc_arena_fini(&self.arena);
  return rc;
}

static void describe_link(const hc_network *self, uint32_t id, hc_link *out)
{
  if (!hc_network_local(&self->common, id, out)) *out = self->edges[id].link;
}

static void link_name(const hc_network *self, uint32_t id, char *name, size_t size)
{
  if (hc_network_local_name(&self->common, id, name, size)) return;
  (void)snprintf(name, size, "%" PRIu32 ":%s-%s", id, self->names.names[self->edges[id].from],
                 self->names.names[self->edges[id].to]);
}

static hc_rc route_later(const hc_network *self, uint32_t from, uint32_t to, uint32_t *links, hc_route *out)
{
  hc_path p = {.links = links};
  const int64_t count = hc_ways_find(self->ways, from, to, links, self->common.facts.longest);
  if (count < 0) return (hc_rc)count;
  for (int64_t i = 0; i < count; i++) hc_path_add(&p, links[i], self->edges[links[i]].link.latency);
  return hc_path_end(&p, out);
}

static hc_rc route(const hc_network *self, uint32_t from, uint32_t to, uint32_t *links, hc_route *out)
{
  hc_path p = {.links = links};
  if (from == to) return hc_network_local_route(&self->common, from, links, out);
  if (self->ways) return route_later(self, from, to, links, out);
  for (uint32_t at = from; at != to;) {
    const uint32_t next = self->next[(size_t)at * self->nodes + to];
    const uint32_t id = self->direct[(size_t)at * self->nodes + next];
    hc_path_add(&p, id, self->edges[id].link.latency);
    at = next;
  }
  return hc_path_end(&p, out);
}

static uint32_t levels(const hc_network *self)
{
  return self->levels;
}

static uint32_t group(const hc_network *self, uint32_t level, uint32_t host)
{
  return self->group_of[level - 1][host];
}

/* A host's own connections lead out of the host, and each out of all that has one of its ends and not the
 * other. */
static uint32_t ways_of_link(const hc_network *self, uint32_t link, uint32_t level, uint32_t groups[2])
{
  const uint32_t hosts = self->common.facts.hosts;
  uint32_t n = 0;
  hc_link local;
  if (hc_network_local(&self->common, link, &local)) return 0;
  const edge *x = &self->edges[link];
  if (level > 0) return hc_network_ways(group(self, level, x->from), group(self, level, x->to), groups);
  if (x->from < hosts) groups[n++] = x->from;
  if (x->to < hosts) groups[n++] = x->to;
  return n;
}

static const hc_param params[] = {
    HC_PARAM(COMPONENTS, options, connections, HC_KIND_CONNECTION, NULL,
             "Connections between hosts and switches. Required."),
    HC_PARAM(CHOICE, options, near, "auto|latency|hops", "auto",
             "How the distance of two hosts is measured, for placements by groups of hosts. auto: by latency "
             "if some connection has one, else by hops. latency: by the latency of their way. hops: by the "
             "number of connections on their way."),
    HC_NETWORK_KEYS(options, "plain"),
    {0}};

const hc_network_type hc_network_graph = {
    .component = {HC_COMPONENT_HEAD(hc_network_type, HC_KIND_NETWORK), .name = "graph",
                  .summary = "any network, given connection by connection, with routes of least latency",
                  .detail =
                      "A route is the way of least latency. Of ways with the same latency, the one is taken "
                      "that the loops of Floyd and Warshall find first, with hosts before switches, and "
                      "switches in order of their first mention, as in DSLab. Hosts are those of the cell, "
                      "by name; in a cell without names, by number from 0. Each two hosts must be connected. "
                      "With more than 2,048 hosts and switches a way is found when the first flow takes it, "
                      "by exact sums of latencies. For placements hosts form groups. At the first level each "
                      "host in turn joins the nearest earlier host that stands for a group, if that is no "
                      "farther away than the two nearest hosts are apart; otherwise it stands for a new "
                      "group. At each further level groups join in the same way, within twice the distance.",
                  .source = "DSLab (github.com/osukhoroslov/dslab), its topology-aware network; Floyd, CACM "
                            "5(6), 1962, doi:10.1145/367766.368168",
                  .params = params, .options_size = sizeof(options)},
    .init = init,
    .fini = fini,
    .facts = hc_network_facts_of,
    .link = describe_link,
    .link_name = link_name,
    .route = route,
    .levels = levels,
    .group = group,
    .ways_of_link = ways_of_link,
    .watts = hc_network_watts};
