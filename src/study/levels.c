/* levels.c -- the axes of a study: lists, ranges, named levels, and axes that go together.
 *
 *   policy.order: [fcfs, sjf]                            values of that key
 *   source.0.tasks: {from: 100, to: 1000, step: 100}     both ends included; decimals stay exact
 *   policy.select.depth: {from: 1, to: 64, count: 7}     equal ratios; or per_decade: 3; whole: true rounds
 *   load: {path: transforms.0.to, values: [0.5, 0.9]}    an axis with a name of its own; a range may have one
 *     too
 *   log: {path: source, values: {KTH: kth.swf.gz, NASA: nasa.swf.gz}}     values with names of their own
 *   policy: [easy, sjf_scan: {policy.order: sjf, policy.select: scan}]    a level that sets several keys
 *   machine: {small: {cell.procs: 64}, large: {cell.procs: 512}}          nothing but such levels
 *
 * A map with `use` is a component with its parameters, hence a value; so is a map of one key. An axis may set
 * what lies within a key of an earlier one (policy, then policy.order), but not, at all of its levels, what
 * an earlier one sets: that one's would be names without a meaning. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/math.h"
#include "base/text.h"
#include "base/util.h"
#include "study/plan.h"

#define LEVELS 1000000u /* of one axis */

static hc_rc no_memory(hc_error *e)
{
  return hc_fail(e, HC_ENOMEM, "", 0, 0, "out of memory for the axes");
}

/* ---- building ---- */

hc_axis *hc_study_add_axis(hc_study *s, const char *name, const hc_value *place)
{
  hc_axis *x;
  if (hc_reserve(s->allocator, (void **)&s->axes, &s->axis_cap, s->axis_count + 1, sizeof *s->axes) < 0)
    return NULL;
  x = &s->axes[s->axis_count++];
  *x = (hc_axis){.name = name, .place = place};
  return x;
}

static hc_rc too_many(const hc_value *place, const hc_axis *x, double count, hc_error *e)
{
  char n[40], most[40];
  n[count < 1e18 ? hc_format_count((int64_t)count, n) : hc_format_real(count, n)] = '\0';
  most[hc_format_count((int64_t)LEVELS, most)] = '\0';
  return hc_value_fail(
      place, e, HC_ELIMIT,
      "axis %s has %s levels, and an axis may have %s: take wider steps, or make it several studies", x->name,
      n, most);
}

static hc_rc add_level(hc_study *s, hc_axis *x, const hc_level *l, hc_error *e)
{
  if (x->count == LEVELS) return too_many(x->place, x, (double)LEVELS + 1, e);
  for (size_t i = 0; i < x->count; i++) {
    if (x->count < 1000 && strcmp(x->levels[i].label, l->label) == 0)
      return hc_value_fail(l->place ? l->place : x->place, e, HC_EUSAGE,
                           "axis %s has the level \"%.80s\" twice: leave one out, or give it another name",
                           x->name, l->label);
  }
  if (hc_reserve(s->allocator, (void **)&x->levels, &x->cap, x->count + 1, sizeof *x->levels) < 0)
    return no_memory(e);
  x->levels[x->count++] = *l;
  return 0;
}

static double number_of(const hc_value *v)
{
  double x;
  if (v->kind != HC_VALUE_SCALAR || v->quoted || hc_parse_real(v->text, strlen(v->text), &x) < 0)
    return (double)__builtin_nan("");
  return x;
}

/* As it is written, but for numbers, which are as JSON has them (.5 is 0.5): a study that was read back from
 * a journal calls its levels the same. */
const char *hc_study_label(hc_study *s, const hc_value *v)
{
  hc_buffer b;
  const char *text;
  hc_buffer_init(&b, s->allocator);
  hc_value_write_json(v, &b, false);
  if (v->kind == HC_VALUE_SCALAR && (b.failed || b.data[0] == '"')) text = v->text;
  else text = b.failed ? NULL : hc_arena_text(&s->arena, b.data, b.size);
  hc_buffer_fini(&b);
  return text;
}

static hc_rc add_value(hc_study *s, hc_axis *x, const char *path, const hc_value *v, hc_error *e)
{
  hc_patch *p = hc_arena_alloc(&s->arena, sizeof *p);
  const char *label = hc_study_label(s, v);
  if (!p || !label) return no_memory(e);
  *p = (hc_patch){path, v};
  return add_level(s, x, &(hc_level){label, number_of(v), p, 1, v->file ? v : x->place}, e);
}

