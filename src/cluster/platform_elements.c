/* platform_elements.c -- the elements of a platform of SimGrid, one function each.
 *
 * The table at the end says where an element may stand and which attributes it has; everything else in a
 * file is an error with its place, so that nothing that a platform says is passed over in silence. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cluster/platform_parts.h"

enum kind {
  NOTHING,
  PLATFORM,
  CONFIG,
  ZONE,
  HOST,
  DISK,
  ROUTER,
  LINK,
  ROUTE,
  CTN,
  CLUSTER,
  PROP,
  LEAF,
  REFUSED
};

/* ---- zones ---- */

static hc_rc open_platform(hc_platform_reading *r, hc_error *e)
{
  const char *s;
  double version;
  TRY(hc_attribute_need(r, "version", &s, e));
  if (hc_parse_real(s, strlen(s), &version) == 0 && version >= 3.995 && version < 4.105) return 0;
  return HC_WRONG(
      r, e, "version=\"%.40s\": versions 4 and 4.1 are read; simgrid_update_xml makes these of older ones",
      s);
}

static bool is_word(const char *s, const char *word)
{
  while (*s && *word && (*s | 32) == (*word | 32)) s++, word++;
  return *s == *word;
}

static hc_rc open_zone(hc_platform_reading *r, hc_error *e)
{
  static const struct {
    const char *name;
    hc_zone_routing routing;
  } routings[] = {{"Full", HC_ZONE_FULL},
                  {"Floyd", HC_ZONE_FLOYD},
                  {"Dijkstra", HC_ZONE_DIJKSTRA},
                  {"Cluster", HC_ZONE_STAR},
                  {"DijkstraCache", HC_ZONE_DIJKSTRA},
                  {"Star", HC_ZONE_STAR},
                  {"Vivaldi", HC_ZONE_VIVALDI},
                  {"None", HC_ZONE_EMPTY}};
  const char *id, *routing;
  TRY(hc_attribute_need(r, "id", &id, e));
  TRY(hc_attribute_need(r, "routing", &routing, e));
  r->prop_hosts = 0;
  for (size_t i = 0; i < HC_ARRAY_LEN(routings); i++)
    if (is_word(routing, routings[i].name)) return hc_reading_zone(r, id, routings[i].routing, e);
  if (is_word(routing, "Wifi"))
    return hc_fail(e, HC_EUNSUPPORTED, r->at.file, r->at.line, r->at.column,
                   "zones of wifi are not read: their rates depend on who is near an access point");
  return HC_WRONG(
      r, e, "routing=\"%.40s\": expected Full, Floyd, Dijkstra, DijkstraCache, Cluster, Vivaldi or None",
      routing);
}

static hc_rc close_zone(hc_platform_reading *r, hc_error *e)
{
  TRY(hc_reading_star(r, e));
  hc_reading_leave_zone(r);
  return 0;
}

/* ---- hosts ---- */

static hc_rc refuse_profiles(const hc_platform_reading *r, hc_error *e)
{
  static const char *const files[] = {"speed_file", "availability_file", "state_file", "bandwidth_file",
                                      "latency_file"};
  for (size_t i = 0; i < HC_ARRAY_LEN(files); i++)
    if (hc_attribute_get(r, files[i]))
      return hc_fail(e, HC_EUNSUPPORTED, r->at.file, r->at.line, r->at.column,
                     "%s: what changes during a run is not read from a platform; say it as events of the run",
                     files[i]);
  return 0;
}

static hc_rc open_host(hc_platform_reading *r, hc_error *e)
{
  const char *id;
  double speed;
  uint32_t cores, point;
  TRY(refuse_profiles(r, e));
  TRY(hc_attribute_need(r, "id", &id, e));
  TRY(hc_attribute_speed(r, &speed, e));
  TRY(hc_attribute_cores(r, &cores, e));
  TRY(hc_reading_host(r, id, speed, cores, &point, e));
  r->prop_host = (uint32_t)r->p->hosts_count - 1;
  r->prop_hosts = 1;
  return hc_reading_coordinates(r, point, e);
}

