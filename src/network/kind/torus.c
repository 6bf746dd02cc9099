/* torus.c -- a torus of any number of dimensions. */
#include <inttypes.h>
#include <stdio.h>

#include "network/common.h"
#include "network/torus.h"

typedef struct options {
  hc_list dimensions;
  int64_t bandwidth;
  hc_time latency;
  int duplex;
  hc_network_keys keys;
} options;

struct hc_network {
  hc_network_common common;
  hc_torus torus;
  hc_cable cable;
};

static hc_rc init(const hc_network_context *c, const void *opts, hc_network **out, hc_error *e)
{
  const options *o = opts;
  const int64_t *size = o->dimensions.items;
  const hc_cable cable = {(double)o->bandwidth, hc_network_seconds(o->latency), (hc_duplex)o->duplex};
  hc_torus t = {.dimensions = (uint32_t)o->dimensions.count};
  if (o->dimensions.count == 0 || o->dimensions.count > HC_TORUS_DIMENSIONS)
    return hc_fail(e, HC_EUSAGE, c->where, 0, 0, "dimensions: 1 to %d sizes, such as dimensions: [8, 8, 4]",
                   HC_TORUS_DIMENSIONS);
  for (size_t i = 0; i < o->dimensions.count; i++) t.size[i] = (uint32_t)size[i];
  if (!hc_torus_init(&t))
    return hc_fail(e, HC_ELIMIT, c->where, 0, 0, "dimensions: more hosts than can be numbered");
  const hc_network_size all = {.model = HC_NETWORK_TOPOLOGY,
                               .hosts = t.nodes,
                               .own = (uint64_t)t.nodes * t.dimensions * hc_cable_links(&cable),
                               .longest = t.longest};
  TRY(hc_network_new(c, &o->keys, sizeof **out, &all, out, e));
  (*out)->torus = t;
  (*out)->cable = cable;
  return 0;
}

static void describe_link(const hc_network *self, uint32_t id, hc_link *out)
{
  if (!hc_network_local(&self->common, id, out)) hc_cable_describe(&self->cable, out);
}

static void link_name(const hc_network *self, uint32_t id, char *name, size_t size)
{
  const uint32_t links = hc_cable_links(&self->cable), cable = id / links;
  const uint32_t one = cable / self->torus.dimensions, axis = cable % self->torus.dimensions;
  if (hc_network_local_name(&self->common, id, name, size)) return;
  (void)snprintf(name, size, "host_%" PRIu32 "-host_%" PRIu32 "_%c%" PRIu32, one,
                 hc_torus_other(&self->torus, cable),
                 links == 1        ? 'd'
                 : id % links == 0 ? 'u'
                                   : 'v',
                 axis);
}

static hc_rc route(const hc_network *self, uint32_t from, uint32_t to, uint32_t *links, hc_route *out)
{
  hc_path p = {.links = links};
  uint32_t at = from, cable;
  bool is_back;
  if (from == to) return hc_network_local_route(&self->common, from, links, out);
  while (hc_torus_step(&self->torus, from, to, &at, &cable, &is_back))
    hc_path_add(&p, hc_cable_link(&self->cable, 0, cable, is_back), self->cable.latency);
  return hc_path_end(&p, out);
}

static uint32_t levels(const hc_network *self)
{
  return hc_torus_levels(&self->torus);
}

static uint32_t group(const hc_network *self, uint32_t level, uint32_t host)
{
  return hc_torus_box(&self->torus, level, host);
}

static uint32_t ways_of_link(const hc_network *self, uint32_t link, uint32_t level, uint32_t groups[2])
{
  const hc_torus *t = &self->torus;
  const uint32_t cable = link / hc_cable_links(&self->cable);
  hc_link local;
  if (hc_network_local(&self->common, link, &local)) return 0;
  return hc_network_ways(hc_torus_box(t, level, cable / t->dimensions),
                         hc_torus_box(t, level, hc_torus_other(t, cable)), groups);
}

static const hc_param params[] = {
    HC_PARAM(
        INTS, options, dimensions, "hosts", NULL, 1, 1e6,
        "Numbers of hosts along each dimension; numbers of hosts change fastest along the first. Required."),
    HC_PARAM(SIZE, options, bandwidth, "B/s", "1GB", 1, HC_BANDWIDTH_MOST, "Bandwidth of each cable."),
    HC_PARAM(TIME, options, latency, "s", "0", 0, 1e6, "Latency of each cable."),
    HC_PARAM(CHOICE, options, duplex, HC_DUPLEXES, "full", HC_DUPLEX_HELP),
    HC_NETWORK_KEYS(options, "plain"),
    {0}};

const hc_network_type hc_network_torus = {
    .component =
        {HC_COMPONENT_HEAD(hc_network_type, HC_KIND_NETWORK), .name = "torus",
         .summary = "a torus: each host has a cable to the next one in each dimension",
         .detail = "A route goes along one dimension after another, the shorter way around. Where both ways "
                   "are equally long it goes upwards, except from position n / 2 of n to position 0. Routes "
                   "are those of a <cluster> of SimGrid 3.32 with that topology. For placements its levels "
                   "are boxes: a box of level l has 2^l hosts along each dimension, counted from the first.",
         .source = "SimGrid 3.32, https://simgrid.org/doc/3.32/Platform_examples.html", .params = params,
         .options_size = sizeof(options)},
    .init = init,
    .fini = hc_network_free,
    .facts = hc_network_facts_of,
    .link = describe_link,
    .link_name = link_name,
    .route = route,
    .levels = levels,
    .group = group,
    .ways_of_link = ways_of_link,
    .watts = hc_network_watts};
