/* backbone.c -- a cable from each host to a backbone that all share: a cluster as SimGrid and Batsim have
 * it. */
#include "network/levels.h"

typedef struct options {
  int64_t bandwidth, backbone_bandwidth;
  hc_time latency, backbone_latency;
  int duplex, backbone_sharing;
  hc_network_keys keys;
} options;

static hc_rc init(const hc_network_context *c, const void *opts, hc_network **out, hc_error *e)
{
  const options *o = opts;
  const hc_levels like = {
      .tree = {.levels = 1, .down = {HC_MAX(c->hosts, 1u)}, .up = {1}, .count = {1}},
      .cables = {{(double)o->bandwidth, hc_network_seconds(o->latency), (hc_duplex)o->duplex}},
      .middle = {(double)o->backbone_bandwidth, hc_network_seconds(o->backbone_latency),
                 o->backbone_sharing == 0 ? HC_LINK_SHARED : HC_LINK_FATPIPE}};
  return hc_levels_new(c, &o->keys, &like, out, e);
}

static const hc_param params[] = {
    HC_PARAM(SIZE, options, bandwidth, "B/s", "1GB", 1, HC_BANDWIDTH_MOST, "Bandwidth of a host's cable."),
    HC_PARAM(TIME, options, latency, "s", "0", 0, 1e6, "Latency of a host's cable; a route has two of them."),
    HC_PARAM(CHOICE, options, duplex, HC_DUPLEXES, "full", HC_DUPLEX_HELP),
    HC_PARAM(SIZE, options, backbone_bandwidth, "B/s", "10GB", 1, HC_BANDWIDTH_MOST,
             "Bandwidth of the backbone."),
    HC_PARAM(TIME, options, backbone_latency, "s", "0", 0, 1e6, "Latency of the backbone."),
    HC_PARAM(CHOICE, options, backbone_sharing, HC_SHARINGS, "shared",
             "Whether flows slow each other on the backbone. shared: they share its bandwidth. fatpipe: each "
             "flow gets all of it."),
    HC_NETWORK_KEYS(options, "plain"),
    {0}};

const hc_network_type hc_network_backbone = {
    .component = {HC_COMPONENT_HEAD(hc_network_type, HC_KIND_NETWORK), .name = "backbone",
                  .summary = "a cable from each host to a backbone that all share",
                  .detail = "A route is the cable of one host, the backbone, and the cable of the other: a "
                            "<cluster> of SimGrid with bb_bw. It connects as many hosts as the cell has.",
                  .source = "SimGrid 3.32, https://simgrid.org/doc/3.32/Platform_examples.html",
                  .params = params, .options_size = sizeof(options)},
    .init = init,
    .fini = hc_network_free,
    .facts = hc_network_facts_of,
    HC_LEVELS_CALLS};
