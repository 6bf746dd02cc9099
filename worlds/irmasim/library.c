/* library.c -- the closed world `irmasim` as a library of components: its world and its exporter.
 *
 * A workload manager is one file and one line in managers.def, a model of contention in models.def. */
#include <stdarg.h>
#include <stdio.h>
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

#define HC_CONTENTION(x) &hc_irm_##x,
static const hc_irm_model *const models[] = {
#include "irmasim/models.def"
    NULL};
#undef HC_CONTENTION

const hc_irm_model *hc_irm_model_at(size_t i)
{
  return models[i];
}

hc_rc hc_irm_wrong(char why[HC_IRM_WHY], const char *format, ...)
{
  va_list list;
  va_start(list, format);
  (void)vsnprintf(why, HC_IRM_WHY, format, list);
  va_end(list);
  return HC_EINPUT;
}

static const hc_component *const components[] = {&hc_world_irmasim.component, &hc_exporter_irmasim.component,
                                                 NULL};

extern const hc_plugin hc_library_irmasim;
const hc_plugin hc_library_irmasim = {sizeof(hc_plugin), HC_ABI, "irmasim", components, NULL};
