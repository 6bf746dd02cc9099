/* shared.c -- one medium for all: flows between hosts share one bandwidth equally, as on a bus.
 *
 * DSLab's shared throughput: n flows get 1 / n of it each. It is a network with one link. */
#include <stdio.h>

#include "network/common.h"

typedef struct options {
  int64_t bandwidth;
  hc_time latency;
  hc_network_keys keys;
} options;

struct hc_network {
  hc_network_common common;
  hc_link medium;
};

static hc_rc init(const hc_network_context *c, const void *opts, hc_network **out, hc_error *e)
{
  const options *o = opts;
  const hc_network_size size = {
      .model = HC_NETWORK_SHARED, .hosts = HC_MAX(c->hosts, 1u), .own = 1, .longest = 1};
  TRY(hc_network_new(c, &o->keys, sizeof **out, &size, out, e));
  (*out)->medium = (hc_link){(double)o->bandwidth, hc_network_seconds(o->latency), HC_LINK_SHARED};
  return 0;
}

static void describe_link(const hc_network *self, uint32_t id, hc_link *out)
{
  if (!hc_network_local(&self->common, id, out)) *out = self->medium;
}

static void link_name(const hc_network *self, uint32_t id, char *name, size_t size)
{
  if (!hc_network_local_name(&self->common, id, name, size)) (void)snprintf(name, size, "medium");
}

static hc_rc route(const hc_network *self, uint32_t from, uint32_t to, uint32_t *links, hc_route *out)
{
  hc_path p = {.links = links};
  if (from == to) return hc_network_local_route(&self->common, from, links, out);
  hc_path_add(&p, 0, self->medium.latency);
  return hc_path_end(&p, out);
}

static hc_rc all_pairs(const hc_network *self, const uint32_t *hosts, uint32_t count, double *weights,
                       hc_route *out)
{
  (void)hosts;
  *out = (hc_route){.latency = count > 1 ? self->medium.latency : 0, .bound = HC_INFINITE};
  weights[0] = (double)count * (count - 1);
  return 0;
}

static const hc_param params[] = {
    HC_PARAM(SIZE, options, bandwidth, "B/s", "1GB", 1, HC_BANDWIDTH_MOST,
             "Bandwidth that all flows between hosts share."),
    HC_PARAM(TIME, options, latency, "s", "0", 0, 1e6, "Latency between two hosts."),
    HC_NETWORK_KEYS(options, "plain"),
    {0}};

const hc_network_type hc_network_shared = {
    .component = {HC_COMPONENT_HEAD(hc_network_type, HC_KIND_NETWORK), .name = "shared",
                  .summary = "one link, which all flows between hosts share evenly",
                  .detail = "Each of n flows gets bandwidth / n. It connects any number of hosts. It has one "
                            "link, and loopbacks of hosts if local_bandwidth is above 0.",
                  .source = "DSLab (github.com/osukhoroslov/dslab), its network model of shared bandwidth",
                  .params = params, .options_size = sizeof(options)},
    .init = init,
    .fini = hc_network_free,
    .facts = hc_network_facts_of,
    .link = describe_link,
    .link_name = link_name,
    .route = route,
    .all_pairs = all_pairs,
    .watts = hc_network_watts};