/* `values: {KTH: kth.swf.gz, NASA: nasa.swf.gz}`: values with names of their own. */
static hc_rc add_called(hc_study *s, hc_axis *x, const char *path, const hc_value *map, hc_error *e)
{
  for (size_t i = 0; i < map->count; i++) {
    const hc_value *v = map->items[i];
    hc_patch *p = hc_arena_alloc(&s->arena, sizeof *p);
    if (!p) return no_memory(e);
    *p = (hc_patch){path, v};
    TRY(add_level(s, x, &(hc_level){v->key, number_of(v), p, 1, v->file ? v : x->place}, e));
  }
  return 0;
}

static hc_rc add_text(hc_study *s, hc_axis *x, const char *path, const char *text, hc_error *e)
{
  hc_value *v = hc_value_scalar(&s->arena, text, HC_FROM_SET);
  if (!v) return no_memory(e);
  if (path) return add_value(s, x, path, v, e);
  return add_level(s, x, &(hc_level){v->text, number_of(v), NULL, 0, x->place}, e);
}

/* `name: {key: value, ...}`: a level that sets these keys. */
static hc_rc add_named(hc_study *s, hc_axis *x, const hc_value *level, hc_error *e)
{
  hc_patch *p;
  if (level->kind != HC_VALUE_MAP || level->count == 0)
    return hc_value_fail_key(
        level, e, HC_EUSAGE,
        "axis %s: the level \"%.80s\" says nothing: write the keys of the run that it sets, such as `%.80s: "
        "{policy.order: sjf, policy.select: scan}`",
        x->name, level->key, level->key);
  p = hc_arena_alloc(&s->arena, level->count * sizeof *p);
  if (!p) return no_memory(e);
  for (size_t i = 0; i < level->count; i++) p[i] = (hc_patch){level->items[i]->key, level->items[i]};
  return add_level(s, x, &(hc_level){level->key, (double)__builtin_nan(""), p, level->count, level}, e);
}

hc_rc hc_study_count_axis(hc_study *s, const char *name, const char *path, uint64_t from, uint64_t count,
                          hc_error *e)
{
  hc_axis *x = hc_study_add_axis(s, name, s->tree);
  if (!x) return no_memory(e);
  for (uint64_t i = 0; i < count; i++) {
    char text[32];
    (void)snprintf(text, sizeof text, "%" PRIu64, from + i);
    TRY(add_text(s, x, path, text, e));
  }
  return 0;
}

/* ---- ranges ---- */

/* Digits behind the point, of a plain decimal; -1 if it is none. */
static int decimals_of(const char *text)
{
  const char *point = strchr(text, '.');
  if (strpbrk(text, "eE_")) return -1;
  return point ? (int)strlen(point + 1) : 0;
}

static hc_rc scaled(const char *text, int decimals, int64_t *out)
{
  char digits[64];
  size_t n = 0;
  int behind = 0;
  bool point = false;
  for (const char *s = text; *s; s++) {
    if (n + 2 >= sizeof digits) return HC_EINPUT;
    if (*s == '.') point = true;
    else {
      digits[n++] = *s;
      behind += point;
    }
  }
  for (; behind < decimals && n + 2 < sizeof digits; behind++) digits[n++] = '0';
  return hc_parse_int(digits, n, out);
}

/* `n` / 10^decimals, without zeros at the end. */
static void decimal_text(int64_t n, int decimals, char out[64])
{
  char digits[40];
  const bool negative = n < 0;
  int length;
  while (decimals > 0 && n % 10 == 0) {
    n /= 10;
    decimals--;
  }
  length = snprintf(digits, sizeof digits, "%0*" PRId64, decimals + 1, negative ? -n : n);
  (void)snprintf(out, 64, "%s%.*s%s%s", negative ? "-" : "", length - decimals, digits, decimals ? "." : "",
                 digits + length - decimals);
}

static hc_rc add_steps(hc_study *s, hc_axis *x, const char *path, const hc_value *range,
                       const char *const text[3], hc_error *e)
{
  const int d[3] = {decimals_of(text[0]), decimals_of(text[1]), decimals_of(text[2])};
  const int decimals = HC_MAX(d[0], HC_MAX(d[1], d[2]));
  int64_t from, to, step, at;
  if (d[0] < 0 || d[1] < 0 || d[2] < 0 || decimals > 12 || scaled(text[0], decimals, &from) < 0 ||
      scaled(text[1], decimals, &to) < 0 || scaled(text[2], decimals, &step) < 0)
    return hc_value_fail(range, e, HC_EUSAGE, "axis %s: from, to and step are plain decimals, such as 0.5",
                         x->name);
  if (step <= 0 || to < from)
    return hc_value_fail(range, e, HC_EUSAGE,
                         "axis %s: the range is empty: `step` is above 0 and `to` not below `from`", x->name);
  if (((uint64_t)to - (uint64_t)from) / (uint64_t)step >= LEVELS)
    return too_many(range, x, (double)(((uint64_t)to - (uint64_t)from) / (uint64_t)step) + 1, e);
  for (at = from; at <= to;) {
    char label[64];
    decimal_text(at, decimals, label);
    TRY(add_text(s, x, path, label, e));
    if (__builtin_add_overflow(at, step, &at)) break;
  }
  return 0;
}

