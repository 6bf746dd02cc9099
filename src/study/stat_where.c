/* stat_where.c -- names of axes, levels and figures, and conditions on axes.
 *
 * A condition is AXIS OP VALUE: = and != take labels with commas between, == one label as it stands, < <= >
 * >= a number, against the levels' numbers. A label that is a number matches by value too ("0.50" is "0.5").
 * Each condition leaves some levels of its axis; several on one axis leave what all of them leave. Nothing
 * left is an error. */
#include <string.h>

#include "base/util.h"
#include "study/stat_grid.h"

/* ---- names ---- */

static bool is_axis(const hc_study_axis *x, const char *name, size_t size, bool whole)
{
  const char *at = whole ? x->name : strrchr(x->name, '.');
  if (!at) return false;
  if (!whole) at++;
  return strlen(at) == size && memcmp(at, name, size) == 0;
}

static uint32_t find_axis(const hc_study_data *d, const char *name, size_t size)
{
  for (int whole = 1; whole >= 0; whole--) {
    for (uint32_t i = 0; i < d->axis_count; i++) {
      if (is_axis(&d->axes[i], name, size, whole)) return i;
    }
  }
  return UINT32_MAX;
}

uint32_t hc_study_axis_find(const hc_study_data *d, const char *name)
{
  return find_axis(d, name, strlen(name));
}

uint32_t hc_study_figure_find(const hc_study_data *d, const char *name)
{
  for (uint32_t i = 0; i < d->figure_count; i++) {
    if (strcmp(d->figures[i].name, name) == 0) return i;
  }
  return UINT32_MAX;
}

static void nearer(const char *candidate, const char *name, const char **best, size_t *distance)
{
  size_t n = hc_edit_distance(candidate, name, *distance);
  if (n < *distance) {
    *distance = n;
    *best = candidate;
  }
}

hc_rc hc_study_no_axis(const hc_study_data *d, const char *name, hc_error *e)
{
  const char *best = NULL;
  size_t distance = 4;
  for (uint32_t i = 0; i < d->axis_count; i++) nearer(d->axes[i].name, name, &best, &distance);
  if (!best && d->axis_count)
    return hc_fail(e, HC_EUSAGE, d->name, 0, 0, "it has no axis \"%.100s\"; its first is \"%.100s\"", name,
                   d->axes[0].name);
  return hc_fail(e, HC_EUSAGE, d->name, 0, 0, "it has no axis \"%.100s\"; did you mean \"%.100s\"?", name,
                 best ? best : "-");
}

hc_rc hc_study_no_figure(const hc_study_data *d, const char *name, hc_error *e)
{
  const char *best = NULL;
  size_t distance = 5;
  for (uint32_t i = 0; i < d->figure_count; i++) nearer(d->figures[i].name, name, &best, &distance);
  if (!best)
    return hc_fail(e, HC_EUSAGE, d->name, 0, 0,
                   "it kept no figure \"%.100s\"; list it under `keep` of the study", name);
  return hc_fail(e, HC_EUSAGE, d->name, 0, 0, "it kept no figure \"%.100s\"; did you mean \"%.100s\"?", name,
                 best);
}

static hc_rc no_level(const hc_study_axis *x, const char *name, const char *where, hc_error *e)
{
  const char *best = NULL;
  size_t distance = 4;
  for (uint32_t i = 0; i < x->count; i++) nearer(x->labels[i], name, &best, &distance);
  if (!best)
    return hc_fail(e, HC_EUSAGE, where, 0, 0, "axis %.60s has no level \"%.100s\"; its first is \"%.100s\"",
                   x->name, name, x->count ? x->labels[0] : "-");
  return hc_fail(e, HC_EUSAGE, where, 0, 0, "axis %.60s has no level \"%.100s\"; did you mean \"%.100s\"?",
                 x->name, name, best);
}

/* ---- conditions ---- */

typedef enum relation { EQUAL, UNEQUAL, BELOW, AT_MOST, ABOVE, AT_LEAST, EXACTLY } relation;

static const char *const signs[] = {"=", "!=", "<", "<=", ">", ">=", "=="};

