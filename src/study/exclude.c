/* exclude.c -- which points of the product are left out.
 *
 *   exclude:
 *     - {policy.order: sjf, load: [0.5, 0.6]}    levels by their labels; all axes named must match
 *     - {when: load > 0.8 && procs == 64}        the repository's expressions over axes whose levels are
 *     numbers - load > 0.8
 *
 * In an expression an axis goes by its name. */
#include <string.h>

#include "base/util.h"
#include "study/plan.h"

static hc_rc no_memory(hc_error *e)
{
  return hc_fail(e, HC_ENOMEM, "", 0, 0, "out of memory for what is excluded");
}

static hc_rc want_level(hc_study *s, const hc_axis *x, const hc_value *v, uint8_t *wanted, hc_error *e)
{
  const char *known[64], *label = hc_study_label(s, v);
  const char *near;
  size_t n = 0;
  if (!label) return no_memory(e);
  for (size_t i = 0; i < x->count; i++) {
    if (strcmp(x->levels[i].label, label) != 0) continue;
    wanted[i] = 1;
    return 0;
  }
  for (size_t i = 0; i < x->count && n < HC_ARRAY_LEN(known); i++) known[n++] = x->levels[i].label;
  near = v->kind == HC_VALUE_SCALAR ? hc_study_nearest(v->text, known, n) : NULL;
  if (near)
    return hc_value_fail(v, e, HC_EUSAGE, "exclude: axis %s has no level \"%.80s\"; did you mean \"%s\"?",
                         x->name, v->text, near);
  return hc_value_fail(v, e, HC_EUSAGE, "exclude: axis %s has no such level; its first is \"%.80s\"", x->name,
                       x->count ? x->levels[0].label : "");
}

static hc_rc unknown_axis(const hc_study *s, const hc_value *v, hc_error *e)
{
  const char *known[64];
  const char *near;
  size_t n = 0;
  for (size_t i = 0; i < s->axis_count && n < HC_ARRAY_LEN(known); i++) known[n++] = s->axes[i].name;
  near = hc_study_nearest(v->key, known, n);
  if (near)
    return hc_value_fail_key(v, e, HC_EUSAGE, "exclude: there is no axis \"%.80s\"; did you mean \"%s\"?",
                             v->key, near);
  return hc_value_fail_key(v, e, HC_EUSAGE, "exclude: there is no axis \"%.80s\"; name one of those in axes",
                           v->key);
}

static hc_rc read_when(hc_study *s, const hc_value *v, hc_exclusion *x, hc_error *e)
{
  const char **names = hc_arena_alloc(&s->arena, HC_MAX(s->axis_count, 1) * sizeof *names);
  hc_error why = {0};
  hc_rc rc;
  if (!names) return no_memory(e);
  if (v->kind != HC_VALUE_SCALAR)
    return hc_value_fail(v, e, HC_EUSAGE, "exclude: expected an expression, such as load > 0.8");
  for (size_t i = 0; i < s->axis_count; i++) names[i] = s->axes[i].name;
  rc = hc_expr_compile(&s->arena, v->text, names, s->axis_count, &x->when, &why);
  if (rc < 0) return hc_value_fail(v, e, rc, "exclude: %.*s", (int)strcspn(why.text, "\n"), why.text);
  for (size_t i = 0; i < s->axis_count; i++) {
    if (!hc_expr_reads(x->when, i)) continue;
    for (size_t k = 0; k < s->axes[i].count; k++)
      if (s->axes[i].levels[k].number != s->axes[i].levels[k].number)
        return hc_value_fail(
            v, e, HC_EUSAGE,
            "exclude: the level \"%.80s\" of axis %s is no number, and an expression compares numbers; name "
            "levels instead: {%s: %.80s}",
            s->axes[i].levels[k].label, s->axes[i].name, s->axes[i].name, s->axes[i].levels[k].label);
  }
  return 0;
}

static hc_rc read_item(hc_study *s, const hc_value *v, hc_exclusion *x, hc_error *e)
{
  if (v->kind == HC_VALUE_SCALAR) return read_when(s, v, x, e);
  if (v->kind != HC_VALUE_MAP || v->count == 0)
    return hc_value_fail(v, e, HC_EUSAGE,
                         "exclude: expected axes and their levels, {policy.order: sjf}, or an expression");
  x->wanted = hc_arena_alloc(&s->arena, s->axis_count * sizeof *x->wanted);
  if (!x->wanted) return no_memory(e);
  for (size_t i = 0; i < v->count; i++) {
    const hc_value *item = v->items[i];
    hc_axis *axis = hc_study_axis_named(s, item->key);
    uint8_t *wanted;
    if (!axis && strcmp(item->key, "when") == 0) {
      TRY(read_when(s, item, x, e));
      continue;
    }
    if (!axis) return unknown_axis(s, item, e);
    wanted = hc_arena_alloc(&s->arena, axis->count);
    if (!wanted) return no_memory(e);
    if (item->kind != HC_VALUE_LIST) TRY(want_level(s, axis, item, wanted, e));
    for (size_t k = 0; item->kind == HC_VALUE_LIST && k < item->count; k++)
      TRY(want_level(s, axis, item->items[k], wanted, e));
    x->wanted[axis - s->axes] = wanted;
  }
  return 0;
}

hc_rc hc_study_read_exclusions(hc_study *s, const hc_value *exclude, hc_error *e)
{
  const size_t n = exclude->kind == HC_VALUE_LIST ? exclude->count : 1;
  for (size_t i = 0; i < n; i++) {
    hc_exclusion x = {0};
    TRY(read_item(s, exclude->kind == HC_VALUE_LIST ? exclude->items[i] : exclude, &x, e));
    if (hc_reserve(s->allocator, (void **)&s->exclusions, &s->exclusion_cap, s->exclusion_count + 1,
                   sizeof x) < 0)
      return no_memory(e);
    s->exclusions[s->exclusion_count++] = x;
  }
  return 0;
}

static bool matches(const hc_study *s, const hc_exclusion *x, const uint32_t *digits, const double *numbers)
{
  double value;
  for (size_t i = 0; x->wanted && i < s->axis_count; i++)
    if (x->wanted[i] && !x->wanted[i][digits[i]]) return false;
  if (!x->when) return true;
  value = hc_expr_value(x->when, numbers);
  return value == value && value != 0;
}

bool hc_study_is_excluded(const hc_study *s, uint64_t point)
{
  uint32_t digits[HC_STUDY_AXES];
  double numbers[HC_STUDY_AXES];
  if (s->exclusion_count == 0) return false;
  for (size_t i = s->axis_count; i-- > 0; point /= s->axes[i].count) {
    digits[i] = (uint32_t)(point % s->axes[i].count);
    numbers[i] = s->axes[i].levels[digits[i]].number;
  }
  for (size_t i = 0; i < s->exclusion_count; i++)
    if (matches(s, &s->exclusions[i], digits, numbers)) return true;
  return false;
}
