/* platform_cluster.c -- hosts by the dozen: clusters, cabinets, peers, and the stars that they are joined by.
 *
 * A flat cluster is a star: each host has a link of its own, a backbone may stand in the middle, and a
 * router, by which others reach the cluster, has none. Links of other topologies are made by the network.
 * */
#include <inttypes.h>
#include <string.h>

#include "cluster/host_builder.h"
#include "cluster/platform_parts.h"

/* ---- numbers in names: "0-7,9" ---- */

static hc_rc read_number(const hc_platform_reading *r, const char *s, size_t n, int64_t *out, hc_error *e)
{
  while (n > 0 && *s == ' ') s++, n--;
  if (hc_parse_int(s, n, out) == 0 && *out >= 0 && *out <= INT32_MAX) return 0;
  return HC_WRONG(r, e, "radical: \"%.*s\" is no number from 0 on; numbers are written as 0-7,9",
                  (int)HC_MIN(n, (size_t)40), s);
}

static hc_rc add_numbers(const hc_platform_reading *r, int64_t first, int64_t last, uint32_t **numbers,
                         size_t *count, size_t *cap, hc_error *e)
{
  for (int64_t i = first; i <= last; i++) {
    if (*count >= HC_MOST_HOSTS)
      return hc_fail(e, HC_ELIMIT, r->at.file, r->at.line, r->at.column, "radical: more than %u hosts",
                     HC_MOST_HOSTS);
    if (hc_reserve(r->p->allocator, (void **)numbers, cap, *count + 1, sizeof **numbers) < 0)
      return hc_reading_no_memory(r, e);
    (*numbers)[(*count)++] = (uint32_t)i;
  }
  return 0;
}

static hc_rc read_numbers(const hc_platform_reading *r, const char *s, uint32_t **numbers, size_t *count,
                          size_t *cap, hc_error *e)
{
  for (const char *part = s;; part++) {
    const size_t n = strcspn(part, ","), first = HC_MIN(strcspn(part, "-"), n);
    int64_t from, to;
    TRY(read_number(r, part, first, &from, e));
    to = from;
    if (first < n) TRY(read_number(r, part + first + 1, n - first - 1, &to, e));
    TRY(add_numbers(r, from, to, numbers, count, cap, e));
    part += n;
    if (!*part) break;
  }
  if (*count > 0) return 0;
  return HC_WRONG(r, e, "radical=\"%.40s\" names no host", s);
}

/* The list of an element, in the arena. */
static hc_rc numbers_of(hc_platform_reading *r, const uint32_t **out, size_t *count, hc_error *e)
{
  uint32_t *numbers = NULL, *kept;
  size_t cap = 0;
  const char *s;
  hc_rc rc;
  *count = 0;
  TRY(hc_attribute_need(r, "radical", &s, e));
  rc = read_numbers(r, s, &numbers, count, &cap, e);
  if (rc == 0) {
    kept = hc_arena_room(&r->p->arena, *count * sizeof *kept);
    if (kept) memcpy(kept, numbers, *count * sizeof *kept);
    else rc = hc_reading_no_memory(r, e);
    *out = kept;
  }
  hc_free(r->p->allocator, numbers, cap * sizeof *numbers);
  return rc;
}

/* ---- clusters ---- */

typedef struct cluster {
  hc_platform_cluster record;
  const char *id, *prefix, *suffix;
  double speed, backbone_bandwidth, backbone_latency;
  uint32_t cores;
  bool is_backbone_fatpipe;
  hc_zone_routing routing;
} cluster;

