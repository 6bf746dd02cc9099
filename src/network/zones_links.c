/* zones_links.c -- the links of clusters whose topology is a fat tree, a torus or a dragonfly, by SimGrid's
 * names.
 *
 * Names hold numbers that SimGrid counts over the whole file (cables of all fat trees, connections of all
 * dragonflies), and leaves of fat trees are numbered on from one tree to the next, which shifts the choices
 * of the later ones. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "network/zones.h"

typedef struct making {
  hc_zones *z;
  const hc_platform_cluster *c;
  hc_zone_data *data;
  hc_error *e;
} making;

#define WRONG(m, ...) hc_fail((m)->e, HC_EINPUT, (m)->z->platform.file, (m)->c->line, 0, __VA_ARGS__)

static hc_rc add(const making *m, const char *name, double bandwidth, double latency, bool is_fatpipe)
{
  const hc_platform_link link = {.bandwidth = bandwidth, .latency = latency, .is_fatpipe = is_fatpipe};
  return hc_platform_link_new(&m->z->platform, name, &link, m->c->line, m->e);
}

/* One connection: two links if it is split. */
static hc_rc add_cable(const making *m, const char *name, uint32_t cables)
{
  const double bandwidth = m->c->bandwidth * cables;
  char both[512];
  if (!m->c->is_split) return add(m, name, bandwidth, m->c->latency, false);
  (void)snprintf(both, sizeof both, "%s_UP", name);
  TRY(add(m, both, bandwidth, m->c->latency, false));
  (void)snprintf(both, sizeof both, "%s_DOWN", name);
  return add(m, both, bandwidth, m->c->latency, false);
}

/* Loopbacks of the hosts, and limiters of hosts and switches. @param number of the first switch, then
 * downwards */
static hc_rc add_extras(const making *m, uint32_t hosts, uint64_t switches, uint64_t number)
{
  const hc_platform_cluster *c = m->c;
  char name[512];
  m->data->first_loop = m->data->first_limiter = HC_NONE;
  if (c->loop_bandwidth > 0) m->data->first_loop = (uint32_t)m->z->platform.links_count;
  for (uint32_t i = 0; i < hosts && c->loop_bandwidth > 0; i++) {
    (void)snprintf(name, sizeof name, "%.400s_link_%" PRIu32 "_loopback", c->name, c->radicals[i]);
    TRY(add(m, name, c->loop_bandwidth, c->loop_latency, true));
  }
  if (c->limiter <= 0) return 0;
  m->data->first_limiter = (uint32_t)m->z->platform.links_count;
  for (uint64_t i = 0; i < hosts + switches; i++) {
    (void)snprintf(name, sizeof name, "%.400s_link_%" PRIu64 "_limiter", c->name,
                   i < hosts ? i : number - (i - hosts));
    TRY(add(m, name, c->limiter, 0, false));
  }
  return 0;
}

/* ---- parameters ---- */

/* Numbers from 1 on with commas between them. @return how many, 0: something else stands there. */
static size_t numbers_of(const char *s, size_t n, uint32_t *out, size_t cap)
{
  size_t count = 0;
  for (;;) {
    const size_t length = HC_MIN(strcspn(s, ","), n);
    int64_t x;
    if (count == cap || hc_parse_int(s, length, &x) < 0 || x < 1 || x > INT32_MAX) return 0;
    out[count++] = (uint32_t)x;
    if (length == n) return count;
    s += length + 1;
    n -= length + 1;
  }
}

/* The i-th part between semicolons. */
static size_t part_of(const char *s, size_t i, uint32_t *out, size_t cap)
{
  for (; i > 0; i--) {
    s = strchr(s, ';');
    if (!s) return 0;
    s++;
  }
  return numbers_of(s, strcspn(s, ";"), out, cap);
}

static size_t parts(const char *s)
{
  size_t n = 1;
  for (; *s; s++) n += *s == ';';
  return n;
}

static hc_rc check_hosts(const making *m, uint64_t nodes)
{
  if (nodes == m->c->hosts) return 0;
  return WRONG(m, "topo_parameters=\"%.80s\" is a topology of %" PRIu64 " hosts, and radical names %" PRIu32,
               m->c->parameters, nodes, m->c->hosts);
}

/* ---- fat trees ---- */

