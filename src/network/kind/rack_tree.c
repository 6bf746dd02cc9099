/* rack_tree.c -- racks below a row of core switches: the two-level "fat-tree" of DSLab-CS.
 *
 * Host k hangs on rack switch k mod racks; every rack switch is joined to every core switch. DSLab's
 * connections are half-duplex, and of the equally long ways between two racks it keeps the one that it
 * finds first, so that all traffic between racks crosses core switch 0. Both are the defaults here, and
 * both can be changed. */
#include <inttypes.h>

#include "network/levels.h"

typedef struct options {
  int64_t racks, cores, bandwidth, core_bandwidth, seed;
  hc_time latency, core_latency;
  int duplex, choice;
  hc_network_keys keys;
} options;

static hc_rc init(const hc_network_context *c, const void *opts, hc_network **out, hc_error *e)
{
  static const hc_fat_tree_choice choices[] = {HC_CHOICE_STATIC, HC_CHOICE_D_MOD_K, HC_CHOICE_ECMP};
  const options *o = opts;
  const uint32_t hosts = HC_MAX(c->hosts, 1u), racks = (uint32_t)o->racks;
  const hc_levels like = {
      .tree = {.levels = 2,
               .down = {hosts / racks + (hosts % racks > 0), racks},
               .up = {1, (uint32_t)o->cores},
               .count = {1, 1},
               .choice = choices[o->choice],
               .seed = (uint64_t)o->seed},
      .cables = {{(double)o->bandwidth, hc_network_seconds(o->latency), (hc_duplex)o->duplex},
                 {(double)o->core_bandwidth, hc_network_seconds(o->core_latency), (hc_duplex)o->duplex}},
      .spread = racks};
  return hc_levels_new(c, &o->keys, &like, out, e);
}

static const hc_param params[] = {
    HC_PARAM(INT, options, racks, "1", "1", 1, 65536, "Number of rack switches (l1_switch_count)."),
    HC_PARAM(INT, options, cores, "1", "1", 1, 65536, "Number of core switches (l2_switch_count)."),
    HC_PARAM(SIZE, options, bandwidth, "B/s", "1GB", 1, HC_BANDWIDTH_MOST,
             "Bandwidth between a host and its rack switch (downlink)."),
    HC_PARAM(TIME, options, latency, "s", "0", 0, 1e6, "Latency between a host and its rack switch."),
    HC_PARAM(SIZE, options, core_bandwidth, "B/s", "10GB", 1, HC_BANDWIDTH_MOST,
             "Bandwidth between a rack switch and a core switch (uplink)."),
    HC_PARAM(TIME, options, core_latency, "s", "0", 0, 1e6,
             "Latency between a rack switch and a core switch."),
    HC_PARAM(CHOICE, options, duplex, HC_DUPLEXES, "half", HC_DUPLEX_HELP),
    HC_PARAM(CHOICE, options, choice, "static|d_mod_k|ecmp", "static", HC_CHOICE_HELP),
    HC_PARAM(INT, options, seed, "1", "1", 0, 1e15,
             "Seed of the hash of ecmp: another number gives other ways."),
    HC_NETWORK_KEYS(options, "plain"),
    {0}};

const hc_network_type hc_network_rack_tree = {
    .component = {HC_COMPONENT_HEAD(hc_network_type, HC_KIND_NETWORK), .name = "rack_tree",
                  .summary = "racks below core switches: the fat tree of two levels of DSLab-CS",
                  .detail =
                      "Host k is connected to rack switch k mod racks, and each rack switch to each core "
                      "switch. A route within a rack has two links, any other four. With the defaults it is "
                      "DSLab-CS's network: half-duplex, and all flows between racks cross core switch 0, so "
                      "that further core switches add no bandwidth; with `choice` ecmp or d_mod_k all are "
                      "used. It connects as many hosts as the cell has.",
                  .source = "DSLab-CS (github.com/nogokama/dslab-cluster-simulator, 2024); DSLab "
                            "(github.com/osukhoroslov/dslab)",
                  .params = params, .options_size = sizeof(options)},
    .init = init,
    .fini = hc_network_free,
    .facts = hc_network_facts_of,
    HC_LEVELS_CALLS};
