/* failure_domains.c -- what is lost at worst if one failure domain goes down: tasks, and amounts claimed on
 * it.
 *
 * A domain is a set of hosts that is declared as one, or a zone of a level ("rack", "power"), or, where
 * there is neither, each host by itself. A task with several hosts in a domain is one task; one with hosts
 * in two domains is lost with either. Amounts are those claimed on the domain's hosts: what such a task
 * holds elsewhere is not counted. Cost: a look-up and O(log domains) for each domain that a host is in per
 * claim; memory for each task that runs. Source: the objective of spreading in Verma et al., EuroSys 2015,
 * as a figure. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "metric/family.h"
#include "metric/machine.h"
#include "metric/peak.h"
#include "metric/people.h"
#include "metric/sum128.h"

typedef struct options {
  hc_span_options spans;
  const char *level;
} options;

/* Columns, and what is followed of each domain: tasks, then each dimension. */
enum { TASKS, AMOUNTS };

struct hc_metric {
  hc_family family;
  hc_machine machine;
  hc_spans spans; /* columns: the worst of each quantity, then the sum of tasks over domains */
  hc_belonging domains;
  hc_peak *worst;    /* [quantities] over domains */
  hc_people *levels; /* [quantities] by domain */
  hc_map tasks;      /* serial x domains + domain -> claims there */
};

static uint32_t quantities(const hc_metric *self)
{
  return AMOUNTS + self->machine.dimensions;
}

static void fini(hc_metric *self)
{
  if (self) {
    const hc_allocator *a = self->family.context.allocator;
    uint32_t n = quantities(self);
    for (uint32_t q = 0; q < n && self->worst; q++) hc_peak_fini(&self->worst[q], a);
    for (uint32_t q = 0; q < n && self->levels; q++) hc_people_fini(&self->levels[q]);
    hc_free(a, self->worst, n * sizeof *self->worst);
    hc_free(a, self->levels, n * sizeof *self->levels);
    hc_map_fini(&self->tasks);
    hc_belonging_fini(&self->machine, &self->domains);
    hc_machine_fini(&self->machine);
    hc_spans_fini(&self->spans);
  }
  hc_family_free(self);
}

/* ---- domains ---- */

static const hc_zone_level *find_level(const hc_machine *m, const char *name)
{
  for (uint32_t i = 0; m->spec && i < m->spec->level_count; i++)
    if (strcmp(m->spec->levels[i].name, name) == 0) return &m->spec->levels[i];
  return NULL;
}

static hc_rc find_domains(hc_metric *self, const options *o, hc_error *e)
{
  const hc_machine *m = &self->machine;
  const hc_zone_level *level = o->level ? find_level(m, o->level) : NULL;
  if (level) return hc_belonging_of_level(m, level, &self->domains);
  if (o->level && m->spec)
    return hc_fail(e, HC_EUSAGE, "metric failure_domains", 0, 0,
                   "level: the cell has no zones of a level \"%.80s\"; name one that its hosts are in",
                   o->level);
  TRY(hc_belonging_of_sets(m, true, &self->domains));
  if (self->domains.groups > 0) return 0;
  hc_belonging_fini(m, &self->domains);
  return hc_belonging_of_level(m, NULL, &self->domains);
}

static hc_rc set_up(hc_metric *self, const options *o, hc_error *e)
{
  const hc_allocator *a = self->family.context.allocator;
  uint32_t n;
  hc_spans_init(&self->spans, a, &o->spans);
  hc_map_init(&self->tasks, a);
  TRY(hc_machine_init(&self->machine, &self->family.context));
  TRY(find_domains(self, o, e));
  n = quantities(self);
  self->worst = hc_alloc(a, n * sizeof *self->worst);
  self->levels = hc_alloc(a, n * sizeof *self->levels);
  if (!self->worst || !self->levels) return HC_ENOMEM;
  for (uint32_t q = 0; q < n; q++) hc_people_init(&self->levels[q], a, 0, 0);
  for (uint32_t q = 0; q < n; q++) TRY(hc_peak_init(&self->worst[q], a, HC_MAX(self->domains.groups, 1)));
  return hc_spans_widen(&self->spans, n + 1);
}

HC_FAMILY_INIT

/* ---- hearing ---- */