static hc_rc open_disk(hc_platform_reading *r, hc_error *e)
{
  hc_platform *p = r->p;
  hc_platform_disk d = {.host = r->prop_host};
  TRY(hc_attribute_number(r, "read_bw", hc_platform_bandwidth, 1e-300, -1, &d.read, e));
  TRY(hc_attribute_number(r, "write_bw", hc_platform_bandwidth, 1e-300, -1, &d.write, e));
  TRY(hc_attribute_need(r, "id", &d.name, e));
  TRY(hc_reading_text(r, d.name, &d.name, e));
  if (hc_reserve(p->allocator, (void **)&p->all_disks, &p->all_disks_cap, p->all_disks_count + 1, sizeof d) <
      0)
    return hc_reading_no_memory(r, e);
  p->all_disks[p->all_disks_count++] = d;
  r->p->hosts[r->prop_host].disks++;
  r->p->disks++;
  return 0;
}

static hc_rc open_router(hc_platform_reading *r, hc_error *e)
{
  const char *id;
  uint32_t point;
  TRY(hc_attribute_need(r, "id", &id, e));
  TRY(hc_reading_point(r, id, HC_POINT_ROUTER, HC_NONE, &point, e));
  return hc_reading_coordinates(r, point, e);
}

/* ---- links ---- */

static hc_rc policy_of(const hc_platform_reading *r, hc_link_policy *out, hc_error *e)
{
  const char *s = hc_attribute_get(r, "sharing_policy");
  *out = HC_POLICY_SHARED;
  if (!s || strcmp(s, "SHARED") == 0) return 0;
  *out = HC_POLICY_FATPIPE;
  if (strcmp(s, "FATPIPE") == 0) return 0;
  *out = HC_POLICY_SPLIT;
  if (strcmp(s, "SPLITDUPLEX") == 0 || strcmp(s, "FULLDUPLEX") == 0) return 0;
  if (strcmp(s, "WIFI") == 0)
    return hc_fail(e, HC_EUNSUPPORTED, r->at.file, r->at.line, r->at.column, "links of wifi are not read");
  return HC_WRONG(r, e, "sharing_policy=\"%.40s\": expected SHARED, FATPIPE or SPLITDUPLEX", s);
}

static hc_rc open_link(hc_platform_reading *r, hc_error *e)
{
  hc_link_policy policy;
  const char *id;
  double bandwidth, latency;
  uint32_t first;
  TRY(refuse_profiles(r, e));
  TRY(hc_attribute_need(r, "id", &id, e));
  TRY(policy_of(r, &policy, e));
  TRY(hc_attribute_number(r, "bandwidth", hc_platform_bandwidth, 1e-300, -1, &bandwidth, e));
  TRY(hc_attribute_number(r, "latency", hc_platform_time, 0, 0, &latency, e));
  r->prop_hosts = 0;
  TRY(hc_reading_link(r, id, bandwidth, latency, policy, &first, e));
  r->prop_link = first;
  return 0;
}

static hc_rc open_backbone(hc_platform_reading *r, hc_error *e)
{
  const char *id;
  double bandwidth, latency;
  if (r->p->zones[r->zone].routing != HC_ZONE_STAR)
    return HC_WRONG(r, e, "a backbone belongs into a zone with the routing Cluster");
  if (r->backbone != HC_NONE) return HC_WRONG(r, e, "the zone has a backbone already");
  TRY(hc_attribute_need(r, "id", &id, e));
  TRY(hc_attribute_number(r, "bandwidth", hc_platform_bandwidth, 1e-300, -1, &bandwidth, e));
  TRY(hc_attribute_number(r, "latency", hc_platform_time, 0, -1, &latency, e));
  return hc_reading_link(r, id, bandwidth, latency, HC_POLICY_SHARED, &r->backbone, e);
}

/* ---- routes ---- */

static bool is_within(const hc_platform *p, uint32_t point, uint32_t zone_point)
{
  uint32_t zone = p->points[point].zone;
  while (zone != HC_NONE && p->zones[zone].point != zone_point) zone = p->points[p->zones[zone].point].zone;
  return zone != HC_NONE;
}

