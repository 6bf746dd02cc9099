/* host_balance.c -- how evenly hosts are used: the mean over hosts of what each is used on average, and its
 * variance.
 *
 * A host's mean is the integral of what tasks hold on it over its amount times T, from time 0 to T, when the
 * last task released what it held (C_max). The variance over the hosts that have the dimension divides by
 * their number. Local load is not counted (host_use counts it), nor is it what tasks really use: what they
 * hold. Amounts are those that hosts are declared with.
 *
 * The integral of a level is the sum of (release time x amount) less that of (claim time x amount), so a
 * claim costs one product a dimension and one sum a host, and nothing is kept but that: 24 bytes a host and
 * dimension. Source: Polezhaev: balance over nodes (Du, Dm, Dd) where they have no local load; with it his
 * u_i, m_i and d_i count it (equations 1 to 3), as host_use does. */
#include "metric/family.h"
#include "metric/hostuse.h"
#include "metric/sum128.h"

typedef struct used {
  hc_wide sum; /* amount x ns */
  int64_t held;
} used;

struct hc_metric {
  hc_family family;
  hc_host_table table;
};

static void fini(hc_metric *self)
{
  if (self) hc_host_table_fini(&self->table);
  hc_family_free(self);
}

static hc_rc set_up(hc_metric *self, const void *options, hc_error *e)
{
  HC_UNUSED(options);
  HC_UNUSED(e);
  return hc_host_table_init(&self->table, &self->family.context, sizeof(used));
}

HC_FAMILY_INIT

/* What a claim adds to a host in a dimension: the same on all of them. */
typedef struct share {
  uint32_t dimension;
  used more;
} share;

static hc_rc claims(hc_metric *self, const hc_claim_record *c)
{
  const bool takes = c->kind == HC_CHANGE_CLAIMED;
  share shares[HC_HOST_KNOWN];
  uint32_t n = 0;
  for (uint32_t d = 0; d < HC_HOST_KNOWN; d++) {
    const int64_t minus = hc_amount_minus(0, c->amount[d]);
    if (c->amount[d] == 0) continue;
    shares[n++] = (share){
        d,
        {.sum = hc_wide_product(takes ? minus : c->amount[d], c->at), .held = takes ? c->amount[d] : minus}};
  }
  if (c->host_count == 0 || !hc_machine_has(&self->table.machine, c->hosts[0]))
    return 0; /* of the whole cell */
  for (uint32_t k = 0; k < n; k++) {
    const used more = shares[k].more;
    used *of = (used *)self->table.accounts + shares[k].dimension * self->table.machine.hosts;
    for (uint32_t i = 0; i < c->host_count; i++) {
      used *u = &of[c->hosts[i]];
      u->held = hc_amount_plus(u->held, more.held);
      hc_wide_add_wide(&u->sum, more.sum);
    }
  }
  if (!takes) self->table.last = c->at;
  return 0;
}

static hc_rc changes(hc_metric *self, const hc_change *changes, size_t count)
{
  return hc_host_table_changes(self, changes, count, claims);
}

static double share_of(const hc_metric *self, uint32_t host, uint32_t d)
{
  const hc_host_table *t = &self->table;
  const used *u = (const used *)t->accounts + d * t->machine.hosts + host;
  hc_wide sum = u->sum;
  hc_wide_add_product(&sum, u->held, t->last);
  return hc_wide_ratio(sum, hc_wide_product(hc_host_amount(t, host, d), t->last));
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  return hc_host_table_find(&self->table, f, "", self, share_of);
}

static hc_rc visit(hc_metric *self, hc_visitor *v)
{
  return hc_host_table_visit(&self->table, v);
}

#define FIGURES(d) \
  "host_mean_" d "|1|higher|mean over hosts of the share of " d \
  " that tasks hold, over time 0 to the last release", \
      "host_variance_" d "|1|lower|variance over hosts of that share"

static const char *const figures[] = {HC_HOST_FIGURES(FIGURES)};

const hc_metric_type hc_metric_host_balance = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "host_balance",
         .summary = "how evenly hosts are used: mean and variance over hosts of their mean use",
         .detail =
             "A host's mean use of a dimension: integral of what tasks hold / (amount x T), T = time 0 to "
             "the last release. Hosts that have none of it do not count. Local load is left out; host_use "
             "counts it. On a cell of processors there are no hosts and no figures.",
         .source = "Polezhaev, Study of parallel job scheduling algorithms using a simulator, 2010: U, Du, "
                   "Dm, Dd, and the use of memory and disk, of nodes without local load"},
    HC_FAMILY_CALLS,
    .changes = changes,
    .change_kinds = 1u << HC_CHANGE_CLAIMED | 1u << HC_CHANGE_RELEASED,
    .claims = claims,
};
