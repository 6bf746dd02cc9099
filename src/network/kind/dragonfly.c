/* dragonfly.c -- groups of chassis of blades, as the Cray XC has them. */
#include <inttypes.h>
#include <stdio.h>

#include "network/common.h"
#include "network/dragonfly.h"

typedef struct options {
  int64_t groups, chassis, blades, nodes, group_cables, chassis_cables, blade_cables, bandwidth;
  hc_time latency;
  int duplex;
  hc_network_keys keys;
} options;

struct hc_network {
  hc_network_common common;
  hc_dragonfly shape;
  hc_cable cable;
};

static hc_rc init(const hc_network_context *c, const void *opts, hc_network **out, hc_error *e)
{
  const options *o = opts;
  const hc_cable cable = {(double)o->bandwidth, hc_network_seconds(o->latency), (hc_duplex)o->duplex};
  hc_dragonfly d = {.groups = (uint32_t)o->groups,
                    .chassis = (uint32_t)o->chassis,
                    .blades = (uint32_t)o->blades,
                    .nodes = (uint32_t)o->nodes,
                    .green_cables = (uint32_t)o->blade_cables,
                    .black_cables = (uint32_t)o->chassis_cables,
                    .blue_cables = (uint32_t)o->group_cables};
  if (o->groups > o->blades)
    return hc_fail(e, HC_EUSAGE, c->where, 0, 0,
                   "groups: %" PRId64
                   " groups need as many blades in a chassis, one that leads to each; there are %" PRId64,
                   o->groups, o->blades);
  if (!hc_dragonfly_init(&d))
    return hc_fail(e, HC_ELIMIT, c->where, 0, 0, "more routers or cables than can be numbered");
  const hc_network_size size = {.model = HC_NETWORK_TOPOLOGY,
                                .hosts = d.routers * d.nodes,
                                .own = (uint64_t)d.connections * hc_cable_links(&cable),
                                .longest = HC_DRAGONFLY_STEPS,
                                .switches = d.routers,
                                .kinds = HC_DRAGONFLY_BLUE + 1};
  TRY(hc_network_new(c, &o->keys, sizeof **out, &size, out, e));
  (*out)->shape = d;
  (*out)->cable = cable;
  return 0;
}

static void describe_link(const hc_network *self, uint32_t id, hc_link *out)
{
  if (hc_network_local(&self->common, id, out)) return;
  hc_cable_describe(&self->cable, out);
  out->bandwidth *= hc_dragonfly_cables(&self->shape, id / hc_cable_links(&self->cable));
}

/* Each of its cables draws. */
static void watts(const hc_network *self, uint32_t id, hc_link_watts *out)
{
  const uint32_t connection = id / hc_cable_links(&self->cable);
  if (id >= self->common.own) return;
  const hc_link_watts *one = &self->common.watts[hc_dragonfly_colour_of(&self->shape, connection)];
  const double cables = hc_dragonfly_cables(&self->shape, connection);
  *out = (hc_link_watts){one->idle * cables, one->busy * cables};
}

static void link_name(const hc_network *self, uint32_t id, char *name, size_t size)
{
  static const char *const colours[] = {"local", "green", "black", "blue"};
  const uint32_t links = hc_cable_links(&self->cable), i = id / links;
  const hc_dragonfly_colour colour = hc_dragonfly_colour_of(&self->shape, i);
  const uint32_t firsts[] = {0, self->shape.first_green, self->shape.first_black, self->shape.first_blue};
  if (hc_network_local_name(&self->common, id, name, size)) return;
  (void)snprintf(name, size, "%s_%" PRIu32 "%s", colours[colour], i - firsts[colour],
                 links == 1    ? ""
                 : id % 2 == 0 ? "_up"
                               : "_down");
}

static hc_rc route(const hc_network *self, uint32_t from, uint32_t to, uint32_t *links, hc_route *out)
{
  hc_dragonfly_step steps[HC_DRAGONFLY_STEPS];
  hc_path p = {.links = links};
  size_t n;
  if (from == to) return hc_network_local_route(&self->common, from, links, out);
  n = hc_dragonfly_way(&self->shape, from, to, steps);
  for (size_t i = 0; i < n; i++)
    hc_path_add(&p, hc_cable_link(&self->cable, 0, steps[i].connection, steps[i].is_back),
                self->cable.latency);
  return hc_path_end(&p, out);
}