static hc_rc find_gate(const hc_platform_reading *r, const char *what, uint32_t zone, uint32_t *gate,
                       hc_error *e)
{
  const hc_platform *p = r->p;
  const char *name;
  TRY(hc_attribute_need(r, what, &name, e));
  TRY(hc_reading_find_point(r, what, name, gate, e));
  if (p->points[*gate].kind == HC_POINT_ZONE)
    return HC_WRONG(r, e, "%s=\"%.80s\" is a zone: a gateway is a host or a router", what, name);
  if (is_within(p, *gate, zone)) return 0;
  return HC_WRONG(r, e, "%s=\"%.80s\" is not in the zone \"%.80s\"", what, name, p->points[zone].name);
}

/* @param zones whether both ends have to be zones, or neither. */
static hc_rc find_ends(hc_platform_reading *r, bool zones, hc_error *e)
{
  static const char *const words[] = {"src", "dst"};
  uint32_t ends[2];
  for (int i = 0; i < 2; i++) {
    const hc_platform_point *point;
    const char *name;
    TRY(hc_attribute_need(r, words[i], &name, e));
    TRY(hc_reading_find_point(r, words[i], name, &ends[i], e));
    point = &r->p->points[ends[i]];
    if ((point->kind == HC_POINT_ZONE) != zones)
      return HC_WRONG(r, e, "%s=\"%.80s\" is %s: <%.20s> joins %s", words[i], name,
                      zones ? "no zone" : "a zone", r->element, zones ? "zones" : "hosts and routers");
    if (!(zones && r->route.is_bypass) && point->zone != r->zone)
      return HC_WRONG(r, e,
                      "%s=\"%.80s\" is in another zone than the route: a route stands beside what it joins",
                      words[i], name);
  }
  r->route.from = ends[0];
  r->route.to = ends[1];
  return 0;
}

static hc_rc open_any_route(hc_platform_reading *r, bool zones, bool is_bypass, hc_error *e)
{
  const char *s = hc_attribute_get(r, "symmetrical");
  const hc_zone_routing routing = r->p->zones[r->zone].routing;
  if (s && !is_word(s, "yes") && !is_word(s, "no"))
    return HC_WRONG(r, e, "symmetrical=\"%.40s\": expected YES or NO", s);
  r->route = (hc_platform_route){.zone = r->zone,
                                 .gate_from = HC_NONE,
                                 .gate_to = HC_NONE,
                                 .is_bypass = is_bypass,
                                 .first = (uint32_t)r->p->uses_count,
                                 .line = r->at.line,
                                 .is_symmetrical = !is_bypass && !(s && is_word(s, "no"))};
  if (routing == HC_ZONE_EMPTY) return HC_WRONG(r, e, "a zone with the routing None has no routes");
  TRY(find_ends(r, zones, e));
  if (!is_bypass && (routing == HC_ZONE_STAR || routing == HC_ZONE_VIVALDI) && r->route.from != r->route.to)
    return HC_WRONG(r, e,
                    "in a zone with the routing Cluster or Vivaldi a route leads from a host to itself only");
  if (!zones) return 0;
  TRY(find_gate(r, "gw_src", r->route.from, &r->route.gate_from, e));
  TRY(find_gate(r, "gw_dst", r->route.to, &r->route.gate_to, e));
  if (r->route.gate_from == r->route.gate_to) return HC_WRONG(r, e, "both gateways are the same");
  return 0;
}

static hc_rc open_route(hc_platform_reading *r, hc_error *e)
{
  return open_any_route(r, false, false, e);
}

static hc_rc open_zone_route(hc_platform_reading *r, hc_error *e)
{
  return open_any_route(r, true, false, e);
}

static hc_rc open_bypass(hc_platform_reading *r, hc_error *e)
{
  return open_any_route(r, false, true, e);
}

static hc_rc open_zone_bypass(hc_platform_reading *r, hc_error *e)
{
  return open_any_route(r, true, true, e);
}

