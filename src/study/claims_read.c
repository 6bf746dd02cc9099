/* claims_read.c -- what a statement says around its test: figures, axes, conditions, and what it inherits.
 *
 * A key that a map has not is inherited from the map around it. Conditions are added, but one on an axis
 * takes the place of those inherited on the same axis, so that a file may say load>=0.5 once and one
 * statement load<0.5. */
#include <string.h>

#include "base/util.h"
#include "study/claims.h"

static const char *const tests[] = {"equal", "tie",  "order", "best",  "best_among", "worst",
                                    "gap",   "most", "value", "ratio", "all"};
static const char *const around[] = {"figure",  "axis",   "where",     "over",      "each",
                                     "besides", "margin", "margin_of", "direction", "test"};
static const char *const top[] = {"id", "text", "source", "note", "expect"};

hc_rc hc_claim_texts(hc_claim_work *w, const hc_value *v, const char ***out, size_t *count)
{
  size_t n = v->kind == HC_VALUE_LIST ? v->count : 1;
  const char **texts = hc_arena_alloc(w->arena, (n + 1) * sizeof *texts);
  if (!texts) return HC_ENOMEM;
  for (size_t i = 0; i < n; i++) {
    const hc_value *item = v->kind == HC_VALUE_LIST ? v->items[i] : v;
    if (item->kind != HC_VALUE_SCALAR)
      return hc_value_fail(item, w->error, HC_EINPUT, "expected a text or a list of texts");
    texts[i] = hc_arena_text(w->arena, item->text, strlen(item->text));
    if (!texts[i]) return HC_ENOMEM;
  }
  *out = texts;
  *count = n;
  return 0;
}

static size_t axis_size(const char *condition)
{
  return strcspn(condition, "=!<>");
}

static bool same_axis(const char *x, const char *y)
{
  size_t n = axis_size(x);
  return n == axis_size(y) && memcmp(x, y, n) == 0;
}

hc_rc hc_claim_where(hc_claim_work *w, const char **add, size_t count, hc_claim_scope *s)
{
  const char **where = hc_arena_alloc(w->arena, (s->where_count + count + 1) * sizeof *where);
  size_t n = 0;
  if (!where) return HC_ENOMEM;
  for (size_t i = 0; i < s->where_count; i++) {
    bool replaced = false;
    for (size_t k = 0; k < count; k++) replaced |= same_axis(s->where[i], add[k]);
    if (!replaced) where[n++] = s->where[i];
  }
  for (size_t k = 0; k < count; k++) where[n++] = add[k];
  s->where = where;
  s->where_count = n;
  return 0;
}

hc_rc hc_claim_all_where(hc_claim_work *w, hc_claim_scope *s)
{
  const char **where;
  if (w->firm_count == 0) return 0;
  where = hc_arena_alloc(w->arena, (s->where_count + w->firm_count) * sizeof *where);
  if (!where) return HC_ENOMEM;
  for (size_t i = 0; i < s->where_count; i++) where[i] = s->where[i];
  for (size_t i = 0; i < w->firm_count; i++) where[s->where_count + i] = w->firm[i];
  s->where = where;
  s->where_count += w->firm_count;
  return 0;
}

static hc_rc read_list(hc_claim_work *w, const hc_value *map, const char *key, const char ***out,
                       size_t *count)
{
  const hc_value *v = hc_value_get(map, key);
  return v ? hc_claim_texts(w, v, out, count) : 0;
}

static hc_rc read_direction(hc_claim_work *w, const hc_value *v, int *out)
{
  if (!v) return 0;
  if (v->kind == HC_VALUE_SCALAR && strcmp(v->text, "higher") == 0) *out = 1;
  else if (v->kind == HC_VALUE_SCALAR && strcmp(v->text, "lower") == 0) *out = -1;
  else return hc_value_fail(v, w->error, HC_EINPUT, "expected higher or lower: which of them is better");
  return 0;
}