static hc_rc read_choices(const hc_platform_reading *r, cluster *c, hc_error *e)
{
  static const struct {
    const char *name;
    hc_zone_routing routing;
  } topologies[] = {{"FLAT", HC_ZONE_STAR},
                    {"TORUS", HC_ZONE_TORUS},
                    {"FAT_TREE", HC_ZONE_FAT_TREE},
                    {"DRAGONFLY", HC_ZONE_DRAGONFLY}};
  const char *topology = hc_attribute_get(r, "topology"), *sharing = hc_attribute_get(r, "sharing_policy");
  const char *backbone = hc_attribute_get(r, "bb_sharing_policy");
  size_t i = 0;
  while (topology && i < HC_ARRAY_LEN(topologies) && strcmp(topology, topologies[i].name) != 0) i++;
  if (i == HC_ARRAY_LEN(topologies))
    return HC_WRONG(r, e, "topology=\"%.40s\": expected FLAT, TORUS, FAT_TREE or DRAGONFLY", topology);
  c->routing = topologies[i].routing;
  c->record.is_split = !sharing || strcmp(sharing, "SPLITDUPLEX") == 0 || strcmp(sharing, "FULLDUPLEX") == 0;
  if (!c->record.is_split && strcmp(sharing, "SHARED") != 0)
    return HC_WRONG(r, e, "sharing_policy=\"%.40s\": expected SHARED or SPLITDUPLEX%s", sharing,
                    strcmp(sharing, "FATPIPE") == 0 ? "; SimGrid 3.32 takes FATPIPE of a cluster for SHARED"
                                                    : "");
  c->is_backbone_fatpipe = backbone && strcmp(backbone, "FATPIPE") == 0;
  if (backbone && !c->is_backbone_fatpipe && strcmp(backbone, "SHARED") != 0)
    return HC_WRONG(r, e, "bb_sharing_policy=\"%.40s\": expected SHARED or FATPIPE", backbone);
  return 0;
}

static hc_rc read_links(const hc_platform_reading *r, cluster *c, hc_error *e)
{
  hc_platform_cluster *x = &c->record;
  TRY(hc_attribute_number(r, "bw", hc_platform_bandwidth, 1e-300, -1, &x->bandwidth, e));
  TRY(hc_attribute_number(r, "lat", hc_platform_time, 0, -1, &x->latency, e));
  TRY(hc_attribute_number(r, "limiter_link", hc_platform_bandwidth, 0, 0, &x->limiter, e));
  TRY(hc_attribute_number(r, "loopback_bw", hc_platform_bandwidth, 0, 0, &x->loop_bandwidth, e));
  TRY(hc_attribute_number(r, "loopback_lat", hc_platform_time, 0, 0, &x->loop_latency, e));
  TRY(hc_attribute_number(r, "bb_bw", hc_platform_bandwidth, 0, 0, &c->backbone_bandwidth, e));
  TRY(hc_attribute_number(r, "bb_lat", hc_platform_time, 0, 0, &c->backbone_latency, e));
  if (x->loop_latency > 0 && x->loop_bandwidth <= 0)
    return HC_WRONG(r, e, "loopback_lat without loopback_bw: the loopback would have no bandwidth");
  if (c->backbone_latency > 0 && c->backbone_bandwidth <= 0)
    return HC_WRONG(r, e, "bb_lat without bb_bw: the backbone would have no bandwidth");
  return 0;
}

static hc_rc read_cluster(hc_platform_reading *r, cluster *c, hc_error *e)
{
  const char *parameters = hc_attribute_get(r, "topo_parameters");
  size_t count;
  TRY(hc_attribute_need(r, "id", &c->id, e));
  TRY(hc_attribute_need(r, "prefix", &c->prefix, e));
  TRY(hc_attribute_need(r, "suffix", &c->suffix, e));
  TRY(hc_attribute_speed(r, &c->speed, e));
  TRY(hc_attribute_cores(r, &c->cores, e));
  TRY(read_choices(r, c, e));
  TRY(read_links(r, c, e));
  TRY(numbers_of(r, &c->record.radicals, &count, e));
  TRY(hc_reading_text(r, c->id, &c->record.name, e));
  TRY(hc_reading_text(r, parameters ? parameters : "", &c->record.parameters, e));
  c->record.hosts = (uint32_t)count;
  c->record.first_host = (uint32_t)r->p->hosts_count;
  c->record.line = r->at.line;
  return 0;
}