static hc_rc open_ctn(hc_platform_reading *r, hc_error *e)
{
  const hc_platform *p = r->p;
  const char *id, *way = hc_attribute_get(r, "direction");
  uint32_t link, split;
  TRY(hc_attribute_need(r, "id", &id, e));
  link = hc_names_find(&p->link_names, id, strlen(id));
  split = hc_names_find(&p->split_names, id, strlen(id));
  if (!way || strcmp(way, "NONE") == 0) {
    if (link != HC_MAP_NONE) return hc_reading_use(r, link, e);
    if (split != HC_MAP_NONE)
      return HC_WRONG(r, e, "the link \"%.80s\" is split: say direction=\"UP\" or \"DOWN\"", id);
    return HC_WRONG(r, e, "no link \"%.80s\" is declared before this line", id);
  }
  if (strcmp(way, "UP") != 0 && strcmp(way, "DOWN") != 0)
    return HC_WRONG(r, e, "direction=\"%.40s\": expected UP, DOWN or NONE", way);
  if (split != HC_MAP_NONE)
    return hc_reading_use(
        r, way[0] == 'U' ? p->splits[split] | HC_USE_UP : (p->splits[split] + 1) | HC_USE_DOWN, e);
  if (link != HC_MAP_NONE)
    return HC_WRONG(r, e, "the link \"%.80s\" has no direction: it is not split; leave `direction` out", id);
  return HC_WRONG(r, e, "no link \"%.80s\" is declared before this line", id);
}

static hc_rc close_route(hc_platform_reading *r, hc_error *e)
{
  hc_platform *p = r->p;
  r->route.count = (uint32_t)p->uses_count - r->route.first;
  if (r->route.count == 0) return HC_WRONG(r, e, "the route has no link");
  if (hc_reserve(p->allocator, (void **)&p->routes, &p->routes_cap, p->routes_count + 1, sizeof *p->routes) <
      0)
    return hc_reading_no_memory(r, e);
  p->routes[p->routes_count++] = r->route;
  return 0;
}

/* ---- the rest ---- */

static hc_rc open_config(hc_platform_reading *r, hc_error *e)
{
  if (r->p->zones_count > 0) return HC_WRONG(r, e, "<config> stands before all zones");
  return 0;
}

/* Of the disk that is open: where it is mounted, and what it holds. */
static hc_rc disk_prop(hc_platform_reading *r, const hc_platform_prop *prop, hc_error *e)
{
  hc_platform_disk *d = &r->p->all_disks[r->p->all_disks_count - 1];
  if (strcmp(prop->name, "mount") == 0) return hc_reading_text(r, prop->value, &d->mount, e);
  if (strcmp(prop->name, "size") == 0) return hc_reading_text(r, prop->value, &d->size, e);
  return 0;
}

static bool is_watts(const char *s, size_t n, double *out)
{
  while (n > 0 && strchr(" \t\n", s[0])) s++, n--;
  while (n > 0 && strchr(" \t\n", s[n - 1])) n--;
  return hc_parse_real(s, n, out) == 0 && *out >= 0 && *out <= 1e9;
}

/* What it draws, each direction of a split one as much. Links are never off during a run, so that
 * wattage_off is looked at and not kept. */
static hc_rc link_prop(hc_platform_reading *r, const hc_platform_prop *prop, hc_error *e)
{
  const char *s = prop->value, *colon = strchr(s, ':');
  double idle, busy;
  if (strcmp(prop->name, "wattage_off") == 0 || strcmp(prop->name, "watt_off") == 0)
    return is_watts(s, strlen(s), &idle)
               ? 0
               : HC_WRONG(r, e, "%s=\"%.60s\" is no number of W", prop->name, s);
  if (strcmp(prop->name, "wattage_range") != 0 && strcmp(prop->name, "watt_range") != 0) {
    r->p->unused++;
    return 0;
  }
  if (!colon || !is_watts(s, (size_t)(colon - s), &idle) || !is_watts(colon + 1, strlen(colon + 1), &busy))
    return HC_WRONG(r, e, "%s=\"%.60s\" is not idle:busy, in W, such as 10.3:10.7", prop->name, s);
  for (size_t i = r->prop_link; i < r->p->links_count; i++) {
    r->p->links[i].idle = idle;
    r->p->links[i].busy = busy;
    r->p->links[i].has_watts = true;
  }
  return 0;
}

