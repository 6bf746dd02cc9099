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

/* ---- what cannot be loaded ---- */

/* The symbol that an error of the system says is missing: glibc has it behind "undefined symbol: ", musl
 * before ": symbol not found". @return its length, 0 if the error is another one */
static size_t missing_symbol(const char *said, const char **symbol)
{
  static const char before[] = "undefined symbol: ", behind[] = ": symbol not found";
  const char *at = strstr(said, before), *end;
  if (at) {
    *symbol = at + sizeof before - 1;
    return strcspn(*symbol, ", \t\n");
  }
  end = strstr(said, behind);
  if (!end) return 0;
  for (at = end; at > said && at[-1] != ' '; at--) continue;
  *symbol = at;
  return (size_t)(end - at);
}

/* What a shared object calls in place of a function of the library. */
static const struct {
  const char *begin, *instead; /* of names */
} instead_of[] = {
    {"hc_fail", "hc_plugin_fail (hindcast/plugin.h)"},
    {"hc_visit_", "hc_visitor_calls_of(v)->bytes, array and loading (hindcast/component.h)"},
    {"hc_parse_", "the `numbers` of its context (hc_number_calls in hindcast/base.h)"},
    {"hc_format_", "the `numbers` of its context (hc_number_calls in hindcast/base.h)"},
    {"hc_calendar_of", "the `numbers` of its context (hc_number_calls in hindcast/base.h)"},
    {"hc_default_allocator", "the `allocator` of its context"},
};

static hc_rc calls_library(const char *path, const char *symbol, int n, hc_error *e)
{
  const char *instead = "what the headers define, and what its context gives it";
  for (size_t i = 0; i < HC_ARRAY_LEN(instead_of); i++) {
    const char *begin = instead_of[i].begin;
    if (strncmp(symbol, begin, strlen(begin)) == 0) instead = instead_of[i].instead;
  }
  return hc_fail(e, HC_EIO, path, 0, 0,
                 "cannot be loaded: it calls %.*s, a function of the library, and shared objects are linked "
                 "against nothing of Hindcast: call %s in its place",
                 n, symbol, instead);
}

static hc_rc cannot_load(const char *path, const char *said, hc_error *e)
{
  const char *symbol;
  const int n = (int)HC_MIN(missing_symbol(said, &symbol), (size_t)80);
  if (n == 0)
    return hc_fail(e, HC_EIO, path, 0, 0,
                   "cannot be loaded: %s; check the path, and build it with `cc -shared -fPIC`", said);
  if (n > 3 && memcmp(symbol, "hc_", 3) == 0) return calls_library(path, symbol, n, e);
  return hc_fail(e, HC_EIO, path, 0, 0,
                 "cannot be loaded: it calls %.*s, which no library has that it is linked against: name that "
                 "library where it is built, as -lm",
                 n, symbol);
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
  if (!object) return cannot_load(path, dlerror(), e);
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
