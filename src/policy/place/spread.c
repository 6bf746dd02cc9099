/* spread.c -- over failure domains: where the fewest tasks would be lost with what else fails there.
 *
 * A host is in some domains, which may overlap. Its crowd is the number of tasks on the worst of them, each
 * counted on every host that it is on (slots that have GPUs of one host one by one, as they are granted), and
 * the host with the least crowd wins; another placement decides among equals. So what the metric
 * failure_domains counts, the tasks lost with the worst domain, stays as small as one can keep it by looking
 * at one task at a time. Tasks that must be apart say so themselves (`differ`, limits on rivals): here the
 * tasks of every user count, and the slots of the task at hand do not.
 *
 * Cost: a walk over all domains whenever something was placed or ended, and a look at each host that fits. */
#include <string.h>

#include "base/mem.h"
#include "base/state.h"
#include "policy/place_by.h"
#include "policy/placing.h"

typedef struct options {
  const char *over;
  hc_chosen by;
} options;

struct hc_policy {
  hc_place_by by; /* first: place_by.h */
  const hc_allocator *allocator;
  const hc_cell_spec *cell;
  const hc_zone_level *level; /* NULL: sets, or hosts */
  uint64_t stamp;             /* of what is counted; 0: nothing is */
  uint64_t *tasks;            /* [domains] */
  size_t domains;
  uint64_t *crowd; /* [units] */
};

/* ---- counting ---- */

static void count_sets(hc_policy *self, const uint32_t *held)
{
  const hc_cell_spec *c = self->cell;
  for (uint32_t i = 0; i < c->set_count; i++) {
    const hc_host_set *s = &c->sets[i];
    uint64_t n = 0;
    if (!s->is_failure_domain) continue;
    for (size_t r = 0; r < s->host_count; r++)
      for (uint32_t k = 0; k < s->hosts[r].count; k++) n += held[s->hosts[r].first + k];
    for (size_t r = 0; r < s->host_count; r++)
      for (uint32_t k = 0; k < s->hosts[r].count; k++) {
        uint64_t *crowd = &self->crowd[s->hosts[r].first + k];
        *crowd = HC_MAX(*crowd, n);
      }
  }
}

static void count_zones(hc_policy *self, const uint32_t *held)
{
  const hc_zone_level *l = self->level;
  memset(self->tasks, 0, self->domains * sizeof *self->tasks);
  for (uint32_t h = 0; h < self->cell->units; h++)
    if (l->zone_of[h] != HC_NO_NAME) self->tasks[l->zone_of[h]] += held[h];
  for (uint32_t h = 0; h < self->cell->units; h++)
    if (l->zone_of[h] != HC_NO_NAME) self->crowd[h] = self->tasks[l->zone_of[h]];
}

static bool has_domains(const hc_cell_spec *c)
{
  for (uint32_t i = 0; i < c->set_count; i++)
    if (c->sets[i].is_failure_domain) return true;
  return false;
}

static void count(hc_policy *self, const hc_host_view *h)
{
  self->stamp = h->stamp;
  memset(self->crowd, 0, self->cell->units * sizeof *self->crowd);
  if (self->level) count_zones(self, h->held);
  else if (has_domains(self->cell)) count_sets(self, h->held);
  else
    for (uint32_t i = 0; i < self->cell->units; i++) self->crowd[i] = h->held[i];
}

/* ---- the choice ---- */

static double score(void *state, const hc_host_view *h)
{
  hc_policy *self = state;
  if (!h->held) return 0; /* a time in the future: what runs where is not known */
  if (h->stamp != self->stamp) count(self, h);
  return -(double)self->crowd[h->host];
}

static void chooser(const void *opts, hc_policy *self, hc_chooser *out)
{
  HC_UNUSED(opts);
  *out = hc_place_by_chooser(&self->by, score);
  out->reads_held = true;
}

/* ---- birth, state, death ---- */

