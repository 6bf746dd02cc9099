/* network.c -- a network of a run: made, dropped, and asked for routes with all that flows are told there.
 *
 * The order of additions is that of SimGrid 3.32, so that weights and bounds are the same to the last bit: a
 * weight begins with the latency, and the links' parts are added in the order of the route. */
#include "hindcast/network.h"

#include <inttypes.h>

#include "base/blame.h"
#include "base/util.h"

void hc_network_watts_of(const hc_network_of_run *n, uint32_t link, hc_link_watts *out)
{
  *out = (hc_link_watts){0, 0};
  if (n->facts.draws && n->type->watts) n->type->watts(n->self, link, out);
}

static hc_rc check_watts(const hc_network_of_run *n, const char *where, hc_error *e)
{
  for (uint32_t i = 0; n->facts.draws && i < n->facts.links; i++) {
    hc_link link;
    hc_link_watts w;
    char name[80];
    hc_network_watts_of(n, i, &w);
    n->type->link(n->self, i, &link);
    if (w.busy == w.idle || (w.busy > w.idle && link.sharing == HC_LINK_SHARED)) continue;
    n->type->link_name(n->self, i, name, sizeof name);
    if (w.busy < w.idle)
      return hc_fail(e, HC_EUSAGE, where, 0, 0,
                     "the link %s would draw %g W when it carries nothing and %g W in full use: say the "
                     "lesser number first",
                     name, w.idle, w.busy);
    return hc_fail(e, HC_EUSAGE, where, 0, 0,
                   "the link %s is a fatpipe, of which each flow may take all, so that it has no load: say "
                   "that it draws the same with any (%g W and %g W), or share it",
                   name, w.idle, w.idle);
  }
  return 0;
}

hc_rc hc_network_make(const hc_network_context *c, const hc_chosen *chosen, hc_network_of_run *out,
                      hc_error *e)
{
  hc_network_of_run n = {.type = (const hc_network_type *)chosen->type};
  hc_network_context with = *c;
  if (!with.where) with.where = "network";
  TRY(hc_blame(chosen->type, n.type->init(&with, chosen->options, &n.self, e), e));
  n.type->facts(n.self, &n.facts);
  if (n.facts.hosts < c->hosts) {
    const uint32_t hosts = n.facts.hosts;
    n.type->fini(n.self);
    return hc_fail(e, HC_EUSAGE, with.where, 0, 0,
                   "the network %s connects %" PRIu32 " hosts, and the cell has %" PRIu32
                   ": make it larger, or the cell smaller",
                   n.type->component.name, hosts, c->hosts);
  }
  const hc_rc rc = check_watts(&n, with.where, e);
  if (rc < 0) {
    n.type->fini(n.self);
    return rc;
  }
  *out = n;
  return 0;
}

void hc_network_drop(hc_network_of_run *n)
{
  if (n->type) n->type->fini(n->self);
  *n = (hc_network_of_run){.type = NULL};
}

hc_rc hc_network_route_of(const hc_network_of_run *n, uint32_t from, uint32_t to, uint32_t *links,
                          hc_route *out)
{
  const hc_network_rules *rules = &n->facts.rules;
  hc_route r = {.count = 0};
  TRY(n->type->route(n->self, from, to, links, &r));
  HC_ASSERT(r.count <= n->facts.longest);
  r.delay = r.latency * rules->latency_factor;
  r.weight = r.latency;
  for (uint32_t i = 0; i < r.count; i++) {
    hc_link link;
    n->type->link(n->self, links[i], &link);
    r.bound = HC_MIN(r.bound, link.bandwidth);
    r.weight += rules->weight_s / link.bandwidth;
  }
  if (rules->tcp_gamma > 0 && r.latency > 0) r.bound = HC_MIN(r.bound, rules->tcp_gamma / (2.0 * r.latency));
  if (!rules->by_latency || r.delay <= 0) r.weight = 1;
  *out = r;
  return 0;
}

hc_rc hc_network_all_pairs(const hc_network_of_run *n, const uint32_t *hosts, uint32_t count, double *weights,
                           hc_route *out)
{
  const hc_network_rules *rules = &n->facts.rules;
  hc_route r = {.weight = 1};
  if (!n->type->all_pairs) return HC_EUNSUPPORTED;
  TRY(n->type->all_pairs(n->self, hosts, count, weights, &r));
  r.delay = r.latency * rules->latency_factor;
  if (rules->tcp_gamma > 0 && r.latency > 0) r.bound = HC_MIN(r.bound, rules->tcp_gamma / (2.0 * r.latency));
  *out = r;
  return 0;
}
