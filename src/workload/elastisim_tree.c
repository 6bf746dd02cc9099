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
  } known[] = {{"cpu", HC_ELASTISIM_CPU},      {"gpu", HC_ELASTISIM_GPU},
               {"pfs_read", HC_ELASTISIM_IO},  {"pfs_write", HC_ELASTISIM_IO},
               {"bb_read", HC_ELASTISIM_IO},   {"bb_write", HC_ELASTISIM_IO},
               {"idle", HC_ELASTISIM_IDLE},    {"busy_wait", HC_ELASTISIM_IDLE},
               {"sequence", HC_ELASTISIM_SEQUENCE}};
  for (size_t i = 0; i < HC_ARRAY_LEN(known); i++)
    if (strcmp(type, known[i].word) == 0) {
      *out = known[i].kind;
      return 0;
    }
  return hc_value_fail(task, e, HC_EINPUT,
                       "type: \"%.60s\" is none of cpu, gpu, pfs_read, pfs_write, bb_read, bb_write, idle, "
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

/* ---- messages between GPUs ---- */

static bool is_ring(const char *word)
{
  return strncmp(word, "ring", 4) == 0;
}

hc_rc hc_elastisim_gpus(const hc_value *task, const char *pattern, int64_t gpus, double bandwidth,
                        hc_error *e)
{
  const hc_value *word = hc_value_get(task, "communication_pattern");
  if (gpus == 0)
    return hc_value_fail(task, e, HC_EINPUT, "a gpu task needs GPUs: its job has no num_gpus_per_node");
  if (!pattern) return 0;
  if (strcmp(pattern, "matrix") == 0)
    return hc_value_fail(
        word, e, HC_EUNSUPPORTED,
        "communication_pattern: messages between GPUs that are written out are not read: take "
        "one of the other patterns");
  if (gpus == 1) return 0;
  if (strcmp(pattern, "all_to_all") != 0 && !is_ring(pattern))
    return hc_value_fail(
        word, e, HC_EINPUT,
        "communication_pattern: between several GPUs of each node there are all_to_all, ring, "
        "ring_clockwise and ring_counter_clockwise");
  if (bandwidth > 0) return 0;
  return hc_value_fail(
      task, e, HC_EUSAGE,
      "the GPUs of a node send each other bytes: say how fast (gpu_bandwidth of the source)");
}

double hc_elastisim_gpus_apart(const char *pattern, double nodes, double gpus)
{
  const double all = nodes * gpus;
  if (gpus == 1) return 1;
  if (is_ring(pattern)) return 1 / gpus;
  return all > 1 ? (all - gpus) / (all - 1) : 0;
}

double hc_elastisim_gpus_inside(const char *pattern, double nodes, double gpus)
{
  const double all = nodes * gpus;
  if (gpus == 1) return 0;
  if (is_ring(pattern)) return (nodes == 1 ? 1 : (gpus - 1) / all) / (gpus == 2 ? 1 : gpus);
  return 2 / (all * (all - 1));
}

/* ---- trees of profiles ---- */

/* A name that is no text is none, as in ElastiSim. */
hc_rc hc_elastisim_label(hc_arena *a, const hc_value *task, hc_value **profile)
{
  const hc_value *name = hc_value_get(task, "name");
  hc_value *part;
  TRY(hc_elastisim_new_profile(a, "part", &part));
  if (name && name->kind == HC_VALUE_SCALAR && name->quoted)
    TRY(hc_elastisim_put_word(a, part, "label", name->text, true));
  TRY(hc_value_put(a, part, "profile", *profile));
  *profile = part;
  return 0;
}

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
