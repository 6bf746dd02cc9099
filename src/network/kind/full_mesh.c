/* full_mesh.c -- a cable between each two hosts. */
#include <inttypes.h>
#include <stdio.h>

#include "network/common.h"

typedef struct options {
  int64_t bandwidth;
  hc_time latency;
  int duplex;
  hc_network_keys keys;
} options;

struct hc_network {
  hc_network_common common;
  hc_cable cable;
};

static hc_rc init(const hc_network_context *c, const void *opts, hc_network **out, hc_error *e)
{
  const options *o = opts;
  const hc_cable cable = {(double)o->bandwidth, hc_network_seconds(o->latency), (hc_duplex)o->duplex};
  const uint64_t hosts = HC_MAX(c->hosts, 1u);
  const hc_network_size size = {.model = HC_NETWORK_TOPOLOGY,
                                .hosts = (uint32_t)hosts,
                                .own = hosts * (hosts - 1) / 2 * hc_cable_links(&cable),
                                .longest = 1};
  TRY(hc_network_new(c, &o->keys, sizeof **out, &size, out, e));
  (*out)->cable = cable;
  return 0;
}

/* Pairs a < b are numbered in order of b, then of a, so that the number does not depend on how many hosts
 * there are. */
static uint32_t pair_of(uint32_t a, uint32_t b)
{
  return (uint32_t)((uint64_t)b * (b - 1) / 2) + a;
}

static void describe_link(const hc_network *self, uint32_t id, hc_link *out)
{
  if (!hc_network_local(&self->common, id, out)) hc_cable_describe(&self->cable, out);
}

/* The hosts of a pair. */
static void ends_of(const hc_network *self, uint32_t pair, uint32_t *a, uint32_t *b)
{
  uint32_t low = 1, high = self->common.facts.hosts;
  while (high - low > 1) { /* the last b whose pairs begin at or before this one */
    const uint32_t middle = low + (high - low) / 2;
    if (pair_of(0, middle) <= pair) low = middle;
    else high = middle;
  }
  *a = pair - pair_of(0, low);
  *b = low;
}

static void link_name(const hc_network *self, uint32_t id, char *name, size_t size)
{
  const uint32_t links = hc_cable_links(&self->cable), pair = id / links;
  uint32_t a, b;
  if (hc_network_local_name(&self->common, id, name, size)) return;
  ends_of(self, pair, &a, &b);
  (void)snprintf(name, size, "host_%" PRIu32 "-host_%" PRIu32, id % links == 1 ? b : a,
                 id % links == 1 ? a : b);
}

static hc_rc route(const hc_network *self, uint32_t from, uint32_t to, uint32_t *links, hc_route *out)
{
  hc_path p = {.links = links};
  if (from == to) return hc_network_local_route(&self->common, from, links, out);
  hc_path_add(&p, hc_cable_link(&self->cable, 0, pair_of(HC_MIN(from, to), HC_MAX(from, to)), from > to),
              self->cable.latency);
  return hc_path_end(&p, out);
}

/* All hosts are equally near: one level, and one group. */
static uint32_t levels(const hc_network *self)
{
  HC_UNUSED(self);
  return 1;
}

static uint32_t group(const hc_network *self, uint32_t level, uint32_t host)
{
  HC_UNUSED(self);
  HC_UNUSED(level);
  HC_UNUSED(host);
  return 0;
}

static uint32_t ways_of_link(const hc_network *self, uint32_t link, uint32_t level, uint32_t groups[2])
{
  uint32_t a, b;
  hc_link local;
  if (level > 0 || hc_network_local(&self->common, link, &local)) return 0;
  ends_of(self, link / hc_cable_links(&self->cable), &a, &b);
  return hc_network_ways(a, b, groups);
}

static const hc_param params[] = {
    HC_PARAM(SIZE, options, bandwidth, "B/s", "1GB", 1, HC_BANDWIDTH_MOST,
             "Bandwidth between each two hosts."),
    HC_PARAM(TIME, options, latency, "s", "0", 0, 1e6, "Latency between each two hosts."),
    HC_PARAM(CHOICE, options, duplex, HC_DUPLEXES, "full", HC_DUPLEX_HELP),
    HC_NETWORK_KEYS(options, "plain"),
    {0}};

const hc_network_type hc_network_full_mesh = {
    .component = {HC_COMPONENT_HEAD(hc_network_type, HC_KIND_NETWORK), .name = "full_mesh",
                  .summary = "a cable between each two hosts: flows of different pairs share no link",
                  .detail = "A route is one link. Links are never stored. It connects at most 16,384 hosts "
                            "with full duplex. For placements there is one level, which has all hosts.",
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
    .watts = hc_network_watts};
