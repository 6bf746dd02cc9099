/* star.c -- every host has a cable to one switch that is never full. */
#include "network/levels.h"

typedef struct options {
  int64_t bandwidth;
  hc_time latency;
  int duplex;
  hc_network_keys keys;
} options;

static hc_rc init(const hc_network_context *c, const void *opts, hc_network **out, hc_error *e)
{
  const options *o = opts;
  const hc_levels like = {
      .tree = {.levels = 1, .down = {HC_MAX(c->hosts, 1u)}, .up = {1}, .count = {1}},
      .cables = {{(double)o->bandwidth, hc_network_seconds(o->latency), (hc_duplex)o->duplex}}};
  return hc_levels_new(c, &o->keys, &like, out, e);
}

static const hc_param params[] = {
    HC_PARAM(SIZE, options, bandwidth, "B/s", "1GB", 1, HC_BANDWIDTH_MOST, "Bandwidth of a host's cable."),
    HC_PARAM(TIME, options, latency, "s", "0", 0, 1e6, "Latency of a host's cable; a route has two of them."),
    HC_PARAM(CHOICE, options, duplex, HC_DUPLEXES, "full", HC_DUPLEX_HELP),
    HC_NETWORK_KEYS(options, "plain"),
    {0}};

const hc_network_type hc_network_star = {
    .component =
        {HC_COMPONENT_HEAD(hc_network_type, HC_KIND_NETWORK), .name = "star",
         .summary = "a cable from each host to one switch",
         .detail = "A route is the cable of one host and the cable of the other. The switch has no limit of "
                   "its own; the network `backbone` has one. It connects as many hosts as the cell has.",
         .params = params, .options_size = sizeof(options)},
    .init = init,
    .fini = hc_network_free,
    .facts = hc_network_facts_of,
    HC_LEVELS_CALLS};
