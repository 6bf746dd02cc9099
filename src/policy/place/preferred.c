/* preferred.c -- hosts that are preferred, and others where there are none: node affinity that is not
 * required.
 *
 * A host's score is a sum of weights: one where the task itself names the host as preferred, or else one
 * where it names its zone, or another host of that (`prefers` of its trace); and that of each term that is
 * true of the host, for all tasks: its name, a zone or a set that it is in, or a feature that it has. A
 * term of negative weight keeps tasks off as long as there are others: a taint of the effect
 * PreferNoSchedule. Among equals another placement decides. Of a task that prefers nothing only the terms
 * count.
 *
 * Terms are added up once. Cost: for each host that fits a look-up for each name that the task prefers.
 * Source: Kubernetes, NodeAffinity and TaintToleration as scores. */
#include "policy/preferred.h"

#include <string.h>

#include "base/state.h"
#include "policy/place_by.h"
#include "policy/placing.h"

typedef struct options {
  hc_list terms; /* const char *: "ssd=50" */
  double host, zone;
  const char *level;
  hc_chosen by;
} options;

struct hc_policy {
  hc_place_by by; /* first: place_by.h */
  const hc_allocator *allocator;
  const options *o;
  hc_preferred names;
  double *terms; /* [units]; NULL: there are none */
  size_t term_count;
};

/* ---- the choice ---- */

static double score(void *state, const hc_host_view *h)
{
  hc_policy *self = state;
  double sum = self->terms ? self->terms[h->host] : 0;
  if (h->prefer_count == 0 || !self->names.cell) return sum;
  switch (hc_preferred_of(&self->names, h->prefers, h->prefer_count, h->host)) {
    case HC_NEAR_HOST: sum += self->o->host; break;
    case HC_NEAR_RACK: sum += self->o->zone; break;
    case HC_NEAR_NOT:
    case HC_NEAR_UNSAID: break;
  }
  return sum;
}

static void chooser(const void *opts, hc_policy *self, hc_chooser *out)
{
  HC_UNUSED(opts);
  *out = hc_place_by_chooser(&self->by, score);
}

/* ---- terms ---- */

typedef struct term {
  const char *name;
  size_t length;
  double weight;
} term;

static bool is(const term *t, const char *name)
{
  return strlen(name) == t->length && memcmp(name, t->name, t->length) == 0;
}

static bool has_feature(const hc_host_class *class, const hc_lexicon *lexicon, const term *t)
{
  for (uint32_t k = 0; k < class->attribute_count; k++)
    if (is(t, hc_lexicon_text(lexicon, class->attributes[k].name))) return true;
  return false;
}

static bool is_in_zone(const hc_cell_spec *c, uint32_t host, const term *t)
{
  for (uint32_t i = 0; i < c->level_count; i++) {
    const uint32_t zone = c->levels[i].zone_of[host];
    if (zone != HC_NO_NAME && is(t, c->levels[i].zone_names[zone])) return true;
  }
  return false;
}

static bool is_in_set(const hc_cell_spec *c, uint32_t host, const term *t)
{
  for (uint32_t i = 0; i < c->set_count; i++) {
    if (!is(t, c->sets[i].name)) continue;
    for (size_t r = 0; r < c->sets[i].host_count; r++)
      if (host >= c->sets[i].hosts[r].first && host - c->sets[i].hosts[r].first < c->sets[i].hosts[r].count)
        return true;
  }
  return false;
}

static hc_rc add_term(hc_policy *self, const hc_policy_context *c, const term *t, hc_error *e)
{
  bool is_any = false;
  for (uint32_t h = 0; h < c->cell->units; h++) {
    if (!is(t, c->cell->host_names[h]) && !is_in_zone(c->cell, h, t) && !is_in_set(c->cell, h, t) &&
        !has_feature(&c->cell->classes[c->cell->class_of[h]], c->lexicon, t))
      continue;
    self->terms[h] += t->weight;
    is_any = true;
  }
  if (is_any) return 0;
  return hc_fail(
      e, HC_EUSAGE, "place preferred", 0, 0,
      "terms: `%.*s` is no host, no zone, no set and no feature of any host; name one of the cell, "
      "as in terms: [ssd=50]",
      (int)HC_MIN(t->length, 80), t->name);
}

static hc_rc read_term(const char *text, term *out, hc_error *e)
{
  const char *equal = strrchr(text, '=');
  *out = (term){.name = text, .length = equal ? (size_t)(equal - text) : 0};
  if (equal && equal != text && hc_parse_real(equal + 1, strlen(equal + 1), &out->weight) == 0 &&
      out->weight >= -1e9 && out->weight <= 1e9)
    return 0;
  return hc_fail(
      e, HC_EUSAGE, "place preferred", 0, 0,
      "terms: \"%.80s\" is no weight of anything; write NAME=WEIGHT, such as ssd=50, or slow=-10 for "
      "hosts to keep off",
      text);
}

