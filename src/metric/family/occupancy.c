/* occupancy.c -- how much of the time hosts are used at all: by tasks, or by their own local load.
 *
 * u = 1 while a task holds anything of a host, else the local load of one dimension there. A host's mean is
 * the integral of u over [0, T] divided by T, when the last task released what it held (C_max); the figures
 * are mean and variance of that over the hosts (the variance divides by their number), and the share of it
 * that tasks have. Without local load u is the share of time with a task. A host that is away is used as much
 * as its load says.
 *
 * Load is a function of time that can be asked at any time in any order (hindcast/cell.h), and piecewise
 * constant, so its integral over the windows in which a host has no task is a sum over the pieces in them,
 * exact but for the rounding of a compensated sum. A window is integrated when it closes; the last one, up to
 * T, at the end. Cost: an answer of the load for each piece within the windows, nothing for those beneath
 * tasks; 56 bytes a host. Source: Polezhaev: the utilisation U with local load (u_i = 1 with a job, else
 * psi_i). */
#include <string.h>

#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "metric/family.h"
#include "metric/machine.h"
#include "metric/sum128.h"

typedef struct options {
  const char *dimension;
} options;

typedef struct used {
  uint64_t claims;  /* that tasks hold */
  hc_time since;    /* it has been in this state */
  int64_t busy;     /* ns with a task */
  hc_real_sum idle; /* integral of load without one, ns */
} used;

struct hc_metric {
  hc_family family;
  hc_machine machine;
  uint32_t dimension; /* the lexicon's number */
  used *hosts;        /* [machine.hosts] */
  hc_time last;       /* release; HC_UNKNOWN: none */
};

static void fini(hc_metric *self)
{
  if (self) {
    hc_free(self->family.context.allocator, self->hosts, self->machine.hosts * sizeof *self->hosts);
    hc_machine_fini(&self->machine);
  }
  hc_family_free(self);
}

/* The lexicon's number of a dimension by its name; false if the machine has none of it. */
static bool find_dimension(hc_metric *self, const char *name)
{
  const hc_machine *m = &self->machine;
  for (uint32_t d = 0; d < m->dimensions; d++) {
    char buffer[32];
    if (strcmp(hc_machine_name(m, m->which[d], buffer), name) != 0) continue;
    self->dimension = m->which[d];
    return true;
  }
  return false;
}

static hc_rc set_up(hc_metric *self, const options *o, hc_error *e)
{
  const hc_allocator *a = self->family.context.allocator;
  self->last = HC_UNKNOWN;
  TRY(hc_machine_init(&self->machine, &self->family.context));
  if (self->machine.hosts == 0) return 0;
  self->hosts = hc_alloc(a, self->machine.hosts * sizeof *self->hosts);
  if (!self->hosts) return HC_ENOMEM;
  if (find_dimension(self, o->dimension)) return 0;
  return hc_fail(e, HC_EUSAGE, "metric occupancy", 0, 0,
                 "dimension: no host has any %s; name one that the cell has, such as cpu", o->dimension);
}

HC_FAMILY_INIT

/* Integral of a host's load over [from, to), ns. */
static void add_load(const hc_metric *self, uint32_t host, hc_time from, hc_time to, hc_real_sum *sum)
{
  const hc_metric_context *c = &self->family.context;
  while (c->load && from < to) {
    const hc_load_level l = c->load(c->load_ctx, host, self->dimension, from);
    const hc_time until = HC_MIN(l.until, to);
    if (until <= from) return; /* it moves on */
    hc_real_sum_add(sum, l.level * (double)(until - from));
    from = until;
  }
}

static hc_rc changes(hc_metric *self, const hc_change *all, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const hc_change *c = &all[i];
    used *u;
    if ((c->kind != HC_CHANGE_CLAIMED && c->kind != HC_CHANGE_RELEASED) ||
        !hc_machine_has(&self->machine, c->host))
      continue;
    u = &self->hosts[c->host];
    if (c->kind == HC_CHANGE_CLAIMED) {
      if (u->claims++ > 0) continue;
      add_load(self, c->host, u->since, c->at, &u->idle);
      u->since = c->at;
      continue;
    }
    self->last = c->at;
    if (u->claims == 0 || --u->claims > 0) continue;
    u->busy += hc_time_between(u->since, c->at);
    u->since = c->at;
  }
  return 0;
}

/* What a host was used by tasks, and in all, as shares of [0, T]. */
static void shares_of(const hc_metric *self, uint32_t host, double *by_tasks, double *by_all)
{
  const used *u = &self->hosts[host];
  int64_t busy = u->busy;
  hc_real_sum idle = u->idle;
  if (u->claims > 0) busy += HC_MAX(hc_time_between(u->since, self->last), 0);
  else add_load(self, host, u->since, self->last, &idle);
  *by_tasks = (double)busy / (double)self->last;
  *by_all = *by_tasks + hc_real_sum_value(idle) / (double)self->last;
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  const uint32_t n = self->machine.hosts;
  double mean = __builtin_nan(""), variance = mean, tasks = mean;
  if (n > 0 && self->last != HC_UNKNOWN && self->last > 0) {
    hc_real_sum by_tasks = {0}, by_all = {0}, squares = {0};
    double *all = hc_alloc(self->family.context.allocator, n * sizeof *all);
    if (!all) return HC_ENOMEM;
    for (uint32_t h = 0; h < n; h++) {
      double own;
      shares_of(self, h, &own, &all[h]);
      hc_real_sum_add(&by_tasks, own);
      hc_real_sum_add(&by_all, all[h]);
    }
    mean = hc_mean_real(by_all, n);
    tasks = hc_mean_real(by_tasks, n);
    for (uint32_t h = 0; h < n; h++) hc_real_sum_add(&squares, (all[h] - mean) * (all[h] - mean));
    variance = hc_mean_real(squares, n);
    hc_free(self->family.context.allocator, all, n * sizeof *all);
  }
  TRY(hc_find_real(f, "occupancy", "1", mean));
  TRY(hc_find_real(f, "occupancy_variance", "1", variance));
  return hc_find_real(f, "occupancy_tasks", "1", tasks);
}

static hc_rc visit(hc_metric *self, hc_visitor *v)
{
  HC_VISIT(v, self->last);
  return self->machine.hosts > 0 ? hc_visit_bytes(v, self->hosts, self->machine.hosts * sizeof *self->hosts)
                                 : 0;
}

static const hc_param params[] = {
    HC_PARAM(TEXT, options, dimension, "cpu", "Whose local load counts while a host has no task."),
    {.name = NULL},
};

static const char *const figures[] = {
    ("occupancy|1|higher|mean over hosts of (1/T) integral over [0, T] of u; u = 1 with a task, else local "
     "load"),
    "occupancy_variance|1|lower|variance over hosts of these means",
    "occupancy_tasks|1|higher|mean over hosts of the share of [0, T] with a task", NULL};

const hc_metric_type hc_metric_occupancy = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .name = "occupancy",
         .summary = "how much hosts are used at all: by tasks, or by their own local load",
         .detail =
             "u(t) of a host is 1 while a task holds anything of it, else the local load of `dimension` at "
             "t, whether or not that load takes anything from tasks; T is the last release. The integral is "
             "that of the piecewise constant load itself, not of samples. Without local load it is the share "
             "of time with a task. On a cell of processors there are no hosts and no figures.",
         .source = "Polezhaev, Study of parallel job scheduling algorithms using a simulator, 2010: U with "
                   "local load", .params = params, .options_size = sizeof(options),
         .figures = figures},
    HC_FAMILY_CALLS,
    .changes = changes,
};
