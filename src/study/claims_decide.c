/* claims_decide.c -- tests of statements: the comparisons they are made of, and the verdict on them.
 *
 * Every test comes down to lines, each a paired difference with two one-sided p values: that it is as the
 * statement says, and that it is the contrary. "better": the difference, turned so that more is better, is
 * above zero, or below. "tie": it lies within the margin (two one-sided tests), or beyond it; the margin is a
 * share of the first's mean, or of the range of the means of all levels, and taken to be known. "same": all
 * samples are equal, or not; that is a fact and no test. "value" and "ratio": the difference from a bound, or
 * from a multiple of another level, is above zero. The p values are Student's t, of the mean difference,
 * or Wilcoxon's signed ranks, of the center of differences that are spread alike to both sides. Holm corrects
 * over all lines of the statement, on each side by itself, at half of 1 - level. Sources: Holm 1979;
 * Schuirmann 1987, doi:10.1007/BF01068419. */
#include <string.h>

#include "base/math.h"
#include "base/util.h"
#include "study/claims.h"
#include "study/stat_parts.h"

typedef enum relation { BETTER, NEAR, SAME } relation;

static const char *const relation_words[] = {"better than", "within the margin of", "same as"};

/* A test at one place: a grid, its conditions as text, and room for two series and their difference. */
typedef struct place {
  hc_grid grid;
  const char *where;
  double *x, *y, *d;
  hc_stat_test test;
} place;

/* ---- lines ---- */

static hc_rc new_line(hc_claim_work *w, hc_claim_line **out)
{
  TRY(hc_reserve(w->allocator, (void **)&w->lines, &w->line_cap, w->line_count + 1, sizeof *w->lines));
  *out = &w->lines[w->line_count++];
  **out = (hc_claim_line){0};
  return 0;
}

/* P(T > t) of a difference against a bound. */
static double above(const hc_stat_mean *m, double bound)
{
  double p, t;
  if (m->count < 2) return __builtin_nan("");
  if (!(m->deviation > 0)) return m->mean > bound ? 0.0 : 1.0;
  t = (m->mean - bound) / (m->deviation / hc_sqrt((double)m->count));
  p = 0.5 * hc_student_outside(t, (double)(m->count - 1));
  return t > 0 ? p : 1 - p;
}

static double below(const hc_stat_mean *m, double bound)
{
  double p = above(m, bound);
  if (m->count >= 2 && !(m->deviation > 0)) return m->mean < bound ? 0.0 : 1.0;
  return 1 - p;
}

/* That differences lie above a bound, and that they lie below it, by the test that the statement names. */
static hc_rc sides(hc_claim_work *w, const hc_claim_line *l, const double *d, size_t count, double bound,
                   hc_stat_sides *out)
{
  const hc_stat_mean *m = &l->pairs.difference;
  if (l->test == HC_STAT_TEST_WILCOXON) return hc_stat_signed_sides(w->allocator, d, count, bound, out);
  *out = (hc_stat_sides){above(m, bound), below(m, bound)};
  return 0;
}

/* @param d [count] the differences of the line's pairs */
static hc_rc test_line(hc_claim_work *w, hc_claim_line *l, relation r, const double *d, size_t count)
{
  const hc_stat_mean *m = &l->pairs.difference;
  bool is_same = m->count > 0 && l->pairs.above + l->pairs.below == 0;
  hc_stat_sides low, high;
  switch (r) {
    case BETTER:
      TRY(sides(w, l, d, count, 0, &low));
      l->p_for = low.above;
      l->p_against = is_same && m->count > 1 ? 0.0 : low.below;
      break;
    case NEAR:
      TRY(sides(w, l, d, count, -l->margin, &low));
      TRY(sides(w, l, d, count, l->margin, &high));
      l->p_for = HC_MAX(low.above, high.below);
      l->p_against = HC_MIN(low.below, high.above);
      break;
    case SAME:
      l->p_for = is_same ? 0.0 : 1.0;
      l->p_against = is_same ? 1.0 : 0.0;
      break;
  }
  if (m->count == 0) l->p_for = l->p_against = __builtin_nan("");
  return 0;
}

