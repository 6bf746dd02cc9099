/* platform.c -- a platform of SimGrid in memory: its records, and the names by which they are found. */
#include "cluster/platform.h"

#include <stdio.h>
#include <string.h>

#include "cluster/platform_parts.h"

/* ---- the platform ---- */

static void free_list(const hc_allocator *a, void *items, size_t cap, size_t item)
{
  hc_free(a, items, cap * item);
}

#define FREE_LIST(p, name) free_list((p)->allocator, (p)->name, (p)->name##_cap, sizeof *(p)->name)

void hc_platform_free(hc_platform *p)
{
  if (!p->allocator) return;
  FREE_LIST(p, points);
  FREE_LIST(p, zones);
  FREE_LIST(p, hosts);
  FREE_LIST(p, links);
  FREE_LIST(p, splits);
  FREE_LIST(p, routes);
  FREE_LIST(p, uses);
  FREE_LIST(p, clusters);
  FREE_LIST(p, props);
  FREE_LIST(p, all_disks);
  FREE_LIST(p, settings);
  hc_names_fini(&p->point_names);
  hc_names_fini(&p->link_names);
  hc_names_fini(&p->split_names);
  hc_arena_fini(&p->arena);
  *p = (hc_platform){.allocator = NULL};
}

static hc_rc read_file(hc_platform *p, const char *path, hc_error *e)
{
  hc_platform_reading r = {.p = p, .zone = HC_NONE, .backbone = HC_NONE};
  hc_xml_handler handler = hc_platform_handler;
  hc_rc rc;
  handler.ctx = &r;
  rc = hc_xml_read(p->allocator, path, &handler, e);
  free_list(p->allocator, r.arms, r.arms_cap, sizeof *r.arms);
  TRY(rc);
  if (p->zones_count > 0) return 0;
  return hc_fail(e, HC_EINPUT, path, 0, 0, "it has no zone: a platform is a <platform> with one <zone>");
}

hc_rc hc_platform_read(const hc_allocator *a, const char *path, hc_platform *out, hc_error *e)
{
  hc_rc rc;
  *out = (hc_platform){.allocator = a};
  hc_arena_init(&out->arena, a);
  hc_names_init(&out->point_names, a, HC_PLATFORM_POINTS);
  hc_names_init(&out->link_names, a, HC_PLATFORM_LINKS);
  hc_names_init(&out->split_names, a, HC_PLATFORM_LINKS);
  out->file = hc_arena_text(&out->arena, path, strlen(path));
  rc = out->file ? read_file(out, path, e) : hc_fail(e, HC_ENOMEM, path, 0, 0, "out of memory");
  if (rc < 0) hc_platform_free(out);
  return rc;
}

/* ---- attributes ---- */

const char *hc_attribute_get(const hc_platform_reading *r, const char *name)
{
  for (const char *const *a = r->attributes; a[0]; a += 2)
    if (strcmp(a[0], name) == 0) return a[1][0] ? a[1] : NULL;
  return NULL;
}

hc_rc hc_attribute_need(const hc_platform_reading *r, const char *name, const char **out, hc_error *e)
{
  for (const char *const *a = r->attributes; a[0]; a += 2)
    if (strcmp(a[0], name) == 0) {
      *out = a[1];
      return 0;
    }
  return HC_WRONG(r, e, "<%.40s> needs the attribute %s", r->element, name);
}

hc_rc hc_attribute_number(const hc_platform_reading *r, const char *name, hc_platform_unit unit, double least,
                          double fallback, double *out, hc_error *e)
{
  const char *s = hc_attribute_get(r, name);
  if (!s && fallback >= 0) {
    *out = fallback;
    return 0;
  }
  TRY(hc_attribute_need(r, name, &s, e));
  if (unit(s, out) < 0)
    return HC_WRONG(r, e, "%s=\"%.80s\" is no number with a unit that %s can have, such as %s", name, s, name,
                    unit == hc_platform_speed       ? "1.5Gf"
                    : unit == hc_platform_bandwidth ? "125MBps"
                                                    : "50us");
  if (*out >= least && *out <= 1e30) return 0;
  return HC_WRONG(r, e, "%s=\"%.80s\" is %s", name, s,
                  *out > 1e30 ? "too much"
                  : *out < 0  ? "negative"
                              : "0: it must be more");
}

