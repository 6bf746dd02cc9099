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
#include "metric/family.h"
#include "metric/hostuse.h"
#include "metric/sum128.h"

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
  hc_host_table table;
  hc_time sample;
};

static void fini(hc_metric *self)
{
  if (self) hc_host_table_fini(&self->table);
  hc_family_free(self);
}

static hc_rc set_up(hc_metric *self, const options *o, hc_error *e)
{
  self->sample = o->sample;
  HC_UNUSED(e);
  return hc_host_table_init(&self->table, &self->family.context, sizeof(used));
}

HC_FAMILY_INIT

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

static used *account_of(const hc_metric *self, uint32_t host, uint32_t d)
{
  return (used *)self->table.accounts + d * self->table.machine.hosts + host;
}

/* Integral of u over [since, to). */
static double use_until(const hc_metric *self, uint32_t host, uint32_t d, hc_time to)
{
  const used *u = account_of(self, host, d);
  const int64_t amount = hc_host_amount(&self->table, host, d),
                left = HC_MAX(hc_amount_minus(amount, u->held), 0);
  const double f = amount > 0 ? (double)left / (double)amount : 0;
  const double time = (double)HC_MAX(hc_time_between(u->since, to), 0);
  if (amount <= 0 || !(time > 0)) return 0;
  return left == 0 ? time : time * (1 - f) + f * load_over(self, host, d, u->since, to);
}

static hc_rc claims(hc_metric *self, const hc_claim_record *c)
{
  const bool takes = c->kind == HC_CHANGE_CLAIMED;
  if (c->host_count == 0 || !hc_machine_has(&self->table.machine, c->hosts[0]))
    return 0; /* of the whole cell */
  for (uint32_t d = 0; d < HC_HOST_KNOWN; d++) {
    if (c->amount[d] == 0) continue;
    for (uint32_t i = 0; i < c->host_count; i++) {
      used *u = account_of(self, c->hosts[i], d);
      hc_real_sum_add(&u->sum, use_until(self, c->hosts[i], d, c->at));
      u->since = c->at;
      u->held = takes ? hc_amount_plus(u->held, c->amount[d]) : hc_amount_minus(u->held, c->amount[d]);
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
  hc_real_sum all = account_of(self, host, d)->sum;
  hc_real_sum_add(&all, use_until(self, host, d, self->table.last));
  return hc_real_sum_value(all) / (double)self->table.last;
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  return hc_host_table_find(&self->table, f, "used_", self, share_of);
}

static hc_rc visit(hc_metric *self, hc_visitor *v)
{
  return hc_host_table_visit(&self->table, v);
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

static const char *const figures[] = {HC_HOST_FIGURES(FIGURES)};

const hc_metric_type hc_metric_host_use = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "host_use",
         .summary = "how much of hosts tasks and local load use: mean and variance over hosts",
         .detail =
             "A host's use of a dimension at t: 1 - (1 - share that tasks hold) (1 - local load), whether or "
             "not that load takes anything from tasks; its mean is over time 0 to the last release. Hosts "
             "that have none of the dimension do not count. Without local load these are the figures of "
             "host_balance. On a cell of processors there are no hosts and no figures; a schedule that is "
             "only counted has no local load.",
         .source = "Polezhaev, Study of parallel job scheduling algorithms using a simulator, 2010: u_i, "
                   "m_i, d_i of equations (1) to (3), their means and variances",
         .params = params, .options_size = sizeof(options)},
    HC_FAMILY_CALLS,
    .changes = changes,
    .change_kinds = 1u << HC_CHANGE_CLAIMED | 1u << HC_CHANGE_RELEASED,
    .claims = claims,
};
