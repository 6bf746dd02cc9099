/* asked.c -- what a study file says is to be compared with what: `compare: {axis: policy, baseline: easy,
 * figures: [...]}`.
 *
 * The study checks it before anything runs, its store keeps it, and `hindcast study compare` asks it where
 * the command line says nothing else. It decides nothing: the test and its correction are the asker's. */
#include <string.h>

#include "base/util.h"
#include "setup/config.h"
#include "study/plan.h"

/* A text, or a list of them. */
static hc_rc read_names(hc_arena *a, const hc_value *v, const char *what, const char *const **out,
                        size_t *count, hc_error *e)
{
  const size_t n = v->kind == HC_VALUE_LIST ? v->count : 1;
  const char **names = hc_arena_alloc(a, (n + 1) * sizeof *names);
  if (!names) return hc_fail(e, HC_ENOMEM, "", 0, 0, "out of memory for the study");
  for (size_t i = 0; i < n; i++) {
    const hc_value *item = v->kind == HC_VALUE_LIST ? v->items[i] : v;
    if (item->kind != HC_VALUE_SCALAR || !item->text[0])
      return hc_value_fail(item, e, HC_EUSAGE, "compare.%s: expected a name, or a list of names", what);
    names[i] = item->text;
  }
  *out = names;
  *count = n;
  return 0;
}

hc_rc hc_study_read_asked(hc_arena *a, const hc_value *v, hc_study_asked *out, hc_error *e)
{
  static const char *const known[] = {"axis", "baseline", "figures"};
  const hc_value *axis, *baseline, *figures;
  TRY(hc_study_check_keys(v, "compare", known, HC_ARRAY_LEN(known), e));
  axis = hc_value_get(v, "axis");
  baseline = hc_value_get(v, "baseline");
  figures = hc_value_get(v, "figures");
  if (!axis || (baseline && baseline->kind != HC_VALUE_SCALAR))
    return hc_value_fail(
        v, e, HC_EUSAGE,
        "compare: expected the axis whose levels are compared, and perhaps one of them as baseline: {axis: "
        "policy, baseline: easy, figures: [wait_mean]}");
  TRY(read_names(a, axis, "axis", &out->axes, &out->axis_count, e));
  if (figures) TRY(read_names(a, figures, "figures", &out->figures, &out->figure_count, e));
  out->baseline = baseline ? baseline->text : NULL;
  return 0;
}

/* ---- is there such a thing? ---- */

/* By its name, or by the part after its last point, as the questions take it. */
static const hc_axis *axis_called(const hc_study *s, const char *name)
{
  const hc_axis *found = hc_study_axis_named(s, name);
  for (size_t i = 0; i < s->axis_count && !found; i++) {
    const char *point = strrchr(s->axes[i].name, '.');
    if (point && strcmp(point + 1, name) == 0) found = &s->axes[i];
  }
  return found;
}

/* Labels of several axes stand behind each other with a blank between. */
static bool is_choice(const hc_axis *const *axes, size_t count, const char *label)
{
  for (size_t k = 0; k < axes[0]->count; k++) {
    const char *own = axes[0]->levels[k].label;
    const size_t n = strlen(own);
    if (strncmp(label, own, n) != 0) continue;
    if (count == 1 ? label[n] == '\0' : label[n] == ' ' && is_choice(axes + 1, count - 1, label + n + 1))
      return true;
  }
  return false;
}

static hc_rc check_axes(const hc_study *s, const hc_value *v, const hc_axis **axes, hc_error *e)
{
  const hc_value *axis = hc_value_get(v, "axis");
  for (size_t i = 0; i < s->asked.axis_count; i++) {
    const char *near = NULL, *names[HC_STUDY_AXES];
    axes[i] = axis_called(s, s->asked.axes[i]);
    if (axes[i]) continue;
    for (size_t k = 0; k < s->axis_count; k++) names[k] = s->axes[k].name;
    near = hc_study_nearest(s->asked.axes[i], names, s->axis_count);
    return hc_value_fail(axis->kind == HC_VALUE_LIST ? axis->items[i] : axis, e, HC_EUSAGE,
                         "compare: the study has no axis \"%.80s\"%s%s%s", s->asked.axes[i],
                         near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
  }
  return 0;
}

hc_rc hc_study_check_asked(hc_study *s, const hc_value *v, hc_error *e)
{
  const hc_axis *axes[HC_STUDY_AXES];
  TRY(hc_study_read_asked(&s->arena, v, &s->asked, e));
  if (s->asked.axis_count == 0 || s->asked.axis_count > HC_STUDY_AXES)
    return hc_value_fail(v, e, HC_EUSAGE, "compare.axis: name an axis of the study");
  TRY(check_axes(s, v, axes, e));
  if (s->asked.baseline && !is_choice(axes, s->asked.axis_count, s->asked.baseline))
    return hc_value_fail(
        hc_value_get(v, "baseline"), e, HC_EUSAGE,
        "compare: \"%.80s\" is no level of %s%s; levels of several axes stand behind each other with a blank "
        "between",
        s->asked.baseline, axes[0]->name, s->asked.axis_count > 1 ? " and the others" : "");
  for (size_t i = 0; i < s->asked.figure_count; i++) {
    bool kept = s->keep_count == 0;
    for (size_t k = 0; k < s->keep_count && !kept; k++)
      kept = hc_figure_name_matches(s->keep[k], s->asked.figures[i]);
    if (!kept)
      return hc_value_fail(hc_value_get(v, "figures"), e, HC_EUSAGE,
                           "compare: the study does not keep \"%.80s\"; list it under `keep`",
                           s->asked.figures[i]);
  }
  return 0;
}
