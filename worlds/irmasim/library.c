/* library.c -- the closed world `irmasim` as a library of components: its world and its exporter.
 *
 * A workload manager is one file and one line in managers.def. */
#include <string.h>

#include "hindcast/output.h"
#include "hindcast/plugin.h"
#include "irmasim/irmasim.h"

extern const hc_world_type hc_world_irmasim;
extern const hc_exporter_type hc_exporter_irmasim;

#define HC_MANAGER(x) &hc_irm_manager_##x,
static const hc_irm_manager_type *const managers[] = {
#include "irmasim/managers.def"
    NULL};
#undef HC_MANAGER

const hc_irm_manager_type *hc_irm_manager_find(const char *name)
{
  for (size_t i = 0; managers[i]; i++)
    if (strcmp(managers[i]->name, name) == 0) return managers[i];
  return NULL;
}

static const hc_component *const components[] = {&hc_world_irmasim.component, &hc_exporter_irmasim.component,
                                                 NULL};

extern const hc_plugin hc_library_irmasim;
const hc_plugin hc_library_irmasim = {sizeof(hc_plugin), HC_ABI, "irmasim", components, NULL};
