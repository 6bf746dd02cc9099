/* load.c -- components in shared objects.
 *
 * An object exports one symbol, hc_plugin_entry, which library.c checks and takes. Objects are opened with
 * their symbols kept to themselves (RTLD_LOCAL) and bound at once (RTLD_NOW), so that a missing symbol is
 * found here and not in mid-run. They stay open until the registry is freed. Code of a shared object can
 * do anything this process can: load only what you trust. */
#include <dlfcn.h>
#include <string.h>

#include "base/util.h"
#include "plugin/registry.h"

#define PATH_LIMIT ((size_t)4096)

/* Room for the object is made first, so that nothing can fail once its components are in. */
static hc_rc take(hc_registry *r, void *object, const char *path, hc_error *e)
{
  if (hc_reserve(r->allocator, (void **)&r->objects, &r->object_cap, r->object_count + 1, sizeof(void *)) < 0)
    return hc_fail(e, HC_ENOMEM, path, 0, 0, "out of memory for its components");
  TRY(hc_registry_take(r, (const hc_plugin *)dlsym(object, "hc_plugin_entry"), path, e));
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
  rc = take(r, object, path, e);
  if (rc < 0) (void)dlclose(object);
  return rc;
}

void hc_registry_unload(hc_registry *r)
{
  while (r->object_count > 0) (void)dlclose(r->objects[--r->object_count]);
}