static hc_rc read_tree(const making *m, hc_fat_tree *t)
{
  const char *s = m->c->parameters;
  uint32_t levels[2];
  if (parts(s) == 4 && part_of(s, 0, levels, 2) == 1 && levels[0] <= HC_FAT_TREE_LEVELS) {
    t->levels = levels[0];
    if (part_of(s, 1, t->down, HC_FAT_TREE_LEVELS) == t->levels &&
        part_of(s, 2, t->up, HC_FAT_TREE_LEVELS) == t->levels &&
        part_of(s, 3, t->count, HC_FAT_TREE_LEVELS) == t->levels && hc_fat_tree_init(t))
      return 0;
  }
  return WRONG(
      m,
      "topo_parameters=\"%.80s\": a fat tree is levels;children;parents;cables, the last three with a number "
      "a level, such as 2;4,4;1,2;1,2",
      s);
}

static hc_rc add_tree(const making *m, hc_zone_counters *counters)
{
  hc_fat_tree *t = &m->data->shape.tree;
  uint64_t switches = 0;
  TRY(read_tree(m, t));
  TRY(check_hosts(m, t->nodes[0]));
  t->choice = HC_CHOICE_D_MOD_K;
  t->shift = counters->leaves;
  for (uint32_t l = 1; l <= t->levels; l++) switches += t->nodes[l];
  TRY(add_extras(m, m->c->hosts, switches, 2 * t->nodes[0] - 1));
  m->data->first_link = (uint32_t)m->z->platform.links_count;
  for (uint32_t i = 0; i < t->cables[t->levels]; i++) {
    uint32_t lower, upper, level;
    int64_t child, parent;
    char name[128];
    hc_fat_tree_cable(t, i, &lower, &upper, &level);
    child = level == 0 ? (int64_t)lower : 3 * (int64_t)t->nodes[0] - 1 - (int64_t)lower;
    parent = 3 * (int64_t)t->nodes[0] - 1 - (int64_t)upper;
    (void)snprintf(name, sizeof name, "link_from_%" PRId64 "_%" PRId64 "_%" PRIu32, child, parent,
                   counters->tree_cables++);
    TRY(add_cable(m, name, 1));
  }
  counters->leaves += m->c->hosts;
  m->data->longest = 2 * t->levels + (m->c->limiter > 0 ? 2 * t->levels + 1 : 0);
  return 0;
}

/* ---- tori ---- */

static hc_rc add_torus(const making *m)
{
  hc_torus *t = &m->data->shape.torus;
  t->dimensions =
      (uint32_t)numbers_of(m->c->parameters, strlen(m->c->parameters), t->size, HC_TORUS_DIMENSIONS);
  if (!hc_torus_init(t))
    return WRONG(m, "topo_parameters=\"%.80s\": a torus is its sizes, such as 3,2,2", m->c->parameters);
  TRY(check_hosts(m, t->nodes));
  TRY(add_extras(m, m->c->hosts, 0, 0));
  m->data->first_link = (uint32_t)m->z->platform.links_count;
  for (uint32_t i = 0; i < t->nodes * t->dimensions; i++) {
    char name[512];
    (void)snprintf(name, sizeof name, "%.400s_link_from_%" PRIu32 "_to_%" PRIu32, m->c->name,
                   i / t->dimensions, hc_torus_other(t, i));
    TRY(add_cable(m, name, 1));
  }
  m->data->longest = t->longest * (m->c->limiter > 0 ? 2 : 1) + 1;
  return 0;
}

/* ---- dragonflies ---- */

static hc_rc read_dragonfly(const making *m, hc_dragonfly *d)
{
  const char *s = m->c->parameters;
  uint32_t groups[2], chassis[2], blades[2], nodes[1];
  if (parts(s) != 4 || part_of(s, 0, groups, 2) != 2 || part_of(s, 1, chassis, 2) != 2 ||
      part_of(s, 2, blades, 2) != 2 || part_of(s, 3, nodes, 1) != 1)
    return WRONG(
        m,
        "topo_parameters=\"%.80s\": a dragonfly is groups,cables;chassis,cables;blades,cables;nodes, such as "
        "3,4;4,3;5,1;2",
        s);
  *d = (hc_dragonfly){.groups = groups[0],
                      .chassis = chassis[0],
                      .blades = blades[0],
                      .nodes = nodes[0],
                      .blue_cables = groups[1],
                      .black_cables = chassis[1],
                      .green_cables = blades[1]};
  if (hc_dragonfly_init(d)) return 0;
  return WRONG(m, "topo_parameters=\"%.80s\": %s", s,
               groups[0] > blades[0]
                   ? "more groups than blades of a chassis: each group needs a blade that leads to it"
                   : "too many routers or links");
}