/* Blades, chassis, groups, and all. */
static uint32_t levels(const hc_network *self)
{
  HC_UNUSED(self);
  return 4;
}

static uint32_t group(const hc_network *self, uint32_t level, uint32_t host)
{
  const hc_dragonfly *d = &self->shape;
  const uint32_t below[] = {1, d->nodes, d->nodes * d->blades, d->nodes * d->blades * d->chassis};
  return level < 4 ? host / below[level] : 0;
}

/* A local cable is its host's; what joins routers leads out of all that holds one of them and not the other.
 */
static uint32_t ways_of_link(const hc_network *self, uint32_t link, uint32_t level, uint32_t groups[2])
{
  const uint32_t i = link / hc_cable_links(&self->cable), nodes = self->shape.nodes;
  uint32_t ends[2];
  hc_link local;
  if (hc_network_local(&self->common, link, &local)) return 0;
  groups[0] = i;
  if (hc_dragonfly_colour_of(&self->shape, i) == HC_DRAGONFLY_LOCAL) return level == 0;
  if (level == 0) return 0;
  hc_dragonfly_ends(&self->shape, i, ends);
  return hc_network_ways(group(self, level, ends[0] * nodes), group(self, level, ends[1] * nodes), groups);
}

static const hc_param params[] = {
    HC_PARAM(INT, options, groups, "1", "4", 1, 65536, "Number of groups, at most `blades`."),
    HC_PARAM(INT, options, chassis, "1", "4", 1, 65536, "Number of chassis of a group."),
    HC_PARAM(INT, options, blades, "1", "4", 1, 65536, "Number of blades of a chassis, each with a router."),
    HC_PARAM(INT, options, nodes, "hosts", "4", 1, 65536, "Number of hosts of a blade."),
    HC_PARAM(INT, options, group_cables, "1", "1", 1, 65536, "Number of cables between two groups (blue)."),
    HC_PARAM(INT, options, chassis_cables, "1", "1", 1, 65536,
             "Number of cables between routers of two chassis of a group (black)."),
    HC_PARAM(INT, options, blade_cables, "1", "1", 1, 65536,
             "Number of cables between two routers of a chassis (green)."),
    HC_PARAM(SIZE, options, bandwidth, "B/s", "1GB", 1, HC_BANDWIDTH_MOST,
             "Bandwidth of a cable; several cables between the same two routers are one link of so many "
             "times that bandwidth."),
    HC_PARAM(TIME, options, latency, "s", "0", 0, 1e6, "Latency of each cable."),
    HC_PARAM(CHOICE, options, duplex, HC_DUPLEXES, "full", HC_DUPLEX_HELP),
    HC_NETWORK_KEYS(options, "plain"),
    {0}};

const hc_network_type hc_network_dragonfly = {
    .component =
        {HC_COMPONENT_HEAD(hc_network_type, HC_KIND_NETWORK), .name = "dragonfly",
         .summary = "groups of chassis of blades, each level connected all to all",
         .detail = "SimGrid's topo_parameters \"3,4;4,3;5,1;2\" are groups 3 with group_cables 4, chassis 4 "
                   "with chassis_cables 3, blades 5 with blade_cables 1, nodes 2. Routes are minimal, fixed, "
                   "and those of a <cluster> of SimGrid 3.32 with that topology; as there, within a group a "
                   "hop to another chassis that follows a hop to another blade takes the link from the first "
                   "chassis. For placements its levels are routers, chassis, groups, and the whole. The "
                   "kinds of links for link_watts are those of nodes, of blades, of chassis and of groups; "
                   "each cable of a link draws the power.",
         .source =
             "SimGrid 3.32, https://simgrid.org/doc/3.32/Platform_examples.html; Kim et al., ISCA 2008, "
             "doi:10.1109/ISCA.2008.19",
         .params = params, .options_size = sizeof(options)},
    .init = init,
    .fini = hc_network_free,
    .facts = hc_network_facts_of,
    .link = describe_link,
    .link_name = link_name,
    .route = route,
    .levels = levels,
    .group = group,
    .ways_of_link = ways_of_link,
    .watts = watts};