hc_rc hc_attribute_speed(const hc_platform_reading *r, double *out, hc_error *e)
{
  const char *s = "", *state = hc_attribute_get(r, "pstate");
  double number = 0;
  char one[64];
  TRY(hc_attribute_need(r, "speed", &s, e));
  if (state && (hc_parse_real(state, strlen(state), &number) < 0 || number < 0 || number > 1e6))
    return HC_WRONG(r, e, "pstate=\"%.40s\" is no number of a state", state);
  for (uint32_t i = 0; i < (uint32_t)number; i++) {
    s = strchr(s, ',');
    if (!s) return HC_WRONG(r, e, "pstate=\"%.40s\": there are %u speeds, from 0 on", state, i + 1);
    s++;
  }
  s += strspn(s, " \t\n");
  (void)snprintf(one, sizeof one, "%.*s", (int)HC_MIN(strcspn(s, ","), sizeof one - 1), s);
  for (size_t n = strlen(one); n > 0 && strchr(" \t\n", one[n - 1]); n--) one[n - 1] = '\0';
  if (hc_platform_speed(one, out) < 0)
    return HC_WRONG(r, e, "speed \"%.60s\" is no number with a unit such as 1.5Gf", one);
  if (*out >= 0 && *out <= 1e30) return 0; /* 0: it computes nothing, as ElastiSim has its file system */
  return HC_WRONG(r, e, "speed \"%.60s\" is %s", one, *out > 0 ? "too much" : "less than 0");
}

hc_rc hc_attribute_cores(const hc_platform_reading *r, uint32_t *out, hc_error *e)
{
  const char *s = hc_attribute_get(r, "core");
  int64_t cores = 1;
  if (s && (hc_parse_int(s, strlen(s), &cores) < 0 || cores < 1 || cores > 1000000000))
    return HC_WRONG(r, e, "core=\"%.40s\" is no number of cores, from 1", s);
  *out = (uint32_t)cores;
  return 0;
}

/* ---- records ---- */

hc_rc hc_reading_no_memory(const hc_platform_reading *r, hc_error *e)
{
  return hc_fail(e, HC_ENOMEM, r->at.file, r->at.line, 0, "out of memory");
}

hc_rc hc_reading_text(hc_platform_reading *r, const char *s, const char **out, hc_error *e)
{
  *out = hc_arena_text(&r->p->arena, s, strlen(s));
  return *out ? 0 : hc_reading_no_memory(r, e);
}

#define PUSH(r, list) \
  hc_reserve((r)->p->allocator, (void **)&(r)->p->list, &(r)->p->list##_cap, (r)->p->list##_count + 1, \
             sizeof *(r)->p->list)

static hc_rc check_name(const hc_platform_reading *r, const hc_names *names, const char *name,
                        const char *what, hc_error *e)
{
  if (!name[0]) return HC_WRONG(r, e, "a %s without a name", what);
  if (hc_names_find(names, name, strlen(name)) == HC_MAP_NONE) return 0;
  return HC_WRONG(r, e, "there is a %s \"%.80s\" already", what, name);
}

hc_rc hc_reading_point(hc_platform_reading *r, const char *name, hc_point_kind kind, uint32_t of,
                       uint32_t *point, hc_error *e)
{
  hc_platform *p = r->p;
  hc_rc rc;
  TRY(check_name(r, &p->point_names, name, "host, router or zone", e));
  rc = hc_names_add(&p->point_names, name, strlen(name), point);
  if (rc == HC_ELIMIT)
    return hc_fail(e, rc, r->at.file, r->at.line, 0, "more than 2^24 hosts, routers and zones");
  if (rc < 0 || PUSH(r, points) < 0) return hc_reading_no_memory(r, e);
  p->points[p->points_count++] =
      (hc_platform_point){.name = p->point_names.names[*point],
                          .kind = kind,
                          .zone = r->zone,
                          .of = of,
                          .index = r->zone == HC_NONE ? 0 : p->zones[r->zone].points++};
  if (kind == HC_POINT_ZONE && r->zone != HC_NONE) p->zones[r->zone].zones++;
  return 0;
}

hc_rc hc_reading_find_point(const hc_platform_reading *r, const char *what, const char *name, uint32_t *point,
                            hc_error *e)
{
  *point = hc_names_find(&r->p->point_names, name, strlen(name));
  if (*point != HC_MAP_NONE) return 0;
  return HC_WRONG(r, e, "%s=\"%.80s\": no host, router or zone of that name is declared before this line",
                  what, name);
}

/* The speeds of the element at hand, if there are several: once for all hosts of a cluster. */
static hc_rc read_speeds(hc_platform_reading *r, const char **out, hc_error *e)
{
  const char *s = hc_attribute_get(r, "speed");
  const hc_platform_host *last = r->p->hosts_count > 0 ? &r->p->hosts[r->p->hosts_count - 1] : NULL;
  *out = NULL;
  if (!s || !strchr(s, ',')) return 0;
  if (!last || !last->speeds || strcmp(last->speeds, s) != 0) return hc_reading_text(r, s, out, e);
  *out = last->speeds;
  return 0;
}

hc_rc hc_reading_host(hc_platform_reading *r, const char *name, double speed, uint32_t cores, uint32_t *point,
                      hc_error *e)
{
  hc_platform *p = r->p;
  TRY(hc_reading_point(r, name, HC_POINT_HOST, (uint32_t)p->hosts_count, point, e));
  const char *speeds;
  TRY(read_speeds(r, &speeds, e));
  if (PUSH(r, hosts) < 0) return hc_reading_no_memory(r, e);
  p->hosts[p->hosts_count++] = (hc_platform_host){
      .point = *point, .line = r->at.line, .speed = speed, .cores = cores, .speeds = speeds};
  return 0;
}