static void name_dragonfly(const hc_dragonfly *d, uint32_t i, uint32_t unique, char *name, size_t size)
{
  const uint32_t b = d->blades, c = d->chassis;
  uint32_t rest, j = 0, k;
  switch (hc_dragonfly_colour_of(d, i)) {
    case HC_DRAGONFLY_LOCAL:
      (void)snprintf(name, size, "local_link_from_router_%" PRIu32 "_to_node_%" PRIu32 "_%" PRIu32,
                     i / d->nodes, i % d->nodes, unique);
      return;
    case HC_DRAGONFLY_GREEN:
      rest = (i - d->first_green) % (b * (b - 1) / 2);
      for (; rest >= b - 1 - j; j++) rest -= b - 1 - j;
      (void)snprintf(name, size,
                     "green_link_in_chassis_%" PRIu32 "_between_routers_%" PRIu32 "_and_%" PRIu32 "_%" PRIu32,
                     (i - d->first_green) / (b * (b - 1) / 2) % c, j, j + 1 + rest, unique);
      return;
    case HC_DRAGONFLY_BLACK:
      rest = (i - d->first_black) % (c * (c - 1) / 2 * b) / b;
      for (; rest >= c - 1 - j; j++) rest -= c - 1 - j;
      (void)snprintf(name, size,
                     "black_link_in_group_%" PRIu32 "_between_chassis_%" PRIu32 "_and_%" PRIu32
                     "_blade_%" PRIu32 "_%" PRIu32,
                     (i - d->first_black) / (c * (c - 1) / 2 * b), j, j + 1 + rest, (i - d->first_black) % b,
                     unique);
      return;
    case HC_DRAGONFLY_BLUE:
      rest = i - d->first_blue;
      for (; rest >= d->groups - 1 - j; j++) rest -= d->groups - 1 - j;
      k = j + 1 + rest;
      (void)snprintf(name, size,
                     "blue_link_between_group_%" PRIu32 "_and_%" PRIu32 "_routers_%" PRIu32 "_and_%" PRIu32
                     "_%" PRIu32,
                     j, k, j * b * c + k, k * b * c + j, unique);
      return;
  }
}

static hc_rc add_dragonfly(const making *m, hc_zone_counters *counters)
{
  hc_dragonfly *d = &m->data->shape.dragonfly;
  TRY(read_dragonfly(m, d));
  TRY(check_hosts(m, (uint64_t)d->routers * d->nodes));
  TRY(add_extras(m, m->c->hosts, d->routers, 2 * (uint64_t)m->c->hosts - 1));
  m->data->first_link = (uint32_t)m->z->platform.links_count;
  for (uint32_t i = 0; i < d->connections; i++) {
    char name[256];
    name_dragonfly(d, i, counters->dragonfly_connections++, name, sizeof name);
    TRY(add_cable(m, name, hc_dragonfly_cables(d, i)));
  }
  m->data->longest = m->c->limiter > 0 ? 2 * HC_DRAGONFLY_STEPS + 2 : HC_DRAGONFLY_STEPS;
  return 0;
}

hc_rc hc_zone_links(hc_zones *z, uint32_t zone, hc_zone_counters *counters, hc_error *e)
{
  const making m = {z, &z->platform.clusters[z->platform.zones[zone].cluster], &z->zones[zone], e};
  if (strlen(m.c->name) > 400) return WRONG(&m, "the name of the cluster has more than 400 bytes");
  m.data->is_split = m.c->is_split;
  switch (z->platform.zones[zone].routing) {
    case HC_ZONE_FAT_TREE: return add_tree(&m, counters);
    case HC_ZONE_TORUS: return add_torus(&m);
    case HC_ZONE_DRAGONFLY: return add_dragonfly(&m, counters);
    case HC_ZONE_FULL:
    case HC_ZONE_FLOYD:
    case HC_ZONE_DIJKSTRA:
    case HC_ZONE_STAR:
    case HC_ZONE_VIVALDI:
    case HC_ZONE_EMPTY: break;
  }
  return 0;
}
