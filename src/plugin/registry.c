/* registry.c -- the set of known components, by kind, each kind in the order of its list.
 *
 * A component is one file and one line in its room's .def list. Each list is read twice here: once to
 * declare, once to collect. The order of a list is the order in every listing. Looking a name up walks the
 * components of its kind: there are a few dozen, and it happens while a configuration is read, never
 * during a run. */
#include "plugin/registry.h"

#include <string.h>

#include "base/text.h"
#include "base/util.h"

/* ---- the built-in components ---- */

extern const hc_component hc_component_run;

#define HC_READER(x) extern const hc_reader_type hc_reader_##x;
#define HC_WRITER(x) extern const hc_writer_type hc_writer_##x;
#define HC_TRANSFORM(x) extern const hc_transform_type hc_transform_##x;
#define HC_CELL(x) extern const hc_cell_type hc_cell_##x;
#define HC_CLASS(x) extern const hc_component hc_class_##x;
#define HC_SET(x) extern const hc_component hc_set_##x;
#define HC_LEVEL(x) extern const hc_component hc_level_##x;
#define HC_EVENTS(x) extern const hc_events_type hc_events_##x;
#define HC_CHANGE(x) extern const hc_component hc_change_##x;
#define HC_LOAD(x) extern const hc_load_type hc_load_##x;
#define HC_ARCHITECTURE(x) extern const hc_architecture_type hc_architecture_##x;
#define HC_POLICY(x) extern const hc_policy_type hc_policy_##x;
#define HC_ORDER(x) extern const hc_order_type hc_order_##x;
#define HC_SELECT(x) extern const hc_select_type hc_select_##x;
#define HC_PLACE(x) extern const hc_place_type hc_place_##x;
#define HC_ELIGIBILITY(x) extern const hc_eligibility_type hc_eligibility_##x;
#define HC_ACCEPT(x) extern const hc_accept_type hc_accept_##x;
#define HC_PREEMPT(x) extern const hc_preempt_type hc_preempt_##x;
#define HC_POOL(x) extern const hc_component hc_pool_##x;
#define HC_SCHEDULER(x) extern const hc_component hc_scheduler_##x;
#define HC_METRIC(x) extern const hc_metric_type hc_metric_##x;
#define HC_TRIM(x) extern const hc_trim_type hc_trim_##x;
#define HC_EXPORTER(x) extern const hc_exporter_type hc_exporter_##x;
#define HC_COMPAT(x) extern const hc_compat_type hc_compat_##x;
#define HC_CARRIER(x) extern const hc_carrier_type hc_carrier_##x;
#define HC_WORLD(x) extern const hc_world_type hc_world_##x;
#define HC_WORKLOAD(x) extern const hc_component hc_workload_##x;
#define HC_ARRIVALS(x) extern const hc_arrivals_type hc_arrivals_##x;
#define HC_MOLD(x) extern const hc_mold_type hc_mold_##x;
#define HC_PREFILL(x) extern const hc_prefill_type hc_prefill_##x;
#include "architecture/architectures.def"
#include "architecture/schedulers.def"
#include "cluster/cells.def"
#include "cluster/changes.def"
#include "cluster/classes.def"
#include "cluster/events.def"
#include "cluster/levels.def"
#include "cluster/loads.def"
#include "cluster/sets.def"
#include "metric/metrics.def"
#include "metric/trims.def"
#include "mold/molds.def"
#include "omega/arrivals.def"
#include "omega/prefills.def"
#include "omega/workloads.def"
#include "omega/worlds.def"
#include "output/exporters.def"
#include "policy/accepts.def"
#include "policy/eligibilities.def"
#include "policy/orders.def"
#include "policy/places.def"
#include "policy/policies.def"
#include "policy/pools.def"
#include "policy/preempts.def"
#include "policy/selects.def"
#include "setup/compats.def"
#include "study/carriers.def"
#include "workload/generators.def"
#include "workload/readers.def"
#include "workload/transforms.def"
#include "workload/writers.def"
#undef HC_READER
#undef HC_WRITER
#undef HC_TRANSFORM
#undef HC_CELL
#undef HC_CLASS
#undef HC_SET
#undef HC_LEVEL
#undef HC_EVENTS
#undef HC_CHANGE
#undef HC_LOAD
#undef HC_ARCHITECTURE
#undef HC_POLICY
#undef HC_ORDER
#undef HC_SELECT
#undef HC_PLACE
#undef HC_ELIGIBILITY
#undef HC_ACCEPT
#undef HC_PREEMPT
#undef HC_POOL
#undef HC_SCHEDULER
#undef HC_METRIC
#undef HC_TRIM
#undef HC_EXPORTER
#undef HC_COMPAT
#undef HC_CARRIER
#undef HC_WORLD
#undef HC_WORKLOAD
#undef HC_ARRIVALS
#undef HC_PREFILL
#undef HC_MOLD

