/* constant.c -- every flow has the full bandwidth, whatever else goes on: t = latency + size / bandwidth. */
#include "network/common.h"

typedef struct options {
  int64_t bandwidth;
  hc_time latency;
  hc_network_keys keys;
} options;

struct hc_network {
  hc_network_common common;
  double bandwidth, latency;
};

static hc_rc init(const hc_network_context *c, const void *opts, hc_network **out, hc_error *e)
{
  const options *o = opts;
  const hc_network_size size = {.model = HC_NETWORK_CONSTANT, .hosts = HC_MAX(c->hosts, 1u)};
  TRY(hc_network_new(c, &o->keys, sizeof **out, &size, out, e));
  (*out)->bandwidth = (double)o->bandwidth;
  (*out)->latency = hc_network_seconds(o->latency);
  return 0;
}

static void describe_link(const hc_network *self, uint32_t id, hc_link *out)
{
  (void)hc_network_local(&self->common, id, out); /* it has no other links */
}

static void link_name(const hc_network *self, uint32_t id, char *name, size_t size)
{
  (void)hc_network_local_name(&self->common, id, name, size);
}

static hc_rc route(const hc_network *self, uint32_t from, uint32_t to, uint32_t *links, hc_route *out)
{
  if (from == to) return hc_network_local_route(&self->common, from, links, out);
  out->count = 0;
  out->latency = self->latency;
  out->bound = self->bandwidth;
  return 0;
}

static hc_rc all_pairs(const hc_network *self, const uint32_t *hosts, uint32_t count, double *weights,
                       hc_route *out)
{
  (void)hosts;
  (void)weights;
  *out = (hc_route){.latency = count > 1 ? self->latency : 0, .bound = self->bandwidth};
  return 0;
}

static const hc_param params[] = {
    HC_PARAM(SIZE, options, bandwidth, "B/s", "1GB", 1, HC_BANDWIDTH_MOST,
             "Bandwidth of each flow between two hosts."),
    HC_PARAM(TIME, options, latency, "s", "0", 0, 1e6, "Latency between two hosts."),
    HC_NETWORK_KEYS(options, "plain"),
    {0}};

const hc_network_type hc_network_constant = {
    .component = {HC_COMPONENT_HEAD(hc_network_type, HC_KIND_NETWORK), .name = "constant",
                  .summary = "every flow has the full bandwidth: no flow slows another",
                  .detail = "A transfer takes latency + size / bandwidth. It connects any number of hosts. "
                            "It has no links, except loopbacks of hosts if local_bandwidth is above 0.",
                  .source = "DSLab (github.com/osukhoroslov/dslab), its network model of constant bandwidth",
                  .params = params, .options_size = sizeof(options)},
    .init = init,
    .fini = hc_network_free,
    .facts = hc_network_facts_of,
    .link = describe_link,
    .link_name = link_name,
    .route = route,
    .all_pairs = all_pairs};