/* Six digits are enough to tell levels apart, and are the same on every machine. */
static void short_text(double value, bool whole, char out[64])
{
  char text[40];
  double shorter = value;
  if (whole) {
    (void)snprintf(out, 64, "%" PRId64, (int64_t)(value + 0.5));
    return;
  }
  (void)snprintf(text, sizeof text, "%.5e", value);
  for (char *p = text; *p; p++)
    if (*p == ',') *p = '.'; /* a program around us may have set a locale */
  (void)hc_parse_real(text, strlen(text), &shorter);
  out[hc_format_real(shorter, out)] = '\0';
}

static hc_rc add_ratios(hc_study *s, hc_axis *x, const char *path, double from, double to, double count,
                        double per_decade, bool whole, hc_error *e)
{
  const double decades = hc_log10(to / from);
  const uint64_t n = per_decade > 0 ? (uint64_t)(decades * per_decade + 1e-9) + 1 : (uint64_t)count;
  char last[64] = "";
  for (uint64_t i = 0; i < n; i++) {
    const double share = per_decade > 0 ? (double)i / per_decade
                         : n > 1        ? decades * (double)i / (double)(n - 1)
                                        : 0;
    char label[64];
    short_text(i == n - 1 && per_decade <= 0 && n > 1 ? to : from * hc_pow(10, share), whole, label);
    if (strcmp(label, last) == 0) continue; /* rounded to the same */
    memcpy(last, label, sizeof last);
    TRY(add_text(s, x, path, label, e));
  }
  return 0;
}

static hc_rc read_range(hc_study *s, hc_axis *x, const char *path, const hc_value *range, hc_error *e)
{
  static const char *const known[] = {"from", "to", "step", "count", "per_decade", "whole", "path"};
  static const char *const numbers[] = {"from", "to", "step", "count", "per_decade"};
  const char *text[5] = {0};
  double value[5] = {0};
  const hc_value *v = hc_value_get(range, "whole");
  bool whole = false;
  TRY(hc_study_check_keys(range, "a range", known, HC_ARRAY_LEN(known), e));
  for (size_t i = 0; i < HC_ARRAY_LEN(numbers); i++) {
    const hc_value *item = hc_value_get(range, numbers[i]);
    if (!item) continue;
    if (item->kind != HC_VALUE_SCALAR || hc_parse_real(item->text, strlen(item->text), &value[i]) < 0)
      return hc_value_fail(item, e, HC_EUSAGE, "axis %s: expected a number for `%s`, and a finite one",
                           x->name, numbers[i]);
    text[i] = item->text;
  }
  if (v && (v->kind != HC_VALUE_SCALAR || hc_parse_bool(v->text, strlen(v->text), &whole) < 0))
    return hc_value_fail(v, e, HC_EUSAGE, "axis %s: whole is true or false", x->name);
  if (!text[0] || !text[1] || !text[2] + !text[3] + !text[4] != 2)
    return hc_value_fail(
        range, e, HC_EUSAGE,
        "axis %s: a range has from, to, and one of step (equal distances), count or per_decade (equal "
        "ratios): {from: 1, to: 64, count: 7}",
        x->name);
  if (text[2]) return add_steps(s, x, path, range, text, e);
  if (value[3] > LEVELS) return too_many(range, x, value[3], e);
  if (!(value[0] > 0) || value[1] < value[0] || value[4] > 1000 || (text[3] && value[3] < 1) ||
      (text[4] && value[4] < 1))
    return hc_value_fail(
        range, e, HC_EUSAGE,
        "axis %s: equal ratios need a `from` above 0, a `to` not below it, a count from 1, and a per_decade "
        "from 1 to 1000",
        x->name);
  return add_ratios(s, x, path, value[0], value[1], value[3], value[4], whole, e);
}

/* ---- what an axis is ---- */

static bool is_named(const hc_value *v)
{
  return v->kind == HC_VALUE_MAP && v->count == 1 && strcmp(v->items[0]->key, "use") != 0;
}