hc_rc hc_reading_zone(hc_platform_reading *r, const char *name, hc_zone_routing routing, hc_error *e)
{
  hc_platform *p = r->p;
  uint32_t point;
  if (r->zone == HC_NONE && p->zones_count > 0)
    return HC_WRONG(r, e, "a second zone beside \"%.80s\": put both into one",
                    p->points[p->zones[0].point].name);
  if (r->zone != HC_NONE &&
      (p->zones[r->zone].routing == HC_ZONE_STAR || p->zones[r->zone].routing == HC_ZONE_VIVALDI))
    return HC_WRONG(r, e, "a zone with the routing Cluster or Vivaldi holds hosts, and no zone");
  TRY(hc_reading_point(r, name, HC_POINT_ZONE, (uint32_t)p->zones_count, &point, e));
  if (PUSH(r, zones) < 0) return hc_reading_no_memory(r, e);
  r->zone = (uint32_t)p->zones_count++;
  p->zones[r->zone] =
      (hc_platform_zone){.routing = routing, .point = point, .cluster = HC_NONE, .line = r->at.line};
  return 0;
}

void hc_reading_leave_zone(hc_platform_reading *r)
{
  r->zone = r->p->points[r->p->zones[r->zone].point].zone;
}

hc_rc hc_platform_link_new(hc_platform *p, const char *name, const hc_platform_link *link, uint32_t line,
                           hc_error *e)
{
  uint32_t id;
  hc_rc rc;
  if (hc_names_find(&p->link_names, name, strlen(name)) != HC_MAP_NONE)
    return hc_fail(e, HC_EINPUT, p->file, line, 0, "there is a link \"%.80s\" already", name);
  rc = hc_names_add(&p->link_names, name, strlen(name), &id);
  if (rc == HC_ELIMIT) return hc_fail(e, rc, p->file, line, 0, "more than 2^26 links");
  if (rc == 0)
    rc = hc_reserve(p->allocator, (void **)&p->links, &p->links_cap, p->links_count + 1, sizeof *p->links);
  if (rc < 0) return hc_fail(e, HC_ENOMEM, p->file, line, 0, "out of memory");
  p->links[p->links_count] = *link;
  p->links[p->links_count++].name = p->link_names.names[id];
  return 0;
}

hc_rc hc_reading_link(hc_platform_reading *r, const char *name, double bandwidth, double latency,
                      hc_link_policy policy, uint32_t *first, hc_error *e)
{
  hc_platform *p = r->p;
  hc_platform_link link = {
      .bandwidth = bandwidth, .latency = latency, .is_fatpipe = policy == HC_POLICY_FATPIPE};
  const char *up, *down;
  uint32_t id;
  if (!name[0]) return HC_WRONG(r, e, "a link without a name");
  *first = (uint32_t)p->links_count;
  if (policy != HC_POLICY_SPLIT) return hc_platform_link_new(p, name, &link, r->at.line, e);
  up = hc_arena_printf(&p->arena, "%s_UP", name);
  down = hc_arena_printf(&p->arena, "%s_DOWN", name);
  if (!up || !down) return hc_reading_no_memory(r, e);
  TRY(hc_platform_link_new(p, up, &link, r->at.line, e));
  TRY(hc_platform_link_new(p, down, &link, r->at.line, e));
  TRY(check_name(r, &p->split_names, name, "link", e));
  if (hc_names_add(&p->split_names, name, strlen(name), &id) < 0 || PUSH(r, splits) < 0)
    return hc_reading_no_memory(r, e);
  p->splits[p->splits_count++] = *first;
  return 0;
}

hc_rc hc_reading_use(hc_platform_reading *r, uint32_t link, hc_error *e)
{
  if (PUSH(r, uses) < 0) return hc_reading_no_memory(r, e);
  r->p->uses[r->p->uses_count++] = link;
  return 0;
}

hc_rc hc_reading_route(hc_platform_reading *r, uint32_t from, uint32_t to, const uint32_t *links,
                       size_t count, bool is_symmetrical, hc_error *e)
{
  hc_platform *p = r->p;
  hc_platform_route route = {.zone = r->zone,
                             .from = from,
                             .to = to,
                             .gate_from = HC_NONE,
                             .gate_to = HC_NONE,
                             .first = (uint32_t)p->uses_count,
                             .count = (uint32_t)count,
                             .is_symmetrical = is_symmetrical,
                             .line = r->at.line};
  for (size_t i = 0; i < count; i++) TRY(hc_reading_use(r, links[i], e));
  if (PUSH(r, routes) < 0) return hc_reading_no_memory(r, e);
  p->routes[p->routes_count++] = route;
  return 0;
}
