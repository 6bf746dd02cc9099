/* registry.c -- the set of known components, by kind, each kind in the order of its list.
 *
 * A component is one file and one line in its room's .def list; parts.def gathers the lists. Libraries of
 * components that are built in, closed worlds and the carriers of studies, are taken as those of shared
 * objects are, after all others (libraries.c). Looking a name up walks the components of its kind: there are
 * a few dozen, and it happens while a configuration is read, never during a run. */
#include "plugin/registry.h"

#include <string.h>

#include "base/text.h"
#include "base/util.h"
#include "hindcast/architecture.h"
#include "hindcast/execution.h"
#include "hindcast/metric.h"
#include "hindcast/network.h"
#include "hindcast/output.h"
#include "hindcast/placement.h"
#include "hindcast/predictor.h"
#include "hindcast/profile.h"
#include "hindcast/setup.h"
#include "hindcast/sharing.h"
#include "hindcast/workload.h"
#include "hindcast/world.h"

/* ---- the built-in components ---- */

extern const hc_component hc_component_run;
#define PART(type, kind, x) extern const type hc_##kind##_##x;
#include "plugin/parts.def"
#undef PART
#define PART(type, kind, x) (const hc_component *)&hc_##kind##_##x,
static const hc_component *const builtin[] = {&hc_component_run,
#include "plugin/parts.def"
                                              NULL};
#undef PART

/* ---- kinds ---- */

const hc_kind_type *hc_registry_kind(const hc_registry *r, hc_kind k)
{
  return (unsigned)k < HC_KIND_LIMIT ? r->kinds[k].type : NULL;
}

const char *hc_kind_name(const hc_registry *r, hc_kind k)
{
  const hc_kind_type *type = hc_registry_kind(r, k);
  return type ? type->word : "?";
}

/* The plural of a word, as English makes it: order, orders; policy, policies; class, classes. */
static bool is_plural(const char *word, const char *one)
{
  size_t n = strlen(one);
  if (one[n - 1] == 's') return strncmp(word, one, n) == 0 && strcmp(word + n, "es") == 0;
  if (one[n - 1] == 'y') return strncmp(word, one, n - 1) == 0 && strcmp(word + n - 1, "ies") == 0;
  return strncmp(word, one, n) == 0 && strcmp(word + n, "s") == 0;
}

hc_kind hc_kind_find(const hc_registry *r, const char *word)
{
  unsigned k = 0;
  for (; k < HC_KIND_LIMIT; k++) {
    const hc_kind_type *type = hc_registry_kind(r, (hc_kind)k);
    if (type && (strcmp(word, type->word) == 0 || is_plural(word, type->word))) break;
  }
  return (hc_kind)k;
}

/* ---- the registry ---- */

hc_rc hc_registry_empty(const hc_allocator *a, hc_registry **out)
{
  hc_registry *r = hc_alloc(a, sizeof *r);
  if (!r) return HC_ENOMEM;
  r->allocator = a;
  for (const hc_kind_type *k = hc_core_kinds; k->word; k++) r->kinds[k->kind].type = k;
  *out = r;
  return 0;
}

void hc_registry_free(hc_registry *r)
{
  if (!r) return;
  hc_registry_unload(r);
  for (size_t k = 0; k < HC_KIND_LIMIT; k++)
    hc_free(r->allocator, r->kinds[k].items, r->kinds[k].cap * sizeof(const hc_component *));
  hc_free(r->allocator, r->objects, r->object_cap * sizeof(void *));
  hc_free(r->allocator, r, sizeof *r);
}

hc_rc hc_registry_reserve(hc_registry *r, size_t count)
{
  for (size_t k = 0; k < HC_KIND_LIMIT; k++) {
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

static hc_rc add_built_in(hc_registry *r)
{
  hc_error unsaid = {0};
  for (size_t i = 0; builtin[i]; i++) TRY(add(r, builtin[i]));
  for (const hc_plugin *const *l = hc_built_in_libraries; *l; l++)
    TRY(hc_registry_take(r, *l, (*l)->name, &unsaid));
  return 0;
}

/* Built-in components are not checked at each start: a test checks every one of them. */
hc_rc hc_registry_new(const hc_allocator *a, hc_registry **out)
{
  hc_registry *r;
  TRY(hc_registry_empty(a, &r));
  if (add_built_in(r) < 0) {
    hc_registry_free(r);
    return HC_ENOMEM;
  }
  *out = r;
  return 0;
}

hc_rc hc_registry_check_free(const hc_registry *r, const hc_component *c, const char *where, hc_error *e)
{
  const hc_kind_type *kind = hc_registry_kind(r, c->kind);
  if (kind && kind->is_record && hc_registry_at(r, c->kind, 0))
    return hc_fail(e, HC_EUSAGE, where, 0, 0, "the kind %s has one component, and can have no other",
                   kind->word);
  if (!hc_registry_find(r, c->kind, c->name)) return 0;
  return hc_fail(e, HC_EUSAGE, where, 0, 0,
                 "the kind %s has a component \"%s\" already; give the new one another name",
                 hc_kind_name(r, c->kind), c->name);
}

hc_rc hc_registry_add(hc_registry *r, const hc_component *c, hc_error *e)
{
  TRY(hc_registry_check(r, c, "component", e));
  TRY(hc_registry_check_free(r, c, "component", e));
  if (add(r, c) < 0) return hc_fail(e, HC_ENOMEM, "component", 0, 0, "out of memory");
  return 0;
}

const hc_component *hc_registry_at(const hc_registry *r, hc_kind kind, size_t i)
{
  if ((unsigned)kind >= HC_KIND_LIMIT || i >= r->kinds[kind].count) return NULL;
  return r->kinds[kind].items[i];
}

/* Texts of profiles are resolved by the million: most names differ in their first letter. */
const hc_component *hc_registry_find(const hc_registry *r, hc_kind kind, const char *name)
{
  if ((unsigned)kind >= HC_KIND_LIMIT) return NULL;
  const hc_registry_list *l = &r->kinds[kind];
  for (size_t i = 0; i < l->count; i++)
    if (l->items[i]->name[0] == name[0] && strcmp(l->items[i]->name, name) == 0) return l->items[i];
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
