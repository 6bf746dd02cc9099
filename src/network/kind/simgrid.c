/* simgrid.c -- a platform of SimGrid as a network: its links, and the routes that SimGrid takes through them.
 *
 * Hosts of the cell are found by name, so that one file says both which hosts there are (cell `simgrid`)
 * and how they are joined; hosts that the cell leaves out may still be gateways. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "network/zones.h"

enum { AS_FILE, PLAIN, LV08, CM02 };

typedef struct options {
  const char *file;
  hc_network_keys keys;
} options;

struct hc_network {
  const hc_allocator *allocator;
  hc_network_facts facts;
  hc_zones zones;
  uint32_t *points; /* [hosts] */
};

static void fini(hc_network *self)
{
  if (!self) return;
  hc_free(self->allocator, self->points, (self->facts.hosts + 1) * sizeof *self->points);
  hc_zones_fini(&self->zones);
  hc_free(self->allocator, self, sizeof *self);
}

/* ---- what <config> says ---- */

typedef struct settings {
  hc_network_keys keys;
  int model;
  double loop_bandwidth, loop_latency;
} settings;

static hc_rc set_number(const char *s, double *out)
{
  double x;
  TRY(hc_parse_real(s, strlen(s), &x));
  if (x < 0 || x > 1e30) return HC_EINPUT;
  *out = x;
  return 0;
}

static hc_rc set_model(const char *s, int *model)
{
  *model = strcmp(s, "CM02") == 0 ? CM02 : LV08;
  return strcmp(s, "CM02") == 0 || strcmp(s, "LV08") == 0 ? 0 : HC_EUNSUPPORTED;
}

static hc_rc set_crosstraffic(const char *s, double *out)
{
  *out = strchr("yY1tT", s[0]) && s[0] ? 0.05 : 0;
  return 0;
}

static hc_rc set_one(const hc_platform_prop *p, settings *s)
{
  const char *value = p->value;
  if (strcmp(p->name, "network/model") == 0) return set_model(value, &s->model);
  if (strcmp(p->name, "network/latency-factor") == 0) return set_number(value, &s->keys.latency_factor);
  if (strcmp(p->name, "network/bandwidth-factor") == 0) return set_number(value, &s->keys.bandwidth_factor);
  if (strcmp(p->name, "network/weight-S") == 0) return set_number(value, &s->keys.weight_s);
  if (strcmp(p->name, "network/TCP-gamma") == 0) return set_number(value, &s->keys.tcp_gamma);
  if (strcmp(p->name, "network/crosstraffic") == 0) return set_crosstraffic(value, &s->keys.cross_traffic);
  if (strcmp(p->name, "network/loopback-bw") == 0) return set_number(value, &s->loop_bandwidth);
  if (strcmp(p->name, "network/loopback-lat") == 0) return set_number(value, &s->loop_latency);
  if (strcmp(p->name, "network/optim") == 0) return 0; /* how it computes, not what */
  return strncmp(p->name, "network/", 8) == 0 || strncmp(p->name, "smpi/", 5) == 0 ? HC_EUNSUPPORTED : 0;
}

static double either(double said, double file)
{
  return said < 0 ? file : said;
}

/* Keys of the configuration come before those of the file, which come before the model's. */
static hc_rc settle(const hc_platform *p, const options *o, settings *s, hc_error *e)
{
  const hc_network_keys none = {.latency_factor = HC_NOT_SAID,
                                .bandwidth_factor = HC_NOT_SAID,
                                .weight_s = HC_NOT_SAID,
                                .cross_traffic = HC_NOT_SAID,
                                .tcp_gamma = HC_NOT_SAID};
  *s = (settings){.keys = none, .model = LV08, .loop_bandwidth = 10e9};
  for (size_t i = 0; i < p->settings_count; i++) {
    const hc_rc rc = set_one(&p->settings[i], s);
    if (rc < 0)
      return hc_fail(e, rc, p->file, 0, 0, "<config>: the setting %.60s=\"%.60s\" is not %s",
                     p->settings[i].name, p->settings[i].value,
                     rc == HC_EINPUT ? "a number from 0 on" : "read");
  }
  if (o->keys.factors != AS_FILE) {
    s->model = o->keys.factors;
    s->keys = none;
  }
  s->keys.latency_factor = either(o->keys.latency_factor, s->keys.latency_factor);
  s->keys.bandwidth_factor = either(o->keys.bandwidth_factor, s->keys.bandwidth_factor);
  s->keys.weight_s = either(o->keys.weight_s, s->keys.weight_s);
  s->keys.cross_traffic = either(o->keys.cross_traffic, s->keys.cross_traffic);
  s->keys.tcp_gamma = either(o->keys.tcp_gamma, s->keys.tcp_gamma);
  s->keys.factors = s->model - PLAIN;
  return 0;
}