static const char *name_of(hc_platform_reading *r, const char *prefix, uint32_t number, const char *suffix)
{
  return hc_arena_printf(&r->p->arena, "%s%" PRIu32 "%s", prefix, number, suffix);
}

/* A host of a flat cluster: its links, its route to the middle and to itself. */
static hc_rc join_host(hc_platform_reading *r, const cluster *c, uint32_t number, uint32_t point,
                       uint32_t backbone, hc_error *e)
{
  const hc_platform_cluster *x = &c->record;
  const char *name = hc_arena_printf(&r->p->arena, "%s_link_%" PRIu32, c->id, number);
  const char *loop = hc_arena_printf(&r->p->arena, "%s_link_%" PRIu32 "_loopback", c->id, number);
  const char *limiter = hc_arena_printf(&r->p->arena, "%s_link_%" PRIu32 "_limiter", c->id, number);
  uint32_t uses[3], id;
  size_t count = 0;
  if (!name || !loop || !limiter) return hc_reading_no_memory(r, e);
  if (x->loop_bandwidth > 0) {
    TRY(hc_reading_link(r, loop, x->loop_bandwidth, x->loop_latency, HC_POLICY_FATPIPE, &id, e));
    TRY(hc_reading_route(r, point, point, &id, 1, false, e));
  }
  if (x->limiter > 0) TRY(hc_reading_link(r, limiter, x->limiter, 0, HC_POLICY_SHARED, &uses[count++], e));
  TRY(hc_reading_link(r, name, x->bandwidth, x->latency, x->is_split ? HC_POLICY_SPLIT : HC_POLICY_SHARED,
                      &id, e));
  uses[count++] = x->is_split ? id | HC_USE_UP : id;
  if (backbone != HC_NONE) uses[count++] = backbone;
  return hc_reading_route(r, point, HC_NONE, uses, count, true, e);
}

static hc_rc add_router(hc_platform_reading *r, const cluster *c, hc_error *e)
{
  const char *name = hc_attribute_get(r, "router_id");
  uint32_t point;
  if (!name) name = hc_arena_printf(&r->p->arena, "%s%s_router%s", c->prefix, c->id, c->suffix);
  if (!name) return hc_reading_no_memory(r, e);
  TRY(hc_reading_point(r, name, HC_POINT_ROUTER, HC_NONE, &point, e));
  return hc_reading_route(r, point, HC_NONE, NULL, 0, true, e);
}

static hc_rc add_backbone(hc_platform_reading *r, const cluster *c, uint32_t *backbone, hc_error *e)
{
  const char *name = hc_arena_printf(&r->p->arena, "%s_backbone", c->id);
  *backbone = HC_NONE;
  if (c->backbone_bandwidth <= 0) return 0;
  if (!name) return hc_reading_no_memory(r, e);
  return hc_reading_link(r, name, c->backbone_bandwidth, c->backbone_latency,
                         c->is_backbone_fatpipe ? HC_POLICY_FATPIPE : HC_POLICY_SHARED, backbone, e);
}

static hc_rc add_hosts(hc_platform_reading *r, const cluster *c, uint32_t backbone, hc_error *e)
{
  for (uint32_t i = 0; i < c->record.hosts; i++) {
    const char *name = name_of(r, c->prefix, c->record.radicals[i], c->suffix);
    uint32_t point;
    if (!name) return hc_reading_no_memory(r, e);
    TRY(hc_reading_host(r, name, c->speed, c->cores, &point, e));
    if (c->routing == HC_ZONE_STAR) TRY(join_host(r, c, c->record.radicals[i], point, backbone, e));
  }
  return 0;
}