/* The first sign of a text; longer ones first. */
static const char *find_sign(const char *text, relation *out)
{
  static const relation order[] = {EXACTLY, UNEQUAL, AT_MOST, AT_LEAST, EQUAL, BELOW, ABOVE};
  const char *best = NULL;
  for (size_t i = 0; i < HC_ARRAY_LEN(order); i++) {
    const char *at = strstr(text, signs[order[i]]);
    if (!at || (best && at >= best)) continue;
    best = at;
    *out = order[i];
  }
  return best;
}

static bool holds(relation r, double x, double limit)
{
  switch (r) {
    case EXACTLY:
    case EQUAL: return x == limit;
    case UNEQUAL: return x != limit;
    case BELOW: return x < limit;
    case AT_MOST: return x <= limit;
    case ABOVE: return x > limit;
    case AT_LEAST: return x >= limit;
  }
  return false;
}

static bool is_level(const hc_study_axis *x, uint32_t level, const char *label, size_t size)
{
  double number;
  if (strlen(x->labels[level]) == size && memcmp(x->labels[level], label, size) == 0) return true;
  return x->numbers && hc_parse_real(label, size, &number) == 0 && x->numbers[level] == number;
}

static hc_rc mark_list(hc_arena *a, const hc_study_axis *x, const char *list, relation r, const char *where,
                       uint8_t *marked, hc_error *e)
{
  while (*list) {
    size_t size = r == EXACTLY ? strlen(list) : strcspn(list, ",");
    bool found = false;
    for (uint32_t i = 0; i < x->count; i++) {
      if (!is_level(x, i, list, size)) continue;
      marked[i] = 1;
      found = true;
    }
    if (!found) {
      const char *name = hc_arena_text(a, list, size);
      return name ? no_level(x, name, where, e) : HC_ENOMEM;
    }
    list += size + (list[size] == ',');
  }
  return 0;
}

static hc_rc apply(hc_arena *a, const hc_study_data *d, const char *text, uint8_t **keep, hc_error *e)
{
  relation r = EQUAL;
  const char *sign = find_sign(text, &r), *value;
  const hc_study_axis *x;
  uint8_t *marked;
  uint32_t axis;
  double limit = 0;
  if (!sign || sign == text)
    return hc_fail(e, HC_EUSAGE, text, 0, 0, "expected a condition such as load>=0.5 or policy=easy,fcfs");
  axis = find_axis(d, text, (size_t)(sign - text));
  if (axis == UINT32_MAX) {
    const char *name = hc_arena_text(a, text, (size_t)(sign - text));
    return name ? hc_study_no_axis(d, name, e) : HC_ENOMEM;
  }
  x = &d->axes[axis];
  value = sign + strlen(signs[r]);
  marked = hc_arena_alloc(a, x->count + 1u);
  if (!marked) return HC_ENOMEM;
  if (r == EQUAL || r == UNEQUAL || r == EXACTLY) TRY(mark_list(a, x, value, r, text, marked, e));
  else if (hc_parse_real(value, strlen(value), &limit) < 0)
    return hc_fail(e, HC_EUSAGE, text, 0, 0, "expected a number after %s, got \"%.60s\"", signs[r], value);
  for (uint32_t i = 0; i < x->count; i++) {
    bool keeps = x->numbers && holds(r, x->numbers[i], limit);
    if (r == EQUAL || r == EXACTLY) keeps = marked[i];
    if (r == UNEQUAL) keeps = !marked[i];
    if (!keeps) keep[axis][i] = 0;
  }
  return 0;
}

hc_rc hc_study_where(hc_arena *a, const hc_study_data *d, const char *const *where, size_t count,
                     uint8_t ***out, hc_error *e)
{
  uint8_t **keep = hc_arena_alloc(a, (d->axis_count + 1) * sizeof *keep);
  if (!keep) return HC_ENOMEM;
  for (uint32_t i = 0; i < d->axis_count; i++) {
    keep[i] = hc_arena_alloc(a, d->axes[i].count + 1u);
    if (!keep[i]) return HC_ENOMEM;
    memset(keep[i], 1, d->axes[i].count);
  }
  for (size_t i = 0; i < count; i++) TRY(apply(a, d, where[i], keep, e));
  for (uint32_t i = 0; i < d->axis_count; i++) {
    if (d->axes[i].count && !memchr(keep[i], 1, d->axes[i].count))
      return hc_fail(e, HC_EUSAGE, d->name, 0, 0, "the conditions leave no level of axis %.100s",
                     d->axes[i].name);
  }
  *out = keep;
  return 0;
}
