/* load.c -- components in shared objects.
 *
 * An object exports one symbol, hc_plugin_entry. Everything it says of itself is checked before any of its
 * functions is called, and its components are added all together or not at all. Objects are opened with
 * their symbols kept to themselves (RTLD_LOCAL) and bound at once (RTLD_NOW), so that a missing symbol is
 * found here and not in mid-run. They stay open until the registry is freed. Code of a shared object can
 * do anything this process can: load only what you trust. */
#include <dlfcn.h>
#include <string.h>

#include "base/util.h"
#include "plugin/registry.h"

#define COMPONENT_LIMIT 1024u
#define PATH_LIMIT ((size_t)4096)

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
    TRY(hc_registry_check(c, path, e));
    if (c->kind == HC_KIND_RUN)
      return hc_fail(e, HC_EUSAGE, path, 0, 0, "%s: the kind \"run\" is the program's own; choose another",
                     c->name);
    TRY(hc_registry_check_free(r, c, path, e));
    for (size_t i = 0; i < n; i++) {
      if (plugin->components[i]->kind == c->kind && strcmp(plugin->components[i]->name, c->name) == 0)
        return hc_fail(e, HC_EUSAGE, path, 0, 0,
                       "it brings two components of kind %s named \"%s\"; rename one", hc_kind_name(c->kind),
                       c->name);
    }
  }
  *count = n;
  return 0;
}

/* Room is made first, so that nothing can fail once the first component is in. */
static hc_rc take_components(hc_registry *r, void *object, const hc_plugin *plugin, const char *path,
                             hc_error *e)
{
  size_t count = 0;
  TRY(check_entry(plugin, path, e));
  TRY(check_components(r, plugin, path, &count, e));
  if (hc_registry_reserve(r, count) < 0 ||
      hc_reserve(r->allocator, (void **)&r->objects, &r->object_cap, r->object_count + 1, sizeof(void *)) < 0)
    return hc_fail(e, HC_ENOMEM, path, 0, 0, "out of memory for its components");
  for (size_t i = 0; i < count; i++) {
    hc_registry_list *l = &r->kinds[plugin->components[i]->kind];
    l->items[l->count++] = plugin->components[i];
  }
  r->objects[r->object_count++] = object;
  return 0;
}

hc_rc hc_registry_load(hc_registry *r, const char *path, hc_error *e)
{
  char local[PATH_LIMIT];
  void *object;
  hc_rc rc;
  if (strlen(path) + 3 > sizeof local) return hc_fail(e, HC_EIO, path, 0, 0, "the path is too long");
  memcpy(local, "./", 3); /* without a slash the system would look in its own directories, not in this one */
  memcpy(local + (strchr(path, '/') ? 0 : 2), path, strlen(path) + 1);
  object = dlopen(local, RTLD_LOCAL | RTLD_NOW);
  if (!object)
    return hc_fail(e, HC_EIO, path, 0, 0,
                   "cannot be loaded: %s; check the path, and build it with `cc -shared -fPIC`", dlerror());
  for (size_t i = 0; i < r->object_count; i++) {
    if (r->objects[i] != object) continue;
    (void)dlclose(object); /* it is in already; the system counts how often it was opened */
    return 0;
  }
  rc = take_components(r, object, (const hc_plugin *)dlsym(object, "hc_plugin_entry"), path, e);
  if (rc < 0) (void)dlclose(object);
  return rc;
}

void hc_registry_unload(hc_registry *r)
{
  while (r->object_count > 0) (void)dlclose(r->objects[--r->object_count]);
}
