/* registry.h -- what the files of this room share: the registry's inside, and the check of a component. */
#ifndef HC_PLUGIN_REGISTRY_H
#define HC_PLUGIN_REGISTRY_H

#include "base/mem.h"
#include "hindcast/plugin.h"

/** The kinds of the program itself; ends with a row without word. */
extern const hc_kind_type hc_core_kinds[];

/** Libraries of components that are built in; ends with NULL. */
extern const hc_plugin *const hc_built_in_libraries[];

typedef struct hc_registry_list {
  const hc_kind_type *type; /* NULL: there is no such kind */
  const hc_component **items;
  size_t count, cap;
} hc_registry_list;

struct hc_registry {
  const hc_allocator *allocator;
  hc_registry_list kinds[HC_KIND_LIMIT];
  void **objects; /* loaded shared objects, as dlopen gave them */
  size_t object_count, object_cap;
};

/** A registry with nothing in it. */
hc_rc hc_registry_empty(const hc_allocator *a, hc_registry **out);
/** Is a component complete: size, ABI, name, functions, a sane table of parameters?
 *  @param r has its kind. @param where who brings it, for the message.
 *  @return 0, HC_EVERSION, HC_EUSAGE. */
hc_rc hc_registry_check(const hc_registry *r, const hc_component *c, const char *where, hc_error *e);
/** Is its name free? @return 0 or HC_EUSAGE. */
hc_rc hc_registry_check_free(const hc_registry *r, const hc_component *c, const char *where, hc_error *e);
/** Make room so that `count` more components of any kinds can be added without failing. */
hc_rc hc_registry_reserve(hc_registry *r, size_t count);
/** Close the shared objects. */
void hc_registry_unload(hc_registry *r);

#endif