static const hc_component *const builtin[] = {
    &hc_component_run,
#define HC_READER(x) &hc_reader_##x.component,
#define HC_WRITER(x) &hc_writer_##x.component,
#define HC_TRANSFORM(x) &hc_transform_##x.component,
#define HC_CELL(x) &hc_cell_##x.component,
#define HC_CLASS(x) &hc_class_##x,
#define HC_SET(x) &hc_set_##x,
#define HC_LEVEL(x) &hc_level_##x,
#define HC_EVENTS(x) &hc_events_##x.component,
#define HC_CHANGE(x) &hc_change_##x,
#define HC_LOAD(x) &hc_load_##x.component,
#define HC_ARCHITECTURE(x) &hc_architecture_##x.component,
#define HC_POLICY(x) &hc_policy_##x.component,
#define HC_ORDER(x) &hc_order_##x.component,
#define HC_SELECT(x) &hc_select_##x.component,
#define HC_PLACE(x) &hc_place_##x.component,
#define HC_ELIGIBILITY(x) &hc_eligibility_##x.component,
#define HC_ACCEPT(x) &hc_accept_##x.component,
#define HC_PREEMPT(x) &hc_preempt_##x.component,
#define HC_POOL(x) &hc_pool_##x,
#define HC_SCHEDULER(x) &hc_scheduler_##x,
#define HC_METRIC(x) &hc_metric_##x.component,
#define HC_TRIM(x) &hc_trim_##x.component,
#define HC_EXPORTER(x) &hc_exporter_##x.component,
#define HC_COMPAT(x) &hc_compat_##x.component,
#define HC_CARRIER(x) &hc_carrier_##x.component,
#define HC_WORLD(x) &hc_world_##x.component,
#define HC_WORKLOAD(x) &hc_workload_##x,
#define HC_ARRIVALS(x) &hc_arrivals_##x.component,
#define HC_MOLD(x) &hc_mold_##x.component,
#define HC_PREFILL(x) &hc_prefill_##x.component,
#include "architecture/architectures.def"
#include "architecture/schedulers.def"
#include "cluster/cells.def"
#include "cluster/changes.def"
#include "cluster/classes.def"
#include "cluster/events.def"
#include "cluster/levels.def"
#include "cluster/loads.def"
#include "cluster/sets.def"
#include "metric/metrics.def"
#include "metric/trims.def"
#include "mold/molds.def"
#include "omega/arrivals.def"
#include "omega/prefills.def"
#include "omega/workloads.def"
#include "omega/worlds.def"
#include "output/exporters.def"
#include "policy/accepts.def"
#include "policy/eligibilities.def"
#include "policy/orders.def"
#include "policy/places.def"
#include "policy/policies.def"
#include "policy/pools.def"
#include "policy/preempts.def"
#include "policy/selects.def"
#include "setup/compats.def"
#include "study/carriers.def"
#include "workload/readers.def"
/* after the readers, of which the first reads what nothing is known of */
#include "workload/generators.def"
#include "workload/transforms.def"
#include "workload/writers.def"
};

/* ---- kinds ---- */

static const char *const kind_names[] = {
#define X(name, word, text) word,
    HC_KINDS(X)
#undef X
};

static const char *const kind_texts[] = {
#define X(name, word, text) text,
    HC_KINDS(X)
#undef X
};

const char *hc_kind_name(hc_kind k)
{
  return (unsigned)k < HC_KIND_COUNT ? kind_names[k] : "?";
}

const char *hc_kind_text(hc_kind k)
{
  return (unsigned)k < HC_KIND_COUNT ? kind_texts[k] : "?";
}

/* The plural of a word, as English makes it: order, orders; policy, policies; class, classes. */
static bool is_plural(const char *word, const char *one)
{
  size_t n = strlen(one);
  if (one[n - 1] == 's') return strncmp(word, one, n) == 0 && strcmp(word + n, "es") == 0;
  if (one[n - 1] == 'y') return strncmp(word, one, n - 1) == 0 && strcmp(word + n - 1, "ies") == 0;
  return strncmp(word, one, n) == 0 && strcmp(word + n, "s") == 0;
}

