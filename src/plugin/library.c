/* library.c -- a library of components, built in or in a shared object, is taken whole or not at all.
 *
 * Everything that it says of itself is checked before any of its functions is called: its ABI, its kinds, its
 * components. Its kinds come first, since its components may be of them. Room is made before the first
 * component is in, so that nothing can fail after that. */
#include <string.h>

#include "base/util.h"
#include "plugin/registry.h"

#define COMPONENT_LIMIT 1024u

static hc_rc check_entry(const hc_plugin *plugin, const char *path, hc_error *e)
{
  if (!plugin)
    return hc_fail(
        e, HC_EUSAGE, path, 0, 0,
        "a shared object, but not one of hindcast's: it has no symbol hc_plugin_entry; define `HC_API const "
        "hc_plugin hc_plugin_entry = {...}` (hindcast/plugin.h)");
  if (plugin->abi != HC_ABI)
    return hc_fail(e, HC_EVERSION, path, 0, 0,
                   "made for ABI %u; this is ABI %u: build it again with the headers of hindcast %s",
                   plugin->abi, HC_ABI, HC_VERSION);
  if (plugin->size < sizeof *plugin)
    return hc_fail(
        e, HC_EVERSION, path, 0, 0,
        "its hc_plugin_entry has %u bytes, %zu are needed; set .size = sizeof(hc_plugin) and build it again",
        plugin->size, sizeof *plugin);
  if (!plugin->name || !plugin->name[0] || !plugin->components || !plugin->components[0])
    return hc_fail(e, HC_EUSAGE, path, 0, 0, "its hc_plugin_entry has no name or no components; set both");
  return 0;
}

/* @param count out: how many there are. */
static hc_rc check_components(const hc_registry *r, const hc_plugin *plugin, const char *path, size_t *count,
                              hc_error *e)
{
  size_t n = 0;
  for (; plugin->components[n]; n++) {
    const hc_component *c = plugin->components[n];
    if (n == COMPONENT_LIMIT)
      return hc_fail(e, HC_EUSAGE, path, 0, 0, "more than %u components; does their list end with NULL?",
                     COMPONENT_LIMIT);
    TRY(hc_registry_check(r, c, path, e));
    if (c->kind == HC_KIND_RUN)
      return hc_fail(e, HC_EUSAGE, path, 0, 0, "%s: the kind \"run\" is the program's own; choose another",
                     c->name);
    TRY(hc_registry_check_free(r, c, path, e));
    for (size_t i = 0; i < n; i++) {
      if (plugin->components[i]->kind == c->kind && strcmp(plugin->components[i]->name, c->name) == 0)
        return hc_fail(e, HC_EUSAGE, path, 0, 0,
                       "it brings two components of kind %s named \"%s\"; rename one",
                       hc_kind_name(r, c->kind), c->name);
    }
  }
  *count = n;
  return 0;
}

static hc_rc check_kinds(const hc_registry *r, const hc_plugin *plugin, const char *path, hc_error *e)
{
  for (const hc_kind_type *k = plugin->kinds; k && k->word; k++) {
    const hc_kind_type *other = hc_registry_kind(r, k->kind);
    if (k->kind < HC_KIND_OWN || k->kind >= HC_KIND_LIMIT || k->size < sizeof(hc_component) || !k->text)
      return hc_fail(
          e, HC_EUSAGE, path, 0, 0,
          "its kind \"%s\" has no text, no size, or a number that is not from %d to %d; see hc_kind_type",
          k->word, HC_KIND_OWN, HC_KIND_LIMIT - 1);
    if (other)
      return hc_fail(e, HC_EUSAGE, path, 0, 0,
                     "its kind \"%s\" has the number of the kind \"%s\"; take another", k->word, other->word);
    if (hc_kind_find(r, k->word) != HC_KIND_LIMIT)
      return hc_fail(e, HC_EUSAGE, path, 0, 0, "there is a kind \"%s\" already; name it otherwise", k->word);
  }
  return 0;
}

static void add_kinds(hc_registry *r, const hc_plugin *plugin, bool take)
{
  for (const hc_kind_type *k = plugin->kinds; k && k->word; k++) r->kinds[k->kind].type = take ? k : NULL;
}

hc_rc hc_registry_take(hc_registry *r, const hc_plugin *plugin, const char *where, hc_error *e)
{
  size_t count = 0;
  hc_rc rc;
  TRY(check_entry(plugin, where, e));
  TRY(check_kinds(r, plugin, where, e));
  add_kinds(r, plugin, true);
  rc = check_components(r, plugin, where, &count, e);
  if (rc >= 0 && hc_registry_reserve(r, count) < 0)
    rc = hc_fail(e, HC_ENOMEM, where, 0, 0, "out of memory for its components");
  if (rc < 0) {
    add_kinds(r, plugin, false);
    return rc;
  }
  for (size_t i = 0; i < count; i++) {
    hc_registry_list *l = &r->kinds[plugin->components[i]->kind];
    l->items[l->count++] = plugin->components[i];
  }
  return 0;
}