/* @param margin of a tie: a share of `range`, or of the right one's mean if range is 0 */
static hc_rc add_line(hc_claim_work *w, place *p, size_t x, size_t y, relation r, double margin, double range)
{
  const hc_grid *g = &p->grid;
  hc_claim_line *l;
  bool turned = r == BETTER && g->direction < 0;
  TRY(new_line(w, &l));
  hc_grid_both(g, x, y, p->x, p->y);
  TRY(hc_stat_mean_of(p->x, g->samples, w->level, &l->of_left));
  TRY(hc_stat_mean_of(p->y, g->samples, w->level, &l->of_right));
  TRY(hc_stat_pairs_of(w->allocator, turned ? p->y : p->x, turned ? p->x : p->y, g->samples, w->level,
                       &l->pairs));
  l->figure = g->figure;
  l->unit = g->unit;
  l->where = p->where;
  l->left = hc_arena_printf(w->arena, "%s", g->label[x]);
  l->right = hc_arena_printf(w->arena, "%s", g->label[y]);
  l->relation = relation_words[r];
  if (!l->left || !l->right) return HC_ENOMEM;
  if (r == NEAR) {
    const double mean = l->of_right.mean < 0 ? -l->of_right.mean : l->of_right.mean;
    l->margin = margin * (range > 0 ? range : mean);
  }
  l->test = p->test;
  for (size_t i = 0; i < g->samples; i++) p->d[i] = turned ? p->y[i] - p->x[i] : p->x[i] - p->y[i];
  return test_line(w, l, r, p->d, g->samples);
}

/* ---- places ---- */

static hc_rc keep_reason(hc_claim_work *w, const hc_error *why)
{
  if (w->why) return 0;
  w->why = hc_arena_printf(w->arena, "%s", why->text);
  return w->why ? 0 : HC_ENOMEM;
}

static hc_rc join(hc_claim_work *w, const char *const *texts, size_t count, const char **out)
{
  const char *all = count ? texts[0] : "";
  for (size_t i = 1; i < count && all; i++) all = hc_arena_printf(w->arena, "%s, %s", all, texts[i]);
  *out = all;
  return all ? 0 : HC_ENOMEM;
}

/* Which tests ask that one be better than another: those need a figure with a direction. */
static bool is_ranking(const char *key)
{
  static const char *const keys[] = {"order", "best", "worst", "best_among", "most", "gap"};
  for (size_t i = 0; i < HC_ARRAY_LEN(keys); i++) {
    if (strcmp(keys[i], key) == 0) return true;
  }
  return false;
}

static hc_rc check_direction(hc_claim_work *w, const hc_grid *g, const hc_value *test)
{
  hc_error why = {0};
  if (!is_ranking(test->key) || hc_grid_ranks(g, &why) >= 0) return 0;
  return hc_value_fail(test, w->error, HC_EINPUT, "%s", why.text);
}

/* @return 1, or 0 if the study lacks something, which is kept as the reason. Close it after 1. */
static hc_rc open_place(hc_claim_work *w, const hc_claim_scope *scope, const char *figure, const hc_value *at,
                        place *p)
{
  hc_error why = {0};
  hc_claim_scope here = *scope, *s = &here;
  hc_study_query q = {.figure = figure, .axes = s->axes, .axis_count = s->axis_count};
  hc_rc rc;
  TRY(hc_claim_all_where(w, s));
  p->test = s->test;
  q.where = s->where;
  q.where_count = s->where_count;
  q.over = s->over;
  q.over_count = s->over_count;
  q.level = w->level;
  q.direction = s->direction;
  if (s->axis_count == 0) return hc_value_fail(at, w->error, HC_EINPUT, "which axis? Say `axis: NAME`");
  TRY(join(w, s->where, s->where_count, &p->where));
  rc = hc_grid_init(&p->grid, w->allocator, w->data, &q, &why);
  if (rc >= 0) rc = check_direction(w, &p->grid, at);
  if (rc >= 0) {
    p->x = hc_arena_alloc(&p->grid.arena, 3 * p->grid.samples * sizeof *p->x);
    if (!p->x) rc = HC_ENOMEM;
  }
  if (rc < 0) {
    hc_grid_fini(&p->grid);
    return rc == HC_EUSAGE ? keep_reason(w, &why) : rc;
  }
  p->y = p->x + p->grid.samples;
  p->d = p->y + p->grid.samples;
  return 1;
}