hc_kind hc_kind_find(const char *word)
{
  unsigned k = 0;
  while (k < HC_KIND_COUNT && strcmp(word, kind_names[k]) != 0 && !is_plural(word, kind_names[k])) k++;
  return (hc_kind)k;
}

/* ---- the registry ---- */

hc_rc hc_registry_empty(const hc_allocator *a, hc_registry **out)
{
  hc_registry *r = hc_alloc(a, sizeof *r);
  if (!r) return HC_ENOMEM;
  r->allocator = a;
  *out = r;
  return 0;
}

void hc_registry_free(hc_registry *r)
{
  if (!r) return;
  hc_registry_unload(r);
  for (size_t k = 0; k < HC_KIND_COUNT; k++)
    hc_free(r->allocator, r->kinds[k].items, r->kinds[k].cap * sizeof(const hc_component *));
  hc_free(r->allocator, r->objects, r->object_cap * sizeof(void *));
  hc_free(r->allocator, r, sizeof *r);
}

hc_rc hc_registry_reserve(hc_registry *r, size_t count)
{
  for (size_t k = 0; k < HC_KIND_COUNT; k++) {
    hc_registry_list *l = &r->kinds[k];
    TRY(hc_reserve(r->allocator, (void **)&l->items, &l->cap, l->count + count,
                   sizeof(const hc_component *)));
  }
  return 0;
}

static hc_rc add(hc_registry *r, const hc_component *c)
{
  hc_registry_list *l = &r->kinds[c->kind];
  TRY(hc_reserve(r->allocator, (void **)&l->items, &l->cap, l->count + 1, sizeof(const hc_component *)));
  l->items[l->count++] = c;
  return 0;
}

/* Built-in components are not checked at each start: a test checks every one of them. */
hc_rc hc_registry_new(const hc_allocator *a, hc_registry **out)
{
  hc_registry *r;
  TRY(hc_registry_empty(a, &r));
  for (size_t i = 0; i < HC_ARRAY_LEN(builtin); i++) {
    if (add(r, builtin[i]) < 0) {
      hc_registry_free(r);
      return HC_ENOMEM;
    }
  }
  *out = r;
  return 0;
}

/* Kinds whose component is a record: others read its options by heart, so that there can be only one. */
static bool is_record(hc_kind k)
{
  return k == HC_KIND_CLASS || k == HC_KIND_SET || k == HC_KIND_LEVEL || k == HC_KIND_CHANGE ||
         k == HC_KIND_POOL || k == HC_KIND_SCHEDULER || k == HC_KIND_WORKLOAD;
}

hc_rc hc_registry_check_free(const hc_registry *r, const hc_component *c, const char *where, hc_error *e)
{
  if (is_record(c->kind) && hc_registry_at(r, c->kind, 0))
    return hc_fail(e, HC_EUSAGE, where, 0, 0, "the kind %s has one component, and can have no other",
                   hc_kind_name(c->kind));
  if (!hc_registry_find(r, c->kind, c->name)) return 0;
  return hc_fail(e, HC_EUSAGE, where, 0, 0,
                 "the kind %s has a component \"%s\" already; give the new one another name",
                 hc_kind_name(c->kind), c->name);
}

hc_rc hc_registry_add(hc_registry *r, const hc_component *c, hc_error *e)
{
  TRY(hc_registry_check(c, "component", e));
  TRY(hc_registry_check_free(r, c, "component", e));
  if (add(r, c) < 0) return hc_fail(e, HC_ENOMEM, "component", 0, 0, "out of memory");
  return 0;
}

const hc_component *hc_registry_at(const hc_registry *r, hc_kind kind, size_t i)
{
  if ((unsigned)kind >= HC_KIND_COUNT || i >= r->kinds[kind].count) return NULL;
  return r->kinds[kind].items[i];
}

const hc_component *hc_registry_find(const hc_registry *r, hc_kind kind, const char *name)
{
  const hc_component *c;
  for (size_t i = 0; (c = hc_registry_at(r, kind, i)); i++) {
    if (strcmp(c->name, name) == 0) return c;
  }
  return NULL;
}

/* Near: at most a third of the word is wrong, and at most three edits. The first of equals. */
const char *hc_registry_nearest(const hc_registry *r, hc_kind kind, const char *name)
{
  const char *near = NULL;
  const hc_component *c;
  size_t best = HC_MIN((strlen(name) + 2) / 3, 3) + 1;
  for (size_t i = 0; (c = hc_registry_at(r, kind, i)); i++) {
    size_t distance = hc_edit_distance(name, c->name, best);
    if (distance >= best) continue;
    best = distance;
    near = c->name;
  }
  return near;
}
