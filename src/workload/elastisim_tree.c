/* elastisim_tree.c -- what both readers of application models share: elastisim_model.c, which works rigid
 * jobs out, and elastisim_elastic.c, whose jobs change their size. */
#include "workload/elastisim_tree.h"

#include <string.h>

#include "base/text.h"
#include "base/util.h"

/* ---- its JSON ---- */

hc_rc hc_elastisim_kind_of(const hc_value *task, const char *type, hc_elastisim_kind *out, hc_error *e)
{
  static const struct {
    const char *word;
    hc_elastisim_kind kind;
  } known[] = {{"cpu", HC_ELASTISIM_CPU},        {"pfs_read", HC_ELASTISIM_IO},
               {"pfs_write", HC_ELASTISIM_IO},   {"bb_read", HC_ELASTISIM_IO},
               {"bb_write", HC_ELASTISIM_IO},    {"idle", HC_ELASTISIM_IDLE},
               {"busy_wait", HC_ELASTISIM_IDLE}, {"sequence", HC_ELASTISIM_SEQUENCE}};
  for (size_t i = 0; i < HC_ARRAY_LEN(known); i++)
    if (strcmp(type, known[i].word) == 0) {
      *out = known[i].kind;
      return 0;
    }
  if (strcmp(type, "gpu") == 0)
    return hc_value_fail(task, e, HC_EUNSUPPORTED,
                         "tasks of type gpu are not read: GPUs do not compute here");
  return hc_value_fail(task, e, HC_EINPUT,
                       "type: \"%.60s\" is none of cpu, pfs_read, pfs_write, bb_read, bb_write, idle, "
                       "busy_wait and sequence",
                       type);
}

hc_rc hc_elastisim_need(const hc_value *map, const char *key, const hc_value **out, hc_error *e)
{
  *out = hc_value_get(map, key);
  return *out ? 0 : hc_value_fail(map, e, HC_EINPUT, "this has no `%s`", key);
}

hc_rc hc_elastisim_flag(const hc_value *map, const char *key, bool fallback, bool *out, hc_error *e)
{
  const hc_value *v = hc_value_get(map, key);
  *out = fallback;
  if (!v || (v->kind == HC_VALUE_SCALAR && hc_parse_bool(v->text, strlen(v->text), out) == 0)) return 0;
  return hc_value_fail(v, e, HC_EINPUT, "%s is true or false", key);
}

/* ---- trees of profiles ---- */

hc_rc hc_elastisim_put_word(hc_arena *a, hc_value *map, const char *key, const char *text, bool quoted)
{
  hc_value *v = hc_value_scalar(a, text, HC_FROM_FILE);
  if (!v) return HC_ENOMEM;
  v->quoted = quoted;
  return hc_value_put(a, map, key, v);
}

hc_value *hc_elastisim_number(hc_arena *a, double x)
{
  char text[32];
  (void)hc_format_real(x, text);
  const char *copy = hc_arena_text(a, text, strlen(text));
  return copy ? hc_value_scalar(a, copy, HC_FROM_FILE) : NULL;
}

hc_rc hc_elastisim_put_number(hc_arena *a, hc_value *map, const char *key, double x)
{
  hc_value *v = hc_elastisim_number(a, x);
  return v ? hc_value_put(a, map, key, v) : HC_ENOMEM;
}

hc_rc hc_elastisim_new_profile(hc_arena *a, const char *use, hc_value **out)
{
  *out = hc_value_map(a);
  return *out ? hc_elastisim_put_word(a, *out, "use", use, false) : HC_ENOMEM;
}

hc_rc hc_elastisim_new_list(hc_arena *a, hc_value *map, const char *key, hc_value **out)
{
  *out = hc_value_map(a);
  if (!*out) return HC_ENOMEM;
  (*out)->kind = HC_VALUE_LIST;
  return map ? hc_value_put(a, map, key, *out) : 0;
}