/* ---- hosts ---- */

static hc_rc find_host(const hc_network *self, const hc_network_context *c, uint32_t i, hc_error *e)
{
  const hc_platform *p = &self->zones.platform;
  const char *name = c->host_names[i];
  const uint32_t point = hc_names_find(&p->point_names, name, strlen(name));
  if (point == HC_MAP_NONE || p->points[point].kind != HC_POINT_HOST)
    return hc_fail(e, HC_EUSAGE, c->where, 0, 0,
                   "the platform %.120s has no host \"%.80s\", which the cell has: take the cell from it too "
                   "(cell: {use: simgrid, file: ...})",
                   p->file, name);
  self->points[i] = point;
  return 0;
}

static hc_rc find_hosts(hc_network *self, const hc_network_context *c, hc_error *e)
{
  const hc_platform *p = &self->zones.platform;
  self->facts.hosts = c->host_names ? c->hosts : (uint32_t)p->hosts_count;
  self->points = hc_alloc(self->allocator, (self->facts.hosts + 1) * sizeof *self->points);
  if (!self->points) return hc_fail(e, HC_ENOMEM, c->where, 0, 0, "out of memory");
  for (uint32_t i = 0; i < self->facts.hosts; i++) {
    self->points[i] = p->hosts[i < p->hosts_count ? i : 0].point;
    if (c->host_names) TRY(find_host(self, c, i, e));
  }
  return 0;
}

/* What links draw of which the file says nothing; of fatpipes, loopbacks among them, none do. */
static hc_rc set_watts(hc_network *self, const hc_network_context *c, const options *o, hc_error *e)
{
  hc_platform *p = &self->zones.platform;
  const hc_list *given = &o->keys.link_watts;
  hc_link_watts w = {0, 0};
  if (c->unmetered && given->count > 0)
    return hc_fail(e, HC_EUSAGE, c->where, 0, 0,
                   "link_watts is of the network that tasks send over, in `execution`: what crosses this one "
                   "is not counted");
  TRY(hc_network_watts_read(given, 1, c->where, &w, e));
  for (size_t i = 0; i < p->links_count && given->count > 0; i++)
    if (!p->links[i].has_watts && !p->links[i].is_fatpipe) {
      p->links[i].idle = w.idle;
      p->links[i].busy = w.busy;
      p->links[i].has_watts = true;
    }
  for (size_t i = 0; i < p->links_count; i++) self->facts.draws |= p->links[i].has_watts;
  return 0;
}

static hc_rc make(hc_network *self, const hc_network_context *c, const options *o, hc_error *e)
{
  hc_platform p;
  settings s;
  hc_rc rc;
  TRY(hc_platform_read(c->allocator, o->file, &p, e));
  rc = settle(&p, o, &s, e);
  if (rc == 0) rc = hc_network_rules_of(&s.keys, c->where, &self->facts.rules, e);
  if (rc == 0 && s.loop_bandwidth <= 0)
    rc = hc_fail(e, HC_EINPUT, o->file, 0, 0, "<config>: network/loopback-bw is 0");
  if (rc == 0) rc = hc_zones_init(&self->zones, &p, s.loop_bandwidth, s.loop_latency, e);
  hc_platform_free(&p);
  TRY(rc);
  self->facts.links = (uint32_t)self->zones.platform.links_count;
  self->facts.longest = self->zones.longest;
  self->facts.model = HC_NETWORK_TOPOLOGY;
  TRY(set_watts(self, c, o, e));
  return find_hosts(self, c, e);
}

