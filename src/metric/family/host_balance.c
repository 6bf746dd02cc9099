/* host_balance.c -- how evenly hosts are used: the mean over hosts of what each is used on average, and its variance.
 *
 * A host's mean is the integral of what tasks hold on it over its amount times T, from time 0 to T, when the last task
 * released what it held (C_max). The variance over the hosts that have the dimension divides by their number. Local
 * load is not counted (host_use counts it), nor is it what tasks really use: what they hold. Amounts are those that
 * hosts are declared with.
 *
 * The integral of a level is the sum of (release time x amount) less that of (claim time x amount), so a claim
 * costs one product a dimension and one sum a host, and nothing is kept but that: 24 bytes a host and dimension.
 * Source: Polezhaev: balance over nodes (Du, Dm, Dd) where they have no local load; with it his u_i, m_i and d_i count
 * it (equations 1 to 3), as host_use does. */
#include <stdio.h>

#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "metric/family.h"
#include "metric/machine.h"
#include "metric/sum128.h"

#define KNOWN 4 /* cpu, memory, disk, gpu: those that have figures */

typedef struct used {
  hc_wide sum; /* amount x ns */
  int64_t held;
} used;

struct hc_metric {
  hc_family family;
  hc_machine machine;
  used *of[KNOWN]; /* [machine.hosts] each, one behind the other */
  hc_time last;    /* release; HC_UNKNOWN: none */
};

static void fini(hc_metric *self)
{
  if (self) {
    hc_free(self->family.context.allocator, self->of[0], KNOWN * self->machine.hosts * sizeof(used));
    hc_machine_fini(&self->machine);
  }
  hc_family_free(self);
}

static hc_rc init(const hc_metric_context *c, const void *options, hc_metric **out, hc_error *e)
{
  hc_metric *self;
  hc_rc rc;
  HC_UNUSED(options);
  TRY(hc_family_new(c, sizeof(hc_metric), &self, e));
  self->last = HC_UNKNOWN;
  rc = hc_machine_init(&self->machine, &self->family.context);
  if (rc == 0 && self->machine.hosts > 0) {
    self->of[0] = hc_alloc(c->allocator, KNOWN * self->machine.hosts * sizeof(used));
    if (!self->of[0]) rc = HC_ENOMEM;
    for (uint32_t d = 1; rc == 0 && d < KNOWN; d++) self->of[d] = self->of[d - 1] + self->machine.hosts;
  }
  if (rc < 0) {
    fini(self);
    return hc_fail(e, rc, "metric host_balance", 0, 0, "no memory for the hosts");
  }
  *out = self;
  return 0;
}

/* What a claim adds to a host in a dimension: the same on all of them. */
typedef struct share {
  uint32_t dimension;
  used more;
} share;

static hc_rc claims(hc_metric *self, const hc_claim_record *c)
{
  const bool takes = c->kind == HC_CHANGE_CLAIMED;
  share shares[KNOWN];
  uint32_t n = 0;
  for (uint32_t d = 0; d < KNOWN; d++) {
    const int64_t minus = hc_amount_minus(0, c->amount[d]);
    if (c->amount[d] == 0) continue;
    shares[n++] = (share){
        d,
        {.sum = hc_wide_product(takes ? minus : c->amount[d], c->at), .held = takes ? c->amount[d] : minus}};
  }
  if (c->host_count == 0 || !hc_machine_has(&self->machine, c->hosts[0])) return 0; /* of the whole cell */
  for (uint32_t k = 0; k < n; k++) {
    const used more = shares[k].more;
    for (uint32_t i = 0; i < c->host_count; i++) {
      used *u = &self->of[shares[k].dimension][c->hosts[i]];
      u->held = hc_amount_plus(u->held, more.held);
      hc_wide_add_wide(&u->sum, more.sum);
    }
  }
  if (!takes) self->last = c->at;
  return 0;
}

