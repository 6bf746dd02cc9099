/* host_use.c -- how much of each host tasks and its local load use: mean and variance over the hosts.
 *
 * At any time a host's used share of a dimension is u = 1 - f (1 - psi): f is the share that tasks leave of
 * it, psi its local load in that dimension, whether or not that load takes anything from tasks. For
 * processors that a task has whole this is 1 with a task and psi without; for memory it is what is left of M
 * - m after load has had its share of that. A host's mean is the integral of u over [0, T] divided by T, when
 * the last task released what it held (C_max); the figures are the mean and the variance of that over the
 * hosts that have the dimension (the variance divides by their number). Without local load they are those of
 * host_balance, by another way.
 *
 * Load is piecewise constant and can be asked at any time (hindcast/cell.h), so the integral over a window in
 * which f stays the same is a sum over its pieces. Processes that are drawn anew every few seconds make
 * millions of them in a run of months; `sample: 1000s` reads the load at the middle of each 1000 s instead,
 * which is unbiased for a load that does not know that grid, and moves a host's mean by about deviation of
 * psi x sqrt(sample / T). Nothing is read where tasks leave nothing. 32 bytes a host and dimension. Source:
 * Polezhaev, equations (1) to (3): u_i, m_i, d_i, of which U, the use of memory and disk, and Du, Dm, Dd are
 * means and variances. */
#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "metric/family.h"
#include "metric/machine.h"
#include "metric/sum128.h"

#define KNOWN 4 /* cpu, memory, disk, gpu: those that have figures */

typedef struct options {
  hc_time sample;
} options;

typedef struct used {
  hc_time since; /* `held` is what tasks hold since then */
  int64_t held;
  hc_real_sum sum; /* integral of u up to `since`, ns */
} used;