/* A quantity of a domain grows; the worst over domains follows. */
static hc_rc add(hc_metric *self, uint32_t quantity, uint32_t domain, hc_time t, int64_t more)
{
  hc_peak *p = &self->worst[quantity];
  int64_t value = hc_amount_plus(hc_peak_get(p, domain), more);
  size_t at;
  if (more == 0) return 0;
  hc_peak_set(p, domain, value);
  TRY(hc_people_find(&self->levels[quantity], &self->spans, domain, &at));
  TRY(hc_people_set(&self->levels[quantity], &self->spans, at, t, value));
  return hc_spans_set(&self->spans, quantity, t, hc_peak_most(p));
}

/* Is this the task's first claim in the domain, or was it its last? */
static hc_rc count_task(hc_metric *self, const hc_change *c, uint32_t domain)
{
  uint64_t key = c->serial * self->domains.groups + domain;
  uint32_t claims = hc_map_get(&self->tasks, key);
  size_t sum = quantities(self);
  int64_t more = c->kind == HC_CHANGE_CLAIMED ? 1 : -1;
  if (claims == HC_MAP_NONE) claims = 0;
  if (more < 0 && claims == 0) return 0; /* what was not taken */
  if (more > 0 || claims > 1) TRY(hc_map_set(&self->tasks, key, claims + (uint32_t)more));
  else hc_map_remove(&self->tasks, key);
  if (claims != (more > 0 ? 0 : 1)) return 0;
  TRY(hc_spans_set(&self->spans, sum, c->at, hc_spans_value(&self->spans, sum) + more));
  return add(self, TASKS, domain, c->at, more);
}

static hc_rc claim(hc_metric *self, const hc_change *c)
{
  for (size_t i = self->domains.first[c->host]; i < self->domains.first[c->host + 1]; i++) {
    uint32_t domain = self->domains.group[i];
    TRY(count_task(self, c, domain));
    for (uint32_t d = 0; d < self->machine.dimensions; d++) {
      int64_t amount = c->amount[self->machine.which[d]];
      TRY(add(self, AMOUNTS + d, domain, c->at,
              c->kind == HC_CHANGE_CLAIMED ? amount : hc_amount_minus(0, amount)));
    }
  }
  return 0;
}

static hc_rc changes(hc_metric *self, const hc_change *changes, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const hc_change *c = &changes[i];
    hc_spans_hear(&self->spans, c->at);
    if ((c->kind == HC_CHANGE_CLAIMED || c->kind == HC_CHANGE_RELEASED) &&
        hc_machine_has(&self->machine, c->host))
      TRY(claim(self, c));
  }
  return 0;
}

static hc_rc until(hc_metric *self, hc_time end)
{
  TRY(hc_spans_close(&self->spans, end));
  for (uint32_t q = 0; q < quantities(self); q++) hc_people_close(&self->levels[q], &self->spans);
  return 0;
}

/* ---- figures ---- */

static void name_of(const hc_metric *self, uint32_t quantity, char name[48])
{
  char buffer[32];
  if (quantity == TASKS) (void)snprintf(name, 48, "tasks");
  else
    (void)snprintf(name, 48, "%.30s_amount",
                   hc_machine_name(&self->machine, self->machine.which[quantity - AMOUNTS], buffer));
}

static const char *unit_of(const hc_metric *self, uint32_t quantity, double *per_unit)
{
  *per_unit = quantity == TASKS ? 1 : hc_machine_per_unit(self->machine.which[quantity - AMOUNTS]);
  return quantity == TASKS ? "tasks" : hc_machine_unit(self->machine.which[quantity - AMOUNTS]);
}

static hc_rc find_domains_of(hc_metric *self, hc_findings *f, uint32_t quantity)
{
  hc_people *p = &self->levels[quantity];
  char name[48], figure[64];
  double per_unit;
  const char *unit = unit_of(self, quantity, &per_unit);
  name_of(self, quantity, name);
  TRY(hc_people_order(p));
  for (size_t i = 0; i < p->count; i++) {
    const hc_person *x = hc_people_at(p, i);
    (void)snprintf(figure, sizeof figure, "%s_mean", name);
    TRY(hc_find_cell(f, "failure_domain", x->user, figure, unit, hc_people_mean(x, &self->spans) / per_unit));
    (void)snprintf(figure, sizeof figure, "%s_max", name);
    TRY(hc_find_cell(f, "failure_domain", x->user, figure, unit, (double)x->level.most / per_unit));
  }
  return 0;
}