static hc_rc read_margin(hc_claim_work *w, const hc_value *v, double *out)
{
  double margin;
  if (!v) return 0;
  if (v->kind != HC_VALUE_SCALAR || hc_parse_real(v->text, strlen(v->text), &margin) < 0 || !(margin > 0))
    return hc_value_fail(v, w->error, HC_EINPUT, "expected a share above 0, as 0.05 for 5 %%");
  *out = margin;
  return 0;
}

static hc_rc read_margin_of(hc_claim_work *w, const hc_value *v, bool *out)
{
  if (!v) return 0;
  if (v->kind == HC_VALUE_SCALAR && strcmp(v->text, "mean") == 0) *out = false;
  else if (v->kind == HC_VALUE_SCALAR && strcmp(v->text, "range") == 0) *out = true;
  else
    return hc_value_fail(
        v, w->error, HC_EINPUT,
        "expected mean (a share of the first's mean) or range (of what the means of all levels of the axis "
        "span, as on a graph of them)");
  return 0;
}

static hc_rc read_test(hc_claim_work *w, const hc_value *v, hc_stat_test *out)
{
  if (!v) return 0;
  if (v->kind == HC_VALUE_SCALAR && strcmp(v->text, "t") == 0) *out = HC_STAT_TEST_T;
  else if (v->kind == HC_VALUE_SCALAR && strcmp(v->text, "wilcoxon") == 0) *out = HC_STAT_TEST_WILCOXON;
  else
    return hc_value_fail(
        v, w->error, HC_EINPUT,
        "expected t (Student's, of the mean) or wilcoxon (signed ranks): whose p values decide");
  return 0;
}

hc_rc hc_claim_scope_read(hc_claim_work *w, const hc_value *map, const hc_claim_scope *outer,
                          hc_claim_scope *out)
{
  const char **where = NULL;
  size_t count = 0;
  *out = *outer;
  TRY(read_list(w, map, "figure", &out->figures, &out->figure_count));
  TRY(read_list(w, map, "axis", &out->axes, &out->axis_count));
  TRY(read_list(w, map, "over", &out->over, &out->over_count));
  TRY(read_list(w, map, "each", &out->each, &out->each_count));
  TRY(read_list(w, map, "besides", &out->besides, &out->beside_count));
  TRY(read_list(w, map, "where", &where, &count));
  TRY(read_margin(w, hc_value_get(map, "margin"), &out->margin));
  TRY(read_margin_of(w, hc_value_get(map, "margin_of"), &out->margin_of_range));
  TRY(read_direction(w, hc_value_get(map, "direction"), &out->direction));
  TRY(read_test(w, hc_value_get(map, "test"), &out->test));
  return hc_claim_where(w, where, count, out);
}

static bool is_one_of(const char *const *list, size_t count, const char *key)
{
  for (size_t i = 0; i < count; i++) {
    if (strcmp(list[i], key) == 0) return true;
  }
  return false;
}

hc_rc hc_claim_find_test(hc_claim_work *w, const hc_value *map, bool is_top, const hc_value **out)
{
  *out = NULL;
  for (size_t i = 0; i < map->count; i++) {
    const hc_value *v = map->items[i];
    if (is_one_of(around, HC_ARRAY_LEN(around), v->key)) continue;
    if (is_top && is_one_of(top, HC_ARRAY_LEN(top), v->key)) continue;
    if (!is_one_of(tests, HC_ARRAY_LEN(tests), v->key))
      return hc_value_fail_key(
          v, w->error, HC_EINPUT,
          "unknown key \"%.60s\"; a test is equal, tie, order, best, best_among, worst, gap, most or all",
          v->key);
    if (*out) return hc_value_fail_key(v, w->error, HC_EINPUT, "a second test; put both into a list `all`");
    *out = v;
  }
  if (!*out)
    return hc_value_fail(map, w->error, HC_EINPUT,
                         "no test: equal, tie, order, best, best_among, worst, gap, most or all");
  return 0;
}