static hc_rc read_list(hc_study *s, hc_axis *x, const char *path, const hc_value *list, hc_error *e)
{
  for (size_t i = 0; i < list->count; i++) {
    const hc_value *item = list->items[i];
    if (is_named(item)) TRY(add_named(s, x, item->items[0], e));
    else TRY(add_value(s, x, path, item, e));
  }
  return 0;
}

static hc_rc read_axis(hc_study *s, const hc_value *v, hc_error *e)
{
  static const char *const with_path[] = {"path", "values"};
  const char *path = v->key;
  const hc_value *own = hc_value_get(v, "path"), *values = hc_value_get(v, "values");
  hc_axis *x = hc_study_add_axis(s, v->key, v);
  if (!x) return no_memory(e);
  if (own) {
    if (own->kind != HC_VALUE_SCALAR)
      return hc_value_fail(own, e, HC_EUSAGE, "axis %s: path is the key of a run, such as policy.order",
                           v->key);
    path = own->text;
  }
  if (values) {
    TRY(hc_study_check_keys(v, "an axis", with_path, HC_ARRAY_LEN(with_path), e));
    if (values->kind == HC_VALUE_LIST) return read_list(s, x, path, values, e);
    if (values->kind == HC_VALUE_MAP && values->count > 1 && !hc_value_get(values, "use"))
      return add_called(s, x, path, values, e);
    return add_value(s, x, path, values, e);
  }
  if (v->kind == HC_VALUE_LIST) return read_list(s, x, path, v, e);
  if (hc_value_get(v, "from") || hc_value_get(v, "to") || own) return read_range(s, x, path, v, e);
  if (v->kind == HC_VALUE_SCALAR || hc_value_get(v, "use")) return add_value(s, x, path, v, e);
  if (v->kind == HC_VALUE_NULL) return 0;
  for (size_t i = 0; i < v->count; i++) TRY(add_named(s, x, v->items[i], e));
  return 0;
}

hc_rc hc_study_read_axes(hc_study *s, const hc_value *axes, hc_error *e)
{
  static const char *const taken[] = {"replication", "shake"};
  if (axes->kind != HC_VALUE_MAP)
    return hc_value_fail(axes, e, HC_EUSAGE,
                         "axes: expected keys of a run and the values that they take: `axes: {policy.order: "
                         "[fcfs, sjf]}`");
  for (size_t i = 0; i < axes->count; i++) {
    for (size_t k = 0; k < HC_ARRAY_LEN(taken); k++)
      if (strcmp(axes->items[i]->key, taken[k]) == 0)
        return hc_value_fail_key(axes->items[i], e, HC_EUSAGE,
                                 "%s is no axis to be listed: write `%s` beside axes", taken[k],
                                 k == 0 ? "replications: 10" : "shake: 10");
    TRY(read_axis(s, axes->items[i], e));
  }
  return 0;
}

/* ---- axes that take away what others set ---- */

typedef struct set_path {
  const char *path;
  size_t levels; /* that set it */
} set_path;

/* The paths that an axis sets, each once. Levels of one axis nearly always set the same. */
static hc_rc paths_of(hc_study *s, const hc_axis *x, set_path **out, size_t *count)
{
  set_path *paths = NULL;
  size_t cap = 0, n = 0, i;
  for (size_t k = 0; k < x->count; k++) {
    for (size_t p = 0; p < x->levels[k].patch_count; p++) {
      const char *path = x->levels[k].patches[p].path;
      for (i = 0; i < n && paths[i].path != path && strcmp(paths[i].path, path) != 0;) i++;
      if (i == cap) {
        set_path *more = hc_arena_alloc(&s->arena, (2 * cap + 4) * sizeof *more);
        if (!more) return HC_ENOMEM;
        if (n > 0) memcpy(more, paths, n * sizeof *more);
        paths = more;
        cap = 2 * cap + 4;
      }
      if (i == n) paths[n++] = (set_path){path, 0};
      paths[i].levels++;
    }
  }
  *out = paths;
  *count = n;
  return 0;
}

/* Does setting `path` take `inner` away? */
static bool covers(const char *path, const char *inner)
{
  const size_t n = strlen(path);
  return strncmp(inner, path, n) == 0 && (inner[n] == '\0' || inner[n] == '.');
}

/* A level that sets what an earlier axis sets is an exception to it, and welcome; if all levels do, that axis
 * is nothing but labels. */