static hc_rc read_terms(hc_policy *self, const hc_policy_context *c, hc_error *e)
{
  const hc_list *terms = &self->o->terms;
  if (terms->count == 0) return 0;
  if (!c->cell || c->cell->granularity != HC_CELL_HOSTS)
    return hc_fail(e, HC_EUNSUPPORTED, "place preferred", 0, 0,
                   "terms are of hosts, and this cell has none: use a cell of hosts");
  self->term_count = c->cell->units;
  self->terms = hc_alloc(c->allocator, self->term_count * sizeof *self->terms);
  if (!self->terms) return hc_fail(e, HC_ENOMEM, "policy", 0, 0, "no memory for the state of a placement");
  for (size_t i = 0; i < terms->count; i++) {
    term t;
    TRY(read_term(((const char *const *)terms->items)[i], &t, e));
    TRY(add_term(self, c, &t, e));
  }
  return 0;
}

/* ---- birth, state, death ---- */

static void fini(hc_policy *self)
{
  if (!self) return;
  hc_place_by_fini(&self->by);
  hc_preferred_fini(&self->names);
  hc_free(self->allocator, self->terms, self->term_count * sizeof *self->terms);
  hc_free(self->allocator, self, sizeof *self);
}

/* The level whose zones tasks may prefer: the first, if none is said. */
static hc_rc find_level(const hc_cell_spec *cell, const char *name, const hc_zone_level **out, hc_error *e)
{
  const bool is_said = name && name[0];
  *out = NULL;
  for (uint32_t i = 0; cell && i < cell->level_count && !*out; i++)
    if (!is_said || strcmp(cell->levels[i].name, name) == 0) *out = &cell->levels[i];
  if (*out || !is_said) return 0;
  return hc_fail(
      e, HC_EUSAGE, "place preferred", 0, 0,
      "level: the cell has no level \"%.60s\" of zones; declare it, or leave `level` out for the first",
      name);
}

static hc_rc init(const hc_policy_context *c, const void *opts, hc_policy **out, hc_error *e)
{
  const options *o = opts;
  const hc_zone_level *level;
  hc_policy *self;
  hc_rc rc;
  TRY(find_level(c->cell, o->level, &level, e));
  self = hc_alloc(c->allocator, sizeof *self);
  if (!self) return hc_fail(e, HC_ENOMEM, "policy", 0, 0, "no memory for the state of a placement");
  *self = (hc_policy){.allocator = c->allocator, .o = o};
  hc_preferred_init(&self->names, c, level);
  rc = read_terms(self, c, e);
  if (rc == 0) rc = hc_place_by_open(&self->by, &o->by, c, "place preferred", "equally preferred", e);
  if (rc < 0) fini(self);
  else *out = self;
  return rc;
}

static hc_rc visit(hc_policy *self, hc_visitor *v)
{
  return hc_place_by_visit(&self->by, v);
}

static const hc_param params[] = {
    HC_PARAM(REAL, options, host, "1", "100", 0, 1e9,
             "Weight of a host that the task prefers by name (`prefers` of its trace)."),
    HC_PARAM(REAL, options, zone, "1", "50", 0, 1e9,
             "Weight of a host that the task does not prefer by name, but whose zone, or another host of "
             "that zone, it prefers."),
    HC_PARAM(TEXT, options, level, NULL,
             "The level of zones that `zone` is about. Default: the first that the cell has."),
    HC_PARAM(
        TEXTS, options, terms, NULL,
        "What all tasks prefer in addition: NAME=WEIGHT of a feature, a zone, a set of hosts or a host, such "
        "as [ssd=50, old=-10]; the weights of all that are true of a host are added up. Default: nothing."),
    HC_PARAM(COMPONENT, options, by, HC_KIND_PLACE, "best_fit",
             "The placement by whose score the best of equally preferred hosts is chosen."),
    {.name = NULL}};

const hc_place_type hc_place_preferred = {
    .component =
        {HC_COMPONENT_HEAD(hc_place_type, HC_KIND_PLACE), .name = "preferred",
         .summary = "the host that the task prefers, or, if there is none, another one",
         .detail =
             "Score of a host: the weight of `host` if the task names it (`prefers`, a key of native tasks "
             "and a column of csv), else that of `zone` if it names the host's zone or a host in that zone; "
             "plus the weights of those `terms` that are true of the host. Among equals another placement "
             "decides. Requirements of a task are its constraints, not preferences. As one score among "
             "others: place: {use: weighted, of: [least_allocated, preferred], weights: [1, 2]}."
             HC_LOWEST_TEXT,
         .source = "Kubernetes: preferredDuringSchedulingIgnoredDuringExecution of node affinity; taints of "
                   "effect PreferNoSchedule",
         .params = params, .options_size = sizeof(options)},
    .place = hc_place_lowest,
    .chooser = chooser,
    .init = init,
    .arrived = hc_place_by_arrived,
    .visit = visit,
    .fini = fini,
};