static bool is_empty(const hc_grid *g)
{
  for (size_t i = 0; i < g->choices; i++) {
    if (g->points[i]) return false;
  }
  return true;
}

/* ---- members ---- */

typedef struct members {
  size_t *who;
  size_t count;
} members;

/* @return 1, or 0 if a member is not in the study. */
static hc_rc find_members(hc_claim_work *w, const hc_grid *g, const hc_value *v, members *out)
{
  const char **names;
  hc_error why = {0};
  bool is_every = v->kind == HC_VALUE_SCALAR && strcmp(v->text, "every") == 0;
  size_t count = g->choices;
  out->count = 0;
  if (!is_every) TRY(hc_claim_texts(w, v, &names, &count));
  out->who = hc_arena_alloc(w->arena, (count + 1) * sizeof *out->who);
  if (!out->who) return HC_ENOMEM;
  for (size_t i = 0; i < count; i++) {
    size_t at = is_every ? i : hc_grid_find(g, names[i]);
    if (is_every && !g->points[i]) continue;
    if (at == SIZE_MAX || !g->points[at]) {
      (void)hc_grid_no_choice(g, names[i], &why);
      return keep_reason(w, &why);
    }
    out->who[out->count++] = at;
  }
  return 1;
}

static bool is_member(const members *m, size_t who)
{
  for (size_t i = 0; i < m->count; i++) {
    if (m->who[i] == who) return true;
  }
  return false;
}

/* ---- the tests ---- */

/* From the least to the greatest mean of all levels: the height of a graph of them. */
static double range_of(const place *p)
{
  const hc_grid *g = &p->grid;
  double least = 0, most = 0;
  bool any = false;
  for (size_t k = 0; k < g->choices; k++) {
    hc_stat_mean m;
    if (!g->points[k]) continue;
    hc_grid_both(g, k, k, p->x, p->y);
    if (hc_stat_mean_of(p->x, g->samples, 0.95, &m) < 0 || m.count == 0) continue;
    least = any ? HC_MIN(least, m.mean) : m.mean;
    most = any ? HC_MAX(most, m.mean) : m.mean;
    any = true;
  }
  return most - least;
}

static hc_rc test_pairs(hc_claim_work *w, place *p, const hc_value *v, relation r, const hc_claim_scope *s)
{
  const double range = r == NEAR && s->margin_of_range ? range_of(p) : 0;
  members m;
  hc_rc rc = find_members(w, &p->grid, v, &m);
  for (size_t i = 1; rc > 0 && i < m.count; i++) {
    hc_rc failed = add_line(w, p, m.who[i], m.who[0], r, s->margin, range);
    if (failed < 0) return failed;
  }
  return rc;
}

static hc_rc test_order(hc_claim_work *w, place *p, const hc_value *v)
{
  members before = {0}, now;
  if (v->kind != HC_VALUE_LIST || v->count < 2)
    return hc_value_fail(v, w->error, HC_EINPUT, "expected a list, best first");
  for (size_t i = 0; i < v->count; i++) {
    hc_rc rc = find_members(w, &p->grid, v->items[i], &now);
    if (rc <= 0) return rc;
    for (size_t x = 0; x < before.count; x++) {
      for (size_t y = 0; y < now.count; y++) TRY(add_line(w, p, before.who[x], now.who[y], BETTER, 0, 0));
    }
    before = now;
  }
  return 0;
}

static bool is_beside(const hc_claim_scope *s, const char *label)
{
  for (size_t i = 0; i < s->beside_count; i++) {
    if (strcmp(s->besides[i], label) == 0) return true;
  }
  return false;
}

