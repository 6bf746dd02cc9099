/* common.c -- what networks have in common: rules of flows, loopbacks, birth and death.
 *
 * The rules are those of SimGrid 3.32 by name: LV08 of Velho and Legrand (Accuracy study and improvement of
 * network simulation in the SimGrid framework, SIMUTools 2009), CM02 of Casanova and Marchal (A network model
 * for simulation of grid application, INRIA RR-4596, 2002). */
#include "network/common.h"

#include <inttypes.h>
#include <stdio.h>

enum { PLAIN, LV08, CM02 };

static double said(double key, double otherwise)
{
  return key < 0 ? otherwise : key;
}

hc_rc hc_network_rules_of(const hc_network_keys *k, const char *where, hc_network_rules *out, hc_error *e)
{
  static const hc_network_rules of[] = {
      [PLAIN] = {1, 1, 0, 0, 0, false},
      [LV08] = {13.01, 0.97, 20537, 4194304, 0.05, true},
      [CM02] = {1, 1, 0, 4194304, 0.05, true},
  };
  hc_network_rules r = of[k->factors];
  r.latency_factor = said(k->latency_factor, r.latency_factor);
  r.bandwidth_factor = said(k->bandwidth_factor, r.bandwidth_factor);
  r.weight_s = said(k->weight_s, r.weight_s);
  r.tcp_gamma = said(k->tcp_gamma, r.tcp_gamma);
  r.cross_traffic = said(k->cross_traffic, r.cross_traffic);
  if (k->weight_s > 0) r.by_latency = true;
  if (r.bandwidth_factor <= 0)
    return hc_fail(
        e, HC_EUSAGE, where, 0, 0,
        "bandwidth_factor is 0: no flow would ever end; leave it out, or say a share such as 0.97");
  *out = r;
  return 0;
}

hc_rc hc_network_new(const hc_network_context *c, const hc_network_keys *k, size_t size,
                     hc_network_model model, uint32_t hosts, uint64_t own, uint64_t longest, hc_network **out,
                     hc_error *e)
{
  const bool loops = k->local_bandwidth > 0;
  hc_network_rules rules;
  hc_network_common *n;
  TRY(hc_network_rules_of(k, c->where, &rules, e));
  if (!loops && k->local_latency > 0)
    return hc_fail(e, HC_EUSAGE, c->where, 0, 0,
                   "local_latency without local_bandwidth: say how fast a host sends to itself");
  if (own + (loops ? hosts : 0) > HC_LINKS_MOST)
    return hc_fail(e, HC_ELIMIT, c->where, 0, 0,
                   "the network would have %" PRIu64 " links: at most %" PRIu32 " are possible",
                   own + (loops ? hosts : 0), HC_LINKS_MOST);
  if (longest > HC_ROUTE_MOST)
    return hc_fail(e, HC_ELIMIT, c->where, 0, 0,
                   "its longest route would have %" PRIu64 " links: at most %d are possible", longest,
                   HC_ROUTE_MOST);
  n = hc_alloc(c->allocator, size);
  if (!n) return hc_fail(e, HC_ENOMEM, c->where, 0, 0, "no memory for a network of %" PRIu32 " hosts", hosts);
  n->allocator = c->allocator;
  n->size = size;
  n->own = (uint32_t)own;
  if (loops)
    n->local = (hc_link){(double)k->local_bandwidth, hc_network_seconds(k->local_latency),
                         k->local_sharing == 0 ? HC_LINK_SHARED : HC_LINK_FATPIPE};
  n->facts = (hc_network_facts){.hosts = hosts,
                                .links = (uint32_t)own + (loops ? hosts : 0),
                                .longest = (uint32_t)HC_MAX(longest, (uint64_t)1),
                                .model = model,
                                .rules = rules};
  *out = (hc_network *)n;
  return 0;
}

void hc_network_free(hc_network *self)
{
  hc_network_common *n = (hc_network_common *)self;
  if (n) hc_free(n->allocator, n, n->size);
}

void hc_network_facts_of(const hc_network *self, hc_network_facts *out)
{
  *out = ((const hc_network_common *)self)->facts;
}

bool hc_network_local(const hc_network_common *n, uint32_t id, hc_link *out)
{
  if (id < n->own) return false;
  *out = n->local;
  return true;
}

bool hc_network_local_name(const hc_network_common *n, uint32_t id, char *name, size_t size)
{
  if (id < n->own) return false;
  (void)snprintf(name, size, "loopback_%" PRIu32, id - n->own);
  return true;
}

hc_rc hc_network_local_route(const hc_network_common *n, uint32_t host, uint32_t *links, hc_route *out)
{
  hc_path p = {.links = links};
  if (n->local.bandwidth > 0) hc_path_add(&p, n->own + host, n->local.latency);
  return hc_path_end(&p, out);
}