static hc_rc open_prop(hc_platform_reading *r, hc_error *e)
{
  hc_platform *p = r->p;
  const bool is_setting = r->stack[r->depth - 2] == CONFIG;
  const bool is_used =
      r->prop_hosts > 0 && (r->stack[r->depth - 2] == HOST || r->stack[r->depth - 2] == CLUSTER);
  hc_platform_prop prop = {.first_host = r->prop_host, .hosts = is_setting ? 0 : r->prop_hosts};
  TRY(hc_attribute_need(r, "id", &prop.name, e));
  TRY(hc_attribute_need(r, "value", &prop.value, e));
  if (r->stack[r->depth - 2] == DISK) return disk_prop(r, &prop, e);
  if (r->stack[r->depth - 2] == LINK) return link_prop(r, &prop, e);
  if (!is_used && !is_setting) {
    p->unused++;
    return 0;
  }
  TRY(hc_reading_text(r, prop.name, &prop.name, e));
  TRY(hc_reading_text(r, prop.value, &prop.value, e));
  if (is_setting) {
    if (hc_reserve(p->allocator, (void **)&p->settings, &p->settings_cap, p->settings_count + 1,
                   sizeof prop) < 0)
      return hc_reading_no_memory(r, e);
    p->settings[p->settings_count++] = prop;
    return 0;
  }
  if (hc_reserve(p->allocator, (void **)&p->props, &p->props_cap, p->props_count + 1, sizeof prop) < 0)
    return hc_reading_no_memory(r, e);
  p->props[p->props_count++] = prop;
  return 0;
}

/* ---- the table ---- */

#define IN(kind) (1u << (kind))

typedef struct element {
  const char *name;
  enum kind kind;
  uint32_t within;        /* kinds of elements in which it may stand */
  const char *attributes; /* separated by spaces; of what is refused: why */
  hc_rc (*open)(hc_platform_reading *r, hc_error *e);
  hc_rc (*close)(hc_platform_reading *r, hc_error *e);
} element;

#define ENDS "src dst symmetrical"
#define GATES "src dst gw_src gw_dst symmetrical"
#define CHANGES "what changes during a run is not read from a platform; say it as events of the run"
#define STARTS "what runs is said by the workload, not by the platform"
#define GONE "SimGrid 3.32 does not read it either"