static hc_rc find_whole(const hc_metric *self, hc_findings *f)
{
  const hc_spans *s = &self->spans;
  double per_unit, domains = (double)self->domains.groups;
  char name[48], figure[96];
  for (uint32_t q = 0; q < quantities(self); q++) {
    const char *unit = unit_of(self, q, &per_unit);
    name_of(self, q, name);
    (void)snprintf(figure, sizeof figure, "failure_domains_%s_mean", name);
    TRY(hc_find_real(f, figure, unit, hc_spans_mean_total(s, q) / per_unit));
    (void)snprintf(figure, sizeof figure, "failure_domains_%s_max", name);
    TRY(hc_find_real(f, figure, unit, (double)s->levels[q].most / per_unit));
  }
  return hc_find_real(f, "failure_domains_tasks_average", "tasks",
                      hc_spans_mean_total(s, quantities(self)) / domains);
}

static hc_rc find_row(const hc_metric *self, hc_findings *f, size_t row)
{
  const hc_spans *s = &self->spans;
  double per_unit;
  char name[48];
  TRY(hc_spans_find_until(s, row, f, "failure_domains"));
  for (uint32_t q = 0; q < quantities(self); q++) {
    const char *unit = unit_of(self, q, &per_unit);
    name_of(self, q, name);
    TRY(hc_find_cell(f, "failure_domains", hc_spans_key(s, row), name, unit,
                     hc_spans_mean(s, row, q) / per_unit));
  }
  return 0;
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  TRY(find_whole(self, f));
  for (uint32_t q = 0; q < quantities(self); q++) TRY(find_domains_of(self, f, q));
  for (size_t r = 0; r < self->spans.rows; r++) TRY(find_row(self, f, r));
  return 0;
}

/* The trees are made again from the levels. */
static hc_rc visit(hc_metric *self, hc_visitor *v)
{
  TRY(hc_spans_visit(&self->spans, v));
  TRY(hc_map_visit(&self->tasks, v));
  for (uint32_t q = 0; q < quantities(self); q++) {
    hc_people *p = &self->levels[q];
    TRY(hc_people_visit(p, v));
    if (p->count > self->domains.groups) return HC_EINPUT;
    for (size_t i = 0; i < p->count && hc_visit_loading(v); i++) {
      if ((uint64_t)p->items[i].user >= self->domains.groups) return HC_EINPUT;
      hc_peak_set(&self->worst[q], (size_t)p->items[i].user, p->items[i].level.value);
    }
  }
  return self->spans.columns == quantities(self) + 1 ? 0 : HC_EINPUT;
}

static const hc_param params[] = {
    HC_SPAN_PARAMS(options, spans),
    HC_PARAM(TEXT, options, level, NULL,
             "Zones of this level are the domains, whatever sets are declared as such."),
    {.name = NULL},
};

#define AMOUNT "cores, B, GPUs, units"

static const char *const figures[] = {
    "failure_domains_tasks_mean|tasks|lower|mean over time of the tasks lost if the worst domain goes down",
    "failure_domains_tasks_max|tasks|lower|the most for any time",
    "failure_domains_tasks_average|tasks|lower|mean over time and domains of the tasks lost with a domain",
    "failure_domains_*_amount_mean|" AMOUNT
    "|lower|mean over time of what is claimed on the domain with most of it",
    "failure_domains_*_amount_max|" AMOUNT "|lower|the most for any time",
    "failure_domain.tasks_mean|tasks|lower|mean of the tasks on a domain; the key is its number, from 0",
    "failure_domain.tasks_max|tasks|lower|the most for any time",
    "failure_domain.*_amount_mean|" AMOUNT "|lower|mean of what is claimed on it",
    "failure_domain.*_amount_max|" AMOUNT "|lower|the most for any time",
    "failure_domains.until|s|none|where the piece of time ends; the key is where it begins",
    "failure_domains.tasks|tasks|lower|mean over it of the tasks lost if the worst domain goes down",
    "failure_domains.*_amount|" AMOUNT "|lower|mean over it of what is claimed on the domain with most of it",
    NULL,
};

const hc_metric_type hc_metric_failure_domains = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "failure_domains",
         .summary = "tasks and amounts lost at worst if one failure domain goes down",
         .detail =
             "Domains are the sets of hosts declared as such, in their order; or the zones of `level`; or, "
             "where there is neither, the hosts. A task counts once in each domain in which it has a host; "
             "amounts are what is claimed on the domain's hosts. A domain on which nothing ever ran has no "
             "row. On a cell of processors there are no domains." HC_SPANS_TEXT,
         .source =
             "after Verma et al., Large-scale cluster management at Google with Borg, EuroSys 2015, section "
             "4",
         .params = params, .options_size = sizeof(options)},
    HC_FAMILY_CALLS,
    .changes = changes,
    .until = until,
};