struct hc_metric {
  hc_family family;
  hc_machine machine;
  hc_time sample;
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

static hc_rc init(const hc_metric_context *c, const void *chosen, hc_metric **out, hc_error *e)
{
  const options *o = chosen;
  hc_metric *self;
  hc_rc rc;
  TRY(hc_family_new(c, sizeof(hc_metric), &self, e));
  self->last = HC_UNKNOWN;
  self->sample = o->sample;
  rc = hc_machine_init(&self->machine, &self->family.context);
  if (rc == 0 && self->machine.hosts > 0) {
    self->of[0] = hc_alloc(c->allocator, KNOWN * self->machine.hosts * sizeof(used));
    if (!self->of[0]) rc = HC_ENOMEM;
    for (uint32_t d = 1; rc == 0 && d < KNOWN; d++) self->of[d] = self->of[d - 1] + self->machine.hosts;
  }
  if (rc < 0) {
    fini(self);
    return hc_fail(e, rc, "metric host_use", 0, 0, "no memory for the hosts");
  }
  *out = self;
  return 0;
}

/* Integral of a host's load over [from, to), ns: piece by piece, or by samples in the middle of equal parts
 * of time. */
static double load_over(const hc_metric *self, uint32_t host, uint32_t d, hc_time from, hc_time to)
{
  const hc_metric_context *c = &self->family.context;
  hc_real_sum sum = {0};
  if (!c->load) return 0;
  if (self->sample > 0) {
    const hc_time half = self->sample / 2;
    hc_time at = from <= half ? half : half + (from - half + self->sample - 1) / self->sample * self->sample;
    for (; at < to; at = hc_time_add(at, self->sample)) {
      const hc_load_level l = c->load(c->load_ctx, host, d, at);
      hc_real_sum_add(&sum, l.level * (double)self->sample);
      if (l.until == HC_NEVER && l.level <= 0) break; /* none at all */
    }
    return hc_real_sum_value(sum);
  }
  while (from < to) {
    const hc_load_level l = c->load(c->load_ctx, host, d, from);
    const hc_time until = HC_MIN(l.until, to);
    if (until <= from) break; /* it moves on */
    hc_real_sum_add(&sum, l.level * (double)(until - from));
    from = until;
  }
  return hc_real_sum_value(sum);
}

/* What is declared, not what is left of it after a change. */
static int64_t amount_of(const hc_metric *self, uint32_t host, uint32_t d)
{
  const hc_cell_spec *spec = self->machine.spec;
  return spec->classes[spec->class_of[host]].capacity[d];
}

/* Integral of u over [since, to). */
static double use_until(const hc_metric *self, uint32_t host, uint32_t d, hc_time to)
{
  const used *u = &self->of[d][host];
  const int64_t amount = amount_of(self, host, d), left = HC_MAX(hc_amount_minus(amount, u->held), 0);
  const double f = amount > 0 ? (double)left / (double)amount : 0;
  const double time = (double)HC_MAX(hc_time_between(u->since, to), 0);
  if (amount <= 0 || !(time > 0)) return 0;
  return left == 0 ? time : time * (1 - f) + f * load_over(self, host, d, u->since, to);
}

static hc_rc claims(hc_metric *self, const hc_claim_record *c)
{
  const bool takes = c->kind == HC_CHANGE_CLAIMED;
  if (c->host_count == 0 || !hc_machine_has(&self->machine, c->hosts[0])) return 0; /* of the whole cell */
  for (uint32_t d = 0; d < KNOWN; d++) {
    if (c->amount[d] == 0) continue;
    for (uint32_t i = 0; i < c->host_count; i++) {
      used *u = &self->of[d][c->hosts[i]];
      hc_real_sum_add(&u->sum, use_until(self, c->hosts[i], d, c->at));
      u->since = c->at;
      u->held = takes ? hc_amount_plus(u->held, c->amount[d]) : hc_amount_minus(u->held, c->amount[d]);
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

/* Mean and variance over the hosts that have the dimension; NaN if there is none, or no time. */
static hc_rc measure(const hc_metric *self, uint32_t d, double *mean, double *variance)
{
  const hc_allocator *a = self->family.context.allocator;
  const uint32_t hosts = self->machine.hosts;
  hc_real_sum sum = {0}, squares = {0};
  double *share;
  uint64_t n = 0;
  *mean = *variance = __builtin_nan("");
  if (!self->machine.spec || hosts == 0 || self->last == HC_UNKNOWN || self->last <= 0) return 0;
  share = hc_alloc(a, hosts * sizeof *share);
  if (!share) return HC_ENOMEM;
  for (uint32_t h = 0; h < hosts; h++) {
    hc_real_sum all = self->of[d][h].sum;
    if (amount_of(self, h, d) <= 0) continue;
    hc_real_sum_add(&all, use_until(self, h, d, self->last));
    share[n] = hc_real_sum_value(all) / (double)self->last;
    hc_real_sum_add(&sum, share[n++]);
  }
  if (n > 0) {
    *mean = hc_mean_real(sum, n);
    for (uint64_t i = 0; i < n; i++) hc_real_sum_add(&squares, (share[i] - *mean) * (share[i] - *mean));
    *variance = hc_mean_real(squares, n);
  }
  hc_free(a, share, hosts * sizeof *share);
  return 0;
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  static const char *const names[KNOWN][2] = {{"host_mean_used_cpu", "host_variance_used_cpu"},
                                              {"host_mean_used_memory", "host_variance_used_memory"},
                                              {"host_mean_used_disk", "host_variance_used_disk"},
                                              {"host_mean_used_gpu", "host_variance_used_gpu"}};
  for (uint32_t d = 0; d < KNOWN; d++) {
    double mean, variance;
    TRY(measure(self, d, &mean, &variance));
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

static const hc_param params[] = {
    HC_PARAM(TIME, options, sample, "s", "0s", 0, 1e9,
             "0: local load is integrated piece by piece. Else it is read once in each part of time of this "
             "length, in its middle, which is quicker where load changes much more often than tasks begin "
             "and end."),
    {.name = NULL},
};

#define FIGURES(d) \
  "host_mean_used_" d "|1|higher|mean over hosts of the mean of 1 - (1 - share of " d \
  " that tasks hold) (1 - local load), over time 0 to the last release", \
      "host_variance_used_" d "|1|lower|variance over hosts of that mean"

static const char *const figures[] = {FIGURES("cpu"), FIGURES("memory"), FIGURES("disk"), FIGURES("gpu"),
                                      NULL};

const hc_metric_type hc_metric_host_use = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "host_use",
         .summary = "how much of hosts tasks and local load use: mean and variance over hosts",
         .detail =
             "A host's use of a dimension at t: 1 - (1 - share that tasks hold) (1 - local load), whether or not that "
             "load takes anything from tasks; its mean is over time 0 to the last release. Hosts that have none of "
             "the dimension do not count. Without local load these are the figures of host_balance. On a cell of "
             "processors there are no hosts and no figures; a schedule that is only counted has no local load.",
         .source = "Polezhaev: u_i, m_i, d_i of equations (1) to (3), their means and variances",
         .params = params, .options_size = sizeof(options)},
    HC_FAMILY_CALLS,
    .changes = changes,
    .change_kinds = 1u << HC_CHANGE_CLAIMED | 1u << HC_CHANGE_RELEASED,
    .claims = claims,
};