hc_rc hc_study_check_overlaps(hc_study *s, hc_error *e)
{
  set_path *paths[HC_STUDY_AXES];
  size_t count[HC_STUDY_AXES];
  for (size_t k = 0; k < s->axis_count && k < HC_STUDY_AXES; k++) {
    const hc_axis *x = &s->axes[k];
    if (paths_of(s, x, &paths[k], &count[k]) < 0) return no_memory(e);
    for (size_t i = 0; i < k; i++) {
      for (size_t a = 0; a < count[i] * count[k]; a++) {
        const set_path *path = &paths[k][a / count[i]], *inner = &paths[i][a % count[i]];
        if (path->levels < x->count || !covers(path->path, inner->path)) continue;
        return hc_value_fail(
            x->place == s->tree ? s->axes[i].place : x->place, e, HC_EUSAGE,
            "axis %s sets %s at all of its levels, which takes away what axis %s sets (%s): leave one out, "
            "or let one of them set both by named levels%s",
            x->name, path->path, s->axes[i].name, inner->path,
            strcmp(path->path, inner->path) == 0 ? "" : "; the wider key may stand first");
      }
    }
  }
  return 0;
}

/* ---- axes that go together ---- */

static hc_rc join_levels(hc_study *s, hc_axis *into, const hc_axis *from, hc_error *e)
{
  for (size_t i = 0; i < into->count; i++) {
    hc_level *a = &into->levels[i];
    const hc_level *b = &from->levels[i];
    hc_patch *p = hc_arena_alloc(&s->arena, (a->patch_count + b->patch_count) * sizeof *p);
    const char *label = hc_arena_printf(&s->arena, "%s+%s", a->label, b->label);
    if (!p || !label) return no_memory(e);
    memcpy(p, a->patches, a->patch_count * sizeof *p);
    memcpy(p + a->patch_count, b->patches, b->patch_count * sizeof *p);
    *a = (hc_level){label, a->number, p, a->patch_count + b->patch_count, a->place};
  }
  into->name = hc_arena_printf(&s->arena, "%s+%s", into->name, from->name);
  return into->name ? 0 : no_memory(e);
}

/* @param name what the axis that takes their place is called; NULL: a+b */
static hc_rc zip_group(hc_study *s, const hc_value *group, const char *name_given, hc_error *e)
{
  hc_axis *first = NULL;
  if (group->kind != HC_VALUE_LIST || group->count == 0)
    return hc_value_fail(group, e, HC_EUSAGE, "zip: expected a list of axes that go together");
  for (size_t i = 0; i < group->count; i++) {
    const hc_value *name = group->items[i];
    hc_axis *x = name->kind == HC_VALUE_SCALAR ? hc_study_axis_named(s, name->text) : NULL;
    if (!x || x == first)
      return hc_value_fail(name, e, HC_EUSAGE, "zip: expected the name of %s",
                           x ? "another axis" : "an axis that is listed in axes");
    if (!first) {
      first = x;
      continue;
    }
    if (x->count != first->count)
      return hc_value_fail(
          name, e, HC_EUSAGE,
          "zip: axis %s has %zu levels and %s has %zu; axes that go together have equally many", first->name,
          first->count, x->name, x->count);
    TRY(join_levels(s, first, x, e));
    hc_free(s->allocator, x->levels, x->cap * sizeof *x->levels);
    s->axis_count--;
    memmove(x, x + 1, (size_t)(s->axes + s->axis_count - x) * sizeof *x);
    if (x < first) first--;
  }
  if (!name_given) return 0;
  for (size_t i = 0; i < s->axis_count; i++)
    if (&s->axes[i] != first && strcmp(s->axes[i].name, name_given) == 0)
      return hc_value_fail_key(group, e, HC_EUSAGE, "zip: there is another axis %s: choose another name",
                               name_given);
  first->name = name_given;
  return 0;
}

hc_rc hc_study_zip(hc_study *s, const hc_value *zip, hc_error *e)
{
  if ((zip->kind != HC_VALUE_LIST && zip->kind != HC_VALUE_MAP) || zip->count == 0)
    return hc_value_fail(
        zip, e, HC_EUSAGE,
        "zip: expected a list of axes that go together, a list of such lists, or names for them: `zip: "
        "{machine: [cell.procs, source.0.procs]}`");
  if (zip->kind == HC_VALUE_LIST && zip->items[0]->kind != HC_VALUE_LIST) return zip_group(s, zip, NULL, e);
  for (size_t i = 0; i < zip->count; i++)
    TRY(zip_group(s, zip->items[i], zip->kind == HC_VALUE_MAP ? zip->items[i]->key : NULL, e));
  return 0;
}