static hc_rc init(const hc_network_context *c, const void *opts, hc_network **out, hc_error *e)
{
  const options *o = opts;
  hc_network *self;
  hc_rc rc;
  if (!o->file)
    return hc_fail(e, HC_EUSAGE, c->where, 0, 0, "missing file: the platform, such as file: cluster.xml");
  self = hc_alloc(c->allocator, sizeof *self);
  if (!self) return hc_fail(e, HC_ENOMEM, c->where, 0, 0, "out of memory");
  self->allocator = c->allocator;
  rc = make(self, c, o, e);
  if (rc == 0) *out = self;
  else fini(self);
  return rc;
}

static void facts(const hc_network *self, hc_network_facts *out)
{
  *out = self->facts;
}

static void describe_link(const hc_network *self, uint32_t id, hc_link *out)
{
  const hc_platform_link *l = &self->zones.platform.links[id];
  *out = (hc_link){l->bandwidth, l->latency, l->is_fatpipe ? HC_LINK_FATPIPE : HC_LINK_SHARED};
}

static void watts(const hc_network *self, uint32_t id, hc_link_watts *out)
{
  const hc_platform_link *l = &self->zones.platform.links[id];
  *out = (hc_link_watts){l->idle, l->busy};
}

static void link_name(const hc_network *self, uint32_t id, char *name, size_t size)
{
  (void)snprintf(name, size, "%s", self->zones.platform.links[id].name);
}

static hc_rc route(const hc_network *self, uint32_t from, uint32_t to, uint32_t *links, hc_route *out)
{
  return hc_zones_route(&self->zones, self->points[from], self->points[to], links, out);
}

static const hc_param params[] = {
    HC_PARAM(FILE, options, file, NULL,
             "Path of the platform, an XML file of version 4 or 4.1, plain or packed. Required."),
    HC_PARAM_AS(CHOICE, "factors", options, keys.factors, "as_file|plain|lv08|cm02", "as_file",
                "Which model of flows gives latency_factor, bandwidth_factor, weight_s, tcp_gamma and "
                "cross_traffic. as_file: that of the platform's <config>, else lv08. plain: 1, 1, 0, 0 and "
                "0; flows share links evenly. lv08: 13.01, 0.97, 20537, 4194304 and 0.05, SimGrid's default "
                "(Velho and Legrand, SIMUTools 2009). cm02: 1, 1, 0, 4194304 and 0.05, SimGrid's older model "
                "(Casanova and Marchal, INRIA RR-4596, 2002). Under lv08 and cm02 the shares of flows are "
                "inversely proportional to their weights, which are latencies."),
    HC_NETWORK_FACTORS(options),
    HC_PARAM_AS(
        REALS, "link_watts", options, keys.link_watts, "W", NULL, 0, 1e9,
        "Power that a link without the property wattage_range draws when it carries nothing, and when all of "
        "its bandwidth is taken, such as [10.3, 10.7]; fatpipes, loopbacks among them, draw nothing. The "
        "metric energy counts it. Default: only links with that property draw power."),
    {0}};

const hc_network_type hc_network_simgrid = {
    .component =
        {HC_COMPONENT_HEAD(hc_network_type, HC_KIND_NETWORK), .name = "simgrid",
         .summary = "a platform of SimGrid, from its XML file",
         .detail =
             "Routes are those of SimGrid 3.32, link by link: zones with the routings Full, Floyd, Dijkstra, "
             "DijkstraCache, Cluster, Vivaldi and None, clusters that are flat, fat trees, tori and "
             "dragonflies, cabinets, peers, bypass routes. A split-duplex link is two links, whose names end "
             "in _UP and _DOWN. A flow between two hosts that no route joins ends the run with an error. "
             "Hosts are those of the cell, by name; in a cell without names, those of the file, in its "
             "order. Settings of <config> that are not about the network have no effect. The property "
             "`wattage_range` of a link (or watt_range), idle:busy in W, is the power that it draws, each "
             "direction of a split-duplex link as much; `wattage_off` is checked, but links are never off. "
             "Refused: wifi, profiles of changes during a run, actors, include, declared entities.",
         .source = "SimGrid 3.32, https://simgrid.org/doc/3.32/Platform.html", .params = params,
         .options_size = sizeof(options)},
    .init = init,
    .fini = fini,
    .facts = facts,
    .link = describe_link,
    .link_name = link_name,
    .route = route,
    .watts = watts};