static hc_rc changes(hc_metric *self, const hc_change *all, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const hc_change *c = &all[i];
    if (c->kind != HC_CHANGE_CLAIMED && c->kind != HC_CHANGE_RELEASED) continue;
    TRY(claims(self, &(hc_claim_record){.at = c->at,
                                        .serial = c->serial,
                                        .user = c->user,
                                        .kind = c->kind,
                                        .host_count = 1,
                                        .hosts = &c->host,
                                        .amount = c->amount}));
  }
  return 0;
}

static double share_of(const hc_metric *self, uint32_t host, uint32_t d, int64_t amount)
{
  const used *u = &self->of[d][host];
  hc_wide sum = u->sum;
  hc_wide_add_product(&sum, u->held, self->last);
  return hc_wide_ratio(sum, hc_wide_product(amount, self->last));
}

/* Mean and variance over the hosts that have the dimension; NaN if there is none, or no time. */
static void measure(const hc_metric *self, uint32_t d, double *mean, double *variance)
{
  const hc_cell_spec *spec = self->machine.spec;
  uint64_t n = 0;
  hc_real_sum sum = {0}, squares = {0};
  *mean = *variance = __builtin_nan("");
  if (!spec || self->last == HC_UNKNOWN) return;
  for (uint32_t h = 0; h < self->machine.hosts; h++) {
    const int64_t amount = spec->classes[spec->class_of[h]].capacity[d];
    if (amount <= 0) continue;
    hc_real_sum_add(&sum, share_of(self, h, d, amount));
    n++;
  }
  if (n == 0) return;
  *mean = hc_mean_real(sum, n);
  for (uint32_t h = 0; h < self->machine.hosts; h++) {
    const int64_t amount = spec->classes[spec->class_of[h]].capacity[d];
    const double off = amount > 0 ? share_of(self, h, d, amount) - *mean : 0;
    hc_real_sum_add(&squares, off * off);
  }
  *variance = hc_mean_real(squares, n);
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  static const char *const names[KNOWN][2] = {{"host_mean_cpu", "host_variance_cpu"},
                                              {"host_mean_memory", "host_variance_memory"},
                                              {"host_mean_disk", "host_variance_disk"},
                                              {"host_mean_gpu", "host_variance_gpu"}};
  for (uint32_t d = 0; d < KNOWN; d++) {
    double mean, variance;
    measure(self, d, &mean, &variance);
    TRY(hc_find_real(f, names[d][0], "1", mean));
    TRY(hc_find_real(f, names[d][1], "1", variance));
  }
  return 0;
}

static hc_rc visit(hc_metric *self, hc_visitor *v)
{
  HC_VISIT(v, self->last);
  return self->machine.hosts > 0 ? hc_visit_bytes(v, self->of[0], KNOWN * self->machine.hosts * sizeof(used))
                                 : 0;
}

#define FIGURES(d) \
  "host_mean_" d "|1|higher|mean over hosts of the share of " d \
  " that tasks hold, over time 0 to the last release", \
      "host_variance_" d "|1|lower|variance over hosts of that share"

static const char *const figures[] = {FIGURES("cpu"), FIGURES("memory"), FIGURES("disk"), FIGURES("gpu"),
                                      NULL};

const hc_metric_type hc_metric_host_balance = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "host_balance",
         .summary = "how evenly hosts are used: mean and variance over hosts of their mean use",
         .detail =
             "A host's mean use of a dimension: integral of what tasks hold / (amount x T), T = time 0 to the last "
             "release. Hosts that have none of it do not count. Local load is left out; host_use counts it. On a "
             "cell of processors there are no hosts and no figures.",
         .source = "Polezhaev: U, Du, Dm, Dd, and the use of memory and disk, of nodes without local load"},
    HC_FAMILY_CALLS,
    .changes = changes,
    .change_kinds = 1u << HC_CHANGE_CLAIMED | 1u << HC_CHANGE_RELEASED,
    .claims = claims,
};