static void fini(hc_policy *self)
{
  if (!self) return;
  hc_place_by_fini(&self->by);
  hc_free(self->allocator, self->tasks, self->domains * sizeof *self->tasks);
  if (self->crowd) hc_free(self->allocator, self->crowd, self->cell->units * sizeof *self->crowd);
  hc_free(self->allocator, self, sizeof *self);
}

static hc_rc find_level(hc_policy *self, const char *over, hc_error *e)
{
  for (uint32_t i = 0; i < self->cell->level_count; i++)
    if (strcmp(self->cell->levels[i].name, over) == 0) self->level = &self->cell->levels[i];
  if (self->level) return 0;
  return hc_fail(
      e, HC_EUSAGE, "place spread", 0, 0,
      "over: the cell has no level \"%.60s\" of zones; declare it, or leave `over` out to spread over its "
      "failure domains",
      over);
}

static hc_rc init(const hc_policy_context *c, const void *opts, hc_policy **out, hc_error *e)
{
  const options *o = opts;
  hc_policy *self = hc_alloc(c->allocator, sizeof *self);
  hc_rc rc = 0;
  if (!self) return hc_fail(e, HC_ENOMEM, "policy", 0, 0, "no memory for the state of a placement");
  self->allocator = c->allocator;
  self->cell = c->cell;
  if (c->cell && c->cell->granularity == HC_CELL_HOSTS) {
    if (o->over && o->over[0]) rc = find_level(self, o->over, e);
    if (rc == 0 && self->level) {
      self->domains = self->level->zone_count;
      self->tasks = hc_alloc(c->allocator, HC_MAX(self->domains, 1) * sizeof *self->tasks);
    }
    if (rc == 0) self->crowd = hc_alloc(c->allocator, c->cell->units * sizeof *self->crowd);
    if (rc == 0 && (!self->crowd || (self->level && !self->tasks)))
      rc = hc_fail(e, HC_ENOMEM, "policy", 0, 0, "no memory for the state of a placement");
  }
  if (rc == 0) rc = hc_place_by_open(&self->by, &o->by, c, "place spread", "equally crowded", e);
  if (rc < 0) {
    fini(self);
    return rc;
  }
  *out = self;
  return 0;
}

static hc_rc visit(hc_policy *self, hc_visitor *v)
{
  if (hc_visit_loading(v)) self->stamp = 0;
  return hc_place_by_visit(&self->by, v);
}

static const hc_param params[] = {
    HC_PARAM(TEXT, options, over, NULL,
             "Level of zones that are the domains, such as rack. Default: the sets of hosts that are "
             "declared as failure domains, or if there are none, the hosts."),
    HC_PARAM(COMPONENT, options, by, HC_KIND_PLACE, "best_fit",
             "The placement by whose score the best of equally crowded hosts is chosen."),
    {.name = NULL}};

const hc_place_type hc_place_spread = {
    .component =
        {HC_COMPONENT_HEAD(hc_place_type, HC_KIND_PLACE), .name = "spread",
         .summary = "the host on whose failure domains the fewest tasks are",
         .detail =
             "The crowd of a host is the greatest number of tasks on any domain that the host is in (domains "
             "may overlap; a host in no domain has crowd 0). The host with the least crowd is taken; among "
             "equals another placement decides. Tasks of all users count: a task once on each of its hosts, "
             "for each of its needs, or for each of its slots there that has a part of a GPU. Slots of the "
             "task that is being placed do not count: use `differ` to keep these apart." HC_LOWEST_TEXT,
         .source =
             "after Verma et al., Large-scale cluster management at Google with Borg, EuroSys 2015, section "
             "4",
         .params = params, .options_size = sizeof(options)},
    .place = hc_place_lowest,
    .chooser = chooser,
    .init = init,
    .arrived = hc_place_by_arrived,
    .visit = visit,
    .fini = fini,
};