static hc_rc test_extreme(hc_claim_work *w, place *p, const hc_claim_scope *s, const hc_value *v,
                          bool is_worst)
{
  members m;
  hc_rc rc = find_members(w, &p->grid, v, &m);
  if (rc <= 0) return rc;
  for (size_t i = 0; i < m.count; i++) {
    for (size_t k = 0; k < p->grid.choices; k++) {
      if (is_member(&m, k) || !p->grid.points[k] || is_beside(s, p->grid.label[k])) continue;
      TRY(is_worst ? add_line(w, p, k, m.who[i], BETTER, 0, 0) : add_line(w, p, m.who[i], k, BETTER, 0, 0));
    }
  }
  return 0;
}

/* One of the members is the best: each other level stands behind at least one of them. A line for each other
 * level, with the member that leads it most surely: p for it times the number of members, since that one was
 * picked (Bonferroni); against it the greatest of theirs, since all must stand behind. */
static hc_rc test_best_among(hc_claim_work *w, place *p, const hc_claim_scope *s, const hc_value *v)
{
  members m;
  hc_rc rc = find_members(w, &p->grid, v, &m);
  if (rc <= 0) return rc;
  for (size_t k = 0; k < p->grid.choices; k++) {
    size_t first = w->line_count;
    hc_claim_line best = {0};
    double against = 0;
    if (is_member(&m, k) || !p->grid.points[k] || is_beside(s, p->grid.label[k])) continue;
    for (size_t i = 0; i < m.count; i++) {
      TRY(add_line(w, p, m.who[i], k, BETTER, 0, 0));
      const hc_claim_line *l = &w->lines[first + i];
      if (i == 0 || l->p_for < best.p_for) best = *l;
      if (i == 0 || l->p_against > against) against = l->p_against;
    }
    best.p_for = HC_MIN(best.p_for * (double)m.count, 1.0);
    best.p_against = against;
    w->lines[first] = best;
    w->line_count = first + 1;
  }
  return 0;
}

/* Relative lead of A over B in each sample, turned so that more is better. */
static void relative_lead(place *p, size_t x, size_t y, double *out)
{
  const hc_grid *g = &p->grid;
  hc_grid_both(g, x, y, p->x, p->y);
  for (size_t i = 0; i < g->samples; i++) {
    double of = p->y[i] < 0 ? -p->y[i] : p->y[i], lead = p->x[i] - p->y[i];
    out[i] = (g->direction < 0 ? -lead : lead) / of;
  }
}

static hc_rc gap_line(hc_claim_work *w, place *small, place *large, const hc_value *between)
{
  const size_t count = HC_MIN(small->grid.samples, large->grid.samples);
  members a, b;
  hc_claim_line *l;
  hc_rc rc = find_members(w, &small->grid, between, &a);
  if (rc > 0) rc = find_members(w, &large->grid, between, &b);
  if (rc <= 0) return rc;
  if (a.count != 2)
    return hc_value_fail(between, w->error, HC_EINPUT, "expected two: the lead of the first over the second");
  TRY(new_line(w, &l));
  relative_lead(small, a.who[0], a.who[1], small->d);
  relative_lead(large, b.who[0], b.who[1], large->d);
  TRY(hc_stat_mean_of(large->d, large->grid.samples, w->level, &l->of_left));
  TRY(hc_stat_mean_of(small->d, small->grid.samples, w->level, &l->of_right));
  TRY(hc_stat_pairs_of(w->allocator, large->d, small->d, count, w->level, &l->pairs));
  l->figure = hc_arena_printf(w->arena, "%s", large->grid.figure);
  l->unit = "1";
  l->where = large->where;
  l->left = hc_arena_printf(w->arena, "lead of %s over %s", large->grid.label[a.who[0]],
                            large->grid.label[a.who[1]]);
  l->relation = "larger than at";
  l->right = small->where;
  l->test = small->test;
  if (!l->figure || !l->left) return HC_ENOMEM;
  for (size_t i = 0; i < count; i++) small->x[i] = large->d[i] - small->d[i];
  return test_line(w, l, BETTER, small->x, count);
}

