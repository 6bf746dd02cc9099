/* laid.c -- what the command lays upon a study file: `--set PATH=VALUE`.
 *
 * A path that begins with a key of a study (replications, axes, stop ...) is that key, over what the file
 * has; any other is a key of the base of every point. The two have no key in common but `name`: a point has
 * none. Before the study is read, so that what is set is checked as if the file had said it, and belongs to
 * the study from then on. */
#include <string.h>

#include "base/util.h"
#include "study/plan.h"

#define EXPECTED "path=value, such as policy.select.depth=2, or replications=20"

/* Keys of a run that mean nothing in a study: a point has no name and no file of its own. */
const char *const hc_study_dropped[] = {"name", "output", "rejected", "task_rows", "sample", "file", NULL};

static hc_rc no_memory(hc_error *e)
{
  return hc_fail(e, HC_ENOMEM, "", 0, 0, "out of memory for the study");
}

/* Is it this key, or one below it? @return what is behind it: "" or below its dot; NULL: no */
static const char *behind(const char *path, const char *key)
{
  const size_t n = strlen(key);
  if (strncmp(path, key, n) != 0) return NULL;
  if (path[n] == '\0') return path + n;
  return path[n] == '.' ? path + n + 1 : NULL;
}

/* ---- keys of the study ---- */

static void remove_from(hc_value *map, const char *key)
{
  size_t n = 0;
  for (size_t i = 0; i < map->count; i++)
    if (strcmp(map->items[i]->key, key) != 0) map->items[n++] = map->items[i];
  map->count = n;
}

/* A value that is nothing leaves the key out. */
static hc_rc put(hc_study *s, hc_value *map, const char *key, hc_value *v, hc_error *e)
{
  if (v->kind != HC_VALUE_NULL) return hc_value_put(&s->arena, map, key, v) < 0 ? no_memory(e) : 0;
  remove_from(map, key);
  return 0;
}

/* May that be a word of it: of its map, or the number of a level in its list? */
static bool may_have(const hc_value *axis, const char *word)
{
  return axis->kind == HC_VALUE_MAP || (axis->kind == HC_VALUE_LIST && word[0] >= '0' && word[0] <= '9');
}

/* The name of an axis may be a path: the longest that the file has, else all of it, is the axis's. */
static hc_rc set_axis(hc_study *s, hc_value *study, const char *rest, hc_value *v, hc_error *e)
{
  hc_value *axes = hc_value_get(study, "axes");
  const char *axis = NULL, *part = "";
  if (!axes || axes->kind != HC_VALUE_MAP) {
    axes = hc_value_map(&s->arena);
    if (!axes || hc_value_put(&s->arena, study, "axes", axes) < 0) return no_memory(e);
  }
  for (size_t i = 0; i < axes->count; i++) {
    const char *key = axes->items[i]->key, *below = behind(rest, key);
    if (!below || (below[0] != '\0' && !may_have(axes->items[i], below))) continue;
    if (axis && strlen(axis) >= strlen(key)) continue;
    axis = key;
    part = below;
  }
  if (part[0] == '\0') return put(s, axes, rest, v, e);
  return hc_value_set_path(&s->arena, hc_value_get(axes, axis), part, v, e);
}

static bool is_of_study(const char *path)
{
  for (const hc_file_key *k = hc_study_keys(); k->name; k++)
    if (strcmp(k->name, "base") != 0 && behind(path, k->name)) return true;
  return false;
}

static hc_rc parse(hc_study *s, const char *setting, const char **path, hc_value **v, hc_error *e)
{
  TRY(hc_value_parse_setting(&s->arena, setting, "--set", EXPECTED, path, v, e));
  if (strcmp(*path, "base") == 0)
    return hc_fail(e, HC_EUSAGE, "--set", 0, 0,
                   "base is all that runs share: set its keys one by one, such as policy=easy");
  if (behind(*path, "base")) *path = behind(*path, "base");
  return 0;
}

hc_rc hc_study_lay_keys(hc_study *s, hc_value *study, const hc_study_laid *laid, hc_error *e)
{
  if (study->kind != HC_VALUE_MAP) return 0; /* the reader says so */
  for (size_t i = 0; i < laid->set_count; i++) {
    const bool says_base = strncmp(laid->set[i], "base.", 5) == 0;
    const char *path;
    hc_value *v = NULL;
    TRY(parse(s, laid->set[i], &path, &v, e));
    if (says_base || !is_of_study(path)) continue;
    if (behind(path, "axes") && behind(path, "axes")[0] != '\0')
      TRY(set_axis(s, study, behind(path, "axes"), v, e));
    else if (!strchr(path, '.')) TRY(put(s, study, path, v, e));
    else TRY(hc_value_set_path(&s->arena, study, path, v, e));
  }
  return 0;
}

/* ---- keys of the base ---- */

hc_rc hc_study_lay_base(hc_study *s, const hc_study_laid *laid, hc_error *e)
{
  s->set = hc_arena_alloc(&s->arena, (laid->set_count + 1) * sizeof *s->set);
  if (!s->set) return no_memory(e);
  for (size_t i = 0; i < laid->set_count; i++) {
    const bool says_base = strncmp(laid->set[i], "base.", 5) == 0;
    const char *path;
    hc_value *v = NULL;
    TRY(parse(s, laid->set[i], &path, &v, e));
    if (!says_base && is_of_study(path)) continue;
    for (size_t k = 0; hc_study_dropped[k]; k++)
      if (strcmp(path, hc_study_dropped[k]) == 0)
        return hc_fail(e, HC_EUSAGE, "--set", 0, 0,
                       "%s says nothing of a study: its points have no store of their own. Leave it out",
                       hc_study_dropped[k]);
    TRY(hc_value_set_path(&s->arena, s->base, path, v, e));
    s->set[s->set_count++] = path;
  }
  return 0;
}

/* An axis that sets the same key, or what the key is part of, would take the setting away again. */
hc_rc hc_study_check_laid(const hc_study *s, hc_error *e)
{
  for (size_t i = 0; i < s->set_count * s->axis_count; i++) {
    const hc_axis *x = &s->axes[i / s->set_count];
    const char *set = s->set[i % s->set_count];
    for (size_t k = 0; k < x->count; k++) {
      for (size_t p = 0; p < x->levels[k].patch_count; p++) {
        const char *path = x->levels[k].patches[p].path;
        if (!behind(set, path)) continue;
        return hc_fail(
            e, HC_EUSAGE, "--set", 0, 0,
            "the axis %s sets %s (at its level \"%.80s\"), so --set %s would not hold: leave it out, or "
            "change the axis, such as --set 'axes.%s=[...]'",
            x->name, path, x->levels[k].label, set, x->name);
      }
    }
  }
  return 0;
}
