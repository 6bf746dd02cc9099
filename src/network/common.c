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

hc_rc hc_network_watts_read(const hc_list *numbers, uint32_t kinds, const char *where, hc_link_watts *out,
                            hc_error *e)
{
  const double *w = numbers->items;
  const size_t count = numbers->count;
  if (count % 2 != 0 || count > 2 * (size_t)kinds)
    return hc_fail(e, HC_EUSAGE, where, 0, 0,
                   "link_watts: two numbers, of a link that carries nothing and of one in full use, such as "
                   "[1.5, 2]%s; there are %zu",
                   kinds > 1 ? ", or two for each kind of links" : "", count);
  for (uint32_t i = 0; i < kinds && count > 0; i++) {
    const size_t at = HC_MIN(2 * (size_t)i, count - 2);
    out[i] = (hc_link_watts){w[at], w[at + 1]};
  }
  return 0;
}

static hc_rc set_watts(hc_network_common *n, const hc_network_keys *k, const hc_network_size *s,
                       const hc_network_context *c, hc_error *e)
{
  const char *where = c->where;
  if (c->unmetered && (k->link_watts.count > 0 || k->switch_watts > 0))
    return hc_fail(e, HC_EUSAGE, where, 0, 0,
                   "link_watts and switch_watts are of the network that tasks send over, in `execution`: "
                   "what crosses this one is not counted");
  if (k->link_watts.count > 0 && s->own == 0)
    return hc_fail(e, HC_EUSAGE, where, 0, 0,
                   "link_watts: this network has no links, and no load of them: leave it out, or take one "
                   "with links, such as star");
  if (k->switch_watts > 0 && s->switches == 0)
    return hc_fail(e, HC_EUSAGE, where, 0, 0,
                   "switch_watts: this network has no switches: leave it out, or take one that has, such as "
                   "star");
  TRY(hc_network_watts_read(&k->link_watts, HC_MAX(s->kinds, 1), where, n->watts, e));
  n->facts.draws = k->link_watts.count > 0 || k->switch_watts > 0;
  n->facts.switch_watts = k->switch_watts * (double)s->switches;
  return 0;
}

void hc_network_watts(const hc_network *self, uint32_t id, hc_link_watts *out)
{
  const hc_network_common *n = (const hc_network_common *)self;
  if (id < n->own) *out = n->watts[0];
}

hc_rc hc_network_new(const hc_network_context *c, const hc_network_keys *k, size_t size,
                     const hc_network_size *s, hc_network **out, hc_error *e)
{
  const bool loops = k->local_bandwidth > 0;
  const uint64_t links = s->own + (loops ? s->hosts : 0);
  hc_network_rules rules;
  hc_network_common *n;
  TRY(hc_network_rules_of(k, c->where, &rules, e));
  if (!loops && k->local_latency > 0)
    return hc_fail(e, HC_EUSAGE, c->where, 0, 0,
                   "local_latency without local_bandwidth: say how fast a host sends to itself");
  if (links > HC_LINKS_MOST)
    return hc_fail(e, HC_ELIMIT, c->where, 0, 0,
                   "the network would have %" PRIu64 " links: at most %" PRIu32 " are possible", links,
                   HC_LINKS_MOST);
  if (s->longest > HC_ROUTE_MOST)
    return hc_fail(e, HC_ELIMIT, c->where, 0, 0,
                   "its longest route would have %" PRIu64 " links: at most %d are possible", s->longest,
                   HC_ROUTE_MOST);
  n = hc_alloc(c->allocator, size);
  if (!n)
    return hc_fail(e, HC_ENOMEM, c->where, 0, 0, "no memory for a network of %" PRIu32 " hosts", s->hosts);
  n->allocator = c->allocator;
  n->size = size;
  n->own = (uint32_t)s->own;
  if (loops)
    n->local = (hc_link){(double)k->local_bandwidth, hc_network_seconds(k->local_latency),
                         k->local_sharing == 0 ? HC_LINK_SHARED : HC_LINK_FATPIPE};
  n->facts = (hc_network_facts){.hosts = s->hosts,
                                .links = (uint32_t)links,
                                .longest = (uint32_t)HC_MAX(s->longest, (uint64_t)1),
                                .model = s->model,
                                .rules = rules};
  const hc_rc rc = set_watts(n, k, s, c, e);
  if (rc < 0) hc_free(c->allocator, n, size);
  else *out = (hc_network *)n;
  return rc;
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