static hc_rc test_gap(hc_claim_work *w, const hc_claim_scope *s, const char *figure, const hc_value *v)
{
  const hc_value *between = hc_value_get(v, "between"),
                 *at[2] = {hc_value_get(v, "smaller"), hc_value_get(v, "larger")};
  place p[2];
  hc_rc rc = 1;
  int open = 0;
  if (!between || !at[0] || !at[1])
    return hc_value_fail(v, w->error, HC_EINPUT,
                         "expected {between: [A, B], smaller: [CONDITIONS], larger: [CONDITIONS]}");
  for (int i = 0; i < 2 && rc > 0; i++) {
    hc_claim_scope here = *s;
    const char **where;
    size_t count;
    rc = hc_claim_texts(w, at[i], &where, &count);
    if (rc >= 0) rc = hc_claim_where(w, where, count, &here);
    if (rc >= 0) rc = open_place(w, &here, figure, v, &p[i]);
    open += rc > 0;
  }
  if (rc > 0) rc = gap_line(w, &p[0], &p[1], between);
  while (open-- > 0) hc_grid_fini(&p[open].grid);
  return rc;
}

static hc_rc test_most(hc_claim_work *w, place *p, const hc_value *v)
{
  const hc_value *better = hc_value_get(v, "better"), *than = hc_value_get(v, "than");
  members x, y;
  hc_rc rc;
  if (!better || !than) return hc_value_fail(v, w->error, HC_EINPUT, "expected {better: A, than: B}");
  rc = find_members(w, &p->grid, better, &x);
  if (rc > 0) rc = find_members(w, &p->grid, than, &y);
  if (rc <= 0) return rc;
  return add_line(w, p, x.who[0], y.who[0], BETTER, 0, 0);
}

/* ---- bounds ---- */

/* x against `bound` times y, or against the bound itself where nothing is at y. */
static hc_rc bound_line(hc_claim_work *w, place *p, size_t x, size_t y, double bound, bool is_least)
{
  const hc_grid *g = &p->grid;
  const bool is_ratio = y != SIZE_MAX;
  hc_claim_line *l;
  TRY(new_line(w, &l));
  hc_grid_both(g, x, is_ratio ? y : x, p->x, p->y);
  TRY(hc_stat_mean_of(p->x, g->samples, w->level, &l->of_left));
  for (size_t i = 0; i < g->samples; i++) {
    if (is_ratio) p->y[i] *= bound;
    else if (p->y[i] == p->y[i]) p->y[i] = bound;
    p->d[i] = is_least ? p->x[i] - p->y[i] : p->y[i] - p->x[i];
  }
  TRY(hc_stat_mean_of(p->y, g->samples, w->level, &l->of_right));
  TRY(hc_stat_pairs_of(w->allocator, is_least ? p->x : p->y, is_least ? p->y : p->x, g->samples, w->level,
                       &l->pairs));
  l->figure = g->figure;
  l->unit = g->unit;
  l->where = p->where;
  l->left = hc_arena_printf(w->arena, "%s", g->label[x]);
  l->relation = is_least ? "above" : "below";
  l->right = is_ratio ? hc_arena_printf(w->arena, "%g times %s", bound, g->label[y])
                      : hc_arena_printf(w->arena, "%g", bound);
  l->test = p->test;
  if (!l->left || !l->right) return HC_ENOMEM;
  return test_line(w, l, BETTER, p->d, g->samples);
}

/* {of: A or [A, B] or every, least: x, most: y}, and for a ratio beside it `to: C`. */
static hc_rc test_bounds(hc_claim_work *w, place *p, const hc_value *v, bool is_ratio)
{
  static const char *const keys[] = {"least", "most"};
  const hc_value *of = hc_value_get(v, "of"), *to = hc_value_get(v, "to");
  members x, y = {0};
  hc_rc rc;
  if (!of || (is_ratio && !to) || !(hc_value_get(v, keys[0]) || hc_value_get(v, keys[1])))
    return hc_value_fail(v, w->error, HC_EINPUT,
                         is_ratio ? "expected {of: A, to: B, least: NUMBER, most: NUMBER}"
                                  : "expected {of: A, least: NUMBER, most: NUMBER}");
  rc = find_members(w, &p->grid, of, &x);
  if (rc > 0 && is_ratio) rc = find_members(w, &p->grid, to, &y);
  if (rc <= 0) return rc;
  for (int k = 0; k < 2; k++) {
    const hc_value *bound = hc_value_get(v, keys[k]);
    double number;
    if (!bound) continue;
    if (bound->kind != HC_VALUE_SCALAR || hc_parse_real(bound->text, strlen(bound->text), &number) < 0)
      return hc_value_fail(bound, w->error, HC_EINPUT, "expected a number");
    for (size_t i = 0; i < x.count; i++)
      TRY(bound_line(w, p, x.who[i], is_ratio ? y.who[0] : SIZE_MAX, number, k == 0));
  }
  return 0;
}