static const element elements[] = {
    {"platform", PLATFORM, IN(NOTHING), "version", open_platform, NULL},
    {"config", CONFIG, IN(PLATFORM), "id", open_config, NULL},
    {"zone", ZONE, IN(PLATFORM) | IN(ZONE), "id routing", open_zone, close_zone},
    {"AS", ZONE, IN(PLATFORM) | IN(ZONE), "id routing", open_zone, close_zone},
    {"host", HOST, IN(ZONE), "id speed core speed_file availability_file state_file coordinates pstate",
     open_host, NULL},
    {"disk", DISK, IN(HOST), "id read_bw write_bw", open_disk, NULL},
    {"router", ROUTER, IN(ZONE), "id coordinates", open_router, NULL},
    {"link", LINK, IN(ZONE), "id bandwidth bandwidth_file latency latency_file state_file sharing_policy",
     open_link, NULL},
    {"backbone", LEAF, IN(ZONE), "id bandwidth latency", open_backbone, NULL},
    {"route", ROUTE, IN(ZONE), ENDS, open_route, close_route},
    {"zoneRoute", ROUTE, IN(ZONE), GATES, open_zone_route, close_route},
    {"ASroute", ROUTE, IN(ZONE), GATES, open_zone_route, close_route},
    {"bypassRoute", ROUTE, IN(ZONE), "src dst", open_bypass, close_route},
    {"bypassZoneRoute", ROUTE, IN(ZONE), "src dst gw_src gw_dst", open_zone_bypass, close_route},
    {"bypassASroute", ROUTE, IN(ZONE), "src dst gw_src gw_dst", open_zone_bypass, close_route},
    {"link_ctn", CTN, IN(ROUTE), "id direction", open_ctn, NULL},
    {"cluster", CLUSTER, IN(PLATFORM) | IN(ZONE),
     "id prefix suffix radical speed core bw lat sharing_policy topology topo_parameters bb_bw bb_lat "
     "bb_sharing_policy router_id limiter_link loopback_bw loopback_lat",
     hc_reading_cluster, NULL},
    {"cabinet", LEAF, IN(ZONE), "id prefix suffix radical speed bw lat", hc_reading_cabinet, NULL},
    {"peer", LEAF, IN(ZONE), "id speed bw_in bw_out lat coordinates speed_file availability_file state_file",
     hc_reading_peer, NULL},
    {"host_link", LEAF, IN(ZONE), "id up down", hc_reading_host_link, NULL},
    {"prop", PROP, IN(CONFIG) | IN(ZONE) | IN(HOST) | IN(DISK) | IN(LINK) | IN(CLUSTER), "id value",
     open_prop, NULL},
    {"trace", REFUSED, 0, CHANGES, NULL, NULL},
    {"trace_connect", REFUSED, 0, CHANGES, NULL, NULL},
    {"actor", REFUSED, 0, STARTS, NULL, NULL},
    {"process", REFUSED, 0, STARTS, NULL, NULL},
    {"include", REFUSED, 0, "put what it includes into the file: " GONE, NULL, NULL},
    {"storage", REFUSED, 0, GONE, NULL, NULL},
    {"storage_type", REFUSED, 0, GONE, NULL, NULL},
    {"mount", REFUSED, 0, GONE, NULL, NULL},
    {"random", REFUSED, 0, "it has no effect in SimGrid", NULL, NULL},
};

static const element *element_of(const char *name)
{
  for (size_t i = 0; i < HC_ARRAY_LEN(elements); i++)
    if (strcmp(elements[i].name, name) == 0) return &elements[i];
  return NULL;
}

static bool has_word(const char *words, const char *word)
{
  const size_t n = strlen(word);
  for (const char *s = strstr(words, word); s; s = strstr(s + 1, word))
    if ((s == words || s[-1] == ' ') && (s[n] == ' ' || s[n] == '\0')) return n > 0;
  return false;
}

static hc_rc check_attributes(const hc_platform_reading *r, const element *x, hc_error *e)
{
  for (const char *const *a = r->attributes; a[0]; a += 2)
    if (!has_word(x->attributes, a[0]))
      return HC_WRONG(r, e, "<%s> has no attribute \"%.40s\": it has %s", x->name, a[0], x->attributes);
  return 0;
}

static hc_rc on_open(void *ctx, const hc_xml_place *at, const char *name, const char *const *attributes,
                     hc_error *e)
{
  hc_platform_reading *r = ctx;
  const element *x = element_of(name);
  const enum kind outer = r->depth > 0 ? (enum kind)r->stack[r->depth - 1] : NOTHING;
  r->at = *at;
  r->element = name;
  r->attributes = attributes;
  if (!x) return HC_WRONG(r, e, "<%.40s> is no element of a platform", name);
  if (x->kind == REFUSED)
    return hc_fail(e, HC_EUNSUPPORTED, at->file, at->line, at->column, "<%s> is not read: %s", name,
                   x->attributes);
  if (!(x->within & IN(outer))) return HC_WRONG(r, e, "<%s> does not belong here", name);
  TRY(check_attributes(r, x, e));
  r->stack[r->depth++] = (uint8_t)x->kind;
  return x->open(r, e);
}

static hc_rc on_close(void *ctx, const hc_xml_place *at, const char *name, hc_error *e)
{
  hc_platform_reading *r = ctx;
  const element *x = element_of(name);
  r->at = *at;
  r->depth--;
  return x && x->close ? x->close(r, e) : 0;
}

const hc_xml_handler hc_platform_handler = {.open = on_open, .close = on_close};