hc_rc hc_reading_cluster(hc_platform_reading *r, hc_error *e)
{
  hc_platform *p = r->p;
  cluster c = {.routing = HC_ZONE_STAR};
  uint32_t backbone = HC_NONE;
  TRY(read_cluster(r, &c, e));
  TRY(hc_reading_zone(r, c.id, c.routing, e));
  c.record.zone = r->zone;
  if (c.routing == HC_ZONE_STAR) {
    TRY(add_backbone(r, &c, &backbone, e));
  } else {
    p->zones[r->zone].cluster = (uint32_t)p->clusters_count;
    if (hc_reserve(p->allocator, (void **)&p->clusters, &p->clusters_cap, p->clusters_count + 1,
                   sizeof *p->clusters) < 0)
      return hc_reading_no_memory(r, e);
    p->clusters[p->clusters_count++] = c.record;
  }
  TRY(add_hosts(r, &c, backbone, e));
  if (c.routing == HC_ZONE_STAR) TRY(add_router(r, &c, e));
  r->prop_host = c.record.first_host;
  r->prop_hosts = c.record.hosts;
  hc_reading_leave_zone(r);
  return 0;
}

/* ---- hosts of a zone with the routing Cluster ---- */

static hc_rc add_arm(hc_platform_reading *r, const char *host, const char *up, const char *down, hc_error *e)
{
  hc_star_arm arm = {.line = r->at.line};
  if (r->p->zones[r->zone].routing != HC_ZONE_STAR)
    return HC_WRONG(r, e, "<%.20s> belongs into a zone with the routing Cluster", r->element);
  TRY(hc_reading_text(r, host, &arm.host, e));
  TRY(hc_reading_text(r, up, &arm.up, e));
  TRY(hc_reading_text(r, down, &arm.down, e));
  if (hc_reserve(r->p->allocator, (void **)&r->arms, &r->arms_cap, r->arms_count + 1, sizeof arm) < 0)
    return hc_reading_no_memory(r, e);
  r->arms[r->arms_count++] = arm;
  return 0;
}

hc_rc hc_reading_host_link(hc_platform_reading *r, hc_error *e)
{
  const char *host, *up, *down;
  TRY(hc_attribute_need(r, "id", &host, e));
  TRY(hc_attribute_need(r, "up", &up, e));
  TRY(hc_attribute_need(r, "down", &down, e));
  return add_arm(r, host, up, down, e);
}

static hc_rc add_pair(hc_platform_reading *r, const char *host, double up, double down, double latency,
                      uint32_t *first, hc_error *e)
{
  const char *names[2] = {hc_arena_printf(&r->p->arena, "link_%s_UP", host),
                          hc_arena_printf(&r->p->arena, "link_%s_DOWN", host)};
  uint32_t id;
  if (!names[0] || !names[1]) return hc_reading_no_memory(r, e);
  TRY(hc_reading_link(r, names[0], up, latency, HC_POLICY_SHARED, first, e));
  return hc_reading_link(r, names[1], down, latency, HC_POLICY_SHARED, &id, e);
}

hc_rc hc_reading_cabinet(hc_platform_reading *r, hc_error *e)
{
  const char *prefix, *suffix;
  const uint32_t *numbers = NULL;
  double speed, bandwidth, latency;
  size_t count;
  TRY(hc_attribute_need(r, "prefix", &prefix, e));
  TRY(hc_attribute_need(r, "suffix", &suffix, e));
  TRY(hc_attribute_speed(r, &speed, e));
  TRY(hc_attribute_number(r, "bw", hc_platform_bandwidth, 1e-300, -1, &bandwidth, e));
  TRY(hc_attribute_number(r, "lat", hc_platform_time, 0, -1, &latency, e));
  TRY(numbers_of(r, &numbers, &count, e));
  for (size_t i = 0; i < count; i++) {
    const char *name = name_of(r, prefix, numbers[i], suffix);
    uint32_t point, up;
    if (!name) return hc_reading_no_memory(r, e);
    TRY(hc_reading_host(r, name, speed, 1, &point, e));
    TRY(add_pair(r, name, bandwidth, bandwidth, latency, &up, e));
    TRY(add_arm(r, name, r->p->links[up].name, r->p->links[up + 1].name, e));
  }
  return 0;
}