static hc_rc test_here(hc_claim_work *w, const hc_claim_scope *s, const char *figure, const hc_value *test)
{
  const char *key = test->key;
  place p = {0};
  hc_rc rc;
  if (strcmp(key, "gap") == 0) return test_gap(w, s, figure, test);
  rc = open_place(w, s, figure, test, &p);
  if (rc <= 0) return rc;
  if (is_empty(&p.grid)) rc = 0; /* a level that was never run with these conditions */
  else if (strcmp(key, "equal") == 0) rc = test_pairs(w, &p, test, SAME, s);
  else if (strcmp(key, "tie") == 0) rc = test_pairs(w, &p, test, NEAR, s);
  else if (strcmp(key, "order") == 0) rc = test_order(w, &p, test);
  else if (strcmp(key, "most") == 0) rc = test_most(w, &p, test);
  else if (strcmp(key, "value") == 0) rc = test_bounds(w, &p, test, false);
  else if (strcmp(key, "ratio") == 0) rc = test_bounds(w, &p, test, true);
  else if (strcmp(key, "best_among") == 0) rc = test_best_among(w, &p, s, test);
  else rc = test_extreme(w, &p, s, test, strcmp(key, "worst") == 0);
  hc_grid_fini(&p.grid);
  return rc < 0 ? rc : 0;
}

/* ---- repetition ---- */

static hc_rc test_each(hc_claim_work *w, hc_claim_scope *s, size_t each, const hc_value *test)
{
  hc_error why = {0};
  hc_claim_scope all = *s;
  const hc_study_axis *x;
  uint8_t **keep = NULL;
  uint32_t axis;
  if (each == s->each_count) {
    for (size_t i = 0; i < s->figure_count; i++) TRY(test_here(w, s, s->figures[i], test));
    return 0;
  }
  axis = hc_study_axis_find(w->data, s->each[each]);
  if (axis == UINT32_MAX) (void)hc_study_no_axis(w->data, s->each[each], &why);
  TRY(hc_claim_all_where(w, &all));
  if (why.rc == 0 && hc_study_where(w->arena, w->data, all.where, all.where_count, &keep, &why) < 0 &&
      why.rc == 0)
    return HC_ENOMEM;
  if (why.rc < 0) return why.rc == HC_EUSAGE ? keep_reason(w, &why) : why.rc;
  x = &w->data->axes[axis];
  for (uint32_t i = 0; i < x->count; i++) {
    hc_claim_scope here = *s;
    const char *condition = hc_arena_printf(w->arena, "%s==%s", s->each[each], x->labels[i]);
    if (!condition) return HC_ENOMEM;
    if (!keep[axis][i]) continue;
    TRY(hc_claim_where(w, &condition, 1, &here));
    TRY(test_each(w, &here, each + 1, test));
  }
  return 0;
}

static hc_rc new_node(hc_claim_work *w, hc_claim_kind kind, size_t *out)
{
  TRY(hc_reserve(w->allocator, (void **)&w->nodes, &w->node_cap, w->node_count + 1, sizeof *w->nodes));
  *out = w->node_count++;
  w->nodes[*out] = (hc_claim_node){.kind = kind, .first = (uint32_t)w->line_count};
  return 0;
}

