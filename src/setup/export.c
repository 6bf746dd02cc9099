/* export.c -- runs an exporter with options that are resolved as those of any other component. */
#include "base/util.h"
#include "setup/config.h"

hc_rc hc_export_result(const hc_allocator *a, const hc_registry *registry, const char *format,
                       const char *const *settings, size_t count, hc_result *r, const hc_sink *out,
                       hc_error *e)
{
  const hc_settings chosen_by = {.kind = HC_KIND_EXPORTER,
                                 .name = format,
                                 .settings = settings,
                                 .count = count,
                                 .flag = "--set",
                                 .expected = "option=value, such as table=summary",
                                 .path = "format"};
  hc_chosen chosen = {0};
  hc_error mine = {0}; /* of the format, which may follow from what could not be read */
  hc_arena arena;
  hc_rc rc;
  hc_arena_init(&arena, a);
  rc = hc_resolve_settings(&(hc_resolver){.registry = registry, .arena = &arena}, &chosen_by, &chosen, e);
  if (rc >= 0) {
    rc = ((const hc_exporter_type *)chosen.type)->run(a, chosen.options, r, out, &mine);
    const hc_rc unread = hc_result_check(r, e);
    if (unread < 0) rc = unread;
    if (mine.rc < 0) (void)hc_fail(e, mine.rc, mine.where, mine.line, mine.column, "%s", mine.text);
  }
  hc_arena_fini(&arena);
  return rc;
}