static hc_rc find_arm(const hc_platform_reading *r, const hc_star_arm *arm, uint32_t *point, uint32_t *up,
                      uint32_t *down, hc_error *e)
{
  const hc_platform *p = r->p;
  *point = hc_names_find(&p->point_names, arm->host, strlen(arm->host));
  *up = hc_names_find(&p->link_names, arm->up, strlen(arm->up));
  *down = hc_names_find(&p->link_names, arm->down, strlen(arm->down));
  if (*point == HC_MAP_NONE || p->points[*point].kind != HC_POINT_HOST || p->points[*point].zone != r->zone)
    return hc_fail(e, HC_EINPUT, p->file, arm->line, 0, "the zone has no host \"%.80s\"", arm->host);
  if (*up != HC_MAP_NONE && *down != HC_MAP_NONE) return 0;
  return hc_fail(
      e, HC_EINPUT, p->file, arm->line, 0,
      "there is no link \"%.80s\"; of a split link each direction has a name that ends in _UP or _DOWN",
      *up == HC_MAP_NONE ? arm->up : arm->down);
}

hc_rc hc_reading_star(hc_platform_reading *r, hc_error *e)
{
  for (size_t i = 0; i < r->arms_count; i++) {
    uint32_t point, up, down;
    TRY(find_arm(r, &r->arms[i], &point, &up, &down, e));
    TRY(hc_reading_route(r, point, HC_NONE, (uint32_t[]){up, r->backbone}, r->backbone == HC_NONE ? 1 : 2,
                         false, e));
    if (r->backbone == HC_NONE) TRY(hc_reading_route(r, HC_NONE, point, &down, 1, false, e));
    else TRY(hc_reading_route(r, HC_NONE, point, (uint32_t[]){r->backbone, down}, 2, false, e));
  }
  r->arms_count = 0;
  r->backbone = HC_NONE;
  return 0;
}

/* ---- peers ---- */

hc_rc hc_reading_coordinates(hc_platform_reading *r, uint32_t point, hc_error *e)
{
  const char *s = hc_attribute_get(r, "coordinates");
  hc_platform_point *p = &r->p->points[point];
  if (!s) return 0;
  for (int i = 0; i < 3; i++) {
    const size_t n = strcspn(s, " ");
    if (hc_parse_real(s, n, &p->at[i]) < 0 || (i < 2 && !s[n]) || (i == 2 && s[n]) || p->at[i] > 1e12 ||
        p->at[i] < -1e12)
      return HC_WRONG(r, e, "coordinates: expected three numbers with a space between them, in ms");
    s += n + (i < 2);
  }
  p->is_placed = true;
  return 0;
}

hc_rc hc_reading_peer(hc_platform_reading *r, hc_error *e)
{
  static const char *const files[] = {"speed_file", "availability_file", "state_file", "lat"};
  const char *id;
  double speed, in, out;
  uint32_t point, up;
  for (size_t i = 0; i < HC_ARRAY_LEN(files); i++)
    if (hc_attribute_get(r, files[i]))
      return hc_fail(e, HC_EUNSUPPORTED, r->at.file, r->at.line, r->at.column, "%s of a peer is not read%s",
                     files[i], i == 3 ? ": say it as the third of its coordinates" : "");
  if (r->p->zones[r->zone].routing != HC_ZONE_VIVALDI)
    return HC_WRONG(r, e, "a peer belongs into a zone with the routing Vivaldi");
  TRY(hc_attribute_need(r, "id", &id, e));
  TRY(hc_attribute_speed(r, &speed, e));
  TRY(hc_attribute_number(r, "bw_in", hc_platform_bandwidth, 1e-300, -1, &in, e));
  TRY(hc_attribute_number(r, "bw_out", hc_platform_bandwidth, 1e-300, -1, &out, e));
  TRY(hc_reading_host(r, id, speed, 1, &point, e));
  TRY(add_pair(r, id, out, in, 0, &up, e));
  TRY(hc_reading_route(r, point, HC_NONE, &up, 1, false, e));
  up++;
  TRY(hc_reading_route(r, HC_NONE, point, &up, 1, false, e));
  return hc_reading_coordinates(r, point, e);
}