hc_rc hc_claim_compare(hc_claim_work *w, const hc_value *map, const hc_claim_scope *outer, int depth)
{
  const hc_value *test;
  hc_claim_scope s;
  size_t node;
  if (map->kind != HC_VALUE_MAP)
    return hc_value_fail(map, w->error, HC_EINPUT, "expected a test, as {best: [A]}");
  if (depth > HC_CLAIM_DEPTH)
    return hc_value_fail(map, w->error, HC_ELIMIT, "tests lie more than 6 levels deep");
  TRY(hc_claim_scope_read(w, map, outer, &s));
  TRY(hc_claim_find_test(w, map, depth == 0, &test));
  if (strcmp(test->key, "all") == 0) {
    if (test->kind != HC_VALUE_LIST)
      return hc_value_fail(test, w->error, HC_EINPUT, "expected a list of tests");
    for (size_t i = 0; i < test->count; i++) TRY(hc_claim_compare(w, test->items[i], &s, depth + 1));
    return 0;
  }
  if (s.figure_count == 0)
    return hc_value_fail(test, w->error, HC_EINPUT, "by which figure? Say `figure: NAME`");
  TRY(new_node(w, strcmp(test->key, "most") == 0 ? HC_CLAIM_MOST : HC_CLAIM_EVERY_LINE, &node));
  TRY(test_each(w, &s, 0, test));
  w->nodes[node].end = (uint32_t)w->line_count;
  return 0;
}

/* ---- the verdict ---- */

static hc_rc correct(hc_claim_work *w)
{
  double *p = hc_alloc(w->allocator, (w->line_count + 1) * sizeof *p), alpha = 0.5 * (1 - w->level);
  hc_rc rc;
  if (!p) return HC_ENOMEM;
  for (size_t i = 0; i < w->line_count; i++) p[i] = w->lines[i].p_for;
  rc = hc_stat_adjust(w->allocator, HC_STAT_HOLM, p, w->line_count, p);
  for (size_t i = 0; i < w->line_count; i++) {
    w->lines[i].p_for = p[i];
    p[i] = w->lines[i].p_against;
  }
  if (rc >= 0) rc = hc_stat_adjust(w->allocator, HC_STAT_HOLM, p, w->line_count, p);
  for (size_t i = 0; i < w->line_count; i++) {
    hc_claim_line *l = &w->lines[i];
    l->p_against = p[i];
    l->verdict = HC_CLAIM_UNDECIDABLE;
    if (l->p_for < alpha) l->verdict = HC_CLAIM_CONFIRMED;
    else if (l->p_against < alpha) l->verdict = HC_CLAIM_NOT_CONFIRMED;
  }
  hc_free(w->allocator, p, (w->line_count + 1) * sizeof *p);
  return rc;
}

static hc_claim_verdict judge(const hc_claim_work *w, const hc_claim_node *n)
{
  uint32_t tally[3] = {0, 0, 0}, all = n->end - n->first;
  for (uint32_t i = n->first; i < n->end; i++) tally[w->lines[i].verdict]++;
  if (all == 0) return HC_CLAIM_UNDECIDABLE;
  if (n->kind == HC_CLAIM_MOST) {
    if (2 * tally[HC_CLAIM_CONFIRMED] > all) return HC_CLAIM_CONFIRMED;
    return 2 * tally[HC_CLAIM_NOT_CONFIRMED] >= all ? HC_CLAIM_NOT_CONFIRMED : HC_CLAIM_UNDECIDABLE;
  }
  if (tally[HC_CLAIM_NOT_CONFIRMED]) return HC_CLAIM_NOT_CONFIRMED;
  return tally[HC_CLAIM_CONFIRMED] == all ? HC_CLAIM_CONFIRMED : HC_CLAIM_UNDECIDABLE;
}

hc_rc hc_claim_decide(hc_claim_work *w, hc_claim_verdict *out)
{
  bool is_contrary = false, is_open = w->why != NULL || w->node_count == 0;
  TRY(correct(w));
  for (size_t i = 0; i < w->node_count; i++) {
    hc_claim_verdict v = judge(w, &w->nodes[i]);
    is_contrary |= v == HC_CLAIM_NOT_CONFIRMED;
    is_open |= v == HC_CLAIM_UNDECIDABLE;
  }
  *out = is_contrary ? HC_CLAIM_NOT_CONFIRMED : is_open ? HC_CLAIM_UNDECIDABLE : HC_CLAIM_CONFIRMED;
  return 0;
}
