/* hosts_refusals.c -- host by host, what keeps a task from it: for explanations.
 *
 * A host is refused by one filter, the first in the order of hc_refusal: what can never be other on this
 * host comes before what is so now, and amounts before what is finer than amounts. So the counts of a walk
 * over all hosts sum to the hosts. It looks at amounts one by one, where a choice compares whole rows: both
 * must say the same, which tests/property/test_refusals.c holds. Where several slots must go together
 * (zones, different hosts) a host that fits alone is counted as one that does. */
#include "cluster/hosts_parts.h"

typedef struct looking {
  const hc_hosts *h;
  const hc_request *r;
  hc_hosts_facts facts;
  hc_hosts_want want;
  bool is_possible; /* `want` is made: no amount is beyond all that hosts may have */
} looking;

static bool is_in_no_zone(const hc_hosts *h, const hc_hosts_facts *f, uint32_t host)
{
  return (f->same >= 0 && hc_hosts_zone_of(h, f->same, host) == HC_NO_NAME) ||
         (f->differ >= 0 && hc_hosts_zone_of(h, f->differ, host) == HC_NO_NAME);
}

/* Dimension by dimension: what the host has, then what is left of it. */
static hc_refusal by_amounts(const looking *x, uint32_t host, uint32_t *d)
{
  const hc_hosts *h = x->h;
  const int64_t *capacity = h->caps + (size_t)host * h->dims, *row = hc_hosts_row(h, host);
  for (*d = 0; *d < h->dims; ++*d)
    if (!h->is_shared[*d] && x->r->need[*d] > capacity[*d]) return HC_REFUSED_SMALL;
  for (*d = 0; *d < h->dims; ++*d)
    if (!h->is_shared[*d] && x->r->need[*d] > row[*d]) return HC_REFUSED_FULL;
  *d = 0;
  return x->is_possible && hc_hosts_index_fits(h, x->want.row, host) ? HC_REFUSED_NOT : HC_REFUSED_DEVICES;
}

static hc_refusal look_at(const looking *x, uint32_t host, uint32_t *d)
{
  const hc_hosts *h = x->h;
  const hc_hosts_gate *gate = h->gate;
  hc_refusal why;
  *d = 0;
  if (!hc_hosts_takes(h, host)) return HC_REFUSED_AWAY;
  if ((why = hc_hosts_rule_against(h, &x->facts, host)) != HC_REFUSED_NOT) return why;
  if (is_in_no_zone(h, &x->facts, host)) return HC_REFUSED_ZONE;
  if (x->r->whole && !hc_hosts_bits_has(&h->idle, host)) return HC_REFUSED_BUSY;
  if (!x->r->whole && (why = by_amounts(x, host, d)) != HC_REFUSED_NOT) return why;
  if (hc_hosts_is_limited(x->facts.more) && !hc_hosts_limits_allow(h, &x->facts, host))
    return HC_REFUSED_RIVALS;
  if (gate && gate->admits && !gate->admits(gate->ctx, host, x->r->whole ? NULL : x->want.row))
    return HC_REFUSED_GATE;
  return HC_REFUSED_NOT;
}

hc_rc hc_hosts_refusals(hc_hosts *h, const hc_request *r,
                        void (*each)(void *ctx, uint32_t host, hc_refusal why, uint32_t d), void *ctx)
{
  looking x = {.h = h, .r = r};
  TRY(hc_hosts_facts_of(h, r->more, &x.facts));
  x.is_possible = r->whole || hc_hosts_want_of(h, r->need, &x.want);
  for (uint32_t host = 0; host < h->units; host++) {
    uint32_t d;
    const hc_refusal why = look_at(&x, host, &d);
    each(ctx, host, why, d);
  }
  return 0;
}
