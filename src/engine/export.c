/* export.c -- runs an exporter with options that are resolved as those of any other component. */
#include <string.h>

#include "base/util.h"
#include "engine/config.h"

static hc_rc add_setting(hc_arena *a, hc_value *map, const char *setting, hc_error *e)
{
  const char *equals = strchr(setting, '='), *path, *name;
  hc_value *v;
  if (!equals)
    return hc_fail(e, HC_EUSAGE, "--set", 0, 0,
                   "expected option=value, such as table=summary, got \"%.200s\"", setting);
  path = hc_arena_text(a, setting, (size_t)(equals - setting));
  name = path ? hc_arena_printf(a, "--set %s", path) : NULL;
  if (!name) return hc_fail(e, HC_ENOMEM, "", 0, 0, "out of memory for the exporter's options");
  TRY(hc_value_parse(a, equals + 1, strlen(equals + 1), name, &v, e));
  return hc_value_set_path(a, map, path, v, e);
}

static hc_rc choose(hc_arena *a, const hc_registry *registry, const char *format, const char *const *settings,
                    size_t count, hc_chosen *out, hc_error *e)
{
  hc_resolver r = {.registry = registry, .arena = a};
  hc_value *map = hc_value_map(a), *name = hc_value_scalar(a, format, HC_FROM_FLAG);
  if (!map || !name || hc_value_put(a, map, "use", name) < 0)
    return hc_fail(e, HC_ENOMEM, "", 0, 0, "out of memory for the exporter's options");
  for (size_t i = 0; i < count; i++) TRY(add_setting(a, map, settings[i], e));
  return hc_resolve_component(&r, HC_KIND_EXPORTER, map, "format", out, e);
}

hc_rc hc_export_result(const hc_allocator *a, const hc_registry *registry, const char *format,
                       const char *const *settings, size_t count, hc_result *r, const hc_sink *out,
                       hc_error *e)
{
  hc_chosen chosen = {0};
  hc_arena arena;
  hc_rc rc;
  hc_arena_init(&arena, a);
  rc = choose(&arena, registry, format, settings, count, &chosen, e);
  if (rc >= 0) rc = ((const hc_exporter_type *)chosen.type)->run(a, chosen.options, r, out, e);
  hc_arena_fini(&arena);
  return rc;
}
